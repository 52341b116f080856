"""Power: the formula by hand, and against simulated tests."""

import numpy as np
import pytest

from vlrb_tasks.core.comparison import mcnemar
from vlrb_tasks.core.power import items_needed, majority_accuracy, needs


def test_by_hand():
    # ((1.959964 * sqrt(.25) + .841621 * sqrt(.25 - .0025)) / .05)^2 = ((.979982 + .418702) / .05)^2 = 782.5
    assert items_needed(0.05, 0.25) == 783
    assert items_needed(0, 0.25) is None
    assert majority_accuracy(np.array([0.8]), 1).tolist() == [0.8]
    # 10 * .8^3 * .2^2 + 5 * .8^4 * .2 + .8^5
    assert majority_accuracy(np.array([0.8]), 5)[0] == pytest.approx(0.94208)


def test_without_spread_the_accuracies_are_those_of_one_item():
    (one, three) = needs(0.8, 0.1, 0, (1, 3))
    assert (one.first, one.second) == (pytest.approx(0.8), pytest.approx(0.9))
    assert one.discordant == pytest.approx(0.8 * 0.1 + 0.9 * 0.2)
    assert (three.first, three.second) == (pytest.approx(0.896), pytest.approx(0.972))
    assert three.judgments == 3 * three.items


@pytest.mark.parametrize("votes,spread", [(1, 0.0), (5, 0.4)])
def test_the_items_give_the_chance_that_was_asked_for(votes, spread):
    """400 simulated comparisons on as many items as are said to be needed: the difference is seen in about 80 %."""
    (need,) = needs(0.6, 0.1, spread, (votes,))
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(400):
        ease = rng.random(need.items)
        chances = []
        for mean in (0.6, 0.7):
            if spread:
                from scipy.stats import beta

                size = (1 - spread) / spread
                chances.append(beta.ppf(ease, mean * size, (1 - mean) * size))
            else:
                chances.append(np.full(need.items, mean))
        one, other = (rng.binomial(votes, chance) * 2 > votes for chance in chances)
        seen += mcnemar(int((one & ~other).sum()), int((other & ~one).sum())) < 0.05
    assert 0.72 <= seen / 400 <= 0.86


@pytest.mark.parametrize("numbers", [(0, 0.1, 0), (0.6, 0.5, 0), (0.6, 0, 0), (0.6, 0.1, 1), (0.6, 0.1, -0.1)])
def test_numbers_out_of_range_are_refused(numbers):
    with pytest.raises(ValueError, match="expected"):
        needs(*numbers, (1,))
