from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.consensus import consensus, levenshtein

rankings = st.integers(2, 5).flatmap(lambda n: st.lists(st.permutations(range(n)).map(tuple), min_size=1, max_size=7))


@given(rankings)
def test_no_other_order_contradicts_fewer_pairs(given_rankings):
    found = consensus(given_rankings)
    n = len(found)

    def against(order):
        return sum(
            (r.index(a) < r.index(b)) != (order.index(a) < order.index(b))
            for r in given_rankings
            for a in range(n)
            for b in range(a)
        )

    assert against(found) == min(map(against, permutations(range(n))))


@given(st.permutations(range(8)).map(tuple))
def test_agreement_stands_however_many_there_are(ranking):
    assert consensus([ranking] * 3) == ranking


def test_borda_above_six():
    # places: 0: 0+1, 1: 1+0, 2: 2+2 ... equal places go by index
    assert consensus([tuple(range(7)), (1, 0, 2, 3, 4, 5, 6)]) == tuple(range(7))


def test_none_and_the_condorcet_winner():
    assert consensus([]) is None
    assert consensus([(1, 0, 2), (1, 2, 0), (0, 1, 2)]) == (1, 0, 2)


@pytest.mark.parametrize(
    "a,b,d", [("", "", 0), ("kitten", "sitting", 3), ("ABCD", "ABCD", 0), ("ABCD", "DCBA", 4), ("CABD", "ACBD", 2)]
)
def test_levenshtein(a, b, d):
    assert levenshtein(a, b) == levenshtein(b, a) == d
