"""Votes in files of others: the benchmark's own inference files, and results per item."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ..core.items import Item, item_key
from ..core.ordering import Order
from ..core.verdicts import SLOT_OUTCOMES, Verdict
from ..core.voting import Ballot, Origin, Vote, ballot
from ..registry.benchmarks import Benchmark
from ..registry.casting import cast, reader_for
from ..registry.index import Registry
from .errors import LogError

_BENCHMARK = "vlrewardbench"  # the benchmark whose own files are read


def from_inference(path: Path, rows: list[tuple[int, dict[str, Any]]], registry: Registry) -> list[Ballot]:
    """Read the benchmark's own inference file: a line a vote; an item is its id, question and sorted responses."""
    reader = reader_for(registry, _BENCHMARK)
    benchmark = registry.benchmark(_BENCHMARK)
    items: dict[str, Item] = {}
    votes: dict[str, list[Vote]] = {}
    for number, row in rows:
        try:
            responses = tuple(row["response"])
            ranking = list(row["ranking"] if "ranking" in row else row["human_ranking"])
            if len(responses) != 2 or sorted(ranking) != [0, 1]:
                raise ValueError(f"ranking {ranking} of {len(responses)} responses names no winner")
            swapped = {0: False, 1: True}[row["meta"]["random_number"]]
            text = row["meta"]["filter_choice"]
            key = item_key(row["id"], row["query"], responses)
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(
                f"{path}:{number} {type(error).__name__}: {error}. Fix: keep id, query, response, ranking and meta as the benchmark writes them."
            ) from error
        preferred = ranking.index(0)
        if key in items and items[key].responses != responses:  # the same pair, listed the other way round
            swapped, preferred, responses = not swapped, items[key].preferred or 0, items[key].responses
        items.setdefault(
            key, Item(row["id"], row["query"], responses, preferred, _group(benchmark, row["id"], f"{path}:{number}"))
        )
        order: Order = (1, 0) if swapped else (0, 1)
        cast_so_far = votes.setdefault(key, [])
        cast_so_far.append(reader.vote(len(cast_so_far), order, text, preferred))
    return [ballot(item, votes[key], reader.origin) for key, item in items.items()]


def from_results(path: Path, text: str, registry: Registry) -> list[Ballot]:
    """Read results per item: ``label`` and ``prediction`` are 0 or 1, 1 for the second response."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise LogError(f"{path}:{error.lineno} is no JSON: {error.msg}. Fix: repair this line.") from error
    rows = (
        content
        if isinstance(content, list)
        else content.get("results", content.get("rows"))
        if isinstance(content, dict)
        else None
    )
    if not isinstance(rows, list) or not rows:
        raise LogError(
            f"{path}: no list of results in it. Fix: expected `results`: a list of objects with id, label and prediction."
        )
    benchmark = registry.benchmark(_BENCHMARK)
    origin = Origin(_BENCHMARK, "unknown", "the file's own predictions")
    ballots = []
    seen: Counter[str] = Counter()
    for number, row in enumerate(rows):
        where = f"{path} result {number}"
        if not isinstance(row, dict) or not isinstance(row.get("id"), str) or row.get("label") not in (0, 1):
            raise LogError(f"{where}: expected an object with id and label (0 or 1). Fix: add them.")
        prediction = row.get("prediction", row.get("pred"))
        if prediction not in (0, 1, None):
            raise LogError(
                f"{where} prediction: got {prediction!r}; expected 0, 1 or null. Fix: 1 is the second response, null no verdict."
            )
        outcome = Verdict("unparsed") if prediction is None else Verdict(SLOT_OUTCOMES[prediction])
        vote = cast(0, (0, 1), str(row.get("raw_output", "")), outcome, row["label"], official=False)
        seen[row["id"]] += 1  # ids repeat, and such files hold nothing else to tell the items apart
        key = row["id"] if seen[row["id"]] == 1 else f"{row['id']}#{seen[row['id']]}"
        ballots.append(
            Ballot(key, row["id"], _group(benchmark, row["id"], where), row["label"], (0, 0), (), (vote,), origin)
        )
    return ballots


def _group(benchmark: Benchmark, id: str, where: str) -> str:
    group = benchmark.groups.of(id)
    if group is None:
        raise LogError(
            f"{where} id: got {id!r}; expected one that begins with {', '.join(sorted(benchmark.groups.prefixes))}. Fix: add its domain to registry.yaml."
        )
    return group
