"""What the item browser of a report shows: items with their texts and pictures, and every vote of every run."""

from __future__ import annotations

import base64
import hashlib
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from ..core.items import Item
from ..core.voting import Ballot, Vote
from ..data.rows import DataError, items_of
from ..data.sources import Source, open_source
from ..registry.loading import RegistryError
from ..votes.runs import Run

THUMBNAIL = 240
"""The longer side of a thumbnail, in pixels."""


def items_data(runs: Sequence[Run], mirror: Path | None, pictures: bool = True) -> tuple[dict[str, Any], list[str]]:
    """Return what the browser shows, as plain JSON, and notes about what it lacks.

    Texts and pictures come from the data set, where it can be had; texts else from the logs.

    Args:
        runs: runs of one benchmark.
        mirror: a local folder with the data set, as ``VLRB_DATA`` names one.
        pictures: whether to put in thumbnails.
    """
    found, notes = _items(runs, mirror)
    images: dict[str, int] = {}
    stored: list[str] = []
    ballots: dict[str, list[Ballot | None]] = {}
    inputs: dict[str, str] = {}
    for number, run in enumerate(runs):
        for ballot in run.log.ballots:
            ballots.setdefault(ballot.key, [None] * len(runs))[number] = ballot
            inputs.setdefault(ballot.key, run.log.inputs.get(ballot.key, ""))
    rows = []
    unopened = 0
    for key, of_runs in ballots.items():
        one = next(ballot for ballot in of_runs if ballot is not None)
        row: dict[str, Any] = {"key": key, "id": one.id, "group": one.group, "tags": list(one.tags)}
        row |= {"preferred": one.preferred, "score": one.score, "ranking": one.ranking, "models": list(one.models)}
        match = found.get(key) or found.get(f"id:{one.id}")
        if match is not None:
            item, source, index = match
            same = item.key == key
            row |= {
                "question": item.question,
                "responses": list(item.responses) if same or item.preferred == one.preferred else [],
            }
            if pictures:
                try:
                    row["images"] = [_stored(image, images, stored) for image in source.images(index)]
                except DataError:
                    unopened += 1
        else:
            row["input"] = inputs[key]
        row["runs"] = [None if ballot is None else _ballot(ballot) for ballot in of_runs]
        decisions = {str(of["decision"]) for of in row["runs"] if of is not None}
        row["disagree"] = len(decisions) > 1
        rows.append(row)
    if unopened:
        notes.append(f"The images of {unopened:,} items could not be opened.")
    return {
        "family": runs[0].family,
        "runs": [run.name for run in runs],
        "groups": runs[0].groups,
        "tags": sorted({tag for row in rows for tag in row["tags"]}),
        "items": rows,
        "images": stored,
    }, notes


def _items(runs: Sequence[Run], mirror: Path | None) -> tuple[dict[str, tuple[Item, Source, int]], list[str]]:
    """Return the items of the benchmark by key, and by id where one id stands for one item."""
    name = runs[0].log.origin.benchmark
    benchmark = runs[0].registry.benchmarks.get(name)
    if benchmark is None:
        return {}, [f"{name} is no benchmark of the registry: texts come from the logs, and there are no images."]
    options = next((dict(options) for run in runs if (options := _options(run))), None)
    try:
        source = open_source(name, benchmark, mirror, options)
        items, _ = items_of(source.rows, benchmark, source.where)
    except (DataError, RegistryError) as error:
        return {}, [f"The data set cannot be read, so that texts come from the logs and there are no images: {error}"]
    found = {item.key: (item, source, index) for index, item in enumerate(items)}
    count = Counter(item.id for item in items)
    found |= {f"id:{item.id}": (item, source, i) for i, item in enumerate(items) if count[item.id] == 1}
    return found, []


def _options(run: Run) -> dict[str, int]:
    return {} if run.facts is None else dict(run.facts.options)


def _stored(image: Image.Image, images: dict[str, int], stored: list[str]) -> int:
    """Store a thumbnail once, whoever shows it, and return its number."""
    small = image.copy()
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    digest = hashlib.sha256(f"{image.size}".encode() + small.tobytes()).hexdigest()
    if digest not in images:
        text = io.BytesIO()
        small.save(text, "WEBP", quality=72, method=2)
        images[digest] = len(stored)
        stored.append(f"data:image/webp;base64,{base64.b64encode(text.getvalue()).decode()}")
    return images[digest]


def _ballot(ballot: Ballot) -> dict[str, Any]:
    outcomes = [vote.outcome for vote in ballot.votes]
    decision: Any
    if ballot.origin.family == "pairwise":
        decision, right = ballot.decision, None if ballot.preferred is None else ballot.decision == ballot.preferred
    elif ballot.origin.family == "pairwise_ties":
        decided = ballot.decision_or_tie
        decision = "tie" if decided == -1 else decided
        right = decision == ("tie" if ballot.preferred is None else ballot.preferred)
    elif ballot.origin.family == "pointwise":
        decision, right = ballot.judged_score, None
    else:
        judged = ballot.judged_ranking
        decision, right = None if judged is None else list(judged), judged == ballot.ranking
    by_order = {
        vote.order: {v.choice for v in ballot.votes if v.order == vote.order and v.choice is not None}
        for vote in ballot.votes
    }
    seen = [choices for choices in by_order.values() if choices]
    return {
        "decision": decision,
        "right": right,
        "official": ballot.official_decision if ballot.origin.family == "pairwise" else None,
        "undecided": decision is None,
        "unparsed": outcomes.count("unparsed"),
        "failed": outcomes.count("failed"),
        "flips": len(seen) > 1 and any(choices != seen[0] for choices in seen),
        "votes": [_vote(vote) for vote in ballot.votes],
    }


def _vote(vote: Vote) -> dict[str, Any]:
    span = None
    if vote.span is not None:  # browsers count UTF-16 units
        start, end = vote.span
        span = [_units(vote.text[:start]), _units(vote.text[:end])]
    return {
        "draw": vote.draw,
        "order": list(vote.order),
        "text": vote.text,
        "outcome": vote.outcome,
        "choice": vote.choice,
        "span": span,
        **({} if vote.score is None else {"score": vote.score}),
        **({} if vote.ranking is None else {"ranking": list(vote.ranking)}),
        **({} if vote.shares is None else {"shares": list(vote.shares)}),
    }


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
