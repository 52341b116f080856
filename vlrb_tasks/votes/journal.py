"""Writing a journal of votes: every answer of a judge, on disk before the next batch is asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import JournalError
from .journal_records import FORMAT, SUFFIX, Answered, VoteKey, differing, line_of, load_journal, told, vote_record


class Journal:
    """A journal that is read once and appended to.

    Args:
        folder: the folder; it is created.
        model: the identity of the model.
        rank: the number of this process; each has a file of its own.

    Raises:
        JournalError: the journal is of another model, is in use by another run, or cannot be written.
    """

    def __init__(self, folder: Path, model: Mapping[str, Any], rank: int = 0) -> None:
        self.folder, self.path = folder, folder / f"rank-{rank:05d}{SUFFIX}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.loaded = load_journal(folder)
            if self.loaded.model is not None and self.loaded.model != dict(model):
                raise JournalError(
                    f"{folder}: holds votes of {told(self.loaded.model)}; this run is of {told(model)}. "
                    "Fix: name another folder, journal=...; votes of two models are never mixed."
                )
            self._file = open(self.path, "ab")  # noqa: SIM115  (kept open for the run)
            lock(self._file, self.path)
            self._repair()
            if self._file.tell() == 0:
                self._write([{"type": "run", "format": FORMAT, "model": dict(model)}])
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._written: set[str] = set()

    def task(self, name: str, asked: Mapping[str, Any]) -> None:
        """Note what a task is asked with, once.

        Raises:
            JournalError: the journal holds votes of this task that were asked with something else.
        """
        if name in self._written:
            return
        known = self.loaded.tasks.get(name)
        if known is not None and known != dict(asked):
            raise JournalError(
                f"{self.folder}: votes of {name} were asked with {differing(known, asked)}. "
                "Fix: name another folder, journal=...; votes of two prompts or settings are never mixed."
            )
        self._written.add(name)
        self._write([{"type": "task", "task": name, "asked": dict(asked)}])

    def answer(self, key: VoteKey, asked: str) -> Answered | None:
        """Return what was answered before, if it was and did not fail.

        Raises:
            JournalError: the vote was asked with another text, picture or setting.
        """
        found = self.loaded.votes.get(key)
        if found is None or found.failed:
            return None
        if found.asked != asked:
            parts = zip(("text", "picture", "setting"), found.asked.split("."), asked.split("."), strict=False)
            what = " and ".join(f"another {name}" for name, before, now in parts if before != now)
            raise JournalError(
                f"{self.folder}: draw {key.draw} of item {key.item} of {key.task} was asked with {what}. Fix: name another folder, journal=..."
            )
        return found

    def add(self, votes: Iterable[tuple[VoteKey, Answered]]) -> None:
        """Append answers. When this returns they survive the end of this process.

        Raises:
            JournalError: they cannot be written.
        """
        self._write([vote_record(key, answered) for key, answered in votes])

    def _write(self, records: Iterable[Mapping[str, Any]]) -> None:
        data = "".join(map(line_of, records)).encode()
        try:
            while data:
                written = os.write(self._file.fileno(), data)
                data = data[written:]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _repair(self) -> None:
        """Cut off a last line that was not written to its end, so that the next one stands alone."""
        raw = self.path.read_bytes()
        whole = raw.rfind(b"\n") + 1
        if whole < len(raw):
            os.truncate(self.path, whole)
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Flush to the disk and release the file."""
        os.fsync(self._file.fileno())
        self._file.close()


def lock(file: Any, path: Path) -> None:
    """Hold a file against other runs; refuse one that is held."""
    try:
        import fcntl
    except ImportError:  # no locks on this system
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise JournalError(
            f"{path}: is in use by another run. Fix: wait for it, or name another folder, journal=..."
        ) from error


def _unwritable(path: Path, error: OSError) -> JournalError:
    return JournalError(
        f"{path}: cannot be written: {error.strerror}. Fix: make room or correct its rights, then run the same command again; all votes that are in it are kept."
    )
