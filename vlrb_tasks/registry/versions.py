"""Versions: a lock of fingerprints, so that a prompt does not change under a version that results were made with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from .loading import RegistryError, read_yaml
from .prompts import Prompt
from .rendering import fingerprint

LOCK = "versions.lock"
"""The file beside the prompts: for each the version and the fingerprint that it was last released with."""

_HEAD = "# Written by `vlrb validate --lock`: the version and the fingerprint that each prompt was last locked with.\n"

Lock = dict[str, tuple[int, str]]


def read_lock(folder: Path) -> Lock | None:
    """Return the lock of a folder of prompts; ``None`` where it has none.

    Raises:
        RegistryError: the file is no lock.
    """
    path = folder / LOCK
    if not path.is_file():
        return None
    content, _ = read_yaml(path)
    try:
        return {str(id): (int(entry["version"]), str(entry["sha256"])) for id, entry in (content or {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RegistryError(
            f"{path}:1 is no lock: {error}. Fix: take it from git, or remove it and run `vlrb validate --lock`."
        ) from error


def version_fault(prompt: Prompt, lock: Mapping[str, tuple[int, str]]) -> str | None:
    """Return why a prompt's version does not fit what the lock says, if it does not."""
    if prompt.id not in lock:
        return None
    version, locked = lock[prompt.id]
    if prompt.version < version:
        return f"got {prompt.version}; expected {version} or more, which is locked. Fix: raise it."
    changed = fingerprint(prompt) != locked
    if changed and prompt.version == version:
        return (
            f"the text or the parser is not that of version {version}, and results of the two would not compare. "
            f"Fix: set version: {version + 1}, then run `vlrb validate --lock`; or undo the change."
        )
    if prompt.version > version:
        return f"{prompt.version} is not in versions.lock, {version} is. Fix: run `vlrb validate --lock`."
    return None


def write_lock(folder: Path, prompts: Iterable[Prompt]) -> None:
    """Lock prompts as they are.

    Raises:
        RegistryError: a prompt has changed and its version was not raised.
    """
    lock = read_lock(folder) or {}
    entries = {}
    for prompt in prompts:
        version, locked = lock.get(prompt.id, (0, ""))
        found = fingerprint(prompt)
        if prompt.version < version or (prompt.version == version and found != locked):
            raise RegistryError(f"{folder / LOCK}: prompt {prompt.id} version: {version_fault(prompt, lock)}")
        entries[prompt.id] = {"version": prompt.version, "sha256": found}
    (folder / LOCK).write_text(_HEAD + yaml.safe_dump(entries), encoding="utf-8")
