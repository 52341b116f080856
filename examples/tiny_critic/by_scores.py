"""Choose by scores: a critic that scores single responses judges pairs, the higher of two scores winning.

    python examples/tiny_critic/by_scores.py ask OUT       # the responses of vlrb_scenes one by one, as a task of their own
    lmms-eval --include_path OUT --tasks vlrb_scenes_responses --model ... --log_samples --output_path OUT/scores
    python examples/tiny_critic/by_scores.py pair OUT      # the log of votes that these scores make, in OUT/pairs

Each vote of a pair takes one score of either response. Where both are equal it is a vote for neither.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from vlrb_tasks.core.records import ballot_record
from vlrb_tasks.data.scenes import draw_scene, scene_rows
from vlrb_tasks.environment import registry
from vlrb_tasks.registry.casting import reader_for
from vlrb_tasks.votes.logs import find_logs, read_log

TASK = """\
task: vlrb_scenes_responses
class: !function vlrb_tasks.harness.task.JudgeTask
output_type: generate_until
judge:
  draws: 5
  benchmark:
    title: Responses of the drawn scenes
    description: Each response of vlrb_scenes by itself; right or wrong.
    source: {note: Drawn by this package from a seed.}
    dataset: {path: "@ROWS@", license: Apache-2.0}
    metrics: pointwise
    columns: {id: id, question: question, responses: response, images: image, score: score}
    groups: {column: group}
    prompt: llava_critic_pointwise
generation_kwargs: {temperature: 0.2, top_p: 0.2, do_sample: true, max_new_tokens: 1024, until: ["<|im_end|>"]}
metadata: {version: 1}
"""


def ask(out: Path) -> None:
    """Write the rows, the pictures and the task."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    with (out / "rows.jsonl").open("w", encoding="utf-8") as rows:
        for row in scene_rows():
            picture = f"images/{row['id']}.png"
            draw_scene(row["scene"]).save(out / picture)
            for number, (response, rank) in enumerate(zip(row["responses"], row["ranking"], strict=True)):
                single = {"id": f"{row['id']}/{number}", "question": row["question"], "response": response}
                group = row["id"].partition("-")[0]
                rows.write(json.dumps({**single, "image": picture, "score": 100 - 100 * rank, "group": group}) + "\n")
    (out / "vlrb_scenes_responses.yaml").write_text(TASK.replace("@ROWS@", str((out / "rows.jsonl").resolve())))


def pair(out: Path) -> None:
    """Write the votes that the scores make."""
    reader = reader_for(registry(), "vlrb_scenes", "llava_critic_pairwise")
    (log,) = find_logs(out / "scores")
    scored = {ballot.id: ballot for ballot in read_log(log, registry()).ballots}
    asked = next(iter(scored.values())).origin.prompt
    origin = replace(reader.origin, prompt=asked, rule="the higher of two scores")
    pairs = out / "pairs" / f"scores_samples_{reader.benchmark}.jsonl"
    pairs.parent.mkdir(exist_ok=True)
    with pairs.open("w", encoding="utf-8") as lines:
        for row in scene_rows():
            first, second = (scored[f"{row['id']}/{number}"] for number in (0, 1))
            preferred = row["ranking"].index(0)
            votes = [
                reader.vote(draw, (0, 1), compared(one.score, two.score), preferred)
                for draw, (one, two) in enumerate(zip(first.votes, second.votes, strict=True))
            ]
            made = replace(
                first, key=first.key + second.key, id=row["id"], preferred=preferred, votes=tuple(votes),
                lengths=tuple(map(len, row["responses"])), origin=origin, score=None,
            )  # fmt: skip
            lines.write(json.dumps({"doc_id": row["id"], "ballot": ballot_record(made)}) + "\n")


def compared(one: float | None, two: float | None) -> str:
    """Return two scores as the text of a comparison."""
    if one is None or two is None:
        return f"No score for one of them: {one}, {two}."
    verdict = "The first response is better." if one > two else "The second response is better."
    return f"{'Both responses are equally good.' if one == two else verdict} Scores: {one:g} and {two:g}."


if __name__ == "__main__":
    what, where = sys.argv[1:]
    {"ask": ask, "pair": pair}[what](Path(where))
