import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from vlrb_tasks.core.correlation import drop_missing, kendall_tau, pearson, spearman

scores = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=60)


@pytest.mark.parametrize(
    "measure,theirs", [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall_tau, stats.kendalltau)]
)
@given(pairs=scores)
def test_values_are_scipys_and_intervals_hold_them(measure, theirs, pairs):
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    found = measure(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(found.value)
        return
    assert found.value == pytest.approx(theirs(x, y).statistic, abs=1e-12)
    low, high = found.interval
    assert -1 <= low <= found.value + 1e-9
    assert found.value - 1e-9 <= high <= 1


def test_pearson_by_hand():
    # x - mean: -1.5 -.5 .5 1.5; y - mean: -1 -1 0 2: r = (1.5 + .5 + 0 + 3) / sqrt(5 * 6) = 5 / sqrt(30)
    assert pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 2, 4])).value == pytest.approx(5 / math.sqrt(30))


def test_tau_b_by_hand():
    # pairs: 5 concordant, 0 discordant, one tied in y: 5 / sqrt(6 * 5)
    assert kendall_tau(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 2, 4])).value == pytest.approx(5 / math.sqrt(30))


@pytest.mark.parametrize("measure", [pearson, spearman, kendall_tau])
def test_degenerate(measure):
    constant = measure(np.array([6.0, 6, 6]), np.array([1.0, 2, 3]))
    assert math.isnan(constant.value)
    assert constant.n == 3
    assert math.isnan(measure(np.array([1.0]), np.array([1.0])).value)
    perfect = measure(np.arange(9.0), np.arange(9.0))
    assert perfect.value == pytest.approx(1)


def test_missing_scores_are_dropped_and_counted():
    x, y, dropped = drop_missing([1, 2, None, 4, 5], [1, -1, 3, math.nan, 6], missing=(-1,))
    assert (list(x), list(y), dropped) == ([1, 5], [1, 6], 3)


def test_fishers_interval_for_normal_scores():
    # for normal scores the influence of an item has the mean square (1 - r^2)^2, so the width is 1.96 / sqrt(n - 3) on z
    rng = np.random.default_rng(0)
    x = rng.normal(size=20000)
    y = 0.6 * x + 0.8 * rng.normal(size=20000)
    low, high = pearson(x, y).interval
    assert math.atanh(high) - math.atanh(low) == pytest.approx(2 * 1.96 / math.sqrt(19997), rel=0.03)
