"""Scores: which number in a judgment is the score.

A score is told (a) by a word for it ("Score: 72.5/100", "I would rate this 9 out of 10"), the last one
standing; (b) by the first line, where that is a number and no more, or begins with one; (c) by "9/10" or "9
out of 10" anywhere. Numbers in the reasons ("3 people") are none. "N out of M" is rescaled where M is not the
top of the prompt's scale. What lies outside the scale is no score.
"""

from __future__ import annotations

import re

from ..verdicts import Verdict
from .folding import Folded

_NUMBER = r"(?P<number>[-−]?\d+(?:\.\d+)?)"
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_OUT_OF = r"(?:\s*(?:/|out of|of a possible|von)\s*(?P<top>\d+(?:\.\d+)?))?"
_NOT_MORE = r"(?![\d])(?!\.\d)(?!\s*(?:-|–|to)\s*\d)(?!,\d{3})"
_TELLS = (
    r"(?:\b(?:overall|final|total|my)\s+)?\b(?:score|rating|rate|grade|mark|points?|judge?ment|verdict|evaluation|assessment|quality)\b"
    r"|\b(?:i\s+(?:would\s+)?)?(?:give|giving|assign|award|rate|rated|grade|score|scored)\b|\b(?:deserves?|merits?|earns?|receives?|gets?)\b"
    r"|评分|得分|分数|打分|给分"
)
_TOLD = re.compile(
    rf"(?P<tells>{_TELLS})(?P<between>[^\n.;!?\d-]{{0,40}}?)[:=\s\[(\"'「]*(?:{_NUMBER}|(?P<word>\b(?:{'|'.join(_WORDS)})\b)){_OUT_OF}{_NOT_MORE}",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"[\s\[({{\"'#>]*{_NUMBER}{_OUT_OF}{_NOT_MORE}\s*(?:[\])}}\"'%.,;:(]|-|–|\n|$|分)", re.IGNORECASE
)
_BARE_OUT_OF = re.compile(rf"(?<![\d.]){_NUMBER}\s*(?:/|out of)\s*(?P<top>\d+(?:\.\d+)?){_NOT_MORE}", re.IGNORECASE)
# The scale itself, spoken of: no score.
_SCALE = re.compile(
    r"\(\s*\d+\s*(?:-|–|to)\s*\d+\s*\)|\[\s*\d+\s*(?:-|–|to)\s*\d+\s*\]|\bscale\s+(?:of|from)\s+\d+\s*(?:to|-|–)\s*\d+|\bscale\s+of\s+\d+"
    r"|\b(?:from|between)\s+\d+\s+(?:to|and)\s+\d+|^\s*out of \d+,",
    re.IGNORECASE | re.MULTILINE,
)
_ASPECT = re.compile(
    r"\b(?:accuracy|completeness|clarity|relevance|helpfulness|detail|correctness|faithfulness|fluency|conciseness|coherence|creativity|grammar|style)\b[^\n.;]*$",
    re.IGNORECASE,
)


def parse_score(folded: Folded, scale: tuple[float, float]) -> Verdict | None:
    """Return the score of a judgment, ``None`` where it tells none on the scale.

    Args:
        folded: the judgment.
        scale: the lowest and the highest score that the prompt allows.
    """
    plain = folded.masked([match.span() for match in _SCALE.finditer(folded.text)])
    told = [match for match in _TOLD.finditer(plain.text) if not _about_an_aspect(plain.text, match)]
    leading = _LEADING.match(plain.text)
    for found, rule in ((told[-1] if told else None, "a score that is told"), (leading, "the first line")):
        if found is not None:
            return _scored(plain, found, scale, rule)
    parts = list(_BARE_OUT_OF.finditer(plain.text))
    return _scored(plain, parts[-1], scale, "so much out of so much") if parts else None


def number_alone(text: str, scale: tuple[float, float]) -> float | None:
    """Return the score that a text is and nothing else: what stands in a tag, a box or brackets."""
    match = re.fullmatch(rf"\s*(?:(?:score|rating)\s*[:=]?\s*)?{_NUMBER}{_OUT_OF}\s*[%.分]?\s*", text, re.IGNORECASE)
    return None if match is None else _value(match, scale)


def _about_an_aspect(text: str, match: re.Match[str]) -> bool:
    """Tell whether the number is the score of one aspect: "Accuracy score: 90"."""
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return _ASPECT.search(line) is not None


def _scored(plain: Folded, match: re.Match[str], scale: tuple[float, float], rule: str) -> Verdict | None:
    value = _value(match, scale)
    if value is None:
        return Verdict("unparsed", None, "a number outside the scale")
    start = match.start("number") if match.group("number") is not None else match.start("word")
    end = (
        match.end("top")
        if match.group("top") is not None
        else match.end("number")
        if match.group("number")
        else match.end("word")
    )
    return Verdict("score", plain.original_span(start, end), rule, score=value)


def _value(match: re.Match[str], scale: tuple[float, float]) -> float | None:
    """Return the number on the prompt's scale; ``None`` outside it."""
    groups = match.groupdict()
    if groups.get("word") is not None:
        value = float(_WORDS.index(groups["word"].lower()))
    else:
        value = float(groups["number"].replace("−", "-"))
    low, high = scale
    if groups.get("top") is not None and float(groups["top"]) != high:
        top = float(groups["top"])
        if top <= 0 or value > top:
            return None
        value = value / top * high
    return value if low <= value <= high else None
