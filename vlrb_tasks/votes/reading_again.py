"""Reading the texts of a log again, with another parser or with this version's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.parsing import parse_official
from ..core.voting import Ballot, Vote, family_mode
from ..registry.casting import OFFICIAL, cast, reads_officially
from ..registry.index import Registry
from ..registry.prompts import Prompt
from .errors import LogError
from .logs import Log


@dataclass(frozen=True)
class Change:
    """A vote that another parser reads differently."""

    ballot: Ballot
    before: Vote
    after: Vote


def parser_named(name: str, registry: Registry) -> Prompt | None:
    """Return the prompt whose parser a name means; ``None`` for the benchmark's own parser.

    Raises:
        RegistryError: there is neither.
    """
    return None if name == OFFICIAL else registry.prompt(name)


def answered(vote: Vote) -> str | None:
    """Return what a judge answered: its text, or ``None`` for a request that failed without one."""
    return None if vote.outcome == "failed" and not vote.text else vote.text


def _said(vote: Vote) -> tuple[object, ...]:
    return vote.outcome, vote.score, vote.ranking


def read_again(log: Log, name: str, registry: Registry) -> tuple[Log, list[Change]]:
    """Read the raw texts of a log with the parser of another prompt.

    Returns:
        The log with new verdicts and votes, and the votes whose verdict changed.

    Raises:
        LogError: the log keeps no texts.
    """
    prompt = parser_named(name, registry)
    mode = family_mode(log.origin.family)
    if prompt is not None and prompt.mode != mode:
        raise LogError(f"--parser: got {name!r}, a {prompt.mode} prompt; expected a {mode} one. Fix: see `vlrb list`.")
    if not any(vote.text for b in log.ballots for vote in b.votes):
        raise LogError(f"{log.path}: keeps no texts of the judge. Fix: --parser needs a log with raw outputs.")
    known = registry.benchmarks.get(log.origin.benchmark)
    official = prompt is None or (known is not None and reads_officially(known, prompt))
    label = name if prompt is None else f"{prompt.identity}"
    origin = replace(log.origin, rule=OFFICIAL if official else f"parser of {label}")
    ballots, changes = [], []
    for old in log.ballots:
        votes = []
        for vote in old.votes:
            text = answered(vote)
            verdict = parse_official(text) if prompt is None else prompt.read(text)
            again = cast(vote.draw, vote.order, text, verdict, old.preferred, official)
            votes.append(replace(again, tokens=vote.tokens))
            if _said(votes[-1]) != _said(vote):
                changes.append(Change(old, vote, votes[-1]))
        ballots.append(replace(old, votes=tuple(votes), origin=origin))
    return replace(log, ballots=ballots), changes
