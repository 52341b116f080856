"""Critic data from public judgments: scores with reasons, people's preferences, and a judge's texts as teacher reasons."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from vlrb_tasks.critic.build import build
from vlrb_tasks.critic.card import card
from vlrb_tasks.critic.recipe import Recipe
from vlrb_tasks.critic.templates import pair_templates
from vlrb_tasks.registry.index import package_registry

pytestmark = pytest.mark.shared

ASKED = re.compile(
    r"<\|User Prompt\|>\n(.*?)\n\n<\|The Start of Assistant A's Answer\|>\n(.*?)\n<\|The End of Assistant A's Answer\|>"
    r"\n\n<\|The Start of Assistant B's Answer\|>\n(.*?)\n<\|The End of Assistant B's Answer\|>",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def built(shared, tmp_path_factory):
    """Data from three sources, with a pair of VL-RewardBench planted into the second."""
    folder = tmp_path_factory.mktemp("critic")
    data = shared / "data"
    (folder / "mirror" / "VL-RewardBench").mkdir(parents=True)
    shutil.copy(data / "vl_rewardbench" / "rows.json", folder / "mirror" / "VL-RewardBench")
    planted = json.loads((data / "vl_rewardbench" / "rows.json").read_text())[500]
    pairs = [json.loads(line) for line in (data / "mm_rlhf_rewardbench" / "rows.jsonl").read_text().splitlines()]
    pairs = [row for row in pairs if "image" in row]
    plant = {
        "id": "planted",
        "image": "x.png",
        "prompt": planted["query"],
        "chosen": planted["response"][0],
        "rejected": planted["response"][1],
    }
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*pairs[:60], plant, *pairs[60:]]))
    judged = []
    for file in sorted((data / "wildvision_bench" / "judgements").glob("*.jsonl")):
        for row in map(json.loads, file.read_text().splitlines()):
            game = row["games"][0] or {}
            text = game.get("judgement") or game.get("judgment")
            asked = (game.get("user_prompt") or [{}])[0].get("text", "")
            found = ASKED.search(asked) if text and text != "$ERROR$" else None
            if found is not None and game["score"] is not None:
                facts = dict(zip(("q", "a", "b"), found.groups(), strict=True))
                judged.append(
                    {
                        **facts,
                        "id": f"{row['question_id']}/{row['model']}",
                        "image": game["user_prompt"][1]["image"],
                        "score": game["score"],
                        "why": text,
                    }
                )
    (folder / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged))
    mj = {"path": str(data / "mj_bench" / "validation_gpt4score_eval.json"), "license": "MIT"}
    recipe = Recipe.model_validate(
        {
            "title": "Critic data from public judgments",
            "images": "path",
            "parts": {
                "scores": {
                    "mode": "pointwise", "source": mj, "scale": [0, 10], "prompts": ["critic_caption", "critic_preference"],
                    "cells": {"id": "id", "image": "image_0_uid", "question": "caption", "response": "caption", "score": "score_0", "reasons": "reasoning_process"},
                    "reasons": {"cells": True},
                },
                "preferences": {
                    "mode": "pairwise", "source": {"path": "pairs.jsonl"},
                    "cells": {"id": "id", "image": "image", "question": "prompt", "better": "chosen", "worse": "rejected"},
                },
                "judged": {
                    "mode": "pairwise", "source": {"path": "judged.jsonl"},
                    "cells": {"id": "id", "image": "image", "question": "q", "responses": ["a", "b"], "winner": "score", "reasons": "why"},
                    "winners": {"A>>B": "first", "A>B": "first", "A=B": "tie", "B>A": "second", "B>>A": "second"},
                    "reasons": {"cells": True, "labels": ["Assistant A", "Assistant B"]},
                },
            },
        }
    )  # fmt: skip
    output = folder / "out"
    made = build(recipe, folder, output, package_registry(), folder / "mirror")
    return made, [json.loads(line) for line in (output / "train.jsonl").read_text().splitlines()]


def test_counts(built):
    made, records = built
    scores, preferences, judged = (made.parts[name] for name in ("scores", "preferences", "judged"))
    assert scores.written > 450
    assert len(scores.outcomes) >= 8
    assert preferences.outcomes["first"] == preferences.outcomes["second"] > 100
    assert judged.outcomes["first"] == judged.outcomes["second"] > 2500
    assert judged.outcomes["tie"] > 200
    assert judged.with_reasons > 0.9 * judged.written
    assert len(records) == sum(count.written for count in made.parts.values())
    assert len(judged.prompts) == 30


def test_the_planted_pair_is_refused(built):
    made, records = built
    assert not any(record["row"] == "planted" for record in records)
    overlap = {why: n for why, n in made.parts["preferences"].left_out.items() if why.startswith("overlap")}
    assert sum(overlap.values()) >= 1


def test_every_answer_is_read_as_its_verdict_and_none_keeps_the_sources_names(built):
    _, records = built
    for record in records:
        if record["judge_prompt"].startswith("pair_"):
            template = pair_templates()[int(record["judge_prompt"].removeprefix("pair_")) - 1]
            answer = record["completion"][0]["content"][0]["text"]
            assert template.read(answer).outcome == record["outcome"]
            assert not re.search(r"\[\[A[>=]", answer)
            if "Assistant A" not in template.names:
                assert not re.search(r"\bAssistant [AB]\b", answer), answer


def test_the_card_shows_each_kind(built):
    text = card(built[0])
    assert all(f"### {part} (`" in text for part in ("scores", "preferences", "judged"))
    assert "| judged | pairwise |" in text
