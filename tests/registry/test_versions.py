"""A prompt must not change under a version that results were made with."""

import shutil

import pytest

from tests.registry.test_broken_prompts import good
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.loading import RegistryError, load_prompt
from vlrb_tasks.registry.rendering import fingerprint
from vlrb_tasks.registry.validation import validate_prompt
from vlrb_tasks.registry.versions import LOCK, read_lock, write_lock


@pytest.fixture
def locked(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(good("pairwise"))
    write_lock(tmp_path, [load_prompt(path)])
    return path


def change(path, *edits):
    text = path.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    return validate_prompt(path).faults


def test_every_prompt_of_this_package_is_locked_as_it_is():
    known = package_registry()
    lock = read_lock(known.places[0].prompts)
    assert lock == {id: (known.prompt(id).version, fingerprint(known.prompt(id))) for id in known.prompt_files}


def test_what_plays_no_part_needs_no_new_version(locked):
    assert change(locked, ("One line that says", "A line that says"), ("There are four circles.", "Five.")) == ()
    assert change(locked, ("max_new_tokens: 1024", "max_new_tokens: 99")) == ()


@pytest.mark.parametrize(
    "edit",
    [
        ("Look at the image", "Look hard at the image"),
        ("- {kind: prose}", "- {kind: prose}\n  - {kind: boxed}"),
        ("Check every claim", "Check each claim"),
        ("# system: You are", "system: You are"),
        ("[Response A, Response B]", "[response A, response B]"),
    ],
)
def test_another_text_or_parser_needs_a_new_version(locked, edit):
    (fault,) = change(locked, edit)
    assert f"{locked}:5 version: the text or the parser is not that of version 1" in fault
    assert "Fix: set version: 2" in fault
    with pytest.raises(RegistryError, match="prompt mine version: the text or the parser"):
        write_lock(locked.parent, [load_prompt(locked)])
    (fault,) = change(locked, ("version: 1 ", "version: 2 "))
    assert "2 is not in versions.lock, 1 is. Fix: run `vlrb validate --lock`" in fault
    write_lock(locked.parent, [load_prompt(locked)])
    assert validate_prompt(locked).faults == ()
    (fault,) = change(locked, ("version: 2 ", "version: 1 "))
    assert "got 1; expected 2 or more" in fault


def test_the_picture_of_an_example_is_part_of_the_prompt(tmp_path):
    source = package_registry().prompt_files["vlrb_examples"]
    shutil.copytree(source.parent / "images", tmp_path / "images")
    path = tmp_path / source.name
    path.write_text(source.read_text())
    before = fingerprint(load_prompt(path))
    assert before == fingerprint(load_prompt(source))
    shutil.copy(tmp_path / "images" / "four_circles.png", tmp_path / "images" / "black_diamond.png")
    assert fingerprint(load_prompt(path)) != before


def test_a_lock_that_is_none(locked):
    (locked.parent / LOCK).write_text("mine: 3\n")
    (fault,) = validate_prompt(locked).faults
    assert "versions.lock:1 is no lock" in fault


def test_a_folder_without_a_lock_asks_for_none(tmp_path):
    (tmp_path / "mine.yaml").write_text(good("pairwise"))
    assert validate_prompt(tmp_path / "mine.yaml").warnings == ()
    write_lock(tmp_path, [])
    assert "not in versions.lock yet" in validate_prompt(tmp_path / "mine.yaml").warnings[0]
