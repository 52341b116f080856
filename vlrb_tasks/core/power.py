"""Power: how many items and votes it takes to see that two judges differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_POINTS = 2000


@dataclass(frozen=True)
class Need:
    """What it takes with K votes an item.

    Attributes:
        votes: K.
        first: accuracy of the one judge's decisions, in [0, 1]; ``second`` of the other's.
        discordant: the share of items on which one of them alone is right.
        items: how many items McNemar's test needs; ``None`` where the decisions do not differ.
    """

    votes: int
    first: float
    second: float
    discordant: float
    items: int | None

    @property
    def judgments(self) -> int | None:
        """Votes in all, for each judge."""
        return None if self.items is None else self.items * self.votes


def items_needed(difference: float, discordant: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many items McNemar's test needs to see a difference of two accuracies.

    The normal approximation of Connor (1987): ``((z_a sqrt(d) + z_b sqrt(d - D^2)) / D)^2``, with the discordant share
    ``d`` and the difference ``D``.

    Args:
        difference: of the two accuracies, in (0, 1).
        discordant: share of items on which one judge alone is right, at least ``difference``.
        alpha: two-sided level of the test.
        power: the chance to see the difference.

    >>> items_needed(0.05, 0.25)  # ((1.95996 * .5 + .84162 * sqrt(.2475)) / .05)^2 = 782.9
    783
    """
    if difference <= 0:
        return None
    from scipy.stats import norm

    level, chance = norm.isf(alpha / 2), norm.isf(1 - power)
    root = level * math.sqrt(discordant) + chance * math.sqrt(max(0.0, discordant - difference**2))
    needed: float = (root / difference) ** 2
    return math.ceil(needed)


def majority_accuracy(chances: np.ndarray, votes: int) -> np.ndarray:
    """Return the chance that more than half of ``votes`` are right, for each chance of a single one.

    >>> majority_accuracy(np.array([0.8]), 3).round(3).tolist()  # .8^3 + 3 * .8^2 * .2
    [0.896]
    """
    wanted = range(votes // 2 + 1, votes + 1)
    found: np.ndarray = sum(math.comb(votes, k) * chances**k * (1 - chances) ** (votes - k) for k in wanted)
    return found


def needs(
    accuracy: float, difference: float, spread: float, votes: tuple[int, ...], alpha: float = 0.05, power: float = 0.8
) -> list[Need]:
    """Return what it takes to see that one judge's votes are right more often than another's, for several K.

    Items differ in how hard they are: an item's votes are right with a chance that is beta-distributed around the
    judge's, and an item that is hard for one judge is as hard for the other.

    Args:
        accuracy: how often a single vote of the one judge is right, in (0, 1).
        difference: how much more often one of the other is.
        spread: in [0, 1): 0, all items are as hard; towards 1, an item's votes are all right or all wrong.
        votes: the numbers of votes to look at, odd ones.
        alpha: two-sided level of McNemar's test.
        power: the chance to see the difference.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0 < accuracy < 1 and difference > 0 and accuracy + difference < 1):
        raise ValueError(
            f"accuracy and difference: got {accuracy} and {difference}; expected both and their sum between 0 and 1"
        )
    if not 0 <= spread < 1:
        raise ValueError(f"spread: got {spread}; expected a number from 0 up to, not including, 1")
    first, second = (_chances(mean, spread) for mean in (accuracy, accuracy + difference))
    found = []
    for k in votes:
        one, other = majority_accuracy(first, k), majority_accuracy(second, k)
        discordant = float(np.mean(one * (1 - other) + other * (1 - one)))
        better = float(np.mean(other) - np.mean(one))
        found.append(
            Need(
                k,
                float(np.mean(one)),
                float(np.mean(other)),
                discordant,
                items_needed(better, discordant, alpha, power),
            )
        )
    return found


def _chances(mean: float, spread: float) -> np.ndarray:
    """Return equally likely chances of a beta distribution with this mean."""
    if spread == 0:
        return np.full(1, mean)
    from scipy.stats import beta

    size = (1 - spread) / spread
    chances: np.ndarray = beta.ppf((np.arange(_POINTS) + 0.5) / _POINTS, mean * size, (1 - mean) * size)
    return chances
