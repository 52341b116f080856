"""Train a critic: any vision-language model of transformers, on the data of ``vlrb critic build``. See README.md.

    accelerate launch examples/critic_sft/train.py examples/critic_sft/qwen2_5_vl_7b.yaml

One YAML file is one run. The loss is on the critic's answer alone, verdict and reasons; the prompt is masked.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import torch
from datasets import Dataset, Image, Sequence, load_dataset
from peft import LoraConfig, PeftModel
from pydantic import Field
from transformers import AutoModelForImageTextToText, AutoProcessor, TrainerCallback, set_seed
from trl import SFTConfig, SFTTrainer

from vlrb_tasks.environment import processes, registry
from vlrb_tasks.harness.machine import hardware, versions
from vlrb_tasks.registry.fields import Strict
from vlrb_tasks.registry.loading import check, read_yaml
from vlrb_tasks.votes.runs import load_runs


class Lora(Strict):
    """Low-rank adapters instead of all weights. Without ``targets``, those of every linear layer."""

    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    targets: tuple[str, ...] | None = None


class Evaluation(Strict):
    """Judging with a checkpoint, as ``lmms-eval`` does it, in a process of its own.

    Attributes:
        adapter: the lmms-eval adapter that loads the model.
        model_args: further arguments of it.
        tasks: of lmms-eval.
        limit: judge so many items; 0 for all.
        every: steps between evaluations, of those at which a checkpoint is saved; 0 for the end alone.
    """

    adapter: str
    model_args: str = ""
    tasks: str = "vlrb_scenes"
    limit: int = Field(default=0, ge=0)
    every: int = Field(default=0, ge=0)


class Run(Strict):
    """A run. The defaults are the paper's: one epoch, learning rate 2e-6, batch 32 (LLaVA-Critic, arXiv:2410.02712).

    Attributes:
        model: a checkpoint of the hub or a local one; ``revision`` of it.
        data: the folder that ``vlrb critic build`` wrote, from where the command is started.
        output: the folder for checkpoints and the critic.
        batch: records a step, over all devices.
        device_batch: records a device takes at once; the rest is accumulated.
        max_length: tokens a record; longer ones are left out and counted, since a cut one has lost its answer.
        steps: stop after so many; the whole run by default.
        save_every: steps between checkpoints.
        precision: ``auto`` is bf16 on a GPU that has it, else fp32.
        freeze_vision: leave the vision tower as it is.
    """

    model: str
    revision: str | None = None
    data: Path
    output: Path
    epochs: float = Field(default=1.0, gt=0)
    learning_rate: float = Field(default=2e-6, gt=0)
    batch: int = Field(default=32, ge=1)
    device_batch: int = Field(default=1, ge=1)
    warmup: float = Field(default=0.03, ge=0, lt=1)
    weight_decay: float = Field(default=0.0, ge=0)
    max_length: int = Field(default=8192, ge=64)
    steps: int | None = Field(default=None, ge=1)
    save_every: int = Field(default=500, ge=1)
    log_every: int = Field(default=10, ge=1)
    seed: int = 0
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    freeze_vision: bool = False
    gradient_checkpointing: bool = True
    lora: Lora | None = None
    evaluation: Evaluation | None = None


def load_run(path: Path) -> Run:
    """Read the YAML of a run; a fault is told with its line."""
    content, node = read_yaml(path)
    return check(Run, content, path, node)


def load_records(folder: Path) -> Dataset:
    """Return the records of ``vlrb critic build``: ``images``, ``prompt``, ``completion``."""
    file = folder / "train.jsonl"
    if not file.is_file():
        raise SystemExit(f"{file}: no such file. Fix: `vlrb critic build RECIPE -o {folder}`.")
    records = load_dataset("json", data_files=str(file), split="train")
    records = records.select_columns(["images", "prompt", "completion"])
    whole = records.map(lambda row: {"images": [str((folder / image).resolve()) for image in row["images"]]})
    return whole.cast_column("images", Sequence(Image()))


def last_checkpoint(run: Run) -> Path | None:
    """Return the checkpoint that was saved last."""
    found = run.output.glob("checkpoints/checkpoint-*")
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def trainer_for(run: Run, checkpoint: Path | None = None) -> SFTTrainer:
    """Return the trainer of a run, with its model loaded: from a checkpoint to resume from, or from the base.

    Whole weights are read by ``from_pretrained`` even then: the trainer's own reading passes over names that a
    model's files have and its modules do not.
    """
    set_seed(run.seed)
    start = run.model if checkpoint is None or run.lora is not None else str(checkpoint)
    bf16 = run.precision == "bf16" or (
        run.precision == "auto" and torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    )
    model = AutoModelForImageTextToText.from_pretrained(
        start, revision=run.revision if start == run.model else None, dtype=torch.bfloat16 if bf16 else torch.float32
    )
    if run.freeze_vision:
        for name, parameter in model.named_parameters():
            if "vision" in name or "visual" in name:
                parameter.requires_grad = False
    processor = AutoProcessor.from_pretrained(run.model, revision=run.revision)
    records = load_records(run.data)
    fitting = records.filter(  # by the texts alone: no picture is opened
        lambda prompt, completion: _length(processor, [*prompt, *completion]) <= run.max_length,
        input_columns=["prompt", "completion"],
    )
    if len(fitting) < len(records):
        print(
            f"{len(records) - len(fitting):,} of {len(records):,} records are longer than {run.max_length} tokens: left out"
        )
    devices = processes()
    if run.batch % (run.device_batch * devices):
        raise SystemExit(
            f"batch: got {run.batch}; expected a multiple of device_batch x devices, {run.device_batch} x {devices}."
        )
    arguments = SFTConfig(
        output_dir=str(run.output / "checkpoints"),
        num_train_epochs=run.epochs,
        max_steps=run.steps or -1,
        learning_rate=run.learning_rate,
        per_device_train_batch_size=run.device_batch,
        gradient_accumulation_steps=run.batch // (run.device_batch * devices),
        warmup_steps=run.warmup,
        weight_decay=run.weight_decay,
        lr_scheduler_type="cosine",
        bf16=bf16,
        gradient_checkpointing=run.gradient_checkpointing,
        logging_steps=run.log_every,
        save_steps=run.save_every,
        seed=run.seed,
        completion_only_loss=True,
        max_length=None,  # a record that is cut has lost its answer; longer ones are left out above
        report_to=[],
        use_cpu=not torch.cuda.is_available(),
        remove_unused_columns=False,
    )
    lora = None
    if run.lora is not None:
        lora = LoraConfig(
            r=run.lora.rank,
            lora_alpha=run.lora.alpha,
            lora_dropout=run.lora.dropout,
            target_modules=list(run.lora.targets) if run.lora.targets else "all-linear",
        )
    trainer = SFTTrainer(
        model=model, args=arguments, train_dataset=fitting, processing_class=processor, peft_config=lora
    )
    if run.evaluation is not None and run.evaluation.every:
        trainer.add_callback(Judging(run))
    return trainer


def _length(processor: Any, turns: list[dict[str, Any]]) -> int:
    """Return about how many tokens the turns of a record have: of their texts, and a few for the chat's marks."""
    texts = [part["text"] or "" for turn in turns for part in turn["content"] if part["type"] == "text"]
    return sum(len(processor.tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts) + 32


class Judging(TrainerCallback):
    """Judges with checkpoints while training goes on, and keeps the scores in ``evaluations.jsonl``."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Judge with the checkpoint that was just saved, where it is its turn."""
        assert self.run.evaluation is not None
        if state.is_world_process_zero and state.global_step % self.run.evaluation.every == 0:
            checkpoint = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            judge(self.run, checkpoint, state.global_step)


def whole_model(run: Run, checkpoint: Path, output: Path) -> Path:
    """Return a folder with a whole model: the checkpoint itself, or its adapters merged into the base."""
    if not (checkpoint / "adapter_config.json").is_file():
        return checkpoint
    base = AutoModelForImageTextToText.from_pretrained(run.model, revision=run.revision, dtype="auto")
    PeftModel.from_pretrained(base, checkpoint).merge_and_unload().save_pretrained(output)
    AutoProcessor.from_pretrained(checkpoint).save_pretrained(output)
    return output


def judge(run: Run, checkpoint: Path, step: int) -> dict[str, float]:
    """Judge with a checkpoint through lmms-eval and return the main scores; they are also kept in a file."""
    evaluation = run.evaluation
    assert evaluation is not None
    folder = whole_model(run, checkpoint, run.output / "merged")
    results = run.output / "judged" / f"step_{step}"
    arguments = f"pretrained={folder}" + (f",{evaluation.model_args}" if evaluation.model_args else "")
    command = [
        sys.executable, "-m", "lmms_eval", "--model", evaluation.adapter, "--model_args", arguments, "--tasks", evaluation.tasks,
        "--log_samples", "--output_path", str(results), *(["--limit", str(evaluation.limit)] if evaluation.limit else []),
    ]  # fmt: skip
    # a process of its own, which is no part of the distributed run
    alone = {
        key: value
        for key, value in os.environ.items()
        if key not in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    }
    done = subprocess.run(command, env=alone, capture_output=True, text=True, check=False)
    logs = list(results.rglob("*_samples_*.jsonl"))
    if not logs:
        print(f"step {step}: judging failed; training goes on:\n{done.stderr[-2000:]}")
        return {}
    scores = {}
    for log in logs:
        found = load_runs([log], registry())[0].scores
        for name in ("overall_accuracy_strict", "coverage_strict", "first_slot_rate", "pearson"):
            if name in found:
                scores[f"{log.stem.partition('_samples_')[2]}/{name}"] = round(found[name].value, 4)
    with (run.output / "evaluations.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"step": step, **scores}) + "\n")
    print(f"step {step}: {scores}")
    return scores


def card(run: Run, trainer: SFTTrainer, scores: dict[str, float]) -> str:
    """Return the model card: what the critic was made from, how, and how well it judges."""
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    settings = run.model_dump(mode="json", exclude={"model", "output", "evaluation", "data"})
    lines = [
        "---",
        f"base_model: {run.model}",
        "tags: [critic, reward-model, judge, vlrb-tasks]",
        "---",
        f"# A critic made from {run.model}",
        "",
        f"{trainer.state.global_step:,} steps on {len(trainer.train_dataset):,} records of `{run.data.name}` "
        f"(its card: `data_card.md`); the loss is on verdict and reasons alone. "
        + (f"Loss {losses[0]:.4f} at first, {losses[-1]:.4f} at last." if losses else ""),
        "",
        *(
            ["| metric | value |", "|---|---:|", *(f"| {name} | {value} |" for name, value in scores.items()), ""]
            if scores
            else []
        ),
        "## Settings",
        "",
        *(f"- {name}: {value}" for name, value in settings.items()),
        "",
        "## Made with",
        "",
        *(f"- {name} {version}" for name, version in sorted(versions().items())),
        f"- Python {platform.python_version()}, {hardware()}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Train the run that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the YAML file of the run")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    given = parser.parse_args()
    run = load_run(given.run)
    checkpoint = last_checkpoint(run)
    if given.resume and checkpoint is None:
        raise SystemExit(f"{run.output}: holds no checkpoint to resume from. Fix: leave out --resume.")
    if not given.resume and checkpoint is not None:
        raise SystemExit(f"{run.output}: holds checkpoints. Fix: add --resume, or name another folder in `output`.")
    trainer = trainer_for(run, checkpoint)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    last = run.output / "checkpoints" / f"checkpoint-{trainer.state.global_step}"
    critic = run.output / "critic"
    trainer.save_model(str(last if run.lora else critic))
    if not trainer.is_world_process_zero():
        return
    whole_model(run, last if run.lora else critic, critic)
    trainer.processing_class.save_pretrained(critic)
    scores = judge(run, critic, trainer.state.global_step) if run.evaluation is not None else {}
    (critic / "README.md").write_text(card(run, trainer, scores), encoding="utf-8")
    data_card = run.data / "README.md"
    if data_card.is_file():
        (critic / "data_card.md").write_text(data_card.read_text(encoding="utf-8"), encoding="utf-8")
    losses = [entry for entry in trainer.state.log_history if "loss" in entry]
    (critic / "training_log.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in losses), encoding="utf-8")
    print(f"wrote {critic}")


if __name__ == "__main__":
    main()
