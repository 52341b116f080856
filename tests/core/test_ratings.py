import math

import numpy as np
import pytest

from vlrb_tasks.core.ratings import RatingError, bradley_terry, elo


def test_two_models_have_the_odds_of_their_wins():
    # 30 to 10: odds 3, so 400 * log10(3) = 190.85 points
    fitted = bradley_terry([("x", "y", "a")] * 30 + [("x", "y", "b")] * 10)
    assert fitted.ratings["x"] - fitted.ratings["y"] == pytest.approx(400 * math.log10(3), abs=1e-6)
    assert sum(fitted.ratings.values()) / 2 == pytest.approx(1000)
    assert fitted.chance("x", "y") == pytest.approx(0.75)


def test_ties_between_equals():
    # Davidson: two equals tie with chance nu / (2 + nu); 20 of 40 tied gives nu = 2
    fitted = bradley_terry([("x", "y", "a")] * 10 + [("x", "y", "b")] * 10 + [("x", "y", "tie")] * 20)
    assert fitted.ties == pytest.approx(2)
    assert fitted.ratings["x"] == pytest.approx(1000)


def test_ties_by_hand():
    # 6 wins, 3 losses, 6 ties. The likelihood is highest where the chances equal the shares .4, .2, .4:
    # p_x / p_y = 2, so 400 * log10(2) points; nu = .4 / sqrt(.4 * .2)
    fitted = bradley_terry([("x", "y", "a")] * 6 + [("x", "y", "b")] * 3 + [("x", "y", "tie")] * 6)
    assert fitted.ratings["x"] - fitted.ratings["y"] == pytest.approx(400 * math.log10(2), abs=1e-6)
    assert fitted.ties == pytest.approx(0.4 / math.sqrt(0.08))


def simulated(n=4000, seed=0):
    strength = {"a": 1200, "b": 1100, "c": 1000, "d": 900, "e": 800}
    rng = np.random.default_rng(seed)
    battles = []
    for _ in range(n):
        x, y = rng.choice(list(strength), 2, replace=False)
        px, py = 10 ** (strength[x] / 400), 10 ** (strength[y] / 400)
        tie = 0.5 * math.sqrt(px * py)
        battles.append((str(x), str(y), ("a", "b", "tie")[rng.choice(3, p=np.array([px, py, tie]) / (px + py + tie))]))
    return strength, battles


def test_known_strengths_are_found_again():
    strength, battles = simulated()
    fitted = bradley_terry(battles, resamples=200)
    assert list(fitted.ratings) == ["a", "b", "c", "d", "e"]
    assert fitted.ties == pytest.approx(0.5, abs=0.1)
    for name, rating in fitted.ratings.items():
        assert rating == pytest.approx(strength[name], abs=25)
        low, high = fitted.intervals[name]
        assert low < rating < high
        assert high - low < 60


def test_the_order_of_battles_and_sides_does_not_matter():
    _, battles = simulated(500)
    flipped = [(b, a, {"a": "b", "b": "a", "tie": "tie"}[w]) for a, b, w in reversed(battles)]
    one, two = bradley_terry(battles).ratings, bradley_terry(flipped).ratings
    assert one == pytest.approx(two)


def test_an_anchor_has_1000_points_and_no_width():
    _, battles = simulated(500)
    fitted = bradley_terry(battles, resamples=50, anchor="c")
    assert fitted.ratings["c"] == 1000
    assert fitted.intervals["c"] == (1000, 1000)


@pytest.mark.parametrize(
    "battles,message",
    [
        ([], "no battles"),
        ([("x", "x", "tie")], "no battles"),
        (
            [("x", "y", "a"), ("x", "y", "b"), ("u", "v", "a"), ("u", "v", "b")],
            "2 groups of models never met.*: u, v; x, y|2 groups of models never met.*: x, y; u, v",
        ),
        ([("x", "y", "a")] * 3, "(x: won|y: lost) every battle against the others"),
        (
            [("x", "y", "a"), ("y", "x", "a"), ("z", "x", "a"), ("z", "y", "a")],
            "z: won every battle|x, y: lost every battle",
        ),
    ],
)
def test_what_gives_no_finite_ratings_is_told(battles, message):
    with pytest.raises(RatingError, match=message):
        bradley_terry(battles)


def test_a_tie_is_enough_for_a_finite_rating():
    assert math.isfinite(bradley_terry([("x", "y", "a")] * 3 + [("x", "y", "tie")]).ratings["x"])


def test_an_unknown_anchor():
    with pytest.raises(RatingError, match="anchor: q fought no battle"):
        bradley_terry([("x", "y", "tie")], anchor="q")


def test_elo_by_hand():
    # equal ratings: expected .5, so the winner gains k / 2; then it is expected to win 1 / (1 + 10^(-4/400))
    assert elo([("x", "y", "a")], k=4) == {"x": 1002, "y": 998}
    assert elo([("x", "y", "a")] * 2, k=4)["x"] == pytest.approx(1002 + 4 * (1 - 1 / (1 + 10 ** (-4 / 400))))
    assert elo([("x", "y", "tie")]) == {"x": 1000, "y": 1000}
