"""Packing: from a run to a submission."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ...core.records import ballot_record, items_digest
from ..errors import SubmissionError
from ..runs import Run
from .checking import faults_of
from .form import CARD, RESULTS, VOTES, DataFacts, PromptFacts, RunCard, SettingFacts, read_submission, score_record


@dataclass(frozen=True)
class About:
    """What the log does not tell: what the judge is called, where it is, and its revision."""

    model_name: str
    model_url: str | None = None
    model_revision: str | None = None


def pack(run: Run, about: About, output: Path) -> list[Path]:
    """Write the submission of a run and return its files.

    It is checked as ``vlrb submit validate`` will check it; nothing is written that would be rejected.

    Raises:
        SubmissionError: the run cannot be submitted; the message has all reasons.
    """
    if output.exists() and any(output.iterdir()):
        raise SubmissionError(f"{output}: is not empty. Fix: name a new folder.")
    files = _files(run, about)
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            (Path(place) / name).write_bytes(content)
        faults = faults_of(read_submission(Path(place)), run.registry)
    if faults:
        reasons = "\n".join(f"  {fault}" for fault in faults)
        raise SubmissionError(f"{run.log.path}: not to be submitted:\n{reasons}")
    output.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (output / name).write_bytes(content)
    return [output / name for name in files]


def _files(run: Run, about: About) -> dict[str, bytes]:
    card = _card(run, about)
    ballots = sorted(run.log.ballots, key=lambda ballot: ballot.key)
    lines = "".join(json.dumps(ballot_record(b), ensure_ascii=False) + "\n" for b in ballots)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:  # the same votes, the same bytes
        stream.write(lines.encode())
    results = {name: score_record(score) for name, score in run.scores.items()}
    return {
        CARD: (card.model_dump_json(indent=2) + "\n").encode(),
        VOTES: packed.getvalue(),
        RESULTS: (json.dumps(results, indent=1, allow_nan=False) + "\n").encode(),
    }


def _source(run: Run) -> str:
    """Return where the data are to be had, whoever asks: no path of this machine."""
    known = run.registry.benchmarks.get(run.log.origin.benchmark)
    if known is None:
        return ""
    return known.dataset.hub or ("drawn by vlrb-tasks" if known.dataset.embedded else "a local file")


def _card(run: Run, about: About) -> RunCard:
    facts, origin = run.facts, run.log.origin
    if facts is None or not facts.prompt_sha256:
        raise SubmissionError(
            f"{run.log.path}: no results file of lmms-eval beside it tells how the run was made. Fix: keep both files of --output_path together."
        )
    id, _, version = origin.prompt.partition("@")
    number = version.partition("(")[0]
    if not number.isdigit():
        raise SubmissionError(
            f"{run.log.path}: prompt {origin.prompt!r} names no version. Fix: judge again with this version of vlrb-tasks."
        )
    return RunCard(
        model_name=about.model_name,
        model_url=about.model_url,
        model_revision=about.model_revision or facts.revision,
        adapter=facts.model,
        model_args=facts.model_args,
        prompt=PromptFacts(id=id, version=int(number), sha256=facts.prompt_sha256, variables=dict(facts.variables)),
        data=DataFacts(
            benchmark=origin.benchmark,
            items=len(run.log.ballots),
            sha256=items_digest(run.log.ballots),
            source=_source(run),
            revision=facts.data_revision,
            fingerprint=facts.data_fingerprint,
        ),
        settings=SettingFacts(
            task=facts.task,
            draws=facts.draws,
            order=facts.order,  # type: ignore[arg-type]  # pydantic checks it
            seed=facts.seed,
            average=origin.average,
            generation=dict(facts.settings),
            limit=facts.limit,
        ),
        rule=origin.rule,
        votes=sum(len(ballot.votes) for ballot in run.log.ballots),
        tokens=run.tokens,
        date=facts.date,
        seconds=facts.seconds,
        versions=dict(facts.versions),
        hardware=facts.hardware,
    )
