"""Recipes: what critic data is made of, as one YAML file says it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ..registry.fields import Name, Strict
from ..registry.loading import check, read_yaml

Winner = Literal["first", "second", "tie", "leave_out"]


class Place(Strict):
    """Where rows come from: the hub, or a local file or folder, whose path begins at the recipe.

    Attributes:
        hub: a data set on the hub, with its configuration ``name``, ``split`` and ``revision``; rows are streamed.
            Where ``VLRB_DATA`` names a mirror, they are read from there.
        path: a file of JSON, JSON lines or parquet, or a folder with one.
        images: the folder that image paths begin at, beside those tried anyway.
    """

    hub: str | None = None
    path: str | None = None
    name: str | None = None
    split: str = "train"
    revision: str | None = None
    images: str | None = None
    license: str = ""

    @model_validator(mode="after")
    def _one(self) -> Place:
        if (self.hub is None) == (self.path is None):
            raise ValueError("one of hub and path")
        return self


class Cells(Strict):
    """Where in a row what stands: a column, or a path into it such as ``completions.*.response``.

    A step is a key, a number, or ``*`` for every element. A text that holds JSON is looked into.

    Attributes:
        id: names the row; without one, its number does.
        image: a path, bytes, or a picture.
        question: a text, or a conversation, whose user turns are taken.
        response: the response that is scored.
        score: its score, or a conversation whose last turn tells one; several paths are averaged.
        responses: the responses: a path that leads to all of them, or a path for each.
        scores: their scores: a path that leads to all of them, or several such paths, which are averaged.
        winner: which of two is better, in the words of ``Part.winners``.
        better, worse: the better response and the worse one, such as ``chosen`` and ``rejected``.
        reasons: why: a text, or a conversation whose last turn tells the score first.
    """

    id: str | None = None
    image: str | None = None
    question: str
    response: str | None = None
    score: str | tuple[str, ...] | None = None
    responses: str | tuple[str, ...] | None = None
    scores: str | tuple[str, ...] | None = None
    winner: str | None = None
    better: str | None = None
    worse: str | None = None
    reasons: str | None = None

    @property
    def kind(self) -> Literal["score", "scores", "winner", "better"]:
        """What the row tells of its responses."""
        if self.score is not None:
            return "score"
        if self.scores is not None:
            return "scores"
        return "winner" if self.winner is not None else "better"

    @model_validator(mode="after")
    def _one_reference(self) -> Cells:
        told = [name for name in ("score", "scores", "winner", "better") if getattr(self, name) is not None]
        if len(told) != 1:
            raise ValueError("one of score, scores, winner and better")
        needs = {"score": (), "scores": ("responses",), "winner": ("responses",), "better": ("worse",)}[told[0]]
        for name in needs:
            if getattr(self, name) is None:
                raise ValueError(f"{name}, which {told[0]} needs")
        if isinstance(self.responses, tuple) and self.winner is not None and len(self.responses) != 2:
            raise ValueError("two responses, of which one is the winner")
        return self


class Reasons(Strict):
    """Where the reasons behind a verdict come from; at most one of the three. Without any, the verdict stands alone.

    Attributes:
        cells: from the row: ``Cells.reasons``.
        labels: what those reasons call the two responses, such as ``[Assistant A, Assistant B]``. They are renamed to what
            the prompt calls them, and change places where the responses do. Reasons that call them otherwise are left out.
        log: from a teacher: the sample log of a run of a judge on these items, or a folder with one.
        template: Jinja, with ``question``, ``responses``, ``names``, ``verdict`` and ``score``; for pairs also
            ``better``, ``worse`` (names), and ``changes``, the (wrong, right) phrases in which the two differ.
    """

    cells: bool = False
    labels: tuple[str, str] | None = None
    log: str | None = None
    template: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Reasons:
        if sum((self.cells, self.log is not None, self.template is not None)) > 1:
            raise ValueError("one of cells, log and template")
        return self


class Part(Strict):
    """A part of the data: one source, one kind of judgment.

    Attributes:
        mode: ``pointwise``: a response with its score; ``pairwise``: which of two is better.
        scale: the lowest and the highest score of the source. Scores become 0 to 100.
        prompts: judge prompts to score with, one drawn for each response; a conversation that holds its own prompt
            takes ``verbatim_pointwise``.
        gap: of scored responses, pairs whose scores differ by more than this, in the source's units.
        ties: of scored responses, pairs with the same score, up to this share of the part; ``only`` takes no others.
        pairs: how many pairs of one row at most.
        orders: ``both``: each pair twice, once in each order; ``random``: once, in an order that is drawn.
        winners: what the words of the column ``winner`` mean.
        keep: how many records at most.
    """

    mode: Literal["pointwise", "pairwise"]
    source: Place
    cells: Cells
    scale: tuple[float, float] = (0, 100)
    prompts: tuple[Name, ...] = ()
    gap: float = Field(default=0.6, ge=0)
    ties: Annotated[float, Field(ge=0, lt=1)] | Literal["only"] = 0.0
    pairs: int | None = Field(default=None, ge=1)
    orders: Literal["both", "random"] = "both"
    winners: dict[str, Winner] = Field(default_factory=dict)
    reasons: Reasons = Reasons()
    keep: int | None = Field(default=None, ge=1)
    note: str = ""

    @field_validator("winners", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return {str(word): meaning for word, meaning in value.items()} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _fitting(self) -> Part:
        if (self.mode == "pointwise") != (self.cells.kind == "score") and self.cells.kind != "scores":
            raise ValueError(
                "cells with score or scores for mode pointwise, with scores, winner or better for pairwise"
            )
        if self.mode == "pointwise" and not self.prompts:
            raise ValueError("prompts to score with")
        if self.mode == "pairwise" and self.prompts:
            raise ValueError("no prompts for mode pairwise, which has templates of its own")
        if self.cells.kind == "winner" and not self.winners:
            raise ValueError("winners, which say what the words of the column winner mean")
        if self.scale[0] >= self.scale[1]:
            raise ValueError("a scale whose first end is the lower one")
        if self.reasons.cells and self.cells.reasons is None:
            raise ValueError("cells.reasons, which reasons.cells asks for")
        return self


class Overlap(Strict):
    """What must not be learnt, since it is asked later.

    Attributes:
        benchmarks: of the registry, whose questions, responses and images are refused.
        words: a question or a response alone counts from this many words on; shorter ones are everyone's, and count
            where question and response both agree. Eight is our choice.
    """

    benchmarks: tuple[Name, ...] = ("vlrewardbench",)
    words: int = Field(default=8, ge=1)


class Recipe(Strict):
    """Critic data: its parts, by name, and what must not be in it.

    Attributes:
        seed: of prompts, orders and pairs.
        missing: how many pictures that cannot be opened are borne, as a share of the records; they are counted.
        images: ``copy``: pictures are written beside the records, each once; ``path``: records name them as the source
            does, and nothing is opened.
    """

    title: str
    seed: int = 0
    parts: dict[Name, Part] = Field(min_length=1)
    overlap: Overlap = Overlap()
    images: Literal["copy", "path"] = "copy"
    missing: float = Field(default=0.0, ge=0, le=1)


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        RegistryError: the file cannot be read or breaks the schema: with the line and the fix.
    """
    content, node = read_yaml(path)
    return check(Recipe, content, path, node)
