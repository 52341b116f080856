"""Rankings: which order of the slots a judgment gives.

An order is the slots' letters or numbers, best first, each once: "CABD", "C > A > B > D", "[[B, A, D, C]]",
"C, A, B, D", or a numbered list. The last one that the text gives stands; one that holds a slot twice, or not
all of them, is no order.
"""

from __future__ import annotations

import re

from ..verdicts import Verdict
from .folding import Folded

_NOUN = r"(?:(?:answers?|responses?|assistants?|options?|candidates?|models?|captions?)\s*)"
_BETWEEN = (
    r"\s*(?:>{1,3}|,|;|→|->|⟩|≻|\bthen\b|\bfollowed by\b|,?\s*\band\b)\s*(?:then\s+|and\s+|finally\s+|lastly\s+)?"
)


def parse_ranking(folded: Folded, labels: tuple[str, ...]) -> Verdict | None:
    """Return the ranking of a judgment, ``None`` where it gives none.

    Args:
        folded: the judgment.
        labels: the names of the slots, such as ``A``, ``B``, ``C`` and ``D``.
    """
    found: list[tuple[int, int, list[str]]] = []
    text = folded.text
    one = rf"(?:the\s+)?{_NOUN}?[\[(\"']?(?-i:{'|'.join(map(re.escape, labels))})[\])\"']?(?![A-Za-z0-9])"
    name = re.compile(rf"(?-i:{'|'.join(map(re.escape, labels))})(?![A-Za-z0-9])")
    # Compared or listed in a line: at least two, so that a faulty order is seen as one.
    for match in re.finditer(rf"(?<![A-Za-z0-9])(?:{one})(?:{_BETWEEN}{one})+", text, re.IGNORECASE):
        found.append((*match.span(), name.findall(match.group())))
    if all(len(label) == 1 for label in labels):
        joined = "".join(map(re.escape, labels))
        for match in re.finditer(rf"(?<![A-Za-z0-9])[{joined}]{{{len(labels)}}}(?![A-Za-z0-9])", text):
            found.append((*match.span(), list(match.group())))
        for match in re.finditer(
            rf"(?<![A-Za-z0-9])(?:[{joined}] ){{{len(labels) - 1}}}[{joined}](?![A-Za-z0-9])", text
        ):
            found.append((*match.span(), match.group().split(" ")))
    found += _numbered(text, one, name, len(labels))
    whole = [entry for entry in sorted(found) if len(entry[2]) >= len(labels)]
    if not whole:
        return None
    start, end, order = whole[-1]
    if sorted(order) != sorted(labels):
        return Verdict("unparsed", None, "an order with a slot twice or missing")
    ranking = tuple(labels.index(label) for label in order)
    return Verdict("ranking", folded.original_span(start, end), "an order of the slots", ranking=ranking)


def _numbered(text: str, one: str, name: re.Pattern[str], count: int) -> list[tuple[int, int, list[str]]]:
    """Return the orders that stand as a list: "1. C", "2. A", … from 1 to the number of slots."""
    lines = list(
        re.finditer(
            rf"^[ \t]*(?:(?P<rank>\d)(?:st|nd|rd|th)?[.):]?|rank (?P<rank2>\d):?)[ \t]*(?P<slot>{one})",
            text,
            re.IGNORECASE | re.MULTILINE,
        ),
    )
    orders = []
    for i in range(len(lines) - count + 1):
        run = lines[i : i + count]
        if [int(line["rank"] or line["rank2"]) for line in run] == list(range(1, count + 1)):
            orders.append((run[0].start("slot"), run[-1].end(), [name.findall(line["slot"])[-1] for line in run]))
    return orders
