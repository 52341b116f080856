"""Options of prompts: system text, worked examples with images, variables, right answers, likelihoods."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("lmms_eval.evaluator")

from PIL import Image

from tests.data.rows import rows
from tests.harness.recorders import ChatRecorder, SimpleRecorder
from tests.harness.test_task import evaluate, mirror, scores  # noqa: F401  (a fixture)
from vlrb_tasks.harness.judges.baseline import BaselineJudge
from vlrb_tasks.harness.task import JudgeTask
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.loading import RegistryError


def task_of(**judge):
    config = {"task": "t", "output_type": "generate_until", "judge": judge, "generation_kwargs": {"max_new_tokens": 8}}
    return JudgeTask(config=config)


def test_worked_examples_are_turns_for_a_chat_model():
    model = ChatRecorder("Verdict: [[A]]")
    evaluate(model, ["vlrb_scenes@vlrb_examples"], limit=1)
    roles = [message["role"] for message in model.messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    pictures = [[part["url"] for part in message["content"] if part["type"] == "image"] for message in model.messages]
    assert [len(found) for found in pictures] == [1, 0, 1, 0, 1]
    assert pictures[0][0].size == (224, 224)
    said = [message["content"][-1]["text"] for message in model.messages]
    assert "How many black circles are there?" in said[0]
    assert said[1] == "I count four black circles.\nVerdict: [[A]]"
    assert "[[B]]" in said[3]
    assert "black circles" not in said[4]


def test_worked_examples_are_text_with_pictures_in_order_for_a_simple_model():
    model = SimpleRecorder("Verdict: [[A]]")
    results = evaluate(model, ["vlrb_scenes@vlrb_examples"], limit=1)
    (text,) = set(model.texts[:1])
    assert (
        text.index("Example 1")
        < text.index("I count four black circles.")
        < text.index("Example 2")
        < text.index("Your turn")
    )
    assert [len(images) for images in model.images] == [3] * 5
    assert [image.size for image in model.images[0]] == [(224, 224), (224, 224), (320, 320)]
    assert "black circles" not in json.dumps(results["samples"]["vlrb_scenes@vlrb_examples"][0]["ballot"]["votes"])


@pytest.mark.parametrize("recorder", [SimpleRecorder, ChatRecorder])
def test_a_system_text_comes_first(recorder):
    model = recorder("[[A]]")
    evaluate(model, ["vlrb_scenes@vlrb_rubric"], limit=1)
    if recorder is ChatRecorder:
        assert model.messages[0]["role"] == "system"
        assert model.messages[0]["content"][0]["text"].startswith("You judge the responses")
    else:
        assert model.texts[0].startswith("You judge the responses")


def test_a_task_changes_the_variables_of_a_prompt():
    changes = {"language": "German", "reasons": True, "rubric": ["Only colours count."]}
    task = task_of(benchmark="vlrb_scenes", prompt="vlrb_rubric", variables=changes)
    text = task.doc_to_text(task.dataset["test"][0])
    assert "in German" in text
    assert "1. Only colours count." in text
    assert "2. " not in text
    assert task.reader.origin.prompt.startswith("vlrb_rubric@1(language=German,rubric=")
    short = task_of(benchmark="vlrb_scenes", prompt="vlrb_rubric", variables={"reasons": False, "rubric": []})
    text = short.doc_to_text(short.dataset["test"][0])
    assert "Answer with the verdict alone" in text
    assert "What counts" not in text
    same = task_of(benchmark="vlrb_scenes", prompt="vlrb_rubric", variables={"language": "English"})
    assert same.reader.origin.prompt == "vlrb_rubric@1"


@pytest.mark.parametrize(
    "variables,message",
    [
        (
            {"langauge": "German"},
            "variables.langauge: prompt vlrb_rubric has no such variable; there are language, reasons, rubric",
        ),
        ({"reasons": "no"}, "variables.reasons: got 'no'; expected a value like True"),
        ({"rubric": "short"}, "variables.rubric: got 'short'; expected a value like"),
    ],
)
def test_variables_that_do_not_fit_are_told(variables, message):
    with pytest.raises(RegistryError, match=message):
        task_of(benchmark="vlrb_scenes", prompt="vlrb_rubric", variables=variables)


def test_the_right_answer_is_shown_where_there_is_one(tmp_path, monkeypatch):
    data = [
        {**row, "image": "0.png", "ground_truth": "Forty-two {{ 7 * 6 }}" if i == 0 else ""}
        for i, row in enumerate(rows(2))
    ]
    Image.new("RGB", (8, 8)).save(tmp_path / "0.png")
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, data)))
    monkeypatch.setenv("VLRB_DATA", str(tmp_path))
    model = SimpleRecorder("[[A]]")
    evaluate(model, ["vlrewardbench@vlrb_rubric"])
    shown = ["The right answer to the question: Forty-two {{ 7 * 6 }}" in text for text in model.texts]
    assert shown == [True] * 5 + [False] * 5


def test_a_prompt_that_needs_the_right_answer_is_kept_from_benchmarks_without_one():
    from vlrb_tasks.registry.casting import reader

    known = package_registry()
    prompt = known.prompt("vlrb_rubric").model_copy(update={"needs_reference_answer": True})
    reader("vlrewardbench", known.benchmark("vlrewardbench"), prompt)
    with pytest.raises(RegistryError, match="vlrb_scenes names no column of right answers"):
        reader("vlrb_scenes", known.benchmark("vlrb_scenes"), prompt)


class Likely(SimpleRecorder):
    """Says how likely A and B are, from a table, and refuses to write."""

    def __init__(self, losses):
        super().__init__()
        self.losses, self.answers = losses, []

    def loglikelihood(self, requests):
        self.answers = [request.args[1] for request in requests]
        self.asked = [request.args for request in requests]
        return [(self.losses[request.args[1]], False) for request in requests]

    def generate_until(self, requests):
        raise AssertionError("nothing is to be written")


def test_likelihoods_are_soft_votes():
    model = Likely({"A": 0.2, "B": 1.2})
    results = evaluate(model, ["vlrb_scenes@vlrb_loglikelihood"], limit=12, repeats=2)
    assert model.answers == ["A", "B"] * 24
    texts = [args[0] for args in model.asked]
    assert texts[::2] == texts[1::2], "both answers follow the same text"
    found = scores(results, "vlrb_scenes@vlrb_loglikelihood")
    assert (found["first_slot_rate"], found["unparsed_rate"], found["failed_rate"]) == (1, 0, 0)
    share = 1 / (1 + 2.718281828459045**-1)  # softmax of -.2 and -1.2
    for sample in results["samples"]["vlrb_scenes@vlrb_loglikelihood"]:
        assert len(sample["ballot"]["votes"]) == 2
        for vote in sample["ballot"]["votes"]:
            assert vote["text"] == "log-likelihoods: first -0.2, second -1.2"
            assert vote["shares"][vote["order"][0]] == pytest.approx(share)
    assert 1 - share < found["soft_probability"] < share
    assert "soft_accuracy" in found


def test_a_likelihood_that_is_missing_fails_the_vote():
    results = evaluate(Likely({"A": float("nan"), "B": 1.0}), ["vlrb_scenes@vlrb_loglikelihood"], limit=2)
    assert scores(results, "vlrb_scenes@vlrb_loglikelihood")["failed_rate"] == 1


@pytest.mark.parametrize("policy,accuracy", [("oracle", 1.0), ("first", 0.5)])
def test_controls_answer_with_likelihoods_too(policy, accuracy):
    results = evaluate(BaselineJudge(policy=policy), ["vlrb_scenes@vlrb_loglikelihood"])
    assert scores(results, "vlrb_scenes@vlrb_loglikelihood")["accuracy_at_1"] == pytest.approx(accuracy, abs=0.1)
