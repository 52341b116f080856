"""Validation: everything that can be wrong with the YAML files, found before a model is loaded."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..core.verdicts import Verdict
from .casting import reader
from .index import Registry, judge_config
from .instructions import bias_warnings, data_faults, estimated_tokens, format_faults, reference_faults
from .loading import RegistryError, line_of, load_benchmarks, load_prompt, nearest, read_yaml
from .prompts import GIVEN, Prompt
from .rendering import is_published_here
from .versions import read_lock, version_fault


@dataclass(frozen=True)
class Checked:
    """One file: its faults, none where it is fine; what its author should know; and a remark."""

    what: str
    path: Path
    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    remark: str = ""


def validate_file(path: Path, registry: Registry) -> Checked:
    """Check a file of whatever kind: a prompt, a task, or a registry of benchmarks."""
    try:
        content, _ = read_yaml(path)
    except RegistryError as error:
        return Checked(f"file {path.name}", path, (str(error),))
    if isinstance(content, dict) and "benchmarks" in content:
        return validate_benchmarks(path, registry)
    if isinstance(content, dict) and ("judge" in content or "task" in content):
        return validate_task(path, registry)
    return validate_prompt(path)


Fault = tuple[tuple[str | int, ...], str]
"""Where in a file, and what is wrong there."""


def validate_prompt(path: Path) -> Checked:
    """Check a prompt file: schema, version, template, instructions, cases, and the answers that it asks for."""
    what = f"prompt {path.stem}"
    try:
        prompt = load_prompt(path)
        lock = read_lock(path.parent)
    except RegistryError as error:
        return Checked(what, path, tuple(str(error).split("\n")))
    node = read_yaml(path)[1]

    def told(faults: Sequence[Fault]) -> tuple[str, ...]:
        return tuple(f"{path}:{line_of(node, at)} {'.'.join(map(str, at))}: {text}" for at, text in faults)

    faults = [*_case_faults(prompt), *_answer_faults(prompt), *_example_faults(prompt)]
    if not is_published_here(prompt):
        assert prompt.template_from is not None
        package = prompt.template_from.call.partition(".")[0]
        notes = (f"template_from: {package} is not installed, so the text was not checked.",)
        return Checked(what, path, told(faults), notes)
    written = _variable_faults(prompt) or _of_text(prompt, data_faults, reference_faults, format_faults)
    if written:
        return Checked(what, path, told([*((("template",), fault) for fault in written), *faults]))
    if lock is not None and (fault := version_fault(prompt, lock)) is not None:
        faults.append((("version",), fault))
    warnings = bias_warnings(prompt)
    if lock is not None and prompt.id not in lock:
        warnings.append("not in versions.lock yet: run `vlrb validate --lock`, once its text is final.")
    tokens = f"version {prompt.version}, about {estimated_tokens(prompt)} tokens without data"
    return Checked(what, path, told(faults), tuple(warnings), tokens)


def _of_text(prompt: Prompt, *checks: Callable[[Prompt], list[str]]) -> list[str]:
    """Return the faults of the rendered text, or the one that keeps it from being rendered."""
    try:
        return [fault for check in checks for fault in check(prompt)]
    except RegistryError as error:
        return [str(error).removeprefix(f"prompt {prompt.id} template: ").removeprefix(f"prompt {prompt.id} ")]


def _variable_faults(prompt: Prompt) -> list[str]:
    if prompt.template is None:
        return []
    try:
        used = meta.find_undeclared_variables(ImmutableSandboxedEnvironment().parse(prompt.template))
    except TemplateSyntaxError as error:
        return [f"its line {error.lineno}: {error.message}. Fix: check the braces."]
    known = GIVEN | set(prompt.variables)
    faults = [
        f"uses {name!r}; expected {', '.join(sorted(known))}.{nearest(name, known)} Fix: name one of these, or add it to variables."
        for name in sorted(used - known)
    ]
    faults += [
        f"does not use its variable {name!r}. Fix: use it, or take it out of variables."
        for name in sorted(set(prompt.variables) - used)
    ]
    return faults


def _case_faults(prompt: Prompt) -> list[Fault]:
    faults: list[Fault] = []
    for number, case in enumerate(prompt.cases):
        verdict = prompt.read(case.text)
        got = prompt.told(verdict)
        if got != case.verdict:
            text = f"{case.text[:80]!r} is read as {got} ({verdict.rule}); expected {case.verdict}."
            faults.append((("cases", number), f"{text} Fix: change the case, or choose another parser kind."))
    shown = {prompt.read(case.text).outcome for case in prompt.cases}
    faults += [
        (("cases",), f"none for {outcome!r}. Fix: add a text that is read as {outcome}.")
        for outcome in (*_wanted(prompt), "unparsed")
        if outcome not in shown
    ]
    return faults


def _wanted(prompt: Prompt) -> tuple[str, ...]:
    """Return the outcomes that a prompt asks for."""
    if prompt.mode == "pairwise":
        return ("first", "second", "tie") if prompt.ties is not None else ("first", "second")
    return ("score",) if prompt.mode == "pointwise" else ("ranking",)


def _answer_faults(prompt: Prompt) -> list[Fault]:
    faults: list[Fault] = []
    for outcome in _wanted(prompt):
        if getattr(prompt.answers, outcome) is None:
            faults.append((("answers", outcome), "missing. Fix: add what a judge writes for it."))
    if prompt.scoring == "loglikelihood":
        texts = [text for outcome in _wanted(prompt) if (text := getattr(prompt.answers, outcome)) is not None]
        if len(set(texts)) < len(texts) or not all(texts):
            faults.append(
                (("answers",), "two are alike, or one is empty. Fix: give each outcome an answer of its own.")
            )
        return faults
    filled: dict[str, tuple[str, str | float]] = {
        outcome: (text, outcome)
        for outcome in ("first", "second", "tie")
        if (text := getattr(prompt.answers, outcome)) is not None
    }
    if prompt.answers.score is not None and prompt.scale is not None:
        for end in prompt.scale:
            number = prompt.told(Verdict("score", score=end))
            filled[f"score of {number}"] = (prompt.answers.score.replace("{score}", str(number)), number)
    if prompt.answers.ranking is not None:
        order = "".join(reversed(prompt.labels))
        filled["ranking"] = (prompt.answers.ranking.replace("{ranking}", order), order)
    for name, (text, wanted) in filled.items():
        got = prompt.told(prompt.read(text))
        if got != wanted:
            field = name.partition(" ")[0]
            faults.append(
                (("answers", field), f"{text!r}, for a {name}, is read as {got}. Fix: write what the prompt asks for.")
            )
    return faults


def _example_faults(prompt: Prompt) -> list[Fault]:
    """Return the examples whose answers the parser cannot read: a judge that copies them would not be heard."""
    if prompt.scoring == "loglikelihood":
        return []
    return [
        (
            ("examples", number, "answer"),
            f"{example.answer[:80]!r} is read as unparsed. Fix: answer as the prompt asks.",
        )
        for number, example in enumerate(prompt.examples)
        if prompt.read(example.answer).outcome == "unparsed"
    ]


# -- tasks and benchmarks ------------------------------------------------------------------------------


def validate_task(path: Path, registry: Registry) -> Checked:
    """Check a task YAML: its ``judge`` block, that benchmark and prompt exist and fit, and that its name is free."""
    what = f"task {path.stem}"
    try:
        config = judge_config(path, path.stem)
        name, benchmark = registry.benchmark_of(config, path.stem)
        reader(name, benchmark, registry.prompt_of(config, benchmark))
    except RegistryError as error:
        return Checked(
            what,
            path,
            tuple(line if line.startswith(str(path)) else f"{path} {line}" for line in str(error).split("\n")),
        )
    taken = built_in_tasks().get(path.stem)
    if taken is not None:
        return Checked(
            what,
            path,
            (f"{path}: task {path.stem!r} exists in lmms-eval, in {taken}, and would win. Fix: rename yours.",),
        )
    return Checked(what, path, ())


@cache
def built_in_tasks() -> Mapping[str, Path]:
    """Return the files of lmms-eval's own tasks, by name; none where it is not installed. It is not imported."""
    spec = importlib.util.find_spec("lmms_eval")
    found: dict[str, Path] = {}
    for location in () if spec is None else spec.submodule_search_locations or ():
        for path in (Path(location) / "tasks").rglob("*.yaml"):
            match = re.search(
                r"^(?:task|group):\s*[\"']?([\w.@-]+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
            )
            if match is not None:
                found[match[1]] = path
    return found


def validate_benchmarks(path: Path, registry: Registry) -> Checked:
    """Check a file of benchmarks: their fields, and that their prompts exist and fit."""
    faults: list[str] = []
    try:
        for name, benchmark in load_benchmarks(path).items():
            where = f"{path} benchmarks.{name}.prompt"
            if benchmark.prompt not in registry.prompt_files:
                near = nearest(benchmark.prompt, registry.prompt_files)
                faults.append(f"{where}: no prompt {benchmark.prompt!r}.{near} Fix: see `vlrb list`.")
                continue
            try:
                reader(name, benchmark, registry.prompt(benchmark.prompt))
            except RegistryError as error:
                faults += [f"{where}: {line}" for line in str(error).split("\n")]
    except RegistryError as error:
        faults += str(error).split("\n")
    return Checked(f"benchmarks {path.parent.name}/{path.name}", path, tuple(faults))


def validate_all(registry: Registry) -> list[Checked]:
    """Check every file of every place: benchmarks, prompts, tasks; and that no name stands twice."""
    checked = []
    for place in registry.places:
        try:
            _ = registry.benchmarks, registry.prompt_files, registry.task_files
        except RegistryError as error:
            return [Checked("names", place.root, (str(error),))]
        if place.benchmarks_file.is_file():
            checked.append(validate_benchmarks(place.benchmarks_file, registry))
        checked += [validate_prompt(path) for path in sorted(place.prompts.glob("*.yaml"))]
        checked += [
            validate_task(path, registry) for path in registry.task_files.values() if path.is_relative_to(place.tasks)
        ]
    return checked
