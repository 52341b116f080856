"""Intervals: how sure a score is, given the items that it was measured on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Interval = tuple[float, float]
UNKNOWN: Interval = (math.nan, math.nan)


def interval_fields(name: str, interval: Interval) -> dict[str, float]:
    """Return the two ends of a metric's 95 % interval under the names that results files and tables give them.

    Two numbers and not a list: tools that average results, such as lmms-eval's groups, take numbers only.
    """
    return {f"{name}_ci95_low": interval[0], f"{name}_ci95_high": interval[1]}


RESAMPLES = 2000
_SEED = 20241126


def bootstrap_mean(values: Sequence[float], resamples: int = RESAMPLES, level: float = 0.95) -> Interval:
    """Return the percentile bootstrap interval of a mean, resampling items.

    The values are sorted first and the generator's seed is fixed, so the interval depends on the values
    alone, not on their order.

    Args:
        values: one value an item, any length.
        resamples: how many samples are drawn.
        level: coverage, in (0, 1).

    Returns:
        ``(low, high)``; NaN for no values. A constant gives an interval of no width.
    """
    return bootstrap_macro_mean({"": values}, resamples, level)


def bootstrap_macro_mean(
    groups: Mapping[str, Sequence[float]], resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Return the percentile bootstrap interval of the mean of group means, resampling items within groups.

    Groups without values are left out, as they are from the macro average.
    """
    filled = [np.sort(np.asarray(groups[name], dtype=float)) for name in sorted(groups) if len(groups[name])]
    if not filled:
        return UNKNOWN
    generator = np.random.default_rng(_SEED)
    means = [_resampled_means(values, resamples, generator) for values in filled]
    low, high = np.quantile(np.mean(means, axis=0), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _resampled_means(values: np.ndarray, resamples: int, generator: np.random.Generator) -> np.ndarray:
    """Return the means of ``resamples`` samples with replacement, each of the size of ``values``."""
    distinct, counts = np.unique(values, return_counts=True)
    drawn = generator.multinomial(len(values), counts / len(values), size=resamples)
    means: np.ndarray = (drawn @ distinct) / len(values)
    return means
