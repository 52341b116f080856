"""Registration, in processes of their own where imports matter."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import types
import warnings

import pytest

from vlrb_tasks.harness import plugin


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)


def test_the_entry_point_is_installed():
    points = importlib.metadata.entry_points(group="lmms_eval.models")
    assert any(point.value == "vlrb_tasks.harness.plugin:register" for point in points)


def test_registering_imports_neither_torch_nor_transformers():
    code = (
        "import sys, types\n"
        "fake = types.ModuleType('lmms_eval.models.registry_v2'); fake.ModelManifest = lambda **k: k\n"
        "for name in ('lmms_eval', 'lmms_eval.models'): sys.modules[name] = types.ModuleType(name)\n"
        "sys.modules['lmms_eval.models.registry_v2'] = fake\n"
        "from vlrb_tasks.harness.plugin import register\n"
        "assert register()[0]['model_id'] == 'vlrb_baseline'\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('torch', 'transformers', 'datasets')))\n"
    )
    result = python(code)
    assert result.stdout.strip() == "[]", result.stderr


def test_registering_again_does_nothing_more():
    code = (
        "import lmms_eval.models\n"
        "from vlrb_tasks.harness.plugin import register, _AfterImport\n"
        "import sys\n"
        "register(); register()\n"
        "assert sum(isinstance(f, _AfterImport) for f in sys.meta_path) <= 1\n"
        "from lmms_eval.tasks import TaskManager\n"
        "once = TaskManager.initialize_tasks\n"
        "register()\n"
        "assert TaskManager.initialize_tasks is once\n"
        "tasks = TaskManager(include_defaults=False).all_tasks\n"
        "assert {'vlrewardbench', 'vlrewardbench_k1', 'vlrb_scenes'} <= set(tasks), tasks\n"
        "assert 'vlrewardbench' in TaskManager(include_defaults=False, include_path='/nowhere').all_tasks\n"
        "print('fine')\n"
    )
    result = python(code)
    assert result.stdout.strip().endswith("fine"), result.stderr


@pytest.mark.parametrize("version", ["0.8.0", "0.6.1", "1.0", "unknown"])
def test_an_unknown_lmms_eval_gets_one_clear_warning(monkeypatch, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    with pytest.warns(
        RuntimeWarning,
        match=r"vlrb-tasks could not register its tasks: lmms-eval .* is installed; this vlrb-tasks knows 0\.7.*vlrb path",
    ) as caught:
        assert plugin.register() == []
    assert len(caught) == 1


def test_a_task_manager_of_another_shape_gets_a_warning_and_no_traceback(monkeypatch):
    changed = types.ModuleType("lmms_eval.tasks")
    changed.TaskManager = type("TaskManager", (), {"initialize_tasks": lambda self: {}})
    monkeypatch.setitem(sys.modules, "lmms_eval.tasks", changed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert plugin.register() == []
    assert any("takes no include_path" in str(w.message) for w in caught)
