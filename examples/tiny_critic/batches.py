"""Lessons as the model gets them: pictures as pixels, conversations as tokens, labels at the answers only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import torch
from architecture import PATCH, PIXELS
from lessons import VERDICTS, Lesson
from transformers import LlavaProcessor

from vlrb_tasks.data.scenes import Scene, draw_scene

VERDICT = 4.0  # the weight of the one token that is the verdict; the others of its sentence are soon known by heart


class Pictures:
    """Pictures of scenes as the model gets them, put together from what each thing looks like in its cell."""

    def __init__(self, processor: LlavaProcessor) -> None:
        self._processor = processor.image_processor
        self._blank = self._pixels(())
        self._drawn = lru_cache(maxsize=4096)(lambda thing: self._pixels((thing,)))

    def _pixels(self, scene: Scene) -> torch.Tensor:
        return self._processor(draw_scene(scene), return_tensors="pt")["pixel_values"][0]

    def __call__(self, scene: Scene) -> torch.Tensor:
        """Return the pixels of a scene, of shape (3, 80, 80): things do not reach beyond their cells."""
        pixels = self._blank.clone()
        for thing in scene:
            x, y = thing.cell
            columns = slice(None) if thing.what.startswith("word:") else slice(x * PATCH, (x + 1) * PATCH)
            rows = slice(y * PATCH, (y + 1) * PATCH)
            pixels[:, rows, columns] = self._drawn(thing)[:, rows, columns]
        return pixels


class Batches:
    """Lessons as tensors. Only answers are learnt: the labels of all else are -100."""

    def __init__(self, processor: LlavaProcessor) -> None:
        tokenizer = processor.tokenizer
        self.pictures = Pictures(processor)
        self.pad, self.end = tokenizer.pad_token_id, tokenizer.eos_token_id
        self.image = [tokenizer.convert_tokens_to_ids("<image>")] * (PIXELS // PATCH) ** 2
        self.ids = lru_cache(maxsize=65536)(lambda text: tokenizer(text, add_special_tokens=False)["input_ids"])
        first, second = (set(self.ids(f" {verdict}")) for verdict in VERDICTS)
        self.verdicts = first ^ second  # the tokens in which the two verdicts differ

    def tokens(self, lesson: Lesson) -> tuple[list[int], list[int]]:
        """Return the tokens of a lesson and their labels."""
        ids: list[int] = []
        labels: list[int] = []
        for number, (asked, answer) in enumerate(lesson.turns):
            before = (
                [*self.ids("USER: "), *self.image, *self.ids(f"\n{asked} ASSISTANT:")]
                if number == 0
                else self.ids(f"USER: {asked} ASSISTANT:")
            )
            said = [*self.ids(f" {answer}"), self.end]
            ids += [*before, *said]
            labels += [*[-100] * len(before), *said]
        return ids, labels

    def weight(self, lesson: Lesson) -> float:
        """Return how much of a batch's loss a lesson makes up."""
        return sum(VERDICT if label in self.verdicts else 1.0 for label in self.tokens(lesson)[1] if label != -100)

    def __call__(self, drawn: Sequence[Lesson]) -> dict[str, torch.Tensor]:
        """Return a batch, padded on the right."""
        rows = [self.tokens(lesson) for lesson in drawn]
        longest = max(len(ids) for ids, _ in rows)
        labels = torch.tensor([labels + [-100] * (longest - len(labels)) for _, labels in rows])
        weights = (labels != -100).float()
        for token in self.verdicts:
            weights[labels == token] = VERDICT
        return {
            "input_ids": torch.tensor([ids + [self.pad] * (longest - len(ids)) for ids, _ in rows]),
            "attention_mask": torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows]),
            "labels": labels,
            "weights": weights,
            "pixel_values": torch.stack([self.pictures(lesson.scene) for lesson in drawn]),
        }
