"""Registration: what lmms-eval calls at start-up, so that ``--tasks vlrewardbench`` needs no flag.

lmms-eval loads the entry points of the group ``lmms_eval.models`` before it looks for tasks. ``register``
returns our judges and sees to it that every ``TaskManager`` also searches our task folder. It imports
neither torch nor transformers, never raises, and may be called any number of times.
"""

from __future__ import annotations

import importlib.abc
import importlib.metadata
import importlib.util
import inspect
import re
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..registry.index import task_folder

_TASKS = "lmms_eval.tasks"
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
        return [
            ModelManifest(
                model_id="vlrb_baseline", simple_class_path="vlrb_tasks.harness.judges.baseline.BaselineJudge"
            ),
        ]
    except Exception as error:  # another package's evaluation must not suffer from ours
        warnings.warn(
            f'vlrb-tasks could not register its tasks: {error}. Other tasks are not affected. Fix: install a matching version, or pass --include_path "$(vlrb path)".',
            RuntimeWarning,
            stacklevel=2,
        )
        return []


def extend_task_manager(module: ModuleType) -> None:
    """Have ``TaskManager.initialize_tasks`` of this module search our task folder too. A second call does nothing."""
    manager = module.TaskManager
    original = manager.initialize_tasks
    if getattr(original, _PATCHED, False):
        return
    if "include_path" not in inspect.signature(original).parameters:
        raise RuntimeError("TaskManager.initialize_tasks takes no include_path")

    def initialize_tasks(self: Any, include_path: str | Sequence[str] | None = None, *args: Any, **kwargs: Any) -> Any:
        paths = [include_path] if isinstance(include_path, str) else list(include_path or [])
        ours = str(task_folder())
        return original(self, [*paths, *([] if ours in paths else [ours])], *args, **kwargs)

    setattr(initialize_tasks, _PATCHED, True)
    manager.initialize_tasks = initialize_tasks


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
