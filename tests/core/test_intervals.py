import math

import numpy as np
import pytest

from vlrb_tasks.core.intervals import bootstrap_macro_mean, bootstrap_mean


def test_interval_of_a_proportion_is_that_of_the_normal_approximation():
    # p = 0.6, n = 1000: 1.96 * sqrt(0.24 / 1000) = 0.0304
    low, high = bootstrap_mean([1] * 600 + [0] * 400)
    assert low == pytest.approx(0.6 - 0.0304, abs=0.003)
    assert high == pytest.approx(0.6 + 0.0304, abs=0.003)


def test_interval_depends_on_the_values_alone():
    values = [0.2, 1, 0, 1, 1, 0.5, 0]
    assert bootstrap_mean(values) == bootstrap_mean(values[::-1])


def test_constant_and_empty():
    assert bootstrap_mean([1, 1, 1]) == (1, 1)
    assert all(map(math.isnan, bootstrap_mean([])))
    assert all(map(math.isnan, bootstrap_macro_mean({"a": []})))


def test_macro_resamples_within_groups():
    # A small group weighs as much as a large one: half its standard error, 0.5 * sqrt(0.25 / 16) = 0.0625
    groups = {"small": [0, 1] * 8, "large": [1] * 5000}
    low, high = bootstrap_macro_mean(groups)
    assert (high - low) / 2 == pytest.approx(1.96 * 0.0625, rel=0.15)


def test_coverage_over_repeated_samples():
    rng = np.random.default_rng(1)
    hits = sum(
        low <= 0.7 <= high
        for low, high in (bootstrap_mean((rng.random(200) < 0.7).astype(float), resamples=500) for _ in range(200))
    )
    assert hits / 200 > 0.9
