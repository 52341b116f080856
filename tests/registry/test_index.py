"""Prompts, benchmarks and tasks from several places."""

from pathlib import Path

import pytest

from vlrb_tasks import environment
from vlrb_tasks.cli.new import new_prompt, new_task
from vlrb_tasks.registry.index import Place, Registry, package_place, package_registry
from vlrb_tasks.registry.loading import RegistryError

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "judge_package" / "acme_judges"


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv(environment.FOLDERS, str(tmp_path))
    return tmp_path


def test_a_folder_of_ones_own_adds_to_what_there_is(own):
    new_prompt("my_judge", "pairwise", None)
    new_task("my_bench", "org/name", "my_judge", None)
    known = environment.registry()
    assert known.prompt("my_judge").labels == ("Response A", "Response B")
    assert known.task("my_bench").benchmark.dataset.hub == "org/name"
    assert known.task("vlrewardbench@my_judge").prompt == "my_judge"
    assert set(package_registry().prompt_files) < set(known.prompt_files)
    assert known.place_of(known.prompt_files["my_judge"]).root == own


@pytest.mark.parametrize("kind", ["prompt", "task", "benchmark"])
def test_no_place_replaces_what_another_has(own, kind):
    for folder in ("judge_prompts", "tasks"):
        (own / folder).mkdir()
    (own / "judge_prompts" / "free.yaml").write_text("")
    files = {
        "prompt": (own / "judge_prompts" / "vlrb_pairwise.yaml", "judge_prompts/vlrb_pairwise.yaml"),
        "task": (own / "tasks" / "vlrewardbench.yaml", "tasks/vlrewardbench/vlrewardbench.yaml"),
        "benchmark": (own / "registry.yaml", "registry.yaml"),
    }
    file, other = files[kind]
    file.write_text((ROOT / "registry.yaml").read_text() if kind == "benchmark" else "task: vlrewardbench\n")
    known = environment.registry()
    with pytest.raises(RegistryError) as error:
        _ = known.prompt_files, known.task_files, known.benchmarks
    assert str(error.value).startswith(f"{file}: {kind} ")
    assert other in str(error.value).split("exists already, in ")[1]


def test_a_folder_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setenv(environment.FOLDERS, "/no/such/folder")
    with pytest.raises(RegistryError, match="VLRB_PATH: no folder /no/such/folder"):
        environment.registry()


def test_rows_beside_the_registry_are_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = Registry((package_place(), Place.at("acme", EXAMPLE)))
    assert Path(known.benchmark("acme_pairs").dataset.path or "").is_absolute()


class Point:
    """An entry point of another package."""

    name, group = "acme", environment.GROUP

    def __init__(self, value):
        self.value = value
        self.dist = type("Distribution", (), {"name": "acme-judges", "version": "1.0"})()


BROKEN = {
    "no_such_package": "package acme-judges 1.0, entry point 'acme' .* since there is no package no_such_package",
    "json": r"expected a package whose folder holds registry\.yaml, but there is none in ",
    "json:other.yaml": r"holds other\.yaml, but there is none in ",
    "no_such.inner": "no_such.inner cannot be found",
}


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_package_is_named(monkeypatch, value):
    monkeypatch.setattr(environment.importlib.metadata, "entry_points", lambda group: [Point(value)])
    environment.refresh()
    with pytest.raises(RegistryError, match=BROKEN[value]):
        environment.registry()
    environment.refresh()


def test_a_package_is_found_and_not_imported(monkeypatch, tmp_path):
    (tmp_path / "loud_judges").mkdir()
    (tmp_path / "loud_judges" / "__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "loud_judges" / "registry.yaml").write_text("benchmarks: {}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(environment.importlib.metadata, "entry_points", lambda group: [Point("loud_judges")])
    environment.refresh()
    assert environment.registry().places[-1].root == tmp_path / "loud_judges"
    environment.refresh()
