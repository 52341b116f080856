"""Consensus of several rankings of one item: Kemeny's order for up to six responses, Borda's above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

Ranking = tuple[int, ...]
"""Response indices, best first."""

KEMENY_LIMIT = 6


def consensus(rankings: Sequence[Ranking]) -> Ranking | None:
    """Return the order that agrees best with these rankings; ``None`` for none.

    Kemeny: the order with the fewest pairs that a ranking has the other way round (720 orders at most).
    Borda: by mean place. Among orders that agree equally well, the one with the better mean places from the
    top stands, then the one that comes first by index.

    >>> consensus([(0, 1, 2), (0, 1, 2), (2, 1, 0)])
    (0, 1, 2)
    """
    if not rankings:
        return None
    n = len(rankings[0])
    places = [sum(ranking.index(i) for ranking in rankings) for i in range(n)]
    borda = tuple(sorted(range(n), key=lambda i: (places[i], i)))
    if n > KEMENY_LIMIT:
        return borda
    wins = {(a, b): sum(r.index(a) < r.index(b) for r in rankings) for a in range(n) for b in range(n) if a != b}

    def against(order: Ranking) -> int:
        return sum(wins[b, a] for a, b in combinations(order, 2))

    return min(permutations(range(n)), key=lambda order: (against(order), [places[i] for i in order], order))


def levenshtein(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the fewest insertions, deletions and substitutions that turn one sequence into the other.

    >>> levenshtein((2, 0, 1, 3), (0, 2, 1, 3))
    2
    """
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]
