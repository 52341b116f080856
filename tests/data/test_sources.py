"""The same rows from every place that they can be kept in."""

import json

import datasets
import pytest
from PIL import Image

from tests.data.rows import mllm_judge_files, rows
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


# -- a repository of files ----------------------------------------------------------------------------


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """The cache that the hub's client fills, with the files of MLLM-as-a-Judge in it."""
    import huggingface_hub.constants

    repository = tmp_path / "cache" / "datasets--shuaishuaicdp--MLLM-Judge"
    mllm_judge_files(repository / "snapshots" / "0123abc")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0123abc")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return repository


def test_one_file_of_a_repository_on_the_hub(hub_cache):
    benchmark = package_registry().benchmark("mllm_judge_score")
    source = open_source("mllm_judge_score", benchmark)
    assert (source.where, source.fingerprint) == ("shuaishuaicdp/MLLM-Judge/Benchmark/score.jsonl", "0123abc")
    items, _ = items_of(source.rows, benchmark, source.where)
    assert [item.score for item in items] == [4, 4, 2, 1, 5, 3]
    assert (items[1].id, items[1].responses, items[1].models, items[1].group) == (
        "1",
        ("The picture shows 2 dogs.",),
        ("model2",),
        "mm-vet",
    )
    assert source.images(3)[0].size == (15, 8)


@pytest.mark.parametrize("folder", ["MLLM-Judge", "shuaishuaicdp/MLLM-Judge", "."])
def test_the_same_file_from_a_mirror(tmp_path, folder):
    mllm_judge_files(tmp_path / folder)
    source = open_source("mllm_judge_batch", package_registry().benchmark("mllm_judge_batch"), tmp_path)
    items, _ = items_of(source.rows, package_registry().benchmark("mllm_judge_batch"), source.where)
    assert items[0].ranking == (2, 0, 1, 3)
    assert source.images(5)[0].size == (17, 8)


def test_rows_are_left_out_with_their_images(tmp_path):
    mllm_judge_files(tmp_path)
    benchmark = package_registry().benchmark("mllm_judge_pair_no_tie")
    source = open_source("mllm_judge_pair_no_tie", benchmark, tmp_path)
    items, _ = items_of(source.rows, benchmark, source.where)
    assert "(2 rows left out)" in source.where
    assert [item.preferred for item in items] == [0, 1, 1, 0]
    assert [source.images(i)[0].size[0] for i in range(4)] == [12, 13, 15, 17]  # rows 0, 1, 3 and 5


def test_a_repository_without_the_file_is_told(tmp_path, hub_cache):
    benchmark = package_registry().benchmark("mllm_judge_pair")
    (hub_cache / "snapshots" / "0123abc" / "Benchmark" / "pair.jsonl").unlink()
    with pytest.raises(DataError, match=r"shuaishuaicdp/MLLM-Judge: cannot be loaded: .*pair.jsonl"):
        open_source("mllm_judge_pair", benchmark)
    with pytest.raises(DataError, match=r"no file Benchmark/pair.jsonl. Fix: check VLRB_DATA"):
        open_source("mllm_judge_pair", benchmark, tmp_path)


def test_an_image_of_a_name_that_stands_twice_is_not_guessed(tmp_path):
    mllm_judge_files(tmp_path)
    benchmark = package_registry().benchmark("mllm_judge_score")
    (tmp_path / "image" / "0.jpg").rename(tmp_path / "0.jpg")
    open_source("mllm_judge_score", benchmark, tmp_path)  # the one file of that name
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "0.jpg").write_bytes((tmp_path / "0.jpg").read_bytes())
    with pytest.raises(DataError, match=r"row 0 image_path: no file image/0.jpg, but 2 of its name"):
        open_source("mllm_judge_score", benchmark, tmp_path)
