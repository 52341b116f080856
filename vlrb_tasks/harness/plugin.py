"""Registration: what lmms-eval calls at start-up, so that ``--tasks vlrewardbench`` needs no flag.

lmms-eval loads the entry points of the group ``lmms_eval.models`` before it looks for tasks. ``register``
returns our judges and sees to it that every ``TaskManager`` also searches our task folders, those of other
packages and of ``VLRB_PATH``, and knows ``vlrewardbench@my_judge``: a task with another prompt. It imports
neither torch nor transformers, never raises, and may be called any number of times.
"""

from __future__ import annotations

import fnmatch
import importlib.abc
import importlib.metadata
import importlib.util
import inspect
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..environment import registry
from ..registry.index import WITH, Registry, judge_config, package_registry
from ..registry.loading import RegistryError, nearest

_TASKS = "lmms_eval.tasks"
_JUDGE_TASK = "vlrb_tasks.harness.task.JudgeTask"
_KNOWN = (0, 7)
_PATCHED = "_vlrb_tasks_registered"


def register() -> list[Any]:
    """Return the manifests of our judges, and have every task manager find our tasks.

    With an lmms-eval that this version does not know, it warns once and registers nothing: the user's own
    evaluation goes on, and ``--include_path "$(vlrb path)"`` is the way in.
    """
    try:
        version = importlib.metadata.version("lmms-eval")
        numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
        if numbers != _KNOWN:
            raise RuntimeError(f"lmms-eval {version} is installed; this vlrb-tasks knows {'.'.join(map(str, _KNOWN))}")
        from lmms_eval.models.registry_v2 import ModelManifest

        _when_imported(_TASKS)
        judges = "vlrb_tasks.harness.judges"
        return [
            ModelManifest(model_id="vlrb_baseline", simple_class_path=f"{judges}.baseline.BaselineJudge"),
            ModelManifest(model_id="vote_judge", simple_class_path=f"{judges}.vote_judge.VoteJudge"),
            ModelManifest(model_id="vlrb_replay", simple_class_path=f"{judges}.replay.ReplayJudge"),
            ModelManifest(model_id="vlrb_likelihood", simple_class_path=f"{judges}.likelihood.LikelihoodJudge"),
        ]
    except Exception as error:  # another package's evaluation must not suffer from ours
        warnings.warn(
            f'vlrb-tasks could not register its tasks: {error}. Other tasks are not affected. Fix: install a matching version, or pass --include_path "$(vlrb path)".',
            RuntimeWarning,
            stacklevel=2,
        )
        return []


def extend_task_manager(module: ModuleType) -> None:
    """Have the ``TaskManager`` of this module find our tasks too, and ``TASK@PROMPT``. A second call does nothing."""
    manager = module.TaskManager
    original = manager.initialize_tasks
    if getattr(original, _PATCHED, False):
        return
    if "include_path" not in inspect.signature(original).parameters:
        raise RuntimeError("TaskManager.initialize_tasks takes no include_path")
    get_config, match_tasks = manager._get_config, manager.match_tasks

    def initialize_tasks(self: Any, include_path: str | Sequence[str] | None = None, *args: Any, **kwargs: Any) -> Any:
        paths = [include_path] if isinstance(include_path, str) else list(include_path or [])
        known = _registry_or_package()
        ours = [str(place.tasks) for place in known.places if place.tasks.is_dir()]
        index = original(self, [*paths, *(path for path in ours if path not in paths)], *args, **kwargs)
        return {**index, **_with_prompts(index, known)}

    def _get_config(self: Any, name: str) -> Any:
        config = get_config(self, name)
        prompt = self.task_index[name].get("prompt")
        if prompt is not None:
            config = {**config, "task": name, "judge": {**config["judge"], "prompt": prompt}}
        return config

    def match(self: Any, task_list: str | Sequence[str]) -> list[str]:
        patterns = [task_list] if isinstance(task_list, str) else list(task_list)
        with_prompt = [pattern for pattern in patterns if WITH in pattern]
        for name in with_prompt:
            _check_known(name, self.task_index)
        return [name for name in match_tasks(self, patterns) if WITH not in name or _any_fits(name, with_prompt)]

    setattr(initialize_tasks, _PATCHED, True)
    manager.initialize_tasks, manager._get_config, manager.match_tasks = initialize_tasks, _get_config, match


def _registry_or_package() -> Registry:
    """Return all that there is; where a place of others is broken, warn and leave others' evaluations alone."""
    try:
        known = registry()
        _ = known.prompt_files, known.task_files, known.benchmarks
        return known
    except RegistryError as error:
        warnings.warn(
            f"vlrb-tasks: only the package's own tasks and prompts are found: {error}", RuntimeWarning, stacklevel=3
        )
        return package_registry()


def _with_prompts(index: Mapping[str, Any], known: Registry) -> dict[str, Any]:
    """Return an entry ``TASK@PROMPT`` for each judge task of an index and each prompt that it can be asked with."""
    further = {}
    for task, entry in index.items():
        if entry["type"] != "python_task" or _JUDGE_TASK not in Path(entry["yaml_path"]).read_text(encoding="utf-8"):
            continue
        try:
            _, benchmark = known.benchmark_of(judge_config(Path(entry["yaml_path"]), task), task)
        except RegistryError:
            continue  # told when the task itself is asked for
        for prompt in known.prompts_for(benchmark):
            further[f"{task}{WITH}{prompt}"] = {**entry, "prompt": prompt}
    return further


def _any_fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _check_known(name: str, index: Mapping[str, Any]) -> None:
    """Tell why a task cannot be asked with a prompt, where it cannot. A file of that name is none of our concern."""
    if any(_any_fits(known, [name]) for known in index) or Path(name).exists():
        return
    task, _, prompt = name.partition(WITH)
    there = sorted(known for known in index if known.startswith(f"{task}{WITH}"))
    prompts = [known.partition(WITH)[2] for known in there]
    if not there:
        tasks = sorted({known.partition(WITH)[0] for known in index if WITH in known})
        raise RegistryError(
            f"--tasks {name}: no judge task {task!r}; there are {', '.join(tasks)}.{nearest(task, tasks)} Fix: see `vlrb list`."
        )
    raise RegistryError(
        f"--tasks {name}: {task} cannot be asked with {prompt!r}; it can with {', '.join(prompts)}.{nearest(prompt, prompts)} "
        "Fix: choose one of these; a prompt of another mode, or one with faults, is none of them (`vlrb validate`)."
    )


class _AfterImport(importlib.abc.MetaPathFinder):
    """Extends the task manager as soon as its module has been imported."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != _TASKS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            try:
                extend_task_manager(module)
            except Exception as error:
                warnings.warn(
                    f'vlrb-tasks could not add its tasks: {error}. Fix: pass --include_path "$(vlrb path)".',
                    RuntimeWarning,
                    stacklevel=2,
                )

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _when_imported(name: str) -> None:
    module = sys.modules.get(name)
    if module is not None and hasattr(module, "TaskManager"):
        extend_task_manager(module)
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())
