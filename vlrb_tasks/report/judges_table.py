"""The table of judges: a row a judge, with controls and what papers report below; for pages, Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.scoring import Score, name_part
from ..registry.benchmarks import Benchmark
from ..votes.runs import Run
from .publishing import MAIN
from .table import aligned

Kind = Literal["judge", "control", "reported"]

Rule = Literal["both", "strict", "official"]
"""Which reading of undecided items a table shows, where a benchmark has both: as wrong, or left out."""


_AT_K = "accuracy_at_"


@dataclass(frozen=True)
class Column:
    """A column: the metric, its heading, whether it is in per cent, the name that papers' results have, and the rule
    that it follows.
    """

    metric: str
    heading: str
    percent: bool = True
    reported: str | None = None
    rule: Rule = "both"


@dataclass(frozen=True)
class Row:
    """A row: who judges, of which kind, the scores by metric, and what else is to say."""

    name: str
    kind: Kind
    scores: dict[str, Score]
    note: str = ""
    link: str = ""


@dataclass(frozen=True)
class JudgesTable:
    """Columns and rows."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def columns_of(family: str, groups: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns that judges of a family are shown by, the one to rank by first."""
    if family == "pairwise":
        found = [
            Column("overall_accuracy_strict", "Overall, strict", rule="strict"),
            Column("overall_accuracy", "Overall, official", reported="overall", rule="official"),
            Column("macro_accuracy_strict", "Macro, strict", rule="strict"),
            Column("macro_accuracy", "Macro, official", reported="macro", rule="official"),
        ]
        for group in groups:
            name = f"accuracy_{name_part(group)}"
            found.append(Column(f"{name}_strict", f"{group}, strict", rule="strict"))
            found.append(Column(name, f"{group}, official", reported=group, rule="official"))
        found += [
            Column("coverage_strict", "Coverage"),
            Column("first_slot_rate", "First slot"),
            Column("vote_agreement", "Vote agreement"),
        ]
        return tuple(found)
    headings = {
        "accuracy_with_tie": "Accuracy with ties",
        "accuracy_without_tie": "Accuracy without ties",
        "pearson": "Pearson",
        "item_kendall_tau_b": "Kendall's tau-b",
        "best_accuracy": "Best named",
        "ranking_kendall_tau": "Kendall's tau",
    }
    main = [Column(name, headings[name], percent="accuracy" in name) for name in MAIN[family]]
    further = {
        "pairwise_ties": [
            Column("kendall_tau", "Kendall's tau, models", False),
            Column("first_slot_rate", "First slot"),
        ],
        "pointwise": [Column("spearman", "Spearman", False), Column("kendall_tau", "Kendall's tau, models", False)],
        "ranking": [Column("levenshtein_distance", "Levenshtein distance", False)],
    }[family]
    return (*main, *further, Column("coverage_strict", "Coverage"))


def judges_table(
    runs: Sequence[Run], controls: bool = True, reported: bool = True, rule: Rule = "both", at_k: bool = False
) -> JudgesTable:
    """Return the table of these runs.

    Args:
        runs: of one benchmark.
        controls: whether to add judges that do not look, on the first run's items and orders.
        reported: whether to add what papers report.
        rule: which columns to show where there are official and strict ones.
        at_k: whether to add the accuracy of the majority of fewer votes.
    """
    first = runs[0]
    columns = [
        column
        for column in (*columns_of(first.family, first.groups), *(_at_k_columns(runs) if at_k else ()))
        if any(column.metric in run.scores for run in runs) and (rule == "both" or column.rule in (rule, "both"))
    ]
    if rule != "both":
        columns = [replace(column, heading=column.heading.removesuffix(f", {rule}")) for column in columns]
    rows = [Row(run.name, "judge", run.scores) for run in runs]
    if controls:
        rows += [Row(name, "control", scores, "a judge that does not look") for name, scores in first.controls.items()]
    known = first.registry.benchmarks.get(first.log.origin.benchmark)
    if reported and known is not None:
        rows += reported_rows(known, columns)
    return JudgesTable(tuple(columns), tuple(rows))


def _at_k_columns(runs: Sequence[Run]) -> list[Column]:
    """Return a column for each number of votes that accuracies are known for."""
    found = {int(name.removeprefix(_AT_K)) for run in runs for name in run.scores if name.startswith(_AT_K)}
    return [Column(f"{_AT_K}{k}", f"At {k}") for k in sorted(found)]


def reported_rows(benchmark: Benchmark, columns: Sequence[Column]) -> list[Row]:
    """Return what papers report, as they report it: not recomputed from votes."""
    rows = []
    for entry in benchmark.published:
        scores = {c.metric: Score(entry.scores[c.reported] / 100, 0) for c in columns if c.reported in entry.scores}
        rows.append(Row(entry.judge, "reported", scores, f"as reported in {entry.source}, not recomputed"))
    return rows


def cell_text(column: Column, score: Score | None) -> str:
    """Return a score as a table has it: per cent to one digit, else three digits; ``-`` for none."""
    if score is None or math.isnan(score.value):
        return "-"
    return f"{100 * score.value:.1f}" if column.percent else f"{score.value:.3f}"


def interval_text(column: Column, score: Score | None) -> str:
    """Return the interval of a score in the same form; nothing for none."""
    if score is None or score.interval is None or math.isnan(score.interval[0]):
        return ""
    low, high = score.interval
    return f"{100 * low:.1f}–{100 * high:.1f}" if column.percent else f"{low:.3f}–{high:.3f}"


def _cells(table: JudgesTable, escape: Callable[[str], str], intervals: bool) -> list[list[str]]:
    found = []
    for row in table.rows:
        cells = [escape(row.name if row.kind == "judge" else f"{row.name} ({row.kind})")]
        for column in table.columns:
            score = row.scores.get(column.metric)
            interval = interval_text(column, score) if intervals else ""
            cells.append(f"{cell_text(column, score)} ({interval})" if interval else cell_text(column, score))
        found.append(cells)
    return found


def text_table(table: JudgesTable, intervals: bool = True) -> str:
    """Return the table for terminals, which are narrower than tables have columns: a column a judge, a row a metric."""
    head = ["Judge", *(column.heading for column in table.columns)]
    judges = _cells(table, lambda text: " ".join(text.split()), intervals)
    return aligned(list(zip(head, *judges, strict=True)))


def markdown_table(table: JudgesTable, intervals: bool = True) -> str:
    """Return the table as Markdown."""

    def escape(text: str) -> str:
        return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text.replace("\n", " "))

    head = ["Judge", *(escape(column.heading) for column in table.columns)]
    lines = [head, ["---", *["---:"] * len(table.columns)], *_cells(table, escape, intervals)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def latex_table(table: JudgesTable, intervals: bool = True) -> str:
    """Return the table as a LaTeX ``tabular`` with the rules of ``booktabs``; controls and reported rows stand apart."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in text.replace("\n", " "))

    lines = [rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}", r"\toprule"]
    lines += [" & ".join(["Judge", *(escape(column.heading) for column in table.columns)]) + r" \\", r"\midrule"]
    kind = table.rows[0].kind if table.rows else "judge"
    for row, cells in zip(table.rows, _cells(table, escape, intervals), strict=True):
        if row.kind != kind:
            lines.append(r"\midrule")
            kind = row.kind
        lines.append(" & ".join(cell.replace("–", "--") for cell in cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
