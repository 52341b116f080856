"""Whole runs from the command line: the ways of starting one, real adapters, two processes, a real API server."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from tests.conftest import run
from tests.data.rows import mllm_judge_files, rows
from tests.data.test_references import arena, critic
from tests.harness.server import Server, free_port

pytestmark = pytest.mark.slow

CPU = "device=cpu,device_map=cpu"


def results_in(folder: Path) -> tuple[dict, list[dict]]:
    """The results and the sample log of the one run below a folder, the log in the order of the documents."""
    (results,) = folder.rglob("*_results.json")
    (log,) = folder.rglob("*_samples_*.jsonl")
    samples = [json.loads(line) for line in log.read_text().splitlines()]
    return json.loads(results.read_text()), sorted(samples, key=lambda sample: sample["doc_id"])


def judge(
    folder: Path,
    model: str,
    arguments: str,
    *more: str,
    launcher=("lmms-eval",),
    tasks="vlrb_scenes",
    output="out",
    **environment: str,
):
    command = [
        *launcher,
        "--model",
        model,
        "--model_args",
        arguments,
        "--tasks",
        tasks,
        "--output_path",
        output,
        "--log_samples",
        *more,
    ]
    finished = run(*command, cwd=folder, **environment)
    assert list((folder / output).rglob("*_results.json")), finished.stdout[-3000:] + finished.stderr[-3000:]
    return finished, *results_in(folder / output)


def texts(samples):
    return [[vote["text"] for vote in sample["ballot"]["votes"]] for sample in samples]


def scores(results, task="vlrb_scenes"):
    return {name: repr(value) for name, value in results["results"][task].items() if "clt" not in name}


def torchrun() -> tuple[str, ...]:
    return ("torchrun", "--nproc_per_node", "2", "--master_port", str(free_port()), "-m", "lmms_eval")


def test_the_task_list_names_ours(tmp_path):
    for launcher in (("lmms-eval",), (sys.executable, "-m", "lmms_eval")):
        listed = run(*launcher, "--tasks", "list", cwd=tmp_path)
        assert "- vlrewardbench\n" in listed.stdout
        assert "- vlrb_scenes\n" in listed.stdout


def test_include_path_is_a_way_in_without_the_hook(tmp_path):
    folder = run("vlrb", "path", cwd=tmp_path).stdout.strip()
    code = (
        "from lmms_eval.tasks import TaskManager\n"
        "from lmms_eval.evaluator import simple_evaluate\n"
        "TaskManager.initialize_tasks = TaskManager.initialize_tasks.__closure__[0].cell_contents\n"  # as it was before the hook
        "assert 'vlrb_scenes' not in TaskManager(include_defaults=False).all_tasks\n"
        f"manager = TaskManager(include_defaults=False, include_path={folder!r})\n"
        "results = simple_evaluate(model='vlrb_baseline', model_args='policy=oracle', tasks=['vlrb_scenes'], task_manager=manager, limit=6)\n"
        "assert results['results']['vlrb_scenes']['overall_accuracy,none'] == 1.0\n"
        "print('fine')\n"
    )
    result = run(sys.executable, "-c", code, cwd=tmp_path)
    assert result.stdout.strip().endswith("fine"), result.stdout[-1000:] + result.stderr[-2000:]


def test_score_gives_the_numbers_of_the_run_bit_for_bit(tmp_path):
    _, results, _ = judge(
        tmp_path,
        "vlrb_baseline",
        "policy=oracle,accuracy=0.7,tie_rate=0.1,unparsed_rate=0.1",
        launcher=(sys.executable, "-m", "lmms_eval"),
    )
    found = json.loads(run("vlrb", "score", "--json", "out", cwd=tmp_path).stdout)
    reported = {name.split(",")[0]: value for name, value in results["results"]["vlrb_scenes"].items()}
    compared = 0
    for name, value in found.items():
        if name in reported:
            theirs = reported[name]
            same = (value is None and theirs != theirs) or value == theirs
            assert same, (name, value, theirs)
            compared += 1
    assert compared > 60


def test_a_wrong_data_folder_is_told_in_one_line(tmp_path):
    finished = run(
        "lmms-eval",
        "--model",
        "vlrb_baseline",
        "--tasks",
        "vlrewardbench",
        cwd=tmp_path,
        VLRB_DATA=str(tmp_path / "none"),
    )
    assert "VLRB_DATA: got" in finished.stdout + finished.stderr
    assert "expected a folder" in finished.stdout + finished.stderr


def test_llava_in_one_and_in_two_processes(tmp_path, tiny_llava):
    """Greedy: the log and every score of two processes are those of one."""
    greedy = ("--limit", "7", "--gen_kwargs", "temperature=0,max_new_tokens=8")
    _, one, one_samples = judge(tmp_path, "llava_hf", f"pretrained={tiny_llava},{CPU}", *greedy)
    _, two, two_samples = judge(
        tmp_path,
        "llava_hf",
        f"pretrained={tiny_llava},{CPU}",
        *greedy,
        launcher=torchrun(),
        output="two",
        ACCELERATE_USE_CPU="true",
    )
    assert [sample["doc_id"] for sample in two_samples] == list(range(7))
    assert [s["ballot"] for s in one_samples] == [s["ballot"] for s in two_samples]
    assert [s["input"] for s in one_samples] == [s["input"] for s in two_samples]
    assert scores(one) == scores(two)
    assert len({text for sample in texts(one_samples) for text in sample}) > 1


def test_draws_are_samples_of_their_own(tmp_path, tiny_llava):
    _, _, samples = judge(
        tmp_path,
        "llava_hf",
        f"pretrained={tiny_llava},{CPU}",
        "--limit",
        "2",
        "--gen_kwargs",
        "temperature=1.0,top_p=1.0,max_new_tokens=8",
    )
    assert all(len(set(votes)) == 5 for votes in texts(samples))


def test_llava_as_a_simple_adapter(tmp_path, tiny_llava):
    _, results, samples = judge(
        tmp_path,
        "llava_hf",
        f"pretrained={tiny_llava},{CPU}",
        "--limit",
        "2",
        "--gen_kwargs",
        "temperature=0,max_new_tokens=4",
        "--force_simple",
    )
    assert results["config"]["model_backend"].endswith("(simple)")
    assert all(text for votes in texts(samples) for text in votes)


def test_tasks_of_every_mode_in_one_command(tmp_path, tiny_llava):
    """Pairs, battles with ties, scores and rankings, on rows of the hubs' schemas with images, by one real adapter."""
    mirror = tmp_path / "mirror"
    for folder, data in (
        ("VL-RewardBench", rows(2)),
        ("wildvision-arena-data", [arena(question_id=str(i)) for i in range(2)]),
        ("llava-critic-113k", [critic(id=str(i)) for i in range(2)]),
    ):
        (mirror / folder).mkdir(parents=True)
        Image.new("RGBA", (40, 30), (200, 30, 30, 90)).save(mirror / folder / "0.png")
        (mirror / folder / "rows.json").write_text(json.dumps([{**row, "image": "0.png"} for row in data]))
    mllm_judge_files(mirror / "MLLM-Judge")
    tasks = "vlrewardbench,llava_critic_pairwise,llava_critic_pointwise,vlrb_scenes_pointwise,vlrb_scenes_ranking"
    tasks += ",mllm_judge_score,mllm_judge_pair,mllm_judge_pair_no_tie,mllm_judge_batch"
    command = [
        "lmms-eval",
        "--model",
        "llava_hf",
        "--model_args",
        f"pretrained={tiny_llava},{CPU}",
        "--tasks",
        tasks,
        "--limit",
        "2",
    ]
    command += ["--gen_kwargs", "max_new_tokens=6", "--output_path", "out", "--log_samples"]
    finished = run(*command, cwd=tmp_path, VLRB_DATA=str(mirror))
    (results,) = (tmp_path / "out").rglob("*_results.json")
    assert set(json.loads(results.read_text())["results"]) == set(tasks.split(",")), finished.stderr[-2000:]
    votes = {}
    for log in (tmp_path / "out").rglob("*_samples_*.jsonl"):
        samples = [json.loads(line) for line in log.read_text().splitlines()]
        votes[log.stem.split("_samples_")[1]] = sum(len(sample["ballot"]["votes"]) for sample in samples)
    assert votes == {**dict.fromkeys(tasks.split(","), 2), "vlrewardbench": 10}
    scored = json.loads(run("vlrb", "score", "out", "--json", cwd=tmp_path).stdout)
    assert len(scored) == 9


@pytest.mark.parametrize("kind", ["llava", "qwen"])
def test_likelihoods_of_a_real_model(tmp_path, tiny_llava, tiny_qwen, kind):
    model = {"llava": tiny_llava, "qwen": tiny_qwen}[kind]
    command = ["lmms-eval", "--model", "vlrb_likelihood", "--model_args", f"pretrained={model},device=cpu"]
    command += ["--tasks", "vlrb_scenes@vlrb_loglikelihood", "--limit", "6", "--output_path", "out", "--log_samples"]
    finished = run(*command, cwd=tmp_path)
    results, samples = results_in(tmp_path / "out")
    found = {name.split(",")[0]: value for name, value in results["results"]["vlrb_scenes@vlrb_loglikelihood"].items()}
    assert found["failed_rate"] == found["unparsed_rate"] == 0, finished.stderr[-2000:]
    shares = [vote["shares"] for sample in samples for vote in sample["ballot"]["votes"]]
    assert len(shares) == 30
    assert all(0 < one < 1 and abs(one + other - 1) < 1e-9 for one, other in shares)
    assert len({round(one, 9) for one, _ in shares}) > 6, "it depends on the item and the order"
    again = json.loads(run("vlrb", "score", "out", "--json", cwd=tmp_path).stdout)
    assert again["soft_probability"] == found["soft_probability"]


def test_likelihoods_are_those_of_the_model(tiny_llava):
    """Against the model's own loss over the answer, prompt and padding masked; one token and several."""
    import torch
    from PIL import Image
    from transformers import AutoModelForImageTextToText, AutoProcessor

    from vlrb_tasks.harness.judges.likelihood import LikelihoodJudge

    judge = LikelihoodJudge(str(tiny_llava), device="cpu")
    judge.task_dict = {"t": {"test": [{}]}}
    image = Image.new("RGB", (40, 30), (200, 30, 30))
    model = AutoModelForImageTextToText.from_pretrained(tiny_llava).eval()
    processor = AutoProcessor.from_pretrained(tiny_llava)
    content = [{"type": "image"}, {"type": "text", "text": "Which one?"}]
    text = processor.apply_chat_template(
        [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
    )
    prompt = processor(text=[text], images=[image], return_tensors="pt")["input_ids"].shape[1]
    for answer in ("A", "B", "The first response is better."):
        (found,) = judge.loglikelihood(
            [SimpleNamespace(args=("Which one?", answer, lambda doc: [image], 0, "t", "test"))]
        )
        inputs = processor(text=[text + answer], images=[image], return_tensors="pt")
        labels = inputs["input_ids"].clone()
        labels[:, :prompt] = -100
        with torch.inference_mode():
            mean = model(**inputs, labels=labels).loss
        assert found[0] == pytest.approx(float(mean) * int((labels >= 0).sum()), rel=1e-4), answer


@pytest.mark.parametrize("adapter", ["llava_hf", "qwen2_5_vl"])
def test_worked_examples_with_images_through_real_adapters(tmp_path, tiny_llava, tiny_qwen, adapter):
    model = {"llava_hf": tiny_llava, "qwen2_5_vl": tiny_qwen}[adapter]
    command = [
        "vlrb",
        "matrix",
        "--prompts",
        "vlrb_pairwise,vlrb_examples,vlrb_rubric",
        "--task",
        "vlrb_scenes",
        "--model",
        adapter,
    ]
    command += [
        "--model_args",
        f"pretrained={model},{CPU}",
        "--limit",
        "2",
        "--gen_kwargs",
        "max_new_tokens=4",
        "--json",
    ]
    finished = run(*command, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr[-3000:]
    found = json.loads(finished.stdout)
    assert list(found["scores"]) == ["vlrb_pairwise", "vlrb_examples", "vlrb_rubric"]
    assert len(found["differences"]) == 6
    assert all(one["failed_rate"] == 0 for one in found["scores"].values())


def test_qwen(tmp_path, tiny_qwen):
    _, _, samples = judge(
        tmp_path,
        "qwen2_5_vl",
        f"pretrained={tiny_qwen},{CPU}",
        "--limit",
        "3",
        "--gen_kwargs",
        "temperature=1.0,top_p=1.0,max_new_tokens=8",
    )
    assert all(len(set(votes)) == 5 for votes in texts(samples))


def test_baselines_in_two_processes(tmp_path):
    arguments = "policy=oracle,accuracy=0.7,unparsed_rate=0.1"
    _, one, one_samples = judge(tmp_path, "vlrb_baseline", arguments)
    _, two, two_samples = judge(
        tmp_path, "vlrb_baseline", arguments, launcher=torchrun(), output="two", ACCELERATE_USE_CPU="true"
    )
    assert [s["ballot"] for s in one_samples] == [s["ballot"] for s in two_samples]
    assert scores(one) == scores(two)


def test_an_api_server_judges(tmp_path, tiny_llava):
    with Server(tiny_llava, tmp_path / "server.log") as server:
        _, results, samples = judge(
            tmp_path, "openai", server.arguments(tiny_llava), "--limit", "3", "--gen_kwargs", "max_new_tokens=8"
        )
        assert server.answered >= 15
    assert results["results"]["vlrb_scenes"]["failed_rate,none"] == 0
    assert all(text for votes in texts(samples) for text in votes)


def test_a_server_killed_midway_leaves_failed_votes_that_are_told_loudly(tmp_path, tiny_llava):
    with Server(tiny_llava, tmp_path / "server.log") as server:

        def kill_after_some() -> None:
            while server.answered < 10 and server.process.poll() is None:
                time.sleep(0.05)
            server.kill()

        threading.Thread(target=kill_after_some, daemon=True).start()
        finished, results, samples = judge(
            tmp_path, "openai", server.arguments(tiny_llava), "--limit", "12", "--gen_kwargs", "max_new_tokens=8"
        )
    votes = [vote for sample in samples for vote in sample["ballot"]["votes"]]
    failed = sum(vote["verdict"] == "failed" for vote in votes)
    assert len(votes) == 60
    assert 10 <= failed <= 50
    assert results["results"]["vlrb_scenes"]["failed_rate,none"] == failed / 60
    assert f"{failed / 60:.1%} of 60 votes failed, above 1%: do not publish this run" in finished.stderr
