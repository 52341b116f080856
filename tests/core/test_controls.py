"""Controls on the orders of a run, Cohen's kappa, and the digest of items."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from vlrb_tasks.core.agreement import cohen_kappa
from vlrb_tasks.core.controls import control_ballots
from vlrb_tasks.core.items import Item
from vlrb_tasks.core.ordering import draw_orders
from vlrb_tasks.core.records import items_digest
from vlrb_tasks.core.scoring import pairwise_metrics, score_ballots
from vlrb_tasks.core.voting import Origin, Vote, ballot, parsed_reading

ORIGIN = Origin("b", "p@1", "parser of p")
METRICS = pairwise_metrics(["g"], 3)


def items(count=40):
    return [
        Item(f"k{i}", "q", ("long response", "short") if i % 4 else ("same", "also"), i % 2, "g") for i in range(count)
    ]


def judged(which=None):
    return [
        ballot(
            item,
            [
                Vote(d, o, "x", "unparsed", None, None, parsed_reading(None, item.preferred))
                for d, o in draw_orders(item, 3)
            ],
            ORIGIN,
        )
        for item in which or items()
    ]


def test_first_and_second_name_their_slots_whatever_the_judge_said():
    for control, slot in (("first", 0), ("second", 1)):
        found = control_ballots(judged(), control)
        assert all(vote.choice == vote.order[slot] for b in found for vote in b.votes)
        assert score_ballots(found, METRICS)["first_slot_rate"].value == 1 - slot


def test_longer_and_shorter_go_by_length_and_toss_a_coin_between_equals():
    longer, shorter = control_ballots(judged(), "longer"), control_ballots(judged(), "shorter")
    for one, other in zip(longer, shorter, strict=True):
        if one.lengths[0] != one.lengths[1]:
            assert {vote.choice for vote in one.votes} == {0}
            assert {vote.choice for vote in other.votes} == {1}
    equal = [vote.choice for b in longer if b.lengths[0] == b.lengths[1] for vote in b.votes]
    assert 0 < sum(equal) < len(equal)


def test_random_is_the_same_each_time_and_near_half():
    many = judged(items(600))
    once, again = control_ballots(many, "random"), control_ballots(many, "random")
    assert once == again
    assert abs(score_ballots(once, METRICS)["first_slot_rate"].value - 0.5) < 0.04


def test_kappa_by_hand():
    assert cohen_kappa([1, 0, 1], [1, 0, 1]) == 1
    assert cohen_kappa("aabb", "abab") == 0
    assert cohen_kappa("ab", "ba") == -1
    # 20 yes-yes, 15 no-no, 5 yes-no, 10 no-yes: (0.7 - 0.5) / (1 - 0.5)
    first = "y" * 25 + "n" * 25
    second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(cohen_kappa("aa", "aa"))
    with pytest.raises(ValueError, match="got 1 and 2"):
        cohen_kappa("a", "ab")


def test_the_digest_is_of_the_items_alone():
    made = judged()
    digest = items_digest(made)
    assert items_digest(reversed(made)) == digest
    assert items_digest(control_ballots(made, "first")) == digest
    assert items_digest(made[1:]) != digest
    for change in ({"preferred": 1 - made[0].preferred}, {"group": "other"}, {"key": "else"}):
        assert items_digest([replace(made[0], **change), *made[1:]]) != digest
