"""What others take: a model card's results, files for leaderboards, and rows of other tools' tables."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..core.scoring import Score
from ..registry.benchmarks import Benchmark
from ..registry.index import Registry
from ..votes.errors import SubmissionError
from ..votes.logs import Log, score_log
from ..votes.submission.form import Submission
from .publishing import MAIN

FORMATS = ("lmms-eval", "vlmevalkit", "leaderboard")


def submission_log(submission: Submission) -> Log:
    """Return the votes of a submission as a log."""
    return Log(submission.path, "submission", submission.ballots)


def model_card(submission: Submission, registry: Registry, existing: str | None = None) -> str:
    """Return a model card whose ``model-index`` holds the scores; other parts of an existing card stay as they are.

    Results of other data sets stay, those of this one are replaced.
    """
    from huggingface_hub import EvalResult, ModelCard, ModelCardData
    from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

    card = ModelCard(existing, ignore_metadata_errors=False) if existing is not None else None
    benchmark, family, scores = _scored(submission, registry)
    name = submission.card.model_name
    ours = [
        EvalResult(
            task_type="image-text-to-text",
            dataset_type=benchmark.dataset.hub or submission.card.data.benchmark,
            dataset_name=benchmark.title,
            dataset_split=benchmark.dataset.split,
            dataset_revision=submission.card.data.revision,
            metric_type=metric,
            metric_name=_metric_name(metric),
            metric_value=round(scores[metric].value, 4),
            task_name="Judging responses to questions about images",
        )
        for metric in _headline(family, scores)
    ]
    if card is None:
        data = ModelCardData(model_name=name, eval_results=ours)
        content = f"# {name}\n\n{_words(submission, benchmark, scores, family)}\n"
        return f"---\n{data.to_yaml()}\n---\n\n{content}"
    metadata = card.data.to_dict()  # type: ignore[no-untyped-call]
    others: list[Any] = []
    if metadata.get("model-index"):
        _, found = model_index_to_eval_results(metadata["model-index"])
        others = [one for one in found if one.dataset_type != ours[0].dataset_type]
    metadata["model-index"] = eval_results_to_model_index(metadata.get("model_name", name), [*others, *ours])
    front = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True).strip()
    return f"---\n{front}\n---\n{card.text}"


def eval_results_yaml(submission: Submission, registry: Registry) -> str:
    """Return the file that goes into a model's repository as ``.eval_results/NAME.yaml``, for the data set's leaderboard.

    Raises:
        SubmissionError: the benchmark is no data set of the hub, or huggingface_hub is too old.
    """
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as error:
        raise SubmissionError(
            "this huggingface_hub knows no .eval_results. Fix: pip install -U huggingface_hub."
        ) from error
    benchmark, family, scores = _scored(submission, registry)
    if benchmark.dataset.hub is None:
        raise SubmissionError(
            f"{submission.card.data.benchmark} is no data set of the hub, so it has no leaderboard there. Fix: none."
        )
    date = submission.card.date
    entries = [
        EvalResultEntry(
            dataset_id=benchmark.dataset.hub,
            task_id=metric,
            value=round(100 * scores[metric].value, 2),
            dataset_revision=submission.card.data.revision,
            date=f"{date[:4]}-{date[4:6]}-{date[6:8]}" if date[:8].isdigit() else None,
            notes=f"prompt {submission.card.prompt.id}@{submission.card.prompt.version}, K = {submission.card.settings.draws}",
        )
        for metric in _headline(family, scores)
    ]
    return str(yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False))


def exported(submission: Submission, registry: Registry, form: str) -> str:
    """Return the scores in the form of another tool.

    Args:
        submission: an honest one.
        registry: the registry.
        form: ``lmms-eval``: the Markdown table that it prints. ``vlmevalkit``: the score file (CSV) of its
            VL-RewardBench. ``leaderboard``: the JSON of a results data set as Hugging Face's leaderboard
            template reads it.

    Raises:
        SubmissionError: the form is unknown, or not made for this benchmark.
    """
    forms: Mapping[str, Callable[[Submission, Registry], str]] = {
        "lmms-eval": _lmms_eval,
        "vlmevalkit": _vlmevalkit,
        "leaderboard": _leaderboard,
    }
    if form not in forms:
        raise SubmissionError(f"--format: got {form!r}; expected one of {', '.join(FORMATS)}. Fix: choose one.")
    return forms[form](submission, registry)


def _lmms_eval(submission: Submission, registry: Registry) -> str:
    _, _, scores = _scored(submission, registry)
    lines = [
        "|Tasks|Version|Filter|n-shot|Metric|   |Value|   |Stderr|",
        "|---|------:|------|-----:|------|---|----:|---|------|",
    ]
    task = submission.card.settings.task
    for number, (name, score) in enumerate(sorted(scores.items())):
        value = "-" if math.isnan(score.value) else f"{score.value:.4f}"
        lines.append(
            f"|{task if number == 0 else ''}|{'Yaml' if number == 0 else ''}|none|{0 if number == 0 else ''}|{name}||{value}|±|N/A|"
        )
    return "\n".join(lines) + "\n"


def _vlmevalkit(submission: Submission, registry: Registry) -> str:
    benchmark, _, scores = _scored(submission, registry)
    if benchmark.official != "vlrewardbench":
        raise SubmissionError(
            f"--format vlmevalkit: made for vlrewardbench; this is {submission.card.data.benchmark}. Fix: choose another form."
        )
    out = io.StringIO()
    groups = ("hallucination", "reasoning", "general")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*groups, "Macro Accuracy", "Overall Consistency"])
    writer.writerow(
        [scores[f"accuracy_{g}"].value for g in groups]
        + [scores["macro_accuracy"].value, scores["overall_accuracy"].value]
    )
    return out.getvalue()


def _leaderboard(submission: Submission, registry: Registry) -> str:
    _, _, scores = _scored(submission, registry)
    card = submission.card
    values = {name: score.value for name, score in scores.items() if not math.isnan(score.value)}
    content = {
        "config": {"model_name": card.model_name, "model_sha": card.model_revision or "main", "model_dtype": "auto"},
        "results": {card.settings.task: values},
    }
    return json.dumps(content, indent=2) + "\n"


def _scored(submission: Submission, registry: Registry) -> tuple[Benchmark, str, dict[str, Score]]:
    log = submission_log(submission)
    return registry.benchmark(submission.card.data.benchmark), log.origin.family, score_log(log, registry)


def _headline(family: str, scores: Mapping[str, Score]) -> list[str]:
    official = ["overall_accuracy", "macro_accuracy"] if family == "pairwise" else []
    return [name for name in (*MAIN[family], *official) if not math.isnan(scores[name].value)]


def _metric_name(metric: str) -> str:
    return metric.replace("_", " ").capitalize()


def _words(submission: Submission, benchmark: Benchmark, scores: Mapping[str, Score], family: str) -> str:
    card = submission.card
    told = ", ".join(f"{_metric_name(name)} {scores[name].value:.4f}" for name in _headline(family, scores))
    return (
        f"As a judge on {benchmark.title} ({card.data.items:,} items, K = {card.settings.draws}, prompt {card.prompt.id}@{card.prompt.version}): {told}.\n\n"
        f"Computed from {card.votes:,} saved votes with vlrb-tasks {card.versions.get('vlrb-tasks', '')}."
    )


def write_card(submission: Submission, registry: Registry, output: Path, readme: Path | None) -> list[Path]:
    """Write the model card, and what leaderboards take, into a folder; return the files."""
    files = {
        Path("README.md"): model_card(
            submission, registry, None if readme is None else readme.read_text(encoding="utf-8")
        ),
        Path(f"results_{submission.card.date or 'undated'}.json"): exported(submission, registry, "leaderboard"),
    }
    if registry.benchmark(submission.card.data.benchmark).dataset.hub is not None:
        files[Path(".eval_results") / f"{submission.card.data.benchmark}.yaml"] = eval_results_yaml(
            submission, registry
        )
    for name, content in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(content, encoding="utf-8")
    return [output / name for name in files]
