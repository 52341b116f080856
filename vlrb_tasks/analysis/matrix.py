"""The matrix: several runs on the same items beside each other, and how each differs from each other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any

from ..core.comparison import COMPARED, Difference, compare, holm
from ..core.scoring import Score, or_null
from ..core.voting import Ballot
from ..registry.index import Registry
from ..votes.errors import LogError
from ..votes.logs import Log, log_metrics, score_log


def matrix(
    runs: Mapping[str, Log], registry: Registry
) -> tuple[dict[str, dict[str, Score]], list[tuple[str, str, Difference]]]:
    """Score several runs of one benchmark and compare each with each other one.

    Args:
        runs: the logs, by the name that tables give them.
        registry: for the groups of the benchmark.

    Returns:
        The scores by run, and the differences, as (first, second, difference); p values are adjusted for their number
        by Holm's method, by metric.

    Raises:
        LogError: fewer than two runs, of several benchmarks, or with no item in common.
    """
    if len(runs) < 2:
        raise LogError("two runs or more are compared. Fix: name another prompt or log.")
    families = {(log.origin.benchmark, log.origin.family) for log in runs.values()}
    if len(families) > 1:
        raise LogError(
            f"runs of {', '.join(sorted(name for name, _ in families))} do not compare. Fix: name runs of one benchmark."
        )
    scores = {name: score_log(log, registry) for name, log in runs.items()}
    differences = []
    for one, other in combinations(runs, 2):
        first, second = common_ballots(runs[one], runs[other])
        metrics = {metric.name: metric for metric in log_metrics(runs[one], registry)}
        for name in COMPARED[runs[one].origin.family]:
            differences.append((one, other, compare(metrics[name], first, second)))
    return scores, _adjusted(differences)


def common_ballots(one: Log, other: Log) -> tuple[list[Ballot], list[Ballot]]:
    """Return the ballots of two runs on the items that both have, in the same order.

    Raises:
        LogError: there are none.
    """
    by_key = {ballot.key: ballot for ballot in other.ballots}
    first = sorted((ballot for ballot in one.ballots if ballot.key in by_key), key=lambda ballot: ballot.key)
    if not first:
        raise LogError(f"{one.path} and {other.path} have no item in common. Fix: compare runs on the same data.")
    return first, [by_key[ballot.key] for ballot in first]


def _adjusted(differences: list[tuple[str, str, Difference]]) -> list[tuple[str, str, Difference]]:
    found = list(differences)
    for metric in {difference.metric for _, _, difference in differences}:
        places = [i for i, (_, _, d) in enumerate(differences) if d.metric == metric and d.p is not None]
        for place, p in zip(places, holm([differences[i][2].p or 0.0 for i in places]), strict=True):
            one, other, difference = differences[place]
            found[place] = (one, other, replace(difference, p=p))
    return found


def matrix_record(
    scores: Mapping[str, Mapping[str, Score]], differences: Sequence[tuple[str, str, Difference]]
) -> dict[str, Any]:
    """Return the same as plain JSON."""

    def plain(difference: Difference) -> dict[str, Any]:
        record = asdict(difference)
        record["interval"] = [or_null(end) for end in difference.interval]
        return {key: or_null(value) if isinstance(value, float) else value for key, value in record.items()}

    return {
        "scores": {run: {name: or_null(score.value) for name, score in one.items()} for run, one in scores.items()},
        "differences": [{"from": one, "to": other, **plain(difference)} for one, other, difference in differences],
    }
