"""The registry: all prompts, benchmarks and tasks that there are, read when they are asked for.

They come from several places: this package, other installed packages, and folders of the user's own. No place
replaces what another has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .benchmarks import Benchmark, JudgeConfig
from .loading import RegistryError, check, load_benchmarks, load_prompt, read_yaml, unknown
from .prompts import Prompt

_PACKAGE = Path(__file__).resolve().parent.parent

WITH = "@"
"""What stands between a task and another prompt than its own, as in ``vlrewardbench@my_judge``."""


@dataclass(frozen=True)
class Place:
    """A folder with ``registry.yaml`` (benchmarks), ``judge_prompts/`` and ``tasks/``; each may be missing.

    Attributes:
        name: what the place is, for people.
        root: the folder.
        tasks: the folder of task YAMLs, for lmms-eval's ``--include_path``.
        benchmarks_file: the file of benchmarks.
    """

    name: str
    root: Path
    tasks: Path
    benchmarks_file: Path

    @classmethod
    def at(cls, name: str, root: Path, benchmarks_file: str = "registry.yaml") -> Place:
        """Return the place at a folder."""
        return cls(name, root, root / "tasks", root / benchmarks_file)

    @property
    def prompts(self) -> Path:
        """The folder of judge prompts."""
        return self.root / "judge_prompts"


@dataclass(frozen=True)
class Registry:
    """What several places hold together."""

    places: tuple[Place, ...]

    @cached_property
    def benchmarks(self) -> dict[str, Benchmark]:
        """All benchmarks, by name."""
        return {name: benchmark for name, (benchmark, _) in self._benchmarks.items()}

    @cached_property
    def _benchmarks(self) -> dict[str, tuple[Benchmark, Path]]:
        found: dict[str, tuple[Benchmark, Path]] = {}
        for place in self.places:
            file = place.benchmarks_file
            if not file.is_file():
                continue
            for name, benchmark in load_benchmarks(file).items():
                if name in found:
                    raise _taken("benchmark", name, file, found[name][1])
                found[name] = (_located(benchmark, file.parent), file)
        return found

    @cached_property
    def prompt_files(self) -> dict[str, Path]:
        """The files of all prompts, by id; none is read."""
        return _named("prompt", (path for place in self.places for path in sorted(place.prompts.glob("*.yaml"))))

    @cached_property
    def task_files(self) -> dict[str, Path]:
        """The YAML files of all tasks, by the name of the file; those of groups of tasks are none."""
        paths = (path for place in self.places for path in sorted(place.tasks.rglob("*.yaml")))
        return _named("task", (path for path in paths if not path.read_text(encoding="utf-8").startswith("group:")))

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

    def benchmark_file(self, name: str) -> Path:
        """Return the file that a benchmark stands in."""
        return self._benchmarks[name][1]

    def task(self, name: str) -> JudgeConfig:
        """Return the ``judge`` block of a task; of ``TASK@PROMPT``, with that prompt.

        Raises:
            RegistryError: there is no such task, or its file has a fault.
        """
        task, _, prompt = name.partition(WITH)
        if task not in self.task_files:
            raise unknown("task", task, self.task_files, "vlrb list")
        config = judge_config(self.task_files[task], task)
        return config.model_copy(update={"prompt": prompt}) if prompt else config

    def benchmark_of(self, config: JudgeConfig, task: str) -> tuple[str, Benchmark]:
        """Return the benchmark of a task and its name: one of the registry, or the task's own."""
        if isinstance(config.benchmark, str):
            return config.benchmark, self.benchmark(config.benchmark)
        task = task.partition(WITH)[0]
        file = self.task_files.get(task)
        return task, config.benchmark if file is None else _located(config.benchmark, file.parent)

    def prompt_of(self, config: JudgeConfig, benchmark: Benchmark) -> Prompt:
        """Return the prompt of a task, with the variables that the task changes.

        Raises:
            RegistryError: there is no such prompt or variable, or the prompt's file has a fault.
        """
        prompt = self.prompt(config.prompt or benchmark.prompt)
        try:
            return prompt.with_variables(config.variables) if config.variables else prompt
        except ValueError as error:
            raise RegistryError(f"judge.{error}. Fix: correct it in the task's file.") from error

    def prompts_for(self, benchmark: Benchmark) -> list[str]:
        """Return the prompts that a benchmark can be asked with; those with faults are left out."""
        return [name for name, mode in self._modes.items() if mode == benchmark.mode]

    @cached_property
    def _modes(self) -> dict[str, str]:
        modes: dict[str, str] = {}
        for name, path in self.prompt_files.items():
            try:
                modes[name] = load_prompt(path).mode
            except RegistryError:
                continue  # told when the prompt itself is asked for
        return modes

    def place_of(self, path: Path) -> Place:
        """Return the place that a file of this registry is in."""
        return next(
            place for place in self.places if path.is_relative_to(place.root) or path.is_relative_to(place.tasks)
        )


def _named(what: str, paths: Iterable[Path]) -> dict[str, Path]:
    """Return files by their names.

    Raises:
        RegistryError: two files have the same name.
    """
    found: dict[str, Path] = {}
    for path in paths:
        if path.stem in found:
            raise _taken(what, path.stem, path, found[path.stem])
        found[path.stem] = path
    return found


def _taken(what: str, name: str, path: Path, other: Path) -> RegistryError:
    return RegistryError(f"{path}: {what} {name!r} exists already, in {other}. Fix: rename one of the two.")


def _located(benchmark: Benchmark, folder: Path) -> Benchmark:
    """Return a benchmark whose local rows are looked for beside the file that names them, if they are there."""
    path = benchmark.dataset.path
    if path is None or Path(path).exists() or not (folder / path).exists():
        return benchmark
    dataset = benchmark.dataset.model_copy(update={"path": str(folder / path)})
    return benchmark.model_copy(update={"dataset": dataset})


def judge_config(path: Path, name: str) -> JudgeConfig:
    """Read the ``judge`` block of a task file.

    Raises:
        RegistryError: the file has a fault, or is not that of this task.
    """
    content, node = read_yaml(path)
    if not isinstance(content, dict) or content.get("task") != name:
        raise RegistryError(
            f"{path}:1 task: expected `task: {name}`, the name of the file. Fix: change one of the two."
        )
    return check(JudgeConfig, content.get("judge"), path, node, ("judge",))


@cache
def package_place() -> Place:
    """Return the place of this package: inside the installed package, or beside it in a checkout."""
    for root in (_PACKAGE, _PACKAGE.parent):
        if (root / "registry.yaml").is_file() and (root / "judge_prompts").is_dir():
            return Place("vlrb-tasks", root, _PACKAGE / "tasks", root / "registry.yaml")
    raise RegistryError(f"{_PACKAGE}: registry.yaml and judge_prompts are missing. Fix: install vlrb-tasks again.")


@cache
def package_registry() -> Registry:
    """Return what this package holds by itself."""
    return Registry((package_place(),))
