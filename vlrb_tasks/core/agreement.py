"""Agreement: of a judge's votes on one item with each other, and with themselves in the other order."""

from __future__ import annotations

from collections import defaultdict

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
