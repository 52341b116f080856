import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.items import Item
from vlrb_tasks.core.ordering import ORDER_POLICIES, draw_orders

items = st.builds(
    lambda id, a, b: Item(id, "q", (a, b), 0, "g"), st.text(max_size=8), st.text(max_size=8), st.text(max_size=8)
)


@given(items, st.integers(1, 9), st.sampled_from(ORDER_POLICIES), st.integers(0, 5))
def test_every_order_holds_each_response_once(item, draws, policy, seed):
    asked = draw_orders(item, draws, policy, seed)
    assert len(asked) == draws * (2 if policy == "both" else 1)
    assert all(sorted(order) == [0, 1] for _, order in asked)
    assert asked == draw_orders(item, draws, policy, seed)


@given(items, st.integers(1, 8), st.sampled_from(ORDER_POLICIES))
def test_more_draws_do_not_change_the_first_ones(item, draws, policy):
    fewer = draw_orders(item, draws, policy)
    assert draw_orders(item, draws + 1, policy)[: len(fewer)] == fewer


@given(items, st.integers(2, 8))
def test_balanced_alternates(item, draws):
    orders = [order for _, order in draw_orders(item, draws, "balanced")]
    assert all(a == b[::-1] for a, b in itertools.pairwise(orders))


@given(items, st.integers(1, 5))
def test_both_asks_each_draw_in_both_orders(item, draws):
    asked = draw_orders(item, draws, "both")
    for draw in range(draws):
        assert {order for d, order in asked if d == draw} == {(0, 1), (1, 0)}


def test_random_orders_are_even_over_items_and_over_draws():
    # 4,000 orders: three standard errors of a fair coin are 0.024
    orders = [order for i in range(800) for _, order in draw_orders(Item(str(i), "q", ("a", "b"), 0, "g"), 5)]
    assert abs(sum(order == (0, 1) for order in orders) / 4000 - 0.5) < 0.024


def test_random_is_pinned():
    # The same on every machine and version: a change here makes old logs and new runs differ.
    item = Item("mathverse_1", "How long is AB?", ("3", "4"), 0, "reasoning")
    assert item.key == "9acb795c6baef878"
    assert [order[0] for _, order in draw_orders(item, 8)] == [1, 0, 1, 1, 0, 0, 0, 1]
    assert [order[0] for _, order in draw_orders(item, 8, seed=1)] != [order[0] for _, order in draw_orders(item, 8)]


def test_length_parity_swaps_where_the_summed_length_is_odd():
    assert draw_orders(Item("1", "q", ("ab", "c"), 0, "g"), 1, "length_parity") == [(0, (1, 0))]
    assert draw_orders(Item("1", "q", ("ab", "cd"), 0, "g"), 1, "length_parity") == [(0, (0, 1))]


def test_wrong_settings_are_told():
    with pytest.raises(ValueError, match="draws: got 0"):
        draw_orders(Item("1", "q", ("a", "b"), 0, "g"), 0)
    with pytest.raises(ValueError, match="expected one of random, balanced"):
        draw_orders(Item("1", "q", ("a", "b"), 0, "g"), 1, "shuffled")
