"""The tiny critic: what it is taught, that training can be repeated, and how it judges through lmms-eval."""

from __future__ import annotations

import importlib
import json
import sys
from types import SimpleNamespace

import pytest
import torch
import yaml
from PIL import Image
from safetensors.torch import load_file
from transformers import LlavaForConditionalGeneration, LlavaProcessor

from tests.conftest import ROOT, run
from vlrb_tasks.data.fact_scenes import scored_rows
from vlrb_tasks.data.scenes import draw_scene, scene_rows
from vlrb_tasks.environment import registry
from vlrb_tasks.registry.rendering import render

HERE = ROOT / "examples" / "tiny_critic"
MODEL = HERE / "model"
KINDS = (
    "glance", "find", "locate", "told", "repeat", "pick", "place", "read", "ask", "check", "choose",
    "compare", "rate", "score", "grade",
)  # fmt: skip


@pytest.fixture(scope="module")
def tiny():
    """The example's modules, as its scripts import them: from their own folder."""
    names = ("facts", "lessons", "architecture", "batches")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE))
        modules = {name: importlib.import_module(name) for name in names}
    for name in names:
        del sys.modules[name]
    return SimpleNamespace(**modules)


@pytest.fixture(scope="module")
def lessons(tiny):
    return tiny.lessons


def drawn(lessons, count, kinds=KINDS, preamble=1.0):
    stream = lessons.lessons(1, dict.fromkeys(kinds, 1.0), preamble, (1, 2, 3, 4))
    return [next(stream) for _ in range(count)]


def test_no_lesson_shows_or_names_what_is_held_out(tiny, lessons):
    evaluated = {frozenset(row["scene"]) for row in (*scene_rows(), *scored_rows())}
    names = [(shape, color, f"{color} {shape}", f"The {shape} is {color}", f"The {color} shape is a {shape}")
             for shape, color in tiny.facts.HELD_OUT]  # fmt: skip
    for lesson in drawn(lessons, 4000):
        assert not tiny.facts.is_held_out(lesson.scene)
        assert len(lesson.scene) < 4 or frozenset(lesson.scene) not in evaluated
        said = " ".join(part for turn in lesson.turns for part in turn)
        for *_, together, one, other in names:
            assert one not in said
            assert other not in said
            assert together not in said or "not show" in said or "Is there" in said, said


def test_lessons_are_the_same_every_time_and_seed_0_is_the_benchmarks_own(lessons):
    assert drawn(lessons, 50) == drawn(lessons, 50)
    with pytest.raises(ValueError, match="seed: got 0"):
        next(lessons.pair_rows(0))


def test_answers_are_read_back_as_what_is_taught(lessons):
    compared = drawn(lessons, 300, ("compare", "choose", "place"))
    prompts = {name: registry().prompt(name) for name in ("llava_critic_pairwise", "llava_critic_pointwise")}
    seen = set()
    for lesson in compared:
        for asked, answer in lesson.turns:
            if "The second response" in asked:
                verdict = prompts["llava_critic_pairwise"].read(answer).outcome
                assert verdict == ("first" if answer.startswith("The first") else "second")
                seen.add(verdict)
    assert seen == {"first", "second"}
    for lesson in drawn(lessons, 100, ("score", "rate", "grade")):
        for _, answer in lesson.turns:
            assert prompts["llava_critic_pointwise"].read(answer).score == float(answer.split("\n")[0])


def test_pictures_are_put_together_as_they_are_drawn(tiny):
    processor = LlavaProcessor.from_pretrained(MODEL)
    pictures = tiny.batches.Pictures(processor)
    for row in scene_rows(12):
        whole = processor.image_processor(draw_scene(row["scene"]), return_tensors="pt")["pixel_values"][0]
        assert (pictures(row["scene"]) - whole).abs().max() < 0.02


def test_conversations_are_taught_as_adapters_will_write_them(tiny):
    processor = LlavaProcessor.from_pretrained(MODEL)
    asked, answer = "What colour is the star?", "red."
    batches = tiny.batches.Batches(processor)
    ids, labels = batches.tokens(tiny.lessons.Lesson((), ((asked, answer),)))
    assert processor.tokenizer.decode([label for label in labels if label != -100]) == " red.</s>"
    parts = [{"type": "image", "url": Image.new("RGB", (80, 80))}, {"type": "text", "text": asked}]
    for content in (f"<image>\n{asked}", parts):
        chat = processor.apply_chat_template(
            [{"role": "user", "content": content}, {"role": "assistant", "content": answer}], tokenize=False
        )
        told = processor(text=chat, images=Image.new("RGB", (80, 80)), return_tensors="pt")["input_ids"][0].tolist()
        assert ids == told


def test_the_model_in_the_checkout_is_small_and_has_its_card():
    size = sum(path.stat().st_size for path in MODEL.iterdir())
    assert size < 16 * 2**20
    weights = load_file(MODEL / "model.safetensors")
    assert sum(tensor.numel() for tensor in weights.values()) < 5_000_000
    card = (MODEL / "README.md").read_text()
    assert yaml.safe_load(card.split("---")[1])["license"] == "apache-2.0"
    log = [json.loads(line) for line in (HERE / "training_log.jsonl").read_text().splitlines()]
    assert log[-1]["loss"] < log[0]["loss"]


def test_votes_vary_with_the_temperature():
    model = LlavaForConditionalGeneration.from_pretrained(MODEL).eval()
    processor = LlavaProcessor.from_pretrained(MODEL)
    torch.manual_seed(0)
    prompt = registry().prompt("llava_critic_pairwise")
    flips = {}
    for temperature in (0.1, 3.0):
        flips[temperature] = 0
        for row in scene_rows(12):
            asked = render(prompt, row["question"], row["responses"])
            chat = processor.apply_chat_template([{"role": "user", "content": f"<image>\n{asked}"}], tokenize=False)
            inputs = processor(text=chat, images=draw_scene(row["scene"]), return_tensors="pt")
            told = model.generate(
                **inputs, do_sample=True, temperature=temperature, top_k=0, max_new_tokens=4, num_return_sequences=16
            )
            said = processor.batch_decode(told[:, inputs["input_ids"].shape[1] :])
            flips[temperature] += len({text.split()[1] for text in said if len(text.split()) > 1}) > 1
    assert flips[3.0] > flips[0.1]
    assert flips[3.0] >= 6


@pytest.mark.slow
def test_training_goes_through_all_stages_and_can_be_repeated(tmp_path):
    command = [sys.executable, HERE / "train.py", "--steps", "2", "--log-every", "2"]
    losses, weights = [], []
    for name, more in (("one", ["--processes", "1"]), ("two", []), ("again", [])):
        done = run(*command, "--output", name, "--stages", "look", "relate", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-2000:]
        rows = [json.loads(line) for line in (tmp_path / name / "training_log.jsonl").read_text().splitlines()]
        losses.append([(row["stage"], row["loss"]) for row in rows])
        weights.append(load_file(tmp_path / name / "relate" / "model.safetensors"))
    assert [stage for stage, _ in losses[0]] == ["look", "relate"]
    assert losses[1] == losses[2]
    assert all(torch.equal(weights[1][name], weights[2][name]) for name in weights[1])
    assert losses[0][0][1] == pytest.approx(losses[1][0][1], abs=1e-3)  # as one process, but for rounding
    done = run(*command, "--output", "on", "--start", "two/look", "--stages", "relate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    went_on = load_file(tmp_path / "on" / "relate" / "model.safetensors")
    assert all(torch.equal(weights[1][name], went_on[name]) for name in went_on)


def judged(folder, task, *more):
    """Judge with the tiny critic and return the scores."""
    command = ["lmms-eval", "--model", "llava_hf", "--model_args", f"pretrained={MODEL},device=cpu,device_map=cpu"]
    done = run(
        *command, "--tasks", task, "--log_samples", "--output_path", folder, *more, cwd=ROOT, OMP_NUM_THREADS="1"
    )
    (results,) = folder.rglob("*_results.json")
    scores = json.loads(results.read_text())["results"]
    assert len(scores) == 1, done.stderr[-2000:]
    return {name.partition(",")[0]: value for name, value in next(iter(scores.values())).items()}


@pytest.mark.slow
def test_it_judges_pairs_by_what_it_sees(tmp_path):
    task = yaml.safe_load((HERE / "vlrb_scenes_blank.yaml").read_text().replace("!function ", ""))
    for name, blank in (("shown", 0), ("blank", 1)):
        config = {**task, "task": f"tiny_{name}"}
        config["judge"] = {**task["judge"], "draws": 1, "options": {"items": 300, "seed": 0, "blank": blank}}
        text = yaml.safe_dump(config).replace(f"class: {task['class']}", f"class: !function {task['class']}")
        (tmp_path / f"tiny_{name}.yaml").write_text(text)
    shown, blank = (
        judged(tmp_path / f"out_{name}", f"tiny_{name}", "--include_path", str(tmp_path)) for name in ("shown", "blank")
    )
    assert shown["overall_accuracy_strict"] >= 0.75
    groups = {name: value for name, value in shown.items() if name.startswith("accuracy_") and name.endswith("_strict")}
    assert len(groups) == 6
    assert min(groups.values()) > 0.6, groups
    assert shown["coverage_strict"] > 0.99
    assert blank["overall_accuracy_strict"] <= 0.55


@pytest.mark.slow
def test_it_scores_responses(tmp_path):
    scores = judged(tmp_path, "vlrb_scenes_pointwise")
    assert scores["pearson"] >= 0.6


@pytest.mark.slow
def test_scores_of_single_responses_become_votes_on_pairs(tmp_path):
    script = [sys.executable, HERE / "by_scores.py"]
    for name, policy in (("knows", "oracle"), ("same", "first")):
        out = tmp_path / name
        assert run(*script, "ask", out, cwd=ROOT).returncode == 0
        done = run(
            "lmms-eval", "--model", "vlrb_baseline", "--model_args", f"policy={policy}", "--include_path", out,
            "--tasks", "vlrb_scenes_responses", "--log_samples", "--output_path", out / "scores", cwd=ROOT,
        )  # fmt: skip
        paired = run(*script, "pair", out, cwd=ROOT)
        assert paired.returncode == 0, done.stderr[-2000:] + paired.stderr
    scores = {
        name: json.loads(run("vlrb", "score", tmp_path / name / "pairs", "--json", cwd=ROOT).stdout)
        for name in ("knows", "same")
    }
    assert scores["knows"]["overall_accuracy_strict"] == 1
    assert scores["same"]["overall_accuracy_strict"] == 0  # each response gets the same score
    assert scores["same"]["tie_rate"] == 1
    assert scores["knows"]["prompt"] == "llava_critic_pointwise@1"
