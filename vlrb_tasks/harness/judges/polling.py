"""Polling: from the requests of judge tasks to answers, through a journal, a stopping rule and a budget."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts, unwrap_generation_output
from loguru import logger
from tqdm import tqdm

from ...core.stopping import further_votes
from ...core.verdicts import NOT_DRAWN, is_failure
from ...core.voting import Vote, ballot, reported_choices
from ...votes.journal import Journal
from ...votes.journal_records import Answered, VoteKey
from ..exit_code import ExitCode
from .vote_settings import VoteSettings, VoteStopping

Ask = Callable[[list[Instance]], Sequence[Any]]


@dataclass(slots=True)
class Draw:
    """One vote that may be asked for: the requests that it takes (several, for likelihoods), and their answers."""

    places: list[int]
    requests: list[Instance]
    answers: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """For each request the hashes of what it asks; empty without a journal."""


@dataclass(slots=True)
class Poll:
    """An item on its way: its draws in order, how many were asked for, and the votes so far."""

    judge: Any
    draws: list[Draw]
    asked: int = 0
    votes: list[Vote] = field(default_factory=list)

    @property
    def waiting(self) -> bool:
        """Whether draws that were asked for have not been answered yet."""
        return len(self.votes) < self.asked

    def next(self, stopping: VoteStopping) -> list[Draw]:
        """Return the draws to ask for now; none where the ballot is decided, or all are drawn."""
        planned = len(self.draws)
        rules = reported_choices(self.judge.reader.origin.family, self.votes)
        further = further_votes(rules, planned, stopping.error) if stopping.early and rules else planned - self.asked
        wanted = self.draws[self.asked : self.asked + further]
        self.asked += len(wanted)
        return wanted

    def read(self, draw: Draw) -> Vote:
        """Read a draw whose answers have come."""
        texts = [unwrap_generation_output(answer)[0] for answer in draw.answers]
        vote: Vote = self.judge.read_draw(draw.requests, texts)
        self.votes.append(vote)
        return vote


class Voting:
    """Answers requests: from the journal where it can, from the inner adapter where it must, and not where it need not."""

    def __init__(
        self, inner: Any, settings: VoteSettings, identity: dict[str, Any], exit_code: ExitCode | None
    ) -> None:
        self.inner, self.settings, self.identity, self.exit_code = inner, settings, identity, exit_code
        self.stopping = settings.stopping
        self.new = self.old = self.left_out = self.not_reached = self.failed = self.tokens = 0
        self._journal: Journal | None = None
        self._pictures: dict[tuple[str, int], str] = {}
        self._settings: dict[str, str] = {}

    def answering(self, ask: Ask) -> Ask:
        """Return what answers requests in the place of a method of the inner adapter."""

        def answer(requests: list[Instance]) -> Sequence[Any]:
            try:
                answers = self._answers(ask, requests)
            except BaseException:
                if self.exit_code is not None and self.inner.world_size > 1:
                    self.exit_code.abandon()
                raise
            finally:
                if self._journal is not None:
                    self._journal.close()
                    self._journal = None
                    self._settings.clear()
            self._end()
            return answers

        return answer

    # -- one call of the evaluator -------------------------------------------------------------------

    def _answers(self, ask: Ask, requests: list[Instance]) -> list[Any]:
        answers: list[Any] = [NOT_DRAWN] * len(requests)
        others = [i for i, request in enumerate(requests) if "judge" not in (request.metadata or {})]
        if others:
            for i, answer in zip(others, ask([requests[i] for i in others]), strict=True):
                answers[i] = answer
        polls = self._polls(requests)
        if polls and self.settings.journal is not None and self._journal is None:
            self._journal = Journal(Path(self.settings.journal), self.identity, self.inner.rank)
            for name, count in self._journal.loaded.damaged.items():
                logger.warning(
                    f"{self._journal.folder / name}: {count} damaged lines are left out; their votes are asked again."
                )
        total = sum(len(poll.draws) for poll in polls)
        with tqdm(
            total=total, desc="votes", unit="vote", disable=self.inner.rank != 0 or not polls, file=sys.stderr
        ) as bar:
            self._poll(ask, polls, _Progress(bar, len(polls)))
        for draw in (draw for poll in polls for draw in poll.draws):
            for place, answer in zip(draw.places, draw.answers, strict=False):
                answers[place] = answer
        return answers

    def _polls(self, requests: list[Instance]) -> list[Poll]:
        """Return the items that requests are about; what pads a rank is about none."""
        polls: dict[tuple[str, int], Poll] = {}
        draws: dict[tuple[str, int, int, tuple[int, ...]], Draw] = {}
        for place, request in enumerate(requests):
            facts = request.metadata or {}
            if "judge" not in facts or facts.get("__padding_only__"):
                continue
            judgment, item = facts["judgment"], (facts["judge"].config.task, request.doc["index"])
            key = (*item, judgment.draw, judgment.order)
            if key not in draws:
                draws[key] = Draw([], [])
                polls.setdefault(item, Poll(facts["judge"], [])).draws.append(draws[key])
            draws[key].places.append(place)
            draws[key].requests.append(request)
        return list(polls.values())

    def _poll(self, ask: Ask, polls: list[Poll], progress: _Progress) -> None:
        queue: deque[tuple[Poll, Draw]] = deque()
        for poll in polls:
            self._advance(poll, queue, progress)
        size = self.settings.chunk or _batch_size(self.inner)
        while queue and not self._spent():
            room = (
                size if self.settings.max_votes is None else min(size, self._share(self.settings.max_votes) - self.new)
            )
            batch = [queue.popleft() for _ in range(min(room, len(queue)))]
            asked = [request for _, draw in batch for request in draw.requests]
            with _quiet():
                answers = list(ask(asked))
            if len(answers) != len(asked):
                raise ValueError(
                    f"vote_judge: {type(self.inner).__name__} gave {len(answers)} answers to {len(asked)} requests."
                )
            for _, draw in batch:
                draw.answers, answers = answers[: len(draw.requests)], answers[len(draw.requests) :]
            self._keep(batch)
            for poll, draw in batch:
                vote = poll.read(draw)
                draw.asked = []
                self.new += 1
                self.failed += vote.outcome == "failed"
                progress.voted()
                if not poll.waiting:
                    self._advance(poll, queue, progress)
        self.not_reached += len(queue)

    def _advance(self, poll: Poll, queue: deque[tuple[Poll, Draw]], progress: _Progress) -> None:
        """Ask for an item's next draws: those that are in the journal are answered, the others wait their turn."""
        while not poll.waiting:
            wanted = poll.next(self.stopping)
            if not wanted:
                self.left_out += len(poll.draws) - poll.asked
                progress.decided(poll, len(poll.draws) - poll.asked)
                return
            for draw in wanted:
                if self._recall(draw):
                    poll.read(draw)
                    self.old += 1
                    progress.voted()
                else:
                    queue.append((poll, draw))

    # -- the journal ---------------------------------------------------------------------------------

    def _recall(self, draw: Draw) -> bool:
        """Answer a draw from the journal, if it is there."""
        if self._journal is None:
            return False
        draw.asked = [self._asked(request) for request in draw.requests]
        found = []
        for request, asked in zip(draw.requests, draw.asked, strict=True):
            answered = self._journal.answer(_key(request), asked)
            if answered is None:
                return False
            found.append(answered)
        draw.answers = [_result(answered) for answered in found]
        return True

    def _keep(self, batch: list[tuple[Poll, Draw]]) -> None:
        records = []
        for _, draw in batch:
            for i, (request, answer) in enumerate(zip(draw.requests, draw.answers, strict=True)):
                text, counts = unwrap_generation_output(answer)
                tokens = None if counts is None else (counts.input_tokens or 0, counts.output_tokens or 0)
                self.tokens += sum(tokens) if tokens else (len(request.args[0]) + len(str(text))) // 4
                if self._journal is not None:
                    failed = text is None or is_failure(text)
                    records.append((_key(request), Answered(str(text), draw.asked[i], tokens, failed)))
        if self._journal is not None:
            self._journal.add(records)

    def _asked(self, request: Instance) -> str:
        """Return short hashes of a request's text, of its pictures and of its settings."""
        judge = request.metadata["judge"]
        task = str(judge.config.task)
        if task not in self._settings:
            asked_with = judge.asked_with()
            assert self._journal is not None
            self._journal.task(task, asked_with)
            self._settings[task] = _hash(json.dumps(asked_with, sort_keys=True))
        item = (task, request.doc["index"])
        if item not in self._pictures:
            if len(self._pictures) > 64:
                self._pictures.clear()
            self._pictures[item] = judge.image_hash(request.doc["index"])
        return ".".join((_hash(request.args[0]), self._pictures[item], self._settings[task]))

    # -- budget and end ------------------------------------------------------------------------------

    def _share(self, budget: int) -> int:
        return max(1, budget // int(self.inner.world_size))

    def _spent(self) -> bool:
        votes, tokens = self.settings.max_votes, self.settings.max_tokens
        return (votes is not None and self.new >= self._share(votes)) or (
            tokens is not None and self.tokens >= self._share(tokens)
        )

    def _end(self) -> None:
        asked = self.new + self.old
        if asked and self.inner.rank == 0:
            parts = [
                f"{self.new:,} votes asked",
                f"{self.old:,} taken from the journal",
                f"{self.left_out:,} left out since nothing could change",
            ]
            print(f"vote_judge: {', '.join(parts)}; about {self.tokens:,} tokens.", file=sys.stderr)
        if self.exit_code is None:
            return
        if self.not_reached:
            budget = (
                f"max_votes={self.settings.max_votes}"
                if self.settings.max_votes
                else f"max_tokens={self.settings.max_tokens}"
            )
            kept = "those that were drawn are in the journal: run the same command again to go on"
            if self.settings.journal is None:
                kept = "without journal= those that were drawn are lost"
            self.exit_code.failed(f"{budget} is spent and {self.not_reached:,} votes are missing; {kept}.")
        elif asked and self.failed / asked > float(self.settings.allow_failed):
            self.exit_code.failed(
                f"{self.failed:,} of {asked:,} votes failed, more than allow_failed={self.settings.allow_failed}; run the same command again to ask them again."
            )
        else:
            self.exit_code.fine()


class _Progress:
    """A bar of votes, with items decided and the accuracy so far."""

    def __init__(self, bar: Any, items: int) -> None:
        self.bar, self.items = bar, items
        self.done = self.right = self.counted = 0

    def voted(self) -> None:
        self.bar.update()

    def decided(self, poll: Poll, left_out: int) -> None:
        self.done += 1
        self.bar.update(left_out)
        request = poll.draws[0].requests[0]
        item = request.metadata["judgment"].item
        if item.preferred is not None and reported_choices(poll.judge.reader.origin.family, ()):
            found = ballot(item, poll.votes, poll.judge.reader.origin, poll.judge.plan)
            self.counted += 1
            self.right += found.decision == item.preferred
        accuracy = f", accuracy {self.right / self.counted:.3f}" if self.counted else ""
        self.bar.set_postfix_str(f"{self.done}/{self.items} items{accuracy}", refresh=False)


def _key(request: Instance) -> VoteKey:
    judgment = request.metadata["judgment"]
    answer = request.metadata["answer"] or ""
    return VoteKey(
        str(request.metadata["judge"].config.task), judgment.item.key, judgment.draw, tuple(judgment.order), answer
    )


def _result(answered: Answered) -> Any:
    if answered.tokens is None:
        return answered.text
    return GenerationResult(
        answered.text, TokenCounts(input_tokens=answered.tokens[0], output_tokens=answered.tokens[1])
    )


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _batch_size(inner: Any) -> int:
    """Return how many requests an adapter answers at once: its batch size or its concurrency."""
    sizes = [getattr(inner, name, None) for name in ("batch_size", "batch_size_per_gpu", "num_concurrent")]
    known: list[int] = [size for size in sizes if isinstance(size, int)]
    return max([1, *known])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep an adapter's own bars from the screen; they are shown if it fails."""
    kept = io.StringIO()
    try:
        with contextlib.redirect_stderr(kept):
            yield
    except BaseException:
        sys.stderr.write(kept.getvalue()[-10_000:])
        raise
