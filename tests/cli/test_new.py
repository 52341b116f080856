"""`vlrb new`, `validate`, `matrix` and `gallery`, as commands."""

import json

import pytest

from tests.cli.test_cli import vlrb
from tests.conftest import ROOT
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.report.gallery import gallery


@pytest.mark.parametrize("mode", ["pairwise", "pointwise", "ranking"])
def test_a_new_prompt_validates_as_it_stands_and_can_be_asked(tmp_path, mode):
    written = vlrb("new", "prompt", "my_judge", "--mode", mode, "--registry", "mine", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    path = tmp_path / "mine" / "judge_prompts" / "my_judge.yaml"
    assert f"wrote {path}" in written.stdout
    assert f'export VLRB_PATH="{tmp_path / "mine"}"' in written.stdout
    checked = vlrb("validate", path, cwd=tmp_path)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "1 checked, 0 faults, 0 warnings")
    task = {"pairwise": "vlrb_scenes", "pointwise": "vlrb_scenes_pointwise", "ranking": "vlrb_scenes_ranking"}[mode]
    assert f"vlrb render {task}@my_judge" in written.stdout
    shown = vlrb("render", f"{task}@my_judge", cwd=tmp_path, VLRB_PATH=str(tmp_path / "mine"))
    assert "prompt my_judge@1" in shown.stdout, shown.stderr


def test_a_name_that_is_taken_names_both_places(tmp_path):
    told = vlrb("new", "prompt", "think_answer", "--registry", "mine", cwd=tmp_path)
    assert told.returncode == 1
    assert (
        f"{tmp_path}/mine/judge_prompts/think_answer.yaml: prompt 'think_answer' exists already, in {ROOT}"
        in told.stderr
    )
    told = vlrb(
        "new",
        "benchmark",
        "mmmu_val",
        "--dataset",
        "a/b",
        "--prompt",
        "think_answer",
        "--registry",
        "mine",
        cwd=tmp_path,
    )
    assert "task mmmu_val: lmms-eval has one of this name, in " in told.stderr


@pytest.mark.parametrize(
    "arguments,message",
    [
        (("prompt", "my_judge"), "no folder to write to. Fix: name one with --registry"),
        (("prompt", "My-Judge", "--registry", "mine"), "prompt 'My-Judge': expected small letters"),
        (("benchmark", "b", "--dataset", "a/b", "--prompt", "thnk_answer", "--registry", "mine"), "Did you mean think_answer?"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_told(tmp_path, arguments, message):
    told = vlrb("new", *arguments, cwd=tmp_path)
    assert (told.returncode, told.stdout) == (1, "")
    assert message in told.stderr


ROWS = {
    "preferences": ({"id": "1", "prompt": "q", "chosen": "a", "rejected": "b"}, "think_answer", ["best: chosen", "responses: [chosen, rejected]"]),
    "ranks": ({"id": "1", "query": "q", "response": ["a", "b"], "human_ranking": [0, 1]}, "think_answer", ["ranking: human_ranking", "responses: response"]),
    "votes": ({"question_id": "1", "question": "q", "answer_a": "a", "answer_b": "b", "winner": "A"}, "mllm_judge_pair", ["id: question_id", "winner: winner"]),
    "scores": ({"question": "q", "response": "a", "human_score": 3}, "mllm_judge_score", ["score: human_score"]),
    "orders": ({"id": 1, "instruction": "q", "answers": list("wxyz"), "order": "CABD"}, "mllm_judge_batch", ["order: order", "responses: answers"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_new_benchmark_reads_the_columns_of_local_rows(tmp_path, name):
    row, prompt, expected = ROWS[name]
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    written = vlrb(
        "new",
        "benchmark",
        "my_bench",
        "--dataset",
        "rows.jsonl",
        "--prompt",
        prompt,
        "--registry",
        "mine",
        cwd=tmp_path,
    )
    path = tmp_path / "mine" / "tasks" / "my_bench.yaml"
    assert written.returncode == 0, written.stderr
    for line in expected:
        assert line in path.read_text()
    assert "0 faults" in vlrb("validate", path, cwd=tmp_path, VLRB_PATH=str(tmp_path / "mine")).stdout
    shown = vlrb("render", "my_bench", cwd=tmp_path, VLRB_PATH=str(tmp_path / "mine"))
    assert shown.returncode == 0, shown.stderr


def test_columns_that_are_not_there_are_guessed_and_told(tmp_path):
    (tmp_path / "rows.jsonl").write_text(json.dumps({"frage": "q", "antworten": ["a", "b"], "besser": 0}))
    written = vlrb(
        "new",
        "benchmark",
        "b",
        "--dataset",
        "rows.jsonl",
        "--prompt",
        "think_answer",
        "--registry",
        "mine",
        cwd=tmp_path,
    )
    assert (
        "NOTE: not found in the data, so guessed: question, responses, winner. Its columns are frage, antworten, besser."
        in written.stdout
    )


def test_validate_tells_prompts_tasks_and_registries_apart(tmp_path):
    acme = ROOT / "examples" / "judge_package" / "acme_judges"
    files = [acme / "registry.yaml", acme / "judge_prompts" / "acme_brief.yaml", acme / "tasks" / "acme_pairs.yaml"]
    told = vlrb("--registry", acme, "validate", *files)
    assert told.returncode == 0, told.stdout + told.stderr
    assert [line.split()[1] for line in told.stdout.splitlines()[:3]] == ["benchmarks", "prompt", "task"]
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "t.yaml").write_text("task: t\njudge: {benchmark: vlrewardbench, prompt: mllm_judge_score}\n")
    told = vlrb("--registry", tmp_path, "validate", tmp_path / "tasks" / "t.yaml")
    assert told.returncode == 1
    assert "got 'mllm_judge_score', a pointwise prompt; expected a pairwise one" in told.stdout


def test_the_gallery_is_what_the_files_say():
    assert (ROOT / "docs" / "prompts.md").read_text() == gallery(package_registry()), (
        "run vlrb gallery --output docs/prompts.md"
    )
