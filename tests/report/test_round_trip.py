"""From real runs to reports, tables, submissions and a site: one command of lmms-eval for each judge."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import run
from vlrb_tasks.core.controls import SHOWN
from vlrb_tasks.environment import registry
from vlrb_tasks.votes.runs import load_runs

pytestmark = pytest.mark.slow

TASKS = ("vlrb_scenes", "vlrb_scenes_pointwise", "vlrb_scenes_ranking")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Four judges without a model: one that knows, and the controls, which only compare."""
    folder = tmp_path_factory.mktemp("judged")
    for name, arguments, tasks in (
        ("knows", "policy=oracle,accuracy=0.8", ",".join(TASKS)),
        *((control, f"policy={control}", "vlrb_scenes") for control in SHOWN),
    ):
        command = ("lmms-eval", "--model", "vlrb_baseline", "--model_args", arguments, "--tasks", tasks)
        done = run(*command, "--log_samples", "--output_path", folder / name, cwd=folder)
        assert list((folder / name).rglob("*_results.json")), done.stderr[-3000:]
    return folder


def log_of(folder, task):
    (found,) = folder.rglob(f"*_samples_{task}.jsonl")
    return found


def test_a_run_says_what_it_ran_on(judged):
    facts = load_runs([log_of(judged / "knows", "vlrb_scenes")], registry())[0].facts
    assert facts.judge == "vlrb_baseline oracle"
    assert facts.items == 300
    assert facts.limit is None
    assert facts.settings["temperature"] == 0.2
    assert {"lmms_eval", "torch", "vlrb_tasks"} <= {name.replace("-", "_") for name in facts.versions}
    assert re.search(r"\d+ (CPU|core)|GPU", facts.hardware)


def test_controls_beside_a_judge_score_what_their_own_runs_score(judged):
    """What a report computes from the orders of a judge's log is what the controls score when they are run."""
    beside = load_runs([log_of(judged / "knows", "vlrb_scenes")], registry())[0]
    for control in SHOWN:
        alone = load_runs([judged / control], registry())[0]
        for metric in ("overall_accuracy", "overall_accuracy_strict", "first_slot_rate", "longer_response_rate"):
            assert beside.controls[control][metric] == alone.scores[metric], (control, metric)


@pytest.mark.parametrize("task", TASKS)
def test_from_run_to_site(judged, tmp_path, task):
    log = log_of(judged / "knows", task)
    steps = (
        ("submit", "pack", log, "--model-name", "Knows much", "-o", "all/knows"),
        ("submit", "validate", "all/knows"),
        ("submit", "card", "all/knows", "-o", "card"),
        ("leaderboard", "build", "all", "-o", "site"),
        ("report", f"Knows={log}", "-o", "report.html"),
        ("plot", log, "-o", "figures", "--format", "svg,png,pdf"),
        ("table", log, "--format", "latex"),
    )
    said = {}
    for step in steps:
        done = run("vlrb", *step, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        said[step[0] if step[0] != "submit" else step[1]] = done.stdout
    assert "accepted. Knows much" in said["validate"]
    assert "1 submissions, 0 rejected" in said["build" if "build" in said else "leaderboard"]
    card = json.loads((tmp_path / "all" / "knows" / "submission.json").read_text())
    assert card["model_name"] == "Knows much"
    assert card["data"]["benchmark"] == task
    site = (tmp_path / "site" / "index.html").read_text()
    assert "Knows much" in site
    figures = list((tmp_path / "figures").iterdir())
    assert {path.suffix for path in figures} == {".svg", ".png", ".pdf"}
    assert all(path.stat().st_size > 2000 for path in figures)
    assert said["table"].startswith(r"\begin{tabular}")
    assert said["table"].count(r"\\") >= 2
    assert "Knows" in (tmp_path / "report.html").read_text()
