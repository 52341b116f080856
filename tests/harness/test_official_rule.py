"""The benchmark's own rule, beside lmms-eval's reading of the same texts."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

from vlrb_tasks.core.parsing import official_choice
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.rendering import render

PIECES = [
    "Overall Judgment", "overall judgment:", "OVERALL JUDGMENT", "Overall  Judgment", "Overall\nJudgment", "Therefore", "therefore,", "Answer 1", "answer 2", "Answer", "1", "2", "3", "12", "٣",
    "is", " is ", "the", "slightly", "better", "is better", "is the better", "is the slightly better", "is slightly the better", "significantly", "\n", "**", "*", "-", " ", "  ", "\t", "\r", ".", ":",
    "Answer 1 is better", "Answer 2 is the slightly better", "Answer 2is better", "Answer1 is thebetter", "answer 10 is better.", "Overall Judgment: Answer 2 is better.", "\u2028", "\x1c", "ſ", "\u212a",
]  # fmt: skip


def published():
    """lmms-eval's own module, without the packages above it, and with a mark in place of its API call."""
    root = Path(importlib.util.find_spec("lmms_eval").submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("published_rule", root / "tasks" / "vl_rewardbench" / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_same_slot_on_100_000_texts():
    module = published()
    asked_api = []
    module.parse_by_llm = lambda text: asked_api.append(text) or "Answer 1"
    rng = random.Random(0)
    found = 0
    for _ in range(100_000):
        text = "".join(rng.choice(PIECES) + rng.choice(["", " ", ""]) for _ in range(rng.randint(1, 14)))
        asked_api.clear()
        theirs = module.parse_pred_ans(text)
        choice = official_choice(text)
        assert (choice is None) == bool(asked_api), repr(text)
        if choice is not None:
            assert choice[0] == theirs, repr(text)
            found += 1
    assert found > 10_000  # the generator does reach the rule


def test_the_prompt_is_the_published_one_byte_for_byte():
    module = published()
    prompt = package_registry().prompt("vlrewardbench")
    rng = random.Random(1)
    for _ in range(500):
        row = {
            "query": "".join(rng.choice("ab {}%<>\n\"'é图") for _ in range(30)),
            "response": ["".join(rng.choice("xy {{}}#\n") for _ in range(40)) for _ in range(2)],
        }
        assert render(prompt, row["query"], row["response"]) == module.get_prompt(row, 0)
        assert render(prompt, row["query"], row["response"][::-1]) == module.get_prompt(row, 1)
