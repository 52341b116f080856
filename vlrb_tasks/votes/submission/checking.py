"""Checking: every number of a submission is computed again from its votes, and every vote read again from its text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...core.ordering import orders_of
from ...core.records import items_digest
from ...core.scoring import FAILED_LIMIT, Score, score_ballots
from ...core.voting import Ballot, Vote
from ...registry.casting import Reader, reader
from ...registry.index import Registry
from ...registry.rendering import fingerprint
from ..logs import Log, log_metrics
from ..reading_again import answered
from .form import Submission, score_record

Rule = Literal[
    "unknown-benchmark",
    "unknown-prompt",
    "prompt-version",
    "prompt-hash",
    "other-run",
    "repeated-items",
    "limited",
    "missing-items",
    "foreign-items",
    "edited-items",
    "unknown-data",
    "votes-missing",
    "orders",
    "verdicts",
    "failed-votes",
    "unfinished",
    "scores",
    "card",
]


@dataclass(frozen=True)
class Fault:
    """Why a submission is rejected: the rule that it breaks, and what was seen."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


def faults_of(submission: Submission, registry: Registry) -> list[Fault]:
    """Return why a submission is to be rejected; nothing for an honest one.

    It needs no model and no data: orders follow from seed and item, verdicts from the texts, scores from the
    votes, and the items have the hash of a known state of the data set.
    """
    card = submission.card
    if card.data.benchmark not in registry.benchmarks:
        return [Fault("unknown-benchmark", f"{card.data.benchmark!r} is no benchmark of the registry.")]
    found, known_reader = _prompt(submission, registry)
    faults = [*found, *_items(submission, registry), *_asked(submission)]
    if known_reader is not None:
        faults += _read_again(submission, known_reader)
        faults += _scores(submission, registry, known_reader)
    votes = [vote for ballot in submission.ballots for vote in ballot.votes]
    failed = sum(vote.outcome == "failed" for vote in votes)
    if votes and failed / len(votes) > FAILED_LIMIT:
        faults.append(
            Fault(
                "failed-votes",
                f"{failed:,} of {len(votes):,} votes failed ({failed / len(votes):.1%}), above {FAILED_LIMIT:.0%}.",
            )
        )
    if card.votes != len(votes):
        faults.append(Fault("card", f"the card tells of {card.votes:,} votes; there are {len(votes):,}."))
    tokens = sum(sum(vote.tokens) for vote in votes if vote.tokens)
    if card.tokens != tokens:
        faults.append(Fault("card", f"the card tells of {card.tokens:,} tokens; the votes took {tokens:,}."))
    return faults


def _prompt(submission: Submission, registry: Registry) -> tuple[list[Fault], Reader | None]:
    card = submission.card
    try:
        prompt = registry.prompt(card.prompt.id)
        changed = {name: tuple(v) if isinstance(v, list) else v for name, v in card.prompt.variables.items()}
        prompt = prompt.with_variables(changed) if changed else prompt
        known = reader(card.data.benchmark, registry.benchmark(card.data.benchmark), prompt, card.settings.average)
    except ValueError as error:
        return [Fault("unknown-prompt", str(error))], None
    if prompt.version != card.prompt.version:
        told = f"{prompt.id} is at version {prompt.version}; the card names {card.prompt.version}. Check it with the release that it was packed with, or judge again."
        return [Fault("prompt-version", told)], None
    if fingerprint(prompt) != card.prompt.sha256:
        return [
            Fault(
                "prompt-hash",
                f"the judge was not asked with {known.origin.prompt} as the registry has it (hash {card.prompt.sha256[:12]}…).",
            )
        ], None
    faults = []
    others = {ballot.origin for ballot in submission.ballots} - {known.origin}
    if others:
        faults.append(
            Fault(
                "other-run",
                f"there are ballots of {', '.join(sorted(f'{o.benchmark} with {o.prompt}, {o.rule}' for o in others))}; the card is of {known.origin.benchmark} with {known.origin.prompt}.",
            )
        )
    if card.rule != known.origin.rule:
        faults.append(
            Fault("card", f"the card says that {card.rule!r} read the official numbers; it is {known.origin.rule!r}.")
        )
    return faults, known


def _items(submission: Submission, registry: Registry) -> list[Fault]:
    card, ballots = submission.card, submission.ballots
    faults = []
    again = [key for key, count in Counter(ballot.key for ballot in ballots).items() if count > 1]
    if again:
        faults.append(Fault("repeated-items", f"{len(again):,} items stand there more than once (first: {again[0]})."))
    if card.settings.limit is not None:
        faults.append(Fault("limited", f"the run was made with --limit {card.settings.limit:g}."))
    editions = registry.benchmark(card.data.benchmark).editions
    digest = items_digest(ballots)
    claimed = next((edition for edition in editions if edition.sha256 == card.data.sha256), None)
    if digest not in {edition.sha256 for edition in editions}:
        whole = claimed or next((edition for edition in editions), None)
        if not editions:
            faults.append(
                Fault(
                    "unknown-data",
                    f"the registry knows no state of {card.data.benchmark}. Add one to its editions: {digest}, {len(ballots)} items.",
                )
            )
        elif whole is not None and len(ballots) < whole.items:
            faults.append(
                Fault("missing-items", f"{whole.items - len(ballots):,} of {whole.items:,} items are missing.")
            )
        elif claimed is not None and len(ballots) > claimed.items:
            faults.append(
                Fault("foreign-items", f"{len(ballots):,} items are judged; the data set has {claimed.items:,}.")
            )
        elif claimed is not None:
            faults.append(
                Fault(
                    "edited-items", "keys, labels, domains, tags or lengths of the items are not those of the data set."
                )
            )
        else:
            faults.append(
                Fault(
                    "unknown-data",
                    f"the registry knows no state of {card.data.benchmark} with the hash {digest[:12]}….",
                )
            )
    elif card.data.sha256 != digest:
        faults.append(
            Fault(
                "unknown-data",
                f"the card names data of the hash {card.data.sha256[:12]}…; the votes are of {digest[:12]}….",
            )
        )
    if card.data.items != len(ballots):
        faults.append(Fault("card", f"the card tells of {card.data.items:,} items; there are {len(ballots):,}."))
    return faults


def _asked(submission: Submission) -> list[Fault]:
    """Check that each item was asked about as often as was planned, in the orders that follow from the seed."""
    settings = submission.card.settings
    short, orders, unfinished = [], [], []
    for ballot in submission.ballots:
        wanted = orders_of(ballot.key, ballot.lengths, settings.draws, settings.order, settings.seed)
        given = [(vote.draw, vote.order) for vote in ballot.votes]
        whole = len(given) == len(wanted)
        early = (
            ballot.plan is not None
            and ballot.plan.planned == len(wanted)
            and ballot.plan.certain <= len(given) <= len(wanted)
        )
        if not whole and not early:
            short.append(ballot.key)
        elif given != wanted[: len(given)]:
            orders.append(ballot.key)
        elif ballot.unfinished:
            unfinished.append(ballot.key)
    faults = []
    if short:
        faults.append(
            Fault(
                "votes-missing",
                f"{len(short):,} items have other numbers of votes than K = {settings.draws} in {settings.order} order (first: {short[0]}).",
            )
        )
    if orders:
        faults.append(
            Fault(
                "orders",
                f"{len(orders):,} items were not shown in the orders that seed {settings.seed} gives (first: {orders[0]}).",
            )
        )
    if unfinished:
        faults.append(
            Fault(
                "unfinished",
                f"{len(unfinished):,} items lack votes that could change their decision (first: {unfinished[0]}).",
            )
        )
    return faults


def _vote_again(vote: Vote, ballot: Ballot, known: Reader) -> Vote:
    again = known.vote(vote.draw, vote.order, answered(vote), ballot.preferred)
    return replace(again, tokens=vote.tokens)


def _read_again(submission: Submission, known: Reader) -> list[Fault]:
    wrong = [
        (ballot, vote, again)
        for ballot in submission.ballots
        for vote in ballot.votes
        if (again := _vote_again(vote, ballot, known)) != vote
    ]
    if not wrong:
        return []
    ballot, vote, again = wrong[0]
    return [
        Fault(
            "verdicts",
            f"{len(wrong):,} votes are not what their texts say; first: {ballot.id} draw {vote.draw}, {_told(vote)} claimed, {_told(again)} read from {vote.text[-80:]!r}.",
        )
    ]


def _told(vote: Vote) -> str:
    said = vote.outcome if vote.score is None else f"{vote.score:g}"
    return f"{said} for {vote.choice} ({vote.reading})"


def _scores(submission: Submission, registry: Registry, known: Reader) -> list[Fault]:
    """Compare every claimed number with what follows from the texts. Intervals may differ by what numpy versions do."""
    ballots = [
        replace(ballot, origin=known.origin, votes=tuple(_vote_again(vote, ballot, known) for vote in ballot.votes))
        for ballot in submission.ballots
    ]
    scores = score_ballots(ballots, log_metrics(Log(submission.path, "submission", ballots), registry))
    wrong = [
        f"{name} {_claim(submission.claimed.get(name))}, recomputed {_claim(score_record(score))}"
        for name, score in scores.items()
        if not _same(submission.claimed.get(name), score)
    ]
    wrong += [f"{name} is no metric of this benchmark" for name in submission.claimed if name not in scores]
    if not wrong:
        return []
    return [
        Fault(
            "scores",
            f"{len(wrong):,} numbers are not those of the votes: {'; '.join(wrong[:3])}{' …' if len(wrong) > 3 else ''}.",
        )
    ]


def _claim(record: Any) -> str:
    if not isinstance(record, Mapping):
        return "missing"
    return ", ".join(f"{key} {value}" for key, value in record.items())


def _same(claimed: Any, score: Score) -> bool:
    if not isinstance(claimed, Mapping):
        return False
    wanted = score_record(score)
    if claimed.keys() != wanted.keys() or claimed["n"] != wanted["n"]:
        return False
    if not _close(claimed["value"], wanted["value"], 1e-9):
        return False
    if "interval" not in wanted:
        return True
    given = claimed["interval"]
    return (
        isinstance(given, list)
        and len(given) == 2
        and all(_close(a, b, 0.002) for a, b in zip(given, wanted["interval"], strict=True))
    )


def _close(a: Any, b: Any, tolerance: float) -> bool:
    if a is None or b is None:
        return a is b
    return isinstance(a, (int, float)) and not isinstance(a, bool) and math.isfinite(a) and abs(a - b) <= tolerance
