"""``vlrb new``: a prompt or a task that validates as it stands, with comments that teach."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.voting import Mode
from ..data.sources import first_row
from ..environment import FOLDERS, add_folder, refresh, registry, user_folders
from ..registry.fields import is_name
from ..registry.index import Place, Registry, package_place
from ..registry.loading import RegistryError, unknown
from ..registry.validation import built_in_tasks

_SKELETONS = Path(__file__).parent / "skeletons"
_TASKS: dict[Mode, str] = {
    "pairwise": "vlrb_scenes",
    "pointwise": "vlrb_scenes_pointwise",
    "ranking": "vlrb_scenes_ranking",
}

# What columns are often called, the likeliest first.
_USUAL: dict[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "uid", "idx"),
    "question": ("question", "query", "prompt", "instruction", "text"),
    "images": ("image", "images", "image_path", "picture"),
    "ranking": ("human_ranking", "ranking", "rank"),
    "winner": ("winner", "preference", "human", "vote", "label", "better"),
    "score": ("human_score", "score", "human", "rating"),
    "order": ("order", "human", "ranking"),
}
_PAIRS = (("chosen", "rejected"), ("response_a", "response_b"), ("answer1", "answer2"), ("response1", "response2"), ("answer_a", "answer_b"), ("output1", "output2"))  # fmt: skip
_LISTS = ("responses", "response", "answers", "outputs")


def new_prompt(name: str, mode: Mode, folder: Path | None) -> str:
    """Write a prompt file and return what to do with it.

    Raises:
        RegistryError: the name is no name or is taken, or there is no folder to write to.
    """
    place, known = _where(folder)
    _free("prompt", name, known.prompt_files, place.prompts / f"{name}.yaml")
    path = _write(
        place.prompts / f"{name}.yaml", (_SKELETONS / f"{mode}.yaml").read_text("utf-8").replace("NAME", name)
    )
    task = _TASKS[mode]
    return _told(
        path,
        place,
        f"vlrb validate {path}",
        f"vlrb render {task}@{name}",
        f"lmms-eval --tasks {task}@{name} --model vlrb_baseline --model_args policy=random --limit 8 --log_samples --output_path results/",
    )


def new_task(name: str, dataset: str, prompt: str, folder: Path | None) -> str:
    """Write a task file for a data set and return what to do with it.

    Args:
        name: the task's name.
        dataset: a data set on the hub, or a local file or folder, whose columns are then looked at.
        prompt: the judge prompt; its mode is the task's.
        folder: where to write to; see ``--registry``.

    Raises:
        RegistryError: the name is no name or is taken, there is no such prompt, or no folder to write to.
    """
    place, known = _where(folder)
    _free("task", name, known.task_files, place.tasks / f"{name}.yaml")
    if name in built_in_tasks():
        raise RegistryError(
            f"task {name}: lmms-eval has one of this name, in {built_in_tasks()[name]}. Fix: choose another."
        )
    if prompt not in known.prompt_files:
        raise unknown("--prompt", prompt, known.prompt_files, "vlrb list")
    asked = known.prompt(prompt)
    local = Path(dataset).exists()
    row = first_row(Path(dataset)) if local else {}
    ties = asked.mode == "pairwise" and asked.ties is not None
    columns, notes = _columns(row, asked.mode, ties, len(asked.labels))
    several = asked.mode == "pairwise"
    text = (_SKELETONS / "task.yaml").read_text("utf-8")
    for mark, value in {
        "DATASET": f"      {'path' if local else 'hub'}: {json.dumps(str(Path(dataset).resolve())) if local else dataset}"
        + ("" if local else "\n      split: test"),
        "COLUMNS": columns,
        "METRICS": "pairwise_ties" if ties else asked.mode,
        "PROMPT": prompt,
        "DRAWS": "5" if several else "1",
        "TEMPERATURE": "0.2\n  top_p: 0.2" if several else "0.0",
        "SAMPLE": "true" if several else "false",
        "NAME": name,
    }.items():
        text = text.replace(mark, value)
    path = _write(place.tasks / f"{name}.yaml", text)
    return _told(
        path,
        place,
        f"vlrb validate {path}",
        f"vlrb render {name}",
        f"lmms-eval --tasks {name} --model vlrb_baseline --model_args policy=random --limit 8 --log_samples --output_path results/",
        notes=notes,
    )


def _columns(row: Mapping[str, Any], mode: Mode, ties: bool, labels: int) -> tuple[str, list[str]]:
    """Return the column map of a task, guessed from a row, and what was not found there."""
    by_name = {name.lower(): name for name in row}
    missing: list[str] = []

    def usual(field: str) -> str:
        found = next((by_name[name] for name in _USUAL[field] if name in by_name), None)
        if found is None and row:
            missing.append(field)
        return found or _USUAL[field][0]

    lines = []
    if not row or any(name in by_name for name in _USUAL["id"]):
        lines.append(f"id: {usual('id')}")
    lines.append(f"question: {usual('question')}")
    pair = next(((by_name[a], by_name[b]) for a, b in _PAIRS if a in by_name and b in by_name), None)
    listed = next((by_name[name] for name in _LISTS if name in by_name), None)
    if mode == "pairwise" and pair is not None:
        lines.append(f"responses: [{pair[0]}, {pair[1]}]")
    else:
        if listed is None and row:
            missing.append("responses")
        what = {
            "pairwise": "a list of two texts; or [column_a, column_b]",
            "pointwise": "the text",
            "ranking": f"a list of {labels} texts",
        }
        lines.append(f"responses: {listed or 'response'}    # {what[mode]}")
    if not row or any(name in by_name for name in _USUAL["images"]):
        lines.append(f"images: {usual('images')}    # one image, or a list")
    winners = ""
    if mode == "pairwise" and pair is not None and pair[0].lower() == "chosen":
        lines.append(f"best: {pair[0]}    # this response is always the better one")
    elif mode == "pairwise" and (ties or (not any(name in by_name for name in _USUAL["ranking"]) and row)):
        lines.append(f"winner: {usual('winner')}    # whose words `winners` explains")
        winners = "\n    winners: {A: first, B: second, tie: tie}" if ties else "\n    winners: {A: first, B: second}"
    elif mode == "pairwise":
        lines.append(
            f"ranking: {usual('ranking')}    # the rank of each response, [0, 1] or [1, 0], 0 being the better"
        )
    elif mode == "pointwise":
        lines.append(f"score: {usual('score')}    # a number")
    else:
        lines.append(f"order: {usual('order')}    # the letters of the responses, best first, such as CABD")
    notes = []
    if missing:
        notes.append(f"not found in the data, so guessed: {', '.join(missing)}. Its columns are {', '.join(row)}.")
    return "\n".join(f"      {line}" for line in lines) + winners, notes


def _where(folder: Path | None) -> tuple[Place, Registry]:
    """Return the place to write to: ``--registry``, the first folder of VLRB_PATH, or the checkout one stands in."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        add_folder(folder)
    known = registry()
    own = user_folders()
    if own:
        return next(place for place in known.places if place.root == own[0]), known
    here = package_place()
    if Path.cwd().is_relative_to(here.root) and (here.root / "pyproject.toml").is_file():
        return here, known
    raise RegistryError(
        f"no folder to write to. Fix: name one with --registry, such as `--registry my_judges`, or set {FOLDERS}; it is created if need be."
    )


def _free(what: str, name: str, taken: Mapping[str, Path], path: Path) -> None:
    if not is_name(name):
        raise RegistryError(
            f"{what} {name!r}: expected small letters, digits and underscores, a letter first. Fix: rename it."
        )
    if name in taken:
        raise RegistryError(f"{path}: {what} {name!r} exists already, in {taken[name]}. Fix: choose another name.")
    if path.exists():
        raise RegistryError(f"{path}: exists already. Fix: choose another name.")


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    refresh()
    return path


def _told(path: Path, place: Place, *commands: str, notes: list[str] | None = None) -> str:
    lines = [f"wrote {path}", *(f"NOTE: {note}" for note in notes or []), "", "Next:"]
    if place != package_place():
        lines.append(f"  export {FOLDERS}={json.dumps(str(place.root))}    # so that vlrb and lmms-eval find it")
    return "\n".join([*lines, *(f"  {command}" for command in commands)])
