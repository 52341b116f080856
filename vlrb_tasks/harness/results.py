"""Intervals and counts in lmms-eval's results: what an aggregation function, which returns one number, cannot give."""

from __future__ import annotations

from functools import wraps
from typing import Any

from lmms_eval.evaluator_utils import TaskOutput

_PATCHED = "_vlrb_tasks_extended"


class Unlisted(int):
    """A whole number that stands in the results file and not in the printed table, which leaves out empty values."""

    def __len__(self) -> int:
        return 0


def with_further_results(task_class: type[Any]) -> None:
    """Have the evaluator take up ``further_results()`` of tasks of this class beside their metrics."""
    original = TaskOutput.calculate_aggregate_metric
    if getattr(original, _PATCHED, False):
        return

    @wraps(original)
    def calculate_aggregate_metric(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if not isinstance(self.task, task_class):
            return
        filters = {filter_key for _, filter_key in self.sample_metrics}
        for key in [key for key in self.sample_metrics if key[0] not in self.task.aggregation()]:
            del self.sample_metrics[key]  # the ballots: kept in the sample log, no result of their own
        for name, value in self.task.further_results().items():
            for filter_key in filters:
                self.sample_metrics[(name, filter_key)] = []
                self.agg_metrics[f"{name},{filter_key}"] = value
                self.agg_metrics[f"{name}_stderr,{filter_key}"] = "N/A"

    setattr(calculate_aggregate_metric, _PATCHED, True)
    TaskOutput.calculate_aggregate_metric = calculate_aggregate_metric
