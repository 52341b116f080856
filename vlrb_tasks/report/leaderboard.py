"""The leaderboard: a static site of checked submissions, with controls and what papers report."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..registry.index import Registry
from ..votes.errors import SubmissionError
from ..votes.runs import Run, RunFacts
from ..votes.submission.checking import faults_of
from ..votes.submission.form import Submission, read_submission
from .exports import submission_log
from .judges_table import Column, Row, columns_of, reported_rows
from .page import page, report_page, web_file
from .publishing import MAIN


@dataclass(frozen=True)
class Ranked:
    """A row with the ranks that it may have, from ``best`` to ``worst``."""

    row: Row
    best: int | None
    worst: int | None

    @property
    def rank(self) -> str:
        """The range in words; nothing for rows that are not ranked."""
        if self.best is None:
            return ""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


@dataclass(frozen=True)
class Board:
    """The table of one benchmark."""

    name: str
    title: str
    description: str
    columns: tuple[Column, ...]
    rows: tuple[Ranked, ...]


@dataclass(frozen=True)
class Site:
    """What was built: how many submissions were accepted, and which were not, with reasons."""

    accepted: int
    rejected: dict[Path, list[str]]


def rank_ranges(intervals: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Return the best and the worst rank that each judge may have: judges whose intervals overlap are not told apart.

    The best rank counts the judges whose interval lies wholly above, the worst those whose interval lies wholly below.

    >>> rank_ranges([(0.7, 0.8), (0.6, 0.75), (0.1, 0.2)])
    [(1, 2), (1, 2), (3, 3)]
    """
    n = len(intervals)
    return [
        (1 + sum(other[0] > own[1] for other in intervals), n - sum(other[1] < own[0] for other in intervals))
        for own in intervals
    ]


def submission_run(submission: Submission, registry: Registry) -> Run:
    """Return a submission as a run, to be shown as any other."""
    card = submission.card
    facts = RunFacts(
        task=card.settings.task,
        model=card.adapter,
        model_args=card.model_args,
        limit=card.settings.limit,
        date=card.date,
        seconds=card.seconds,
        settings=card.settings.generation,
        prompt_sha256=card.prompt.sha256,
        data=card.data.source,
        data_revision=card.data.revision,
        data_fingerprint=card.data.fingerprint,
        order=card.settings.order,
        seed=card.settings.seed,
        draws=card.settings.draws,
        variables=card.prompt.variables,
        options={},
        items=card.data.items,
        versions=card.versions,
        hardware=card.hardware,
    )
    return Run(card.model_name, submission_log(submission), facts, registry)


def build_site(
    submissions: Path,
    output: Path,
    registry: Registry,
    mirror: Path | None = None,
    title: str = "Judges of vision-language models",
    images: bool = False,
) -> Site:
    """Check all submissions below a folder and write the site: the tables, and a page for each submission.

    Args:
        submissions: a folder with submissions, at any depth.
        output: the folder to write to.
        registry: the registry.
        mirror: a local folder with the data sets, for the submissions' pages.
        title: the heading.
        images: whether the submissions' pages hold thumbnails.

    Raises:
        SubmissionError: there is no submission.
    """
    folders = sorted(path.parent for path in submissions.rglob("submission.json"))
    if not folders:
        raise SubmissionError(
            f"{submissions}: no submissions (submission.json) in it. Fix: name the folder that they lie in."
        )
    runs: list[tuple[Run, str]] = []
    rejected: dict[Path, list[str]] = {}
    taken: dict[str, Path] = {}
    for folder in folders:
        try:
            submission = read_submission(folder)
            reasons = [str(fault) for fault in faults_of(submission, registry)]
        except SubmissionError as error:
            reasons = [f"unreadable: {error}"]
        if not reasons:
            place = _place(f"{submission.card.data.benchmark}-{submission.card.model_name}-{submission.card.prompt.id}")
            if place in taken:
                reasons = [f"repeated: {taken[place]} is of the same judge, benchmark and prompt."]
            else:
                taken[place] = folder
                runs.append((submission_run(submission, registry), place))
        if reasons:
            rejected[folder] = reasons
    output.mkdir(parents=True, exist_ok=True)
    for run, place in runs:
        target = output / place / "index.html"
        target.parent.mkdir(exist_ok=True)
        target.write_text(
            report_page([run], mirror, f"{run.name} as a judge", images, back="../index.html"), encoding="utf-8"
        )
    script = web_file("leaderboard.js")
    boards = _boards(runs, registry)
    text = page("leaderboard.html", [script], title=title, boards=boards, script=script)
    (output / "index.html").write_text(text, encoding="utf-8")
    return Site(len(runs), rejected)


def _place(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-.") or "submission"


def _boards(runs: Sequence[tuple[Run, str]], registry: Registry) -> list[Board]:
    boards = []
    for name in dict.fromkeys(run.log.origin.benchmark for run, _ in runs):
        of = [(run, place) for run, place in runs if run.log.origin.benchmark == name]
        first = of[0][0]
        known = registry.benchmark(name)
        columns = tuple(
            c for c in columns_of(first.family, first.groups) if any(c.metric in run.scores for run, _ in of)
        )
        rows = [Row(run.name, "judge", run.scores, _note(run), f"{place}/index.html") for run, place in of]
        rows += [
            Row(control, "control", scores, "a judge that does not look") for control, scores in first.controls.items()
        ]
        main = MAIN[first.family][0]
        ranked = _ranked(rows, main)
        ranked += [Ranked(row, None, None) for row in reported_rows(known, columns)]
        boards.append(Board(name, known.title, known.description, columns, tuple(ranked)))
    return boards


def _note(run: Run) -> str:
    k = f"K = {run.facts.draws}" if run.facts else ""
    return ", ".join(part for part in (f"prompt {run.log.origin.prompt}", k) if part)


def _ranked(rows: Sequence[Row], main: str) -> list[Ranked]:
    """Rank judges and controls by the score to trust; those without an interval stand last and have no rank."""
    with_interval = [row for row in rows if (score := row.scores[main]).interval and not math.isnan(score.value)]
    ranges = rank_ranges([row.scores[main].interval or (0.0, 0.0) for row in with_interval])
    found = [Ranked(row, best, worst) for row, (best, worst) in zip(with_interval, ranges, strict=True)]
    found.sort(key=lambda one: (-one.row.scores[main].value, one.row.name))
    return [*found, *(Ranked(row, None, None) for row in rows if row not in with_interval)]
