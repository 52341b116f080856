"""Examples in docstrings run, and what the documents print is what the program prints."""

import doctest
import importlib
import re

import pytest

from tests.conftest import ROOT

MODULES = ["core.agreement", "core.ordering", "core.voting", "core.scoring", "core.parsing", "registry.rendering"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(f"vlrb_tasks.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_documents_name_what_exists():
    text = "".join(
        path.read_text()
        for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
    )
    for path in re.findall(
        r"`((?:vlrb_tasks|judge_prompts|docs|tests|examples)/[\w./]+)`|\]\((\w[\w./]+\.(?:md|yaml))\)", text
    ):
        named = next(filter(None, path))
        if "NAME" in named:
            continue
        assert (ROOT / named).exists() or (ROOT / "docs" / named).exists(), named
    from vlrb_tasks.core.families import family_metrics

    names = {metric.name for metric in family_metrics("pairwise", ["general"], 5, soft=True, partly=True)}
    for metric in re.findall(r"`((?:overall|macro)_\w+|coverage\w*|\w+_rate|vote_agreement)`", text):
        assert metric in names, metric
