"""Tables of scores, as text."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

from ..core.scoring import Score, publishing_faults
from ..core.stopping import Plan
from ..core.voting import Origin
from ..registry.benchmarks import Benchmark

_HEAD = ("Metric", "Value", "95 % interval", "n")


def score_table(scores: Mapping[str, Score]) -> str:
    """Return the scores as a table: name, value, interval, and the number of items or votes behind it."""
    return aligned(
        [_HEAD, *((name, number(score.value), _interval(score), f"{score.n:,}") for name, score in scores.items())]
    )


def number(value: float) -> str:
    """Return a score to four digits; NaN as ``-``."""
    return "-" if math.isnan(value) else f"{value:.4f}"


def _interval(score: Score) -> str:
    if score.interval is None or math.isnan(score.interval[0]):
        return ""
    return f"{score.interval[0]:.4f} to {score.interval[1]:.4f}"


def aligned(rows: Sequence[Sequence[str]], left: bool = False) -> str:
    """Return rows as columns under a head; numbers stand right, and words left where ``left`` is set."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if left or i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def published_table(benchmark: Benchmark) -> str:
    """Return the results that papers report for a benchmark, in per cent; nothing where there are none."""
    if not benchmark.published:
        return ""
    columns = list(dict.fromkeys(name for entry in benchmark.published for name in entry.scores))
    rows = [("Reported", *columns, "Source")]
    rows += [
        (entry.judge, *(f"{entry.scores[c]:.1f}" if c in entry.scores else "-" for c in columns), entry.source)
        for entry in benchmark.published
    ]
    return aligned(rows)


def origin_line(origin: Origin) -> str:
    """Return in words what was judged and how its official and strict numbers were read."""
    head = f"{origin.benchmark}, prompt {origin.prompt}"
    if origin.family == "pairwise":
        return (
            f"{head}\nOfficial numbers: texts read by {origin.rule}, undecided items left out. "
            "Strict numbers (_strict): our parser, undecided items are wrong."
        )
    return f"{head}\nTexts read by {origin.rule}."


def verdict_lines(scores: Mapping[str, Score], warned: bool = False) -> list[str]:
    """Return whether these scores may be published, in words, the reasons against it first.

    Args:
        scores: the scores.
        warned: there is another reason against it, told elsewhere.
    """
    faults = publishing_faults(dict(scores))
    failed = scores["failed_rate"]
    lines = [f"WARNING: {fault}" for fault in faults]
    count = round(failed.value * failed.n) if failed.n else 0
    if count and not any("failed" in fault for fault in faults):
        lines.append(f"WARNING: {count:,} of {failed.n:,} votes failed. They count as votes for nobody.")
    if lines or warned:
        return lines
    return ["No reason against publishing: no failed votes, enough decided items, no strong order bias."]


def plan_lines(plan: Plan | None, unfinished: int) -> list[str]:
    """Return what a table needs to say where not all planned votes were drawn.

    Args:
        plan: the plan of the ballots.
        unfinished: how many ballots lack votes that could change their decision.
    """
    if plan is None:
        return []
    lines = []
    if unfinished:
        lines.append(
            f"WARNING: a budget ended the run before {unfinished:,} items were decided: do not publish. Run it again with its journal."
        )
    if plan.stop is not None:
        lines.append(
            f"Early stopping: votes that could not change a decision were not drawn. Rates, vote_agreement and accuracy_at_k are "
            f"measured on the first {plan.certain} votes of each item, which were drawn whatever they said; all {plan.planned} decide the rest."
        )
    if plan.stop == "confidence":
        lines.append(
            "WARNING: stop=confidence: decisions may differ from those of all votes, at the rate that was accepted. Say so where you publish."
        )
    return lines


def announce(
    task: str,
    origin: Origin,
    benchmark: Benchmark,
    scores: Mapping[str, Score],
    judged: int,
    items: int,
    notes: Sequence[str] = (),
) -> None:
    """Print the scores of a finished task, with what papers report beside them and any reason not to publish.

    Args:
        task: the task's name.
        origin: what was judged with.
        benchmark: for the results that papers report.
        scores: the scores.
        judged: how many items were judged, of how many ``items`` that the data holds.
        items: see ``judged``.
        notes: further lines, such as those of ``plan_lines``; warnings among them are reasons not to publish.
    """
    parts = ["", f"{task}: {origin_line(origin)}", "", score_table(scores)]
    published = published_table(benchmark)
    if published:
        parts += ["", published]
    warnings = [note for note in notes if note.startswith("WARNING")]
    if judged < items:
        part = f"WARNING: only {judged:,} of {items:,} items were judged (--limit, or a run that was cut short): do not publish."
        warnings.insert(0, part)
    lines = [*warnings, *verdict_lines(scores, bool(warnings)), *(note for note in notes if note not in warnings)]
    print("\n".join([*parts, "", *lines, ""]), flush=True)
    for line in lines:
        if line.startswith("WARNING"):
            print(line, file=sys.stderr, flush=True)
