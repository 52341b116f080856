"""How runs end: killed, out of room, on another number of ranks; and what the exit code says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, run
from tests.harness.test_processes import torchrun
from vlrb_tasks.votes.journal_records import load_journal

pytestmark = pytest.mark.slow


def judge(
    folder: Path,
    arguments: str,
    *more: str,
    launcher: tuple[str, ...] = ("lmms-eval",),
    items: int = 12,
    output: str = "out",
    timeout: int = 240,
):
    command = [
        *launcher,
        "--model",
        "vote_judge",
        "--model_args",
        arguments,
        "--tasks",
        "vlrb_scenes",
        "--limit",
        str(items),
    ]
    command += ["--gen_kwargs", "max_new_tokens=6,temperature=0", "--log_samples", "--output_path", output, *more]
    return run(*command, cwd=folder, timeout=timeout, ACCELERATE_USE_CPU="true", OMP_NUM_THREADS="1")


def scores(folder: Path, output: str = "out") -> dict[str, str]:
    results = sorted((folder / output).rglob("*_results.json"))[-1]
    found = json.loads(results.read_text())["results"]["vlrb_scenes"]
    return {name: repr(value) for name, value in found.items() if "clt" not in name}


@pytest.mark.parametrize("kind", ["checkpoint", "api"])
def test_killed_runs_lose_nothing_and_ask_nothing_twice(kind):
    command = [sys.executable, "-m", "tests.harness.kills", "--kind", kind, "--kills", "1", "--seed", "3"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=500)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-3000:]
    assert "all as it should be" in finished.stdout


@pytest.mark.parametrize("ranks", [(2, 1), (1, 2)])
def test_another_number_of_ranks_goes_on(tmp_path, tiny_llava, ranks):
    model = f"judge=llava_hf,pretrained={tiny_llava},device=cpu,device_map=cpu"
    launchers = {1: ("lmms-eval",), 2: torchrun()}
    judge(tmp_path, model, output="unbroken")
    first = judge(
        tmp_path,
        model + ",journal=votes,max_votes=22",
        launcher=launchers[ranks[0]],
    )
    assert first.returncode != 0, "a budget that is spent is no end"
    assert "max_votes=22 is spent" in first.stderr
    before = set(load_journal(tmp_path / "votes").votes)
    assert 20 <= len(before) <= 24
    last = judge(tmp_path, model + ",journal=votes", launcher=launchers[ranks[1]])
    assert last.returncode == 0, last.stderr[-3000:]
    loaded = load_journal(tmp_path / "votes")
    assert len(loaded.votes) == 60
    lines = sum(len(path.read_text().splitlines()) for path in loaded.files)
    assert lines == 60 + sum(
        '"type":"vote"' not in line for path in loaded.files for line in path.read_text().splitlines()
    )
    assert scores(tmp_path) == scores(tmp_path, "unbroken")


def test_no_rank_waits_for_one_that_failed(tmp_path, tiny_llava):
    (tmp_path / "votes" / "rank-00001.votes.jsonl").mkdir(parents=True)  # what the second rank cannot open
    finished = judge(
        tmp_path,
        f"judge=llava_hf,pretrained={tiny_llava},device=cpu,device_map=cpu,journal=votes",
        launcher=torchrun(),
        timeout=120,
    )
    assert finished.returncode != 0
    assert "rank-00001.votes.jsonl: cannot be" in finished.stderr


@pytest.mark.parametrize(
    "arguments,code,told",
    [
        ("policy=first,failed_rate=0.2", 1, "votes failed, more than allow_failed=0.01"),
        ("policy=first,failed_rate=0.2,allow_failed=0.5", 0, ""),
        (
            "policy=first,max_votes=10",
            1,
            "max_votes=10 is spent and 50 votes are missing; without journal= those that were drawn are lost",
        ),
        ("policy=none", 1, "the run did not end"),
    ],
)
def test_the_exit_code(tmp_path, arguments, code, told):
    finished = judge(tmp_path, f"judge=vlrb_baseline,{arguments}")
    assert finished.returncode == code, finished.stderr[-3000:]
    assert told in finished.stderr
    assert ("vote_judge: exit code 1" in finished.stderr) == bool(code)


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", place], check=False, capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_and_one_that_cannot_be_written(tmp_path, small_disk):
    arguments = f"judge=vlrb_baseline,policy=oracle,accuracy=0.7,journal={small_disk}/votes,chunk=4"
    finished = judge(tmp_path, arguments)
    assert finished.returncode == 1
    assert "cannot be written: No space left on device. Fix: make room" in finished.stderr
    kept = len(load_journal(small_disk / "votes").votes)
    assert 4 <= kept < 60, finished.stderr[-2000:]
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    assert judge(tmp_path, arguments).returncode == 0
    loaded = load_journal(small_disk / "votes")
    assert (len(loaded.votes), loaded.damaged) == (60, {})
    judge(tmp_path, "judge=vlrb_baseline,policy=oracle,accuracy=0.7", output="unbroken")
    assert scores(tmp_path) == scores(tmp_path, "unbroken")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    finished = judge(tmp_path, arguments)
    assert finished.returncode == 1
    assert "cannot be written: Read-only file system" in finished.stderr
