"""Correlation of a judge's scores with people's: Pearson, Spearman, Kendall's tau-b, each with an interval.

The values are scipy's. The intervals are made on Fisher's z scale, from the influence of each item on the
coefficient (Pearson, tau) or from Bonett and Wright's variance (Spearman; Psychometrika 65, 2000), so that
they hold for scores that are not normal, and with many ties.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from .intervals import UNKNOWN, Interval

_NORMAL = 1.959963984540054  # the 97.5 % point of the normal distribution
_ROWS = 512  # of the matrix of pairs that is held at once


@dataclass(frozen=True)
class Correlation:
    """A coefficient in [-1, 1], the number of items it was measured on, and its 95 % interval.

    NaN where it does not exist: fewer than two items, or all scores alike on one side.
    """

    value: float
    n: int
    interval: Interval


def drop_missing(
    reference: Sequence[float | None], prediction: Sequence[float | None], missing: Sequence[float] = ()
) -> tuple[np.ndarray, np.ndarray, int]:
    """Drop the items that lack a score on either side.

    Args:
        reference: people's scores, shape (n,); ``None`` and NaN are missing.
        prediction: the judge's scores, shape (n,), likewise.
        missing: numbers that stand for a missing score, such as -1.

    Returns:
        Both scores of the items that have both, and how many were dropped.
    """
    x = np.array([math.nan if value is None else value for value in reference], dtype=float)
    y = np.array([math.nan if value is None else value for value in prediction], dtype=float)
    kept = ~(np.isnan(x) | np.isnan(y) | np.isin(x, list(missing)) | np.isin(y, list(missing)))
    return x[kept], y[kept], int(len(x) - kept.sum())


def pearson(x: np.ndarray, y: np.ndarray) -> Correlation:
    """Return Pearson's r of two arrays of shape (n,)."""
    if not _varied(x, y):
        return Correlation(math.nan, len(x), UNKNOWN)
    r = float(stats.pearsonr(x, y).statistic)
    u, v = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    influence = u * v - r * (u**2 + v**2) / 2
    return Correlation(r, len(x), _fisher(r, len(x), float(np.mean(influence**2))))


def spearman(x: np.ndarray, y: np.ndarray) -> Correlation:
    """Return Spearman's rho of two arrays of shape (n,), ties by their mean rank."""
    if not _varied(x, y):
        return Correlation(math.nan, len(x), UNKNOWN)
    rho = float(stats.spearmanr(x, y).statistic)
    return Correlation(rho, len(x), _fisher(rho, len(x), (1 + rho**2 / 2) * (1 - rho**2) ** 2))


def kendall_tau(x: np.ndarray, y: np.ndarray) -> Correlation:
    """Return Kendall's tau-b of two arrays of shape (n,)."""
    if not _varied(x, y):
        return Correlation(math.nan, len(x), UNKNOWN)
    tau = float(stats.kendalltau(x, y).statistic)
    return Correlation(tau, len(x), _fisher(tau, len(x), _tau_variance(x, y, tau)))


def _varied(x: np.ndarray, y: np.ndarray) -> bool:
    return len(x) >= 2 and np.ptp(x) > 0 and np.ptp(y) > 0


def _fisher(value: float, n: int, variance: float) -> Interval:
    """Return the interval of a coefficient whose influences have this mean square."""
    if n <= 3:
        return UNKNOWN
    if abs(value) >= 1:
        return (value, value)
    z = math.atanh(value)
    half = _NORMAL * math.sqrt(variance / (n - 3)) / (1 - value**2)
    return math.tanh(z - half), math.tanh(z + half)


def _tau_variance(x: np.ndarray, y: np.ndarray, tau: float) -> float:
    """Return the mean square of the items' influences on tau-b, a ratio of three U-statistics."""
    cells, counts = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    weights = counts / (len(x) - 1)
    concordant, untied_x, untied_y = (np.empty(len(cells)) for _ in range(3))
    for start in range(0, len(cells), _ROWS):
        part = slice(start, start + _ROWS)
        sign_x = np.sign(cells[part, None, 0] - cells[None, :, 0])
        sign_y = np.sign(cells[part, None, 1] - cells[None, :, 1])
        concordant[part] = (sign_x * sign_y) @ weights
        untied_x[part] = (sign_x**2) @ weights
        untied_y[part] = (sign_y**2) @ weights
    a, b, c = (float(np.average(values, weights=counts)) for values in (concordant, untied_x, untied_y))
    influence = 2 * (concordant - a) / math.sqrt(b * c) - tau * ((untied_x - b) / b + (untied_y - c) / c)
    return float(np.average(influence**2, weights=counts))
