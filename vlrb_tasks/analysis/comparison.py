"""Two runs beside each other: what differs in their scores, in their items, and in how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core.comparison import COMPARED, Difference, compare
from ..core.scoring import or_null
from ..core.voting import Ballot
from ..registry.index import Registry
from ..votes.errors import LogError
from ..votes.logs import Log, log_metrics
from ..votes.runs import run_facts
from .matrix import common_ballots


@dataclass(frozen=True)
class Changed:
    """An item that one run alone gets right."""

    key: str
    id: str
    group: str
    right_in: str


@dataclass(frozen=True)
class Comparison:
    """How a second run differs from a first one.

    Attributes:
        differences: of the main metrics, then of each domain.
        changed: the items that one run alone gets right.
        warnings: why the two may differ for another reason than the judge.
        n: how many items both have.
    """

    differences: list[Difference]
    changed: list[Changed]
    warnings: list[str]
    n: int


def compare_runs(first: Log, second: Log, registry: Registry) -> Comparison:
    """Compare two runs on the items that both have.

    Raises:
        LogError: they are of two benchmarks, or have no item in common.
    """
    if (first.origin.benchmark, first.origin.family) != (second.origin.benchmark, second.origin.family):
        raise LogError(
            f"{first.path} is of {first.origin.benchmark}, {second.path} of {second.origin.benchmark}. Fix: compare two runs of one benchmark."
        )
    ours, theirs = common_ballots(first, second)
    metrics = {metric.name: metric for metric in log_metrics(first, registry)}
    main = COMPARED[first.origin.family]
    suffix = "_strict" if first.origin.family == "pairwise" else ""
    domains = [
        name
        for name in metrics
        if name.startswith(("accuracy_", "accuracy_with_tie_", "levenshtein_distance_"))
        and name.endswith(suffix)
        and not name.startswith(("accuracy_at_", "accuracy_tag_"))
        and name not in main
    ]
    differences = [compare(metrics[name], ours, theirs) for name in (*main, *domains)]
    return Comparison(
        differences, _changed(metrics[main[0]].of_ballot, ours, theirs), _warnings(first, second, len(ours)), len(ours)
    )


def _changed(right: Any, ours: Sequence[Ballot], theirs: Sequence[Ballot]) -> list[Changed]:
    found = []
    for one, other in zip(ours, theirs, strict=True):
        before, after = right(one), right(other)
        if (before, after) in ((0, 1), (1, 0)):
            found.append(Changed(one.key, one.id, one.group, "first" if before else "second"))
    return found


def _warnings(first: Log, second: Log, n: int) -> list[str]:
    warnings = []
    for what, one, other in (
        ("prompts", first.origin.prompt, second.origin.prompt),
        ("parsers", first.origin.rule, second.origin.rule),
        ("numbers of votes", _votes(first), _votes(second)),
    ):
        if one != other:
            warnings.append(f"the {what} differ: {one}, {other}.")
    for log in (first, second):
        if len(log.ballots) > n:
            warnings.append(f"{log.path} has {len(log.ballots) - n:,} items that the other has not; they are left out.")
    one_facts, other_facts = _facts(first.path), _facts(second.path)
    for name in one_facts.keys() & other_facts.keys():
        if one_facts[name] != other_facts[name]:
            warnings.append(f"the {name} differ: {one_facts[name]}, {other_facts[name]}.")
    return warnings


def _votes(log: Log) -> str:
    return ", ".join(map(str, sorted({ballot.planned for ballot in log.ballots})))


def _facts(path: Path) -> dict[str, Any]:
    """Return how a run was made, as far as it bears on a comparison; nothing where no results file tells."""
    facts = run_facts(path)
    if facts is None:
        return {}
    return {
        "generation settings": facts.settings,
        "texts of the prompts (by hash)": facts.prompt_sha256 or None,
        "data (by fingerprint)": facts.data_fingerprint or None,
        "orders": (facts.order, facts.seed),
    }


def comparison_record(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain JSON."""

    def plain(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: [or_null(end) for end in value]
            if isinstance(value, tuple)
            else or_null(value)
            if isinstance(value, float)
            else value
            for key, value in values.items()
        }

    return {
        "n": found.n,
        "differences": [plain(asdict(one)) for one in found.differences],
        "warnings": found.warnings,
        "changed": [asdict(one) for one in found.changed],
    }
