"""vlrb_replay: answers from a log or a journal, so that a new parser or metric goes through the whole harness with no model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms

from ...core.parsing import parse_loss, parse_verdict
from ...environment import registry
from ...registry.index import WITH
from ...votes.errors import JournalError
from ...votes.journal_records import SUFFIX, load_journal
from ...votes.logs import find_logs, read_log

Texts = dict[tuple[str, int, tuple[int, ...], str], str]


class ReplayJudge(lmms):
    """A judge that gives the answers of another run, for the same items, draws and orders, whatever the prompt.

    Args:
        log: a sample log, a journal, or a folder of either.
        task: which task's answers, where the log holds several; by default those of the task that asks.
        batch_size: not used; lmms-eval passes it.
        max_batch_size: not used.
        device: not used.
    """

    is_simple = True

    def __init__(
        self,
        log: str,
        task: str | None = None,
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        device: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__()
        if unknown:
            raise ValueError(f"vlrb_replay: no argument {', '.join(map(repr, unknown))}; there are log and task.")
        self._tasks = _texts(Path(log))
        if task is not None and task not in self._tasks:
            raise ValueError(
                f"vlrb_replay task: got {task!r}; expected one of {', '.join(self._tasks)}, which {log} holds."
            )
        self._task, self._log = task, log

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return the texts of the log; a request that it does not hold has failed."""
        return [self._text(request) for request in requests]

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Return the losses of the log; NaN where it holds none."""
        return [(self._loss(request), False) for request in requests]

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:
        """Not given: a judgment has one round."""
        raise NotImplementedError("vlrb_replay has one round only.")

    def _text(self, request: Instance, answer: str = "") -> str:
        judgment = (request.metadata or {}).get("judgment")
        if judgment is None:
            return ""
        texts = self._of(str(request.metadata["judge"].config.task))
        text = texts.get((judgment.item.key, judgment.draw, tuple(judgment.order), answer))
        if text is None:
            return f"[LMMS_EVAL_REQUEST_FAILED after 0 retries] {self._log} holds no draw {judgment.draw} of item {judgment.item.key} in this order"
        return text

    def _loss(self, request: Instance) -> float:
        answer = request.metadata["answer"]
        alone = parse_loss(self._text(request, answer))  # a journal has each answer by itself
        if not math.isnan(alone):
            return alone
        verdict = parse_verdict(self._text(request), ("loglikelihood",))
        if verdict.shares is None:
            return float("nan")
        tie = 1 - sum(verdict.shares)
        share = {"first": verdict.shares[0], "second": verdict.shares[1], "tie": tie}[answer]
        return -math.log(share) if share > 0 else float("inf")

    def _of(self, task: str) -> Texts:
        """Return the answers for a task: its own, or the only ones of the same task with another prompt."""
        name = self._task or task
        if name in self._tasks:
            return self._tasks[name]
        alike = [one for one in self._tasks if one.partition(WITH)[0] == name.partition(WITH)[0]]
        if len(alike) == 1:
            return self._tasks[alike[0]]
        raise ValueError(
            f"vlrb_replay: {self._log} holds answers of {', '.join(self._tasks)}, none for {task} alone. Fix: choose with task=..."
        )


def _texts(path: Path) -> dict[str, Texts]:
    """Return the answers of a journal or of sample logs, by task."""
    tasks: dict[str, Texts] = {}
    if path.name.endswith(SUFFIX) or (path.is_dir() and any(path.glob(f"*{SUFFIX}"))):
        for key, answered in load_journal(path).votes.items():
            if not answered.failed:
                tasks.setdefault(key.task, {})[key.item, key.draw, key.order, key.answer] = answered.text
    else:
        known = registry()
        for file in find_logs(path):
            task = file.name.rpartition("_samples_")[2].removesuffix(".jsonl")
            for ballot in read_log(file, known).ballots:
                for vote in ballot.votes:
                    tasks.setdefault(task, {})[ballot.key, vote.draw, vote.order, ""] = vote.text
    if not tasks:
        raise JournalError(f"{path}: holds no answers. Fix: name a sample log or a journal.")
    return tasks
