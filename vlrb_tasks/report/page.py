"""The report: one page that holds everything it shows, and asks for nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..core.scoring import Score
from ..votes.runs import Run
from .figures import figures
from .items_data import items_data
from .judges_table import cell_text, interval_text, judges_table
from .publishing import publishing_verdict


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("vlrb_tasks.report", "web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.globals |= {"cell_text": cell_text, "interval_text": interval_text, "version": __version__}
    return made


def web_file(name: str) -> str:
    """Return a file of the pages' own."""
    return (Path(__file__).parent / "web" / name).read_text(encoding="utf-8")


def page(template: str, scripts: Sequence[str], **values: Any) -> str:
    """Return a page whose policy lets these scripts run and no others, and that may load nothing.

    Args:
        template: a file in ``web``.
        scripts: the texts of its scripts.
        values: what the template shows; all of it is escaped.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        _environment()
        .get_template(template)
        .render(script_hashes=Markup(hashes), style=Markup(web_file("style.css")), **values)
    )


def in_script(content: Any) -> str:
    """Return JSON that may stand in a script element: no ``<`` in it can end the element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def report_page(
    runs: Sequence[Run], mirror: Path | None = None, title: str | None = None, pictures: bool = True, back: str = ""
) -> str:
    """Return the report of one run, or of several side by side, as HTML.

    Args:
        runs: runs of one benchmark.
        mirror: a local folder with the data set.
        title: the heading; the benchmark's name if left out.
        pictures: whether to put in thumbnails of the items' images.
        back: a link to the page that this one belongs to.
    """
    first = runs[0]
    known = first.registry.benchmarks.get(first.log.origin.benchmark)
    name = known.title if known else first.log.origin.benchmark
    data, notes = items_data(runs, mirror, pictures)
    script = web_file("report.js")
    judges = "1 judge" if len(runs) == 1 else f"{len(runs)} judges"
    return page(
        "report.html",
        [script],
        title=title or f"{name}: {runs[0].name if len(runs) == 1 else judges}",
        subtitle=f"{name}, {len(data['items']):,} items, {judges}. {known.description if known else ''}",
        back=back,
        family=first.family,
        runs=runs,
        verdicts=[(run, publishing_verdict(run)) for run in runs],
        table=judges_table(runs),
        metrics=list(dict.fromkeys(metric for run in runs for metric in run.scores)),
        figures=figures(runs),
        notes=notes,
        plain=_plain,
        votes=_votes,
        data=in_script(_finite(data)),
        script=script,
    )


def _plain(score: Score | None) -> str:
    return "-" if score is None or math.isnan(score.value) else f"{score.value:.4f}"


def _votes(run: Run) -> str:
    planned = sorted({ballot.planned for ballot in run.log.ballots})
    return f"{sum(len(b.votes) for b in run.log.ballots):,} of {len(run.log.ballots):,} items, K {planned[0]}" + (
        f" to {planned[-1]}" if len(planned) > 1 else ""
    )


def _finite(value: Any) -> Any:
    """Return the same with ``null`` for what is no number."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list) else value
