"""Votes and ballots: verdicts mapped back to responses, and what they decide together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from .consensus import Ranking, consensus
from .items import Item
from .ordering import Order
from .stopping import Plan, further_votes
from .verdicts import Outcome

Reading = Literal["for", "against", "none"]
"""What the benchmark's own rule makes of one text: a vote for the preferred response, against it, or none."""

Family = Literal["pairwise", "pairwise_ties", "pointwise", "ranking"]
Average = Literal["mean", "median"]

Mode = Literal["pairwise", "pointwise", "ranking"]
"""What a judge is asked for: the better of two, a score, an order."""


def family_mode(family: Family) -> Mode:
    """Return what a judge is asked for where these metrics are used."""
    return "pairwise" if family == "pairwise_ties" else family


TIE = -1
"""A tie among decisions, beside the indices of responses."""


@dataclass(frozen=True)
class Vote:
    """One draw's verdict, mapped back to the responses.

    Attributes:
        draw: the number of the draw, from 0.
        order: ``order[slot]`` is the index of the response that stood in ``slot``.
        text: the judge's text, as it came.
        outcome: the verdict about the slots.
        span: the characters of the text that gave it.
        choice: index of the response voted for; ``None`` for a tie, an unparsed or a failed draw.
        reading: what the benchmark's own rule makes of the text.
        score: the score, on the prompt's scale, of a judge that scores.
        ranking: response indices, best first, of a judge that ranks.
        shares: the probability of each of the two responses, of a judge that is asked for likelihoods.
        tokens: how many tokens went in and came out, where the adapter says so.
    """

    draw: int
    order: Order
    text: str
    outcome: Outcome
    span: tuple[int, int] | None
    choice: int | None
    reading: Reading
    score: float | None = None
    ranking: Ranking | None = None
    shares: tuple[float, float] | None = None
    tokens: tuple[int, int] | None = None


def official_reading(number: int | None, preferred: int | None, order: Order) -> Reading:
    """Return what the benchmark's scorer makes of "Answer N is better".

    Only the slot of the rejected response is a vote against; any other number is a vote for.

    Args:
        number: N, counted from 1; ``None`` where the rule found no such sentence.
        preferred: index of the better response.
        order: the order in which the responses were shown.
    """
    if number is None or preferred is None:
        return "none"
    rejected_slot = order.index(1 - preferred) + 1
    return "against" if number == rejected_slot else "for"


def parsed_reading(choice: int | None, preferred: int | None) -> Reading:
    """Return the reading that a parsed vote amounts to, for prompts other than the benchmark's own."""
    if choice is None or preferred is None:
        return "none"
    return "for" if choice == preferred else "against"


@dataclass(frozen=True)
class Origin:
    """What a ballot was judged with.

    Attributes:
        benchmark: the benchmark's name.
        prompt: the prompt's id and version, ``id@version``.
        rule: what reads the texts for the official numbers: the benchmark's own parser, or a prompt's.
        family: the metrics that the benchmark is measured by.
        average: how several scores of one response become one.
    """

    benchmark: str
    prompt: str
    rule: str
    family: Family = "pairwise"
    average: Average = "mean"


@dataclass(frozen=True)
class Ballot:
    """An item's votes.

    Attributes:
        key: the item's key.
        id: the item's id.
        group: the domain it is reported under.
        preferred: index of the response that people prefer; ``None`` for a tie.
        lengths: length of each response, in characters.
        tags: error tags set by annotators.
        votes: all drawn votes, unparsed and failed ones included.
        origin: benchmark, prompt and version, and the rule behind ``reading``.
        score: people's score, for a judge that scores.
        ranking: people's ranking, for a judge that ranks.
        models: who wrote each response, where the data set says so.
        plan: how many votes there were to be, where not all of them had to be drawn.
    """

    key: str
    id: str
    group: str
    preferred: int | None
    lengths: tuple[int, ...]
    tags: tuple[str, ...]
    votes: tuple[Vote, ...]
    origin: Origin
    score: float | None = None
    ranking: Ranking | None = None
    models: tuple[str, ...] = ()
    plan: Plan | None = None

    @property
    def counted(self) -> int:
        """The number of votes of which a response needs more than half: all that were planned.

        A ballot that stopped at a stated risk is decided by those that were drawn.
        """
        return len(self.votes) if self.plan is None or self.plan.stop == "confidence" else self.plan.planned

    @property
    def planned(self) -> int:
        """The votes that there were to be."""
        return len(self.votes) if self.plan is None else self.plan.planned

    @property
    def unfinished(self) -> bool:
        """Whether votes are missing that could change what the ballot decides: a budget was spent."""
        if self.plan is None or len(self.votes) >= self.plan.planned:
            return False
        rules = reported_choices(self.origin.family, self.votes)
        if self.plan.stop == "exact" and rules:
            return further_votes(rules, self.plan.planned) > 0
        return self.plan.stop is None or len(self.votes) < self.plan.certain

    @property
    def fair_votes(self) -> tuple[Vote, ...]:
        """The votes that were asked whatever the others said. Rates over votes are of these.

        Later ones are drawn for items on which the first ones do not agree, and are no fair sample.
        """
        return self.votes if self.plan is None else self.votes[: self.plan.certain]

    @property
    def decision(self) -> int | None:
        """The response with more than half of all drawn votes; ``None`` where the ballot is undecided."""
        return majority([vote.choice for vote in self.votes], self.counted)

    @property
    def decision_or_tie(self) -> int | None:
        """The same with ties as votes of their own: a response, ``TIE``, or ``None``."""
        return majority([TIE if vote.outcome == "tie" else vote.choice for vote in self.votes], self.counted)

    @property
    def judged_score(self) -> float | None:
        """The mean or median of the votes that hold a score; ``None`` where none does."""
        scores = [vote.score for vote in self.votes if vote.score is not None]
        if not scores:
            return None
        return float(median(scores)) if self.origin.average == "median" else math.fsum(scores) / len(scores)

    @property
    def judged_ranking(self) -> Ranking | None:
        """The consensus of the votes that hold a ranking; ``None`` where none does."""
        return consensus([vote.ranking for vote in self.votes if vote.ranking is not None])

    @property
    def mean_shares(self) -> tuple[float, float] | None:
        """The mean probability of each response over the votes that tell one; ``None`` where none does."""
        told = [vote.shares for vote in self.votes if vote.shares is not None]
        if not told:
            return None
        return math.fsum(s[0] for s in told) / len(told), math.fsum(s[1] for s in told) / len(told)

    @property
    def official_decision(self) -> Reading:
        """What the votes decide as the benchmark reads them: more than half for, more than half against, or neither."""
        readings = [vote.reading for vote in self.votes]
        if 2 * readings.count("for") > self.counted:
            return "for"
        if 2 * readings.count("against") > self.counted:
            return "against"
        return "none"


def ballot(item: Item, votes: Sequence[Vote], origin: Origin, plan: Plan | None = None) -> Ballot:
    """Return the ballot of an item."""
    lengths = tuple(map(len, item.responses))
    return Ballot(
        item.key,
        item.id,
        item.group,
        item.preferred,
        lengths,
        item.tags,
        tuple(votes),
        origin,
        item.score,
        item.ranking,
        item.models,
        plan,
    )


def reported_choices(family: Family, votes: Sequence[Vote]) -> list[list[Hashable | None]]:
    """Return what the votes are for under each rule of counting that a family reports; none for scores and rankings.

    No further vote may be left out before all of these are decided.
    """
    if family == "pairwise":
        return [[vote.choice for vote in votes], [None if vote.reading == "none" else vote.reading for vote in votes]]
    if family == "pairwise_ties":
        return [[TIE if vote.outcome == "tie" else vote.choice for vote in votes]]
    return []


def majority(choices: Sequence[int | None], of: int | None = None) -> int | None:
    """Return the choice with more than half of ``of`` votes, by default of all, unparsed ones (``None``) included.

    >>> majority([0, 0, None]), majority([0, None]), majority([0, 1]), majority([]), majority([0, 0], of=5)
    (0, None, None, None, None)
    """
    for choice in {choice for choice in choices if choice is not None}:
        if 2 * sum(c == choice for c in choices) > (len(choices) if of is None else of):
            return choice
    return None
