"""Casting a vote: a judge's text, read by a prompt's parser and by the benchmark's own rule."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.ordering import Order
from ..core.parsing import official_choice
from ..core.verdicts import Verdict
from ..core.voting import Average, Family, Origin, Vote, official_reading, parsed_reading
from .benchmarks import Benchmark
from .index import Registry
from .loading import RegistryError
from .prompts import Prompt

OFFICIAL = "vlrewardbench_official"


@dataclass(frozen=True)
class Reader:
    """What reads the texts of a run: the prompt's parser, and the rule of the official numbers.

    The benchmark's own rule reads texts that the benchmark's own prompt asked for. With another prompt the
    rule of counting stays, and that prompt's parser reads.
    """

    benchmark: str
    prompt: Prompt
    official: bool
    family: Family = "pairwise"
    average: Average = "mean"

    @property
    def origin(self) -> Origin:
        """What the ballots of this run say about it."""
        rule = OFFICIAL if self.official else f"parser of {self.prompt.id}"
        return Origin(self.benchmark, self.prompt.identity, rule, self.family, self.average)

    def vote(self, draw: int, order: Order, text: str | None, preferred: int | None) -> Vote:
        """Read one text and map it to the responses."""
        return cast(draw, order, text, self.prompt.read(text), preferred, self.official)


def cast(draw: int, order: Order, text: str | None, verdict: Verdict, preferred: int | None, official: bool) -> Vote:
    """Map a verdict about slots to a vote about responses, beside what the official numbers make of the text."""
    choice = None if verdict.slot is None else order[verdict.slot]
    if verdict.outcome == "failed" or text is None:
        reading = parsed_reading(None, preferred)
    elif official:
        found = official_choice(text)
        reading = official_reading(None if found is None else found[0], preferred, order)
    else:
        reading = parsed_reading(choice, preferred)
    ranking = None if verdict.ranking is None else tuple(order[slot] for slot in verdict.ranking)
    shares = verdict.shares
    if shares is not None and order[0] == 1:
        shares = shares[1], shares[0]
    return Vote(draw, order, text or "", verdict.outcome, verdict.span, choice, reading, verdict.score, ranking, shares)


def reads_officially(benchmark: Benchmark, prompt: Prompt) -> bool:
    """Tell whether the benchmark's own rule reads the texts: it has one, and its own prompt asked for them."""
    return benchmark.official is not None and prompt.id == benchmark.prompt


def reader(name: str, benchmark: Benchmark, prompt: Prompt, average: Average = "mean") -> Reader:
    """Return the reader of a benchmark that is asked with a prompt.

    Raises:
        RegistryError: the benchmark asks for something else than the prompt does.
    """
    if prompt.needs_reference_answer and benchmark.columns.reference_answer is None:
        raise RegistryError(
            f"prompt: got {prompt.id!r}, which shows the judge the right answer; {name} names no column of right answers. "
            "Fix: choose another prompt, or name the column in `columns.reference_answer`.",
        )
    if prompt.mode != benchmark.mode:
        raise RegistryError(
            f"prompt: got {prompt.id!r}, a {prompt.mode} prompt; expected a {benchmark.mode} one for {name}. "
            "Fix: choose another prompt; `vlrb list` shows the modes.",
        )
    return Reader(name, prompt, reads_officially(benchmark, prompt), benchmark.metrics, average)


def reader_for(registry: Registry, benchmark: str, prompt: str | None = None) -> Reader:
    """Return the reader of a benchmark, asked with its own prompt unless another is named."""
    entry = registry.benchmark(benchmark)
    return reader(benchmark, entry, registry.prompt(prompt or entry.prompt))
