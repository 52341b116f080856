"""Sources: where the rows of a benchmark are read from.

The hub by default; a local mirror where ``VLRB_DATA`` names a folder; or drawn on the spot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image

from ..registry.benchmarks import Benchmark
from .fact_scenes import ranked_rows, scored_rows
from .images import ImageFolder, open_image
from .json_lines import JsonLineError, json_lines
from .rows import DataError
from .scenes import draw_scene, scene_rows

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp")


@dataclass(frozen=True)
class Source:
    """The rows of a benchmark.

    Attributes:
        where: what was read, for errors and for the results.
        rows: one mapping a row, without images.
        images: gives the pictures of a row by its number, decoded and in RGB; none for a row without one.
        fingerprint: identifies the content, as ``datasets`` computes it; empty where it does not.
    """

    where: str
    rows: list[dict[str, Any]]
    images: Callable[[int], list[Image.Image]]
    fingerprint: str = ""


def open_source(
    name: str, benchmark: Benchmark, mirror: Path | None = None, options: dict[str, int] | None = None
) -> Source:
    """Open the rows of a benchmark.

    Args:
        name: the benchmark's name.
        benchmark: its entry in the registry.
        mirror: a local folder to read instead of the hub.
        options: settings of an embedded benchmark.

    Raises:
        DataError: the rows cannot be read.
    """
    return _without_left_out(_opened_source(name, benchmark, mirror, options), benchmark)


def _without_left_out(source: Source, benchmark: Benchmark) -> Source:
    """Leave out the rows whose winner is to be left out, such as ties."""
    column, winners = benchmark.columns.winner, benchmark.winners
    if column is None or "leave_out" not in winners.values():
        return source
    kept = [i for i, row in enumerate(source.rows) if winners.get(str(row.get(column))) != "leave_out"]
    where = f"{source.where} ({len(source.rows) - len(kept)} rows left out)"
    return replace(source, where=where, rows=[source.rows[i] for i in kept], images=lambda i: source.images(kept[i]))


def _opened_source(name: str, benchmark: Benchmark, mirror: Path | None, options: dict[str, int] | None) -> Source:
    if benchmark.dataset.embedded is not None:
        make = {"scenes": scene_rows, "scenes_pointwise": scored_rows, "scenes_ranking": ranked_rows}
        drawn = dict(options or {})
        for unknown in drawn.keys() - {"items", "seed", "blank"}:
            raise DataError(f"{name}: option {unknown!r} is not one of drawn scenes'; expected blank, items or seed.")
        blank = drawn.pop("blank", 0)
        scenes = make[benchmark.dataset.embedded](**drawn)
        rows = [{**row, "images": None} for row in scenes]
        return Source(name, rows, lambda index: [draw_scene(() if blank else scenes[index]["scene"])])
    if benchmark.dataset.path is not None:
        path = Path(benchmark.dataset.path)
        if path.suffix == ".parquet" and path.is_file():
            return _from_parquet([path], str(path), benchmark)
        return _from_json(path, path.parent, benchmark) if path.is_file() else _from_mirror(path, benchmark)
    if mirror is not None:
        return _from_mirror(mirror_folder(mirror, benchmark.dataset.hub or name, name), benchmark)
    return _from_hub(benchmark)


def _from_hub(benchmark: Benchmark) -> Source:
    import datasets

    dataset = benchmark.dataset
    assert dataset.hub is not None
    try:
        if dataset.file is not None:
            return _from_repository(dataset.hub, dataset.file, dataset.revision, benchmark)
        loaded = datasets.load_dataset(dataset.hub, name=dataset.name, split=dataset.split, revision=dataset.revision)
    except DataError:
        raise
    except Exception as error:  # whatever the hub, the network or the cache raises, the advice is the same
        raise DataError(
            f"{dataset.hub}: cannot be loaded: {type(error).__name__}: {str(error)[:300]}. Fix: check the network and `hf auth login`; on a "
            "machine without one, download the data set elsewhere and set VLRB_DATA to its folder.",
        ) from error
    return _from_dataset(loaded, f"{dataset.hub}/{dataset.split}", benchmark)


def _from_repository(hub: str, file: str, revision: str | None, benchmark: Benchmark) -> Source:
    """Download one file of rows, and the images of its repository."""
    from huggingface_hub import snapshot_download

    patterns = [file, *(f"*{end}" for end in _PICTURES)]
    folder = Path(snapshot_download(hub, repo_type="dataset", revision=revision, allow_patterns=patterns))
    source = _from_json(folder / file, folder, benchmark)
    return replace(source, where=f"{hub}/{file}", fingerprint=folder.name)


def mirror_folder(mirror: Path, hub: str, name: str = "") -> Path:
    """Return the folder of a data set inside a mirror, which may hold several.

    Raises:
        DataError: the mirror is no folder.
    """
    if not mirror.is_dir():
        raise DataError(
            f"VLRB_DATA: got {mirror}; expected a folder. Fix: name a folder with parquet, JSON(L), or a saved data set."
        )
    for folder in (hub, hub.split("/")[-1], name):
        if folder and (mirror / folder).is_dir():
            return mirror / folder
    return mirror


def _from_mirror(folder: Path, benchmark: Benchmark) -> Source:
    """Read a folder: one saved with ``save_to_disk``, parquet files, or JSON(L) with an image folder beside it."""
    import datasets

    split = benchmark.dataset.split
    if not folder.is_dir():
        raise DataError(f"{folder}: no such file or folder. Fix: check `path`; it begins where lmms-eval is started.")
    if benchmark.dataset.file is not None:
        return _from_json(_file_in(folder, benchmark.dataset.file), folder, benchmark)
    if (folder / "dataset_dict.json").is_file():
        saved = datasets.load_from_disk(str(folder))
        if split not in saved:
            raise DataError(
                f"{folder}: no split {split!r}; there are {', '.join(map(str, saved))}. Fix: save the data set with this split."
            )
        return _from_dataset(saved[split], f"{folder} ({split})", benchmark)
    if (folder / "state.json").is_file():
        return _from_dataset(datasets.load_from_disk(str(folder)), str(folder), benchmark)
    parquet = of_split(folder.rglob("*.parquet"), split)
    if parquet:
        return _from_parquet(parquet, f"{folder} ({len(parquet)} parquet files)", benchmark)
    lines = of_split([*folder.glob("*.jsonl"), *folder.glob("*.json")], split)
    if len(lines) > 1:
        raise DataError(
            f"{folder}: {', '.join(path.name for path in lines)}; expected one file of rows. Fix: keep one, or name it {split}.jsonl."
        )
    if not lines:
        raise DataError(
            f"{folder}: no rows found; expected *.parquet, *.jsonl, *.json or a saved data set. Fix: check VLRB_DATA."
        )
    return _from_json(lines[0], folder, benchmark)


def _file_in(folder: Path, file: str) -> Path:
    for path in (folder / file, folder / Path(file).name):
        if path.is_file():
            return path
    raise DataError(f"{folder}: no file {file}. Fix: check VLRB_DATA; it wants the files of the data set as they are.")


def _from_parquet(files: list[Path], where: str, benchmark: Benchmark) -> Source:
    import datasets

    table = datasets.load_dataset("parquet", data_files=[str(path) for path in files], split="train")
    return _from_dataset(table, where, benchmark)


def first_row(path: Path) -> dict[str, Any]:
    """Return the first row of a local file or folder, images undecoded, to look at its columns.

    Raises:
        DataError: there are no rows.
    """
    files = (
        [path] if path.is_file() else [*path.glob("*.jsonl"), *path.glob("*.json"), *sorted(path.rglob("*.parquet"))]
    )
    if not files:
        raise DataError(f"{path}: no rows found; expected JSON, JSON lines or parquet. Fix: check the path.")
    if files[0].suffix == ".parquet":
        import pyarrow.parquet

        return dict.fromkeys(pyarrow.parquet.read_schema(files[0]).names)
    row = next(iter(json_rows(files[0])), None)
    if row is None:
        raise DataError(f"{files[0]}: holds no rows. Fix: check the file.")
    return row


def of_split(paths: Iterable[Path], split: str) -> list[Path]:
    """Return the files that are named for a split, or all where none is."""
    found = sorted(paths)
    return [path for path in found if path.stem.split("-")[0] == split] or found


def _from_dataset(loaded: Any, where: str, benchmark: Benchmark) -> Source:
    """Take the rows of a ``datasets.Dataset``, leaving its images undecoded."""
    import datasets

    column = benchmark.columns.images
    if column is None or column not in loaded.column_names:
        return Source(where, loaded.to_list(), lambda index: [], loaded._fingerprint)
    feature = loaded.features[column]
    several = isinstance(feature, datasets.Sequence | list) or type(feature).__name__ == "List"
    undecoded = datasets.Image(decode=False)
    if several:
        pictures = loaded.cast_column(column, datasets.Sequence(undecoded))
    elif isinstance(feature, datasets.Image):
        pictures = loaded.cast_column(column, undecoded)
    else:  # bytes or paths in a plain column, or no picture at all
        pictures = loaded
    pictures = pictures.select_columns([column])
    rows = [{**row, column: None} for row in loaded.remove_columns([column]).to_list()]

    def images(index: int) -> list[Image.Image]:
        return _opened(pictures[index][column], f"{where} row {index}", column)

    return Source(where, rows, images, loaded._fingerprint)


def _from_json(path: Path, root: Path, benchmark: Benchmark) -> Source:
    """Read JSON (a list) or JSON lines.

    Images are paths from the file's folder, or in ``images`` beside it, or anywhere below ``root``.
    """
    rows = list(json_rows(path))
    column = benchmark.columns.images
    cells = [row.get(column) for row in rows] if column else [None] * len(rows)
    folder = ImageFolder(path.parent, root)
    pictures: list[list[Any]] = []
    for number, cell in enumerate(cells):
        names = cell if isinstance(cell, list) else [cell]
        try:
            pictures.append(
                [folder.find(name) if isinstance(name, str) else name for name in names if name is not None]
            )
        except OSError as error:
            raise DataError(
                f"{path} row {number} {column}: {error}. Fix: put the images into {path.parent}, or into {path.parent / 'images'}."
            ) from error

    def images(index: int) -> list[Image.Image]:
        return _opened(pictures[index], f"{path} row {index}", str(column))

    return Source(str(path), [{**row, column: None} if column and column in row else row for row in rows], images)


def json_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of a file of JSON (a list) or JSON lines; lines one by one, as they are read.

    Raises:
        DataError: the file is no JSON, or holds something else than rows.
    """
    if path.suffix == ".jsonl":
        with path.open(encoding="utf-8-sig", newline="\n") as lines:
            try:
                for number, row in json_lines(lines):
                    yield _row(row, path, number)
            except JsonLineError as error:
                raise DataError(
                    f"{path}:{error.line} is no JSON: {error.reason}. Fix: repair or remove this line."
                ) from error
        return
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno} is no JSON: {error.msg}. Fix: repair or remove this line.") from error
    if isinstance(content, dict):
        content = content.get("data", content)
    if not isinstance(content, list):
        raise DataError(
            f"{path}: got {type(content).__name__}; expected a list of rows. Fix: write one list, or JSON lines."
        )
    for number, row in enumerate(content, 1):
        yield _row(row, path, number)


def _row(row: Any, path: Path, number: int) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise DataError(
            f"{path}: row {number} is {type(row).__name__}; expected a mapping of columns. Fix: write each row as an object."
        )
    return row


def _opened(cell: Any, where: str, column: str) -> list[Image.Image]:
    try:
        return [open_image(one) for one in (cell if isinstance(cell, list) else [cell]) if one is not None]
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(
            f"{where} {column}: cannot be opened as an image: {error}. Fix: replace the image, or download the data set again."
        ) from error
