"""JudgeTask: a reward benchmark as an lmms-eval task.

For each item it asks the judge K times, each time with its own order of the responses; reads the texts; and
hands the ballot to the scores. lmms-eval does the rest: models, ranks, batches, logs.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import ConfigurableTask, TaskConfig
from loguru import logger
from PIL import Image

from ..core.families import DRAWN, TOKENS, family_metrics
from ..core.intervals import interval_fields
from ..core.items import Item
from ..core.ordering import Order, as_given, draw_orders
from ..core.parsing import likelihood_text, parse_loss
from ..core.records import ballot_record
from ..core.scoring import Metric, Score
from ..core.stopping import Plan
from ..core.verdicts import NOT_DRAWN, Outcome
from ..core.voting import Vote, ballot
from ..data.images import RecentImages, open_image
from ..data.rows import items_of
from ..data.sources import Source, open_source
from ..environment import mirror, registry
from ..registry.benchmarks import Benchmark, JudgeConfig
from ..registry.casting import Reader, reader
from ..registry.loading import RegistryError, check, nearest
from ..registry.prompts import Prompt
from ..registry.rendering import example_turns, fingerprint, in_one_text, judge_text
from ..report.table import announce, plan_lines
from .callers import local_of_a_caller
from .machine import hardware, versions
from .results import Unlisted, with_further_results

FILTER = "none"
BALLOT = "ballot"


@dataclass(frozen=True)
class Judgment:
    """One judgment that is asked for: an item, a draw, the order of its responses, and the prompt."""

    item: Item
    draw: int
    order: Order
    prompt: Prompt


@dataclass(frozen=True)
class _Drawn:
    """A vote on its way through lmms-eval's filters. As text it is its verdict, which is what logs call filtered."""

    vote: Vote | None
    """``None`` for a vote that was not asked for."""

    counts: bool = True
    """No, for the likelihood of an answer that others of the same draw follow."""

    def __str__(self) -> str:
        return "not drawn" if self.vote is None else self.vote.outcome if self.counts else ""


class _Docs(Sequence[dict[str, Any]]):
    """The items as the documents that lmms-eval walks over: text only, no picture is decoded to look at one."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._docs = [
            {
                "index": i,
                "id": item.id,
                "question": item.question,
                "responses": list(item.responses),
                "group": item.group,
            }
            for i, item in enumerate(items)
        ]
        self.features = dict.fromkeys(self._docs[0])

    def __getitem__(self, index: Any) -> Any:
        return self._docs[index]

    def __len__(self) -> int:
        return len(self._docs)


class JudgeTask(ConfigurableTask):
    """A reward benchmark: judges compare, score or rank.

    Its YAML names it as ``class`` and holds a block ``judge`` (see ``JudgeConfig``); all other keys are
    lmms-eval's own.
    """

    def __init__(self, config: dict[str, Any] | None = None, model_name: str | None = None, **_: Any) -> None:
        settings = dict(config or {})
        settings.pop("class", None)
        name = str(settings.get("task", "judge task"))
        self.judge = check(JudgeConfig, settings.pop("judge", None), Path(name), None, ("judge",))
        known = registry()
        self.benchmark: Benchmark
        self.benchmark_name, self.benchmark = known.benchmark_of(self.judge, name)
        self.prompt = known.prompt_of(self.judge, self.benchmark)
        self.reader: Reader = reader(self.benchmark_name, self.benchmark, self.prompt, self.judge.average)
        self.draws = self.judge.draws
        self.plan: Plan | None = None
        self._unfinished = 0
        self._made_for_chat = local_of_a_caller("task_type", lambda value: value in ("simple", "chat")) == "chat"
        self._scores: dict[str, Score] = {}
        settings["test_split"] = self.benchmark.dataset.split
        wanted = self.prompt.generation.model_dump(mode="json", exclude_none=True)
        settings["generation_kwargs"] = {**wanted, **settings.get("generation_kwargs", {})}
        settings["generation_kwargs"].setdefault("until", ["<|im_end|>"])
        settings["reasoning_tags"] = "none"  # thinking is for our parser to leave out, and for the log to keep
        for key in settings:
            if key not in TaskConfig.__dataclass_fields__:
                raise RegistryError(
                    f"{name} {key}: no such field.{nearest(key, [*TaskConfig.__dataclass_fields__, 'judge'])} Fix: use a field of lmms-eval's tasks, or judge."
                )
        super().__init__(config=settings, model_name=model_name)
        self._prepare_metric_and_aggregation()

    # -- data ----------------------------------------------------------------------------------------

    def download(self, dataset_kwargs: Any = None) -> None:
        """Read the rows and turn them into items."""
        source = open_source(self.benchmark_name, self.benchmark, mirror(), dict(self.judge.options))
        self.items, repeats = items_of(source.rows, self.benchmark, source.where)
        if repeats:
            logger.warning(
                f"{source.where}: {len(repeats)} rows repeat another in id, question and responses (first: {repeats[0].id}); each is kept and judged."
            )
        self.source: Source = Source(source.where, [], source.images, source.fingerprint)
        self._images = RecentImages(source.images)
        self._examples = example_turns(self.prompt)
        self._example_images = [open_image(turn.image) for turn in self._examples if turn.image is not None]
        docs = _Docs(self.items)
        self.dataset = {self.benchmark.dataset.split: docs}
        self.dataset_no_image = self.dataset
        # A fault of the prompt shows here, before any request.
        judge_text(self.prompt, self.items[0], as_given(self.items[0]))

    def doc_to_text(self, doc: dict[str, Any]) -> str:
        """Return the prompt of an item with its responses as the data has them."""
        item = self.items[doc["index"]]
        return judge_text(self.prompt, item, as_given(item))

    def doc_to_target(self, doc: dict[str, Any]) -> str:
        """Return what people say of an item."""
        item: Item = self.items[doc["index"]]
        return item.reference

    def doc_to_visual(self, doc: dict[str, Any]) -> list[Image.Image]:
        """Return the pictures of the prompt's examples and of an item, in RGB."""
        return [*(image.copy() for image in self._example_images), *self._images(doc["index"])]

    def fewshot_context(self, doc: dict[str, Any], *args: Any, **kwargs: Any) -> str:
        """Return nothing: each draw renders its own prompt in ``construct_requests``."""
        return ""

    # -- requests ------------------------------------------------------------------------------------

    def set_config(self, key: str, value: Any, update: bool = False) -> None:
        """Take ``--repeats K`` as the number of draws; pass all else on."""
        if key == "repeats":
            self.draws = int(value)
            self._prepare_metric_and_aggregation()
        else:
            super().set_config(key, value, update)

    def build_all_requests(self, **kwargs: Any) -> None:
        """Build the requests of this rank's items."""
        model = local_of_a_caller("lm", lambda value: hasattr(value, "is_simple"))
        stopping = getattr(model, "vote_stopping", None)
        if stopping is not None:
            self.plan = stopping.plan(self.reader.origin.family, len(self._asked(self.items[0])))
            self._prepare_metric_and_aggregation()
        self._as_messages = self._made_for_chat if model is None else not model.is_simple
        self._system = kwargs.get("system_instruction") or self.prompt.system
        if kwargs.pop("cache_requests", False):
            logger.warning(f"{self.config.task}: --cache_requests is ignored; prompts are rendered in milliseconds.")
        super().build_all_requests(**kwargs)

    def construct_requests(self, doc_id: int, ctx: str, **kwargs: Any) -> list[Instance]:
        """Return the K requests of an item, each with the order of its draw."""
        item = self.items[doc_id]
        metadata = {**kwargs["metadata"], "repeats": 1}
        asked = [(judgment, answer) for judgment in self._asked(item) for answer in self._answers]
        return [
            Instance(
                request_type="loglikelihood" if answer else "generate_until",
                arguments=self._arguments(judgment, answer, doc_id, metadata["split"]),
                idx=idx,
                metadata={**metadata, "judgment": judgment, "answer": answer, "judge": self},
                doc={"index": doc_id, "key": item.key},
            )
            for idx, (judgment, answer) in enumerate(asked)
        ]

    @property
    def _answers(self) -> tuple[Outcome | None, ...]:
        """The answers whose likelihoods are asked for; nothing for a judge that writes."""
        if self.prompt.scoring == "generate":
            return (None,)
        return ("first", "second") if self.prompt.ties is None else ("first", "second", "tie")

    def _asked(self, item: Item) -> list[Judgment]:
        """Return the judgments of an item, in the order in which they are asked for."""
        orders = draw_orders(item, self.draws, self.judge.order, self.judge.seed)
        return [Judgment(item, draw, order, self.prompt) for draw, order in orders]

    def _arguments(self, judgment: Judgment, answer: Outcome | None, doc_id: int, split: str) -> tuple[Any, ...]:
        text = judge_text(judgment.prompt, judgment.item, judgment.order)
        if self._as_messages and answer is None:
            messages = partial(self._messages, text, doc_id)
            return text, messages, self._settings(), doc_id, self.config.task, split
        simple = in_one_text(self._examples, text)
        simple = f"{self._system}\n\n{simple}" if self._system else simple
        if answer is not None:  # chat adapters too take likelihoods in the simple form
            return simple, getattr(self.prompt.answers, answer), self.doc_to_visual, doc_id, self.config.task, split
        return simple, self._settings(), self.doc_to_visual, doc_id, self.config.task, split

    def _settings(self) -> dict[str, Any]:
        settings = copy.deepcopy(self.config.generation_kwargs)
        return (
            settings
            if settings.get("temperature")
            else {**settings, "temperature": 0.0, "do_sample": False, "top_p": None}
        )

    def _messages(self, text: str, doc_id: int, doc: Any = None) -> list[dict[str, Any]]:
        """Return a judgment as chat messages: system text and worked examples, then the pictures and the prompt."""
        pictures = iter(self._example_images)
        turns: list[tuple[str, list[Image.Image], str]] = [
            (turn.role, [next(pictures).copy()] if turn.image else [], turn.text) for turn in self._examples
        ]
        if self._system:
            turns.insert(0, ("system", [], self._system))
        return [
            {
                "role": role,
                "content": [*({"type": "image", "url": image} for image in images), {"type": "text", "text": said}],
            }
            for role, images, said in [*turns, ("user", self._images(doc_id), text)]
        ]

    # -- results -------------------------------------------------------------------------------------

    def apply_filters(self) -> None:
        """Read the texts: from here on a request carries its vote."""
        draws: dict[tuple[int, int], list[Instance]] = {}
        for instance in self._instances:
            draws.setdefault((instance.doc["index"], instance.idx // len(self._answers)), []).append(instance)
        for instances in draws.values():
            texts = [instance.resps[0] if instance.resps else None for instance in instances]
            vote = None if NOT_DRAWN in texts else self.read_draw(instances, texts)
            for number, instance in enumerate(instances, 1):
                drawn = _Drawn(vote, counts=number == len(instances))
                instance.filtered_resps[FILTER] = drawn
                instance.raw_filtered_resps[FILTER] = drawn  # the text stands in the ballot, once

    def read_draw(self, instances: Sequence[Instance], responses: Sequence[Any]) -> Vote:
        """Read what a judge gave for one draw: a text, or the likelihood of each answer.

        Args:
            instances: the requests of the draw: one, or one for each answer.
            responses: what came for each; a likelihood is a loss, as adapters return it.
        """
        text = responses[0]
        if instances[0].metadata["answer"] is not None:
            found = {
                one.metadata["answer"]: -parse_loss(response)
                for one, response in zip(instances, responses, strict=True)
            }
            text = None if any(map(math.isnan, found.values())) else likelihood_text(found)
        facts = instances[0].metadata
        if facts.get("read", (None,))[0] is not text or text is None:  # vote_judge reads each text as it comes
            facts["read"] = (text, self._vote(facts["judgment"], text))
        vote: Vote = facts["read"][1]
        return replace(vote, tokens=_tokens(instances[0]))

    def _vote(self, judgment: Judgment, text: str | None) -> Vote:
        return self.reader.vote(judgment.draw, judgment.order, text, judgment.item.preferred)

    def process_results(self, doc: dict[str, Any], results: Sequence[Any], full_docs: Any = None) -> dict[str, Any]:
        """Return the ballot of an item and the value of each metric for it.

        Args:
            doc: the document.
            results: a vote for each draw, or the judge's texts in the order of the draws.
            full_docs: not used.
        """
        item = self.items[doc["index"]]
        results = [result for result in results if not isinstance(result, _Drawn) or result.counts]
        found = [
            result.vote if isinstance(result, _Drawn) else self._vote(judgment, result)
            for judgment, result in zip(self._asked(item), results, strict=True)
        ]
        decided = ballot(item, [vote for vote in found if vote is not None], self.reader.origin, self.plan)
        values = {metric.name: metric.of_ballot(decided) for metric in self.metrics}
        return {BALLOT: ballot_record(decided), **values}

    def _prepare_metric_and_aggregation(self) -> None:
        """Name the metrics and how their values are put together."""
        tags = sorted({tag for item in self.items for tag in item.tags}) if hasattr(self, "items") else []
        votes = self.draws * (2 if self.judge.order == "both" else 1)
        groups = self.benchmark.groups.order or sorted({item.group for item in getattr(self, "items", ())})
        soft = self.prompt.scoring == "loglikelihood"
        partly = getattr(self, "plan", None) is not None
        self.metrics: list[Metric] = family_metrics(self.benchmark.metrics, groups, votes, tags, soft, partly)
        self._metric_fn_list: dict[str, Any] = {}
        self._metric_fn_kwargs: dict[str, Any] = {}
        self._aggregation_list: dict[str, Callable[..., Any]] = {}
        self._higher_is_better: dict[str, bool | None] = {}
        for metric in self.metrics:
            self._aggregation_list[metric.name] = partial(self._aggregate, metric)
            self._higher_is_better[metric.name] = metric.higher_is_better

    def _aggregate(self, metric: Metric, values: Sequence[Any]) -> float:
        score = metric.together(values)
        if metric.name == DRAWN.name:
            self._unfinished = sum(value[2] for value in values)
        self._scores[metric.name] = score
        if len(self._scores) == len(self.metrics):
            notes = plan_lines(self.plan, self._unfinished)
            origin, scores = self.reader.origin, self._scores
            announce(str(self.config.task), origin, self.benchmark, scores, len(values), len(self.items), notes)
        return score.value

    def further_results(self) -> dict[str, Any]:
        """Return what belongs beside each metric's value: its interval, and how much it was measured on."""
        further: dict[str, Any] = {}
        for name, score in self._scores.items():
            if score.interval is not None:
                further |= interval_fields(name, score.interval)
            further[f"{name}_n"] = Unlisted(score.n)
        drawn = self._scores.get(DRAWN.name)
        if drawn is not None and drawn.n:
            votes = round(drawn.value * drawn.n)
            further |= {"votes_drawn": Unlisted(votes), "votes_saved": Unlisted(drawn.n - votes)}
            tokens = self._scores.get(TOKENS.name)
            if tokens is not None and tokens.n:
                further["tokens_saved"] = Unlisted(round(tokens.value * (drawn.n - votes)))
        return further

    def image_hash(self, doc_id: int) -> str:
        """Return a short hash of an item's pictures and of those of the prompt's examples."""
        digest = hashlib.blake2b(digest_size=8)
        for image in [*self._example_images, *self._images(doc_id)]:
            digest.update(f"{image.size}".encode() + image.tobytes())
        return digest.hexdigest()

    def asked_with(self) -> dict[str, Any]:
        """Return what decides what is asked, beside the data: for the journal of votes."""
        return {
            "prompt": self.reader.origin.prompt,
            "prompt_sha256": fingerprint(self.prompt),
            "system": self._system,
            "settings": json.loads(json.dumps(self._settings(), default=str)),
        }

    def dump_config(self) -> dict[str, Any]:
        """Return the task's configuration as the results file keeps it."""
        return {
            **super().dump_config(),
            "judge": {
                **self.judge.model_dump(),
                "draws": self.draws,
                "prompt": self.reader.origin.prompt,
                "prompt_sha256": fingerprint(self.prompt),
                "rule": self.reader.origin.rule,
                "data": self.source.where,
                "data_fingerprint": self.source.fingerprint,
                "revision": self.benchmark.dataset.revision,
                "items": len(self.items),
                "versions": versions(),
                "hardware": hardware(),
            },
        }


def _tokens(instance: Instance) -> tuple[int, int] | None:
    """Return the tokens that went in and came out, where the adapter says so."""
    counts = instance.token_counts[0] if instance.token_counts else None
    if counts is None or (counts.input_tokens is None and counts.output_tokens is None):
        return None
    return counts.input_tokens or 0, counts.output_tokens or 0


with_further_results(JudgeTask)
