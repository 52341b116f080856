"""`TASK@PROMPT`: any prompt with any task of its mode, through lmms-eval's own matching of names."""

from __future__ import annotations

import pytest

pytest.importorskip("lmms_eval.evaluator")

from lmms_eval.tasks import TaskManager

from tests.conftest import ROOT
from tests.harness.recorders import SimpleRecorder
from tests.harness.test_task import evaluate, scores
from vlrb_tasks.cli.new import new_prompt
from vlrb_tasks.environment import FOLDERS
from vlrb_tasks.harness.judges.baseline import BaselineJudge
from vlrb_tasks.registry.loading import RegistryError


@pytest.fixture(scope="module")
def manager():
    return TaskManager(include_defaults=False, include_path=str(ROOT / "examples" / "own_benchmark"))


def test_a_task_is_asked_with_another_prompt():
    model = SimpleRecorder("\\boxed{2}")
    results = evaluate(model, ["vlrb_scenes@boxed_answer", "vlrb_scenes"], limit=2)
    assert {sample["ballot"]["prompt"] for sample in results["samples"]["vlrb_scenes@boxed_answer"]} == {
        "boxed_answer@1"
    }
    assert {sample["ballot"]["prompt"] for sample in results["samples"]["vlrb_scenes"]} == {"vlrb_pairwise@1"}
    assert scores(results, "vlrb_scenes@boxed_answer")["first_slot_rate"] == 0
    orders = [
        [vote["order"] for sample in results["samples"][task] for vote in sample["ballot"]["votes"]]
        for task in ("vlrb_scenes@boxed_answer", "vlrb_scenes")
    ]
    assert orders[0] == orders[1], "prompts are compared on the same orders"
    assert results["configs"]["vlrb_scenes@boxed_answer"]["judge"]["prompt"] == "boxed_answer@1"


@pytest.mark.parametrize(
    "patterns,expected",
    [
        (["vlrb_scenes"], ["vlrb_scenes"]),
        (["vlrewardbench*"], ["vlrewardbench", "vlrewardbench_k1"]),
        (["vlrb_scenes_ranking@*"], ["vlrb_scenes_ranking@mllm_judge_batch"]),
        (["vlrb_scenes@vlrb_p*", "vlrewardbench"], ["vlrb_scenes@vlrb_pairwise", "vlrewardbench"]),
        (["vlrewardbench*@think_answer"], ["vlrewardbench@think_answer", "vlrewardbench_k1@think_answer"]),
        (["own_pairs@mllm_judge_pair"], ["own_pairs@mllm_judge_pair"]),
        ("vlrb_scenes@think_answer", ["vlrb_scenes@think_answer"]),
    ],
)
def test_lists_and_wildcards(manager, patterns, expected):
    assert manager.match_tasks(patterns) == expected


@pytest.mark.parametrize(
    "name,message",
    [
        ("vlrb_scenes@think_anser", r"vlrb_scenes cannot be asked with 'think_anser'; .* Did you mean think_answer\?"),
        ("vlrb_scenes@mllm_judge_score", r"cannot be asked with 'mllm_judge_score'; it can with boxed_answer"),
        ("vlrb_scens@think_answer", r"no judge task 'vlrb_scens'; .* Did you mean vlrb_scenes\?"),
    ],
)
def test_what_does_not_fit_is_told(manager, name, message):
    with pytest.raises(RegistryError, match=message):
        manager.match_tasks([name])


def test_a_prompt_of_ones_own_needs_no_fork(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    new_prompt("my_judge", "pairwise", None)
    results = evaluate(BaselineJudge(policy="oracle"), ["vlrb_scenes@my_judge"], limit=12)
    assert scores(results, "vlrb_scenes@my_judge")["overall_accuracy_strict"] == 1
    assert results["samples"]["vlrb_scenes@my_judge"][0]["ballot"]["prompt"] == "my_judge@1"


def test_a_broken_prompt_of_ones_own_disturbs_no_other(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    path = tmp_path / "judge_prompts" / "broken.yaml"
    path.parent.mkdir()
    path.write_text("id: broken\n")
    assert "vlrb_scenes@broken" not in TaskManager(include_defaults=False).all_tasks
    evaluate(BaselineJudge(policy="first"), ["vlrb_scenes"], limit=1)
    with pytest.raises(RegistryError, match=r"cannot be asked with 'broken'"):
        TaskManager(include_defaults=False).match_tasks(["vlrb_scenes@broken"])


def test_a_broken_folder_leaves_other_evaluations_alone(monkeypatch):
    monkeypatch.setenv(FOLDERS, "/no/such/folder")
    with pytest.warns(RuntimeWarning, match="VLRB_PATH: no folder /no/such/folder"):
        names = TaskManager(include_defaults=False).all_tasks
    assert "vlrewardbench" in names
