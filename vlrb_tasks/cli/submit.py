"""``vlrb submit`` and ``vlrb leaderboard``: from a run to a line that others can check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..environment import mirror, registry
from ..report.exports import exported, write_card
from ..report.leaderboard import build_site
from ..votes.errors import LogError, SubmissionError
from ..votes.logs import find_logs
from ..votes.runs import load_run
from ..votes.submission.checking import faults_of
from ..votes.submission.form import read_submission
from ..votes.submission.packing import About, pack


def packed(run: Path, about: About, output: Path) -> str:
    """Pack a run and return what was written.

    Raises:
        SubmissionError: it would be rejected.
        LogError: there is no log, or several.
    """
    logs = find_logs(run)
    if len(logs) > 1:
        raise LogError(f"{run}: holds {len(logs)} logs. Fix: name one of them: {', '.join(map(str, logs[:4]))} ...")
    files = pack(load_run(logs[0], registry()), about, output)
    lines = [f"  {path}  {path.stat().st_size / 1024:,.1f} KiB" for path in files]
    return "\n".join([f"packed {about.model_name}:", *lines, f"Next: vlrb submit validate {output}"])


def validated(folders: Sequence[Path]) -> tuple[str, bool]:
    """Check submissions; return what to say, and whether all are fine."""
    lines, fine = [], True
    for folder in folders:
        try:
            submission = read_submission(folder)
            faults = [str(fault) for fault in faults_of(submission, registry())]
        except SubmissionError as error:
            faults = [f"unreadable: {error}"]
        if faults:
            fine = False
            lines += [f"{folder}: REJECTED", *(f"  {fault}" for fault in faults)]
        else:
            card = submission.card
            lines.append(
                f"{folder}: accepted. {card.model_name} on {card.data.benchmark}: {card.votes:,} votes read again, all numbers recomputed."
            )
    return "\n".join(lines), fine


def carded(folder: Path, output: Path, readme: Path | None) -> str:
    """Write the model card and leaderboard files of a submission."""
    return "\n".join(f"wrote {path}" for path in write_card(read_submission(folder), registry(), output, readme))


def export(folder: Path, form: str) -> str:
    """Return the scores of a submission in the form of another tool."""
    return exported(read_submission(folder), registry(), form)


def built(submissions: Path, output: Path, title: str, images: bool) -> tuple[str, bool]:
    """Build the site; return what to say, and whether every submission was accepted."""
    site = build_site(submissions, output, registry(), mirror(), title, images)
    lines = [
        f"{path}: REJECTED\n" + "\n".join(f"  {reason}" for reason in reasons)
        for path, reasons in site.rejected.items()
    ]
    return "\n".join(
        [*lines, f"wrote {output / 'index.html'}: {site.accepted} submissions, {len(site.rejected)} rejected"]
    ), not site.rejected
