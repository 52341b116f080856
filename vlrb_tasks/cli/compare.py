"""``vlrb compare`` and ``vlrb power``."""

from __future__ import annotations

import json
from pathlib import Path

from ..analysis.comparison import compare_runs, comparison_record
from ..core.power import needs
from ..environment import registry
from ..report.differences import comparison_text
from ..report.table import aligned
from ..votes.errors import LogError
from ..votes.logs import find_logs, read_log


def compared(first: Path, second: Path, every_item: bool, as_json: bool) -> str:
    """Compare two runs: each a log, or a folder with one log.

    Raises:
        LogError: a path holds no log or several, or the two do not compare.
    """
    known = registry()
    logs = []
    for path in (first, second):
        found = find_logs(path)
        if len(found) > 1:
            raise LogError(
                f"{path}: holds {len(found)} logs. Fix: name one of them: {', '.join(map(str, found[:4]))} ..."
            )
        logs.append(read_log(found[0], known))
    result = compare_runs(logs[0], logs[1], known)
    if as_json:
        return json.dumps(comparison_record(result), allow_nan=False)
    names = (first.name or str(first), second.name or str(second))
    if names[0] == names[1]:
        names = (str(first), str(second))
    return (
        f"{logs[0].origin.benchmark}: {names[0]} ({logs[0].origin.prompt}), {names[1]} ({logs[1].origin.prompt})\n\n"
        + comparison_text(result, names, every_item)
    )


def power_table(accuracy: float, difference: float, spread: float, alpha: float, power: float) -> str:
    """Return how many items and votes it takes to see a difference.

    Raises:
        ValueError: a number is out of its range.
    """
    rows = [
        ("Votes an item", "Accuracy", "Other judge", "Discordant items", "Items needed", "Votes in all, each judge")
    ]
    for need in needs(accuracy, difference, spread, (1, 3, 5, 7, 9), alpha, power):
        rows.append(
            (
                str(need.votes),
                f"{need.first:.4f}",
                f"{need.second:.4f}",
                f"{need.discordant:.4f}",
                "-" if need.items is None else f"{need.items:,}",
                "-" if need.judgments is None else f"{need.judgments:,}",
            )
        )
    return (
        f"To see that a judge's votes are right in {accuracy + difference:.1%} instead of {accuracy:.1%}, by McNemar's test at {alpha:g}, "
        f"with a chance of {power:.0%}:\n\n{aligned(rows)}"
    )
