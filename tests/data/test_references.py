"""Rows of every kind of reference: battles with conversations, scores told in a turn, orders, groups by a column."""

import pytest

from vlrb_tasks.data.rows import DataError, items_of
from vlrb_tasks.registry.benchmarks import Benchmark
from vlrb_tasks.registry.index import package_registry

ARENA = package_registry().benchmark("wildvision_arena")
CRITIC = package_registry().benchmark("llava_critic_113k")


def arena(**changes):
    """A row of the schema of WildVision's battles."""

    def talk(*answers):
        turns = []
        for i, answer in enumerate(answers):
            turns += [{"role": "user", "content": f"question {i}"}, {"role": "assistant", "content": answer}]
        return turns

    row = {
        "question_id": "q1", "model_a": "alpha", "model_b": "beta", "conversation_a": talk("A dog."), "conversation_b": talk("A cat."), "language": "English",
        "image": None, "turn": 1, "anony": True, "winner": "model_b", "judge": "someone", "domain": "animals",
    }  # fmt: skip
    return {**row, **changes}


def critic(**changes):
    """A row of the schema of LLaVA-Critic-113k, pointwise."""
    row = {
        "id": "c1",
        "source": "vlfeedback",
        "conversations": [
            {"from": "human", "value": "<image>\nScore this answer out of 100."},
            {"from": "gpt", "value": "85\nIt is accurate."},
        ],
        "image": None,
    }
    return {**row, **changes}


def one(row, benchmark):
    return items_of([row], benchmark, "rows")[0][0]


def test_a_battle():
    item = one(arena(), ARENA)
    assert (item.question, item.responses, item.preferred, item.models) == (
        "question 0",
        ("A dog.", "A cat."),
        1,
        ("alpha", "beta"),
    )
    assert item.group == "all"


@pytest.mark.parametrize(
    "word,preferred", [("model_a", 0), ("model_b", 1), ("tie", None), ("bothbad", None), ("tie (bothbad)", None)]
)
def test_votes_of_people(word, preferred):
    assert one(arena(winner=word), ARENA).preferred == preferred


def test_several_turns_stand_in_order():
    turns = [{"role": r, "content": f"{r}{i}"} for i in (1, 2) for r in ("user", "assistant")]
    item = one(arena(conversation_a=turns), ARENA)
    assert item.question == "Turn 1: user1\n\nTurn 2: user2"
    assert item.responses[0] == "Turn 1: assistant1\n\nTurn 2: assistant2"


def test_a_prompt_with_its_score():
    item = one(critic(), CRITIC)
    assert (item.question, item.responses, item.score, item.group) == (
        "Score this answer out of 100.",
        (),
        85,
        "vlfeedback",
    )


FAULTS = {
    "unknown word": (arena(winner="both"), ARENA, "winner: got 'both'; expected one of model_a, model_b, tie"),
    "no answer": (
        arena(conversation_b=[{"role": "user", "content": "q"}]),
        ARENA,
        "conversation_b: .* a conversation with a turn of assistant",
    ),
    "turn without text": (
        arena(conversation_a=[{"role": "user"}]),
        ARENA,
        "conversation_a: .* a list of turns with role and content",
    ),
    "no score told": (
        critic(conversations=[{"from": "human", "value": "q"}, {"from": "gpt", "value": "Good."}]),
        CRITIC,
        "conversations: .* a turn that tells one",
    ),
    "no conversation": (critic(conversations=[]), CRITIC, "conversations: "),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name):
    row, benchmark, message = FAULTS[name]
    with pytest.raises(DataError, match=rf"rows row 0 \(id .*\) {message}"):
        one(row, benchmark)


def own(metrics, **columns) -> Benchmark:
    return Benchmark.model_validate(
        {
            "title": "t", "description": "d", "source": {}, "dataset": {"path": "x", "license": "l"}, "metrics": metrics, "prompt": "mllm_judge_batch",
            "columns": {"id": "id", "question": "q", **columns}, "groups": {"column": "set"},
        }
    )  # fmt: skip


def test_scores_as_numbers_or_text():
    benchmark = own("pointwise", responses="answer", score="human")
    for cell, score in ((4, 4.0), ("4", 4.0), (3.5, 3.5)):
        item = one({"id": 7, "q": "?", "answer": "A dog.", "human": cell, "set": "coco"}, benchmark)
        assert (item.id, item.responses, item.score, item.group) == ("7", ("A dog.",), score, "coco")
    with pytest.raises(DataError, match="human: got 'good'; expected a number"):
        one({"id": 7, "q": "?", "answer": "A", "human": "good", "set": "coco"}, benchmark)


def test_orders_by_letters_and_by_ranks():
    row = {"id": "1", "q": "?", "answers": list("wxyz"), "order": "CABD", "ranks": [1, 2, 0, 3], "set": "s"}
    assert one(row, own("ranking", responses="answers", order="order")).ranking == (2, 0, 1, 3)
    assert one(row, own("ranking", responses="answers", ranking="ranks")).ranking == (2, 0, 1, 3)
    for wrong in ("CABC", "CAB", "", None):
        with pytest.raises(DataError, match="expected the letters ABCD in their order"):
            one({**row, "order": wrong}, own("ranking", responses="answers", order="order"))


def test_a_benchmark_needs_one_reference():
    with pytest.raises(ValueError, match="one of ranking, winner, best, score and order"):
        own("ranking", responses="answers")
