"""The arguments of vote_judge, and when votes are left out."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.scoring import FAILED_LIMIT
from ...core.stopping import Plan, further_votes
from ...core.voting import Family, reported_choices


@dataclass(frozen=True)
class VoteStopping:
    """When votes are left out.

    Attributes:
        early: an item is asked only while further votes can change what its ballot decides.
        error: the accepted chance that a decision differs from that of all votes; ``None`` for none.
        limited: a budget may end the run before all votes are drawn.
    """

    early: bool = False
    error: float | None = None
    limited: bool = False

    def plan(self, family: Family, planned: int) -> Plan | None:
        """Return the plan of the ballots of a task, for ``planned`` votes an item; ``None`` where all are drawn."""
        rules = reported_choices(family, ())
        if self.early and rules:
            certain = further_votes(rules, planned, self.error)
            return Plan(planned, certain, "exact" if self.error is None else "confidence")
        return Plan(planned, planned) if self.limited else None


@dataclass(frozen=True)
class VoteSettings:
    """The arguments of ``vote_judge``.

    Attributes:
        journal: the folder of the journal; none is kept without one.
        early_stop: leave out votes that cannot change a decision.
        stop: ``exact``, or ``confidence``: also leave out votes that are unlikely to.
        error: for ``stop=confidence``, the accepted chance that a decision differs from that of all votes, in (0, 0.5).
        chunk: how many votes are asked at once, by default the adapter's batch size or concurrency.
        max_votes: stop after as many new votes; ``max_tokens`` after as many tokens, prompts included.
        allow_failed: the share of failed votes above which the exit code is 1, in [0, 1].
    """

    journal: str | None = None
    early_stop: bool = False
    stop: str = "exact"
    error: float = 0.05
    chunk: int | None = None
    max_votes: int | None = None
    max_tokens: int | None = None
    allow_failed: float = FAILED_LIMIT

    def __post_init__(self) -> None:
        def refuse(name: str, expected: str) -> None:
            raise ValueError(f"vote_judge {name}: got {getattr(self, name)!r}; expected {expected}.")

        if self.stop not in ("exact", "confidence"):
            refuse("stop", "exact or confidence")
        if not isinstance(self.early_stop, bool):
            refuse("early_stop", "true or false")
        if not 0 < float(self.error) < 0.5:
            refuse("error", "a chance between 0 and 0.5")
        if not 0 <= float(self.allow_failed) <= 1:
            refuse("allow_failed", "a share between 0 and 1")
        for name in ("chunk", "max_votes", "max_tokens"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                refuse(name, "a whole number, at least 1")

    @property
    def stopping(self) -> VoteStopping:
        """When votes are left out."""
        confident = self.stop == "confidence"
        limited = self.max_votes is not None or self.max_tokens is not None
        return VoteStopping(self.early_stop or confident, self.error if confident else None, limited)
