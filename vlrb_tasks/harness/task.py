"""JudgeTask: a reward benchmark as an lmms-eval task.

For each item it asks the judge K times, each time with its own order of the responses; reads the texts; and
hands the ballot to the scores. lmms-eval does the rest: models, ranks, batches, logs.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import ConfigurableTask, TaskConfig
from loguru import logger
from PIL import Image

from ..core.families import family_metrics
from ..core.intervals import interval_fields
from ..core.items import Item
from ..core.ordering import Order, as_given, draw_orders
from ..core.records import ballot_record
from ..core.scoring import Metric, Score
from ..core.voting import Vote, ballot
from ..data.images import RecentImages
from ..data.rows import items_of
from ..data.sources import Source, open_source
from ..registry.casting import Reader, reader
from ..registry.index import benchmark_of, package_registry
from ..registry.loading import RegistryError, check, nearest
from ..registry.rendering import judge_text
from ..registry.schema import Benchmark, JudgeConfig, Prompt
from ..report.table import announce
from .results import Unlisted, with_further_results

MIRROR = "VLRB_DATA"
"""The environment variable that names a local folder to read data from, instead of the hub."""

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

    vote: Vote

    def __str__(self) -> str:
        return self.vote.outcome


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
        registry = package_registry()
        self.benchmark: Benchmark
        self.benchmark_name, self.benchmark = benchmark_of(self.judge, name, registry)
        self.prompt = registry.prompt(self.judge.prompt or self.benchmark.prompt)
        self.reader: Reader = reader(self.benchmark_name, self.benchmark, self.prompt, self.judge.average)
        self.draws = self.judge.draws
        self._made_for_chat = _local_of_a_caller("task_type", lambda value: value in ("simple", "chat")) == "chat"
        self._scores: dict[str, Score] = {}
        settings["test_split"] = self.benchmark.dataset.split
        settings["generation_kwargs"] = {**self.prompt.generation, **settings.get("generation_kwargs", {})}
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
        mirror = os.environ.get(MIRROR)
        source = open_source(
            self.benchmark_name, self.benchmark, Path(mirror) if mirror else None, dict(self.judge.options)
        )
        self.items, repeats = items_of(source.rows, self.benchmark, source.where)
        if repeats:
            logger.warning(
                f"{source.where}: {len(repeats)} rows repeat another in id, question and responses (first: {repeats[0].id}); each is kept and judged."
            )
        self.source: Source = Source(source.where, [], source.images, source.fingerprint)
        self._images = RecentImages(source.images)
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
        """Return the pictures of an item, in RGB."""
        return self._images(doc["index"])

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
        model = _local_of_a_caller("lm", lambda value: hasattr(value, "is_simple"))
        self._as_messages = self._made_for_chat if model is None else not model.is_simple
        self._system = kwargs.get("system_instruction") or self.prompt.system
        if kwargs.pop("cache_requests", False):
            logger.warning(f"{self.config.task}: --cache_requests is ignored; prompts are rendered in milliseconds.")
        super().build_all_requests(**kwargs)

    def construct_requests(self, doc_id: int, ctx: str, **kwargs: Any) -> list[Instance]:
        """Return the K requests of an item, each with the order of its draw."""
        item = self.items[doc_id]
        metadata = {**kwargs["metadata"], "repeats": 1}
        return [
            Instance(
                request_type="generate_until",
                arguments=self._arguments(judgment, doc_id, metadata["split"]),
                idx=idx,
                metadata={**metadata, "judgment": judgment},
                doc={"index": doc_id, "key": item.key},
            )
            for idx, judgment in enumerate(self._asked(item))
        ]

    def _asked(self, item: Item) -> list[Judgment]:
        """Return the judgments of an item, in the order in which they are asked for."""
        orders = draw_orders(item, self.draws, self.judge.order, self.judge.seed)
        return [Judgment(item, draw, order, self.prompt) for draw, order in orders]

    def _arguments(self, judgment: Judgment, doc_id: int, split: str) -> tuple[Any, ...]:
        text = judge_text(judgment.prompt, judgment.item, judgment.order)
        settings = copy.deepcopy(self.config.generation_kwargs)
        if not settings.get("temperature"):
            settings = {**settings, "temperature": 0.0, "do_sample": False, "top_p": None}
        if self._as_messages:
            return text, partial(self._messages, text, doc_id), settings, doc_id, self.config.task, split
        simple = f"{self._system}\n\n{text}" if self._system else text
        return simple, settings, self.doc_to_visual, doc_id, self.config.task, split

    def _messages(self, text: str, doc_id: int, doc: Any = None) -> list[dict[str, Any]]:
        """Return a judgment as chat messages: the pictures first, then the prompt."""
        content: list[dict[str, Any]] = [{"type": "image", "url": image} for image in self._images(doc_id)]
        content.append({"type": "text", "text": text})
        messages = [{"role": "user", "content": content}]
        if self._system:
            messages.insert(0, {"role": "system", "content": [{"type": "text", "text": self._system}]})
        return messages

    # -- results -------------------------------------------------------------------------------------

    def apply_filters(self) -> None:
        """Read the texts: from here on a request carries its vote."""
        for instance in self._instances:
            drawn = _Drawn(self._vote(instance.metadata["judgment"], instance.resps[0] if instance.resps else None))
            instance.filtered_resps[FILTER] = drawn
            instance.raw_filtered_resps[FILTER] = drawn  # the text stands in the ballot, once

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
        votes = [
            result.vote if isinstance(result, _Drawn) else self._vote(judgment, result)
            for judgment, result in zip(self._asked(item), results, strict=True)
        ]
        decided = ballot(item, votes, self.reader.origin)
        values = {metric.name: metric.of_ballot(decided) for metric in self.metrics}
        return {BALLOT: ballot_record(decided), **values}

    def _prepare_metric_and_aggregation(self) -> None:
        """Name the metrics and how their values are put together."""
        tags = sorted({tag for item in self.items for tag in item.tags}) if hasattr(self, "items") else []
        votes = self.draws * (2 if self.judge.order == "both" else 1)
        groups = self.benchmark.groups.order or sorted({item.group for item in getattr(self, "items", ())})
        self.metrics: list[Metric] = family_metrics(self.benchmark.metrics, groups, votes, tags)
        self._metric_fn_list: dict[str, Any] = {}
        self._metric_fn_kwargs: dict[str, Any] = {}
        self._aggregation_list: dict[str, Callable[..., Any]] = {}
        self._higher_is_better: dict[str, bool | None] = {}
        for metric in self.metrics:
            self._aggregation_list[metric.name] = partial(self._aggregate, metric)
            self._higher_is_better[metric.name] = metric.higher_is_better

    def _aggregate(self, metric: Metric, values: Sequence[Any]) -> float:
        score = metric.together(values)
        self._scores[metric.name] = score
        if len(self._scores) == len(self.metrics):
            announce(
                str(self.config.task), self.reader.origin, self.benchmark, self._scores, len(values), len(self.items)
            )
        return score.value

    def further_results(self) -> dict[str, Any]:
        """Return what belongs beside each metric's value: its interval, and how much it was measured on."""
        further: dict[str, Any] = {}
        for name, score in self._scores.items():
            if score.interval is not None:
                further |= interval_fields(name, score.interval)
            further[f"{name}_n"] = Unlisted(score.n)
        return further

    def dump_config(self) -> dict[str, Any]:
        """Return the task's configuration as the results file keeps it."""
        return {
            **super().dump_config(),
            "judge": {
                **self.judge.model_dump(),
                "draws": self.draws,
                "prompt": self.reader.origin.prompt,
                "rule": self.reader.origin.rule,
                "data": self.source.where,
                "data_fingerprint": self.source.fingerprint,
                "items": len(self.items),
            },
        }


def _local_of_a_caller(name: str, fits: Callable[[Any], bool]) -> Any:
    """Return the local variable ``name`` of the nearest caller that has one that fits; ``None`` if none has.

    Simple and chat adapters want different requests, and lmms-eval tells a task of its own class nothing
    about the model. The evaluator holds the model in ``lm`` while it has a task build its requests, in every
    way of starting an evaluation; a task manager has ``task_type`` while it makes one.
    """
    frame = sys._getframe(1)
    while frame is not None:
        value = frame.f_locals.get(name)
        if value is not None and fits(value):
            return value
        frame = frame.f_back  # type: ignore[assignment]
    return None


with_further_results(JudgeTask)
