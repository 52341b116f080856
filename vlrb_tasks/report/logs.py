"""Logs of votes: sample logs of lmms-eval, the benchmark's own inference files, and results per item.

Whatever the file, it becomes ballots, and the ballots become scores by the same rules.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.families import family_metrics
from ..core.items import Item, item_key
from ..core.ordering import Order
from ..core.parsing import parse_official
from ..core.records import ballot_from_record
from ..core.scoring import Metric, Score, score_ballots
from ..core.verdicts import SLOT_OUTCOMES, Verdict
from ..core.voting import Ballot, Origin, Vote, ballot, family_mode
from ..registry.benchmarks import Benchmark
from ..registry.casting import OFFICIAL, cast, reader_for, reads_officially
from ..registry.index import Registry
from ..registry.prompts import Prompt

_BENCHMARK = "vlrewardbench"  # the benchmark whose own files are read


class LogError(ValueError):
    """A fault in a log, told with file and line and what to do about it."""


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
        ballots = _from_results(path, text, registry)
        kind = "results per item"
    else:
        rows = list(_lines(path, text, notes))
        if not rows:
            raise LogError(f"{path}: holds no lines. Fix: check that the run ended.")
        if "ballot" in rows[0][1]:
            ballots, kind = _from_samples(path, rows), "sample log"
            inputs = {ballot.key: str(row.get("input", "")) for ballot, (_, row) in zip(ballots, rows, strict=True)}
        elif "filter_choice" in (rows[0][1].get("meta") or {}):
            ballots, kind = _from_inference(path, rows, registry), "inference file of VL-RewardBench"
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
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            if number == len(lines):
                notes.append(f"{path}:{number} was cut off and is left out: the run did not end")
                return
            raise LogError(f"{path}:{number} is no JSON: {error.msg}. Fix: repair or remove this line.") from error
        if not isinstance(row, dict):
            raise LogError(f"{path}:{number} is {type(row).__name__}; expected an object. Fix: name a log of votes.")
        yield number, row


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


def _from_inference(path: Path, rows: list[tuple[int, dict[str, Any]]], registry: Registry) -> list[Ballot]:
    """Read the benchmark's own inference file: a line a vote; an item is its id, question and sorted responses."""
    reader = reader_for(registry, _BENCHMARK)
    benchmark = registry.benchmark(_BENCHMARK)
    items: dict[str, Item] = {}
    votes: dict[str, list[Vote]] = {}
    for number, row in rows:
        try:
            responses = tuple(row["response"])
            ranking = list(row["ranking"] if "ranking" in row else row["human_ranking"])
            if len(responses) != 2 or sorted(ranking) != [0, 1]:
                raise ValueError(f"ranking {ranking} of {len(responses)} responses names no winner")
            swapped = {0: False, 1: True}[row["meta"]["random_number"]]
            text = row["meta"]["filter_choice"]
            key = item_key(row["id"], row["query"], responses)
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(
                f"{path}:{number} {type(error).__name__}: {error}. Fix: keep id, query, response, ranking and meta as the benchmark writes them."
            ) from error
        preferred = ranking.index(0)
        if key in items and items[key].responses != responses:  # the same pair, listed the other way round
            swapped, preferred, responses = not swapped, items[key].preferred or 0, items[key].responses
        items.setdefault(
            key, Item(row["id"], row["query"], responses, preferred, _group(benchmark, row["id"], f"{path}:{number}"))
        )
        order: Order = (1, 0) if swapped else (0, 1)
        cast_so_far = votes.setdefault(key, [])
        cast_so_far.append(reader.vote(len(cast_so_far), order, text, preferred))
    return [ballot(item, votes[key], reader.origin) for key, item in items.items()]


def _from_results(path: Path, text: str, registry: Registry) -> list[Ballot]:
    """Read results per item: ``label`` and ``prediction`` are 0 or 1, 1 for the second response."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise LogError(f"{path}:{error.lineno} is no JSON: {error.msg}. Fix: repair this line.") from error
    rows = (
        content
        if isinstance(content, list)
        else content.get("results", content.get("rows"))
        if isinstance(content, dict)
        else None
    )
    if not isinstance(rows, list) or not rows:
        raise LogError(
            f"{path}: no list of results in it. Fix: expected `results`: a list of objects with id, label and prediction."
        )
    benchmark = registry.benchmark(_BENCHMARK)
    origin = Origin(_BENCHMARK, "unknown", "the file's own predictions")
    ballots = []
    seen: Counter[str] = Counter()
    for number, row in enumerate(rows):
        where = f"{path} result {number}"
        if not isinstance(row, dict) or not isinstance(row.get("id"), str) or row.get("label") not in (0, 1):
            raise LogError(f"{where}: expected an object with id and label (0 or 1). Fix: add them.")
        prediction = row.get("prediction", row.get("pred"))
        if prediction not in (0, 1, None):
            raise LogError(
                f"{where} prediction: got {prediction!r}; expected 0, 1 or null. Fix: 1 is the second response, null no verdict."
            )
        outcome = Verdict("unparsed") if prediction is None else Verdict(SLOT_OUTCOMES[prediction])
        vote = cast(0, (0, 1), str(row.get("raw_output", "")), outcome, row["label"], official=False)
        seen[row["id"]] += 1  # ids repeat, and such files hold nothing else to tell the items apart
        key = row["id"] if seen[row["id"]] == 1 else f"{row['id']}#{seen[row['id']]}"
        ballots.append(
            Ballot(key, row["id"], _group(benchmark, row["id"], where), row["label"], (0, 0), (), (vote,), origin)
        )
    return ballots


def _group(benchmark: Benchmark, id: str, where: str) -> str:
    group = benchmark.groups.of(id)
    if group is None:
        raise LogError(
            f"{where} id: got {id!r}; expected one that begins with {', '.join(sorted(benchmark.groups.prefixes))}. Fix: add its domain to registry.yaml."
        )
    return group


# -- scores --------------------------------------------------------------------------------------------


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


# -- reading the texts again ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A vote that another parser reads differently."""

    ballot: Ballot
    before: Vote
    after: Vote


def parser_named(name: str, registry: Registry) -> Prompt | None:
    """Return the prompt whose parser a name means; ``None`` for the benchmark's own parser.

    Raises:
        RegistryError: there is neither.
    """
    return None if name == OFFICIAL else registry.prompt(name)


def answered(vote: Vote) -> str | None:
    """Return what a judge answered: its text, or ``None`` for a request that failed without one."""
    return None if vote.outcome == "failed" and not vote.text else vote.text


def _said(vote: Vote) -> tuple[object, ...]:
    return vote.outcome, vote.score, vote.ranking


def read_again(log: Log, name: str, registry: Registry) -> tuple[Log, list[Change]]:
    """Read the raw texts of a log with the parser of another prompt.

    Returns:
        The log with new verdicts and votes, and the votes whose verdict changed.

    Raises:
        LogError: the log keeps no texts.
    """
    prompt = parser_named(name, registry)
    mode = family_mode(log.origin.family)
    if prompt is not None and prompt.mode != mode:
        raise LogError(f"--parser: got {name!r}, a {prompt.mode} prompt; expected a {mode} one. Fix: see `vlrb list`.")
    if not any(vote.text for b in log.ballots for vote in b.votes):
        raise LogError(f"{log.path}: keeps no texts of the judge. Fix: --parser needs a log with raw outputs.")
    known = registry.benchmarks.get(log.origin.benchmark)
    official = prompt is None or (known is not None and reads_officially(known, prompt))
    label = name if prompt is None else f"{prompt.identity}"
    origin = replace(log.origin, rule=OFFICIAL if official else f"parser of {label}")
    ballots, changes = [], []
    for old in log.ballots:
        votes = []
        for vote in old.votes:
            text = answered(vote)
            verdict = parse_official(text) if prompt is None else prompt.read(text)
            again = cast(vote.draw, vote.order, text, verdict, old.preferred, official)
            votes.append(replace(again, tokens=vote.tokens))
            if _said(votes[-1]) != _said(vote):
                changes.append(Change(old, vote, votes[-1]))
        ballots.append(replace(old, votes=tuple(votes), origin=origin))
    return replace(log, ballots=ballots), changes
