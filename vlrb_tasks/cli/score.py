"""``vlrb score``: from a log of votes to the table, without a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.intervals import interval_fields
from ..core.scoring import Score, or_null, publishing_faults
from ..core.voting import Vote
from ..environment import registry
from ..report.table import origin_line, plan_lines, published_table, score_table, verdict_lines
from ..votes.logs import Log, find_logs, read_log, score_log
from ..votes.reading_again import Change, read_again


def scored(paths: Sequence[Path], parser: str | None, diff: bool, as_json: bool) -> str:
    """Return the scores of each log, as text or as JSON.

    Raises:
        LogError: a path holds no votes.
        RegistryError: there is no such parser.
    """
    known = registry()
    objects: dict[str, dict[str, Any]] = {}
    texts = []
    for path in [found for named in paths for found in find_logs(named)]:
        log = read_log(path, known)
        changes: list[Change] | None = None
        if parser is not None:
            log, changes = read_again(log, parser, known)
        elif diff:
            changes = read_again(log, log.origin.prompt.partition("@")[0], known)[1]
        scores = score_log(log, known)
        objects[str(path)] = _machine(log, scores, changes if diff else None)
        texts.append(_text(log, scores, changes if diff else None))
    if as_json:
        return json.dumps(next(iter(objects.values())) if len(objects) == 1 else objects, allow_nan=False)
    return "\n\n".join(texts)


def _text(log: Log, scores: Mapping[str, Score], changes: list[Change] | None) -> str:
    entry = registry().benchmarks.get(log.origin.benchmark)
    parts = [
        f"{log.path} ({log.kind}): {origin_line(log.origin)}",
        *(f"NOTE: {note}" for note in log.notes),
        "",
        score_table(scores),
    ]
    if entry is not None and entry.published:
        parts += ["", published_table(entry)]
    notes = plan_lines(log.ballots[0].plan, sum(ballot.unfinished for ballot in log.ballots))
    warned = any(note.startswith("WARNING") for note in notes)
    parts += ["", *verdict_lines(scores, warned), *notes]
    if changes is not None:
        parts += ["", f"{len(changes)} verdicts changed" + (":" if changes else "."), *map(_change, changes)]
    return "\n".join(parts)


def _change(change: Change) -> str:
    text = " ".join(change.before.text.split())
    shown = text if len(text) <= 100 else f"...{text[-97:]}"
    before, after = _told(change.before), _told(change.after)
    return f"  {change.ballot.id} draw {change.before.draw}: {before} -> {after}  {shown!r}"


def _told(vote: Vote) -> str | float | list[int]:
    """Return what a vote says: its score, its ranking, or its outcome."""
    if vote.score is not None:
        return vote.score
    return vote.outcome if vote.ranking is None else list(vote.ranking)


def _machine(log: Log, scores: Mapping[str, Score], changes: list[Change] | None) -> dict[str, Any]:
    """Return the scores as one flat object: each metric, its interval and its n; NaN is null."""
    found: dict[str, Any] = {}
    for name, score in scores.items():
        found[name] = or_null(score.value)
        if score.interval is not None:
            found |= {key: or_null(end) for key, end in interval_fields(name, score.interval).items()}
        found[f"{name}_n"] = score.n
    found |= {"benchmark": log.origin.benchmark, "prompt": log.origin.prompt, "rule": log.origin.rule}
    found |= {
        "items": len(log.ballots),
        "votes": sum(len(b.votes) for b in log.ballots),
        "warnings": [*log.notes, *publishing_faults(dict(scores))],
    }
    if changes is not None:
        found["changes"] = [
            {
                "id": c.ballot.id,
                "key": c.ballot.key,
                "draw": c.before.draw,
                "before": _told(c.before),
                "after": _told(c.after),
                "text": c.before.text,
            }
            for c in changes
        ]
    return found
