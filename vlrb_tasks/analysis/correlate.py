"""Correlation of two columns of a file: CSV, JSON lines, JSON or parquet."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.correlation import Correlation, drop_missing, kendall_tau, pearson, spearman
from ..data.json_lines import json_lines
from ..registry.loading import nearest
from ..votes.errors import LogError

MEASURES = {"pearson": pearson, "spearman": spearman, "kendall_tau": kendall_tau}


@dataclass(frozen=True)
class Correlated:
    """The correlations of one group of rows, and how many rows lacked a score."""

    group: str
    found: dict[str, Correlation]
    n: int
    dropped: int


def correlate(
    path: Path, reference: str, prediction: str, missing: Sequence[float] = (), by: str | None = None
) -> list[Correlated]:
    """Correlate two columns: over all rows, then, with ``by``, for each of its values.

    Raises:
        LogError: the file cannot be read, lacks a column, or holds what is neither a number nor missing.
    """
    rows = read_table(path)
    for column in (reference, prediction, *([by] if by else [])):
        if column not in rows[0]:
            raise LogError(
                f"{path}: no column {column!r}; there are {', '.join(rows[0])}.{nearest(column, rows[0])} Fix: name one of them."
            )
    groups = {"": rows}
    if by is not None:
        for row in rows:
            groups.setdefault(str(row[by]), []).append(row)
    return [_correlated(group, members, path, reference, prediction, missing) for group, members in groups.items()]


def _correlated(
    group: str, rows: list[dict[str, Any]], path: Path, reference: str, prediction: str, missing: Sequence[float]
) -> Correlated:
    x, y, dropped = drop_missing(
        [_number(row[reference], path, i, reference) for i, row in enumerate(rows)],
        [_number(row[prediction], path, i, prediction) for i, row in enumerate(rows)],
        missing,
    )
    return Correlated(group, {name: measure(x, y) for name, measure in MEASURES.items()}, len(x), dropped)


def _number(value: Any, path: Path, row: int, column: str) -> float | None:
    """Return a cell as a number; empty cells and the usual words for nothing are missing."""
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "nan", "na", "n/a", "null", "none")):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise LogError(
            f"{path} row {row} {column}: got {str(value)[:60]!r}; expected a number. Fix: leave the cell empty, or name another column."
        ) from None
    return None if math.isnan(number) else number


def read_table(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a CSV, TSV, JSON, JSON lines or parquet file.

    Raises:
        LogError: there is no such file, it is broken, or it holds no rows.
    """
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet

            rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        elif path.suffix in (".csv", ".tsv"):
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows = list(csv.DictReader(lines, delimiter="\t" if path.suffix == ".tsv" else ","))
        elif path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8-sig"))
            rows = content if isinstance(content, list) else content.get("data", content.get("results", []))
        elif path.suffix == ".jsonl":
            rows = [row for _, row in json_lines(path.read_text(encoding="utf-8-sig"))]
        else:
            raise LogError(
                f"{path}: got {path.suffix or 'no ending'}; expected .csv, .tsv, .json, .jsonl or .parquet. Fix: name such a file."
            )
    except (OSError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: cannot be read: {error}. Fix: check the path and the file.") from error
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise LogError(f"{path}: holds no rows. Fix: name a file with a head line and rows, or a list of objects.")
    return rows
