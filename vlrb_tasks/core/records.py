"""Records: a ballot as JSON, as a sample log holds it, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, get_args

from .stopping import Plan
from .verdicts import OUTCOMES
from .voting import Ballot, Origin, Reading, Vote


def ballot_record(ballot: Ballot) -> dict[str, Any]:
    """Return a ballot as plain JSON: once per vote its draw, order, text, verdict and vote.

    ``vote`` is the index of the response voted for, ``"tie"``, or ``null``. ``preferred`` is an index or ``null``.
    """
    return {
        "key": ballot.key,
        "id": ballot.id,
        "group": ballot.group,
        "preferred": ballot.preferred,
        "lengths": list(ballot.lengths),
        "tags": list(ballot.tags),
        "benchmark": ballot.origin.benchmark,
        "prompt": ballot.origin.prompt,
        "rule": ballot.origin.rule,
        **({} if ballot.origin.family == "pairwise" else _further(ballot)),
        **({} if ballot.plan is None else {"plan": asdict(ballot.plan)}),
        "votes": [
            {
                "draw": vote.draw,
                "order": list(vote.order),
                "text": vote.text,
                "verdict": vote.outcome,
                "span": None if vote.span is None else list(vote.span),
                "vote": "tie" if vote.outcome == "tie" else vote.choice,
                "reading": vote.reading,
                **({} if vote.score is None else {"score": vote.score}),
                **({} if vote.ranking is None else {"ranking": list(vote.ranking)}),
                **({} if vote.shares is None else {"shares": list(vote.shares)}),
                **({} if vote.tokens is None else {"tokens": list(vote.tokens)}),
            }
            for vote in ballot.votes
        ],
    }


def _further(ballot: Ballot) -> dict[str, Any]:
    """Return the fields that only some families have."""
    return {
        "family": ballot.origin.family,
        "average": ballot.origin.average,
        "score": ballot.score,
        "ranking": None if ballot.ranking is None else list(ballot.ranking),
        "models": list(ballot.models),
    }


def items_digest(ballots: Iterable[Ballot]) -> str:
    """Return a SHA-256 of what is judged, whatever is voted: keys, references, domains, lengths and tags.

    Two runs have the same one if they judged the same items with the same labels, in any order.
    """
    parts = sorted(
        json.dumps(
            [b.key, b.id, b.group, b.preferred, b.lengths, b.tags, b.score, b.ranking, b.models], ensure_ascii=True
        )
        for b in ballots
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def ballot_from_record(record: Mapping[str, Any]) -> Ballot:
    """Return the ballot of a record.

    Raises:
        ValueError: a field is missing or holds what no ballot can hold.
    """
    try:
        return Ballot(
            key=str(record["key"]),
            id=str(record["id"]),
            group=str(record["group"]),
            preferred=record["preferred"],
            lengths=tuple(record["lengths"]),
            tags=tuple(record["tags"]),
            votes=tuple(_vote(vote) for vote in record["votes"]),
            origin=Origin(
                str(record["benchmark"]),
                str(record["prompt"]),
                str(record["rule"]),
                record.get("family", "pairwise"),
                record.get("average", "mean"),
            ),
            score=record.get("score"),
            ranking=None if record.get("ranking") is None else tuple(record["ranking"]),
            models=tuple(record.get("models", ())),
            plan=None if record.get("plan") is None else Plan(**record["plan"]),
        )
    except KeyError as error:
        raise ValueError(f"a ballot without {error}") from error
    except TypeError as error:
        raise ValueError(f"plan: {error}") from error


def _vote(record: Mapping[str, Any]) -> Vote:
    if record["verdict"] not in OUTCOMES:
        raise ValueError(f"verdict: got {record['verdict']!r}; expected one of {', '.join(OUTCOMES)}")
    if record["reading"] not in get_args(Reading):
        raise ValueError(f"reading: got {record['reading']!r}; expected one of {', '.join(get_args(Reading))}")
    order = tuple(record["order"])
    if sorted(order) != list(range(len(order))):
        raise ValueError(f"order: got {record['order']!r}; expected each response once")
    return Vote(
        draw=record["draw"],
        order=order,
        text=record["text"],
        outcome=record["verdict"],
        span=None if record["span"] is None else (record["span"][0], record["span"][1]),
        choice=None if record["vote"] == "tie" else record["vote"],
        reading=record["reading"],
        score=record.get("score"),
        ranking=None if record.get("ranking") is None else tuple(record["ranking"]),
        tokens=None if record.get("tokens") is None else (record["tokens"][0], record["tokens"][1]),
        shares=None if record.get("shares") is None else (record["shares"][0], record["shares"][1]),
    )
