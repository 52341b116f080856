"""The exit code: lmms-eval ends with 0 even after an error; a run that failed must not."""

from __future__ import annotations

import atexit
import os
import sys
import traceback

from .callers import called_by


class ExitCode:
    """Ends the process with 1 unless the run is told to have ended well.

    It acts only where lmms-eval was started as a command: a program that calls ``simple_evaluate`` gets exceptions.
    """

    def __init__(self) -> None:
        self._active = called_by("cli_evaluate")
        self._reason: str | None = "the run did not end"
        if self._active:
            atexit.register(self._end)

    def fine(self) -> None:
        """The run ended, and its votes may be used."""
        self._reason = None

    def failed(self, reason: str) -> None:
        """The run ended, and its votes may not be used."""
        self._reason = reason

    def abandon(self) -> None:
        """End this process at once, in the middle of an exception: others that run beside it would wait for it for ever."""
        if self._active:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def _end(self) -> None:
        if self._reason is not None:
            print(f"vote_judge: exit code 1: {self._reason}", file=sys.stderr)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)
