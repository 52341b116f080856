"""Train the tiny critic: a LLaVA of under a million parameters that judges drawn scenes. See README.md.

    python examples/tiny_critic/train.py --output tiny_critic

Two CPU cores are enough. Everything is drawn from seeds, and training goes by steps, not by the clock.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed
from architecture import build_model, build_processor
from batches import Batches
from lessons import HELD_OUT_SEED, VERDICTS, Lesson, lessons
from transformers import LlavaForConditionalGeneration, LlavaProcessor

T = TypeVar("T")

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Stage:
    """A part of the training: which lessons, for how many steps. Each starts with a new optimizer.

    Attributes:
        name: what is learnt, and the folder that the model is saved in afterwards.
        steps: how many.
        mixture: how often each kind of lesson comes.
        rate: Muon's learning rate, for the matrices: fast for matching, slower for looking.
        things: how many things small scenes show, each of these as often.
        preamble: how much of the judge prompts' first words is shown.
        falls: whether the learning rate falls towards the end.
    """

    name: str
    steps: int
    mixture: dict[str, float]
    rate: float = 0.003
    things: tuple[int, ...] = (1, 1, 2, 3)
    preamble: float = 0.0
    falls: bool = False


STAGES = (
    Stage("look", 1600, {"repeat": 0.15, "told": 0.3, "glance": 0.55}, rate=0.01),
    Stage("find", 1600, {"repeat": 0.05, "told": 0.25, "glance": 0.1, "find": 0.6}, rate=0.003, things=(1, 2, 3, 3)),
    Stage(
        "pick",
        2000,
        {"told": 0.1, "find": 0.3, "pick": 0.3, "place": 0.2, "read": 0.1},
        rate=0.003,
        things=(1, 2, 3, 3),
    ),
    Stage("locate", 800, {"locate": 0.6, "place": 0.2, "pick": 0.2}, things=(2, 2, 3, 3)),
    Stage(
        "choose", 2000, {"locate": 0.1, "place": 0.25, "ask": 0.1, "check": 0.2, "choose": 0.35}, things=(2, 3, 3, 4)
    ),
    Stage("relate", 600, {"relate": 0.3, "ask": 0.2, "choose": 0.5}, things=(2, 3, 3, 4)),
    Stage(
        "judge",
        2000,
        {"place": 0.05, "choose": 0.05, "compare": 0.2, "rate": 0.15, "score": 0.35, "grade": 0.2},
        things=(2, 3, 4, 4),
        preamble=1.0,
        falls=True,
    ),
)
"""Looking and choosing first, then critic data: what the model is before the last stage is the base to compare with."""

VARIANTS = (
    Stage("pairwise", 600, {"place": 1, "choose": 1, "compare": 4}, things=(2, 3, 4, 4), preamble=1.0, falls=True),
    Stage("pointwise", 1400, {"rate": 3, "score": 7, "grade": 4}, things=(2, 3, 4, 4), preamble=1.0, falls=True),
)
"""Instead of the last stage: comparisons alone, and scores alone, as many of each as in the last stage."""

BATCH, PART, WARMUP = 64, 8, 100
RATE = 1.5e-3  # AdamW's, for embeddings, norms and patches


@dataclass(frozen=True)
class Team:
    """The processes that train together, one core each: for matrices this small, faster than cores sharing one."""

    rank: int
    size: int
    device: torch.device

    def share(self, things: Sequence[T]) -> Sequence[T]:
        """Return this process's share."""
        return things[self.rank :: self.size]

    def add(self, tensors: Sequence[torch.Tensor]) -> None:
        """Put the sum over all processes into each tensor."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        torch.distributed.all_reduce(flat)
        for tensor, summed in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(summed.view_as(tensor))

    def gather(self, found: T) -> list[T]:
        """Return what each process found."""
        if self.size == 1:
            return [found]
        everything: list[T] = [found] * self.size
        torch.distributed.all_gather_object(everything, found)
        return everything


def learn(model: LlavaForConditionalGeneration, batches: Batches, drawn: Sequence[Lesson], team: Team) -> float:
    """Add the gradients of a batch, the mean over the tokens of all answers, and return its loss.

    Each process of the team takes its share, in parts of about one length, so that little is padded; logits are made
    only where there is something to learn.
    """
    learnt = sum(batches.weight(lesson) for lesson in drawn)
    mine = team.share(sorted(drawn, key=lambda lesson: len(batches.tokens(lesson)[0])))
    total = torch.zeros((), device=team.device)
    for start in range(0, len(mine), PART):
        part = {name: value.to(team.device) for name, value in batches(mine[start : start + PART]).items()}
        labels, weights = part.pop("labels")[:, 1:], part.pop("weights")[:, 1:]
        taught = labels != -100
        states = model.model(**part).last_hidden_state[:, :-1][taught]
        losses = torch.nn.functional.cross_entropy(model.lm_head(states), labels[taught], reduction="none")
        loss = (losses * weights[taught]).sum() / learnt
        loss.backward()
        total += loss.detach()
    team.add([total, *(p.grad for p in model.parameters() if p.grad is not None)])
    return float(total)


@torch.no_grad()
def answers_right(
    model: LlavaForConditionalGeneration, batches: Batches, stage: Stage, kind: str, team: Team, items: int = 256
) -> dict[str, float]:
    """Return how often the model's likelier answer is right on lessons that it was not taught, by kind of question.

    An answer is right where each of its tokens is the likeliest after those before; of a comparison only the verdict
    counts, of a score only the number.
    """
    model.eval()
    drawn = lessons(HELD_OUT_SEED, {kind: 1.0}, stage.preamble, stage.things)
    hits: dict[str, list[bool]] = {}
    for _ in range(items // BATCH):
        chosen = [next(drawn) for _ in range(BATCH)]
        batch = {name: value.to(team.device) for name, value in batches(chosen).items()}
        labels, _ = batch.pop("labels"), batch.pop("weights")
        likeliest = model(**batch).logits.argmax(-1)
        for lesson, wanted, said in zip(chosen, labels, likeliest, strict=True):
            starts = [i for i in range(1, len(wanted)) if wanted[i] != -100 and wanted[i - 1] == -100]
            for start, (asked, answer) in zip(starts, lesson.turns, strict=True):
                judged = next((verdict for verdict in VERDICTS if answer.startswith(verdict)), answer).split("\n")[0]
                if kind == "told" and judged == answer:
                    continue  # only finding what was told counts
                length = len(batches.ids(f" {judged}"))
                right = bool((said[start - 1 : start - 1 + length] == wanted[start : start + length]).all())
                question = asked.partition("Question: [")[2] or asked
                hits.setdefault(" ".join(question.split()[:2]), []).append(right)
    model.train()
    found = {key: sum(right) / len(right) for key, right in sorted(hits.items())}
    everything = [right for some in hits.values() for right in some]
    return {"all": sum(everything) / len(everything), **found}


def train_stage(
    model: LlavaForConditionalGeneration, batches: Batches, stage: Stage, seed: int, team: Team, log: Log
) -> None:
    """Train through one stage."""
    hidden = [
        parameter
        for name, parameter in model.named_parameters()
        if parameter.ndim == 2 and "embed" not in name and "lm_head" not in name
    ]
    rest = [parameter for parameter in model.parameters() if all(parameter is not other for other in hidden)]
    optimizers = (
        torch.optim.Muon(hidden, lr=stage.rate, weight_decay=0.01),
        torch.optim.AdamW(rest, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01),
    )

    def rate(step: int) -> float:
        """Return what the learning rates are multiplied by: up for 100 steps, then, if the stage says so, down."""
        up, left = min((step + 1) / WARMUP, 1.0), (stage.steps - step) / stage.steps
        return up * max(left, 0.02) if stage.falls else up

    schedules = [torch.optim.lr_scheduler.LambdaLR(optimizer, rate) for optimizer in optimizers]
    drawn = lessons(seed, stage.mixture, stage.preamble, stage.things)
    running = None
    log.start()
    for step in range(1, stage.steps + 1):
        loss = learn(model, batches, [next(drawn) for _ in range(BATCH)], team)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
        running = loss if running is None else 0.98 * running + 0.02 * loss
        if step % log.every == 0 or step == stage.steps:
            kinds = [kind for kind in stage.mixture if kind not in ("describe", "repeat")]
            mine = {kind: answers_right(model, batches, stage, kind, team) for kind in team.share(kinds)}
            everything = {kind: right for some in team.gather(mine) for kind, right in some.items()}
            log.write(stage.name, step, running, {kind: everything[kind] for kind in kinds})


class Log:
    """The training's log: a line of JSON every so many steps, and a shorter one for people."""

    def __init__(self, path: Path | None, every: int) -> None:
        self.every, self._path, self._started = every, path, time.time()

    def start(self) -> None:
        """Count seconds from here: a stage begins."""
        self._started = time.time()

    def write(self, stage: str, step: int, loss: float, right: dict[str, dict[str, float]]) -> None:
        """Add a line: where training stands, its loss, and how many answers about held-out scenes are right."""
        if self._path is None:
            return
        seconds = round(time.time() - self._started)
        rounded = {kind: {key: round(value, 3) for key, value in found.items()} for kind, found in right.items()}
        row = {"stage": stage, "step": step, "loss": round(loss, 4), "seconds": seconds, "right": rounded}
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")
        said = "  ".join(f"{kind} {found['all']:.2f}" for kind, found in right.items())
        print(f"{stage} {step}: loss {loss:.3f}, right: {said} ({seconds} s)", flush=True)


def work(rank: int, given: argparse.Namespace, meeting: str) -> None:
    """Train, as one process of the team."""
    team = Team(rank, given.processes, torch.device(given.device))
    if team.size > 1:
        torch.set_num_threads(1)
        torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=team.size)
    torch.manual_seed(given.seed)
    if given.start:
        processor = LlavaProcessor.from_pretrained(given.start)
        model = LlavaForConditionalGeneration.from_pretrained(given.start)
    else:
        # The tokenizer that stands with the weights: learnt anew, it would change with every word of a lesson.
        processor = build_processor() if given.new_tokenizer else LlavaProcessor.from_pretrained(HERE / "model")
        model = build_model(processor)
    model.to(team.device)
    batches = Batches(processor)
    if rank == 0:
        size = sum(parameter.numel() for parameter in model.parameters())
        print(f"{size:,} parameters, {len(processor.tokenizer)} tokens", flush=True)
    log = Log(given.output / "training_log.jsonl" if rank == 0 else None, given.log_every)
    chosen = given.stages or [stage.name for stage in STAGES]
    for number, stage in enumerate((*STAGES, *VARIANTS), 1):
        if stage.name not in chosen:
            continue
        if given.steps:
            stage = replace(stage, steps=min(stage.steps, given.steps))
        train_stage(model, batches, stage, 100 * given.seed + number, team, log)
        if rank == 0:
            model.save_pretrained(given.output / stage.name)
            processor.save_pretrained(given.output / stage.name)


def main() -> None:
    """Train with what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("tiny_critic"))
    parser.add_argument("--start", type=Path, help="A model to go on from, as an earlier stage left it.")
    parser.add_argument("--new-tokenizer", action="store_true", help="Learn a tokenizer from the lessons first.")
    parser.add_argument(
        "--stages",
        nargs="+",
        choices=[stage.name for stage in (*STAGES, *VARIANTS)],
        help="Only these; without it all but the variants, in turn.",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, help="At most so many a stage, to try it.")
    parser.add_argument("--log-every", type=int, default=200)
    parser.add_argument("--device", default="cpu", help="cpu, or cuda with --processes 1.")
    parser.add_argument("--processes", type=int, default=2, help="One core each.")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"{folder}/meeting"
        if given.processes == 1:
            work(0, given, meeting)
        else:
            torch.multiprocessing.spawn(work, (given, meeting), nprocs=given.processes)


if __name__ == "__main__":
    main()
