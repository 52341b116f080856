"""What the schemas of prompts and of benchmarks share."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Strict(BaseModel):
    """A mapping of known fields; another one is a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def is_name(text: str) -> bool:
    """Tell whether a text can name a prompt, a benchmark or a task."""
    return _NAME.fullmatch(text) is not None


def _name(value: Any) -> Any:
    if isinstance(value, str) and not is_name(value):
        raise ValueError("a name in small letters, digits and underscores that begins with a letter")
    return value


Name = Annotated[str, BeforeValidator(_name)]


class Source(Strict):
    """Where a prompt or a benchmark comes from."""

    paper: str | None = None
    url: str | None = None
    license: str | None = None
    note: str | None = None


Variable = bool | int | float | str | tuple[str, ...]
"""The value of a variable of a template: a word, a number, yes or no, or a list of texts."""
