"""Submissions: an honest one is accepted, and each of twenty and more forged ones is rejected for the right reason."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from tests.votes.made_runs import scene_items, write_run
from vlrb_tasks.cli.main import app
from vlrb_tasks.environment import registry
from vlrb_tasks.report.exports import exported, model_card
from vlrb_tasks.votes.errors import SubmissionError
from vlrb_tasks.votes.runs import load_run
from vlrb_tasks.votes.submission.checking import faults_of
from vlrb_tasks.votes.submission.form import read_submission
from vlrb_tasks.votes.submission.packing import About, pack

Ballots = list[dict[str, Any]]


@pytest.fixture(scope="module")
def honest(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    log = write_run(folder / "run", scene_items(), 0.75, unparsed=0.03, failed=0.004)
    pack(load_run(log, registry()), About("Honest judge"), folder / "submission")
    return folder / "submission"


class Forgery:
    """The files of a submission, to be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.card = json.loads((folder / "submission.json").read_text())
        self.results = json.loads((folder / "results.json").read_text())
        with gzip.open(folder / "votes.jsonl.gz", "rt") as lines:
            self.ballots: Ballots = [json.loads(line) for line in lines]

    def write(self) -> None:
        (self.folder / "submission.json").write_text(json.dumps(self.card))
        (self.folder / "results.json").write_text(json.dumps(self.results))
        with gzip.open(self.folder / "votes.jsonl.gz", "wt") as stream:
            stream.write("".join(json.dumps(ballot) + "\n" for ballot in self.ballots))

    def wrong(self) -> dict[str, Any]:
        """A vote that was parsed and is wrong."""
        return next(
            v for b in self.ballots for v in b["votes"] if v["vote"] is not None and v["vote"] != b["preferred"]
        )

    def score_again(self) -> None:
        """A forger who knows our rules: numbers and counts that follow from the forged votes."""
        from vlrb_tasks.core.records import ballot_from_record
        from vlrb_tasks.votes.logs import Log, score_log
        from vlrb_tasks.votes.submission.form import score_record

        ballots = [ballot_from_record(record) for record in self.ballots]
        scores = score_log(Log(self.folder, "", ballots), registry())
        self.results = {name: score_record(score) for name, score in scores.items()}
        self.card["votes"] = sum(len(ballot.votes) for ballot in ballots)
        self.card["data"]["items"] = len(ballots)


def _score_up(f: Forgery) -> None:
    f.results["overall_accuracy_strict"]["value"] += 0.01


def _interval(f: Forgery) -> None:
    f.results["overall_accuracy"]["interval"][0] += 0.02


def _n(f: Forgery) -> None:
    f.results["coverage"]["n"] += 1


def _left_out_metric(f: Forgery) -> None:
    del f.results["first_slot_rate"]


def _made_up_metric(f: Forgery) -> None:
    f.results["overall_accuracy_after_calibration"] = {"value": 0.99, "n": 300}


def _null(f: Forgery) -> None:
    f.results["unparsed_rate"]["value"] = None


def _flipped_vote(f: Forgery) -> None:
    vote = f.wrong()
    vote["vote"] = 1 - vote["vote"]
    f.score_again()


def _flipped_reading(f: Forgery) -> None:
    f.wrong()["reading"] = "for"
    f.score_again()


def _unparsed_made_right(f: Forgery) -> None:
    ballot, vote = next((b, v) for b in f.ballots for v in b["votes"] if v["verdict"] == "unparsed")
    slot = vote["order"].index(ballot["preferred"])
    vote |= {"verdict": ("first", "second")[slot], "vote": ballot["preferred"], "reading": "for"}
    f.score_again()


def _text_alone(f: Forgery) -> None:
    f.wrong()["text"] = "Both are fine."


def _order_turned(f: Forgery) -> None:
    """A verdict and its text stay as they are; the responses are said to have stood the other way round."""
    vote = f.wrong()
    vote |= {"order": vote["order"][::-1], "vote": 1 - vote["vote"], "reading": "for"}
    f.score_again()


def _other_seed(f: Forgery) -> None:
    f.card["settings"]["seed"] = 7


def _lucky_votes(f: Forgery) -> None:
    """Only the votes that are right are kept."""
    for ballot in f.ballots:
        right = [v for v in ballot["votes"] if v["vote"] == ballot["preferred"]]
        ballot["votes"] = right or ballot["votes"]
    f.score_again()


def _drawn_again(f: Forgery) -> None:
    """A wrong vote is replaced by a copy of a right one of the same item."""
    for ballot in f.ballots:
        right = [v for v in ballot["votes"] if v["vote"] == ballot["preferred"]]
        for place, vote in enumerate(ballot["votes"]):
            if right and vote["vote"] != ballot["preferred"]:
                ballot["votes"][place] = {**right[0], "draw": vote["draw"]}
    f.score_again()


def _said_to_stop_early(f: Forgery) -> None:
    """Votes are left out as if a plan had allowed it."""
    for ballot in f.ballots:
        ballot["votes"] = ballot["votes"][:3]
        ballot["plan"] = {"planned": 5, "certain": 3, "stop": None}
    f.score_again()


def _missing(f: Forgery) -> None:
    del f.ballots[3]
    f.score_again()


def _hard_ones_missing(f: Forgery) -> None:
    f.ballots = [b for b in f.ballots if b["group"] != "text"]
    f.score_again()


def _repeated(f: Forgery) -> None:
    f.ballots.append(f.ballots[0])
    f.score_again()


def _one_for_another(f: Forgery) -> None:
    f.ballots[5] = f.ballots[6]
    f.score_again()


def _label(f: Forgery) -> None:
    ballot = next(b for b in f.ballots if sum(v["vote"] == 1 - b["preferred"] for v in b["votes"]) >= 3)
    ballot["preferred"] = 1 - ballot["preferred"]
    for vote in ballot["votes"]:
        vote["reading"] = (
            "none" if vote["vote"] is None else "for" if vote["vote"] == ballot["preferred"] else "against"
        )
    f.score_again()


def _domain(f: Forgery) -> None:
    f.ballots[0]["group"] = "text" if f.ballots[0]["group"] != "text" else "spatial"
    f.score_again()


def _lengths(f: Forgery) -> None:
    for ballot in f.ballots:
        ballot["lengths"] = ballot["lengths"][::-1]
    f.score_again()


def _data_hash(f: Forgery) -> None:
    f.card["data"]["sha256"] = "0" * 64


def _own_data(f: Forgery) -> None:
    """Labels changed, and the card names the hash of what there now is."""
    from vlrb_tasks.core.records import ballot_from_record, items_digest

    _label(f)
    f.card["data"]["sha256"] = items_digest(map(ballot_from_record, f.ballots))


def _prompt_hash(f: Forgery) -> None:
    f.card["prompt"]["sha256"] = "f" * 64


def _prompt_unknown(f: Forgery) -> None:
    f.card["prompt"]["id"] = "my_secret_prompt"


def _prompt_version(f: Forgery) -> None:
    f.card["prompt"]["version"] = 99


def _other_prompt(f: Forgery) -> None:
    from vlrb_tasks.registry.rendering import fingerprint

    other = registry().prompt("think_answer")
    f.card["prompt"] = {"id": other.id, "version": other.version, "sha256": fingerprint(other), "variables": {}}


def _limit(f: Forgery) -> None:
    f.card["settings"]["limit"] = 300


def _benchmark(f: Forgery) -> None:
    f.card["data"]["benchmark"] = "vlrewardbench_plus"


def _failures(f: Forgery) -> None:
    for ballot in f.ballots[:40]:
        ballot["votes"][0] |= {"text": "", "verdict": "failed", "vote": None, "span": None, "reading": "none"}
    f.score_again()


def _tokens(f: Forgery) -> None:
    f.card["tokens"] = 12


def _rule(f: Forgery) -> None:
    f.card["rule"] = "vlrewardbench_official"


FORGERIES: list[tuple[Callable[[Forgery], None], str]] = [
    (_score_up, "scores"), (_interval, "scores"), (_n, "scores"), (_left_out_metric, "scores"), (_made_up_metric, "scores"), (_null, "scores"),
    (_flipped_vote, "verdicts"), (_flipped_reading, "verdicts"), (_unparsed_made_right, "verdicts"), (_text_alone, "verdicts"),
    (_order_turned, "orders"), (_other_seed, "orders"), (_drawn_again, "orders"), (_lucky_votes, "votes-missing"), (_said_to_stop_early, "unfinished"),
    (_missing, "missing-items"), (_hard_ones_missing, "missing-items"), (_repeated, "repeated-items"), (_one_for_another, "repeated-items"),
    (_label, "edited-items"), (_domain, "edited-items"), (_lengths, "edited-items"), (_data_hash, "unknown-data"), (_own_data, "unknown-data"),
    (_prompt_hash, "prompt-hash"), (_prompt_unknown, "unknown-prompt"), (_prompt_version, "prompt-version"), (_other_prompt, "other-run"),
    (_limit, "limited"), (_benchmark, "unknown-benchmark"), (_failures, "failed-votes"), (_tokens, "card"), (_rule, "card"),
]  # fmt: skip


def test_an_honest_submission_is_accepted(honest):
    submission = read_submission(honest)
    assert faults_of(submission, registry()) == []
    assert submission.card.model_revision == "abc123"
    assert submission.card.settings.generation == {"temperature": 0.2, "top_p": 0.2}
    assert submission.card.votes == 1500


@pytest.mark.parametrize(("forge", "rule"), FORGERIES, ids=[forge.__name__[1:] for forge, _ in FORGERIES])
def test_a_forged_submission_is_rejected_for_the_right_reason(honest, tmp_path, forge, rule):
    forgery = Forgery(Path(shutil.copytree(honest, tmp_path / "forged")))
    forge(forgery)
    forgery.write()
    faults = faults_of(read_submission(forgery.folder), registry())
    assert rule in {fault.rule for fault in faults}, [str(fault) for fault in faults]
    found = CliRunner().invoke(app, ["submit", "validate", str(forgery.folder)])
    assert found.exit_code == 1
    assert f"{rule}: " in found.stdout


@pytest.mark.parametrize("file", ["submission.json", "results.json", "votes.jsonl.gz"])
@pytest.mark.parametrize("damage", ["cut", "gone", "empty"])
def test_damaged_files_are_told(honest, tmp_path, file, damage):
    folder = Path(shutil.copytree(honest, tmp_path / "damaged"))
    if damage == "gone":
        (folder / file).unlink()
    else:
        (folder / file).write_bytes((folder / file).read_bytes()[: -40 if damage == "cut" else 0])
    with pytest.raises(SubmissionError, match=file):
        read_submission(folder)
    found = CliRunner().invoke(app, ["submit", "validate", str(folder)])
    assert found.exit_code == 1
    assert "REJECTED" in found.stdout


def test_a_typo_in_the_card_is_told(honest, tmp_path):
    forgery = Forgery(Path(shutil.copytree(honest, tmp_path / "typo")))
    forgery.card["settings"]["drawss"] = 5
    forgery.write()
    with pytest.raises(SubmissionError, match=r"settings\.drawss: Extra inputs are not permitted"):
        read_submission(forgery.folder)


def test_a_run_that_would_be_rejected_is_not_packed(tmp_path):
    log = write_run(tmp_path / "run", scene_items()[:288], failed=0.1)
    with pytest.raises(SubmissionError, match="12 of 300 items are missing") as error:
        pack(load_run(log, registry()), About("x"), tmp_path / "out")
    assert "failed-votes" in str(error.value)
    assert not (tmp_path / "out").exists()
    (log.parent / "20261201_120000_results.json").unlink()
    with pytest.raises(SubmissionError, match="no results file"):
        pack(load_run(log, registry()), About("x"), tmp_path / "out")


def test_packing_twice_gives_the_same_bytes_and_overwrites_nothing(honest, tmp_path):
    log = write_run(tmp_path / "run", scene_items(), 0.75, unparsed=0.03, failed=0.004)
    files = pack(load_run(log, registry()), About("Honest judge"), tmp_path / "out")
    for path in files:
        if path.name != "submission.json":
            assert path.read_bytes() == (honest / path.name).read_bytes()
    with pytest.raises(SubmissionError, match="is not empty"):
        pack(load_run(log, registry()), About("Honest judge"), tmp_path / "out")


def test_a_model_card_keeps_what_there_is(honest):
    submission = read_submission(honest)
    existing = (
        "---\nlicense: mit\ntags: [judge]\nmodel-index:\n- name: Honest judge\n  results:\n  - task: {type: text-generation}\n"
        "    dataset: {name: MMLU, type: cais/mmlu}\n    metrics: [{type: accuracy, value: 0.7}]\n---\n# My model\n\nIts own words.\n"
    )
    once = model_card(submission, registry(), existing)
    twice = model_card(submission, registry(), once)
    assert once == twice
    front = yaml.safe_load(once.split("---")[1])
    assert (front["license"], front["tags"]) == ("mit", ["judge"])
    datasets = [result["dataset"]["type"] for result in front["model-index"][0]["results"]]
    assert sorted(datasets) == ["cais/mmlu", "vlrb_scenes"]
    ours = next(r for r in front["model-index"][0]["results"] if r["dataset"]["type"] == "vlrb_scenes")
    claimed = submission.claimed["overall_accuracy_strict"]["value"]
    assert {m["type"]: m["value"] for m in ours["metrics"]}["overall_accuracy_strict"] == round(claimed, 4)
    assert once.endswith("# My model\n\nIts own words.\n")


def test_exports(honest):
    submission = read_submission(honest)
    table = exported(submission, registry(), "lmms-eval")
    assert f"|overall_accuracy_strict||{submission.claimed['overall_accuracy_strict']['value']:.4f}|" in table
    content = json.loads(exported(submission, registry(), "leaderboard"))
    assert content["config"]["model_sha"] == "abc123"
    assert content["results"]["vlrb_scenes"]["coverage"] == submission.claimed["coverage"]["value"]
    with pytest.raises(SubmissionError, match="made for vlrewardbench"):
        exported(submission, registry(), "vlmevalkit")
    with pytest.raises(SubmissionError, match="expected one of"):
        exported(submission, registry(), "csv")
