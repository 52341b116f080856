"""Validation: everything that can be wrong with the YAML files, found before a model is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..core.verdicts import Verdict
from .index import Registry, benchmark_of, task_config, task_files
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
        for name in (("question",) if prompt.mode == "pointwise" else ("question", "responses"))
        if name not in used
    ]
    return faults


def _case_faults(prompt: Prompt, path: Path) -> list[str]:
    faults = []
    for number, case in enumerate(prompt.cases):
        verdict = prompt.read(case.text)
        got = prompt.told(verdict)
        if got != case.verdict:
            faults.append(
                f"{path} cases.{number}: {case.text[:80]!r} is read as {got} ({verdict.rule}); expected {case.verdict}. "
                "Fix: change the case, or choose another parser kind.",
            )
    shown = {prompt.read(case.text).outcome for case in prompt.cases}
    faults += [
        f"{path} cases: none for {outcome!r}. Fix: add a text that is read as {outcome}."
        for outcome in (*_wanted(prompt), "unparsed")
        if outcome not in shown
    ]
    return faults


def _wanted(prompt: Prompt) -> tuple[str, ...]:
    """Return the outcomes that a prompt asks for."""
    if prompt.mode == "pairwise":
        return ("first", "second", "tie") if prompt.ties is not None else ("first", "second")
    return ("score",) if prompt.mode == "pointwise" else ("ranking",)


def _answer_faults(prompt: Prompt, path: Path) -> list[str]:
    faults = []
    for outcome in _wanted(prompt):
        if getattr(prompt.answers, outcome) is None:
            faults.append(f"{path} answers.{outcome}: missing. Fix: add what a judge writes for it.")
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
            faults.append(f"{path} answers.{name}: {text!r} is read as {got}. Fix: write what the prompt asks for.")
    return faults


def validate_task(path: Path, registry: Registry) -> Checked:
    """Check a task YAML: its ``judge`` block, and that the benchmark and the prompt exist."""
    what = f"task {path.stem}"
    try:
        config = task_config(path.stem)
        _, benchmark = benchmark_of(config, path.stem, registry)
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
