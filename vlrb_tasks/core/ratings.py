"""Ratings of models from battles: Bradley-Terry with ties (Davidson, JASA 65, 1970), and online Elo.

Both on the Elo scale: 400 points are odds of ten to one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .intervals import Interval

Winner = Literal["a", "b", "tie"]
Battle = tuple[str, str, Winner]
"""Two models, and which of them won."""

_POINTS = 400 / math.log(10)
_SEED = 20241010


class RatingError(ValueError):
    """These battles give no finite ratings on one scale; the message says why, naming the models."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of models.

    Attributes:
        ratings: in Elo points, best first; their mean is 1000, or the anchor's rating is.
        intervals: 95 % bootstrap intervals over battles, where asked for.
        ties: Davidson's nu: 0 without ties; two equal models tie with odds nu to 2.
        skipped: bootstrap samples that gave no finite ratings and were left out.
    """

    ratings: Mapping[str, float]
    intervals: Mapping[str, Interval]
    ties: float
    skipped: int = 0

    def chance(self, a: str, b: str) -> float:
        """Return the chance that ``a`` wins against ``b``, ties left out."""
        return 1 / (1 + 10 ** ((self.ratings[b] - self.ratings[a]) / 400))


def bradley_terry(battles: Sequence[Battle], resamples: int = 0, anchor: str | None = None) -> Ratings:
    """Fit the Bradley-Terry model with Davidson's ties by maximum likelihood.

    Args:
        battles: any order; a model may meet another any number of times. A battle of a model with itself, as
            some files hold, says nothing and is left out.
        resamples: bootstrap samples for intervals; none for 0.
        anchor: the model whose rating is 1000; the mean is, if left out.

    Raises:
        RatingError: no battles; models that never met, even by way of others; or a model, or several, that
            always won or always lost against all others, whose rating would be infinite.

    >>> fitted = bradley_terry([("x", "y", "a")] * 3 + [("x", "y", "b")])
    >>> round(fitted.ratings["x"] - fitted.ratings["y"])  # odds of 3 to 1: 400 * log10(3)
    191
    """
    names = sorted({name for a, b, _ in battles for name in (a, b)})
    if anchor is not None and anchor not in names:
        raise RatingError(f"anchor: {anchor} fought no battle; there are {', '.join(names)}")
    counts = _counts(battles, names)
    _check(counts, names)
    theta, nu = _fit(counts)
    intervals: dict[str, Interval] = {}
    skipped = 0
    if resamples:
        samples, skipped = _resample(counts, resamples)
        centred = _centred(samples, names, anchor)
        low, high = np.quantile(centred, [0.025, 0.975], axis=0)
        intervals = {name: (float(low[i]), float(high[i])) for i, name in enumerate(names)}
    points = _centred(theta[None, :], names, anchor)[0]
    order = sorted(range(len(names)), key=lambda i: (-points[i], names[i]))
    return Ratings({names[i]: float(points[i]) for i in order}, intervals, nu, skipped)


def elo(battles: Sequence[Battle], k: float = 4, start: float = 1000) -> dict[str, float]:
    """Return online Elo ratings, for comparison with published tables; they depend on the order of the battles."""
    ratings: dict[str, float] = {}
    for a, b, winner in battles:
        x, y = ratings.setdefault(a, start), ratings.setdefault(b, start)
        expected = 1 / (1 + 10 ** ((y - x) / 400))
        gained = k * ({"a": 1.0, "b": 0.0, "tie": 0.5}[winner] - expected)
        ratings[a], ratings[b] = x + gained, y - gained
    return ratings


# -- maximum likelihood --------------------------------------------------------------------------------

_Counts = np.ndarray
"""Shape (pairs, 5): the two models' numbers, then wins of the first, wins of the second, ties."""


def _counts(battles: Sequence[Battle], names: Sequence[str]) -> _Counts:
    place = {name: i for i, name in enumerate(names)}
    table: Counter[tuple[int, int, int]] = Counter()
    for a, b, winner in battles:
        i, j, column = place[a], place[b], {"a": 0, "b": 1, "tie": 2}[winner]
        if i == j:
            continue
        if i > j:
            i, j, column = j, i, {0: 1, 1: 0, 2: 2}[column]
        table[i, j, column] += 1
    pairs = sorted({(i, j) for i, j, _ in table})
    return np.array([[i, j, *(table[i, j, column] for column in range(3))] for i, j in pairs], dtype=float).reshape(
        -1, 5
    )


def _check(counts: _Counts, names: Sequence[str]) -> None:
    """Raise where no finite ratings exist: the graph of who did not lose to whom must be strongly connected."""
    if not len(counts):
        raise RatingError("no battles")
    groups = _groups(counts, len(names), "weak")
    if max(groups) > 0:
        told = [
            ", ".join(name for name, g in zip(names, groups, strict=True) if g == group)
            for group in range(max(groups) + 1)
        ]
        raise RatingError(f"{len(told)} groups of models never met, so there is no common scale: {'; '.join(told)}")
    groups = _groups(counts, len(names), "strong")
    if max(groups) > 0:
        for group in range(max(groups) + 1):
            inside = np.array([g == group for g in groups])
            i, j = counts[:, 0].astype(int), counts[:, 1].astype(int)
            scored = counts[(inside[i]) & (~inside[j]), 2].sum() + counts[(~inside[i]) & (inside[j]), 3].sum()
            tied = counts[inside[i] != inside[j], 4].sum()
            lost = counts[(inside[i]) & (~inside[j]), 3].sum() + counts[(~inside[i]) & (inside[j]), 2].sum()
            if tied == 0 and (scored == 0 or lost == 0):
                members = ", ".join(name for name, g in zip(names, groups, strict=True) if g == group)
                record = "lost" if scored == 0 else "won"
                raise RatingError(
                    f"{members}: {record} every battle against the others, so the rating would be infinite"
                )
        raise RatingError("some models never lost to some others, so their ratings would be infinite")


def _groups(counts: _Counts, n: int, connection: str) -> list[int]:
    first, second = counts[:, 0].astype(int), counts[:, 1].astype(int)
    beats = counts[:, 2] + counts[:, 4] > 0
    beaten = counts[:, 3] + counts[:, 4] > 0
    rows, columns = np.concatenate([first[beats], second[beaten]]), np.concatenate([second[beats], first[beaten]])
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    return [int(g) for g in connected_components(graph, directed=True, connection=connection)[1]]


def _fit(counts: _Counts) -> tuple[np.ndarray, float]:
    """Return log strengths, shape (models,), and nu, by Newton's method on a concave likelihood.

    The three outcomes of a battle are a multinomial logit: theta_i, theta_j, and eta + (theta_i + theta_j) / 2.
    """
    first, second = counts[:, 0].astype(int), counts[:, 1].astype(int)
    n = int(max(first.max(), second.max())) + 1
    with_ties = counts[:, 4].sum() > 0
    # One row of features a pair and outcome; the last column is eta.
    features = np.zeros((len(counts), 3, n + 1))
    rows = np.arange(len(counts))
    features[rows, 0, first] = 1
    features[rows, 1, second] = 1
    features[rows, 2, first] = features[rows, 2, second] = 0.5
    features[:, 2, n] = 1
    observed, total = counts[:, 2:], counts[:, 2:].sum(axis=1)
    parameters = np.zeros(n + 1)
    outcomes = slice(0, 3) if with_ties else slice(0, 2)
    free = np.arange(1, n + 1 if with_ties else n)  # the first strength is held at 0
    for _ in range(100):
        utility = features[:, outcomes] @ parameters
        chance = np.exp(utility - utility.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        gradient = np.einsum("po,pof->f", observed[:, outcomes] - total[:, None] * chance, features[:, outcomes])
        mean = np.einsum("po,pof->pf", chance, features[:, outcomes])
        second_moment = np.einsum("p,po,pof,pog->fg", total, chance, features[:, outcomes], features[:, outcomes])
        hessian = second_moment - np.einsum("p,pf,pg->fg", total, mean, mean)
        step = np.linalg.solve(hessian[np.ix_(free, free)] + 1e-12 * np.eye(len(free)), gradient[free])
        parameters[free] += step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-10:
            break
    return parameters[:n], float(np.exp(parameters[n])) if with_ties else 0.0


def _resample(counts: _Counts, resamples: int) -> tuple[np.ndarray, int]:
    """Return log strengths of bootstrap samples of the battles, and how many samples gave none."""
    generator = np.random.default_rng(_SEED)
    flat = counts[:, 2:].ravel()
    drawn = generator.multinomial(int(flat.sum()), flat / flat.sum(), size=resamples)
    n = int(counts[:, :2].max()) + 1
    fitted = []
    for sample in drawn:
        table = np.column_stack([counts[:, :2], sample.reshape(-1, 3)])
        table = table[table[:, 2:].sum(axis=1) > 0]
        if max(_groups(table, n, "strong")) == 0:
            fitted.append(_fit(table)[0])
    if not fitted:
        raise RatingError("too few battles for intervals: no bootstrap sample gives finite ratings")
    return np.array(fitted), resamples - len(fitted)


def _centred(theta: np.ndarray, names: Sequence[str], anchor: str | None) -> np.ndarray:
    zero = theta[:, [names.index(anchor)]] if anchor is not None else theta.mean(axis=1, keepdims=True)
    points: np.ndarray = 1000 + _POINTS * (theta - zero)
    return points
