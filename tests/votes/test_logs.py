"""Logs of every kind, and what is wrong with them."""

import gzip
import json

import pytest

from vlrb_tasks.core.records import ballot_record
from vlrb_tasks.core.voting import Ballot, Origin, Vote
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.votes.errors import LogError
from vlrb_tasks.votes.logs import find_logs, read_log, score_log
from vlrb_tasks.votes.reading_again import read_again

REGISTRY = package_registry()


def ballot(key="k1", texts=("Overall Judgment: Answer 1 is better.",), group="general"):
    votes = tuple(Vote(i, (0, 1), text, "first", (18, 36), 0, "for") for i, text in enumerate(texts))
    return Ballot(
        key,
        "wildvision-1",
        group,
        0,
        (3, 4),
        (),
        votes,
        Origin("vlrewardbench", "vlrewardbench@1", "vlrewardbench_official"),
    )


def sample_log(path, ballots):
    path.write_text(
        "".join(json.dumps({"doc_id": i, "ballot": ballot_record(b)}) + "\n" for i, b in enumerate(ballots))
    )
    return path


def inference(path, rows):
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


def vote(text, swapped=0, id="mathverse_1", response=("a", "b"), ranking=(0, 1)):
    return {
        "id": id,
        "query": "q",
        "response": list(response),
        "ranking": list(ranking),
        "meta": {"filter_choice": text, "random_number": swapped},
    }


def test_sample_log(tmp_path):
    log = read_log(sample_log(tmp_path / "x_samples_y.jsonl", [ballot("a"), ballot("b", group="reasoning")]), REGISTRY)
    assert log.kind == "sample log"
    assert score_log(log, REGISTRY)["overall_accuracy"].value == 1
    assert find_logs(tmp_path) == [tmp_path / "x_samples_y.jsonl"]


def test_a_log_that_was_cut_off_keeps_its_whole_lines(tmp_path):
    path = sample_log(tmp_path / "x.jsonl", [ballot("a"), ballot("b")])
    path.write_text(path.read_text()[:-30])
    log = read_log(path, REGISTRY)
    assert len(log.ballots) == 1
    assert "was cut off" in log.notes[0]


def test_inference_file(tmp_path):
    rows = [
        vote("Overall Judgment: Answer 1 is better."), vote("Overall Judgment: Answer 2 is better.", swapped=1), vote("I pick Answer 2."),
        vote("Overall Judgment: Answer 2 is better.", id="RLHF-V-1"),
        # the same pair listed the other way round is the same item
        vote("Overall Judgment: Answer 2 is better.", id="RLHF-V-1", response=("b", "a"), ranking=(1, 0)),
    ]  # fmt: skip
    log = read_log(inference(tmp_path / "votes.jsonl.gz", rows), REGISTRY)
    assert [b.group for b in log.ballots] == ["reasoning", "hallucination"]
    assert [v.choice for v in log.ballots[0].votes] == [0, 0, 1]
    assert [v.reading for v in log.ballots[0].votes] == ["for", "for", "none"]
    assert [v.reading for v in log.ballots[1].votes] == ["against", "for"]


def test_results_per_item(tmp_path):
    path = tmp_path / "results.json"
    rows = [
        {"id": "mathverse_1", "label": 1, "prediction": 1},
        {"id": "mathverse_1", "label": 0, "pred": 1},
        {"id": "RLHF-V-2", "label": 0, "prediction": None},
    ]
    for content in ({"results": rows}, {"rows": rows}, rows):
        path.write_text(json.dumps(content))
        log = read_log(path, REGISTRY)
        scores = score_log(log, REGISTRY)
        assert (scores["overall_accuracy"].value, scores["overall_accuracy"].n) == (0.5, 2)
        assert scores["unparsed_rate"].value == 1 / 3


def test_reading_again_with_another_parser(tmp_path):
    texts = ("Overall Judgment: Answer 1 is better.", "I think Answer 2 is superior overall.")
    log = read_log(sample_log(tmp_path / "x.jsonl", [ballot(texts=texts)]), REGISTRY)
    again, changes = read_again(log, "vlrewardbench", REGISTRY)
    assert [(c.before.outcome, c.after.outcome) for c in changes] == [("first", "second")]
    assert [v.reading for v in again.ballots[0].votes] == [
        "for",
        "none",
    ]  # the benchmark's own rule still reads for the official numbers
    own, _ = read_again(log, "vlrb_pairwise", REGISTRY)
    assert own.origin.rule == "parser of vlrb_pairwise@1"
    assert [v.reading for v in own.ballots[0].votes] == ["for", "against"]
    _, changes = read_again(log, "vlrewardbench_official", REGISTRY)
    assert [(c.before.outcome, c.after.outcome) for c in changes] == [("first", "unparsed")]


def test_reading_again_needs_texts(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{"id": "mathverse_1", "label": 1, "prediction": 1}]))
    with pytest.raises(LogError, match="keeps no texts"):
        read_again(read_log(path, REGISTRY), "vlrewardbench", REGISTRY)


def broken_ballot(**changes):
    record = ballot_record(ballot())
    record["votes"][0].update(changes)
    return json.dumps({"ballot": record}) + "\n"


FAULTS = {
    "empty": ("x.jsonl", "", "holds no lines"),
    "another task's log": (
        "x.jsonl",
        '{"doc_id": 0, "acc": 1}\n',
        "neither a sample log with ballots nor an inference file",
    ),
    "broken in the middle": ("x.jsonl", broken_ballot() + "{oops\n" + broken_ballot(), r"x\.jsonl:2 is no JSON"),
    "a list": ("x.jsonl", "[1]\n", r"x\.jsonl:1 is list"),
    "item twice": ("x.jsonl", broken_ballot() * 2, r"1 items stand twice \(first: k1\)"),
    "unknown verdict": (
        "x.jsonl",
        broken_ballot(verdict="third"),
        r":1 ballot: verdict: got 'third'; expected one of first",
    ),
    "wrong order": ("x.jsonl", broken_ballot(order=[0, 0]), "order: got .* expected each response once"),
    "no ballot field": ("x.jsonl", json.dumps({"ballot": {"key": "k"}}) + "\n", "a ballot without 'id'"),
    "inference without ranking": (
        "x.jsonl",
        json.dumps({k: v for k, v in vote("x").items() if k != "ranking"}) + "\n",
        r":1 KeyError: 'human_ranking'",
    ),
    "inference with a tie": ("x.jsonl", json.dumps(vote("x", ranking=(0, 0))) + "\n", "names no winner"),
    "inference with an unknown id": (
        "x.jsonl",
        json.dumps(vote("x", id="new-1")) + "\n",
        "expected one that begins with",
    ),
    "results without a list": ("x.json", "{}", "no list of results"),
    "results with a wrong label": ("x.json", '[{"id": "mathverse_1", "label": 2, "prediction": 1}]', "label"),
    "results with a wrong prediction": (
        "x.json",
        '[{"id": "mathverse_1", "label": 1, "prediction": "A"}]',
        "prediction: got 'A'",
    ),
    "results that are no JSON": ("x.json", "{", "is no JSON"),
    "gz that is none": ("x.jsonl.gz", "plain", "cannot be read"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path, name):
    file, content, message = FAULTS[name]
    (tmp_path / file).write_text(content)
    with pytest.raises(LogError, match=message) as error:
        read_log(tmp_path / file, REGISTRY)
    assert "Fix:" in str(error.value)


def test_a_compressed_file_that_is_damaged(tmp_path):
    whole = bytearray(gzip.compress(b"x" * 5000 + bytes(range(256)) * 20))
    whole[30] ^= 0xFF
    (tmp_path / "x.jsonl.gz").write_bytes(bytes(whole))
    with pytest.raises(LogError, match="cannot be read"):
        read_log(tmp_path / "x.jsonl.gz", REGISTRY)


def test_folders_without_logs(tmp_path):
    with pytest.raises(LogError, match="no sample logs"):
        find_logs(tmp_path)
    with pytest.raises(LogError, match="no such file"):
        find_logs(tmp_path / "none")
