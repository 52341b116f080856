"""Runs: a log of votes, its scores, and how it was made, as the results file beside the log tells."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..core.controls import SHOWN, control_ballots
from ..core.scoring import Score, score_ballots
from ..registry.index import Registry
from .errors import LogError
from .logs import Log, find_logs, log_metrics, read_log, score_log


@dataclass(frozen=True)
class RunFacts:
    """How a run was made. What an older log does not tell is empty.

    Attributes:
        task: the name of the task.
        model: the adapter, and ``model_args`` as it was given them.
        limit: of ``--limit``; ``None`` for a full run.
        settings: of generation.
        prompt_sha256: of all that decides what the judge was shown and how its answer was read.
        data: where the rows came from, with their ``data_revision`` and ``data_fingerprint``.
        order: the order policy, with its ``seed``.
        draws: K.
        variables: values that the task gave the prompt's variables.
        options: settings of an embedded benchmark.
        items: how many the data holds.
        tokens: prompt and answer, of all votes; 0 where the adapter does not count.
    """

    task: str
    model: str
    model_args: str
    limit: float | None
    date: str
    seconds: float | None
    settings: Mapping[str, Any]
    prompt_sha256: str
    data: str
    data_revision: str | None
    data_fingerprint: str
    order: str
    seed: int
    draws: int
    variables: Mapping[str, Any]
    options: Mapping[str, int]
    items: int
    versions: Mapping[str, str]
    hardware: str

    @property
    def revision(self) -> str | None:
        """The revision of the model, where its arguments name one."""
        found = re.search(r"(?:^|,)revision=([^,]+)", self.model_args)
        return found[1] if found else None

    @property
    def judge(self) -> str:
        """The judge in a word: the checkpoint that the adapter loads, or the adapter and its policy."""
        named = re.search(r"(?:^|,)(?:pretrained|model_version|model|model_name|model_path)=([^,]+)", self.model_args)
        if named:
            path = named[1].rstrip("/")
            return Path(path).name if path.startswith(("/", ".")) else path
        policy = re.search(r"(?:^|,)policy=([^,]+)", self.model_args)
        return f"{self.model} {policy[1]}" if policy else self.model


def run_facts(log: Path) -> RunFacts | None:
    """Return how a run was made; ``None`` where no results file stands beside its log, or it is none of ours."""
    date, mark, task = log.name.removesuffix(".gz").removesuffix(".jsonl").partition("_samples_")
    if not mark:
        return None
    try:
        results = json.loads((log.parent / f"{date}_results.json").read_text(encoding="utf-8"))
        settings, run = results["configs"][task], results.get("config") or {}
        judge = settings["judge"]
        arguments = run.get("model_args") or ""
        if isinstance(arguments, Mapping):
            arguments = ",".join(f"{key}={value}" for key, value in arguments.items())
        return RunFacts(
            task=task,
            model=str(run.get("model", "")),
            model_args=str(arguments),
            limit=run.get("limit"),
            date=str(results.get("date", date)),
            seconds=results.get("total_evaluation_time_seconds"),
            settings=settings.get("generation_kwargs") or {},
            prompt_sha256=judge.get("prompt_sha256", ""),
            data=judge.get("data", ""),
            data_revision=judge.get("revision"),
            data_fingerprint=judge.get("data_fingerprint", ""),
            order=judge.get("order", ""),
            seed=judge.get("seed", 0),
            draws=judge.get("draws", 0),
            variables=judge.get("variables") or {},
            options=judge.get("options") or {},
            items=judge.get("items", 0),
            versions=judge.get("versions") or {},
            hardware=judge.get("hardware", ""),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@dataclass(frozen=True)
class Run:
    """A run with the name that tables and pages give it."""

    name: str
    log: Log
    facts: RunFacts | None
    registry: Registry = field(repr=False)

    @property
    def family(self) -> str:
        """The metrics that it is measured by."""
        return self.log.origin.family

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Its scores, by metric."""
        return score_log(self.log, self.registry)

    @cached_property
    def groups(self) -> list[str]:
        """The domains, in the order of the benchmark."""
        known = self.registry.benchmarks.get(self.log.origin.benchmark)
        there = {ballot.group for ballot in self.log.ballots}
        order = [group for group in (known.groups.order if known else ()) if group in there]
        return [*order, *sorted(there - set(order))]

    @cached_property
    def controls(self) -> dict[str, dict[str, Score]]:
        """The scores of judges that do not look, on the same items and orders; none where nothing is compared.

        ``longer`` is among them only where the log knows how long the responses are.
        """
        if not self.family.startswith("pairwise"):
            return {}
        metrics = log_metrics(self.log, self.registry)
        known = any(len(set(ballot.lengths)) > 1 for ballot in self.log.ballots)
        shown = [name for name in SHOWN if known or name != "longer"]
        return {name: score_ballots(control_ballots(self.log.ballots, name), metrics) for name in shown}

    @property
    def tokens(self) -> int:
        """The tokens of all votes, prompt and answer; 0 where the adapter does not count."""
        return sum(sum(vote.tokens) for ballot in self.log.ballots for vote in ballot.votes if vote.tokens)

    @property
    def missing(self) -> int:
        """How many items of the data were not judged, as far as the run tells."""
        return 0 if self.facts is None else max(0, self.facts.items - len(self.log.ballots))


def load_run(path: Path, registry: Registry, name: str | None = None) -> Run:
    """Load one log as a run.

    Raises:
        LogError: there is no log of votes.
    """
    log = read_log(path, registry)
    facts = run_facts(path)
    return Run(name or (facts.judge if facts else path.name.partition(".")[0]), log, facts, registry)


def load_runs(paths: Sequence[Path], registry: Registry) -> list[Run]:
    """Load runs of one benchmark, each with a name of its own.

    Args:
        paths: logs, or folders with logs; ``NAME=PATH`` gives a run its name.
        registry: the registry.

    Raises:
        LogError: a path holds no log, or the runs are of several benchmarks.
    """
    runs: list[Run] = []
    for given in paths:
        name, mark, rest = str(given).partition("=")
        named = bool(mark) and not given.exists()
        for path in find_logs(Path(rest) if named else given):
            runs.append(load_run(path, registry, name if named else None))
    kinds = sorted({f"{run.log.origin.benchmark} ({run.log.origin.family})" for run in runs})
    if len(kinds) > 1:
        raise LogError(f"runs of {', '.join(kinds)} do not go on one page. Fix: name runs of one benchmark.")
    return _told_apart(runs)


def _told_apart(runs: list[Run]) -> list[Run]:
    """Give runs of one name their prompt, their folder or a number beside it."""
    for detail in (lambda r: r.log.origin.prompt, lambda r: r.log.path.parent.name, lambda r: str(r.log.path)):
        count = Counter(run.name for run in runs)
        runs = [
            run if count[run.name] == 1 else Run(f"{run.name} ({detail(run)})", run.log, run.facts, run.registry)
            for run in runs
        ]
    count = Counter(run.name for run in runs)
    again = [name for name, times in count.items() if times > 1]
    if again:
        raise LogError(f"{again[0]}: named twice. Fix: name each run once, or give them names: NAME=PATH.")
    return runs
