import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.families import family_metrics
from vlrb_tasks.core.records import ballot_from_record, ballot_record
from vlrb_tasks.core.scoring import score_ballots
from vlrb_tasks.core.voting import Ballot, Origin, Vote

OUTCOME = {"F": "first", "S": "second", "T": "tie", "U": "unparsed", "X": "failed"}


def compared(letters, preferred, models=(), key="k", group="all"):
    """A ballot of a comparison; ``preferred`` is 0, 1, or None for a tie."""
    choice = {"F": 0, "S": 1}
    votes = tuple(Vote(i, (0, 1), x, OUTCOME[x], None, choice.get(x), "none") for i, x in enumerate(letters))
    return Ballot(
        key, "id", group, preferred, (5, 9), (), votes, Origin("b", "p@1", "r", "pairwise_ties"), models=models
    )


def scored(people, judged, group="all", models=(), average="mean"):
    """A ballot of scores; ``None`` is an unparsed vote."""
    votes = tuple(
        Vote(i, (0,), "", "unparsed" if s is None else "score", None, None, "none", s) for i, s in enumerate(judged)
    )
    origin = Origin("b", "p@1", "r", "pointwise", average)
    return Ballot("k", "id", group, None, (5,), (), votes, origin, score=people, models=models)


def ranked(people, judged):
    votes = tuple(
        Vote(i, (0, 1, 2, 3), "", "unparsed" if r is None else "ranking", None, None, "none", None, r)
        for i, r in enumerate(judged)
    )
    return Ballot("k", "id", "all", None, (1, 2, 3, 4), (), votes, Origin("b", "p@1", "r", "ranking"), ranking=people)


def scores(ballots, groups=("all",)):
    return score_ballots(ballots, family_metrics(ballots[0].origin.family, groups, max(len(b.votes) for b in ballots)))


def test_accuracy_with_and_without_ties():
    ballots = [
        compared("F", 0), compared("S", 0), compared("T", None), compared("F", None), compared("T", 1), compared("U", 1), compared("U", None),
    ]  # fmt: skip
    found = scores(ballots)
    # with ties: items 1 and 3 of 7; without: of the four that people decided, item 1
    assert found["accuracy_with_tie"].value == pytest.approx(2 / 7)
    assert (found["accuracy_without_tie"].value, found["accuracy_without_tie"].n) == (1 / 4, 4)
    assert found["coverage_strict"].value == pytest.approx(5 / 7)


def test_ties_are_votes():
    assert compared("TTF", None).decision_or_tie == -1
    assert compared("TTFFU", None).decision_or_tie is None
    assert compared("FFT", 0).decision_or_tie == 0


def test_item_tau_drops_and_counts_undecided_items():
    found = scores([compared("F", 0), compared("S", 1), compared("T", None), compared("U", 0)])["item_kendall_tau_b"]
    assert (found.value, found.n) == (pytest.approx(1), 3)


def battles(flip):
    """x beats y beats z, two of three times each, by people; by the judge the same, or the other way round."""
    ballots = []
    for a, b in (("x", "y"), ("y", "z"), ("x", "z")):
        for preferred in (0, 0, 1):
            judged = 1 - preferred if flip else preferred
            ballots.append(compared("FS"[judged], preferred, models=(a, b)))
    return ballots


def test_model_level_tau():
    assert scores(battles(flip=False))["kendall_tau"].value == pytest.approx(1)
    assert scores(battles(flip=True))["kendall_tau"].value == pytest.approx(-1)
    assert scores(battles(flip=False))["kendall_tau"].n == 3
    # a judge that always sees the same model win has no finite ratings: said by NaN, not by infinity
    perfect = [compared("F", p, models=("x", "y")) for p in (0, 0, 1)]
    assert math.isnan(scores(perfect)["kendall_tau"].value)
    assert math.isnan(scores([compared("F", 0)])["kendall_tau"].value)


def test_scores_of_a_judge():
    ballots = [scored(1, [10]), scored(2, [30]), scored(3, [20]), scored(4, [None])]
    found = scores(ballots)
    # 1 2 3 against 10 30 20: r = .5, one discordant pair of three
    assert found["pearson_pooled"].value == pytest.approx(0.5)
    assert found["item_kendall_tau_b"].value == pytest.approx(1 / 3)
    assert found["pearson_pooled"].n == 3
    assert found["coverage_strict"].value == 0.75
    assert found["mean_absolute_error"].value == pytest.approx((9 + 28 + 17) / 3)


def test_a_judge_that_always_says_six_stands_out():
    found = scores([scored(i, [6]) for i in range(10)])
    assert found["most_frequent_score_share"].value == 1
    assert math.isnan(found["pearson"].value)


def test_pearson_is_the_mean_over_sources_of_like_with_like():
    ballots = [
        scored(p, [j], group=g)
        for g, p, j in [("a", 1, 1), ("a", 2, 2), ("a", 3, 3), ("b", 1, 3), ("b", 2, 2), ("b", 3, 1)]
    ]
    found = scores(ballots, ("a", "b"))
    assert (found["pearson_a"].value, found["pearson_b"].value) == (pytest.approx(1), pytest.approx(-1))
    assert found["pearson"].value == pytest.approx(0)


def test_several_draws_of_a_score():
    assert scored(1, [10, 20, 60]).judged_score == 30
    assert scored(1, [10, 20, 60], average="median").judged_score == 20
    assert scored(1, [10, None, 20]).judged_score == 15
    assert scored(1, [None]).judged_score is None


def test_models_by_their_mean_scores():
    ballots = [
        scored(p, [j], models=(m,))
        for m, p, j in [("x", 5, 50), ("x", 4, 40), ("y", 3, 45), ("y", 2, 30), ("z", 1, 10)]
    ]
    assert scores(ballots)["kendall_tau"].value == pytest.approx(1)
    assert scores(ballots)["kendall_tau"].n == 3


def test_rankings():
    ballots = [ranked((2, 0, 1, 3), [(2, 0, 1, 3)]), ranked((2, 0, 1, 3), [(0, 2, 1, 3)]), ranked((0, 1, 2, 3), [None])]
    found = scores(ballots)
    # distances: 0, 2 of 4, and 1 without an order
    assert found["levenshtein_distance"].value == pytest.approx((0 + 0.5 + 1) / 3)
    # taus: 1, and 5 of 6 pairs agreeing: 4 / 6; the third has none
    assert found["ranking_kendall_tau"].value == pytest.approx((1 + 4 / 6) / 2)
    assert found["best_accuracy"].value == pytest.approx(1 / 3)
    assert found["exact_accuracy"].value == pytest.approx(1 / 3)
    assert found["coverage_strict"].value == pytest.approx(2 / 3)


some_ballots = st.one_of(
    st.lists(st.builds(compared, st.text("FSTUX", min_size=3, max_size=3), st.sampled_from([0, 1, None]), st.sampled_from([("x", "y"), ("y", "z"), ()])), min_size=1, max_size=8),
    st.lists(st.builds(scored, st.integers(0, 5), st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=3), st.sampled_from("ab"), st.sampled_from([("x",), ("y",)])), min_size=1, max_size=8),
    st.lists(st.builds(ranked, st.permutations(range(4)).map(tuple), st.lists(st.one_of(st.none(), st.permutations(range(4)).map(tuple)), min_size=1, max_size=3)), min_size=1, max_size=8),
)  # fmt: skip


@given(some_ballots, st.randoms())
def test_scores_do_not_depend_on_the_order_of_the_items(ballots, rng):
    shuffled = list(ballots)
    rng.shuffle(shuffled)
    one, two = scores(ballots, ("a", "b")), scores(shuffled, ("a", "b"))
    for name in one:
        assert repr(one[name]) == repr(two[name]), name


@given(some_ballots)
def test_records_hold_everything(ballots):
    for ballot in ballots:
        assert ballot_from_record(ballot_record(ballot)) == replace(ballot)
