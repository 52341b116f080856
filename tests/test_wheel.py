"""The wheel, installed into a fresh environment, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT], check=True, capture_output=True
    )
    (built,) = folder.glob("*.whl")
    return built


def test_what_is_in_it(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"vlrb_tasks/registry.yaml", "vlrb_tasks/py.typed", "vlrb_tasks/judge_prompts/vlrewardbench.yaml"} <= names
    assert {
        "vlrb_tasks/tasks/vlrewardbench/vlrewardbench.yaml",
        "vlrb_tasks/tasks/vlrb_scenes/vlrb_scenes.yaml",
    } <= names
    pages = {"style.css", "base.html", "cells.html", "report.html", "report.js", "leaderboard.html", "leaderboard.js"}
    assert {f"vlrb_tasks/report/web/{page}" for page in pages} <= names
    assert not any(name.startswith(("tests/", "examples/", "judge_prompts/")) for name in names)
    (metadata,) = (name for name in names if name.endswith("METADATA"))
    requires = zipfile.ZipFile(wheel).read(metadata).decode()
    assert "Requires-Dist: lmms-eval<0.8,>=0.7" in requires
    assert "Requires-Dist: filelock<4" in requires


def fresh_environment(venv: Path, wheel: Path) -> Path:
    """Return a new environment with the wheel alone; its dependencies come from the packages of this one."""
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    here, packages = (
        subprocess.run(
            [program, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for program in (python, sys.executable)
    )
    Path(here, "dependencies.pth").write_text(packages + "\n")
    return venv


def test_tasks_and_prompts_are_listed_from_a_fresh_environment(wheel, tmp_path):
    venv = fresh_environment(tmp_path / "venv", wheel)
    python = venv / "bin" / "python"

    def run(*command: str) -> str:
        return subprocess.run([python, *command], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    where = run("-c", "import vlrb_tasks; print(vlrb_tasks.__file__)").strip()
    assert where.startswith(str(venv)), "the checkout was imported instead of the wheel"
    listed = run(str(venv / "bin" / "vlrb"), "list")
    for name in ("vlrewardbench", "vlrb_scenes", "vlrb_pairwise", "think_answer"):
        assert name in listed
    assert "0 faults" in run(str(venv / "bin" / "vlrb"), "validate")
    assert run(str(venv / "bin" / "vlrb"), "path").strip() == f"{Path(where).parent}/tasks"
    code = (
        "import json, lmms_eval.models\n"
        "from lmms_eval.tasks import TaskManager\n"
        "print(json.dumps(TaskManager(include_defaults=False).all_tasks))"
    )
    assert {"vlrewardbench", "vlrewardbench_k1", "vlrb_scenes"} <= set(json.loads(run("-c", code).splitlines()[-1]))


def test_another_package_brings_a_prompt_and_a_benchmark(wheel, tmp_path):
    """The example package, installed beside the wheel; its benchmark and its prompt are judged."""
    venv = fresh_environment(tmp_path / "venv", wheel)
    python = venv / "bin" / "python"
    subprocess.run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            ROOT / "examples" / "judge_package",
        ],
        check=True,
    )

    def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
        return subprocess.run([python, *command], cwd=tmp_path, capture_output=True, text=True, check=False, env=env)

    vlrb = str(venv / "bin" / "vlrb")
    listed = run(vlrb, "list").stdout
    for name in ("acme_pairs", "acme_brief", "package acme-judges 1.0"):
        assert name in listed
    checked = run(vlrb, "validate")
    assert "ok     prompt acme_brief" in checked.stdout
    assert "0 faults" in checked.stdout, checked.stdout
    judged = run(
        "-m", "lmms_eval", "--tasks", "acme_pairs,vlrb_scenes@acme_brief,acme_pairs@think_answer", "--model", "vlrb_baseline",
        "--model_args", "policy=oracle", "--limit", "6", "--log_samples", "--output_path", "out",
    )  # fmt: skip
    scored = json.loads(run(vlrb, "score", "out", "--json").stdout or "{}")
    assert len(scored) == 3, judged.stderr[-2000:]
    prompts = set()
    for log in (tmp_path / "out").rglob("*_samples_*.jsonl"):
        ballots = [json.loads(line)["ballot"] for line in log.read_text().splitlines()]
        assert all(vote["vote"] == ballot["preferred"] for ballot in ballots for vote in ballot["votes"])
        prompts |= {(ballot["benchmark"], ballot["prompt"]) for ballot in ballots}
    assert prompts == {
        ("acme_pairs", "acme_brief@1"),
        ("vlrb_scenes", "acme_brief@1"),
        ("acme_pairs", "think_answer@1"),
    }
