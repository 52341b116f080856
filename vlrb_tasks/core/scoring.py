"""Scores: the metrics of a pairwise benchmark, each as a value per item and a way to put the values together.

A metric's value for one item is small, so that a sample log can hold it beside the ballot; what the values
give together does not depend on their order. The same two steps run in lmms-eval and in ``vlrb score``,
which is why both print the same numbers to the last bit.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .agreement import flips, vote_agreement
from .intervals import Interval, bootstrap_macro_mean, bootstrap_mean
from .voting import Ballot, Vote

Value = Any
"""A metric's value for one item: a number, ``[part, of]`` for a rate over votes, ``[group, number]`` for a macro
average, or ``None`` where the item does not count."""

Rule = Callable[[Ballot], "int | None"]
"""What a ballot decides: 1 right, 0 wrong, ``None`` where it does not count."""


@dataclass(frozen=True)
class Score:
    """A metric over all items.

    Attributes:
        value: NaN where nothing counts, never 0.
        n: how many items or votes it was measured on.
        interval: the 95 % interval, for accuracies.
    """

    value: float
    n: int
    interval: Interval | None = None


def or_null(value: float) -> float | None:
    """Return a score as JSON has it: NaN as ``null``."""
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Metric:
    """One metric: its name, its value for an item, and how the values of all items become a score."""

    name: str
    of_ballot: Callable[[Ballot], Value]
    together: Callable[[Sequence[Value]], Score]
    higher_is_better: bool | None
    meaning: str


# -- putting values together ---------------------------------------------------------------------------


def mean_of_items(values: Sequence[Value]) -> Score:
    """Return the mean over the items that count, with its interval."""
    counted = [float(value) for value in values if value is not None]
    if not counted:
        return Score(math.nan, 0, (math.nan, math.nan))
    return Score(math.fsum(counted) / len(counted), len(counted), bootstrap_mean(counted))


def plain_mean(values: Sequence[Value]) -> Score:
    """Return the mean over the items that count, without an interval."""
    counted = [float(value) for value in values if value is not None]
    return Score(math.fsum(counted) / len(counted) if counted else math.nan, len(counted))


def mean_of_groups(values: Sequence[Value]) -> Score:
    """Return the mean of the group means, of ``[group, value]`` pairs; groups with no counted item are left out."""
    groups: dict[str, list[float]] = defaultdict(list)
    for group, value in values:
        if value is not None:
            groups[group].append(float(value))
    n = sum(map(len, groups.values()))
    if not n:
        return Score(math.nan, 0, (math.nan, math.nan))
    means = [math.fsum(groups[name]) / len(groups[name]) for name in sorted(groups)]
    return Score(math.fsum(means) / len(means), n, bootstrap_macro_mean(groups))


def pooled_rate(values: Sequence[Value]) -> Score:
    """Return the rate over all votes, of ``[part, of]`` pairs."""
    of = sum(value[1] for value in values if value is not None)
    part = sum(value[0] for value in values if value is not None)
    return Score(part / of if of else math.nan, of)


# -- values of one ballot ------------------------------------------------------------------------------


def _official(ballot: Ballot) -> int | None:
    return {"for": 1, "against": 0, "none": None}[ballot.official_decision]


def _strict(ballot: Ballot) -> int | None:
    if ballot.preferred is None:
        return None
    return int(ballot.decision == ballot.preferred)


def _grouped(rule: Rule) -> Callable[[Ballot], Value]:
    return lambda ballot: [ballot.group, rule(ballot)]


def _in_group(rule: Rule, group: str) -> Callable[[Ballot], Value]:
    return lambda ballot: rule(ballot) if ballot.group == group else None


def _tagged(tag: str) -> Callable[[Ballot], Value]:
    return lambda ballot: _strict(ballot) if tag in ballot.tags else None


def _is(outcome: str) -> Callable[[Ballot, Vote], bool | None]:
    return lambda _, vote: vote.outcome == outcome


def _rate(test: Callable[[Ballot, Vote], bool | None]) -> Callable[[Ballot], Value]:
    """Return the ``[part, of]`` value of a test on votes; votes for which it says ``None`` do not count.

    Failures are counted over all votes, all else over those that were asked whatever the others said.
    """

    def value(ballot: Ballot) -> Value:
        votes = ballot.votes if test is _failed else ballot.fair_votes
        answers = [answer for vote in votes if (answer := test(ballot, vote)) is not None]
        return [sum(answers), len(answers)]

    return value


def _failed(_: Ballot, vote: Vote) -> bool:
    return vote.outcome == "failed"


def _names_first(ballot: Ballot, vote: Vote) -> bool | None:
    return None if vote.outcome not in ("first", "second") else vote.outcome == "first"


def _prefers_longer(ballot: Ballot, vote: Vote) -> bool | None:
    if vote.choice is None or ballot.lengths[0] == ballot.lengths[1]:
        return None
    return bool(ballot.lengths[vote.choice] == max(ballot.lengths))


def accuracy_at(k: int, correct: int, drawn: int) -> float:
    """Return the chance that a majority of ``k`` votes, taken at random from the drawn ones, is correct.

    Exact: the share of all subsets of size ``k`` in which more than ``k / 2`` votes are correct
    (hypergeometric), under the strict rule that an undecided ballot is wrong.

    >>> accuracy_at(3, 3, 5)  # subsets of 3 with 2 or 3 of the 3 correct votes: (3*2 + 1) / 10
    0.7
    """
    if not 0 < k <= drawn:
        raise ValueError(f"k: got {k}; expected 1 to {drawn}, the number of drawn votes")
    wanted = sum(
        math.comb(correct, c) * math.comb(drawn - correct, k - c) for c in range(k // 2 + 1, k + 1) if c <= correct
    )
    return float(Fraction(wanted, math.comb(drawn, k)))


def _at(k: int) -> Callable[[Ballot], Value]:
    def value(ballot: Ballot) -> float | None:
        votes = ballot.fair_votes
        if ballot.preferred is None:
            return None
        if k == ballot.planned and ballot.plan is not None:
            return _strict(ballot)
        if len(votes) < k:
            return None
        return accuracy_at(k, sum(vote.choice == ballot.preferred for vote in votes), len(votes))

    return value


# -- the metrics of a benchmark ------------------------------------------------------------------------


def outcome_rates(ties: bool = True) -> list[Metric]:
    """Return the shares of votes that are unparsed, failed, and, where there are ties, for a tie."""
    meanings = {"unparsed": "votes with no verdict in them", "failed": "requests that failed", "tie": "votes for a tie"}
    return [
        Metric(
            f"{outcome}_rate",
            _rate(_failed if outcome == "failed" else _is(outcome)),
            pooled_rate,
            None if outcome == "tie" else False,
            meaning,
        )
        for outcome, meaning in meanings.items()
        if ties or outcome != "tie"
    ]


def vote_metrics(votes: int) -> list[Metric]:
    """Return what comparing judges are asked about beside accuracy: failures, ties, bias, and agreement of votes."""
    slot = "votes for the first slot / votes for a slot; 0.5 without order bias"
    longer = "votes for the longer response / votes for a response"
    flip = "draws whose vote changed with the order; NaN unless both orders were asked"
    agreement = Metric("vote_agreement", vote_agreement, plain_mean, None, "pairs of votes of an item that agree")
    return [
        *outcome_rates(),
        Metric("first_slot_rate", _rate(_names_first), pooled_rate, None, slot),
        Metric("longer_response_rate", _rate(_prefers_longer), pooled_rate, None, longer),
        *([agreement] if votes > 1 else []),
        Metric("flip_rate", flips, pooled_rate, False, flip),
    ]


def name_part(text: str) -> str:
    """Return a group or a tag as it stands in the name of a metric: what is no letter or digit becomes ``_``.

    lmms-eval splits names at commas, and tables at bars.
    """
    return re.sub(r"[^\w.-]+", "_", text)


def pairwise_metrics(groups: Iterable[str], votes: int, tags: Iterable[str] = ()) -> list[Metric]:
    """Return the metrics of a pairwise benchmark, in the order in which tables show them.

    Args:
        groups: the domains that the benchmark reports, in its order.
        votes: how many votes are drawn for an item; ``accuracy_at_k`` is given for every odd k up to it.
        tags: error tags to report the strict accuracy by.
    """
    groups = list(groups)
    metrics: list[Metric] = []

    def add(
        name: str,
        of_ballot: Callable[[Ballot], Value],
        together: Callable[[Sequence[Value]], Score],
        better: bool | None,
        meaning: str,
    ) -> None:
        metrics.append(Metric(name, of_ballot, together, better, meaning))

    rules: list[tuple[str, Rule, str]] = [
        ("", _official, "the benchmark's own rule; undecided items left out"),
        ("_strict", _strict, "our parser; an undecided item is wrong"),
    ]
    for suffix, rule, meaning in rules:
        add(f"overall_accuracy{suffix}", rule, mean_of_items, True, meaning)
        add(f"macro_accuracy{suffix}", _grouped(rule), mean_of_groups, True, f"mean over groups; {meaning}")
        for group in groups:
            add(
                f"accuracy_{name_part(group)}{suffix}",
                _in_group(rule, group),
                mean_of_items,
                True,
                f"{group} items; {meaning}",
            )
    add(
        "coverage",
        lambda b: int(b.official_decision != "none"),
        plain_mean,
        True,
        "decided items / items, by the benchmark's own rule",
    )
    add(
        "coverage_strict",
        lambda b: int(b.decision is not None),
        plain_mean,
        True,
        "decided items / items, by our parser",
    )
    metrics += vote_metrics(votes)
    for k in range(1, votes + 1, 2):
        add(
            f"accuracy_at_{k}",
            _at(k),
            mean_of_items,
            True,
            f"strict accuracy with {k} vote{'s' if k > 1 else ''} an item, expected over the drawn votes",
        )
    for tag in tags:
        add(
            f"accuracy_tag_{name_part(tag)}",
            _tagged(tag),
            mean_of_items,
            True,
            f"strict accuracy on items that annotators tagged {tag!r}",
        )
    return metrics


def score_ballots(ballots: Sequence[Ballot], metrics: Iterable[Metric]) -> dict[str, Score]:
    """Return the scores of these ballots, by metric name."""
    return {metric.name: metric.together([metric.of_ballot(ballot) for ballot in ballots]) for metric in metrics}


FAILED_LIMIT = 0.01
"""Above this share of failed votes a run is not to be published."""

LOW_COVERAGE = 0.9
"""Below this share of decided items, accuracies that leave the others out are called flattering: our choice."""

SLOT_BIAS = 0.25
"""A share of votes for the first slot this far from one half is called an order bias: our choice."""


def publishing_faults(scores: dict[str, Score]) -> list[str]:
    """Return why these scores should not be published, each in a sentence; none where they may."""
    faults = []
    failed = scores["failed_rate"]
    if failed.value > FAILED_LIMIT:
        faults.append(
            f"{failed.value:.1%} of {failed.n:,} votes failed, above {FAILED_LIMIT:.0%}: do not publish this run. Ask the failed requests again, then score anew.",
        )
    coverage = scores["coverage_strict"]
    if coverage.n and coverage.value < LOW_COVERAGE:
        faults.append(
            f"only {coverage.value:.1%} of {coverage.n:,} items were decided: numbers that leave the others out (official accuracies, correlations) flatter this judge.",
        )
    first = scores.get("first_slot_rate")
    if first is not None and first.n >= 20 and abs(first.value - 0.5) > SLOT_BIAS:
        faults.append(
            f"the judge names the first slot in {first.value:.1%} of its votes: it answers the order, not the responses."
        )
    return faults
