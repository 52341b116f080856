"""``vlrb parse``: judge texts in, verdicts out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..core.parsing import parse_official
from ..core.verdicts import Verdict
from ..environment import registry
from ..registry.loading import RegistryError
from ..votes.reading_again import parser_named


def parsed_lines(lines: Iterable[str], prompt: str | None, where: str) -> Iterator[str]:
    """Give a line of JSON for each line of JSON.

    Args:
        lines: objects with ``text`` (a string, or null for a request that gave nothing) and perhaps ``prompt``.
        prompt: the prompt for lines that name none.
        where: the name of the input, for errors.

    Raises:
        RegistryError: a line is no such object, or names no prompt that there is.
    """
    known = registry()
    parsers = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise RegistryError(
                f'{where}:{number} is no JSON: {error.msg}. Fix: write each text as {{"text": "..."}} on a line of its own.'
            ) from error
        if not isinstance(row, dict) or "text" not in row or not isinstance(row["text"], str | None):
            raise RegistryError(
                f"{where}:{number} text: missing or no text; expected an object with a string `text`. Fix: add it."
            )
        name = row.get("prompt", prompt)
        if name is None:
            raise RegistryError(
                f"{where}:{number} prompt: missing; the line names none and --prompt is not given. Fix: add --prompt NAME."
            )
        if name not in parsers:
            parsers[name] = parser_named(name, known)
        reader = parsers[name]
        verdict: Verdict = parse_official(row["text"]) if reader is None else reader.read(row["text"])
        told = verdict.outcome if reader is None else reader.told(verdict)
        yield json.dumps({"verdict": told, "span": verdict.span and list(verdict.span), "rule": verdict.rule})
