"""Scores and rankings in judges' texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.parsing import parse_verdict

SCORES = [
    ("10 (The image meets the prompt in every detail)", 10),
    ("7 - it misses the hat", 7),
    ("Score: 85", 85),
    ("85/100", 85),
    ("Rating: 8/10", 80),
    ("I give it a 7 out of 10.", 70),
    ("**85**", 85),
    ("Score (0-100): 70", 70),
    ("On a scale of 0 to 100, I would rate this response 65.", 65),
    ("The image has 3 dogs.", None),
    ("Score: 40. On reflection, score: 60.", 60),
    ("90\n\nThe response mentions 5 apples.", 90),
    ("Overall score: 85/100\nAccuracy: 90", 85),
    ("Accuracy: 8/10\nClarity: 9/10\nOverall: 8/10", 80),
    ("Score: N/A", None),
    ("Score: 80-85", None),
    ("95%", 95),
    ("Score: ninety", None),
    ("score = 55", 55),
    ("[[75]]", 75),
    ("<think>score 10</think><answer>88</answer>", 88),
    ("\\boxed{42}", 42),
    ("100", 100),
    ("0", 0),
    ("-1", None),
    ("101", None),
    ("The score is 64 because...", 64),
    ("I'd score it 55.5 points", 55.5),
    ("1,000", None),
    ("2023 was the year", None),
    ("The response deserves a score of 30 out of 100.", 30),
    ("Final score: 77.", 77),
    ("Quality: 4/5", 80),
    ("", None),
    ("得分：85", 85),
    ("评分：90分", 90),
    ("A score of 50 would be too harsh, so I give 60.", 60),
]
RANKINGS = [
    ("CABD", "CABD"),
    ("Ranking: C, A, B, D", "CABD"),
    ("C>A>B>D", "CABD"),
    ("1. C\n2. A\n3. B\n4. D", "CABD"),
    ("Response C > Response A > Response B > Response D", "CABD"),
    ("The ranking from best to worst is: [C, A, B, D]", "CABD"),
    ("First I thought ABCD, but the ranking is DCBA.", "DCBA"),
    ("[[CABD]]", "CABD"),
    ("C A B D", "CABD"),
    ("Best to worst: C, then A, then B, and finally D.", "CABD"),
    ("ABC", None),
    ("A > B = C > D", None),
    ("A", None),
    ("ABCDE", None),
    ("\\boxed{BACD}", "BACD"),
    ("<answer>DBCA</answer>", "DBCA"),
    ("Ranking: Assistant C > Assistant A > Assistant D > Assistant B", "CADB"),
    ("AABC", None),
    ("", None),
    ("1st: B\n2nd: A\n3rd: C\n4th: D", "BACD"),
    ("Rank 1: B\nRank 2: A\nRank 3: C\nRank 4: D", "BACD"),
    ("C → A → B → D", "CABD"),
]


def score(text, scale=(0, 100)):
    verdict = parse_verdict(text, ("tag", "boxed", "brackets", "score"), labels=(), scale=scale)
    assert (verdict.score is None) == (verdict.outcome != "score")
    if verdict.score is not None:
        start, end = verdict.span
        assert 0 <= start < end <= len(text)
    return verdict.score


def ranking(text, labels=("A", "B", "C", "D")):
    verdict = parse_verdict(text, ("tag", "boxed", "brackets", "order"), labels=labels)
    return None if verdict.ranking is None else "".join(labels[slot] for slot in verdict.ranking)


@pytest.mark.parametrize("text,expected", SCORES)
def test_scores(text, expected):
    assert score(text) == expected


@pytest.mark.parametrize("text,expected", RANKINGS)
def test_rankings(text, expected):
    assert ranking(text) == expected


@given(st.integers(0, 100))
def test_every_score_in_every_form(number):
    for form in (
        "{}",
        "{}\n\nReasons.",
        "Score: {}",
        "Rating: {}/100",
        "**Score:** {}.",
        "[[{}]]",
        "\\boxed{{{}}}",
        "<answer>{}</answer>",
        "I would give it {}.",
    ):
        assert score(form.format(number)) == number, form


def test_scales():
    assert score("Judgment: 4", (1, 5)) == 4
    assert score("4/5", (1, 5)) == 4
    assert score("8/10", (1, 5)) == 4
    assert score("0", (1, 5)) is None
    assert score("6", (1, 5)) is None


@given(st.permutations("ABCD"))
def test_every_order_in_every_form(order):
    wanted = "".join(order)
    forms = (wanted, " > ".join(order), ", ".join(order), f"[[{wanted}]]", f"The ranking is {wanted}.", " ".join(order))
    for text in (*forms, "\n".join(f"{i}. {label}" for i, label in enumerate(order, 1))):
        assert ranking(text) == wanted, text


def test_numbers_as_labels():
    assert ranking("3 > 1 > 2", ("1", "2", "3")) == "312"


@given(st.text())
def test_any_text(text):
    score(text)
    ranking(text)
