"""A teacher's reasons: what a judge wrote when it was asked about the same responses by a task of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..core.items import item_key
from ..core.voting import Ballot, Vote
from ..registry.index import Registry
from ..votes.logs import find_logs, read_log
from .judgments import Judgment

_NEAR = 10  # points out of 100 within which a teacher's score agrees with the source's: our choice


@dataclass(frozen=True)
class Taught:
    """Reasons, and what they call each response."""

    reasons: str
    labels: tuple[str, str] | None


class Teacher:
    """The votes of a judge, by item."""

    def __init__(self, ballots: dict[str, Ballot], registry: Registry) -> None:
        self._ballots, self._registry = ballots, registry

    def __len__(self) -> int:
        return len(self._ballots)

    def reasons(self, judgment: Judgment) -> Taught | None:
        """Return the reasons of the first vote that agrees with the judgment: a teacher that is wrong gives reasons too.

        The sentence that tells the verdict is cut out.
        """
        ballot = self._ballots.get(item_key(judgment.id, judgment.question, judgment.responses))
        for vote in ballot.votes if ballot is not None else ():
            text = _without_verdict(vote)
            if text and _agrees(vote, judgment):
                return Taught(text, self._labels(ballot, vote))
        return None

    def _labels(self, ballot: Ballot | None, vote: Vote) -> tuple[str, str] | None:
        """Return what the teacher's prompt calls the first response and the second, wherever they stood."""
        name = "" if ballot is None else ballot.origin.prompt.partition("@")[0]
        if name not in self._registry.prompt_files or len(vote.order) != 2:
            return None
        labels = self._registry.prompt(name).labels
        return labels[vote.order.index(0)], labels[vote.order.index(1)]


def read_teacher(path: Path, registry: Registry) -> Teacher:
    """Read the sample logs of a teacher.

    Raises:
        LogError: there is no log of votes.
    """
    ballots: dict[str, Ballot] = {}
    for file in find_logs(path):
        ballots.update({ballot.key: ballot for ballot in read_log(file, registry).ballots})
    return Teacher(ballots, registry)


def _agrees(vote: Vote, judgment: Judgment) -> bool:
    if judgment.score is not None:
        return vote.score is not None and abs(vote.score - judgment.score) <= _NEAR
    wanted = {"first": 0, "second": 1, "tie": None}[str(judgment.verdict)]
    return vote.choice == wanted and vote.outcome in ("first", "second", "tie")


def _without_verdict(vote: Vote) -> str:
    """Return what a judge wrote beside its verdict: without the sentence, or the line, that tells it."""
    if vote.span is None:
        return vote.text.strip()
    start, end = vote.span
    begin = vote.text.rfind("\n", 0, start) + 1
    stop = vote.text.find("\n", end)
    stop = len(vote.text) if stop < 0 else stop
    begin += max((m.end() for m in re.finditer(r"[.!?]\s+", vote.text[begin:start])), default=0)
    after = re.search(r"[.!?](?:\s|$)", vote.text[end:stop])
    stop = stop if after is None else end + after.end()
    return re.sub(r"\n{3,}", "\n\n", vote.text[:begin] + vote.text[stop:]).strip()
