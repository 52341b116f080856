"""Differences of runs, as text: two runs beside each other, and the matrix of several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..analysis.comparison import Comparison
from ..core.comparison import Difference
from ..core.scoring import Score
from .table import aligned, number

_BESIDE = ("coverage_strict", "unparsed_rate", "failed_rate", "first_slot_rate", "vote_agreement")


def difference_cells(found: Difference) -> tuple[str, str, str, str]:
    """Return a paired difference as cells: the difference, its interval, items better and worse, and p."""
    low, high = found.interval
    return (
        "-" if math.isnan(found.difference) else f"{found.difference:+.4f}",
        "" if math.isnan(low) else f"{low:+.4f} to {high:+.4f}",
        "" if found.only_second is None else f"{found.only_second} : {found.only_first}",
        "" if found.p is None else f"{found.p:.4f}" if found.p >= 0.0001 else "<0.0001",
    )


def comparison_text(found: Comparison, names: tuple[str, str], every_item: bool = False) -> str:
    """Return a comparison as text: a table, what to beware of, and the items that changed."""
    rows: list[Sequence[str]] = [("Metric", *names, "difference", "95 % interval", "better : worse", "p", "n")]
    for one in found.differences:
        rows.append((one.metric, number(one.first), number(one.second), *difference_cells(one), f"{one.n:,}"))
    shown = found.changed if every_item else found.changed[:10]
    lines = [aligned(rows), "", "Paired differences, intervals by bootstrap over items, p by McNemar's exact test."]
    lines += [f"WARNING: {warning}" for warning in found.warnings]
    lines += ["", f"{len(found.changed)} of {found.n:,} items are right in one run alone" + (":" if shown else ".")]
    lines += [f"  {item.id} ({item.group}): right in {names[item.right_in == 'second']}" for item in shown]
    if len(shown) < len(found.changed):
        lines.append(f"  ... and {len(found.changed) - len(shown)} more; --items lists all")
    return "\n".join(lines)


def matrix_tables(scores: Mapping[str, Mapping[str, Score]], differences: Sequence[tuple[str, str, Difference]]) -> str:
    """Return the scores and the differences as two tables."""
    headline = list(dict.fromkeys(difference.metric for _, _, difference in differences))
    columns = [*headline, *(name for name in _BESIDE if all(name in one for one in scores.values()))]
    rows: list[Sequence[str]] = [("", *columns, "items")]
    for name, one in scores.items():
        rows.append((name, *(number(one[column].value) for column in columns), f"{one[headline[0]].n:,}"))
    changes: list[Sequence[str]] = [("Difference", "metric", "value", "95 % interval", "better : worse", "p", "n")]
    for one_name, other, found in differences:
        changes.append((f"{other} - {one_name}", found.metric, *difference_cells(found), f"{found.n:,}"))
    tests = len({(one, other) for one, other, _ in differences})
    note = "p: McNemar's exact test" + (f", adjusted for {tests} comparisons by Holm's method." if tests > 1 else ".")
    return "\n\n".join(
        [aligned(rows), aligned(changes), f"Intervals of paired differences, by bootstrap over items. {note}"]
    )
