"""Schema of a judge prompt: what is asked, and how the answer is read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from ..core.parsing import ParserKind, parse_verdict
from ..core.verdicts import Outcome, Verdict
from ..core.voting import Mode
from .fields import Name, Source, Strict, Variable

GIVEN = frozenset({"question", "responses", "labels", "reference_answer"})
"""What every template is given, beside the prompt's own variables."""


def _listed(value: Any) -> Any:
    """Take a single mapping for a list of one."""
    return [value] if isinstance(value, dict) else value


class TemplateFrom(Strict):
    """A template that an installed package publishes: a function, its arguments, and the hash of what it returns."""

    call: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    args: tuple[Any, ...] = ()
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class ParserStep(Strict):
    """One kind of the parser (see ``vlrb_tasks.core.parsing``)."""

    kind: ParserKind


class Case(Strict):
    """A text and the verdict that the parser must read in it."""

    text: str
    verdict: Outcome | float | str
    why: str | None = None


class Answers(Strict):
    """What a judge writes that follows the prompt to the letter.

    Attributes:
        first: of a judge that prefers the first slot; ``second`` and ``tie`` likewise.
        score: of a judge that scores, with ``{score}`` in place of the number.
        ranking: of a judge that ranks, with ``{ranking}`` in place of the labels, best first.
    """

    first: str | None = None
    second: str | None = None
    tie: str | None = None
    score: str | None = None
    ranking: str | None = None


class Example(Strict):
    """A judged example that stands before the item: in a chat as turns of its own, else as text.

    Attributes:
        image: its picture, a path from the folder of the prompt's file.
        answer: what the judge is shown to have answered.
    """

    question: str
    responses: tuple[str, ...]
    answer: str
    image: str | None = None
    reference_answer: str = ""


class Generation(Strict):
    """Generation settings, under the names that lmms-eval passes to its adapters."""

    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    do_sample: bool | None = None
    num_beams: int | None = Field(default=None, ge=1)
    max_new_tokens: int | None = Field(default=None, ge=1)
    until: tuple[str, ...] | None = None


class Prompt(Strict):
    """A judge prompt: what is asked, and how the answer is read.

    Attributes:
        id: the name of the file, without ``.yaml``.
        version: goes up whenever the rendered text or the parser changes.
        mode: ``pairwise``: which of two responses is better; ``pointwise``: a score for one;
            ``ranking``: an order of several.
        system: the system text, for models that take one.
        template: Jinja, with ``question``, ``responses``, ``labels``, ``reference_answer`` (the right answer, or
            nothing where the data has none) and ``variables``; or ``template_from``, not both.
        variables: further variables and their values, which a task may change: a rubric, a language, a switch.
        examples: judged examples that stand before the item.
        needs_reference_answer: the prompt makes no sense for a benchmark that has no right answers.
        scoring: ``generate``: the judge writes, and the parser reads; ``loglikelihood``: the judge writes nothing,
            and of ``answers`` the likeliest is its verdict.
        labels: how the prompt calls its slots; ``ties`` how it calls a tie, if it allows one.
        scale: the lowest and the highest score, for ``pointwise``.
        parser: the kinds that are tried, in order.
        answers: the texts that the prompt asks for; the baselines answer with them.
        generation: generation settings that the prompt wants; a task's own go over them.
        cases: the contract of the parser.
    """

    id: Name
    version: int = Field(ge=1)
    mode: Mode
    description: str
    source: Source
    system: str | None = None
    template: str | None = None
    template_from: TemplateFrom | None = None
    variables: dict[Name, Variable] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    needs_reference_answer: bool = False
    scoring: Literal["generate", "loglikelihood"] = "generate"
    labels: tuple[str, ...] = ()
    ties: str | None = None
    scale: tuple[float, float] | None = None
    parser: Annotated[tuple[ParserStep, ...], BeforeValidator(_listed)]
    answers: Answers
    generation: Generation = Generation()
    cases: tuple[Case, ...]
    _changed: frozenset[str] = PrivateAttr(default=frozenset())

    @model_validator(mode="after")
    def _one_template(self) -> Prompt:
        if (self.template is None) == (self.template_from is None):
            raise ValueError("one of template and template_from")
        slots = {"pairwise": len(self.labels) == 2, "pointwise": not self.labels, "ranking": len(self.labels) > 2}
        if not slots[self.mode]:
            wanted = {"pairwise": "two labels", "pointwise": "no labels", "ranking": "three labels or more"}[self.mode]
            raise ValueError(f"{wanted} for mode {self.mode}")
        if len(set(self.labels)) < len(self.labels):
            raise ValueError("labels that differ")
        if (self.scale is not None) != (self.mode == "pointwise"):
            raise ValueError("a scale for mode pointwise, and for no other")
        if self.scale is not None and self.scale[0] >= self.scale[1]:
            raise ValueError("a scale whose first end is the lower one")
        if not self.parser:
            raise ValueError("a parser of at least one kind")
        likelihoods = self.scoring == "loglikelihood"
        if likelihoods != ("loglikelihood" in self.kinds) or (likelihoods and len(self.kinds) > 1):
            raise ValueError("parser {kind: loglikelihood} and no other with scoring loglikelihood, and only with it")
        if likelihoods and self.mode != "pairwise":
            raise ValueError("mode pairwise for scoring loglikelihood")
        return self

    @model_validator(mode="after")
    def _fitting_examples(self) -> Prompt:
        own = sorted(set(self.variables) & GIVEN)
        if own:
            raise ValueError(f"variables with other names than {own[0]}, which every template is given")
        for number, example in enumerate(self.examples):
            count = len(self.labels) or 1
            if len(example.responses) != count:
                raise ValueError(f"examples.{number} with {count} responses, not {len(example.responses)}")
        return self

    @property
    def kinds(self) -> tuple[ParserKind, ...]:
        """The kinds of the parser, in order."""
        return tuple(step.kind for step in self.parser)

    @property
    def identity(self) -> str:
        """The prompt and its version, as logs and tables name it, with the variables that a task changed."""
        changed = ",".join(f"{name}={_worded(self.variables[name])}" for name in sorted(self._changed))
        return f"{self.id}@{self.version}" + (f"({changed})" if changed else "")

    def with_variables(self, values: Mapping[str, Variable]) -> Prompt:
        """Return the prompt with other values of its variables.

        Raises:
            ValueError: it has no such variable, or one of another kind.
        """
        for name, value in values.items():
            if name not in self.variables:
                known = ", ".join(sorted(self.variables)) or "none"
                raise ValueError(f"variables.{name}: prompt {self.id} has no such variable; there are {known}")
            if type(value) is not type(self.variables[name]):
                raise ValueError(f"variables.{name}: got {value!r}; expected a value like {self.variables[name]!r}")
        changed = self.model_copy(update={"variables": {**self.variables, **values}})
        changed._changed = frozenset(name for name, value in values.items() if value != self.variables[name])
        return changed

    def read(self, text: str | None) -> Verdict:
        """Return the verdict of a judge's text under this prompt's parser."""
        return parse_verdict(text, self.kinds, self.labels, self.ties, self.scale)

    def told(self, verdict: Verdict) -> str | float:
        """Return a verdict as people write it: a slot, ``tie``, a number, or the labels in their order."""
        if verdict.score is not None:
            return int(verdict.score) if verdict.score == int(verdict.score) else verdict.score
        if verdict.ranking is not None:
            return "".join(self.labels[slot] for slot in verdict.ranking)
        return verdict.outcome


def _worded(value: Variable) -> str:
    """Return a value as a short word: itself, or a hash of what is long."""
    text = str(value)
    return text if re.fullmatch(r"[\w.-]{1,24}", text) else hashlib.sha256(text.encode()).hexdigest()[:8]
