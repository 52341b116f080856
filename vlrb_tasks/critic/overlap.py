"""Overlap: what is asked in an evaluation must not be learnt before it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from ..data.rows import DataError, items_of
from ..data.sources import open_source
from ..registry.index import Registry
from .judgments import Judgment
from .recipe import Overlap


def plain(text: str) -> str:
    """Return a text as it is compared: letters and digits of any script, small, one blank between words."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("<image>", " ")
    return " ".join(re.findall(r"\w+", folded))


def digest(text: str) -> bytes:
    """Return a short hash of a text as it is compared."""
    return hashlib.blake2b(plain(text).encode(), digest_size=12).digest()


def picture_digest(image: Image.Image) -> bytes:
    """Return a hash of a picture's pixels, whatever its file is."""
    return hashlib.blake2b(f"{image.size}".encode() + image.tobytes(), digest_size=12).digest()


class Held:
    """What evaluations ask: their questions, responses, pairs of both, and pictures, as hashes."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._questions: set[bytes] = set()
        self._responses: set[bytes] = set()
        self._both: set[bytes] = set()
        self._pictures: set[bytes] = set()
        self._begun: dict[tuple[str, ...], list[tuple[str, list[str]]]] = {}
        self.unopened = 0
        """How many items have a picture that cannot be opened: it is not recognised."""

    def add(self, question: str, responses: Iterable[str]) -> None:
        """Hold an item's texts."""
        self._add("question", question, self._questions)
        for response in responses:
            self._add("response", response, self._responses)
            self._both.add(digest(f"{question} / {response}"))

    def _add(self, kind: str, text: str, held: set[bytes]) -> None:
        words = plain(text).split()
        if len(words) >= self._words:
            held.add(digest(text))
            self._begun.setdefault(tuple(words[: self._words]), []).append((kind, words))

    def add_picture(self, image: Image.Image) -> None:
        """Hold a picture."""
        self._pictures.add(picture_digest(image))

    def __len__(self) -> int:
        return len(self._questions) + len(self._responses) + len(self._both) + len(self._pictures)

    def found(self, judgment: Judgment) -> str | None:
        """Return what of a judgment's texts an evaluation has: ``question``, ``response``; ``None`` for nothing."""
        for response in judgment.responses:
            if digest(response) in self._responses:
                return "response"
            if digest(f"{judgment.question} / {response}") in self._both:
                return "question and response"
        if not judgment.responses:
            return self._within(judgment.question)
        return "question" if digest(judgment.question) in self._questions else None

    def _within(self, text: str) -> str | None:
        """Return what stands somewhere in a text that holds question and response: the response before the question."""
        words = plain(text).split()
        kinds = {
            kind
            for i in range(len(words) - self._words + 1)
            for kind, whole in self._begun.get(tuple(words[i : i + self._words]), ())
            if words[i : i + len(whole)] == whole
        }
        return "response" if "response" in kinds else "question" if kinds else None

    def has_picture(self, digest: bytes) -> bool:
        """Tell whether an evaluation has a picture with this hash."""
        return digest in self._pictures


def held_out(overlap: Overlap, registry: Registry, mirror: Path | None, pictures: bool) -> Held:
    """Return what the evaluations of a recipe ask.

    Args:
        overlap: which benchmarks.
        registry: where they are described.
        mirror: a local folder to read them from instead of the hub.
        pictures: also hold their pictures, which have to be opened for it.

    Raises:
        DataError: a benchmark cannot be read: without it nothing can be said of overlap.
    """
    held = Held(overlap.words)
    for name in overlap.benchmarks:
        benchmark = registry.benchmark(name)
        if not pictures:
            benchmark = benchmark.model_copy(update={"columns": benchmark.columns.model_copy(update={"images": None})})
        source = open_source(name, benchmark, mirror)
        for item in items_of(source.rows, benchmark, source.where)[0]:
            held.add(item.question, item.responses)
        for number in range(len(source.rows) if pictures else 0):
            try:
                for picture in source.images(number):
                    held.add_picture(picture)
            except DataError:
                held.unopened += 1
    return held
