"""Cells: what stands in a row, found by a path such as ``completions.*.response``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.parsing import parse_verdict
from ..data.rows import short
from ..registry.loading import nearest

_USERS, _ASSISTANTS = ("user", "human"), ("assistant", "gpt", "model")


class CellError(ValueError):
    """A row does not hold what the recipe says it holds."""


def at(row: Mapping[str, Any], path: str) -> Any:
    """Return what a path leads to; a list where ``*`` is in it.

    A step is a key, a number, or ``*`` for every element of a list. A text that holds
    JSON is looked into, and a mapping of lists of one length is a list of mappings.

    Raises:
        CellError: it leads nowhere.

    >>> at({"a": [{"b": 1}, {"b": 2}]}, "a.*.b")
    [1, 2]
    >>> at({"text": '{"chosen": "yes"}'}, "text.chosen")
    'yes'
    """
    return _follow(row, path.split("."), path)


def _follow(value: Any, steps: list[str], path: str) -> Any:
    for number, step in enumerate(steps):
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            try:
                value = json.loads(value)
            except json.JSONDecodeError:
                raise CellError(f"{path}: what stands before {step!r} is a text, and no JSON") from None
        if step == "*" and isinstance(value, Mapping) and _columns(value):
            value = [dict(zip(value, one, strict=True)) for one in zip(*value.values(), strict=True)]
        if step == "*":
            if not isinstance(value, Sequence) or isinstance(value, str):
                raise CellError(f"{path}: got {short(value)} before '*'; expected a list")
            return [_follow(one, steps[number + 1 :], path) for one in value]
        if isinstance(value, Mapping):
            if step not in value:
                raise CellError(
                    f"{path}: no {step!r}; there are {', '.join(map(str, value))}.{nearest(step, map(str, value))}"
                )
            value = value[step]
        elif isinstance(value, Sequence) and not isinstance(value, str) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise CellError(f"{path}: got {short(value)} before {step!r}; expected a mapping with it")
    return value


def _columns(value: Mapping[str, Any]) -> bool:
    """Tell whether a mapping is a list of mappings, turned on its side, as data sets store them."""
    lists = [one for one in value.values() if isinstance(one, Sequence) and not isinstance(one, str)]
    return bool(lists) and len(lists) == len(value) and len({len(one) for one in lists}) == 1


def text_at(row: Mapping[str, Any], path: str, asked: bool = False) -> str:
    """Return a text; of a conversation, what the user asked, or the last that was answered.

    Raises:
        CellError: there is no text.
    """
    cell = at(row, path)
    if isinstance(cell, Mapping):
        cell = next((cell[name] for name in ("answer", "text", "content", "value") if name in cell), cell)
    if isinstance(cell, str):
        return _without_mark(cell)
    roles = _USERS if asked else _ASSISTANTS
    said = [
        str(turn.get("content", turn.get("value")))
        for turn in (cell if isinstance(cell, Sequence) else ())
        if isinstance(turn, Mapping) and str(turn.get("role", turn.get("from"))).lower() in roles
    ]
    if not said:
        raise CellError(f"{path}: got {short(cell)}; expected a text, or a conversation with a turn of {roles[0]}")
    return _without_mark("\n\n".join(said) if asked else said[-1])


def texts_at(row: Mapping[str, Any], paths: str | Sequence[str]) -> list[str]:
    """Return several texts: at each path, or all that one path leads to.

    Raises:
        CellError: there are none.
    """
    if not isinstance(paths, str):
        return [text_at(row, path) for path in paths]
    cell = at(row, paths)
    if not isinstance(cell, Sequence) or isinstance(cell, str) or not all(isinstance(one, str) for one in cell):
        raise CellError(f"{paths}: got {short(cell)}; expected a list of texts")
    return [_without_mark(one) for one in cell]


def score_at(row: Mapping[str, Any], paths: str | Sequence[str]) -> float:
    """Return a score: a number, a number as text, or what the last turn of a conversation tells; the mean of several.

    Raises:
        CellError: there is none.
    """
    found = []
    for path in [paths] if isinstance(paths, str) else paths:
        cell = at(row, path)
        number = _number(cell)
        if number is None and isinstance(cell, Sequence) and not isinstance(cell, str):
            number = parse_verdict(text_at(row, path), ("score",), labels=(), scale=(0, 100)).score
        if number is None:
            raise CellError(f"{path}: got {short(cell)}; expected a number")
        found.append(number)
    return sum(found) / len(found)


def scores_at(row: Mapping[str, Any], paths: str | Sequence[str], count: int) -> list[float | None]:
    """Return the score of each response: of all that a path leads to; the mean over several paths.

    ``None`` where one of the paths has no number for a response, such as ``N/A``.

    Raises:
        CellError: there are not as many as responses.
    """
    columns = []
    for path in [paths] if isinstance(paths, str) else paths:
        cell = at(row, path)
        if not isinstance(cell, Sequence) or isinstance(cell, str) or len(cell) != count:
            raise CellError(f"{path}: got {short(cell)}; expected {count} scores, one for each response")
        columns.append([_number(one) for one in cell])
    found: list[float | None] = []
    for scores in zip(*columns, strict=True):
        known = [score for score in scores if score is not None]
        found.append(sum(known) / len(known) if len(known) == len(scores) else None)
    return found


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        return None
    if isinstance(cell, str):  # a number, alone or before words: "7", "9 - This score ..."
        found = re.match(r"\s*(-?\d+(?:\.\d+)?)(?=\s*$|\s*\n|\s+\D|[.:;,]\s)", cell)
        if found is None:
            return None
        cell = found[1]
    number = float(cell)
    return number if math.isfinite(number) else None


def _without_mark(text: str) -> str:
    """Return a text without the mark that says where its picture stands."""
    return text.removeprefix("<image>").removesuffix("<image>").strip() if "<image>" in text else text
