"""Stopping: which further votes of an item can still change what its ballot decides.

The exact rule never changes a decision: a vote is left out only when no further vote can matter. It is also the
cheapest such rule, since votes are asked in the smallest number after which anything could be decided. The
confident rule goes further, at a stated risk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Stop = Literal["exact", "confidence"]
Choice = Hashable | None
"""What one vote is for, under one rule of counting; ``None`` for none."""


@dataclass(frozen=True)
class Plan:
    """How many votes an item was to have, and what may keep it from having them.

    Attributes:
        planned: K, the votes that the task asks for.
        certain: how many of them are asked whatever they say: the first ones.
        stop: the rule that leaves votes out; ``None`` where only a budget does.
    """

    planned: int
    certain: int
    stop: Stop | None = None


def further_votes(rules: Sequence[Sequence[Choice]], planned: int, error: float | None = None) -> int:
    """Return how many further votes to ask for before looking again; 0 where the ballot is decided.

    Args:
        rules: the votes so far under each rule of counting that is reported, one choice a vote.
        planned: K, the number of votes in all. A choice wins with more than K / 2 of them.
        error: for the confident rule, the chance that the decision differs from that of all K votes which is
            accepted, in (0, 0.5); ``None`` for the exact rule.

    >>> further_votes([[]], 5)  # three votes for one response can decide
    3
    >>> further_votes([["a", "a", "b"]], 5)
    1
    >>> further_votes([["a", "a", "a"]], 5)
    0
    """
    return max(_further(choices, planned, error) for choices in rules)


def _further(choices: Sequence[Choice], planned: int, error: float | None) -> int:
    left = planned - len(choices)
    needed = planned // 2 + 1
    counts = Counter(choice for choice in choices if choice is not None)
    lead = max(counts.values(), default=0)
    if lead >= needed or lead + left < needed:
        return 0
    # decided by votes for the leader, or by as many votes for nobody as leave every choice too few to win
    exact = min(needed - lead, lead + left - needed + 1)
    if error is None:
        return exact
    if lead and chance_to_win(lead, len(choices), planned) >= 1 - error:
        return 0
    return next(
        (more for more in range(1, exact) if chance_to_win(lead + more, len(choices) + more, planned) >= 1 - error),
        exact,
    )


@cache
def chance_to_win(lead: int, drawn: int, planned: int) -> float:
    """Return the chance that the leading choice has more than half of all planned votes in the end.

    Each further vote is for it with an unknown chance, uniform before the first vote; the votes to come are then
    beta-binomial (a Polya urn).

    >>> round(chance_to_win(2, 2, 5), 4)  # at least one of three more: 1 - (1/4) (2/5) (3/6)
    0.95
    """
    wanted = planned // 2 + 1 - lead
    if wanted <= 0:
        return 1.0
    left, others = planned - drawn, drawn - lead
    ways = sum(math.comb(lead + x, x) * math.comb(others + left - x, left - x) for x in range(wanted, left + 1))
    return ways / math.comb(planned + 1, left)
