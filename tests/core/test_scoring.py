import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.scoring import Score, accuracy_at, pairwise_metrics, publishing_faults, score_ballots
from vlrb_tasks.core.voting import Ballot, Origin, Vote, majority, official_reading

ORIGIN = Origin("b", "p@1", "rule")
OUTCOME = {"F": "first", "S": "second", "T": "tie", "U": "unparsed", "X": "failed"}


def make(
    letters, preferred=0, group="general", key="k", orders=None, readings=None, tags=(), lengths=(10, 20), draws=None
):
    """A ballot from letters: F and S name slots, T a tie, U unparsed, X failed."""
    votes = []
    for i, letter in enumerate(letters):
        order = orders[i] if orders else (0, 1)
        choice = {"F": order[0], "S": order[1]}.get(letter)
        reading = (
            readings[i] if readings else ("none" if choice is None else "for" if choice == preferred else "against")
        )
        votes.append(Vote(draws[i] if draws else i, order, letter, OUTCOME[letter], None, choice, reading))
    return Ballot(key, "id", group, preferred, lengths, tags, tuple(votes), ORIGIN)


def scored(ballots, votes=5, groups=("general", "hallucination"), tags=()):
    return score_ballots(ballots, pairwise_metrics(groups, votes, tags))


def test_majority_needs_more_than_half_of_all_drawn_votes():
    assert majority([0, 0, 0, 1, 1]) == 0
    assert majority([0, 0, 1, None, None]) is None  # 2 of 5: unparsed votes count in the total
    assert majority([0, 0, 1, 1]) is None
    assert make("FFXXX").decision is None  # failed votes count in the total, too


def test_official_leaves_undecided_items_out_and_strict_counts_them_wrong():
    # decided right, decided wrong, undecided: official 1 of 2, strict 1 of 3
    scores = scored([make("FFF", key="a"), make("SSS", key="b"), make("FUU", key="c")], votes=3)
    assert scores["overall_accuracy"].value == 1 / 2
    assert scores["overall_accuracy"].n == 2
    assert scores["overall_accuracy_strict"].value == 1 / 3
    assert scores["overall_accuracy_strict"].n == 3
    assert scores["coverage"].value == 2 / 3


def test_official_numbers_come_from_the_readings_and_strict_ones_from_the_verdicts():
    # our parser says first (right); the benchmark's rule read a vote against
    scores = scored([make("F", readings=["against"])], votes=1)
    assert scores["overall_accuracy"].value == 0
    assert scores["overall_accuracy_strict"].value == 1


def test_official_reading_takes_any_number_but_the_rejected_slot_for_a_vote_for():
    assert official_reading(1, 0, (0, 1)) == "for"
    assert official_reading(2, 0, (0, 1)) == "against"
    assert official_reading(1, 0, (1, 0)) == "against"
    assert official_reading(3, 0, (0, 1)) == "for"
    assert official_reading(None, 0, (0, 1)) == "none"


def test_macro_is_the_mean_of_the_groups():
    # general 1 of 1, hallucination 1 of 3: macro (1 + 1/3) / 2, overall 2 of 4
    ballots = [make("F", key="a")] + [make(v, group="hallucination", key=v + str(i)) for i, v in enumerate("FSS")]
    scores = scored(ballots, votes=1)
    assert scores["macro_accuracy_strict"].value == pytest.approx((1 + 1 / 3) / 2)
    assert scores["overall_accuracy_strict"].value == 0.5
    assert scores["accuracy_hallucination_strict"].value == pytest.approx(1 / 3)


def test_nothing_to_count_is_nan_with_n_0_and_never_0():
    scores = scored([make("U")], votes=1)
    for name in ("overall_accuracy", "accuracy_hallucination", "first_slot_rate", "longer_response_rate", "flip_rate"):
        assert math.isnan(scores[name].value), name
        assert scores[name].n == 0
    assert scores["overall_accuracy_strict"].value == 0


def test_rates_are_over_votes():
    # 10 votes: 4 first, 2 second, 2 ties, 1 unparsed, 1 failed
    scores = scored([make("FFSTU", key="a"), make("FFSTX", key="b")])
    assert (scores["unparsed_rate"].value, scores["failed_rate"].value, scores["tie_rate"].value) == (0.1, 0.1, 0.2)
    assert scores["first_slot_rate"] == Score(4 / 6, 6)
    # responses of 10 and 20 characters in the order (0, 1): S is the longer one
    assert scores["longer_response_rate"] == Score(2 / 6, 6)


def test_responses_of_one_length_say_nothing_about_length():
    assert math.isnan(scored([make("FF", lengths=(5, 5))], votes=2)["longer_response_rate"].value)


def test_agreement_is_over_pairs_of_parsed_votes():
    # F F S T: pairs 6, of which one agrees (F F)
    assert scored([make("FFSTU")])["vote_agreement"].value == pytest.approx(1 / 6)
    assert scored([make("FUUUU")])["vote_agreement"].n == 0


def test_flip_rate_is_over_draws_asked_in_both_orders():
    both = [(0, 1), (1, 0)] * 2
    # draw 0: first slot both times, so the vote flips; draw 1: first, then second slot, so it stays
    scores = scored([make("FFFS", orders=both, draws=[0, 0, 1, 1])], votes=4)
    assert scores["flip_rate"] == Score(0.5, 2)
    # a draw that is unparsed in one order says nothing
    assert scored([make("FU", orders=both[:2], draws=[0, 0])], votes=2)["flip_rate"].n == 0


@pytest.mark.parametrize("correct,drawn", [(c, n) for n in range(1, 8) for c in range(n + 1)])
def test_accuracy_at_k_equals_the_count_over_all_subsets(correct, drawn):
    votes = [1] * correct + [0] * (drawn - correct)
    for k in range(1, drawn + 1):
        subsets = list(itertools.combinations(votes, k))
        assert accuracy_at(k, correct, drawn) == pytest.approx(sum(2 * sum(s) > k for s in subsets) / len(subsets))


def test_accuracy_at_all_votes_is_the_strict_accuracy():
    rng = random.Random(0)
    ballots = [make("".join(rng.choice("FSTU") for _ in range(5)), key=str(i)) for i in range(50)]
    scores = scored(ballots)
    assert scores["accuracy_at_5"].value == scores["overall_accuracy_strict"].value
    assert [name for name in scores if name.startswith("accuracy_at_")] == [
        "accuracy_at_1",
        "accuracy_at_3",
        "accuracy_at_5",
    ]


def test_accuracy_by_error_tag():
    scores = scored(
        [make("F", tags=("counting",), key="a"), make("S", tags=("counting", "ocr"), key="b")],
        votes=1,
        tags=("counting", "ocr"),
    )
    assert scores["accuracy_tag_counting"].value == 0.5
    assert scores["accuracy_tag_ocr"] == Score(0.0, 1, (0.0, 0.0))


def test_tags_and_groups_of_any_spelling_make_names_that_tables_can_hold():
    scores = scored([make("F", group="a, b|c", tags=("wrong count, twice",))], 1, ["a, b|c"], ["wrong count, twice"])
    assert scores["accuracy_a_b_c_strict"].value == scores["accuracy_tag_wrong_count_twice"].value == 1


ballots_of_any_kind = st.lists(
    st.builds(
        make,
        st.text("FSTUX", min_size=5, max_size=5),
        preferred=st.sampled_from([0, 1]),
        group=st.sampled_from(["general", "hallucination"]),
    ),
    min_size=1,
    max_size=12,
)


@given(ballots_of_any_kind, st.randoms())
def test_scores_do_not_depend_on_the_order_of_the_items(ballots, rng):
    shuffled = list(ballots)
    rng.shuffle(shuffled)
    assert repr(scored(ballots)) == repr(scored(shuffled))


@given(ballots_of_any_kind)
def test_groups_of_one_size_make_macro_and_overall_equal(ballots):
    twice = [
        Ballot(b.key, b.id, g, b.preferred, b.lengths, b.tags, b.votes, b.origin)
        for b in ballots
        for g in ("general", "hallucination")
    ]
    scores = scored(twice)
    assert scores["macro_accuracy_strict"].value == pytest.approx(scores["overall_accuracy_strict"].value)


def test_publishing():
    fine = scored([make("FSFSF", key=str(i), preferred=0) for i in range(40)])
    assert publishing_faults(fine) == []
    failed = scored([make("FFFSX", key=str(i)) for i in range(40)])
    assert "do not publish" in publishing_faults(failed)[0]
    always_first = scored([make("FFFFF", key=str(i)) for i in range(40)])
    assert "names the first slot in 100.0%" in publishing_faults(always_first)[0]
