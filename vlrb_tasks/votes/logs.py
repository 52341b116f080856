"""Logs of votes: sample logs of lmms-eval, the benchmark's own inference files, and results per item.

Whatever the file, it becomes ballots, and the ballots become scores by the same rules.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.families import family_metrics
from ..core.records import ballot_from_record
from ..core.scoring import Metric, Score, score_ballots
from ..core.voting import Ballot, Origin
from ..data.json_lines import JsonLineError, json_lines
from ..registry.index import Registry
from .errors import LogError
from .other_logs import from_inference, from_results


@dataclass(frozen=True)
class Log:
    """The ballots of one run on one benchmark, and what kind of file they were read from."""

    path: Path
    kind: str
    ballots: list[Ballot]
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What was asked about each item, by key, with the responses as the data has them; where the log keeps it."""

    @property
    def origin(self) -> Origin:
        """What the ballots were judged with."""
        return self.ballots[0].origin


def find_logs(path: Path) -> list[Path]:
    """Return the log files that a path names: itself, or the sample logs anywhere below a folder."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise LogError(f"{path}: no such file or folder. Fix: name a sample log, or the --output_path of a run.")
    found = sorted(path.rglob("*_samples_*.jsonl"))
    if not found:
        raise LogError(
            f"{path}: no sample logs (*_samples_*.jsonl) in it. Fix: run lmms-eval with --log_samples --output_path {path}."
        )
    return found


def read_log(path: Path, registry: Registry) -> Log:
    """Read a file of votes.

    Three kinds are known: a sample log of lmms-eval (JSON lines with ``ballot``), an inference file of
    VL-RewardBench (JSON lines with ``meta.filter_choice``), and results per item (JSON with ``results`` or
    ``rows`` of ``id``, ``label`` and ``prediction`` or ``pred``). Each may be compressed (``.gz``).

    Raises:
        LogError: the file is none of these, is broken, or holds an item twice.
    """
    text = _text(path)
    notes: list[str] = []
    inputs: dict[str, str] = {}
    if path.name.removesuffix(".gz").endswith(".json"):
        ballots = from_results(path, text, registry)
        kind = "results per item"
    else:
        rows = list(_lines(path, text, notes))
        if not rows:
            raise LogError(f"{path}: holds no lines. Fix: check that the run ended.")
        if "ballot" in rows[0][1]:
            ballots, kind = _from_samples(path, rows), "sample log"
            inputs = {ballot.key: str(row.get("input", "")) for ballot, (_, row) in zip(ballots, rows, strict=True)}
        elif "filter_choice" in (rows[0][1].get("meta") or {}):
            ballots, kind = from_inference(path, rows, registry), "inference file of VL-RewardBench"
        else:
            raise LogError(
                f"{path}:1 is neither a sample log with ballots nor an inference file of VL-RewardBench; it has {', '.join(sorted(rows[0][1]))}. "
                "Fix: name the log of a judge task of vlrb-tasks.",
            )
    again = [key for key, count in Counter(ballot.key for ballot in ballots).items() if count > 1]
    if again:
        raise LogError(f"{path}: {len(again)} items stand twice (first: {again[0]}). Fix: keep one run a file.")
    return Log(path, kind, ballots, tuple(notes), inputs)


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise LogError(f"{path}: cannot be read: {error}. Fix: check the path and that the file is whole.") from error


def _lines(path: Path, text: str, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows with their line numbers. A last line that was cut off is left out, with a note."""
    try:
        for number, row in json_lines(text):
            if not isinstance(row, dict):
                raise LogError(
                    f"{path}:{number} is {type(row).__name__}; expected an object. Fix: name a log of votes."
                )
            yield number, row
    except JsonLineError as error:
        if not error.last:
            raise LogError(
                f"{path}:{error.line} is no JSON: {error.reason}. Fix: repair or remove this line."
            ) from error
        notes.append(f"{path}:{error.line} was cut off and is left out: the run did not end")


def _from_samples(path: Path, rows: list[tuple[int, dict[str, Any]]]) -> list[Ballot]:
    ballots = []
    for number, row in rows:
        try:
            ballots.append(ballot_from_record(row["ballot"]))
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(
                f"{path}:{number} ballot: {error}. Fix: name a log that this version of vlrb-tasks wrote."
            ) from error
    return ballots


def log_metrics(log: Log, registry: Registry) -> list[Metric]:
    """Return the metrics of a log: those of its benchmark, for as many votes as an item has."""
    known = registry.benchmarks.get(log.origin.benchmark)
    groups = known.groups.order if known is not None else ()
    groups = groups or tuple(sorted({b.group for b in log.ballots}))
    tags = sorted({tag for b in log.ballots for tag in b.tags})
    soft = any(vote.shares is not None for b in log.ballots for vote in b.votes)
    partly = any(b.plan is not None for b in log.ballots)
    return family_metrics(log.origin.family, groups, max(b.planned for b in log.ballots), tags, soft, partly)


def score_log(log: Log, registry: Registry) -> dict[str, Score]:
    """Return the scores of a log."""
    return score_ballots(log.ballots, log_metrics(log, registry))
