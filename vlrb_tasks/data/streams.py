"""Streams: rows of any data set, one by one, for what goes over far more of them than a benchmark has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from .images import ImageFolder, open_image
from .rows import DataError
from .sources import json_rows, mirror_folder, of_split


@dataclass(frozen=True)
class Stream:
    """Rows as they come, images undecoded.

    Attributes:
        where: what is read, for errors and for the card.
        rows: one mapping a row; can be gone through once.
        folder: what image paths of the rows begin at; ``None`` on the hub.
    """

    where: str
    rows: Iterator[dict[str, Any]]
    folder: ImageFolder | None

    def picture(self, cell: Any) -> Image.Image:
        """Open the picture that a cell holds or names, in RGB.

        Raises:
            OSError: there is none, or it is no picture.
        """
        if isinstance(cell, list) and cell:
            cell = cell[0]
        if isinstance(cell, str) and self.folder is not None:
            cell = self.folder.find(cell)
        try:
            return open_image(cell)
        except (SyntaxError, ValueError) as error:
            raise OSError(str(error)) from error


def local_stream(path: Path, split: str, images: Path | None = None) -> Stream:
    """Stream a file of JSON, JSON lines or parquet, a folder with one, or a data set that ``save_to_disk`` wrote.

    Raises:
        DataError: there is no such thing.
    """
    root = images or (path if path.is_dir() else path.parent)
    beside = path if path.is_dir() else path.parent
    folder = ImageFolder(root, beside)
    if path.is_file() and path.suffix in (".json", ".jsonl"):
        return Stream(str(path), json_rows(path), folder)
    if path.is_file() and path.suffix == ".parquet":
        return Stream(str(path), _parquet([path]), folder)
    if not path.is_dir():
        raise DataError(
            f"{path}: no such file or folder of JSON, JSON lines or parquet. Fix: check `path`, which begins at the recipe."
        )
    if (path / "dataset_dict.json").is_file() or (path / "state.json").is_file():
        import datasets

        saved = datasets.load_from_disk(str(path))
        if isinstance(saved, datasets.DatasetDict):
            if split not in saved:
                raise DataError(
                    f"{path}: no split {split!r}; there are {', '.join(map(str, saved))}. Fix: name one of them."
                )
            saved = saved[split]
        return Stream(str(path), _undecoded(saved.to_iterable_dataset()), folder)
    parquet = of_split(path.rglob("*.parquet"), split)
    if parquet:
        return Stream(f"{path} ({len(parquet)} parquet files)", _parquet(parquet), folder)
    files = of_split([*path.glob("*.jsonl"), *path.glob("*.json")], split)
    if len(files) != 1:
        found = ", ".join(file.name for file in files) or "none"
        raise DataError(f"{path}: one file of rows is expected; there are: {found}. Fix: name the file in `path`.")
    return Stream(str(files[0]), json_rows(files[0]), folder)


def hub_stream(hub: str, name: str | None, split: str, revision: str | None, mirror: Path | None = None) -> Stream:
    """Stream a data set of the hub, or read it from a mirror.

    Raises:
        DataError: it cannot be reached.
    """
    if mirror is not None:
        folder = mirror_folder(mirror, hub)
        if folder == mirror:
            raise DataError(
                f"{hub}: VLRB_DATA={mirror} holds no folder {hub.split('/')[-1]}. Fix: put the data set there."
            )
        within = folder / name if name and (folder / name).is_dir() else folder
        return local_stream(within, split)
    import datasets

    try:
        loaded = datasets.load_dataset(hub, name=name, split=split, revision=revision, streaming=True)
    except Exception as error:  # whatever the hub, the network or the cache raises, the advice is the same
        raise DataError(
            f"{hub}: cannot be streamed: {type(error).__name__}: {str(error)[:300]}. Fix: check the network and `hf auth login`; on a "
            "machine without one, download the data set elsewhere and set VLRB_DATA to the folder above it."
        ) from error
    return Stream(f"{hub}/{name or split}", _undecoded(loaded), None)


def _parquet(files: list[Path]) -> Iterator[dict[str, Any]]:
    import datasets

    names = [str(file) for file in files]
    return _undecoded(datasets.load_dataset("parquet", data_files=names, split="train", streaming=True))


def _undecoded(rows: Any) -> Iterator[dict[str, Any]]:
    """Give the rows of an iterable data set, its pictures as bytes or paths."""
    import datasets

    for column, feature in (rows.features or {}).items():
        if isinstance(feature, datasets.Image):
            rows = rows.cast_column(column, datasets.Image(decode=False))
        elif isinstance(getattr(feature, "feature", None), datasets.Image):
            rows = rows.cast_column(column, datasets.Sequence(datasets.Image(decode=False)))
    yield from rows
