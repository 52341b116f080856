"""The workflow of the example leaderboard: its steps, run as a runner would, on what a pull request may bring."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.conftest import ROOT
from tests.votes.made_runs import scene_items, write_run
from vlrb_tasks import __version__
from vlrb_tasks.cli.main import app

EXAMPLE = ROOT / "examples" / "leaderboard"


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    workflow = yaml.safe_load((EXAMPLE / ".github" / "workflows" / "leaderboard.yml").read_text())
    return {step["name"]: step["run"] for step in workflow["jobs"]["build"]["steps"] if "run" in step}


def test_it_installs_this_version_and_reads_only(steps):
    workflow = yaml.safe_load((EXAMPLE / ".github" / "workflows" / "leaderboard.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in workflow[True]  # YAML reads the key `on` as true
    assert f"vlrb-tasks=={__version__}" in (EXAMPLE / "requirements.txt").read_text()
    assert "-r requirements.txt" in steps["Install"]


@pytest.mark.slow
def test_its_steps_accept_and_reject(steps, tmp_path):
    repository = tmp_path / "repository"
    shutil.copytree(EXAMPLE, repository)
    run = write_run(tmp_path / "run", scene_items(), 0.9)
    packed = repository / "submissions" / "my judge"
    done = CliRunner().invoke(app, ["submit", "pack", str(run), "--model-name", "My judge", "-o", str(packed)])
    assert done.exit_code == 0, done.output
    summary = tmp_path / "summary.md"

    def step(name: str) -> int:
        env = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(summary),
        }
        return subprocess.run(["bash", "-e", "-c", steps[name]], cwd=repository, env=env, check=False).returncode

    assert step("Validate") == 0
    assert step("Build") == 0
    assert "My judge" in (repository / "site" / "index.html").read_text()
    assert "accepted. My judge" in summary.read_text()
    results = json.loads((packed / "results.json").read_text())
    results["overall_accuracy"]["value"] = 1.0
    (packed / "results.json").write_text(json.dumps(results))
    assert step("Validate") == 1
    assert "REJECTED" in summary.read_text()
