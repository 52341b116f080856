"""The code held against public data with known right numbers. Skipped where the data is absent."""

from __future__ import annotations

import collections
import gzip
import json
import re

import numpy as np
import pytest

from vlrb_tasks.analysis.correlate import correlate
from vlrb_tasks.core.correlation import kendall_tau, pearson
from vlrb_tasks.core.families import family_metrics
from vlrb_tasks.core.parsing import parse_verdict
from vlrb_tasks.core.ratings import bradley_terry
from vlrb_tasks.core.records import items_digest
from vlrb_tasks.core.scoring import score_ballots
from vlrb_tasks.core.verdicts import Verdict
from vlrb_tasks.core.voting import Ballot, Origin, ballot
from vlrb_tasks.data.rows import items_of
from vlrb_tasks.data.sources import open_source
from vlrb_tasks.registry.casting import cast
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.rendering import render
from vlrb_tasks.report.judges_table import judges_table, markdown_table
from vlrb_tasks.report.page import report_page
from vlrb_tasks.report.publishing import publishing_verdict
from vlrb_tasks.votes.logs import read_log, score_log
from vlrb_tasks.votes.runs import load_runs

pytestmark = pytest.mark.shared
REGISTRY = package_registry()
BENCHMARK = REGISTRY.benchmark("vlrewardbench")


@pytest.fixture(scope="module")
def rows(shared):
    return json.loads((shared / "data" / "vl_rewardbench" / "rows.json").read_text())


PROMPTS = (
    "vlrewardbench",
    "think_answer",
    "llava_critic_pairwise",
    "llava_critic_pointwise",
    "mllm_judge_pair",
    "mllm_judge_score",
    "mllm_judge_batch",
)


@pytest.mark.parametrize("name", PROMPTS)
def test_verdicts(shared, name):
    cases = [json.loads(line) for line in (shared / "cases" / "verdicts.jsonl").read_text().splitlines()]
    assert {case["prompt"] for case in cases} == set(PROMPTS)
    prompt = REGISTRY.prompt(name)
    for case in cases:
        if case["prompt"] == name:
            assert prompt.told(prompt.read(case["text"])) == case["verdict"], case


def test_official_parity(shared):
    folder = shared / "cases" / "official_parity"
    expected = json.loads((folder / "expected.json").read_text())
    log = read_log(folder / "votes.jsonl.gz", REGISTRY)
    readings = collections.Counter(vote.reading for ballot in log.ballots for vote in ballot.votes)
    assert readings == {
        "for": expected["votes"]["agree"],
        "against": expected["votes"]["reject"],
        "none": expected["votes"]["doesntMatch"],
    }
    decisions = collections.Counter((ballot.group, ballot.official_decision) for ballot in log.ballots)
    for group, counts in expected["domains"].items():
        assert [decisions[group, d] for d in ("for", "against", "none")] == [
            counts["agree"],
            counts["reject"],
            counts["excluded"],
        ]
    scores = score_log(log, REGISTRY)
    assert len(log.ballots) == expected["items"]
    assert scores["overall_accuracy"].value == expected["overall_accuracy"]
    assert scores["macro_accuracy"].value == expected["macro_accuracy"]
    assert scores["coverage"].value == expected["coverage"]
    for group, value in expected["domain_accuracy"].items():
        assert scores[f"accuracy_{group}"].value == value


@pytest.mark.parametrize(
    "judge,overall,macro,right",
    [
        ("qwen2vl7b_base", 0.43144, 0.44862, (79, 296, 163)),
        ("qwen2vl7b_lora", 0.66560, 0.57177, (75, 594, 161)),
        ("internvl25_2b_lora", 0.71211, 0.62969, (88, 616, 184)),
    ],
)
def test_real_judges(shared, judge, overall, macro, right):
    log = read_log(shared / "data" / "judge_outputs" / f"{judge}.json", REGISTRY)
    scores = score_log(log, REGISTRY)
    assert len(log.ballots) == 1247
    assert round(scores["overall_accuracy"].value, 5) == overall
    assert round(scores["macro_accuracy"].value, 5) == macro
    for group, count, n in zip(("general", "hallucination", "reasoning"), right, (181, 749, 317), strict=True):
        assert scores[f"accuracy_{group}"].n == n
        assert round(scores[f"accuracy_{group}"].value * n) == count


def test_rows_items_domains_and_preferences(shared, rows):
    items, repeats = items_of(rows, BENCHMARK, "rows.json")
    assert len(items) == 1250
    assert len({item.key for item in items}) == 1250
    assert repeats == []
    assert collections.Counter(item.group for item in items) == {"general": 183, "hallucination": 749, "reasoning": 318}
    assert collections.Counter(item.preferred for item in items) == {0: 1245, 1: 5}
    assert sum(count == 2 for count in collections.Counter(item.id for item in items).values()) == 25


def test_every_real_row_comes_through_the_published_prompt(shared, rows):
    from tests.harness.test_official_rule import published

    prompt, module = REGISTRY.prompt("vlrewardbench"), published()
    for row in rows:
        assert render(prompt, row["query"], row["response"]) == module.get_prompt(row, 0)
        assert render(prompt, row["query"], row["response"][::-1]) == module.get_prompt(row, 1)


def test_real_rows_from_a_mirror(shared, rows, tmp_path):
    (tmp_path / "test.json").write_text(json.dumps([{**row, "image": None} for row in rows]))
    source = open_source("vlrewardbench", BENCHMARK, tmp_path)
    assert len(items_of(source.rows, BENCHMARK, source.where)[0]) == 1250


def test_gpt_4o_judgments_of_the_benchmarks_own_making(rows):
    """The rationales that GPT-4o wrote in this format: all but a handful state a verdict, and it is read."""
    texts = [row["rationale"] for row in rows if "Overall Judgment" in row["rationale"]]
    outcomes = collections.Counter(REGISTRY.prompt("vlrewardbench").read(text).outcome for text in texts)
    assert len(texts) > 300
    assert outcomes["unparsed"] <= 1
    for text in texts:
        last = re.findall(r"Overall Judgment[:*\s]*\*{0,2}Answer (\d) is (?:superior|better)", text)
        if last:
            assert parse_verdict(text).outcome == {"1": "first", "2": "second"}[last[-1]]


def test_gpt_4o_verdicts_of_wildvision(shared):
    """Bracketed verdicts are read as the file's own scores say; and where the brackets are taken out, the prose rarely contradicts them."""
    meant = {"A>B": "first", "A>>B": "first", "B>A": "second", "B>>A": "second", "A=B": "tie"}
    prose = collections.Counter()
    for path in sorted((shared / "data" / "wildvision_bench" / "judgements").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)["games"][0]
            text = row.get("judgment", row.get("judgement"))
            read = REGISTRY.prompt("mllm_judge_pair").read(text or "").outcome
            if (
                row.get("score") in meant and read != meant[row["score"]]
            ):  # stored as a tie where the request failed or the text broke off
                assert row["score"] == "A=B"
                assert not text or "[[" not in text
            if row.get("score") in meant and text and "[[" in text:
                assert parse_verdict(text, labels=("Assistant A", "Assistant B")).outcome == meant[row["score"]]
                said = parse_verdict(
                    re.sub(r"\[\[.*?\]\]", "", text), ("prose",), ("Assistant A", "Assistant B")
                ).outcome
                if said in ("first", "second"):
                    prose[said == meant[row["score"]]] += 1
    assert prose[False] / (prose[True] + prose[False]) < 0.02


def test_votes_of_the_parity_file_read_by_our_parser(shared):
    """Our parser reads what the benchmark's rule misses, and never the other slot."""
    with gzip.open(shared / "cases" / "official_parity" / "votes.jsonl.gz", "rt") as lines:
        texts = {json.loads(line)["meta"]["filter_choice"] for line in lines}
    from vlrb_tasks.core.parsing import parse_official

    for text in texts:
        official, ours = parse_official(text).outcome, REGISTRY.prompt("vlrewardbench").read(text).outcome
        assert official in (ours, "unparsed"), text


def test_correlations_of_a_critics_scores_with_peoples(shared):
    for name, n, r, tau in (("mllm_judge", 5716, 0.402, 0.3003), ("polaris", 8724, 0.9057, 0.8643)):
        path = shared / "data" / "score_pairs" / f"llava_critic_7b_{name}.csv"
        (found,) = correlate(path, "gt_score", "parsed_score", missing=(-1,))
        assert found.n == n
        assert found.dropped > 0
        assert round(found.found["pearson"].value, 4) == r
        assert round(found.found["kendall_tau"].value, 4) == tau


def test_ratings_of_wildvision_bench(shared):
    """Bradley-Terry ratings of the published battles, against the published tables."""
    folder = shared / "data" / "wildvision_bench"
    winner = {"model_a": "a", "model_b": "b"}
    battles = []
    for line in (folder / "vision_bench_battles.jsonl").read_text().splitlines():
        row = json.loads(line)
        battles.append((row["model_a"], row["model_b"], winner.get(row["winner"], "tie")))
    fitted = bradley_terry(battles, anchor="claude-3-sonnet-20240229")
    published = {}
    for line in (folder / "elo_leaderboard.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 1 and re.fullmatch(r"[\d.]+", cells[1]):
            published[cells[0]] = float(cells[1])
    shared_names = [name for name in fitted.ratings if name in published]
    assert len(shared_names) >= 21
    ours = np.array([fitted.ratings[name] for name in shared_names])
    theirs = np.array([published[name] for name in shared_names])
    assert pearson(ours, theirs).value >= 0.99
    assert kendall_tau(ours, theirs).value == pytest.approx(1.0)
    # their score is the chance to win against the reference, in per cent
    chances = np.array([100 * fitted.chance(name, "claude-3-sonnet-20240229") for name in shared_names])
    assert np.abs(chances - theirs).max() < 1.5


def test_rewards_of_wildvision_bench(shared):
    """Their reward: B>>A +1, B>A +.5, ties 0, and so on, mean x 100, from verdicts parsed from the raw texts."""
    rewards = {"A>>B": -1, "A>B": -0.5, "A=B": 0, "B>A": 0.5, "B>>A": 1}
    for model, expected in (("gpt-4o", 56.4), ("yi-vl-plus", 7.2)):
        path = shared / "data" / "wildvision_bench" / "judgements" / f"{model}.jsonl"
        total, n = 0.0, 0
        for line in path.read_text().splitlines():
            game = json.loads(line)["games"][0]
            text = game.get("judgment", game.get("judgement")) or ""
            marks = re.findall(r"\[\[([AB][<>=]{1,2}[AB])\]\]", text)
            n += 1
            if marks:
                verdict = REGISTRY.prompt("mllm_judge_pair").read(text)
                sign = {"first": -1, "second": 1, "tie": 0}[verdict.outcome]
                total += sign * abs(rewards[marks[-1]])
        assert round(100 * total / n, 1) == expected, model


def test_gpt_4v_scores_of_mj_bench(shared):
    """Comparisons made of two raw scores: accuracy with and without ties, beside the file's own reading of the votes."""
    rows = json.loads((shared / "data" / "mj_bench" / "validation_gpt4score_eval.json").read_text())
    ballots, agreed, both = [], 0, 0
    for row in rows:
        one, two = (
            parse_verdict(row[f"score_{i}"], ("score",), labels=(), scale=(0, 10)).score for i in (0, 1)
        )  # fmt: skip
        if one is None or two is None:
            verdict = Verdict("unparsed")
        else:
            verdict = Verdict("tie" if one == two else "first" if one > two else "second")
        preferred = {"0": 0, "1": 1, "tie": None}[row["label"]]
        vote = cast(0, (0, 1), "", verdict, preferred, official=False)
        origin = Origin("mj_bench", "raw", "scores", "pairwise_ties")
        ballots.append(Ballot(row["id"], row["id"], "all", preferred, (0, 0), (), (vote,), origin))
        theirs = {"0": "first", "1": "second", "tie": "tie"}.get(row["pred_gpt4v"])
        if theirs is not None and verdict.outcome != "unparsed":
            both += 1
            agreed += theirs == verdict.outcome
    scores = score_ballots(ballots, family_metrics("pairwise_ties", ["all"], 1))
    assert agreed / both > 0.98  # the judge's stated vote and its own two scores
    assert scores["accuracy_with_tie"].n == 500
    assert scores["accuracy_without_tie"].n == 425  # 238 + 187 pairs on which people see a winner
    counted = collections.Counter((row["label"], row["pred_gpt4v"]) for row in rows)
    stated = sum(counted[label, label] for label in ("0", "1"))
    assert abs(scores["accuracy_without_tie"].value * 425 - stated) / 425 < 0.05


def test_a_report_of_real_judges(shared, tmp_path, monkeypatch):
    """Three judges on one page and in one table, with the numbers that are known of them, beside the controls."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    runs = load_runs(sorted((shared / "data" / "judge_outputs").glob("*.json")), REGISTRY)
    table = markdown_table(judges_table(runs, reported=False), intervals=False).splitlines()
    heads = [cell.strip() for cell in table[0].split("|")]
    shown = {cells[1].strip(): cells for cells in (line.split("|") for line in table[2:])}
    for judge, overall, macro in (
        (r"qwen2vl7b\_base", "43.1", "44.9"),
        (r"qwen2vl7b\_lora", "66.6", "57.2"),
        (r"internvl25\_2b\_lora", "71.2", "63.0"),
    ):
        assert shown[judge][heads.index("Overall, official")].strip() == overall
        assert shown[judge][heads.index("Macro, official")].strip() == macro
    # the judges saw the better response first in 1,226 of the 1,247 pairs; how long responses are, the files do not say
    assert shown["first (control)"][heads.index("Overall, official")].strip() == "98.3"
    assert "longer (control)" not in shown
    page = report_page(runs, None, None, False)
    for judge in ("qwen2vl7b_base", "qwen2vl7b_lora", "internvl25_2b_lora"):
        assert judge in page
    # the untrained judge cannot be told from one that names the longer response
    assert publishing_verdict(next(run for run in runs if run.name == "qwen2vl7b_base")).publish != "yes"


def test_the_known_edition_of_the_benchmark_is_that_of_its_rows(shared, rows):
    items, _ = items_of(rows, BENCHMARK, "rows.json")
    origin = Origin("vlrewardbench", "vlrewardbench@1", "official")
    (edition,) = BENCHMARK.editions
    assert edition.items == len(items) == 1250
    assert items_digest(ballot(item, [], origin) for item in items) == edition.sha256
