"""The registry: all prompts and benchmarks that there are, read when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .loading import RegistryError, check, load_benchmarks, load_prompt, read_yaml, unknown
from .schema import Benchmark, JudgeConfig, Prompt

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Registry:
    """A ``registry.yaml`` and the folder ``judge_prompts`` beside it."""

    root: Path

    @cached_property
    def benchmarks(self) -> dict[str, Benchmark]:
        """All benchmarks, by name."""
        return load_benchmarks(self.root / "registry.yaml")

    @cached_property
    def prompt_files(self) -> dict[str, Path]:
        """The files of all prompts, by id; none is read."""
        return {path.stem: path for path in sorted((self.root / "judge_prompts").glob("*.yaml"))}

    def prompt(self, id: str) -> Prompt:
        """Return a prompt.

        Raises:
            RegistryError: there is no such prompt, or its file has a fault.
        """
        if id not in self.prompt_files:
            raise unknown("prompt", id, self.prompt_files, "vlrb list")
        return load_prompt(self.prompt_files[id])

    def benchmark(self, name: str) -> Benchmark:
        """Return a benchmark.

        Raises:
            RegistryError: there is no such benchmark, or its entry has a fault.
        """
        if name not in self.benchmarks:
            raise unknown("benchmark", name, self.benchmarks, "vlrb list")
        return self.benchmarks[name]


@cache
def package_registry() -> Registry:
    """Return the registry of this package: inside the installed package, or beside it in a checkout."""
    for root in (_PACKAGE, _PACKAGE.parent):
        if (root / "registry.yaml").is_file() and (root / "judge_prompts").is_dir():
            return Registry(root)
    raise RegistryError(f"{_PACKAGE}: registry.yaml and judge_prompts are missing. Fix: install vlrb-tasks again.")


def task_folder() -> Path:
    """Return the folder of the task YAMLs, for lmms-eval's ``--include_path``."""
    return _PACKAGE / "tasks"


def task_config(name: str) -> JudgeConfig:
    """Return the ``judge`` block of a task.

    Raises:
        RegistryError: there is no such task, or its file has a fault.
    """
    files = task_files()
    if name not in files:
        raise unknown("task", name, files, "vlrb list")
    path = files[name]
    content, node = read_yaml(path)
    if not isinstance(content, dict) or content.get("task") != name:
        raise RegistryError(
            f"{path}:1 task: expected `task: {name}`, the name of the file. Fix: change one of the two."
        )
    return check(JudgeConfig, content.get("judge"), path, node, ("judge",))


def benchmark_of(config: JudgeConfig, task: str, registry: Registry) -> tuple[str, Benchmark]:
    """Return the benchmark of a task and its name: one of the registry, or the task's own."""
    if isinstance(config.benchmark, str):
        return config.benchmark, registry.benchmark(config.benchmark)
    return task, config.benchmark


def task_files() -> dict[str, Path]:
    """Return the YAML files of all tasks, by the name of the file; those of groups of tasks are none."""
    paths = sorted(task_folder().rglob("*.yaml"))
    return {path.stem: path for path in paths if not path.read_text(encoding="utf-8").startswith("group:")}
