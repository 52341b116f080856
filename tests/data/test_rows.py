import pytest

from tests.data.rows import rows
from vlrb_tasks.data.rows import DataError, items_of
from vlrb_tasks.registry.index import package_registry

BENCHMARK = package_registry().benchmark("vlrewardbench")


def read(changed):
    return items_of(changed, BENCHMARK, "test.jsonl")


def with_images(data):
    return [{**row, "image": None} for row in data]


def test_rows_become_items():
    items, repeats = read(with_images(rows()))
    assert [i.group for i in items] == ["hallucination"] * 3 + ["general", "reasoning", "reasoning"]
    assert [i.preferred for i in items] == [0, 1, 0, 1, 0, 1]
    assert items[0].tags == ("attribute", "existence")
    assert repeats == []


def test_the_tags_column_may_be_missing_or_text():
    data = with_images(rows())
    for row in data:
        del row["human_error_analysis"]
    assert read(data)[0][0].tags == ()
    data[0]["human_error_analysis"] = "['counting', 'text']"
    assert read(data)[0][0].tags == ("counting", "text")
    data[0]["human_error_analysis"] = None
    assert read(data)[0][0].tags == ()


def test_ids_that_repeat_stay_separate():
    data = with_images(rows(2))
    data[1]["id"] = data[0]["id"]
    items, repeats = read(data)
    assert len({i.key for i in items}) == 2
    assert repeats == []
    items, repeats = read([data[0], data[0]])
    assert len({i.key for i in items}) == 2
    assert len(repeats) == 1


FAULTS = {
    "missing column": (
        lambda d: [row.pop("response") for row in d],
        r"no column 'response'; there are .* Fix: rename the column",
    ),
    "missing image column": (lambda d: [row.pop("image") for row in d], r"no column 'image'"),
    "similar column": (lambda d: [row.update(responses=row.pop("response")) for row in d], r"Did you mean responses\?"),
    "tie": (
        lambda d: d[2].update(human_ranking=[0, 0]),
        r"row 2 \(id 'RLAIF-V-3'\) human_ranking: got \[0, 0\]; expected the rank of each response.* Fix: name one winner",
    ),
    "ranks from 1": (lambda d: d[2].update(human_ranking=[1, 2]), r"got \[1, 2\]"),
    "no ranks": (lambda d: d[2].update(human_ranking=None), r"row 2 .*got None"),
    "unknown prefix": (
        lambda d: d[1].update(id="newset-1"),
        r"row 1 \(id 'newset-1'\) id: got 'newset-1'; expected an id that begins with one of .* Fix: add the prefix",
    ),
    "one response": (lambda d: d[1].update(response=["a"]), r"row 1 .* response: got \['a'\]; expected two texts"),
    "response is null": (lambda d: d[1].update(response=["a", None]), r"row 1 .* response"),
    "question is null": (lambda d: d[0].update(query=None), r"row 0 .* query: got None; expected a text"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_the_row_and_the_fix(name):
    change, message = FAULTS[name]
    data = with_images(rows())
    change(data)
    with pytest.raises(DataError, match=message):
        read(data)


def test_an_empty_split():
    with pytest.raises(DataError, match="the split 'test' holds no rows"):
        read([])


def test_an_empty_response_is_no_fault():
    data = with_images(rows(1))
    data[0]["response"] = ["", "b"]
    assert read(data)[0][0].responses == ("", "b")
