"""The card of critic data: what was read, what was left out and why, and what it looks like."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from .build import CONVERSATIONS, PICTURES, RECORDS, Built, PartCount
from .wording import Record


def _unopened(items: int) -> str:
    return f"Pictures of {items:,} of their items cannot be opened and are not recognised. " if items else ""


def counts(built: Built) -> dict[str, Any]:
    """Return all counts, by part, as ``counts.json`` has them."""
    return {
        "seed": built.recipe.seed,
        "evaluations": list(built.recipe.overlap.benchmarks),
        "hashes_of_evaluations": built.held,
        "evaluation_pictures_not_opened": built.unopened,
        "pictures": built.pictures,
        "parts": {
            name: {
                "mode": built.recipe.parts[name].mode,
                "source": count.where,
                "rows": count.rows,
                "records": count.written,
                "left_out": dict(count.left_out.most_common()),
                "outcomes": dict(sorted(count.outcomes.items(), key=_in_order)),
                "judge_prompts": dict(sorted(count.prompts.items())),
                "with_reasons": count.with_reasons,
                "answer_characters": _quantiles(count.lengths),
                "faults": count.faults,
            }
            for name, count in built.parts.items()
        },
    }


def card(built: Built) -> str:
    """Return the card as Markdown, with the front matter that the hub reads."""
    recipe = built.recipe
    total = sum(count.written for count in built.parts.values())
    modes = Counter(dict.fromkeys(("pointwise", "pairwise"), 0))
    for name, count in built.parts.items():
        modes[recipe.parts[name].mode] += count.written
    licenses = sorted({part.source.license for part in recipe.parts.values() if part.source.license})
    lines = [
        "---",
        "task_categories: [visual-question-answering]",
        "tags: [critic, reward-model, judge]",
        f"configs: [{{config_name: default, data_files: {RECORDS}}}]",
        "---",
        f"# {recipe.title}",
        "",
        f"{total:,} records to train a critic on: {modes['pointwise']:,} pointwise, {modes['pairwise']:,} pairwise; "
        f"{built.pictures:,} pictures. Verdict first, then the reasons.",
        "",
        f"- `{RECORDS}`: `images`, `prompt` and `completion`, as TRL's `SFTTrainer` takes them; the loss is on `completion` alone",
        f"- `{CONVERSATIONS}`: the same as LLaVA's `conversations`",
        *([f"- `{PICTURES}/`: each picture once"] if built.pictures else []),
        "- `counts.json`: everything below as numbers",
        "",
        f"Held against {', '.join(recipe.overlap.benchmarks) or 'no evaluation'} ({built.held:,} hashes of questions, responses and pictures). "
        f"{_unopened(built.unopened)}Licences of the sources: {'; '.join(licenses) or 'see there'}.",
        "",
        "| part | mode | rows read | records | with reasons | answer, characters (median, 90 %) | source |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for name, count in built.parts.items():
        found = _quantiles(count.lengths)
        mode = recipe.parts[name].mode
        lines.append(
            f"| {name} | {mode} | {count.rows:,} | {count.written:,} | {count.with_reasons:,} | {found['median']}, {found['90 %']} | {recipe.parts[name].source.hub or 'local'} |"
        )
    lines += ["", "## Balance", "", *_balance(built), "", "## Left out", "", *_left_out(built.parts)]
    lines += ["", "## What records look like", ""]
    for name, record in built.shown.items():
        lines += _example(name, record)
    return "\n".join(lines).rstrip() + "\n"


def _balance(built: Built) -> list[str]:
    lines = []
    for mode, title in (("pairwise", "Verdicts"), ("pointwise", "Scores")):
        parts = {name: count for name, count in built.parts.items() if built.recipe.parts[name].mode == mode}
        if not parts:
            continue
        outcomes = sorted(
            {outcome for count in parts.values() for outcome in count.outcomes}, key=lambda o: _in_order((o, 0))
        )
        lines += [f"| {title} | {' | '.join(outcomes)} |", f"|---|{'---:|' * len(outcomes)}"]
        lines += [
            f"| {name} | {' | '.join(f'{count.outcomes[o]:,}' for o in outcomes)} |" for name, count in parts.items()
        ]
        lines.append("")
    return lines[:-1]


def _left_out(parts: dict[str, PartCount]) -> list[str]:
    reasons = sorted({why for count in parts.values() for why in count.left_out})
    if not reasons:
        return ["Nothing."]
    lines = [f"| why | {' | '.join(parts)} |", f"|---|{'---:|' * len(parts)}"]
    lines += [f"| {why} | {' | '.join(f'{count.left_out[why]:,}' for count in parts.values())} |" for why in reasons]
    faults = [f"- {name}, {fault}" for name, count in parts.items() for fault in count.faults]
    return [*lines, *(["", "The first rows that do not hold what the recipe says:", "", *faults] if faults else [])]


def _example(name: str, record: Record) -> list[str]:
    longest = max((len(run) for run in re.findall(r"`+", record.asked + record.answer)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"### {name} (`{record.prompt}`)", "", fence, record.asked.strip(), "", "-> " + record.answer, fence, ""]


def _quantiles(lengths: list[int]) -> dict[str, int]:
    if not lengths:
        return {"median": 0, "90 %": 0, "longest": 0}
    return {
        "median": int(np.median(lengths)),
        "90 %": int(np.quantile(lengths, 0.9)),
        "longest": max(lengths),
    }


def _in_order(pair: tuple[str, int]) -> tuple[int, int, str]:
    outcome = pair[0]
    number = outcome.split("-")[0]
    return (1, int(number), "") if number.isdigit() else (0, ("first", "second", "tie").index(outcome), "")


def write_card(built: Built, output: Path) -> None:
    """Write ``README.md`` and ``counts.json`` beside the records."""
    (output / "README.md").write_text(card(built), encoding="utf-8")
    (output / "counts.json").write_text(
        json.dumps(counts(built), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
