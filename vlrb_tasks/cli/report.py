"""``vlrb report``, ``vlrb plot`` and ``vlrb table``: results to look at and to print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ..environment import mirror, registry
from ..report.figures import figures
from ..report.judges_table import Rule, judges_table, latex_table, markdown_table, text_table
from ..report.page import report_page
from ..votes.runs import load_runs

Form = Literal["markdown", "latex", "text"]


def write_report(paths: Sequence[Path], output: Path, title: str | None, pictures: bool) -> str:
    """Write the report of these runs and return what to tell.

    Raises:
        LogError: a path holds no votes, or the runs are of several benchmarks.
    """
    runs = load_runs(paths, registry())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(report_page(runs, mirror(), title, pictures), encoding="utf-8")
    return f"wrote {output} ({output.stat().st_size / 2**20:.1f} MiB): {', '.join(run.name for run in runs)}"


def write_plots(paths: Sequence[Path], output: Path, formats: Sequence[str]) -> str:
    """Write each figure of these runs in each format and return the files.

    Raises:
        LogError: as above.
        ValueError: a format that is none.
    """
    unknown = [kind for kind in formats if kind not in ("svg", "png", "pdf")]
    if unknown:
        raise ValueError(f"--format: got {unknown[0]!r}; expected svg, png or pdf. Fix: name these, with commas.")
    found = figures(load_runs(paths, registry()))
    output.mkdir(parents=True, exist_ok=True)
    lines = []
    for figure in found:
        for kind in formats:
            path = output / f"{figure.name}.{kind}"
            figure.save(str(path), kind)
            lines.append(f"{path}  {figure.title}")
    return "\n".join(lines)


def table_text(
    paths: Sequence[Path], form: Form, controls: bool, reported: bool, intervals: bool, rule: Rule, at_k: bool
) -> str:
    """Return the table of these runs as ``markdown``, ``latex`` or ``text``."""
    table = judges_table(load_runs(paths, registry()), controls, reported, rule, at_k)
    return {"markdown": markdown_table, "latex": latex_table, "text": text_table}[form](table, intervals)
