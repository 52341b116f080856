"""What a submission consists of: three files in a folder.

- ``submission.json``: the run card: which judge, which prompt, which data, how it was run;
- ``votes.jsonl.gz``: a ballot a line, as sample logs hold them;
- ``results.json``: every metric with its value, n, and interval.
"""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from ...core.ordering import OrderPolicy
from ...core.records import ballot_from_record
from ...core.scoring import Score, or_null
from ...core.voting import Ballot
from ...data.json_lines import JsonLineError, json_lines
from ...registry.fields import Strict
from ..errors import SubmissionError

CARD, VOTES, RESULTS = "submission.json", "votes.jsonl.gz", "results.json"
_MOST = 2**31  # bytes that votes may unpack to


class PromptFacts(Strict):
    """The prompt that was asked with."""

    id: str
    version: int
    sha256: str
    variables: dict[str, Any] = Field(default_factory=dict)


class DataFacts(Strict):
    """The data that were judged; ``sha256`` is that of ``items_digest``."""

    benchmark: str
    items: int
    sha256: str
    source: str = ""
    revision: str | None = None
    fingerprint: str = ""


class SettingFacts(Strict):
    """How the judge was asked."""

    task: str
    draws: int = Field(ge=1)
    order: OrderPolicy
    seed: int
    average: Literal["mean", "median"] = "mean"
    generation: dict[str, Any] = Field(default_factory=dict)
    limit: float | None = None


class RunCard(Strict):
    """``submission.json``.

    Attributes:
        model_name: what the judge is called in tables.
        adapter: the lmms-eval adapter, with ``model_args`` as it was given them.
        rule: what read the texts for the official numbers.
        votes: how many, of which ``tokens`` were taken, where the adapter counts.
    """

    format: Literal[1] = 1
    model_name: str = Field(min_length=1, max_length=120)
    model_url: str | None = None
    model_revision: str | None = None
    adapter: str
    model_args: str = ""
    prompt: PromptFacts
    data: DataFacts
    settings: SettingFacts
    rule: str
    votes: int
    tokens: int = 0
    date: str = ""
    seconds: float | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    hardware: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission as it was read, claims and all."""

    path: Path
    card: RunCard
    ballots: list[Ballot]
    claimed: dict[str, Any]


def read_submission(folder: Path) -> Submission:
    """Read the three files.

    Raises:
        SubmissionError: one is missing or broken, or holds what it should not.
    """
    if not folder.is_dir():
        raise SubmissionError(f"{folder}: no such folder. Fix: name the folder that `vlrb submit pack` wrote.")
    card_content, claimed = _json(folder / CARD), _json(folder / RESULTS)
    try:
        card = RunCard.model_validate(card_content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise SubmissionError(f"{folder / CARD} {where}: {first['msg']}. Fix: pack the run again.") from error
    if not isinstance(claimed, dict):
        raise SubmissionError(f"{folder / RESULTS}: expected an object of metrics. Fix: pack the run again.")
    return Submission(folder, card, _ballots(folder / VOTES), claimed)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be read: {error.strerror}. Fix: pack the run again.") from error
    except ValueError as error:
        raise SubmissionError(f"{path}: is no JSON: {error}. Fix: pack the run again.") from error


def _ballots(path: Path) -> list[Ballot]:
    try:
        with gzip.open(path, "rb") as stream:
            text = stream.read(_MOST).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise SubmissionError(f"{path}: cannot be read: {error}. Fix: pack the run again.") from error
    ballots = []
    try:
        for number, record in json_lines(text):
            try:
                ballots.append(ballot_from_record(record))
            except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
                raise SubmissionError(f"{path}:{number} is no ballot: {error}. Fix: pack the run again.") from error
    except JsonLineError as error:
        raise SubmissionError(f"{path}:{error.line} is no ballot: {error.reason}. Fix: pack the run again.") from error
    if not ballots:
        raise SubmissionError(f"{path}: holds no votes. Fix: pack the run again.")
    return ballots


def score_record(score: Score) -> dict[str, Any]:
    """Return a score as ``results.json`` has it; NaN is ``null``."""
    interval = None if score.interval is None else [or_null(end) for end in score.interval]
    return {"value": or_null(score.value), "n": score.n, **({} if interval is None else {"interval": interval})}
