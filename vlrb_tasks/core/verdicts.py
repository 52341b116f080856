"""Verdicts: what one text of a judge says about the slots of its prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal["first", "second", "tie", "score", "ranking", "unparsed", "failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Verdict:
    """What a text says: a slot, a tie, a score, a ranking, nothing (``unparsed``), or no judgment (``failed``).

    Attributes:
        outcome: ``first`` and ``second`` are slots of the prompt, not responses of the item.
        span: the characters of the text that gave the outcome, ``text[start:end]``; ``None`` where
            nothing did.
        rule: the rule that found it, in a few words, for people who ask why.
        score: the score, on the prompt's scale, where the outcome is ``score``.
        ranking: the slots, best first, each once, where the outcome is ``ranking``.
        shares: the probability of the first and of the second slot, each in [0, 1], of a judge that is asked for
            likelihoods; what is left of 1 is a tie's.
    """

    outcome: Outcome
    span: tuple[int, int] | None = None
    rule: str = ""
    score: float | None = None
    ranking: tuple[int, ...] | None = None
    shares: tuple[float, float] | None = None

    @property
    def slot(self) -> int | None:
        """The slot that the verdict names, 0 or 1, or ``None``."""
        return {"first": 0, "second": 1}.get(self.outcome)


SLOT_OUTCOMES: tuple[Outcome, Outcome] = ("first", "second")

_FAILED = re.compile(
    r"\s*(?:\[LMMS_EVAL_REQUEST_FAILED\b[^\]]*\]|\[LMMS_EVAL_BUDGET_EXCEEDED\]\s*\Z|\$ERROR\$\s*\Z)",
)


NOT_DRAWN = "[VLRB_NOT_DRAWN]"
"""What stands for the text of a vote that was planned and not asked for: it is no vote, and nothing failed."""


def is_failure(text: str | None) -> bool:
    """Tell whether a text stands for a request that failed, so that there is no judgment to read.

    lmms-eval's API adapters return such texts as if they were the model's; ``$ERROR$`` stands in the
    published judgments of WildVision-Bench. ``None`` is a failure too. An empty text is none: the
    judge answered, with nothing.
    """
    return text is None or _FAILED.match(text) is not None
