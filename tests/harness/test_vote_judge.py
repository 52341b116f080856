"""vote_judge in a real lmms-eval: a journal that loses nothing, and no vote that cannot change anything."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("lmms_eval.evaluator")

from lmms_eval.api.instance import GenerationResult, TokenCounts

from tests.cli.test_cli import vlrb
from tests.harness.recorders import ChatRecorder, SimpleRecorder
from tests.harness.test_task import evaluate, mirror, scores  # noqa: F401  (a fixture)
from vlrb_tasks.core.records import ballot_from_record
from vlrb_tasks.harness.judges.baseline import BaselineJudge
from vlrb_tasks.harness.judges.identity import model_identity
from vlrb_tasks.harness.judges.replay import ReplayJudge
from vlrb_tasks.harness.judges.vote_judge import VoteJudge, with_votes
from vlrb_tasks.harness.judges.vote_settings import VoteSettings
from vlrb_tasks.votes.errors import JournalError
from vlrb_tasks.votes.journal_records import load_journal

NOISY = {"policy": "oracle", "accuracy": 0.7, "unparsed_rate": 0.1, "tie_rate": 0.1}
MODEL = {"judge": "test"}


class Counting(BaselineJudge):
    """A control that counts what it is asked, and may fail or die."""

    def __init__(self, dies_after=None, tokens=None, **arguments):
        super().__init__(**{**NOISY, **arguments})
        self.asked, self.batches = [], []
        self.dies_after, self.tokens = dies_after, tokens

    def generate_until(self, requests):
        if self.dies_after is not None and len(self.asked) + len(requests) > self.dies_after:
            raise ConnectionError("the model is gone")
        self.batches.append(len(requests))
        texts = super().generate_until(requests)
        self.asked += [
            (r.metadata["judge"].config.task, r.metadata["judgment"].item.key, r.metadata["judgment"].draw)
            for r in requests
        ]
        if self.tokens is not None:
            return [GenerationResult(text, TokenCounts(*self.tokens)) for text in texts]
        return texts


def judged(model, tmp_path=None, tasks=("vlrb_scenes",), limit=60, repeats=None, identity=MODEL, **settings):
    if tmp_path is not None:
        settings["journal"] = str(tmp_path / "votes")
    asked = model.asked if isinstance(model, Counting) else []
    wrapped = with_votes(model, VoteSettings(**settings), identity)
    arguments = {"repeats": repeats} if repeats else {}
    return evaluate(wrapped, tasks, limit=limit, **arguments), asked


def decisions(results, task="vlrb_scenes"):
    ballots = [ballot_from_record(sample["ballot"]) for sample in results["samples"][task]]
    return {ballot.key: (ballot.decision, ballot.official_decision, ballot.decision_or_tie) for ballot in ballots}


def test_it_changes_nothing_but_where_answers_come_from(tmp_path):
    plain = evaluate(Counting(), ["vlrb_scenes"], limit=60)
    kept, asked = judged(Counting(), tmp_path)
    assert repr(scores(kept, "vlrb_scenes")) == repr(scores(plain, "vlrb_scenes"))
    assert len(asked) == 300
    again, asked = judged(Counting(), tmp_path)
    assert asked == []
    assert repr(scores(again, "vlrb_scenes")) == repr(scores(plain, "vlrb_scenes"))


@pytest.mark.parametrize("dies_after", [0, 1, 99, 150, 299])
def test_a_run_that_dies_goes_on_where_it_was(tmp_path, dies_after):
    with pytest.raises(ConnectionError):
        judged(Counting(dies_after=dies_after), tmp_path)
    before = {(k.task, k.item, k.draw) for k in load_journal(tmp_path / "votes").votes}
    assert len(before) == dies_after
    results, asked = judged(Counting(), tmp_path)
    assert len(asked) == 300 - dies_after
    assert not before & set(asked), "nothing that was on disk is asked again"
    assert repr(scores(results, "vlrb_scenes")) == repr(
        scores(evaluate(Counting(), ["vlrb_scenes"], limit=60), "vlrb_scenes")
    )


def test_damage_costs_the_votes_that_were_damaged_and_no_more(tmp_path):
    plain, _ = judged(Counting(), tmp_path)
    (path,) = (tmp_path / "votes").iterdir()
    raw = bytearray(path.read_bytes()[:-9])  # the last line is cut
    raw[raw.index(b"Verdict", len(raw) // 2)] ^= 1  # and a byte in the middle flipped
    path.write_bytes(raw)
    again, asked = judged(Counting(), tmp_path)
    assert len(asked) == 2
    assert repr(scores(again, "vlrb_scenes")) == repr(scores(plain, "vlrb_scenes"))
    assert judged(Counting(), tmp_path)[1] == []


def test_failed_requests_are_asked_again(tmp_path):
    results, _ = judged(Counting(failed_rate=0.3), tmp_path)
    failed = sum(
        vote["verdict"] == "failed"
        for sample in results["samples"]["vlrb_scenes"]
        for vote in sample["ballot"]["votes"]
    )
    assert failed > 50
    results, asked = judged(Counting(), tmp_path)
    assert len(asked) == failed
    assert scores(results, "vlrb_scenes")["failed_rate"] == 0


@pytest.mark.parametrize("repeats", [3, 4, 5, 8])
@pytest.mark.parametrize("task", ["vlrb_scenes", "vlrewardbench"])
def test_early_stopping_decides_as_all_votes_do(mirror, task, repeats):  # noqa: F811
    limit = 200 if task == "vlrb_scenes" else None
    whole = evaluate(Counting(), [task], limit=limit, repeats=repeats)
    early, asked = judged(Counting(), None, (task,), limit, repeats, early_stop=True)
    assert decisions(early, task) == decisions(whole, task)
    for name, value in scores(whole, task).items():
        if name.startswith(("overall_accuracy", "macro_accuracy", "coverage", f"accuracy_at_{repeats}")):
            assert repr(scores(early, task)[name]) == repr(value), name
    planned = 6 if task == "vlrewardbench" else 200
    assert len(asked) < planned * repeats or repeats <= 2 or task == "vlrewardbench"
    assert scores(early, task)["drawn_rate"] == pytest.approx(len(asked) / (planned * repeats))


def test_what_is_not_a_fair_sample_is_left_out():
    early, _ = judged(Counting(), None, limit=200, repeats=7, early_stop=True)
    found = scores(early, "vlrb_scenes")
    assert found["first_slot_rate_n"] <= 4 * 200
    assert found["unparsed_rate_n"] == 4 * 200
    assert found["accuracy_at_5"] != found["accuracy_at_5"], "five votes are drawn only where four do not decide: NaN"
    assert found["accuracy_at_3_n"] == found["accuracy_at_7_n"] == 200
    assert found["accuracy_at_7"] == found["overall_accuracy_strict"]


def test_what_was_saved_stands_in_the_results(tmp_path, capsys):
    results, asked = judged(Counting(tokens=(90, 10)), tmp_path, limit=100, early_stop=True)
    found = scores(results, "vlrb_scenes")
    assert (found["votes_drawn"], found["votes_saved"]) == (len(asked), 500 - len(asked))
    assert found["tokens_saved"] == 100 * (500 - len(asked))
    assert "measured on the first 3 votes of each item" in capsys.readouterr().out
    (tmp_path / "x_samples_vlrb_scenes.jsonl").write_text(
        "".join(json.dumps({"ballot": s["ballot"]}) + "\n" for s in results["samples"]["vlrb_scenes"])
    )
    told = vlrb("score", tmp_path / "x_samples_vlrb_scenes.jsonl").stdout
    assert "Early stopping: votes that could not change a decision were not drawn." in told
    assert "tokens_per_vote 100.0000" in " ".join(told.split())


def test_ballots_say_what_was_planned_and_score_again_to_the_same():
    early, _ = judged(Counting(), None, limit=40, early_stop=True)
    for sample in early["samples"]["vlrb_scenes"]:
        record = json.loads(json.dumps(sample["ballot"]))
        assert record["plan"] == {"planned": 5, "certain": 3, "stop": "exact"}
        assert 3 <= len(record["votes"]) <= 5
        assert "VLRB_NOT_DRAWN" not in json.dumps(record)


def test_ties_are_decided_too_and_scores_are_never_cut_short(tmp_path, monkeypatch):
    whole = evaluate(Counting(), ["vlrb_scenes@mllm_judge_pair", "vlrb_scenes_pointwise"], limit=50, repeats=5)
    early, asked = judged(
        Counting(), None, ("vlrb_scenes@mllm_judge_pair", "vlrb_scenes_pointwise"), 50, 5, early_stop=True
    )
    assert decisions(early, "vlrb_scenes@mllm_judge_pair") == decisions(whole, "vlrb_scenes@mllm_judge_pair")
    assert sum(task == "vlrb_scenes_pointwise" for task, _, _ in asked) == 250
    assert repr(scores(early, "vlrb_scenes_pointwise")) == repr(scores(whole, "vlrb_scenes_pointwise"))


def test_confidence_stops_earlier_and_says_so():
    exact, asked_exact = judged(Counting(), None, limit=200, early_stop=True)
    early, asked = judged(Counting(), None, limit=200, stop="confidence", error=0.1)
    assert len(asked) < len(asked_exact)
    same = sum(decisions(early)[key] == decision for key, decision in decisions(exact).items())
    assert same / 200 > 0.85
    assert early["samples"]["vlrb_scenes"][0]["ballot"]["plan"]["stop"] == "confidence"


def test_an_early_run_and_a_whole_one_share_a_journal(tmp_path):
    _, early = judged(Counting(), tmp_path, early_stop=True)
    results, rest = judged(Counting(), tmp_path)
    assert len(early) + len(rest) == 300
    assert repr(scores(results, "vlrb_scenes")) == repr(
        scores(evaluate(Counting(), ["vlrb_scenes"], limit=60), "vlrb_scenes")
    )


def test_batches_are_full_to_the_end(tmp_path):
    model = Counting()
    judged(model, tmp_path, early_stop=True, chunk=16)
    assert set(model.batches[:-4]) == {16}
    assert sum(size < 16 for size in model.batches) <= 4


def test_a_budget_ends_the_run_and_the_next_goes_on(tmp_path, capsys):
    asked_in_all = []
    for _ in range(3):
        results, asked = judged(Counting(), tmp_path, max_votes=100)
        asked_in_all += asked
        assert len(asked) == 100
    assert len(set(asked_in_all)) == 300
    assert scores(results, "vlrb_scenes")["drawn_rate"] == 1
    results, _ = judged(Counting(), None, max_votes=100)
    assert scores(results, "vlrb_scenes")["drawn_rate"] == pytest.approx(1 / 3)
    told = capsys.readouterr()
    assert "vote_judge: 100 votes asked" in told.err
    assert "WARNING: a budget ended the run before 40 items were decided: do not publish." in told.err
    assert "No reason against publishing" not in told.out.split("drawn_rate                   0.3333")[1]


def test_tokens_are_counted_kept_and_limited(tmp_path):
    results, asked = judged(Counting(tokens=(90, 10)), tmp_path, max_tokens=5000)
    assert len(asked) == 50
    results, asked = judged(Counting(tokens=(90, 10)), tmp_path)
    assert len(asked) == 250
    votes = [vote for sample in results["samples"]["vlrb_scenes"] for vote in sample["ballot"]["votes"]]
    assert all(vote["tokens"] == [90, 10] for vote in votes), "from the journal as from the model"


def test_another_model_or_prompt_is_refused(tmp_path):
    judged(Counting(), tmp_path, limit=4)
    with pytest.raises(JournalError, match="this run is of judge=other"):
        judged(Counting(), tmp_path, limit=4, identity={"judge": "other"})
    _, asked = judged(Counting(), tmp_path, ("vlrb_scenes@llava_critic_pairwise",), 4)
    assert len(asked) == 20, "another prompt is another task, beside the first"
    wrapped = with_votes(Counting(), VoteSettings(journal=str(tmp_path / "votes")), MODEL)
    with pytest.raises(JournalError, match="votes of vlrb_scenes were asked with another settings"):
        evaluate(wrapped, ["vlrb_scenes"], limit=4, gen_kwargs="temperature=0.9")
    wrapped = with_votes(Counting(), VoteSettings(journal=str(tmp_path / "votes")), MODEL)
    with pytest.raises(JournalError, match="another system"):
        evaluate(wrapped, ["vlrb_scenes"], limit=4, system_instruction="Be kind.")


@pytest.mark.parametrize("recorder", [SimpleRecorder, ChatRecorder])
def test_both_kinds_of_adapter_and_likelihoods(tmp_path, recorder):
    model = recorder("Verdict: [[A]]")
    judged(model, tmp_path, limit=3, early_stop=True)
    assert len(model.texts) == len(load_journal(tmp_path / "votes").votes) < 15
    again = recorder("Verdict: [[B]]")
    results, _ = judged(again, tmp_path, limit=3, early_stop=True)
    assert again.texts == []
    assert scores(results, "vlrb_scenes")["first_slot_rate"] == 1
    likely = BaselineJudge(policy="oracle")
    results, _ = judged(likely, tmp_path, ("vlrb_scenes@vlrb_loglikelihood",), 4, early_stop=True)
    assert scores(results, "vlrb_scenes@vlrb_loglikelihood")["overall_accuracy_strict"] == 1
    assert sum(bool(key.answer) for key in load_journal(tmp_path / "votes").votes) == 4 * 3 * 2


def test_tasks_of_others_pass_through(tmp_path):
    (tmp_path / "other.yaml").write_text(
        "task: other\ndataset_path: json\ndataset_kwargs: {data_files: {test: " + str(tmp_path / "rows.jsonl") + "}}\n"
        "test_split: test\noutput_type: generate_until\ndoc_to_text: '{{question}}'\ndoc_to_target: '{{answer}}'\ndoc_to_visual: null\n"
        "generation_kwargs: {max_new_tokens: 4}\nmetric_list: [{metric: exact_match}]\n"
    )
    (tmp_path / "rows.jsonl").write_text(json.dumps({"question": "2+2", "answer": "4"}) + "\n")

    class Model(SimpleRecorder):
        def _look(self, args):
            self.texts.append(args[0])

    model = Model("4")
    wrapped = with_votes(model, VoteSettings(journal=str(tmp_path / "votes"), early_stop=True), MODEL)
    results = evaluate(wrapped, ["other", "vlrb_scenes"], limit=2, include_path=str(tmp_path))
    assert model.texts[0] == "2+2"
    assert results["samples"]["other"][0]["resps"] == [["4"]]
    assert {key.task for key in load_journal(tmp_path / "votes").votes} == {"vlrb_scenes"}


@pytest.mark.parametrize("source", ["log", "journal"])
def test_a_run_is_replayed_without_a_model(tmp_path, source):
    results, _ = judged(Counting(), tmp_path, limit=20)
    place = tmp_path / "votes"
    if source == "log":
        place = tmp_path / "20260101_000000_samples_vlrb_scenes.jsonl"
        place.write_text(
            "".join(json.dumps({"ballot": sample["ballot"]}) + "\n" for sample in results["samples"]["vlrb_scenes"])
        )
    again = evaluate(ReplayJudge(str(place)), ["vlrb_scenes"], limit=20)
    assert repr(scores(again, "vlrb_scenes")) == repr(scores(results, "vlrb_scenes"))
    other = evaluate(ReplayJudge(str(place)), ["vlrb_scenes@vlrb_rubric"], limit=20)
    assert decisions(other, "vlrb_scenes@vlrb_rubric") == decisions(results), (
        "another prompt's parser, on the same texts"
    )
    more = evaluate(ReplayJudge(str(place)), ["vlrb_scenes"], limit=21)
    assert scores(more, "vlrb_scenes")["failed_rate"] == pytest.approx(5 / 105)
    with pytest.raises(ValueError, match="task: got 'vlrb'; expected one of vlrb_scenes"):
        ReplayJudge(str(place), task="vlrb")


@pytest.mark.parametrize("source", ["log", "journal"])
def test_likelihoods_are_replayed_too(tmp_path, source):
    task = "vlrb_scenes@vlrb_loglikelihood"
    results, _ = judged(Counting(tie_rate=0), tmp_path, (task,), 12)
    place = tmp_path / "votes"
    if source == "log":
        place = tmp_path / f"2026_samples_{task}.jsonl"
        place.write_text(
            "".join(json.dumps({"ballot": sample["ballot"]}) + "\n" for sample in results["samples"][task])
        )
    again = evaluate(ReplayJudge(str(place)), [task], limit=12)
    assert scores(again, task)["failed_rate"] == 0
    assert decisions(again, task) == decisions(results, task)
    assert scores(again, task)["soft_probability"] == pytest.approx(scores(results, task)["soft_probability"])


@pytest.mark.parametrize(
    "arguments,message",
    [
        ("policy=first", "no judge=; expected the name of an adapter"),
        ("judge=vote_judge", "no judge="),
        ("judge=vlrb_baseline,stop=maybe", "stop: got 'maybe'; expected exact or confidence"),
        ("judge=vlrb_baseline,early_stop=5", "early_stop: got 5; expected true or false"),
        ("judge=vlrb_baseline,error=2", "error: got 2; expected a chance"),
        ("judge=vlrb_baseline,max_votes=0", "max_votes: got 0; expected a whole number"),
        ("judge=vlrb_baseline,allow_failed=5", "allow_failed: got 5; expected a share"),
        ("judge=vlrb_baseline,jurnal=x", "vlrb_baseline: no argument 'jurnal'"),
    ],
)
def test_arguments_that_do_not_fit_are_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        VoteJudge.create_from_arg_string(arguments)


def test_the_model_is_the_inner_one():
    model = VoteJudge.create_from_arg_string("judge=vlrb_baseline,policy=first,early_stop=true", {"batch_size": 4})
    assert type(model) is BaselineJudge
    assert model.policy == "first"
    assert model.vote_stopping.early


def test_identity_is_of_what_matters(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"1" * 3_000_000)
    arguments = {"pretrained": str(tmp_path), "dtype": "float32", "device": "cpu", "batch_size": 8}
    one = model_identity("llava_hf", arguments, None)
    assert set(one) == {"judge", "pretrained", "dtype", "weights"}
    assert model_identity("openai", {"model": "m", "api_key": "sk-1", "hf_token": "hf_1"}, None) == {
        "judge": "openai",
        "model": "m",
    }
    assert model_identity("llava_hf", {**arguments, "device": "cuda", "batch_size": 1}, None) == one
    (tmp_path / "model.safetensors").write_bytes(b"1" * 2_999_999 + b"2")
    assert model_identity("llava_hf", arguments, None) != one
