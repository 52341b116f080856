"""Train the tiny critic: a LLaVA of under a million parameters that judges drawn scenes. See README.md.

    python examples/tiny_critic/train.py --output tiny_critic

Two CPU cores are enough. Everything is drawn from seeds, and training goes by steps, not by the clock.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from lessons import VERDICTS, Lesson, Scene, all_text, lessons
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

from vlrb_tasks.data.scenes import draw_scene

PIXELS, PATCH = 80, 20  # a patch is a cell of the grid that scenes are drawn on
TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}USER: {{ message['content'] }} ASSISTANT:"
    "{% else %} {{ message['content'] }}</s>{% endif %}"
    "{% endfor %}"
)


@dataclass(frozen=True)
class Stage:
    """A part of the training: which lessons, for how many steps.

    Attributes:
        steps: how many.
        mixture: how often each kind of lesson comes.
        preamble: how much of the judge prompts' first words is shown.
    """

    steps: int
    mixture: dict[str, float]
    preamble: float


STAGES = (
    Stage(1800, {"repeat": 0.25, "told": 0.35, "glance": 0.4}, 0.0),
    Stage(8000, {"repeat": 0.05, "told": 0.2, "glance": 0.2, "pick": 0.3, "ask": 0.1, "compare": 0.15}, 0.0),
)
RATE, BATCH, PARTS, WARMUP = 1.5e-3, 64, 4, 200
VERDICT = 4.0  # the weight of the one token that is the verdict; the others of its sentence are soon known by heart


def build_processor() -> LlavaProcessor:
    """Return the processor: a tokenizer learnt from the lessons, and pictures of 80 x 80."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<image>"]
    trainer = trainers.BpeTrainer(
        vocab_size=768,
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(all_text().split("\n"), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", model_max_length=4096
    )
    fast.add_special_tokens({"additional_special_tokens": ["<image>"]})
    fast.chat_template = TEMPLATE
    images = CLIPImageProcessor(
        size={"shortest_edge": PIXELS},
        crop_size={"height": PIXELS, "width": PIXELS},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return LlavaProcessor(
        images,
        fast,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    )


def build_model(processor: LlavaProcessor, width: int = 96, layers: int = 3) -> LlavaForConditionalGeneration:
    """Return the model with random weights."""
    tokenizer = processor.tokenizer
    vision = CLIPVisionConfig(
        hidden_size=96,
        intermediate_size=192,
        num_hidden_layers=1,
        num_attention_heads=3,
        image_size=PIXELS,
        patch_size=PATCH,
        projection_dim=96,
    )
    text = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=width, intermediate_size=3 * width, num_hidden_layers=layers, num_attention_heads=4,
        max_position_embeddings=4096, tie_word_embeddings=True, rope_theta=10000.0, initializer_range=0.08,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_select_strategy="default", vision_feature_layer=-1, tie_word_embeddings=True, initializer_range=0.08,
    )  # fmt: skip
    model = LlavaForConditionalGeneration(config)
    # Where a patch is starts as loud as what it shows, a code for its row plus one for its column: at the default,
    # a tenth of this and without structure, "above" and "to the left of" stay at chance.
    side = PIXELS // PATCH
    places = torch.randn(side, 1, vision.hidden_size) + torch.randn(1, side, vision.hidden_size)
    with torch.no_grad():
        model.model.vision_tower.embeddings.position_embedding.weight[1:] = places.flatten(0, 1)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return model


class Pictures:
    """Pictures of scenes as the model gets them, put together from what each thing looks like in its cell."""

    def __init__(self, processor: LlavaProcessor) -> None:
        self._processor = processor.image_processor
        self._blank = self._pixels(())
        self._drawn = lru_cache(maxsize=4096)(lambda thing: self._pixels((thing,)))

    def _pixels(self, scene: Scene) -> torch.Tensor:
        return self._processor(draw_scene(scene), return_tensors="pt")["pixel_values"][0]

    def __call__(self, scene: Scene) -> torch.Tensor:
        """Return the pixels of a scene, of shape (3, 80, 80): things do not reach beyond their cells."""
        pixels = self._blank.clone()
        for thing in scene:
            x, y = thing.cell
            columns = slice(None) if thing.what.startswith("word:") else slice(x * PATCH, (x + 1) * PATCH)
            rows = slice(y * PATCH, (y + 1) * PATCH)
            pixels[:, rows, columns] = self._drawn(thing)[:, rows, columns]
        return pixels


class Batches:
    """Lessons as tensors. Only answers are learnt: the labels of all else are -100."""

    def __init__(self, processor: LlavaProcessor) -> None:
        tokenizer = processor.tokenizer
        self.pictures = Pictures(processor)
        self.pad, self.end = tokenizer.pad_token_id, tokenizer.eos_token_id
        self.image = [tokenizer.convert_tokens_to_ids("<image>")] * (PIXELS // PATCH) ** 2
        self.ids = lru_cache(maxsize=65536)(lambda text: tokenizer(text, add_special_tokens=False)["input_ids"])
        first, second = (set(self.ids(f" {verdict}")) for verdict in VERDICTS)
        self.verdicts = first ^ second  # the tokens in which the two verdicts differ

    def tokens(self, lesson: Lesson) -> tuple[list[int], list[int]]:
        """Return the tokens of a lesson and their labels."""
        ids: list[int] = []
        labels: list[int] = []
        for number, (asked, answer) in enumerate(lesson.turns):
            before = (
                [*self.ids("USER: "), *self.image, *self.ids(f"\n{asked} ASSISTANT:")]
                if number == 0
                else self.ids(f"USER: {asked} ASSISTANT:")
            )
            said = [*self.ids(f" {answer}"), self.end]
            ids += [*before, *said]
            labels += [*[-100] * len(before), *said]
        return ids, labels

    def __call__(self, drawn: Sequence[Lesson]) -> dict[str, torch.Tensor]:
        """Return a batch, padded on the right."""
        rows = [self.tokens(lesson) for lesson in drawn]
        longest = max(len(ids) for ids, _ in rows)
        labels = torch.tensor([labels + [-100] * (longest - len(labels)) for _, labels in rows])
        weights = (labels != -100).float()
        for token in self.verdicts:
            weights[labels == token] = VERDICT
        return {
            "input_ids": torch.tensor([ids + [self.pad] * (longest - len(ids)) for ids, _ in rows]),
            "attention_mask": torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows]),
            "labels": labels,
            "weights": weights,
            "pixel_values": torch.stack([self.pictures(lesson.scene) for lesson in drawn]),
        }


def learn(model: LlavaForConditionalGeneration, batches: Batches, drawn: Sequence[Lesson]) -> float:
    """Add the gradients of a batch, the mean over the tokens of all answers, and return its loss.

    Lessons go through in parts of about one length, so that little is padded, and logits are made only where
    there is something to learn: the same gradients in two thirds of the time.
    """
    ordered = sorted(drawn, key=lambda lesson: len(batches.tokens(lesson)[0]))
    parts = [batches(ordered[i : i + BATCH // PARTS]) for i in range(0, len(ordered), BATCH // PARTS)]
    learnt = sum(float(part["weights"].sum()) for part in parts)
    total = 0.0
    for part in parts:
        labels, weights = part.pop("labels")[:, 1:], part.pop("weights")[:, 1:]
        taught = labels != -100
        states = model.model(**part).last_hidden_state[:, :-1][taught]
        losses = torch.nn.functional.cross_entropy(model.lm_head(states), labels[taught], reduction="none")
        loss = (losses * weights[taught]).sum() / learnt
        loss.backward()
        total += loss.item()
    return total


@torch.no_grad()
def verdicts_right(
    model: LlavaForConditionalGeneration,
    batches: Batches,
    kind: str,
    preamble: float,
    seed: int = 999,
    items: int = 256,
) -> dict[str, float]:
    """Return how often the model's likelier answer is right on lessons that it was not taught, by kind of question."""
    model.eval()
    drawn = lessons(seed, {kind: 1.0}, preamble)
    hits: dict[str, list[bool]] = {}
    for _ in range(items // 64):
        chosen = [next(drawn) for _ in range(64)]
        batch = batches(chosen)
        likeliest = model(
            **{key: value for key, value in batch.items() if key not in ("labels", "weights")}
        ).logits.argmax(-1)
        for lesson, labels, said in zip(chosen, batch["labels"], likeliest, strict=True):
            starts = [i for i in range(1, len(labels)) if labels[i] != -100 and labels[i - 1] == -100]
            told = False
            for start, (asked, answer) in zip(starts, lesson.turns, strict=True):
                # a turn is right where all tokens of its answer are the likeliest
                length = 1 if kind == "score" else len(batches.ids(f" {answer}"))
                right = bool((said[start - 1 : start - 1 + length] == labels[start : start + length]).all())
                question = asked.partition("Question: [")[2] or asked
                if kind in ("told", "pick", "choose"):
                    if "Question: [" not in asked:
                        told = True
                        continue
                    question, told = ("told" if told else "seen") + " " + question, False
                hits.setdefault(" ".join(question.split()[:2]), []).append(right)
    model.train()
    total = [hit for found in hits.values() for hit in found]
    return {"all": sum(total) / len(total), **{key: sum(found) / len(found) for key, found in sorted(hits.items())}}


def train(output: Path, stages: Sequence[Stage], seed: int, log_every: int, width: int, layers: int) -> None:
    """Train through the stages and save model and processor, and a log of the training."""
    torch.manual_seed(seed)
    random.seed(seed)
    processor = build_processor()
    model = build_model(processor, width, layers)
    batches = Batches(processor)
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"{size:,} parameters, {len(processor.tokenizer)} tokens", flush=True)
    total = sum(stage.steps for stage in stages)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: (
            min((step + 1) / WARMUP, 1.0)
            * (1.0 if step < total * 0.6 else max(0.02, 1 - (step - total * 0.6) / (total * 0.4)))
        ),
    )
    output.mkdir(parents=True, exist_ok=True)
    log = (output / "training_log.jsonl").open("w", encoding="utf-8")
    started, step, running = time.time(), 0, 0.0
    for number, stage in enumerate(stages, 1):
        drawn = lessons(100 * seed + number, stage.mixture, stage.preamble)
        for _ in range(stage.steps):
            loss = learn(model, batches, [next(drawn) for _ in range(BATCH)])
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            running = loss if step == 1 else 0.98 * running + 0.02 * loss
            if step % log_every == 0 or step == total:
                kinds = [kind for kind in stage.mixture if kind not in ("describe", "repeat")]
                right = {kind: verdicts_right(model, batches, kind, stage.preamble) for kind in kinds}
                row = {
                    "step": step,
                    "stage": number,
                    "loss": round(running, 4),
                    "right": right,
                    "seconds": round(time.time() - started),
                }
                log.write(json.dumps(row) + "\n")
                log.flush()
                print(
                    f"step {step} stage {number} loss {running:.4f} {row['seconds']} s  "
                    + "  ".join(f"{kind} {found['all']:.3f}" for kind, found in right.items()),
                    flush=True,
                )
                print(
                    "\n".join(
                        f"   {kind}: " + "  ".join(f"{k} {v:.2f}" for k, v in found.items())
                        for kind, found in right.items()
                        if kind in ("told", "glance", "pick", "ask", "choose", "compare")
                    ),
                    flush=True,
                )
                model.save_pretrained(output)
        model.save_pretrained(output / f"after_stage_{number}")
        processor.save_pretrained(output / f"after_stage_{number}")
    model.save_pretrained(output)
    processor.save_pretrained(output)


def main() -> None:
    """Train with what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("tiny_critic"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=250)
    parser.add_argument("--scale", type=float, default=1.0, help="Multiplies the steps of every stage.")
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    stages = [Stage(max(1, round(stage.steps * given.scale)), stage.mixture, stage.preamble) for stage in STAGES]
    train(given.output, stages, given.seed, given.log_every, given.width, given.layers)


if __name__ == "__main__":
    main()
