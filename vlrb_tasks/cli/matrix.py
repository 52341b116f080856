"""``vlrb matrix``: one judge with several prompts beside each other."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..analysis.matrix import matrix, matrix_record
from ..environment import registry
from ..registry.casting import reader
from ..registry.index import WITH
from ..registry.loading import RegistryError
from ..report.differences import matrix_tables
from ..votes.errors import LogError
from ..votes.logs import Log, read_log


def prompt_matrix(
    prompts: Sequence[str], task: str, model: str, model_args: str, output: Path, further: Sequence[str], as_json: bool
) -> str:
    """Judge a task with each of these prompts, in one run of lmms-eval, and return tables of scores and differences.

    Raises:
        RegistryError: a prompt or the task is not known, or they do not fit; told before the model is loaded.
        LogError: lmms-eval left no log for a prompt.
    """
    known = registry()
    if len(set(prompts)) < 2:
        raise RegistryError(
            "--prompts: two prompts or more are compared. Fix: name them with commas, as in --prompts a,b."
        )
    benchmark_name, benchmark = known.benchmark_of(known.task(task), task)
    for prompt in prompts:
        reader(benchmark_name, benchmark, known.prompt(prompt))
    names = [f"{task}{WITH}{prompt}" for prompt in dict.fromkeys(prompts)]
    output.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "lmms_eval", "--model", model, "--tasks", ",".join(names), "--log_samples"]
    command += ["--output_path", str(output), *(["--model_args", model_args] if model_args else []), *further]
    started, told = time.time(), output / "lmms_eval.txt"
    with told.open("w", encoding="utf-8") as file:
        code = subprocess.run(command, stdout=file, check=False).returncode
    logs = {name: _newest(output, name, started) for name in names}
    missing = [name for name, path in logs.items() if path is None]
    if missing:
        raise LogError(
            f"lmms-eval (exit code {code}) left no log of {', '.join(missing)}. Fix: see its messages above, and {told}."
        )
    runs: dict[str, Log] = {name.partition(WITH)[2]: read_log(path, known) for name, path in logs.items() if path}
    found = matrix(runs, known)
    return json.dumps(matrix_record(*found), allow_nan=False) if as_json else f"{task}\n\n{matrix_tables(*found)}"


def _newest(folder: Path, task: str, since: float) -> Path | None:
    """Return the log of a task that was written after a moment."""
    found = [path for path in folder.rglob(f"*_samples_{task}.jsonl") if path.stat().st_mtime >= since - 1]
    return max(found, key=lambda path: path.stat().st_mtime) if found else None
