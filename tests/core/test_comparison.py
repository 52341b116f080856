"""Paired comparison: golden numbers, and what the intervals are worth on simulated judges."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from vlrb_tasks.core.comparison import COMPARED, compare, holm, mcnemar
from vlrb_tasks.core.families import family_metrics
from vlrb_tasks.core.voting import Ballot, Origin, Vote

METRICS = {m.name: m for m in family_metrics("pairwise", ["x", "y"], 1)}


def ballots(right, groups=None):
    votes = [Vote(0, (0, 1), "", "first", None, 0 if r else 1, "none") for r in right]
    groups = groups or ["x", "y"] * len(right)
    return [
        Ballot(str(i), str(i), groups[i], 0, (1, 1), (), (vote,), Origin("b", "p@1", "r"))
        for i, vote in enumerate(votes)
    ]


def test_mcnemar():
    assert mcnemar(2, 8) == pytest.approx(binomtest(2, 10).pvalue)
    assert mcnemar(2, 8) == pytest.approx(2 * sum(math.comb(10, k) for k in range(3)) / 2**10)  # 112 / 1024
    assert mcnemar(8, 2) == mcnemar(2, 8)
    assert mcnemar(3, 3) == 1


def test_holm_never_falls_below_the_p_value_and_keeps_their_order():
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    # sorted .01, .02, .6: 3 x .01, 2 x .02, 1 x .6
    assert holm([0.6, 0.01, 0.02]) == pytest.approx([0.6, 0.03, 0.04])
    assert holm([0.5, 0.5]) == [1, 1]


def test_a_difference_by_hand():
    first, second = ballots([1, 1, 0, 0, 1, 0]), ballots([1, 0, 1, 1, 1, 1])
    found = compare(METRICS["overall_accuracy_strict"], first, second)
    assert (found.first, found.second, found.n) == (0.5, pytest.approx(5 / 6), 6)
    assert found.difference == pytest.approx(2 / 6)
    assert (found.only_first, found.only_second) == (1, 3)
    assert found.p == pytest.approx(2 * (1 + 4) / 16)
    assert found.interval[0] <= found.difference <= found.interval[1]
    macro = compare(METRICS["macro_accuracy_strict"], first, second)
    # x: items 0, 2, 4: 2/3 -> 1; y: items 1, 3, 5: 1/3 -> 2/3
    assert (macro.first, macro.second) == (pytest.approx(1 / 2), pytest.approx(5 / 6))
    assert macro.p is None


def test_the_same_run_twice_does_not_differ():
    run = ballots([1, 0, 1])
    for name in COMPARED["pairwise"]:
        found = compare(METRICS[name], run, run)
        assert (found.difference, found.interval) == (0, (0, 0))


def test_other_items_are_refused():
    with pytest.raises(ValueError, match="the same items"):
        compare(METRICS["overall_accuracy_strict"], ballots([1, 0]), ballots([1]))


def test_scores_by_source():
    metric = {m.name: m for m in family_metrics("pointwise", ["x", "y"], 1)}["pearson"]
    rng = np.random.default_rng(1)
    people = rng.normal(size=60)
    noise = {"good": 0.3, "bad": 3.0}
    runs = {}
    for name, size in noise.items():
        judged = people + size * rng.normal(size=60)
        runs[name] = [
            Ballot(str(i), str(i), "xy"[i % 2], None, (1,), (), (Vote(0, (0,), "", "score", None, None, "none", float(judged[i])),), Origin("b", "p@1", "r", "pointwise"), float(people[i]))
            for i in range(60)
        ]  # fmt: skip
    found = compare(metric, runs["bad"], runs["good"])
    expected = [
        np.mean([np.corrcoef(people[s::2], [b.judged_score for b in runs[n]][s::2])[0, 1] for s in (0, 1)])
        for n in ("bad", "good")
    ]
    assert (found.first, found.second) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    assert found.interval[0] > 0


def test_the_interval_covers_the_truth():
    """Two judges right with .7 and .75, erring on many of the same items: 400 simulations of 150 items."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        hard = rng.random(150)
        a, b = (hard < 0.7), np.where(rng.random(150) < 0.8, hard < 0.75, rng.random(150) < 0.75)
        low, high = compare(METRICS["overall_accuracy_strict"], ballots(a), ballots(b)).interval
        covered += low <= 0.05 <= high
    assert 0.92 <= covered / 400 <= 0.98
