"""``vlrb correlate``: two columns of a file."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..analysis.correlate import MEASURES, Correlated, correlate
from ..core.intervals import interval_fields
from ..core.scoring import or_null
from ..report.table import aligned, number


def correlated(
    path: Path, reference: str, prediction: str, missing: Sequence[float], by: str | None, as_json: bool
) -> str:
    """Return the correlations of two columns, as a table or as JSON."""
    found = correlate(path, reference, prediction, missing, by)
    if as_json:
        whole = _machine(found[0])
        if by is not None:
            whole["by"] = {group.group: _machine(group) for group in found[1:]}
            whole["mean_over_groups"] = {name: or_null(_mean(found[1:], name)) for name in MEASURES}
        return json.dumps(whole, allow_nan=False)
    rows = [(by or "", *(cell for name in MEASURES for cell in (name, "95 % interval")), "n", "dropped")]
    rows += [(group.group or "all", *_cells(group), f"{group.n:,}", f"{group.dropped:,}") for group in found]
    if by is not None:
        means = [cell for name in MEASURES for cell in (number(_mean(found[1:], name)), "")]
        rows.append(("mean", *means, "", ""))
    return aligned(rows)


def _mean(groups: Sequence[Correlated], name: str) -> float:
    """Return the mean of a coefficient over the groups in which it exists."""
    values = [group.found[name].value for group in groups if not math.isnan(group.found[name].value)]
    return math.fsum(values) / len(values) if values else math.nan


def _cells(group: Correlated) -> list[str]:
    cells = []
    for found in group.found.values():
        low, high = found.interval
        cells += [number(found.value), "" if math.isnan(low) else f"{low:.4f} to {high:.4f}"]
    return cells


def _machine(group: Correlated) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, found in group.found.items():
        told[name] = or_null(found.value)
        told |= {key: or_null(end) for key, end in interval_fields(name, found.interval).items()}
    return {**told, "n": group.n, "n_dropped": group.dropped}
