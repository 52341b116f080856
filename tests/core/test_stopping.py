"""Leaving votes out never changes a decision, and no exact rule asks for fewer."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.stopping import chance_to_win, further_votes
from vlrb_tasks.core.voting import majority

CHOICES = [0, 1, -1, None]
votes_of = st.integers(1, 9).flatmap(lambda k: st.lists(st.sampled_from(CHOICES), min_size=k, max_size=k))


def drawn(votes, error=None):
    """Ask for votes as the rule says, and return those that were asked."""
    asked = 0
    while more := further_votes([votes[:asked]], len(votes), error):
        asked += more
    return votes[:asked]


@given(votes_of)
def test_the_decision_is_that_of_all_votes(votes):
    assert majority(drawn(votes), of=len(votes)) == majority(votes)


@given(votes_of)
def test_every_vote_that_is_asked_could_matter(votes):
    """Before each of them, two ways to go on decide differently: asking one at a time would not have stopped earlier."""
    asked = drawn(votes)
    for n in range(len(asked)):
        endings = {
            majority([*votes[:n], *rest], of=len(votes))
            for rest in itertools.product([0, 1, -1, None], repeat=min(len(votes) - n, 4))
        }
        if len(votes) - n <= 4:
            assert len(endings) > 1


@given(votes_of, votes_of)
def test_two_rules_are_both_decided(one, other):
    k = min(len(one), len(other))
    one, other = one[:k], other[:k]
    asked = 0
    while more := further_votes([one[:asked], other[:asked]], k):
        asked += more
    assert majority(one[:asked], of=k) == majority(one)
    assert majority(other[:asked], of=k) == majority(other)


@pytest.mark.parametrize(
    "votes,planned,expected",
    [([], 1, 1), ([], 5, 3), ([], 4, 2), ([0, 0], 5, 1), ([0, 0, 0], 5, 0), ([0, 1], 5, 2), ([0, 0, 1, 1], 5, 1), ([None, None], 5, 1), ([None] * 3, 5, 0), ([0, 1, -1], 5, 1), ([0, 1, -1, 0], 5, 1), ([0, 1, -1, None], 5, 0), ([0, 0], 4, 1), ([0, None], 4, 1), ([None, None], 4, 0), ([0, 1, 1], 4, 1)],
)  # fmt: skip
def test_by_hand(votes, planned, expected):
    assert further_votes([votes], planned) == expected


def test_the_chance_to_win_is_that_of_an_urn():
    # after 2 of 2, each further vote is for the leader with 3/4, then 4/5 or 3/5, ...: none of three with 1/4 * 2/5 * 3/6
    assert chance_to_win(2, 2, 5) == pytest.approx(1 - 1 / 4 * 2 / 5 * 3 / 6)
    assert chance_to_win(3, 3, 5) == 1
    assert chance_to_win(1, 1, 1) == 1


@given(votes_of)
def test_the_confident_rule_asks_for_no_more(votes):
    assert len(drawn(votes, error=0.05)) <= len(drawn(votes))


def test_the_error_of_the_confident_rule_is_as_stated():
    """Averaged over judges of every quality, the decision of what was drawn differs from that of all votes as rarely."""
    import random

    rng = random.Random(5)
    for error in (0.05, 0.1):
        wrong = 0
        for _ in range(20_000):
            p = rng.random()
            votes = [int(rng.random() < p) for _ in range(7)]
            asked = drawn(votes, error)
            wrong += majority(asked, of=len(asked)) != majority(votes)
        assert wrong / 20_000 < error
