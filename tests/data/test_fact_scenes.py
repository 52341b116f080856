from collections import Counter

import pytest

from vlrb_tasks.data.fact_scenes import ranked_rows, scored_rows


def right(scene, response):
    colors = {thing.what: thing.color for thing in scene}
    facts = [fact.split() for fact in response.rstrip(".").split(". ")]
    assert len(facts) == 4
    return sum(colors[fact[1]] == fact[3] for fact in facts)


def test_scores_are_the_share_of_right_facts():
    rows = scored_rows()
    assert Counter(row["score"] for row in rows) == dict.fromkeys((0, 25, 50, 75, 100), 40)
    assert all(row["score"] == 25 * right(row["scene"], row["responses"][0]) for row in rows)


def test_ranks_are_the_numbers_of_wrong_facts():
    rows = ranked_rows()
    for row in rows:
        assert [4 - right(row["scene"], response) for response in row["responses"]] == row["ranking"]
    first = Counter(row["ranking"].index(0) for row in rows)
    assert min(first.values()) > 20  # the best stands anywhere: 37.5 expected, three standard errors 16


def test_length_tells_nothing():
    gap = Counter()
    for row in ranked_rows(items=600):
        lengths = {wrong: len(response) for wrong, response in zip(row["ranking"], row["responses"], strict=True)}
        gap[(lengths[0] > lengths[3]) - (lengths[0] < lengths[3])] += 1
    assert abs(gap[1] - gap[-1]) < 3 * (gap[1] + gap[-1]) ** 0.5


def test_determinism_and_wrong_settings():
    assert scored_rows() == scored_rows()
    assert scored_rows(seed=1) != scored_rows()
    with pytest.raises(ValueError, match="multiple of 5"):
        scored_rows(items=12)
    with pytest.raises(ValueError, match="at least 1"):
        ranked_rows(items=0)
