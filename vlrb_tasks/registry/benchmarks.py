"""Schemas of a benchmark, and of the ``judge`` block of a task."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from ..core.ordering import OrderPolicy
from ..core.voting import Average, Family, Mode, family_mode
from .fields import Name, Source, Strict, Variable


class Columns(Strict):
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


class Groups(Strict):
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


class Dataset(Strict):
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


class Published(Strict):
    """A result that a paper reports, in per cent, to put beside one's own."""

    judge: str
    scores: dict[str, float]
    source: str


class Edition(Strict):
    """A known state of a data set: what a full run on it judges, by a hash (see ``items_digest``)."""

    items: int = Field(ge=1)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    note: str


class Benchmark(Strict):
    """A benchmark: data, columns, domains, the prompt and the scoring rule of its authors.

    Attributes:
        editions: the states of the data set that submissions may be of.
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
    editions: tuple[Edition, ...] = ()

    @property
    def mode(self) -> Mode:
        """What a judge of this benchmark is asked for."""
        return family_mode(self.metrics)


class JudgeConfig(Strict):
    """The ``judge`` block of a task YAML.

    Attributes:
        benchmark: a benchmark of the registry, or one of the user's own, in full (see ``Benchmark``).
        prompt: a judge prompt of the registry; the benchmark's own if left out.
        draws: K, the number of draws for each item.
        order: the order policy.
        seed: the seed of the orders.
        average: how several scores of one response become one.
        options: settings of an embedded benchmark: ``items``, ``seed``, and ``blank: 1`` for pictures that show nothing.
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
