"""The benchmark's own way to read a judgment of VL-RewardBench, kept apart from our grammar."""

from __future__ import annotations

import re

from ..verdicts import SLOT_OUTCOMES, Verdict, is_failure

_OPENING = re.compile(r"overall judgment|therefore", re.IGNORECASE)
_CHOICE = re.compile(r"answer\s*(?P<number>\d+)\s*is\s*(?:the\s*)?(?:slightly\s*)?better", re.IGNORECASE)


def official_choice(text: str) -> tuple[int, tuple[int, int]] | None:
    """Return the number N of the last "Answer N is better" behind an opening, and its span.

    The rule of the benchmark's scorer (VL-RewardBench, arXiv 2411.17451): without line breaks and
    asterisks, and ignoring case, what follows "Overall Judgment" or "Therefore" is searched. N is not
    checked against the slots that exist; the scorer takes any N but the rejected slot for a vote for
    the preferred response.
    """
    kept = [i for i, character in enumerate(text) if character not in "\n*"]
    plain = "".join(text[i] for i in kept)
    opening = _OPENING.search(plain)
    if opening is None:
        return None
    choices = list(_CHOICE.finditer(plain, opening.end()))
    if not choices:
        return None
    found = choices[-1]
    return int(found.group("number")), (kept[found.start()], kept[found.end() - 1] + 1)


def parse_official(text: str | None) -> Verdict:
    """Read a text by the benchmark's own rule, as a verdict: a number that names no slot is unparsed here."""
    if text is None or is_failure(text):
        return Verdict("failed", None, "the request failed")
    choice = official_choice(text)
    if choice is None or choice[0] not in (1, 2):
        return Verdict("unparsed", None, "the benchmark's own rule")
    return Verdict(SLOT_OUTCOMES[choice[0] - 1], choice[1], "the benchmark's own rule")
