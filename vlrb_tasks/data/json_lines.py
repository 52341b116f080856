"""JSON lines: a value a line. A line ends at a newline and nowhere else; U+2028, U+0085 and NUL are part of a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


class JsonLineError(ValueError):
    """A line that is not JSON.

    Attributes:
        line: its number, from 1.
        reason: what is wrong with it.
        last: whether it is the last line, which a run that was killed may have left half written.
    """

    def __init__(self, line: int, reason: str, last: bool) -> None:
        super().__init__(f"line {line} is not JSON: {reason}")
        self.line, self.reason, self.last = line, reason, last


def json_lines(lines: str | Iterable[str]) -> Iterator[tuple[int, Any]]:
    r"""Yield the number, from 1, and the value of each line that is not blank.

    Args:
        lines: a text, or lines as they are read from a file that was opened with ``newline="\n"``.

    Raises:
        JsonLineError: a line is not JSON. Values before it have been given by then.

    >>> list(json_lines('{"a": 1}\n\n[2]\n'))
    [(1, {'a': 1}), (3, [2])]
    """
    rest = iter(lines.split("\n") if isinstance(lines, str) else lines)
    number, line = 0, next(rest, None)
    while line is not None:
        number, following = number + 1, next(rest, None)
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                raise JsonLineError(number, error.msg, following is None) from error
        line = following
