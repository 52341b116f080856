"""Validation: everything that can be wrong with the YAML files, found before a model is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..core.verdicts import Outcome
from .index import Registry, task_config, task_files
from .loading import RegistryError, load_prompt
from .schema import Prompt

VARIABLES = {"question", "responses", "labels"}


@dataclass(frozen=True)
class Checked:
    """One file and its faults, none where it is fine."""

    what: str
    path: Path
    faults: tuple[str, ...]


def validate_prompt(path: Path) -> Checked:
    """Check a prompt file: schema, template, cases, and that its own answers are read as what they say."""
    what = f"prompt {path.stem}"
    try:
        prompt = load_prompt(path)
    except RegistryError as error:
        return Checked(what, path, tuple(str(error).split("\n")))
    return Checked(
        what, path, (*_template_faults(prompt, path), *_case_faults(prompt, path), *_answer_faults(prompt, path))
    )


def _template_faults(prompt: Prompt, path: Path) -> list[str]:
    if prompt.template is None:
        return []  # published elsewhere; resolved only when something is rendered
    try:
        used = meta.find_undeclared_variables(ImmutableSandboxedEnvironment().parse(prompt.template))
    except TemplateSyntaxError as error:
        return [f"{path} template, its line {error.lineno}: {error.message}. Fix: check the braces."]
    faults = [
        f"{path} template: uses {name!r}; expected {', '.join(sorted(VARIABLES))}. Fix: name one of these."
        for name in sorted(used - VARIABLES)
    ]
    faults += [
        f"{path} template: does not use {name!r}. Fix: put it in."
        for name in ("question", "responses")
        if name not in used
    ]
    return faults


def _case_faults(prompt: Prompt, path: Path) -> list[str]:
    faults = []
    for number, case in enumerate(prompt.cases):
        got = prompt.read(case.text)
        if got.outcome != case.verdict:
            faults.append(
                f"{path} cases.{number}: {case.text[:80]!r} is read as {got.outcome} ({got.rule}); expected {case.verdict}. Fix: change the case, or choose another parser kind.",
            )
    wanted: list[Outcome] = ["first", "second", "unparsed", *(["tie"] if prompt.ties is not None else [])]  # type: ignore[list-item]
    shown = {case.verdict for case in prompt.cases}
    faults += [
        f"{path} cases: none for {outcome!r}. Fix: add a text that is read as {outcome}."
        for outcome in wanted
        if outcome not in shown
    ]
    return faults


def _answer_faults(prompt: Prompt, path: Path) -> list[str]:
    faults = []
    for outcome in ("first", "second", "tie"):
        text = getattr(prompt.answers, outcome)
        if text is not None and prompt.read(text).outcome != outcome:
            faults.append(
                f"{path} answers.{outcome}: {text!r} is read as {prompt.read(text).outcome}. Fix: write what the prompt asks for."
            )
    if prompt.ties is not None and prompt.answers.tie is None:
        faults.append(
            f"{path} answers.tie: missing, though ties is {prompt.ties!r}. Fix: add what a judge writes for a tie."
        )
    return faults


def validate_task(path: Path, registry: Registry) -> Checked:
    """Check a task YAML: its ``judge`` block, and that the benchmark and the prompt exist."""
    what = f"task {path.stem}"
    try:
        config = task_config(path.stem)
        benchmark = registry.benchmark(config.benchmark)
        registry.prompt(config.prompt or benchmark.prompt)
    except RegistryError as error:
        return Checked(what, path, tuple(str(error).split("\n")))
    return Checked(what, path, ())


def validate_all(registry: Registry) -> list[Checked]:
    """Check every file: the registry, all prompts, all tasks."""
    path = registry.root / "registry.yaml"
    faults: list[str] = []
    try:
        for name, benchmark in registry.benchmarks.items():
            if benchmark.prompt not in registry.prompt_files:
                faults.append(f"{path} benchmarks.{name}.prompt: no prompt {benchmark.prompt!r}. Fix: see `vlrb list`.")
    except RegistryError as error:
        faults += str(error).split("\n")
    checked = [Checked("registry", path, tuple(faults))]
    checked += [validate_prompt(path) for path in registry.prompt_files.values()]
    if not faults:
        checked += [validate_task(path, registry) for path in task_files().values()]
    return checked
