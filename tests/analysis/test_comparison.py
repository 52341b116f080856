"""`vlrb compare` and `vlrb power`, as commands, on logs of real runs."""

import json

import pytest

pytest.importorskip("lmms_eval.evaluator")

from tests.cli.test_cli import vlrb
from tests.harness.test_task import evaluate
from vlrb_tasks.harness.judges.baseline import BaselineJudge


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two judges with the same prompt, and one with another; with results files as lmms-eval leaves them."""
    folder = tmp_path_factory.mktemp("runs")
    for name, task, judge, more in (
        ("weak", "vlrb_scenes", BaselineJudge(policy="oracle", accuracy=0.6), {}),
        ("strong", "vlrb_scenes", BaselineJudge(policy="oracle", accuracy=0.95, seed=1), {}),
        ("hot", "vlrb_scenes@vlrb_rubric", BaselineJudge(policy="oracle", accuracy=0.95, seed=1), {"gen_kwargs": "temperature=1.0", "limit": 48}),
        ("points", "vlrb_scenes_pointwise", BaselineJudge(policy="oracle", accuracy=0.6), {}),
    ):  # fmt: skip
        results = evaluate(judge, [task], **more)
        (folder / name).mkdir()
        lines = "".join(json.dumps({"ballot": sample["ballot"]}) + "\n" for sample in results["samples"][task])
        (folder / name / f"2026_samples_{task}.jsonl").write_text(lines)
        (folder / name / "2026_results.json").write_text(json.dumps({"configs": results["configs"]}, default=str))
    return folder


def test_a_better_judge(runs):
    found = json.loads(vlrb("compare", runs / "weak", runs / "strong", "--json").stdout)
    names = [one["metric"] for one in found["differences"]]
    assert names[:2] == ["overall_accuracy_strict", "macro_accuracy_strict"]
    assert {"accuracy_counting_strict", "accuracy_text_strict"} < set(names)
    overall = found["differences"][0]
    assert overall["p"] < 1e-6
    assert overall["interval"][0] > 0.1
    assert overall["only_second"] + overall["only_first"] == len(found["changed"])
    assert found["warnings"] == []
    told = vlrb("compare", runs / "weak", runs / "strong").stdout
    assert "<0.0001" in told
    assert f"{len(found['changed'])} of 300 items are right in one run alone:" in told
    assert "right in strong" in told
    assert "--items lists all" in told
    assert "--items" not in vlrb("compare", runs / "weak", runs / "strong", "--items").stdout


def test_what_else_differs_is_warned_of(runs):
    told = vlrb("compare", runs / "strong", runs / "hot").stdout
    for what in (
        "the prompts differ: vlrb_pairwise@1, vlrb_rubric@1",
        "the generation settings differ",
        "has 252 items that the other has not",
        "the parsers differ",
    ):
        assert f"WARNING: {what}" in told or what in told, told
    assert " 48" in told


def test_runs_that_do_not_compare(runs, tmp_path):
    told = vlrb("compare", runs / "weak", runs / "points")
    assert told.returncode == 1
    assert "is of vlrb_scenes" in told.stderr
    told = vlrb("compare", runs, runs / "weak")
    assert "holds 4 logs. Fix: name one of them" in told.stderr


def test_scores_compare_too(runs):
    told = vlrb("compare", runs / "points", runs / "points", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert [one["metric"] for one in found["differences"]] == ["pearson", "mean_absolute_error"]
    assert all(one["difference"] == 0 for one in found["differences"])


def test_power():
    told = vlrb("power", "--accuracy", "0.65", "--difference", "0.03").stdout
    assert "Votes an item  Accuracy  Other judge  Discordant items  Items needed" in told
    assert vlrb("power", "--accuracy", "0.65", "--difference", "0.9").returncode == 1
