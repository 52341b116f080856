"""From rows to items: columns, preferences and domains, with errors that name the row and the fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.items import Item, number_repeats
from ..registry.loading import nearest
from ..registry.schema import Benchmark


class DataError(ValueError):
    """A fault in a data set, told with the row and what to do about it."""


def items_of(rows: Sequence[dict[str, Any]], benchmark: Benchmark, where: str) -> tuple[list[Item], list[Item]]:
    """Turn rows into items.

    Args:
        rows: one mapping a row; all have the same columns.
        benchmark: says which column holds what, and which domain an id belongs to.
        where: what the rows were read from, for errors.

    Returns:
        All items, in the order of the rows, and those among them that repeat an earlier row.

    Raises:
        DataError: no rows, a column that is missing, a value of the wrong kind, a ranking that names no
            winner, or an id of an unknown domain.
    """
    if not rows:
        raise DataError(
            f"{where}: the split {benchmark.dataset.split!r} holds no rows. Fix: check the split, and that the download is complete."
        )
    columns = benchmark.columns
    needed = [
        columns.id,
        columns.question,
        columns.responses,
        columns.ranking,
        *([columns.images] if columns.images else []),
    ]
    present = set().union(*(row.keys() for row in rows[:1]))
    for column in needed:
        if column not in present:
            raise DataError(
                f"{where}: no column {column!r}; there are {', '.join(sorted(present))}.{nearest(column, present)} "
                "Fix: rename the column, or use the revision of the data set that this version was made for.",
            )
    return number_repeats(_item(number, row, benchmark, where) for number, row in enumerate(rows))


def _item(number: int, row: dict[str, Any], benchmark: Benchmark, where: str) -> Item:
    columns = benchmark.columns

    def fault(column: str, expected: str, fix: str) -> DataError:
        return DataError(
            f"{where} row {number} (id {row.get(columns.id)!r}) {column}: got {_short(row.get(column))}; expected {expected}. Fix: {fix}"
        )

    for column in (columns.id, columns.question):
        if not isinstance(row.get(column), str):
            raise fault(column, "a text", "fill it in, or leave the row out.")
    responses = row.get(columns.responses)
    if (
        not isinstance(responses, Sequence)
        or isinstance(responses, str)
        or len(responses) != 2
        or not all(isinstance(r, str) for r in responses)
    ):
        raise fault(columns.responses, "two texts", "give both responses; an empty one is ''.")
    ranking = row.get(columns.ranking)
    if (
        not isinstance(ranking, Sequence)
        or sorted(ranking, key=str) != [0, 1]
        or any(isinstance(rank, bool) for rank in ranking)
    ):
        raise fault(
            columns.ranking,
            "the rank of each response, [0, 1] or [1, 0], 0 being the better",
            "name one winner, or leave the row out.",
        )
    group = benchmark.groups.of(row[columns.id])
    if group is None:
        known = ", ".join(sorted(benchmark.groups.prefixes))
        raise fault(
            columns.id,
            f"an id that begins with one of {known}",
            "add the prefix and its domain to groups.prefixes in registry.yaml.",
        )
    return Item(
        row[columns.id],
        row[columns.question],
        tuple(responses),
        list(ranking).index(0),
        group,
        _tags(row.get(columns.tags or "")),
    )


def _tags(value: Any) -> tuple[str, ...]:
    """Return the tags of a row, whichever way they are written: none, one, a list, or a list as text."""
    if value is None or value == "":
        return ()
    tags = value if isinstance(value, list | tuple) else str(value).strip("[]").split(",")
    return tuple(sorted({name for tag in tags if (name := str(tag).strip(" '\""))}))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
