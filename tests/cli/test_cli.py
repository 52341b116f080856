"""``vlrb`` as its users start it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.registry.test_loading import GOOD
from tests.votes.test_logs import ballot, sample_log
from vlrb_tasks.core.voting import Ballot, Origin, Vote

VLRB = Path(sys.executable).parent / "vlrb"


def vlrb(*arguments: object, stdin: str | None = None, cwd: Path | None = None, **environment: str):
    import os

    return subprocess.run(
        [VLRB, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "120", **environment},
        timeout=60,
        check=False,
    )


def test_starts_in_under_half_a_second_and_without_torch():
    best = min(_seconds("--help") for _ in range(3))
    assert best < 0.5
    code = "import sys\nfrom vlrb_tasks.cli import main, listing, parse, render, score\nprint([m for m in ('torch', 'lmms_eval', 'transformers') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def _seconds(*arguments: str) -> float:
    """The processor time of a command, which other tests beside this one do not lengthen."""
    before = os.times()
    assert vlrb(*arguments).returncode == 0
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "show",
        "render",
        "validate",
        "score",
        "parse",
        "path",
        "correlate",
        "matrix",
        "gallery",
        "compare",
        "power",
    ],
)
def test_every_command_has_help_with_an_example(command):
    result = vlrb(command, "--help")
    assert result.returncode == 0
    assert "Example:" in result.stdout


def test_version():
    assert vlrb("--version").stdout.startswith("vlrb-tasks 0.")


def test_list_and_show():
    listed = vlrb("list").stdout
    for name in ("vlrewardbench", "vlrewardbench_k1", "vlrb_scenes", "vlrb_pairwise", "think_answer"):
        assert name in listed
    shown = vlrb("show", "vlrewardbench").stdout
    assert "GPT-4o" in shown
    assert "template_from" in shown
    wrong = vlrb("show", "vlrewardbanch")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    assert "Did you mean vlrewardbench?" in wrong.stderr


def test_render(tmp_path):
    result = vlrb("render", "vlrb_scenes", "--item", "3", "--draw", "1", "--save-images", tmp_path)
    assert "# vlrb_scenes, item 3 (id " in result.stdout
    assert "Response A:" in result.stdout
    assert "# images: 320 x 320" in result.stdout
    assert (tmp_path / "vlrb_scenes-3-0.png").is_file()
    assert "Answer 1:" in vlrb("render", "vlrb_scenes", "--prompt", "vlrewardbench").stdout
    assert "Fix: use --item 0 to 299" in vlrb("render", "vlrb_scenes", "--item", "300").stderr
    assert "no item with id 'x'" in vlrb("render", "vlrb_scenes", "--id", "x").stderr
    assert "expected a folder" in vlrb("render", "vlrewardbench", "--data", tmp_path / "none").stderr


def test_validate(tmp_path):
    assert vlrb("validate").returncode == 0
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    assert vlrb("validate", path).returncode == 0
    path.write_text(GOOD.replace("mode:", "mood:"))
    result = vlrb("validate", path)
    assert result.returncode == 1
    assert f"{path}:3 mood: no such field. Did you mean mode?" in result.stdout


def test_parse():
    lines = [
        {"text": "Overall Judgment: Answer 2 is better."}, {"text": "<think>x</think><answer>1</answer>", "prompt": "think_answer"}, {"text": ""}, {"text": None},
        {"text": "Overall Judgment: Answer 1 is superior.", "prompt": "vlrewardbench_official"}, {"text": "答案2更好。"},
    ]  # fmt: skip
    result = vlrb("parse", "--prompt", "vlrewardbench", stdin="\n".join(map(json.dumps, lines)))
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["verdict"] for row in found] == ["second", "first", "unparsed", "failed", "unparsed", "second"]
    assert found[0]["span"] == [18, 36]
    assert lines[0]["text"][18:36] == "Answer 2 is better"


@pytest.mark.parametrize(
    "stdin,arguments,message",
    [
        ("{", ["--prompt", "vlrewardbench"], "standard input:1 is no JSON"),
        ('{"txt": "a"}', ["--prompt", "vlrewardbench"], "standard input:1 text: missing"),
        ('{"text": 3}', ["--prompt", "vlrewardbench"], "text: missing or no text"),
        ('{"text": "a"}', [], "prompt: missing"),
        ('{"text": "a"}', ["--prompt", "nope"], "prompt: got 'nope'"),
    ],
)
def test_parse_faults(stdin, arguments, message):
    result = vlrb("parse", *arguments, stdin=stdin)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_score(tmp_path):
    path = sample_log(
        tmp_path / "run_samples_x.jsonl",
        [ballot(texts=("Overall Judgment: Answer 1 is better.", "No. Overall Judgment: Answer 2 is better."))],
    )
    text = vlrb("score", tmp_path).stdout
    assert "overall_accuracy" in text
    assert "GPT-4o" in text
    machine = json.loads(vlrb("score", path, "--json").stdout)
    assert machine["overall_accuracy"] == 1.0
    assert (machine["overall_accuracy_ci95_low"], machine["overall_accuracy_ci95_high"]) == (1.0, 1.0)
    assert machine["accuracy_reasoning"] is None
    assert machine["flip_rate"] is None
    changed = vlrb("score", path, "--parser", "vlrewardbench", "--diff").stdout
    assert "1 verdicts changed:" in changed
    assert "first -> second" in changed
    assert json.loads(vlrb("score", path, "--diff", "--json").stdout)["changes"][0]["after"] == "second"
    other = sample_log(tmp_path / "b_samples_x.jsonl", [ballot()])
    both = json.loads(vlrb("score", path, other, "--json").stdout)
    assert list(both) == [str(path), str(other)]


def test_diff_of_scores_names_the_scores(tmp_path):
    origin = Origin("vlrb_scenes_pointwise", "llava_critic_pointwise@1", "r", "pointwise")
    vote = Vote(0, (0,), "80\nFine.", "score", (0, 2), None, "none", score=70.0)
    scored = Ballot("k", "facts-000", "all", None, (5,), (), (vote,), origin, score=75.0)
    path = sample_log(tmp_path / "run_samples_x.jsonl", [scored])
    assert "facts-000 draw 0: 70.0 -> 80.0" in vlrb("score", path, "--diff").stdout


def test_score_faults(tmp_path):
    result = vlrb("score", tmp_path / "none")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert vlrb("score").returncode == 2
    assert vlrb("scroe").returncode == 2


def test_a_reader_that_goes_away_is_no_traceback():
    result = subprocess.run(f"{VLRB} list | head -1", shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr
