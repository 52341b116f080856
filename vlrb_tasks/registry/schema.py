"""Schemas of the YAML files: judge prompts, benchmarks, and the ``judge`` block of a task."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, field_validator, model_validator

from ..core.ordering import OrderPolicy
from ..core.parsing import ParserKind, parse_verdict
from ..core.verdicts import Outcome, Verdict
from ..core.voting import Average, Family, Mode, family_mode

_NAME = re.compile(r"[a-z][a-z0-9_]*")

GIVEN = frozenset({"question", "responses", "labels", "reference_answer"})
"""What every template is given, beside the prompt's own variables."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def is_name(text: str) -> bool:
    """Tell whether a text can name a prompt, a benchmark or a task."""
    return _NAME.fullmatch(text) is not None


def _name(value: Any) -> Any:
    if isinstance(value, str) and not is_name(value):
        raise ValueError("a name in small letters, digits and underscores that begins with a letter")
    return value


Name = Annotated[str, BeforeValidator(_name)]


def _listed(value: Any) -> Any:
    """Take a single mapping for a list of one."""
    return [value] if isinstance(value, dict) else value


class Source(_Strict):
    """Where a prompt or a benchmark comes from."""

    paper: str | None = None
    url: str | None = None
    license: str | None = None
    note: str | None = None


class TemplateFrom(_Strict):
    """A template that an installed package publishes: a function, its arguments, and the hash of what it returns."""

    call: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    args: tuple[Any, ...] = ()
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class ParserStep(_Strict):
    """One kind of the parser (see ``vlrb_tasks.core.parsing``)."""

    kind: ParserKind


class Case(_Strict):
    """A text and the verdict that the parser must read in it."""

    text: str
    verdict: Outcome | float | str
    why: str | None = None


class Answers(_Strict):
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


class Example(_Strict):
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


Variable = bool | int | float | str | tuple[str, ...]
"""The value of a variable of a template: a word, a number, yes or no, or a list of texts."""


class Generation(_Strict):
    """Generation settings, under the names that lmms-eval passes to its adapters."""

    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    do_sample: bool | None = None
    num_beams: int | None = Field(default=None, ge=1)
    max_new_tokens: int | None = Field(default=None, ge=1)
    until: tuple[str, ...] | None = None


class Prompt(_Strict):
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


class Columns(_Strict):
    """Which column of the data set holds what. A value is a column's name.

    Attributes:
        id: a text or a whole number; without one, an item's id is the number of its row.
        question: a text, or a conversation, whose user turns are the question.
        responses: one column with a list of texts, or a column for each response. A conversation is its
            assistant's turns; a mapping, such as ``{name: gpt-4v, answer: A dog.}``, is its text.
        images: one image, or a list.
        ranking: the rank of each response, 0 for the best.
        winner: which of two responses is better, in the words of ``Benchmark.winners``.
        best: the column, one of ``responses``, whose response is always the better one, such as ``chosen``.
        score: a number, or a conversation whose last turn tells one.
        order: the labels of the responses, best first, such as ``CABD``.
        models: who wrote each response: one column with a list, or a column for each. A mapping is its name.
        reference_answer: the right answer, for prompts that show it to the judge; may be empty.
    """

    id: str | None = None
    question: str
    responses: str | tuple[str, ...] | None = None
    images: str | None = None
    ranking: str | None = None
    winner: str | None = None
    best: str | None = None
    score: str | None = None
    order: str | None = None
    models: str | tuple[str, ...] | None = None
    tags: str | None = None
    reference_answer: str | None = None

    @model_validator(mode="after")
    def _one_reference(self) -> Columns:
        if sum(value is not None for value in (self.ranking, self.winner, self.best, self.score, self.order)) != 1:
            raise ValueError("one of ranking, winner, best, score and order")
        if self.best is not None and (self.responses is None or self.best not in tuple(self.responses)):
            raise ValueError("best to be one of the columns of responses")
        return self


class Groups(_Strict):
    """The domains of a benchmark: by a column, by the prefix of the id, or one for all."""

    order: tuple[str, ...] = ()
    prefixes: dict[str, str] = Field(default_factory=dict)
    column: str | None = None

    @model_validator(mode="after")
    def _known(self) -> Groups:
        for prefix, group in self.prefixes.items():
            if group not in self.order:
                raise ValueError(f"prefix {prefix!r} to name one of {', '.join(self.order)}")
        return self

    def of(self, id: str) -> str | None:
        """Return the group of an id by its longest known prefix, ignoring case; ``None`` where none fits."""
        fitting = [prefix for prefix in self.prefixes if id.lower().startswith(prefix.lower())]
        return self.prefixes[max(fitting, key=len)] if fitting else None


class Dataset(_Strict):
    """Where the rows of a benchmark come from.

    Attributes:
        hub: a data set on the hub, with its configuration ``name`` and ``revision``.
        path: a local file of JSON (lines), or a folder as ``VLRB_DATA`` may name one.
        file: the one file of JSON (lines) that holds the rows, of a data set of several that has no splits;
            the images are files of the data set too.
        embedded: scenes drawn by this package.
        split: the split, of a data set that has several.
    """

    hub: str | None = None
    path: str | None = None
    file: str | None = None
    name: str | None = None
    revision: str | None = None
    split: str = "test"
    embedded: Literal["scenes", "scenes_pointwise", "scenes_ranking"] | None = None
    license: str

    @model_validator(mode="after")
    def _one_place(self) -> Dataset:
        if sum(place is not None for place in (self.hub, self.path, self.embedded)) != 1:
            raise ValueError("one of hub, path and embedded")
        if self.file is not None and (self.hub is None or not self.file.endswith((".json", ".jsonl"))):
            raise ValueError("a file that ends in .json or .jsonl, of a data set on the hub")
        return self


class Published(_Strict):
    """A result that a paper reports, in per cent, to put beside one's own."""

    judge: str
    scores: dict[str, float]
    source: str


class Benchmark(_Strict):
    """A benchmark: data, columns, domains, the prompt and the scoring rule of its authors.

    Attributes:
        winners: what the words of the column ``winner`` mean; rows whose word means ``leave_out`` are left out.
    """

    title: str
    description: str
    source: Source
    dataset: Dataset
    columns: Columns
    groups: Groups = Field(default_factory=Groups)
    prompt: Name
    metrics: Family = "pairwise"
    winners: dict[str, Literal["first", "second", "tie", "leave_out"]] = Field(default_factory=dict)
    official: Literal["vlrewardbench"] | None = None
    published: tuple[Published, ...] = ()

    @property
    def mode(self) -> Mode:
        """What a judge of this benchmark is asked for."""
        return family_mode(self.metrics)


class JudgeConfig(_Strict):
    """The ``judge`` block of a task YAML.

    Attributes:
        benchmark: a benchmark of the registry, or one of the user's own, in full (see ``Benchmark``).
        prompt: a judge prompt of the registry; the benchmark's own if left out.
        draws: K, the number of draws for each item.
        order: the order policy.
        seed: the seed of the orders.
        average: how several scores of one response become one.
        options: settings of an embedded benchmark, such as the number of scenes.
        variables: other values for the variables of the prompt.
    """

    benchmark: Name | Benchmark
    prompt: Name | None = None
    draws: int = Field(default=5, ge=1)
    order: OrderPolicy = "random"
    seed: int = 0
    average: Average = "mean"
    options: dict[str, int] = Field(default_factory=dict)
    variables: dict[str, Variable] = Field(default_factory=dict)

    @field_validator("draws", mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("a whole number, at least 1")
        return value
