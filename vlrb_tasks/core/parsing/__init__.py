r"""Reading a judge's text: from the text to a verdict about the slots.

``parse_verdict`` tries the kinds of a prompt's parser in their order; the first kind that finds a verdict
decides, and within a kind the last explicit verdict stands:

- ``tag``: what stands in ``<answer>…</answer>``;
- ``boxed``: what stands in ``\boxed{…}``;
- ``brackets``: ``[[A]]``, ``[[A>B]]``, ``[[A=B]]``, and the tie label of the prompt;
- ``prose``: sentences and lone labels (see ``prose`` and ``claims``);
- ``score``: a number on the prompt's scale (see ``scores``);
- ``order``: an order of the slots (see ``rankings``);
- ``vlrewardbench_official``: the benchmark's own rule (see ``official``);
- ``loglikelihood``: how likely each answer was (see ``likelihoods``).

Thinking blocks are left out first. A block that was never closed leaves nothing: the judge was cut off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from ..verdicts import Outcome, Verdict, is_failure
from .folding import Folded, fold, thinking_spans
from .lexicon import Lexicon, Naming, lexicon, naming
from .likelihoods import likelihood_text, parse_likelihoods, parse_loss
from .official import official_choice, parse_official
from .prose import parse_prose
from .rankings import parse_ranking
from .scores import number_alone, parse_score

__all__ = [
    "PARSER_KINDS",
    "ParserKind",
    "likelihood_text",
    "official_choice",
    "parse_loss",
    "parse_official",
    "parse_verdict",
]

ParserKind = Literal["tag", "boxed", "brackets", "prose", "score", "order", "vlrewardbench_official", "loglikelihood"]
PARSER_KINDS: tuple[ParserKind, ...] = get_args(ParserKind)

_TAG = re.compile(
    r"<(?P<name>answer|verdict|judge?ment|choice|final_answer)>(?P<inside>.*?)(?:</(?P=name)>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{(?P<inside>(?:[^{}]|\{[^{}]*\})*)\}")
_BRACKETS = re.compile(r"\[\[(?P<inside>[^\[\]]*)\]\]")
_COMPARED = re.compile(
    r"\s*(?:answer|response|assistant|option)?\s*(?P<left>[AB12])\s*(?P<sign>>+|<+|=+)\s*(?:answer|response|assistant|option)?\s*(?P<right>[AB12])\s*",
    re.IGNORECASE,
)
_CODES: dict[str, Outcome] = {"1": "first", "2": "second", "e": "tie"}


def parse_verdict(
    text: str | None,
    kinds: Sequence[ParserKind] = ("tag", "boxed", "brackets", "prose"),
    labels: tuple[str, ...] = ("Answer 1", "Answer 2"),
    tie: str | None = None,
    scale: tuple[float, float] | None = None,
) -> Verdict:
    """Return the verdict of a judge's text.

    Args:
        text: what the judge answered; ``None`` for a request that gave nothing.
        kinds: the kinds of the prompt's parser, tried in this order.
        labels: how the prompt calls its slots: two to compare, more to rank, none to score.
        tie: how it calls a tie, if it allows one. "They are equally good" is a tie either way.
        scale: the lowest and the highest score, for prompts that ask for one.

    Returns:
        ``failed`` where there is no judgment, ``unparsed`` where there is one and it names no slot.
        The span is in characters of ``text``.

    >>> parse_verdict("Overall Judgment: Answer 2 is better.").outcome
    'second'
    >>> parse_verdict("Overall Judgment: Answer 1 is not better than Answer 2.").outcome
    'unparsed'
    """
    if text is None or is_failure(text):
        return Verdict("failed", None, "the request failed")
    plain: Folded | None = None
    for kind in kinds:
        if kind == "vlrewardbench_official":
            official = parse_official(text)
            verdict = None if official.outcome == "unparsed" else official
        elif kind == "loglikelihood":
            verdict = parse_likelihoods(text)
        else:
            if plain is None:
                plain = fold(_without_thinking(text))
                form = _Form(labels, tie, scale, naming(plain.text))
            verdict = form.read(plain, kind)
        if verdict is not None:
            return verdict
    return Verdict("unparsed", None, "no verdict found")


def _without_thinking(text: str) -> str:
    """Blank out the thinking blocks, so that offsets stay as they are."""
    for start, end in thinking_spans(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


@dataclass(frozen=True)
class _Form:
    """What the prompt asks for: one of two slots, an order of several, or a score."""

    labels: tuple[str, ...]
    tie: str | None
    scale: tuple[float, float] | None
    names: Naming

    @cached_property
    def words(self) -> Lexicon:
        return lexicon((self.labels[0], self.labels[1]), self.tie, self.names)

    def read(self, plain: Folded, kind: ParserKind) -> Verdict | None:
        """Read a folded text by one kind."""
        if kind == "score":
            return None if self.scale is None else parse_score(plain, self.scale)
        if kind == "order":
            return parse_ranking(plain, self.labels)
        if kind == "prose":
            return parse_prose(plain, self.words)
        pattern = {"tag": _TAG, "boxed": _BOXED, "brackets": _BRACKETS}[kind]
        for match in reversed(list(pattern.finditer(plain.text))):
            inside = self.inside(plain.part(*match.span("inside")))
            if inside is not None:
                rule = f"{kind}: {match.group('inside').strip()[:40]}"
                return replace(inside, span=plain.original_span(*match.span()), rule=rule)
        return None

    def inside(self, text: Folded) -> Verdict | None:
        """Read what stands inside a tag, a box or brackets; ``None`` where it is no verdict."""
        if self.scale is not None:
            score = number_alone(text.text, self.scale)
            return None if score is None else Verdict("score", score=score)
        if len(self.labels) > 2:
            order = parse_ranking(text, self.labels)
            return order if order is not None and order.outcome == "ranking" else None
        code = self.words.slot(text.text)
        if code is not None:
            return Verdict(_CODES[code])
        compared = _COMPARED.fullmatch(text.text)
        if compared is not None:
            left, right = (1 if side.upper() in "A1" else 2 for side in compared.group("left", "right"))
            sign = compared.group("sign")[0]
            winner = "e" if sign == "=" else str(left if sign == ">" else right)
            return None if left == right else Verdict(_CODES[winner])
        inner: tuple[ParserKind, ...] = ("boxed", "brackets", "prose")
        for kind in inner:
            verdict = self.read(text, kind)
            if verdict is not None:
                return verdict if verdict.outcome in _CODES.values() else None
        return None
