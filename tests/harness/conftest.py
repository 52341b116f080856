"""The harness, in processes that have lmms-eval loaded."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True, scope="session")
def frozen():
    """Keep the many objects of torch and lmms-eval out of the collections that every evaluation ends with: a quarter of a second each."""
    pytest.importorskip("lmms_eval.evaluator")
    gc.collect()
    gc.freeze()
