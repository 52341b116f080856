"""What callers know and tell nobody: values of lmms-eval's own frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def local_of_a_caller(name: str, fits: Callable[[Any], bool]) -> Any:
    """Return the local variable ``name`` of the nearest caller that has one that fits; ``None`` if none has.

    Simple and chat adapters want different requests, and lmms-eval tells a task of its own class nothing
    about the model. The evaluator holds the model in ``lm`` while it has a task build its requests, in every
    way of starting an evaluation; a task manager has ``task_type`` while it makes one.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        value = frame.f_locals.get(name)
        if value is not None and fits(value):
            return value
        frame = frame.f_back
    return None


def called_by(function: str) -> bool:
    """Tell whether a function of this name is among the callers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == function:
            return True
        frame = frame.f_back
    return False
