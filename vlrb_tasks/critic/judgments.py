"""Judgments: what a row of a source says of its responses, before it is put into words for a critic."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .cells import CellError, at, score_at, scores_at, text_at, texts_at
from .recipe import Part

Verdict = Literal["first", "second", "tie"]


@dataclass(frozen=True)
class Judgment:
    """One response with its score, or two with what is said of them.

    Attributes:
        id: of the row, with its part before it.
        image: the cell that holds or names the picture; ``None`` without one.
        question: what was asked; of a conversation that holds its own judge prompt, all of it.
        responses: one or two; none where the question holds it.
        score: 0 to 100, for one response.
        verdict: for two: which is better, as they stand in ``responses``.
        reasons: why, in the words of the source or of a teacher; empty without any.
        labels: what the reasons call the first response and the second, where that is known.
    """

    id: str
    image: Any
    question: str
    responses: tuple[str, ...]
    score: float | None = None
    verdict: Verdict | None = None
    reasons: str = ""
    labels: tuple[str, str] | None = None


def judgments(row: Mapping[str, Any], part: Part, id: str, rng: random.Random) -> Iterator[Judgment]:
    """Give what a row says.

    Args:
        row: a row of the source.
        part: says where in it what stands.
        id: names the row where no column does.
        rng: chooses among pairs, where the part wants only some.

    Raises:
        CellError: the row does not hold what the part says.
    """
    cells = part.cells
    if cells.id is not None:
        id = str(at(row, cells.id))
    image = None if cells.image is None else at(row, cells.image)
    question = text_at(row, cells.question, asked=True)
    reasons = text_at(row, cells.reasons) if part.reasons.cells and cells.reasons is not None else ""
    labels = part.reasons.labels
    if cells.score is not None:
        response = () if cells.response is None else (text_at(row, cells.response),)
        yield Judgment(id, image, question, response, _of_100(score_at(row, cells.score), part), reasons=reasons)
    elif cells.scores is not None:
        assert cells.responses is not None
        responses = texts_at(row, cells.responses)
        scores = scores_at(row, cells.scores, len(responses))
        known = [(text, score) for text, score in zip(responses, scores, strict=True) if score is not None]
        if part.mode == "pointwise":
            for number, (text, score) in enumerate(known):
                yield Judgment(f"{id}/{number}", image, question, (text,), _of_100(score, part), reasons=reasons)
        else:
            for name, pair, verdict in _pairs(known, part, rng):
                yield Judgment(f"{id}/{name}", image, question, pair, verdict=verdict, reasons=reasons, labels=labels)
    elif cells.winner is not None:
        assert cells.responses is not None
        one, two = _two(texts_at(row, cells.responses), str(cells.responses))
        word = str(at(row, cells.winner))
        if word not in part.winners:
            raise CellError(f"{cells.winner}: got {word!r}; expected one of {', '.join(part.winners)}")
        meaning = part.winners[word]
        if meaning != "leave_out":
            yield Judgment(id, image, question, (one, two), verdict=meaning, reasons=reasons, labels=labels)
    else:
        assert cells.better is not None
        assert cells.worse is not None
        pair = (text_at(row, cells.better), text_at(row, cells.worse))
        yield Judgment(id, image, question, pair, verdict="first", reasons=reasons, labels=labels)


def _two(texts: list[str], path: str) -> tuple[str, str]:
    if len(texts) != 2:
        raise CellError(f"{path}: got {len(texts)} responses; expected two")
    return texts[0], texts[1]


def _of_100(score: float, part: Part) -> float:
    low, high = part.scale
    if not low <= score <= high:
        raise CellError(f"score: got {score:g}; expected one between {low:g} and {high:g}, the scale of the part")
    return 100 * (score - low) / (high - low)


def _pairs(
    known: list[tuple[str, float]], part: Part, rng: random.Random
) -> Iterator[tuple[str, tuple[str, str], Verdict]]:
    """Give pairs of responses whose scores differ by more than the gap, and those with the same score."""
    found: list[tuple[str, tuple[str, str], Verdict]] = []
    for (i, (one, high)), (j, (two, low)) in itertools.combinations(enumerate(known), 2):
        if one.strip() == two.strip():
            continue
        difference = high - low
        if abs(difference) > part.gap + 1e-9 and part.ties != "only":
            found.append((f"{i}-{j}", (one, two), "first" if difference > 0 else "second"))
        elif difference == 0 and part.ties:
            found.append((f"{i}-{j}", (one, two), "tie"))
    if part.pairs is not None and len(found) > part.pairs:
        found = rng.sample(found, part.pairs)
    yield from found
