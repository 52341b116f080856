"""Figures of runs, drawn with matplotlib: the same ones for a page, as SVG, and for a paper, as PDF or PNG.

Each returns ``None`` where the runs have nothing to show in it. Colours are those of Okabe and Ito, which people
with any kind of colour vision tell apart; runs also differ in their markers.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from ..core.agreement import cohen_kappa
from ..core.families import item_tau
from ..core.scoring import Score, name_part
from ..core.voting import TIE, Ballot
from ..votes.runs import Run
from .publishing import MAIN

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#777777")
MARKERS = "osD^vPX*"
INK = "#010203"
"""The colour of text and axes: a page puts its own in its place."""

_STYLE: Any = {
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "vlrb",
}


@dataclass(frozen=True)
class Figure:
    """A figure, and what it shows in a sentence, for those who do not see it."""

    name: str
    title: str
    description: str
    canvas: Canvas

    def svg(self) -> str:
        """Return it as SVG to stand in a page: its ink is the page's own."""
        text = io.StringIO()
        self._save(text, "svg")
        svg = text.getvalue()
        return re.sub(r"^.*?(?=<svg)", "", svg, flags=re.DOTALL).replace(INK, "currentColor")

    def save(self, path: str, kind: str) -> None:
        """Write it as ``svg``, ``png`` or ``pdf``."""
        self._save(path, kind)

    def _save(self, target: str | io.StringIO, kind: str) -> None:
        import matplotlib

        meta = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        with matplotlib.rc_context(_STYLE):
            self.canvas.savefig(
                target,
                format=kind,
                dpi=200,
                bbox_inches="tight",
                metadata=meta,
                facecolor="white" if kind == "png" else "none",
            )


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Return the figures that say something of these runs."""
    import matplotlib

    drawers: list[Callable[[Sequence[Run]], Figure | None]] = [
        accuracy_by_domain,
        accuracy_at_k,
        bias,
        votes_for_the_better,
        error_types,
        votes_without_verdict,
        kappa_matrix,
        score_scatter,
    ]
    with matplotlib.rc_context(_STYLE):
        return [figure for draw in drawers if (figure := draw(runs)) is not None]


def _canvas(width: float = 6.4, height: float = 3.2) -> tuple[Canvas, Axes]:
    canvas = Canvas(figsize=(width, height), layout="constrained")
    return canvas, canvas.add_subplot()


def _legend(axes: Axes, runs: Sequence[Run]) -> None:
    if len(runs) > 1:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=min(3, len(runs)), fontsize=8)


def _point(
    axes: Axes, x: float, score: Score, color: str, marker: str, label: str | None = None, hollow: bool = False
) -> None:
    if math.isnan(score.value):
        return
    if score.interval is not None and not math.isnan(score.interval[0]):
        axes.plot([x, x], list(score.interval), color=color, linewidth=1.5, solid_capstyle="butt", alpha=0.8)
    axes.plot(
        [x], [score.value], marker, color=color, markersize=5, label=label, markerfacecolor="none" if hollow else color
    )


def _group_metric(run: Run, group: str) -> str | None:
    """Return the name of the score of a domain that is to be trusted."""
    part = name_part(group)
    names = {
        "pairwise": f"accuracy_{part}_strict",
        "pairwise_ties": f"accuracy_with_tie_{part}",
        "pointwise": f"pearson_{part}",
        "ranking": f"levenshtein_distance_{part}",
    }
    name = names[run.family]
    return name if name in run.scores else None


def accuracy_by_domain(runs: Sequence[Run]) -> Figure | None:
    """Draw the main score of each domain and over all, with intervals; for pairs the official one beside it, hollow."""
    family = runs[0].family
    main = MAIN[family]
    columns: list[tuple[str, str]] = [
        (group, metric) for group in runs[0].groups if (metric := _group_metric(runs[0], group)) is not None
    ]
    if family != "ranking":
        columns += [("overall", main[0]), *([("macro", main[1])] if family == "pairwise" else [])]
    if len(columns) < 2:
        return None
    canvas, axes = _canvas(max(6.4, 0.8 * len(columns)))
    step = 0.7 / max(len(runs), 1)
    for number, run in enumerate(runs):
        color, marker = COLORS[number % 8], MARKERS[number % 8]
        for place, (_, metric) in enumerate(columns):
            if metric not in run.scores:
                continue
            x = place + (number - (len(runs) - 1) / 2) * step
            _point(axes, x, run.scores[metric], color, marker, _short(run.name, 40) if place == 0 else None)
            official = run.scores.get(metric.removesuffix("_strict"))
            if family == "pairwise" and official is not None:
                _point(axes, x + step * 0.3, Score(official.value, official.n), color, marker, hollow=True)
    if family == "pairwise":
        axes.axhline(0.5, color=INK, linewidth=0.8, linestyle=":")
        axes.set_ylim(0, 1.02)
    axes.set_xticks(range(len(columns)), [_short(name) for name, _ in columns])
    axes.set_ylabel({"pointwise": "Pearson's r", "ranking": "Levenshtein distance"}.get(family, "Accuracy"))
    _legend(axes, runs)
    told = {
        "pairwise": "Strict accuracy by domain with 95 % intervals; hollow: the official rule, which leaves undecided items out; dotted: chance.",
        "pairwise_ties": "Accuracy, ties included, by domain, with 95 % intervals.",
        "pointwise": "Pearson's r by source, with 95 % intervals.",
        "ranking": "Levenshtein distance by domain, with 95 % intervals; 0 is best.",
    }
    return Figure("by_domain", "By domain", told[family], canvas)


def _short(name: str, most: int = 16) -> str:
    """Return a name as a label: not too long, and a ``$`` in it is no formula."""
    return (name if len(name) <= most else f"{name[: most - 1]}…").replace("$", r"\$").lstrip("_") or "-"


def accuracy_at_k(runs: Sequence[Run]) -> Figure | None:
    """Draw strict accuracy against the number of votes."""
    found = {
        run.name: sorted(
            (int(name[12:]), score) for name, score in run.scores.items() if re.fullmatch(r"accuracy_at_\d+", name)
        )
        for run in runs
    }
    if not any(len(points) > 1 for points in found.values()):
        return None
    canvas, axes = _canvas()
    for number, run in enumerate(runs):
        points = [(k, score) for k, score in found[run.name] if not math.isnan(score.value)]
        if not points:
            continue
        ks = [k for k, _ in points]
        color = COLORS[number % 8]
        axes.plot(
            ks,
            [score.value for _, score in points],
            f"-{MARKERS[number % 8]}",
            color=color,
            markersize=5,
            label=_short(run.name, 40),
        )
        if all(score.interval is not None for _, score in points):
            low, high = zip(*[score.interval for _, score in points if score.interval], strict=True)
            axes.fill_between(ks, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set_xticks(sorted({k for points in found.values() for k, _ in points}))
    axes.set_xlabel("K, votes an item")
    axes.set_ylabel("Strict accuracy")
    _legend(axes, runs)
    return Figure(
        "at_k",
        "Accuracy against K",
        "Strict accuracy expected from K of the drawn votes, an undecided item being wrong; shaded: 95 % intervals.",
        canvas,
    )


def bias(runs: Sequence[Run]) -> Figure | None:
    """Draw how often a judge names the first slot, and the longer response, beside how often the latter is right."""
    if "first_slot_rate" not in runs[0].scores:
        return None
    canvas, axes = _canvas(height=0.9 + 0.5 * len(runs))
    for number, run in enumerate(runs):
        color = COLORS[number % 8]
        for metric, marker, label in (
            ("first_slot_rate", "o", "first slot"),
            ("longer_response_rate", "s", "longer response"),
        ):
            value = run.scores[metric].value
            if not math.isnan(value):
                axes.plot([value], [-number], marker, color=color, markersize=7, label=label if number == 0 else None)
                axes.annotate(
                    f"{value:.2f}",
                    (value, -number),
                    textcoords="offset points",
                    xytext=(0, 6 if marker == "o" else -13),
                    ha="center",
                    fontsize=7,
                )
    right = longer_is_better(runs[0].log.ballots)
    axes.axvline(0.5, color=INK, linewidth=0.8, linestyle=":")
    if not math.isnan(right):
        axes.axvline(right, color=INK, linewidth=0.8, linestyle="--", label="longer one is better, by people")
    axes.set_yticks([-number for number in range(len(runs))], [_short(run.name, 28) for run in runs])
    axes.set_ylim(-len(runs) + 0.4, 0.6)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("Share of votes")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.35 if len(runs) < 3 else -0.22), ncols=3, fontsize=8)
    return Figure(
        "bias",
        "Order and length",
        "Share of votes for the first slot (circle; 0.5 without order bias) and for the longer response (square; without length bias, near the dashed line: how often people prefer the longer one).",
        canvas,
    )


def longer_is_better(ballots: Sequence[Ballot]) -> float:
    """Return how often people prefer the longer of two responses; NaN where none differ in length."""
    told = [
        b.lengths[b.preferred] == max(b.lengths)
        for b in ballots
        if b.preferred is not None and len(set(b.lengths)) == 2
    ]
    return sum(told) / len(told) if told else math.nan


def votes_for_the_better(runs: Sequence[Run]) -> Figure | None:
    """Draw how many votes of an item are for the better response."""
    if not runs[0].family.startswith("pairwise"):
        return None
    votes = max(len(ballot.fair_votes) for run in runs for ballot in run.log.ballots)
    if votes < 2:
        return None
    canvas, axes = _canvas()
    width = 0.8 / len(runs)
    for number, run in enumerate(runs):
        counted = [
            sum(vote.choice == b.preferred for vote in b.fair_votes) for b in run.log.ballots if b.preferred is not None
        ]
        if not counted:
            return None
        shares = np.bincount(counted, minlength=votes + 1) / len(counted)
        places = np.arange(votes + 1) + (number - (len(runs) - 1) / 2) * width
        axes.bar(places, shares, width, color=COLORS[number % 8], label=_short(run.name, 40))
    axes.set_xticks(range(votes + 1))
    axes.set_xlabel("Votes for the better response")
    axes.set_ylabel("Share of items")
    _legend(axes, runs)
    return Figure(
        "votes",
        "Agreement of votes",
        "How many of an item's votes are for the better response. A judge that is sure stands at both ends; one that guesses, in the middle.",
        canvas,
    )


def error_types(runs: Sequence[Run]) -> Figure | None:
    """Draw strict accuracy on the items that annotators tagged with a kind of error."""
    tags = [name.removeprefix("accuracy_tag_") for name in runs[0].scores if name.startswith("accuracy_tag_")]
    if not tags:
        return None
    canvas, axes = _canvas(height=max(2.2, 0.34 * len(tags) + 0.8))
    for number, run in enumerate(runs):
        for place, tag in enumerate(tags):
            score = run.scores.get(f"accuracy_tag_{tag}")
            if score is None or math.isnan(score.value):
                continue
            y = -place + (number - (len(runs) - 1) / 2) * 0.6 / len(runs)
            if score.interval is not None:
                axes.plot(list(score.interval), [y, y], color=COLORS[number % 8], linewidth=1.5, alpha=0.8)
            axes.plot(
                [score.value],
                [y],
                MARKERS[number % 8],
                color=COLORS[number % 8],
                markersize=5,
                label=_short(run.name, 40) if place == 0 else None,
            )
    axes.set_yticks([-place for place in range(len(tags))], [_short(tag, 40) for tag in tags])
    axes.set_xlim(0, 1)
    axes.set_xlabel("Strict accuracy")
    _legend(axes, runs)
    return Figure(
        "error_types",
        "Error types",
        "Strict accuracy on the items that annotators tagged with a kind of error, with 95 % intervals.",
        canvas,
    )


def votes_without_verdict(runs: Sequence[Run]) -> Figure | None:
    """Draw where votes without a verdict come from: unparsed and failed ones, by domain."""
    rows: list[tuple[str, float, float]] = []
    for run in runs:
        for group in run.groups:
            votes = [vote.outcome for ballot in run.log.ballots if ballot.group == group for vote in ballot.fair_votes]
            if votes:
                label = group if len(runs) == 1 else f"{_short(run.name, 22)}: {group}"
                rows.append((label, votes.count("unparsed") / len(votes), votes.count("failed") / len(votes)))
    rows = [row for row in rows if row[1] + row[2] > 0]
    if not rows:
        return None
    canvas, axes = _canvas(height=max(1.6, 0.3 * len(rows) + 0.8))
    places = -np.arange(len(rows))
    unparsed, failed = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    axes.barh(places, unparsed, color=COLORS[1], label="unparsed")
    axes.barh(places, failed, left=unparsed, color=COLORS[5], label="failed")
    axes.set_yticks(places, [row[0] for row in rows])
    axes.set_xlabel("Share of votes")
    axes.legend(fontsize=8)
    return Figure(
        "without_verdict",
        "Votes without a verdict",
        "Share of votes from which no verdict could be read, and of requests that failed, by domain.",
        canvas,
    )


def _decision(ballot: Ballot) -> int | str:
    decided = ballot.decision_or_tie if ballot.origin.family == "pairwise_ties" else ballot.decision
    return "undecided" if decided is None else decided


def kappa_matrix(runs: Sequence[Run]) -> Figure | None:
    """Draw Cohen's kappa of the decisions of each two judges, and of each judge and people."""
    if not runs[0].family.startswith("pairwise"):
        return None
    decided = [{ballot.key: _decision(ballot) for ballot in run.log.ballots} for run in runs]
    people: dict[str, int | str] = {
        b.key: TIE if b.preferred is None else b.preferred for run in runs for b in run.log.ballots
    }
    names, columns = [*(run.name for run in runs), "people"], [*decided, people]
    size = len(names)
    found = np.full((size, size), math.nan)
    for i in range(size):
        for j in range(size):
            common = sorted(columns[i].keys() & columns[j].keys())
            if common:
                found[i, j] = cohen_kappa([columns[i][key] for key in common], [columns[j][key] for key in common])
    canvas, axes = _canvas(2.8 + 0.75 * size, 1.2 + 0.6 * size)
    axes.imshow(found, cmap="PuOr_r", vmin=-1, vmax=1)
    for i in range(size):
        for j in range(size):
            if not math.isnan(found[i, j]):
                axes.text(
                    j,
                    i,
                    f"{found[i, j]:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if abs(found[i, j]) > 0.6 else "black",
                )
    labels = [_short(name, 22) for name in names]
    axes.set_xticks(range(size), labels, rotation=30, ha="right")
    axes.set_yticks(range(size), labels)
    return Figure(
        "kappa",
        "Agreement between judges",
        "Cohen's kappa of what two judges decide on the items that both judged, undecided being a decision of its own, and of each judge with people: 1 is full agreement, 0 that of chance.",
        canvas,
    )


def score_scatter(runs: Sequence[Run]) -> Figure | None:
    """Draw the judge's score of each item against that of people; for rankings, tau of each item."""
    family = runs[0].family
    if family == "pointwise":
        canvas, axes = _canvas(height=4)
        rng = np.random.default_rng(0)
        for number, run in enumerate(runs):
            pairs = [
                (b.score, b.judged_score) for b in run.log.ballots if b.score is not None and b.judged_score is not None
            ]
            if pairs:
                people, judge = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
                spread = np.ptp(people) or 1.0
                tau = run.scores["item_kendall_tau_b"].value
                axes.scatter(
                    people + rng.normal(0, 0.01 * spread, len(people)),
                    judge,
                    s=12,
                    alpha=0.5,
                    color=COLORS[number % 8],
                    marker=MARKERS[number % 8],
                    label=f"{_short(run.name, 40)} (tau-b {tau:.3f})",
                    linewidths=0,
                )
        axes.set_xlabel("People's score")
        axes.set_ylabel("Judge's score")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, fontsize=8)
        return Figure(
            "scores",
            "Scores",
            "The judge's score of each item against people's, moved a little so that points do not hide each other, with Kendall's tau-b.",
            canvas,
        )
    if family != "ranking":
        return None
    canvas, axes = _canvas()
    for number, run in enumerate(runs):
        taus = [found for b in run.log.ballots if (found := item_tau(b)) is not None]
        axes.hist(
            taus,
            bins=[-1.05 + 0.15 * edge for edge in range(15)],
            histtype="step",
            color=COLORS[number % 8],
            label=_short(run.name, 40),
            linewidth=1.5,
        )
    axes.set_xlabel("Kendall's tau of an item")
    axes.set_ylabel("Items")
    _legend(axes, runs)
    return Figure(
        "item_tau",
        "Rankings",
        "How many items have which Kendall's tau between the judge's order and people's.",
        canvas,
    )
