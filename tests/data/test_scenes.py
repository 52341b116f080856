from collections import Counter, defaultdict

import pytest
from PIL import Image, ImageChops

from vlrb_tasks.data.rows import DataError, items_of
from vlrb_tasks.data.scenes import COLORS, GROUPS, draw_scene, scene_rows
from vlrb_tasks.data.sources import open_source
from vlrb_tasks.registry.index import package_registry

ROWS = scene_rows()


def better(row):
    return row["ranking"].index(0)


def test_size_groups_and_determinism():
    assert len(ROWS) == 300
    assert Counter(row["id"].split("-")[0] for row in ROWS) == dict.fromkeys(GROUPS, 50)
    assert scene_rows() == ROWS
    assert scene_rows(seed=1) != ROWS
    assert len(scene_rows(items=24)) == 24
    with pytest.raises(ValueError, match="multiple of 12"):
        scene_rows(items=100)


def test_pinned():
    row = ROWS[0]
    assert (row["id"], row["question"], row["ranking"]) == (
        "existence-000b",
        "Is there a green diamond in the picture?",
        [1, 0],
    )


def test_the_better_response_is_first_as_often_as_second():
    assert Counter(map(better, ROWS)) == {0: 150, 1: 150}


def test_the_better_response_is_the_longer_as_often_as_the_shorter():
    for group in GROUPS:
        longer = Counter()
        for row in ROWS:
            one, two = map(len, row["responses"])
            if row["id"].startswith(group) and one != two:
                longer[better(row) == (0 if one > two else 1)] += 1
        assert longer[True] == longer[False], group


def test_each_phrase_is_right_as_often_as_wrong():
    right = defaultdict(Counter)
    for row in ROWS:
        for i, response in enumerate(row["responses"]):
            for sentence in response.split(". "):
                right[sentence.strip(".")][i == better(row)] += 1
    assert all(counts[True] == counts[False] for counts in right.values())


def test_two_responses_differ_in_exactly_one_sentence():
    for row in ROWS:
        one, two = (set(response.rstrip(".").split(". ")) for response in row["responses"])
        assert len(one) == len(two) == 2
        assert len(one & two) == 1


def test_the_first_items_are_a_fair_sample():
    half = Counter(map(better, ROWS[:150]))
    assert abs(half[0] - 75) < 19  # three standard errors


def test_twins_share_their_words_and_differ_in_the_picture():
    twins = defaultdict(list)
    for row in ROWS:
        twins[row["id"][:-1]].append(row)
    for pair in twins.values():
        a, b = pair
        assert (a["question"], a["responses"]) == (b["question"], b["responses"])
        assert better(a) != better(b)
        assert ImageChops.difference(draw_scene(a["scene"]), draw_scene(b["scene"])).getbbox() is not None


def colors_in(image: Image.Image) -> set[str]:
    found = {color for _, color in image.getcolors(100000)}
    return {name for name, value in COLORS.items() if value in found}


def test_the_picture_shows_what_the_better_response_says():
    for row in ROWS:
        things = row["scene"]
        fact = next(s for s in row["responses"][better(row)].rstrip(".").split(". ") if not s.startswith("There is a"))
        words = fact.split()
        if row["id"].startswith("attribute"):
            assert any(t.what == words[1] and t.color == words[3] for t in things)
            assert words[3] in colors_in(draw_scene(things))
        elif row["id"].startswith("recognition"):
            assert [t.what for t in things if t.color == words[1]] == [words[-1]]
        elif row["id"].startswith("counting"):
            number = ["zero", "one", "two", "three", "four", "five"].index(words[2])
            assert sum(t.color == words[3] and words[4].startswith(t.what) for t in things) == number
        elif row["id"].startswith("existence"):
            there = any(t.color == words[-2] and t.what == words[-1] for t in things)
            assert there == fact.startswith("Yes")
        elif row["id"].startswith("text"):
            assert any(t.what == f"word:{words[-1]}" for t in things)
        else:
            (one,) = [t.cell for t in things if t.what == words[1]]
            (two,) = [t.cell for t in things if t.what == words[-1]]
            relation = " ".join(words[3:-2])
            assert {
                "to the left of": one[0] < two[0],
                "to the right of": one[0] > two[0],
                "above": one[1] < two[1],
                "below": one[1] > two[1],
            }[relation]


def test_it_is_a_benchmark_like_any_other():
    benchmark = package_registry().benchmark("vlrb_scenes")
    source = open_source("vlrb_scenes", benchmark, options={"items": 12, "seed": 3})
    items, repeats = items_of(source.rows, benchmark, source.where)
    assert {item.group for item in items} == set(GROUPS)
    assert repeats == []
    assert source.images(0)[0].size == (320, 320)


def test_a_copy_shows_nothing_for_the_control_of_a_blind_judge():
    benchmark = package_registry().benchmark("vlrb_scenes")
    shown, blank = (open_source("s", benchmark, options={"items": 12, "blank": blank}) for blank in (0, 1))
    assert [row["responses"] for row in shown.rows] == [row["responses"] for row in blank.rows]
    assert shown.images(0)[0].getextrema() != ((255, 255),) * 3
    assert all(blank.images(i)[0].getextrema() == ((255, 255),) * 3 for i in range(12))


def test_a_typo_in_an_option_is_told_with_what_there_is():
    benchmark = package_registry().benchmark("vlrb_scenes")
    with pytest.raises(DataError, match=r"option 'itms' .*expected blank, items or seed"):
        open_source("s", benchmark, options={"itms": 12})
