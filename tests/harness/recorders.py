"""Adapters that keep what they were asked and answer at once: one simple, one chat."""

from __future__ import annotations

import torch
from lmms_eval.api.model import lmms


class _Recorder(lmms):
    def __init__(self, answer="Overall Judgment: Answer 1 is better.") -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[tuple] = []
        self.images: list[list] = []
        self.texts: list[str] = []

    @property
    def device(self):
        return torch.device("cpu")

    def generate_until(self, requests):
        answers = []
        for request in requests:
            self.asked.append(request.args)
            self._look(request.args)
            answers.append(self.answer(len(answers), request) if callable(self.answer) else self.answer)
        return answers

    def loglikelihood(self, requests):
        raise NotImplementedError

    def generate_until_multi_round(self, requests):
        raise NotImplementedError


class SimpleRecorder(_Recorder):
    is_simple = True

    def _look(self, args):
        text, _, doc_to_visual, doc_id, task, split = args
        self.texts.append(text)
        self.images.append(doc_to_visual(self.task_dict[task][split][doc_id]) or [])


class ChatRecorder(_Recorder):
    is_simple = False

    def _look(self, args):
        _, doc_to_messages, _, doc_id, task, split = args
        self.messages = doc_to_messages(self.task_dict[task][split][doc_id])
        content = self.messages[-1]["content"]
        self.texts.append("".join(part["text"] for part in content if part["type"] == "text"))
        self.images.append([part["url"] for part in content if part["type"] == "image"])
