"""``vlrb validate``: faults and warnings of YAML files, and the lock of prompt versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..environment import registry
from ..registry.loading import load_prompt
from ..registry.validation import Checked, validate_all, validate_file
from ..registry.versions import LOCK, write_lock


def validated(files: Sequence[Path], lock: bool) -> tuple[str, bool]:
    """Check files, all there are if none is named, and lock the versions of their folders' prompts if asked.

    Returns:
        What was found, and whether all is fine.

    Raises:
        RegistryError: a prompt has changed and its version was not raised, so that it cannot be locked.
    """
    known = registry()
    lines: list[str] = []
    if lock:
        folders = {file.parent for file in files} or {known.places[-1].prompts}
        for folder in sorted(folders):
            write_lock(folder, [load_prompt(path) for path in sorted(folder.glob("*.yaml"))])
            lines.append(f"wrote  {folder / LOCK}")
    checked = [validate_file(file, known) for file in files] if files else validate_all(known)
    for one in checked:
        lines += _lines(one)
    faults = sum(len(one.faults) for one in checked)
    warnings = sum(len(one.warnings) for one in checked)
    lines.append(f"{len(checked)} checked, {_counted(faults, 'fault')}, {_counted(warnings, 'warning')}")
    return "\n".join(lines), not faults


def _lines(one: Checked) -> list[str]:
    head = f"{'FAULT ' if one.faults else 'ok    '} {one.what}" + (f" ({one.remark})" if one.remark else "")
    return [head, *(f"       {fault}" for fault in one.faults), *(f"       warning: {text}" for text in one.warnings)]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
