r"""Reading a judge's text: from the text to a verdict about the slots.

``parse_verdict`` tries the kinds of a prompt's parser in their order; the first kind that finds a verdict
decides, and within a kind the last explicit verdict stands:

- ``tag``: what stands in ``<answer>…</answer>``;
- ``boxed``: what stands in ``\boxed{…}``;
- ``brackets``: ``[[A]]``, ``[[A>B]]``, ``[[A=B]]``, and the tie label of the prompt;
- ``prose``: sentences and lone labels (see ``prose`` and ``claims``);
- ``vlrewardbench_official``: the benchmark's own rule (see ``official``).

Thinking blocks are left out first. A block that was never closed leaves nothing: the judge was cut off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from ..verdicts import Outcome, Verdict, is_failure
from .folding import Folded, fold, thinking_spans
from .lexicon import Lexicon, lexicon, naming
from .official import official_choice, parse_official
from .prose import parse_prose

__all__ = ["PARSER_KINDS", "ParserKind", "official_choice", "parse_official", "parse_verdict"]

ParserKind = Literal["tag", "boxed", "brackets", "prose", "vlrewardbench_official"]
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
    labels: tuple[str, str] = ("Answer 1", "Answer 2"),
    tie: str | None = None,
) -> Verdict:
    """Return the verdict of a judge's text.

    Args:
        text: what the judge answered; ``None`` for a request that gave nothing.
        kinds: the kinds of the prompt's parser, tried in this order.
        labels: how the prompt calls its two slots.
        tie: how it calls a tie, if it allows one. "They are equally good" is a tie either way.

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
            verdict: Verdict | None = parse_official(text)
            assert verdict is not None
            if verdict.outcome == "unparsed":
                verdict = None
        else:
            if plain is None:
                plain = fold(_without_thinking(text))
                words = lexicon(labels, tie, naming(plain.text))
            verdict = _parse_plain(plain, kind, words)
        if verdict is not None:
            return verdict
    return Verdict("unparsed", None, "no verdict found")


def _without_thinking(text: str) -> str:
    """Blank out the thinking blocks, so that offsets stay as they are."""
    for start, end in thinking_spans(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _parse_plain(plain: Folded, kind: ParserKind, words: Lexicon) -> Verdict | None:
    if kind == "prose":
        return parse_prose(plain, words)
    pattern = {"tag": _TAG, "boxed": _BOXED, "brackets": _BRACKETS}[kind]
    for match in reversed(list(pattern.finditer(plain.text))):
        start, end = match.span("inside")
        outcome = _formal(plain.part(start, end), words)
        if outcome is not None:
            return Verdict(outcome, plain.original_span(*match.span()), f"{kind}: {match.group('inside').strip()[:40]}")
    return None


def _formal(inside: Folded, words: Lexicon) -> Outcome | None:
    """Return the outcome of what stands inside a tag, a box or brackets."""
    code = words.slot(inside.text)
    if code is not None:
        return _CODES[code]
    compared = _COMPARED.fullmatch(inside.text)
    if compared is not None:
        left, right = (1 if side.upper() in "A1" else 2 for side in compared.group("left", "right"))
        if left == right:
            return None
        sign = compared.group("sign")[0]
        return "tie" if sign == "=" else _CODES[str(left if sign == ">" else right)]
    inner: tuple[ParserKind, ...] = ("boxed", "brackets", "prose")
    for kind in inner:
        verdict = _parse_plain(inside, kind, words)
        if verdict is not None:
            return verdict.outcome if verdict.outcome in _CODES.values() else None
    return None
