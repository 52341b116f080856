"""Comparison: how much two runs on the same items differ, item by item.

Two judges that see the same items err on many of the same ones. A paired difference takes that into account, and
is much surer than the difference of two scores with intervals of their own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from .intervals import RESAMPLES, Interval, bootstrap_macro_mean, bootstrap_mean
from .scoring import Metric, Value
from .voting import Ballot, Family

_SEED = 20241126


@dataclass(frozen=True)
class Difference:
    """A metric of two runs, on the items that count in both.

    Attributes:
        metric: its name.
        first: its value in the first run; ``second`` in the second.
        n: the items that count in both.
        difference: ``second - first``.
        interval: 95 %, by bootstrap over items.
        only_first: items right in the first run alone; ``None`` where the metric is not right or wrong.
        only_second: items right in the second run alone.
        p: McNemar's exact two-sided p; ``None`` where the metric is not right or wrong.
    """

    metric: str
    first: float
    second: float
    n: int
    difference: float
    interval: Interval
    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None


def mcnemar(only_first: int, only_second: int) -> float:
    """Return McNemar's exact two-sided p: how surprising it is that the disagreements fall so unevenly.

    Args:
        only_first: items on which the first run alone is right.
        only_second: items on which the second run alone is right.

    >>> mcnemar(0, 5)  # 2 * (1/2) ** 5
    0.0625
    >>> mcnemar(0, 0)
    1.0
    """
    n = only_first + only_second
    return float(binomtest(only_first, n).pvalue) if n else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number by Holm's method, in the same order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


COMPARED: dict[Family, tuple[str, ...]] = {
    "pairwise": ("overall_accuracy_strict", "macro_accuracy_strict"),
    "pairwise_ties": ("accuracy_with_tie", "accuracy_without_tie"),
    "pointwise": ("pearson", "mean_absolute_error"),
    "ranking": ("levenshtein_distance", "best_accuracy", "exact_accuracy"),
}
"""The metrics that two runs are compared by, the first being the one to look at first."""


def compare(metric: Metric, first: Sequence[Ballot], second: Sequence[Ballot]) -> Difference:
    """Return how a metric differs between two runs.

    Args:
        metric: a mean over items, a macro average of one, or Pearson's r by source.
        first: the ballots of one run.
        second: those of the other, on the same items in the same order.

    Raises:
        ValueError: the items are not the same.
    """
    if [ballot.key for ballot in first] != [ballot.key for ballot in second]:
        raise ValueError("two runs are compared on the same items, in the same order")
    pairs = [(metric.of_ballot(a), metric.of_ballot(b)) for a, b in zip(first, second, strict=True)]
    if pairs and isinstance(pairs[0][0], list) and len(pairs[0][0]) == 3:
        return _correlations(metric.name, pairs)
    if pairs and isinstance(pairs[0][0], list):
        return _macro(metric.name, pairs)
    counted = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    return _means(metric.name, counted)


def _means(name: str, pairs: list[tuple[float, float]]) -> Difference:
    if not pairs:
        return Difference(name, math.nan, math.nan, 0, math.nan, (math.nan, math.nan))
    n = len(pairs)
    first, second = (math.fsum(side) / n for side in zip(*pairs, strict=True))
    interval = bootstrap_mean([b - a for a, b in pairs])
    if not all(value in (0, 1) for pair in pairs for value in pair):
        return Difference(name, first, second, n, second - first, interval)
    only_first, only_second = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    p = mcnemar(only_first, only_second)
    return Difference(name, first, second, n, second - first, interval, only_first, only_second, p)


def _macro(name: str, pairs: list[tuple[Value, Value]]) -> Difference:
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (group, a), (_, b) in pairs:
        if a is not None and b is not None:
            groups[group].append((float(a), float(b)))
    if not groups:
        return _means(name, [])
    means = [
        tuple(math.fsum(side) / len(items) for side in zip(*items, strict=True)) for _, items in sorted(groups.items())
    ]
    first, second = (math.fsum(side) / len(means) for side in zip(*means, strict=True))
    interval = bootstrap_macro_mean({group: [b - a for a, b in items] for group, items in groups.items()})
    return Difference(name, first, second, sum(map(len, groups.values())), second - first, interval)


def _correlations(name: str, pairs: list[tuple[Value, Value]]) -> Difference:
    """Compare the mean over sources of Pearson's r, of ``[source, people, judge]`` values."""
    groups: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for (group, people, a), (_, _, b) in pairs:
        if people is not None and a is not None and b is not None:
            groups[group].append((people, a, b))
    arrays = [np.array(sorted(rows), dtype=float) for _, rows in sorted(groups.items()) if len(rows) > 2]
    n = sum(map(len, arrays))
    generator = np.random.default_rng(_SEED)
    first, second = _mean_pearsons(arrays)
    drawn = [
        _mean_pearsons([rows[generator.integers(0, len(rows), len(rows))] for rows in arrays]) for _ in range(RESAMPLES)
    ]
    differences = [b - a for a, b in drawn if not math.isnan(b - a)]
    low, high = np.quantile(differences, [0.025, 0.975]) if differences else (math.nan, math.nan)
    return Difference(name, first, second, n, second - first, (float(low), float(high)))


def _mean_pearsons(arrays: list[np.ndarray]) -> tuple[float, float]:
    """Return the mean over sources of r for each of two judges; sources where one is constant are left out of both."""
    found = []
    for rows in arrays:
        centred = rows - rows.mean(axis=0)
        spread = np.sqrt((centred**2).sum(axis=0))
        if (spread > 0).all():
            found.append(centred[:, 0] @ centred[:, 1:] / (spread[0] * spread[1:]))
    if not found:
        return math.nan, math.nan
    mean = np.mean(found, axis=0)
    return float(mean[0]), float(mean[1])
