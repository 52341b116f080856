"""The same rows from every place that they can be kept in."""

import json

import datasets
import pytest
from PIL import Image

from tests.data.rows import rows
from vlrb_tasks.data.rows import DataError, items_of
from vlrb_tasks.data.sources import open_source
from vlrb_tasks.registry.index import package_registry

BENCHMARK = package_registry().benchmark("vlrewardbench")
FEATURES = datasets.Features(
    {
        "id": datasets.Value("string"), "query": datasets.Value("string"), "response": datasets.Sequence(datasets.Value("string")), "image": datasets.Image(),
        "human_ranking": datasets.Sequence(datasets.Value("int64")), "models": datasets.Sequence(datasets.Value("string")), "judge": datasets.Value("string"),
        "rationale": datasets.Value("string"), "query_source": datasets.Value("string"), "meta": datasets.Value("string"),
        "human_error_analysis": datasets.Sequence(datasets.Value("string")), "ground_truth": datasets.Value("string"),
    }
)  # fmt: skip


def pictures(count=6):
    kinds = ["RGB", "RGBA", "L", "P", "LA", "RGB"]
    return [Image.new(kinds[i % 6], (20 + i, 10), 0) for i in range(count)]


def hub_dataset():
    """The data set as the hub has it, an item without an image among them."""
    images = [*pictures(5), None]
    return datasets.Dataset.from_list(
        [{**row, "image": image} for row, image in zip(rows(), images, strict=True)], features=FEATURES
    )


def check(source):
    items, _ = items_of(source.rows, BENCHMARK, source.where)
    assert [item.id for item in items] == [row["id"] for row in rows()]
    assert items[1].responses == tuple(rows()[1]["response"])
    assert items[0].tags == ("attribute", "existence")
    assert [[image.size for image in source.images(i)] for i in range(5)] == [[(20 + i, 10)] for i in range(5)]
    assert source.images(5) == []
    assert {image.mode for i in range(5) for image in source.images(i)} == {"RGB"}
    assert source.images(1)[0].getpixel((0, 0)) == (255, 255, 255)


def test_hub(monkeypatch):
    asked = {}

    def load_dataset(path, **kwargs):
        asked.update(path=path, **kwargs)
        return hub_dataset()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    check(open_source("vlrewardbench", BENCHMARK))
    assert asked == {"path": "MMInstruction/VL-RewardBench", "name": None, "split": "test", "revision": None}


def test_hub_that_cannot_be_reached(monkeypatch):
    monkeypatch.setattr(datasets, "load_dataset", lambda *a, **k: (_ for _ in ()).throw(ConnectionError("no route")))
    with pytest.raises(
        DataError, match=r"MMInstruction/VL-RewardBench: cannot be loaded: ConnectionError: no route\. Fix: .*VLRB_DATA"
    ):
        open_source("vlrewardbench", BENCHMARK)


def test_saved_to_disk(tmp_path):
    hub_dataset().save_to_disk(tmp_path / "one")
    check(open_source("vlrewardbench", BENCHMARK, tmp_path / "one"))
    datasets.DatasetDict({"test": hub_dataset()}).save_to_disk(tmp_path / "VL-RewardBench")
    check(open_source("vlrewardbench", BENCHMARK, tmp_path))


def test_saved_without_the_split(tmp_path):
    datasets.DatasetDict({"train": hub_dataset()}).save_to_disk(tmp_path)
    with pytest.raises(DataError, match="no split 'test'; there are train"):
        open_source("vlrewardbench", BENCHMARK, tmp_path)


def test_parquet(tmp_path):
    folder = tmp_path / "MMInstruction" / "VL-RewardBench" / "data"
    folder.mkdir(parents=True)
    hub_dataset().select(range(3)).to_parquet(folder / "test-00000-of-00002.parquet")
    hub_dataset().select(range(3, 6)).to_parquet(folder / "test-00001-of-00002.parquet")
    hub_dataset().select(range(1)).to_parquet(folder / "train-00000-of-00001.parquet")
    check(open_source("vlrewardbench", BENCHMARK, tmp_path))


def json_rows(folder):
    folder.mkdir(exist_ok=True, parents=True)
    images = [*pictures(5), None]
    data = []
    for i, (row, image) in enumerate(zip(rows(), images, strict=True)):
        if image is not None:
            image.save(folder / f"{i}.png")
        data.append({**row, "image": None if image is None else f"images/{i}.png"})
    return data


def test_json_lines_and_json(tmp_path):
    data = json_rows(tmp_path / "images")
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, data)) + "\n")
    check(open_source("vlrewardbench", BENCHMARK, tmp_path))
    (tmp_path / "test.jsonl").unlink()
    (tmp_path / "rows.json").write_text(json.dumps(data))
    check(open_source("vlrewardbench", BENCHMARK, tmp_path))
    (tmp_path / "rows.json").write_text(
        json.dumps({"data": [{**row, "image": row["image"] and row["image"].split("/")[1]} for row in data]})
    )
    check(open_source("vlrewardbench", BENCHMARK, tmp_path))


def test_several_images_a_row(tmp_path):
    data = json_rows(tmp_path / "images")
    data[0]["image"] = ["images/0.png", "images/1.png"]
    (tmp_path / "test.json").write_text(json.dumps(data))
    assert [image.size for image in open_source("vlrewardbench", BENCHMARK, tmp_path).images(0)] == [(20, 10), (21, 10)]
    several = FEATURES.copy()
    several["image"] = datasets.Sequence(datasets.Image())
    datasets.Dataset.from_list([{**row, "image": pictures(2)} for row in rows()], features=several).save_to_disk(
        tmp_path / "disk"
    )
    assert [image.size for image in open_source("vlrewardbench", BENCHMARK, tmp_path / "disk").images(3)] == [
        (20, 10),
        (21, 10),
    ]


FAULTS = {
    "no folder": (lambda f: f.rmdir(), "expected a folder"),
    "empty folder": (lambda f: None, r"no rows found; expected \*\.parquet"),
    "no image file": (
        lambda f: (f / "test.jsonl").write_text(json.dumps({**rows()[0], "image": "gone.png"})),
        r"row 0 image: no file gone\.png",
    ),
    "broken line": (
        lambda f: (f / "test.jsonl").write_text(json.dumps(rows()[0]) + "\n{broken"),
        r"test\.jsonl:2 is no JSON",
    ),
    "no list": (lambda f: (f / "test.json").write_text("3"), "expected a list of rows"),
    "row is no object": (lambda f: (f / "test.jsonl").write_text("[1]"), "row 1 is list"),
    "two files": (
        lambda f: [(f / n).write_text("[]") for n in ("a.json", "b.json")],
        r"a\.json, b\.json; expected one file",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path, name):
    make, message = FAULTS[name]
    folder = tmp_path / "mirror"
    folder.mkdir()
    make(folder)
    with pytest.raises(DataError, match=message):
        open_source("vlrewardbench", BENCHMARK, folder)


def test_an_image_that_is_none_names_its_row(tmp_path):
    (tmp_path / "x.png").write_bytes(b"nothing")
    (tmp_path / "test.jsonl").write_text(json.dumps({**rows()[0], "image": "x.png"}))
    source = open_source("vlrewardbench", BENCHMARK, tmp_path)
    with pytest.raises(DataError, match=r"row 0 image: cannot be opened as an image"):
        source.images(0)
