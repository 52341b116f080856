"""Runs made up for tests of what is drawn from runs: logs as lmms-eval writes them, without a model."""

from __future__ import annotations

import json
import random
from pathlib import Path

from vlrb_tasks.core.items import Item
from vlrb_tasks.core.ordering import draw_orders
from vlrb_tasks.core.records import ballot_record
from vlrb_tasks.core.voting import ballot
from vlrb_tasks.data.rows import items_of
from vlrb_tasks.data.sources import open_source
from vlrb_tasks.environment import registry
from vlrb_tasks.harness.machine import versions
from vlrb_tasks.registry.casting import reader_for
from vlrb_tasks.registry.rendering import fingerprint


def scene_items(items: int = 300) -> list[Item]:
    known = registry()
    source = open_source("vlrb_scenes", known.benchmark("vlrb_scenes"), None, {"items": items})
    return items_of(source.rows, known.benchmark("vlrb_scenes"), source.where)[0]


def write_run(
    folder: Path,
    items: list[Item],
    accuracy: float = 0.8,
    benchmark: str = "vlrb_scenes",
    draws: int = 5,
    seed: int = 0,
    said: str = "I looked.",
    unparsed: float = 0.0,
    failed: float = 0.0,
    missing: int = 0,
    model_args: str = "pretrained=org/judge,revision=abc123",
    **judge: object,
) -> Path:
    """Write the log and the results file of a judge that is right as often as told; return the log."""
    known = registry()
    reader = reader_for(known, benchmark)
    answers = reader.prompt.answers
    rng = random.Random(seed)
    lines = []
    for number, item in enumerate(items):
        votes = []
        for draw, order in draw_orders(item, draws):
            lot = rng.random()
            assert item.preferred is not None
            choice = item.preferred if rng.random() < accuracy else 1 - item.preferred
            text: str | None = f"{said} {answers.first if order.index(choice) == 0 else answers.second}"
            if lot < unparsed:
                text = f"{said} I cannot tell."
            elif lot < unparsed + failed:
                text = None
            votes.append(reader.vote(draw, order, text, item.preferred))
        lines.append(
            {"doc_id": number, "input": item.question, "ballot": ballot_record(ballot(item, votes, reader.origin))}
        )
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"20261201_120000_samples_{benchmark}.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    facts = {
        "benchmark": benchmark, "prompt": reader.origin.prompt, "draws": draws, "order": "random", "seed": 0, "average": "mean",
        "options": {"items": 300, "seed": 0} if benchmark == "vlrb_scenes" else {}, "variables": {}, "prompt_sha256": fingerprint(reader.prompt), "rule": reader.origin.rule,
        "data": benchmark, "data_fingerprint": "", "revision": None, "items": len(items) + missing, "versions": versions(), "hardware": "2 CPU cores",
    }  # fmt: skip
    results = {
        "configs": {benchmark: {"generation_kwargs": {"temperature": 0.2, "top_p": 0.2}, "judge": {**facts, **judge}}},
        "config": {"model": "llava_hf", "model_args": model_args, "limit": None},
        "date": "20261201_120000",
        "total_evaluation_time_seconds": 12.5,
    }
    (folder / "20261201_120000_results.json").write_text(json.dumps(results))
    return log
