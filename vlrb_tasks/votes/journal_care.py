"""Care of journals: several made one, and one put in order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .errors import JournalError
from .journal import lock
from .journal_records import (
    FORMAT,
    SUFFIX,
    Loaded,
    journal_files,
    line_of,
    load_journal,
    take_model,
    take_task,
    vote_record,
)


def merge_journals(folders: Iterable[Path], target: Path) -> Loaded:
    """Write the votes of one or more journals into one file, without failures and repeats.

    Raises:
        JournalError: they are of several models, prompts or settings, or the target holds a journal already.
    """
    whole = Loaded()
    for folder in folders:
        part = load_journal(folder)
        if part.model is None:
            raise JournalError(f"{folder}: holds no votes (*{SUFFIX}). Fix: name the folder of a journal.")
        whole.files += part.files
        take_model(whole, {"model": part.model}, folder)
        for name, asked in part.tasks.items():
            take_task(whole, {"task": name, "asked": asked}, folder)
        whole.votes.update((key, vote) for key, vote in part.votes.items() if not vote.failed)
        whole.failures += part.failures
        whole.damaged += part.damaged
    if journal_files(target):
        raise JournalError(f"{target}: holds a journal already. Fix: name a new folder.")
    _write_whole(target, whole)
    return whole


def _write_whole(target: Path, whole: Loaded) -> None:
    target.mkdir(parents=True, exist_ok=True)
    path, new = target / f"rank-00000{SUFFIX}", target / f"rank-00000{SUFFIX}.new"
    records: list[dict[str, Any]] = [{"type": "run", "format": FORMAT, "model": whole.model}]
    records += [{"type": "task", "task": name, "asked": asked} for name, asked in whole.tasks.items()]
    records += [vote_record(key, vote) for key, vote in whole.votes.items()]
    with new.open("w", encoding="utf-8") as file:
        file.writelines(map(line_of, records))
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def compact_journal(folder: Path) -> Loaded:
    """Put a journal into one file, without failures, repeats and damaged lines.

    Raises:
        JournalError: there is none, or it is in use.
    """
    files = journal_files(folder)
    if not files:
        raise JournalError(f"{folder}: holds no votes (*{SUFFIX}). Fix: name the folder of a journal.")
    held = [open(path, "ab") for path in files]  # noqa: SIM115  (kept open while they are rewritten)
    try:
        for file, path in zip(held, files, strict=True):
            lock(file, path)
        whole = load_journal(folder)
        whole.votes = {key: vote for key, vote in whole.votes.items() if not vote.failed}
        _write_whole(folder, whole)
        for path in files:
            if path != folder / f"rank-00000{SUFFIX}":
                path.unlink()
    finally:
        for file in held:
            file.close()
    return whole
