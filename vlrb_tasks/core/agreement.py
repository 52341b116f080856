"""Agreement: of a judge's votes on one item, with themselves in the other order, and of two judges."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence

from .voting import Ballot, Vote


def vote_agreement(ballot: Ballot) -> float | None:
    """Return the share of pairs of parsed votes that agree, ties being votes; ``None`` for fewer than two."""
    votes = [vote.choice for vote in ballot.fair_votes if vote.outcome in ("first", "second", "tie")]
    pairs = len(votes) * (len(votes) - 1) // 2
    if not pairs:
        return None
    same = sum(c * (c - 1) // 2 for c in (votes.count(choice) for choice in set(votes)))
    return same / pairs


def flips(ballot: Ballot) -> list[int]:
    """Return ``[draws whose vote changed with the order, draws parsed in both orders]``."""
    by_draw: dict[int, list[Vote]] = defaultdict(list)
    for vote in ballot.fair_votes:
        if vote.outcome in ("first", "second", "tie"):
            by_draw[vote.draw].append(vote)
    pairs = [votes for votes in by_draw.values() if len({vote.order for vote in votes}) == 2]
    return [sum(len({vote.choice for vote in votes}) > 1 for votes in pairs), len(pairs)]


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of what two judges decide: agreement beyond that of chance (Cohen, 1960).

    Args:
        first: a decision an item, of any kind; undecided is one of them.
        second: those of the other judge, on the same items.

    Returns:
        1 for the same decisions, 0 for agreement by chance, NaN for no items or where both always decide the same.

    Raises:
        ValueError: the numbers of decisions differ.

    >>> cohen_kappa("aabb", "abbb")  # observed 3/4, by chance 1/2*1/4 + 1/2*3/4 = 1/2
    0.5
    """
    if len(first) != len(second):
        raise ValueError(f"decisions: got {len(first)} and {len(second)}; expected as many of both judges")
    n = len(first)
    if not n:
        return math.nan
    ours, theirs = Counter(first), Counter(second)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    expected = sum(ours[value] * theirs[value] for value in ours) / n**2
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)
