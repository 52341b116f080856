"""``vlrb journal``: look at journals of votes, merge them, and put them in order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ..report.table import aligned
from ..votes.errors import JournalError
from ..votes.journal_care import compact_journal, merge_journals
from ..votes.journal_records import SUFFIX, Loaded, load_journal, told


def inspected(folder: Path) -> str:
    """Return what a journal holds: model, tasks, votes, and what was left out.

    Raises:
        JournalError: there is none, or its files do not belong together.
    """
    if not folder.exists():
        raise JournalError(f"{folder}: no such file or folder. Fix: name the folder that journal= named.")
    loaded = load_journal(folder)
    if loaded.model is None:
        raise JournalError(f"{folder}: holds no votes (*{SUFFIX}). Fix: name the folder that journal= named.")
    answered = [key for key, vote in loaded.votes.items() if not vote.failed]
    votes = Counter(key.task for key in answered)
    items = Counter(task for task, _ in {(key.task, key.item) for key in answered})
    rows = [("Task", "Prompt", "Items", "Votes")]
    rows += [
        (task, str(asked.get("prompt")), f"{items[task]:,}", f"{votes[task]:,}") for task, asked in loaded.tasks.items()
    ]
    lines = [f"{folder}: votes of {told(loaded.model)}, in {len(loaded.files)} files", "", aligned(rows, left=True), ""]
    return "\n".join([*lines, _rest(loaded)])


def _rest(loaded: Loaded) -> str:
    pending = sum(vote.failed for vote in loaded.votes.values())
    damaged = ", ".join(f"{count} in {name}" for name, count in loaded.damaged.items())
    return (
        f"{loaded.failures:,} requests failed; {pending:,} votes have no answer yet and are asked again. "
        f"Damaged lines: {damaged or 'none'}."
    )


def merged(folders: list[Path], output: Path) -> str:
    """Merge journals into a new one and return what it holds.

    Raises:
        JournalError: they do not belong together, or the output holds one already.
    """
    merge_journals(folders, output)
    return inspected(output)


def compacted(folder: Path) -> str:
    """Put a journal into one file and return what it holds.

    Raises:
        JournalError: there is none, or it is in use.
    """
    compact_journal(folder)
    return inspected(folder)
