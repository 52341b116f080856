"""The critic's training, on a tiny checkpoint of a real architecture: what is learnt, that it learns, resumes, and judges."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys

import pytest
import torch
import yaml
from safetensors.torch import load_file

from tests.conftest import ROOT, run
from vlrb_tasks.critic.build import build
from vlrb_tasks.critic.card import write_card
from vlrb_tasks.critic.recipe import Recipe
from vlrb_tasks.data.scenes import draw_scene, scene_rows
from vlrb_tasks.environment import registry

pytestmark = pytest.mark.slow
TRAIN = ROOT / "examples" / "critic_sft" / "train.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Critic data about scenes that no benchmark draws, both kinds of judgments."""
    folder = tmp_path_factory.mktemp("critic")
    lines = []
    for number, row in enumerate(scene_rows(48, seed=77)):
        draw_scene(row["scene"]).resize((56, 56)).save(folder / f"{number}.png")
        best = row["ranking"].index(0)
        facts = {
            "image": f"{number}.png",
            "q": row["question"],
            "good": row["responses"][best],
            "bad": row["responses"][1 - best],
        }
        lines.append({**facts, "id": row["id"], "score": 100})
    (folder / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = {"path": "rows.jsonl"}
    cells = {"id": "id", "image": "image", "question": "q"}
    recipe = Recipe.model_validate(
        {
            "title": "Scenes",
            "overlap": {"benchmarks": ["vlrb_scenes"]},
            "parts": {
                "pairs": {"mode": "pairwise", "source": source, "cells": {**cells, "better": "good", "worse": "bad"}},
                "scores": {
                    "mode": "pointwise", "source": source, "cells": {**cells, "response": "good", "score": "score"}, "prompts": ["critic_chat"],
                },
            },
        }
    )  # fmt: skip
    built = build(recipe, folder, folder / "data", registry())
    write_card(built, folder / "data")
    return folder / "data"


def settings(folder, data, model, **changed):
    path = folder / "run.yaml"
    given = {
        "model": str(model), "data": str(data), "output": str(folder / "out"), "learning_rate": 1e-2, "batch": 8, "device_batch": 4,
        "steps": 20, "save_every": 10, "log_every": 1, "gradient_checkpointing": False,
        "evaluation": {"adapter": "qwen2_5_vl", "model_args": "device=cpu,device_map=cpu", "tasks": "vlrb_scenes", "limit": 2},
    }  # fmt: skip
    path.write_text(yaml.safe_dump({**given, **changed}))
    return path


def trained(path, *more):
    done = run(sys.executable, TRAIN, path, *more, cwd=path.parent)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done


def loaded_module():
    spec = importlib.util.spec_from_file_location("critic_sft_train", TRAIN)
    module = importlib.util.module_from_spec(spec)
    sys.modules["critic_sft_train"] = module
    spec.loader.exec_module(module)
    return module


def test_only_the_answer_is_learnt(tmp_path, data, tiny_qwen):
    """Every token that bears a label is one of the answer and its end; the prompt and its picture bear none."""
    module = loaded_module()
    run_settings = module.load_run(settings(tmp_path, data, tiny_qwen))
    trainer = module.trainer_for(run_settings)
    records = [json.loads(line) for line in (data / "train.jsonl").read_text().splitlines()][:4]
    batch = trainer.data_collator([trainer.train_dataset[i] for i in range(4)])
    decode = trainer.processing_class.tokenizer.decode
    for ids, labels, record in zip(batch["input_ids"], batch["labels"], records, strict=True):
        answer = record["completion"][0]["content"][0]["text"]
        assert decode(labels[labels != -100]) == f"{answer}<|im_end|>\n"
        unlearnt = decode(ids[labels == -100])
        assert record["prompt"][0]["content"][-1]["text"] in unlearnt
        assert "<|image_pad|>" in unlearnt
        assert torch.equal(ids[labels != -100], labels[labels != -100])
    assert (batch["labels"] != -100).any(dim=1).all()


def test_it_learns_resumes_bit_for_bit_and_judges(tmp_path, data, tiny_qwen):
    path = settings(tmp_path, data, tiny_qwen)
    trained(path)
    out = tmp_path / "out"
    losses = [json.loads(line)["loss"] for line in (out / "critic" / "training_log.jsonl").read_text().splitlines()]
    assert len(losses) == 20
    assert sum(losses[-3:]) < 0.8 * sum(losses[:3]), losses
    weights = load_file(out / "critic" / "model.safetensors")
    scores = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    assert scores[-1]["step"] == 20
    assert "vlrb_scenes/overall_accuracy_strict" in scores[-1]
    card = (out / "critic" / "README.md").read_text()
    assert "20 steps on " in card
    assert "vlrb_scenes/overall_accuracy_strict" in card
    assert "Scenes" in (out / "critic" / "data_card.md").read_text()
    refused = run(sys.executable, TRAIN, path, cwd=tmp_path)
    assert refused.returncode != 0
    assert "holds checkpoints" in refused.stderr
    # a kill after step 10: what came later is gone
    shutil.rmtree(out / "checkpoints" / "checkpoint-20")
    shutil.rmtree(out / "critic")
    trained(path, "--resume")
    again = load_file(out / "critic" / "model.safetensors")
    assert weights.keys() == again.keys()
    assert all(torch.equal(weights[name], again[name]) for name in weights)


def test_low_rank_adapters_are_merged_into_a_whole_critic(tmp_path, data, tiny_qwen):
    path = settings(
        tmp_path, data, tiny_qwen, lora={"rank": 4}, steps=4, save_every=2, freeze_vision=True, evaluation=None
    )
    trained(path)
    critic = load_file(tmp_path / "out" / "critic" / "model.safetensors")
    base = load_file(tiny_qwen / "model.safetensors")
    assert critic.keys() == base.keys()
    assert any(not torch.equal(critic[name], base[name]) for name in base)
    shutil.rmtree(tmp_path / "out" / "checkpoints" / "checkpoint-4")
    shutil.rmtree(tmp_path / "out" / "critic")
    trained(path, "--resume")
    again = load_file(tmp_path / "out" / "critic" / "model.safetensors")
    assert all(torch.equal(critic[name], again[name]) for name in critic)


def test_a_typo_is_told_with_its_line(tmp_path, data, tiny_qwen):
    path = settings(tmp_path, data, tiny_qwen, learning_rat=1)
    done = run(sys.executable, TRAIN, path, cwd=tmp_path)
    assert done.returncode != 0
    assert "learning_rat: no such field. Did you mean learning_rate?" in done.stderr
