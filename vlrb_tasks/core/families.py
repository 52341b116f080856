"""Families of metrics: which ones a benchmark is measured by, beside the pairwise one of ``scoring``.

- ``pairwise``: one of two responses is better (``scoring.pairwise_metrics``);
- ``pairwise_ties``: people and judges may see a tie (LLaVA-Critic, arXiv 2410.02712; MLLM-as-a-Judge, 2402.04788);
- ``pointwise``: a score for one response;
- ``ranking``: an order of several.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from .consensus import levenshtein
from .correlation import Correlation, drop_missing, kendall_tau, pearson, spearman
from .ratings import RatingError, bradley_terry
from .scoring import (
    Metric,
    Score,
    Value,
    mean_of_items,
    name_part,
    outcome_rates,
    pairwise_metrics,
    plain_mean,
    pooled_rate,
    vote_metrics,
)
from .voting import TIE, Ballot, Family

Measure = Callable[[np.ndarray, np.ndarray], Correlation]


def family_metrics(
    family: Family,
    groups: Sequence[str],
    votes: int,
    tags: Sequence[str] = (),
    soft: bool = False,
    partly: bool = False,
) -> list[Metric]:
    """Return the metrics of a family, in the order in which tables show them.

    Args:
        family: the family.
        groups: the domains or sources that are reported one by one.
        votes: how many votes are drawn for an item.
        tags: error tags, for the pairwise family.
        soft: the votes tell how likely each response is the better one.
        partly: not all planned votes had to be drawn.
    """
    further = [*(soft_metrics() if soft else []), *([DRAWN, TOKENS] if partly else [])]
    if family == "pairwise":
        return [*pairwise_metrics(groups, votes, tags), *further]
    own = {"pairwise_ties": _tie_metrics, "pointwise": _score_metrics, "ranking": _ranking_metrics}[family]
    if family == "pairwise_ties":
        return [*own(list(groups)), *vote_metrics(votes), *further]
    return [*own(list(groups)), *outcome_rates(ties=False), *further]


DRAWN = Metric(
    "drawn_rate",
    lambda b: [len(b.votes), b.planned, int(b.unfinished)],
    pooled_rate,
    None,
    "votes that were drawn / votes that were planned",
)

TOKENS = Metric(
    "tokens_per_vote",
    lambda b: [sum(sum(v.tokens) for v in b.votes if v.tokens), sum(v.tokens is not None for v in b.votes)],
    pooled_rate,
    None,
    "tokens that a vote takes, prompt and answer; of the votes whose adapter says so",
)


def soft_metrics() -> list[Metric]:
    """Return the metrics of judges that tell how likely each response is the better one: soft votes."""

    def preferred(ballot: Ballot) -> float | None:
        shares = ballot.mean_shares
        return None if ballot.preferred is None or shares is None else shares[ballot.preferred]

    def right(ballot: Ballot) -> int | None:
        share = preferred(ballot)
        return None if share is None else int(share > 0.5)

    return [
        Metric("soft_accuracy", right, mean_of_items, True, "items whose better response has a mean probability above 0.5"),
        Metric("soft_probability", preferred, mean_of_items, True, "mean probability of the better response"),
    ]  # fmt: skip


# -- comparisons with ties -----------------------------------------------------------------------------


def _with_tie(ballot: Ballot) -> int:
    return int(ballot.decision_or_tie == _people(ballot))


def _without_tie(ballot: Ballot) -> int | None:
    return None if ballot.preferred is None else int(ballot.decision_or_tie == ballot.preferred)


def _people(ballot: Ballot) -> int:
    return TIE if ballot.preferred is None else ballot.preferred


def _sides(ballot: Ballot) -> Value:
    """Return people's and the judge's side, 1 for the first response, -1 for the second, 0 for a tie."""
    sign = {0: 1, 1: -1, TIE: 0}
    decided = ballot.decision_or_tie
    return [sign[_people(ballot)], None if decided is None else sign[decided]]


def _battle(ballot: Ballot) -> Value:
    return None if len(ballot.models) != 2 else [*ballot.models, *_sides(ballot)]


def model_tau(values: Sequence[Value]) -> Score:
    """Return Kendall's tau-b between the models' Bradley-Terry ratings from the judge's decisions and from people's.

    Undecided items are left out of the judge's battles, and of people's. NaN where either side has no finite
    ratings, or fewer than two models are named.
    """
    fought = [value for value in values if value is not None and value[3] is not None]
    winner = {1: "a", -1: "b", 0: "tie"}
    try:
        people = bradley_terry([(a, b, winner[side]) for a, b, side, _ in fought]).ratings  # type: ignore[misc]
        judge = bradley_terry([(a, b, winner[side]) for a, b, _, side in fought]).ratings  # type: ignore[misc]
    except RatingError:
        return Score(math.nan, 0)
    names = sorted(people)
    tau = kendall_tau(np.array([people[name] for name in names]), np.array([judge[name] for name in names]))
    return Score(tau.value, len(names))


def _tie_metrics(groups: list[str]) -> list[Metric]:
    metrics = [
        Metric(
            "accuracy_with_tie",
            _with_tie,
            mean_of_items,
            True,
            "items decided as people did, ties included; undecided is wrong",
        ),
        Metric(
            "accuracy_without_tie",
            _without_tie,
            mean_of_items,
            True,
            "items on which people see a winner; a tie or undecided is wrong",
        ),
    ]
    if len(groups) > 1:
        for group in groups:
            metrics.append(
                Metric(
                    f"accuracy_with_tie_{name_part(group)}",
                    _only(_with_tie, group),
                    mean_of_items,
                    True,
                    f"{group} items",
                )
            )
            metrics.append(
                Metric(
                    f"accuracy_without_tie_{name_part(group)}",
                    _only(_without_tie, group),
                    mean_of_items,
                    True,
                    f"{group} items",
                )
            )
    return [
        *metrics,
        Metric("kendall_tau", _battle, model_tau, True, "models' ratings by the judge against those by people, tau-b over models"),
        Metric("item_kendall_tau_b", _sides, correlation(kendall_tau), True, "the judge's side of each item against people's"),
        Metric("coverage_strict", lambda b: int(b.decision_or_tie is not None), plain_mean, True, "decided items / items, ties included"),
    ]  # fmt: skip


def _only(rule: Callable[[Ballot], Value], group: str) -> Callable[[Ballot], Value]:
    return lambda ballot: rule(ballot) if ballot.group == group else None


# -- scores --------------------------------------------------------------------------------------------


def correlation(measure: Measure) -> Callable[[Sequence[Value]], Score]:
    """Return the way to correlate ``[people, judge]`` pairs over items; pairs without a judge's score are dropped."""

    def together(values: Sequence[Value]) -> Score:
        pairs = [value for value in values if value is not None]
        x, y, _ = drop_missing([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        order = np.lexsort((y, x))
        found = measure(x[order], y[order])
        return Score(found.value, found.n, found.interval)

    return together


def mean_correlation(values: Sequence[Value]) -> Score:
    """Return the mean over groups of Pearson's r, of ``[group, people, judge]``; groups without one are left out."""
    groups: dict[str, list[Value]] = defaultdict(list)
    for group, people, judge in values:
        groups[group].append([people, judge])
    found = [correlation(pearson)(groups[name]) for name in sorted(groups)]
    counted = [score for score in found if not math.isnan(score.value)]
    if not counted:
        return Score(math.nan, 0)
    return Score(math.fsum(s.value for s in counted) / len(counted), sum(s.n for s in counted))


def most_frequent_share(values: Sequence[Value]) -> Score:
    """Return the share of the score that the judge gives most often: 1 for a judge that always says the same."""
    given = [value for value in values if value is not None]
    return Score(max(Counter(given).values()) / len(given) if given else math.nan, len(given))


def model_score_tau(values: Sequence[Value]) -> Score:
    """Return tau-b between the models' mean scores by the judge and by people, of ``[model, people, judge]``."""
    people: dict[str, list[float]] = defaultdict(list)
    judge: dict[str, list[float]] = defaultdict(list)
    for value in values:
        if value is not None and value[2] is not None:
            people[value[0]].append(value[1])
            judge[value[0]].append(value[2])
    names = sorted(people)
    means = [np.array([math.fsum(side[n]) / len(side[n]) for n in names]) for side in (people, judge)]
    return Score(kendall_tau(*means).value, len(names))


def _pair(ballot: Ballot) -> Value:
    return [ballot.score, ballot.judged_score]


def _error(ballot: Ballot) -> float | None:
    return None if ballot.judged_score is None or ballot.score is None else abs(ballot.judged_score - ballot.score)


def _model_pair(ballot: Ballot) -> Value:
    return None if not ballot.models else [ballot.models[0], *_pair(ballot)]


def _score_metrics(groups: list[str]) -> list[Metric]:
    metrics = [
        Metric("pearson", lambda b: [b.group, *_pair(b)], mean_correlation, True, "Pearson's r, the mean over sources")
    ]
    if len(groups) > 1:
        metrics += [
            Metric(f"pearson_{name_part(g)}", _only(_pair, g), correlation(pearson), True, f"{g} items") for g in groups
        ]
    return [
        *metrics,
        Metric("pearson_pooled", _pair, correlation(pearson), True, "Pearson's r over all items"),
        Metric("spearman", _pair, correlation(spearman), True, "Spearman's rho over all items"),
        Metric("item_kendall_tau_b", _pair, correlation(kendall_tau), True, "Kendall's tau-b over all items"),
        Metric("kendall_tau", _model_pair, model_score_tau, True, "models' mean scores by the judge against people's, tau-b over models"),
        Metric("mean_absolute_error", _error, plain_mean, False, "distance of the judge's score from people's"),
        Metric("most_frequent_score_share", lambda b: b.judged_score, most_frequent_share, False, "items with the judge's most frequent score"),
        Metric("coverage_strict", lambda b: int(b.judged_score is not None), plain_mean, True, "scored items / items"),
    ]  # fmt: skip


# -- rankings ------------------------------------------------------------------------------------------


def _distance(ballot: Ballot) -> float | None:
    """Return the Levenshtein distance of the two orders over their length; 1 where the judge gives none."""
    if ballot.ranking is None:
        return None
    judged = ballot.judged_ranking
    return 1.0 if judged is None else levenshtein(judged, ballot.ranking) / len(ballot.ranking)


def item_tau(ballot: Ballot) -> float | None:
    """Return Kendall's tau of the two orders of an item; ``None`` where the judge gives none."""
    judged = ballot.judged_ranking
    if judged is None or ballot.ranking is None:
        return None
    pairs = list(combinations(ballot.ranking, 2))
    agreeing = sum(judged.index(a) < judged.index(b) for a, b in pairs)
    return (2 * agreeing - len(pairs)) / len(pairs)


def _ranking_metrics(groups: list[str]) -> list[Metric]:
    def agrees(places: int) -> Callable[[Ballot], Value]:
        def value(ballot: Ballot) -> int:
            judged = ballot.judged_ranking
            return int(judged is not None and ballot.ranking is not None and judged[:places] == ballot.ranking[:places])

        return value

    metrics = [
        Metric(
            "levenshtein_distance",
            _distance,
            mean_of_items,
            False,
            "distance of the orders / their length; 1 without one",
        )
    ]
    if len(groups) > 1:
        metrics += [
            Metric(f"levenshtein_distance_{name_part(g)}", _only(_distance, g), mean_of_items, False, f"{g} items")
            for g in groups
        ]
    return [
        *metrics,
        Metric("ranking_kendall_tau", item_tau, mean_of_items, True, "Kendall's tau of the orders of an item, the mean over items"),
        Metric("best_accuracy", agrees(1), mean_of_items, True, "items whose best response is named; no order is wrong"),
        Metric("exact_accuracy", agrees(99), mean_of_items, True, "items whose whole order is right; no order is wrong"),
        Metric("coverage_strict", lambda b: int(b.judged_ranking is not None), plain_mean, True, "ranked items / items"),
    ]  # fmt: skip
