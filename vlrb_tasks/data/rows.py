"""From rows to items: columns, what people say, and domains, with errors that name the row and the fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.items import Item, number_repeats
from ..core.parsing import parse_verdict
from ..registry.benchmarks import Benchmark
from ..registry.loading import nearest

ALL = "all"
"""The group of the items of a benchmark without domains."""

_IMAGE_MARK = "<image>"
_TEXTS, _NAMES = ("answer", "text", "content", "value"), ("name", "model")
_USERS, _ASSISTANTS = ("user", "human"), ("assistant", "gpt", "model")


class DataError(ValueError):
    """A fault in a data set, told with the row and what to do about it."""


def items_of(rows: Sequence[dict[str, Any]], benchmark: Benchmark, where: str) -> tuple[list[Item], list[Item]]:
    """Turn rows into items.

    Args:
        rows: one mapping a row; all have the same columns.
        benchmark: says which column holds what, and which domain an item belongs to.
        where: what the rows were read from, for errors.

    Returns:
        All items, in the order of the rows, and those among them that repeat an earlier row.

    Raises:
        DataError: no rows, a column that is missing, a value of the wrong kind, a reference that says nothing
            (a ranking that names no winner, a score that is no number), or an id of an unknown domain.
    """
    if not rows:
        raise DataError(
            f"{where}: the split {benchmark.dataset.split!r} holds no rows. "
            "Fix: check the split, and that the download is complete.",
        )
    present = set(rows[0])
    for column in _needed(benchmark):
        if column not in present:
            raise DataError(
                f"{where}: no column {column!r}; there are {', '.join(sorted(present))}.{nearest(column, present)} "
                "Fix: rename the column, or use the revision of the data set that this version was made for.",
            )
    return number_repeats(_Row(number, row, benchmark, where).item() for number, row in enumerate(rows))


def _needed(benchmark: Benchmark) -> list[str]:
    """Return the columns that must be there; tags and images may be missing where a row has none."""
    columns = benchmark.columns
    named = [columns.id, columns.question, columns.responses, columns.models, columns.images, benchmark.groups.column]
    named += [columns.ranking, columns.winner, columns.score, columns.order]
    flat: list[str] = []
    for name in named:
        if name is not None:
            flat += [name] if isinstance(name, str) else list(name)
    return list(dict.fromkeys(flat))


class _Row:
    """One row, and the item that it is."""

    def __init__(self, number: int, row: dict[str, Any], benchmark: Benchmark, where: str) -> None:
        self.number, self.row, self.benchmark, self.where = number, row, benchmark, where
        self.columns = benchmark.columns

    def fault(self, column: str, expected: str, fix: str) -> DataError:
        named = f" (id {self.row.get(self.columns.id)!r})" if self.columns.id else ""
        return DataError(
            f"{self.where} row {self.number}{named} {column}: "
            f"got {short(self.row.get(column))}; expected {expected}. Fix: {fix}",
        )

    def item(self) -> Item:
        id = self._id()
        question = self._turns(self.columns.question, _USERS)
        responses = self._responses()
        preferred, score, ranking = self._reference(len(responses))
        tags = _tags(self.row.get(self.columns.tags or ""))
        return Item(
            id, question, responses, preferred, self._group(id), tags, score, ranking, self._models(), self._answer()
        )

    def _id(self) -> str:
        if self.columns.id is None:
            return str(self.number)
        id = self.row.get(self.columns.id)
        if not isinstance(id, str | int) or isinstance(id, bool):
            raise self.fault(self.columns.id, "a text", "fill it in, or leave the row out.")
        return str(id)

    # -- texts ---------------------------------------------------------------------------------------

    def _turns(self, column: str, roles: tuple[str, ...]) -> str:
        """Return a text, or the turns of these roles in a conversation, numbered where there are several."""
        cell = _part(self.row.get(column), _TEXTS)
        if isinstance(cell, str):
            return cell
        said = []
        for turn in cell if isinstance(cell, Sequence) else ():
            role = turn.get("role", turn.get("from")) if isinstance(turn, dict) else None
            text = turn.get("content", turn.get("value")) if isinstance(turn, dict) else None
            if not isinstance(text, str) or not isinstance(role, str):
                raise self.fault(column, "a text, or a list of turns with role and content", "repair this row.")
            if role.lower() in roles:
                said.append(text.removeprefix(_IMAGE_MARK).removesuffix(_IMAGE_MARK).strip("\n"))
        if not said:
            raise self.fault(
                column, f"a text, or a conversation with a turn of {roles[0]}", "fill it in, or leave the row out."
            )
        return said[0] if len(said) == 1 else "\n\n".join(f"Turn {i}: {text}" for i, text in enumerate(said, 1))

    def _responses(self) -> tuple[str, ...]:
        column = self.columns.responses
        if column is None:
            return ()
        if not isinstance(column, str):
            return tuple(self._turns(name, _ASSISTANTS) for name in column)
        cell = _part(self.row.get(column), _TEXTS)
        if self.benchmark.mode == "pointwise" and isinstance(cell, str):
            return (cell,)
        count = {"pairwise": 2, "pointwise": 1}.get(self.benchmark.mode)
        expected = {2: "two texts", 1: "one text", None: "three texts or more"}[count]
        several = isinstance(cell, Sequence) and not isinstance(cell, str)
        texts = [_part(one, _TEXTS) for one in cell] if several else []
        if not all(isinstance(text, str) for text in texts) or (len(texts) != count if count else len(texts) < 3):
            raise self.fault(column, expected, "give every response; an empty one is ''.")
        return tuple(texts)

    def _models(self) -> tuple[str, ...]:
        column = self.columns.models
        if column is None:
            return ()
        cells = self.row.get(column) if isinstance(column, str) else [self.row.get(name) for name in column]
        cells = _part(cells, _NAMES)
        return (cells,) if isinstance(cells, str) else tuple(str(_part(cell, _NAMES)) for cell in cells or ())

    def _answer(self) -> str:
        cell = self.row.get(self.columns.reference_answer or "")
        return "" if cell is None else str(cell)

    # -- what people say -----------------------------------------------------------------------------

    def _reference(self, count: int) -> tuple[int | None, float | None, tuple[int, ...] | None]:
        """Return the preferred response, the score and the ranking; one of them at most."""
        columns = self.columns
        if columns.winner is not None:
            return self._winner(columns.winner), None, None
        if columns.best is not None:
            return tuple(columns.responses or ()).index(columns.best), None, None
        if columns.score is not None:
            return None, self._score(columns.score), None
        if columns.order is not None:
            return None, None, self._order(columns.order, count)
        assert columns.ranking is not None
        cell = self.row.get(columns.ranking)
        ranks = list(cell) if isinstance(cell, Sequence) and not isinstance(cell, str) else []
        if any(isinstance(rank, bool) for rank in ranks) or sorted(ranks, key=str) != list(range(count)):
            shown = "[0, 1] or [1, 0]" if count == 2 else f"0 to {count - 1}, each once"
            raise self.fault(
                columns.ranking,
                f"the rank of each response, {shown}, 0 being the better",
                "name one winner, or leave the row out.",
            )
        ranking = tuple(sorted(range(count), key=lambda i: ranks[i]))
        return (ranking[0], None, None) if count == 2 else (None, None, ranking)

    def _winner(self, column: str) -> int | None:
        cell = self.row.get(column)
        winners = self.benchmark.winners
        if not isinstance(cell, str) or cell not in winners:
            raise self.fault(
                column,
                f"one of {', '.join(winners)}",
                "add the word to `winners` in registry.yaml, or leave the row out.",
            )
        return {"first": 0, "second": 1}.get(winners[cell])

    def _score(self, column: str) -> float:
        """Return a number, a number as text, or the score that the last turn of a conversation tells."""
        cell = self.row.get(column)
        if isinstance(cell, Sequence) and not isinstance(cell, str):
            told = parse_verdict(self._turns(column, _ASSISTANTS), ("score",), labels=(), scale=(0, 100)).score
        else:
            try:
                told = float(cell)  # type: ignore[arg-type]
            except (TypeError, ValueError):
                told = None
        if told is None or told != told:
            raise self.fault(column, "a number, or a turn that tells one", "leave the row out.")
        return told

    def _order(self, column: str, count: int) -> tuple[int, ...]:
        cell = self.row.get(column)
        labels = "ABCDEFGHIJ"[:count]
        if not isinstance(cell, str) or sorted(cell.strip()) != list(labels):
            raise self.fault(column, f"the letters {labels} in their order, best first", "leave the row out.")
        return tuple(labels.index(letter) for letter in cell.strip())

    def _group(self, id: str) -> str:
        groups = self.benchmark.groups
        if groups.column is not None:
            return str(self.row.get(groups.column) or ALL)
        if not groups.prefixes:
            return ALL
        group = groups.of(id)
        if group is None:
            known = ", ".join(sorted(groups.prefixes))
            fix = "add the prefix and its domain to groups.prefixes in registry.yaml."
            raise self.fault(self.columns.id or "id", f"an id that begins with one of {known}", fix)
        return group


def _part(cell: Any, names: tuple[str, ...]) -> Any:
    """Return what a mapping holds under the first of these names; a cell that is none, as it is."""
    if not isinstance(cell, dict):
        return cell
    return next((cell[name] for name in names if isinstance(cell.get(name), str)), cell)


def _tags(value: Any) -> tuple[str, ...]:
    """Return the tags of a row, whichever way they are written: none, one, a list, or a list as text."""
    if value is None or value == "":
        return ()
    tags = value if isinstance(value, list | tuple) else str(value).strip("[]").split(",")
    return tuple(sorted({name for tag in tags if (name := str(tag).strip(" '\""))}))


def short(value: Any) -> str:
    """Return a value as an error shows it: at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
