"""The journal of votes: every answer of a judge, on disk before the next batch is asked.

A folder with one file a rank, of JSON lines that are only ever appended to. Each file begins with the model that it is
of; a record for each task says which prompt and settings it was asked with; each vote has a checksum. A line that was
cut off or damaged is left out, and its vote asked again; a journal of another model, prompt or settings is refused.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from .errors import JournalError

SUFFIX = ".votes.jsonl"
FORMAT = 1


class VoteKey(NamedTuple):
    """Which answer of a judge it is.

    Attributes:
        task: the task, with its prompt where another one is asked.
        item: the item's key.
        draw: the number of the draw.
        order: ``order[slot]`` is the index of the response in that slot.
        answer: the answer whose likelihood was asked for; empty where the judge wrote.
    """

    task: str
    item: str
    draw: int
    order: tuple[int, ...]
    answer: str = ""


@dataclass(frozen=True)
class Answered:
    """What a judge answered.

    Attributes:
        text: the text, or the loss where a likelihood was asked for.
        asked: short hashes of what it was asked: text, pictures, settings.
        tokens: how many tokens went in and came out, where the adapter says so.
        failed: the request failed; it is asked again after a restart.
    """

    text: str
    asked: str
    tokens: tuple[int, int] | None = None
    failed: bool = False


@dataclass
class Loaded:
    """What the files of a journal hold.

    Attributes:
        model: the model that all files are of; ``None`` for an empty journal.
        tasks: for each task, what it was asked with.
        votes: the answers; of a key that stands twice, the last one that did not fail.
        failures: how many records are of requests that failed.
        damaged: for each file, how many lines were left out.
        files: the files, in the order in which they were read.
    """

    model: dict[str, Any] | None = None
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    votes: dict[VoteKey, Answered] = field(default_factory=dict)
    failures: int = 0
    damaged: Counter[str] = field(default_factory=Counter)
    files: list[Path] = field(default_factory=list)


# -- lines ---------------------------------------------------------------------------------------------


def line_of(record: Mapping[str, Any]) -> str:
    """Return a record as one line that ends in the checksum of what stands before it."""
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return f'{body[:-1]},"crc":"{zlib.crc32(body.encode()):08x}"}}\n'


_TAIL = len(',"crc":"00000000"}')


def record_of(line: str) -> dict[str, Any] | None:
    """Return the record of a line; ``None`` where it was cut off or damaged.

    >>> record_of(line_of({"a": 1}))
    {'a': 1, 'crc': '561bacaf'}
    >>> record_of(line_of({"a": 1})[:-3])
    """
    line = line.rstrip("\n")
    body, tail = line[:-_TAIL] + "}", line[-_TAIL:]
    if not tail.startswith(',"crc":"') or tail[8:16] != f"{zlib.crc32(body.encode()):08x}":
        return None
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def vote_record(key: VoteKey, answered: Answered) -> dict[str, Any]:
    """Return an answer as a record."""
    record: dict[str, Any] = {
        "type": "vote",
        "task": key.task,
        "item": key.item,
        "draw": key.draw,
        "order": list(key.order),
    }
    if key.answer:
        record["answer"] = key.answer
    record |= {"asked": answered.asked, "text": answered.text}
    if answered.tokens is not None:
        record["tokens"] = list(answered.tokens)
    if answered.failed:
        record["failed"] = True
    return record


# -- reading -------------------------------------------------------------------------------------------


def journal_files(folder: Path) -> list[Path]:
    """Return the files of a journal: one that is named, or all of a folder."""
    return [folder] if folder.is_file() else sorted(folder.glob(f"*{SUFFIX}"))


def load_journal(folder: Path) -> Loaded:
    """Read all files of a journal.

    Raises:
        JournalError: the files are of several models, or of one task with several prompts or settings; or a file
            cannot be read, or is no journal.
    """
    loaded = Loaded()
    for path in journal_files(folder):
        loaded.files.append(path)
        for record in _records(path, loaded.damaged):
            kind = record.get("type")
            if kind == "run":
                take_model(loaded, record, path)
            elif kind == "task":
                take_task(loaded, record, path)
            elif kind == "vote":
                _take_vote(loaded, record)
    return loaded


def _records(path: Path, damaged: Counter[str]) -> Iterator[dict[str, Any]]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: cannot be read: {error.strerror}. Fix: check the path and its rights.") from error
    lines = raw.split(b"\n")
    for number, part in enumerate(lines):
        if not part:
            continue
        record = record_of(part.decode("utf-8", errors="replace"))
        if record is None:
            damaged[path.name] += 1
        elif number == 0 and (record.get("type"), record.get("format")) != ("run", FORMAT):
            raise JournalError(f"{path}:1 is no journal of votes that this version knows. Fix: name another folder.")
        else:
            yield record


def take_model(loaded: Loaded, record: dict[str, Any], path: Path) -> None:
    """Note the model of a file; refuse another one than that of the files before."""
    model = record["model"]
    if loaded.model is None:
        loaded.model = model
    elif loaded.model != model:
        raise JournalError(
            f"{path}: is of {told(model)}; {loaded.files[0]} is of {told(loaded.model)}. Fix: keep the files of two models in two folders."
        )


def take_task(loaded: Loaded, record: dict[str, Any], path: Path) -> None:
    """Note what a task was asked with; refuse something else than in the files before."""
    name, asked = record["task"], record["asked"]
    known = loaded.tasks.setdefault(name, asked)
    if known != asked:
        raise JournalError(
            f"{path}: {name} was asked with {differing(asked, known)} than in another file. Fix: keep the two in two folders."
        )


def _take_vote(loaded: Loaded, record: dict[str, Any]) -> None:
    key = VoteKey(record["task"], record["item"], record["draw"], tuple(record["order"]), record.get("answer", ""))
    tokens = record.get("tokens")
    answered = Answered(
        record["text"], record["asked"], None if tokens is None else (tokens[0], tokens[1]), record.get("failed", False)
    )
    if answered.failed:
        loaded.failures += 1
        loaded.votes.setdefault(key, answered)
    else:
        loaded.votes[key] = answered


def told(model: Mapping[str, Any]) -> str:
    """Return a model's identity in words."""
    return " ".join(f"{key}={value}" for key, value in model.items() if value not in (None, "", {}))


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return what differs between two mappings, as ``another KEY (ONE, not OTHER)``."""
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return " and ".join(f"another {key} ({one.get(key)}, not {other.get(key)})" for key in keys)
