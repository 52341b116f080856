"""JudgeTask in a real lmms-eval, with adapters that keep what they are asked."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

lmms_eval_evaluator = pytest.importorskip("lmms_eval.evaluator")

import lmms_eval.tasks  # noqa: E402
from lmms_eval.evaluator import simple_evaluate  # noqa: E402
from lmms_eval.tasks import TaskManager  # noqa: E402
from lmms_eval.utils import make_table  # noqa: E402

from tests.conftest import ROOT  # noqa: E402
from tests.data.rows import mllm_judge_files, rows  # noqa: E402
from tests.data.test_references import arena, critic  # noqa: E402
from tests.data.test_sources import hub_dataset  # noqa: E402
from tests.harness.recorders import ChatRecorder, SimpleRecorder  # noqa: E402
from vlrb_tasks.core.families import family_metrics  # noqa: E402
from vlrb_tasks.core.records import ballot_from_record  # noqa: E402
from vlrb_tasks.core.scoring import pairwise_metrics, score_ballots  # noqa: E402
from vlrb_tasks.data import sources  # noqa: E402
from vlrb_tasks.data.rows import DataError  # noqa: E402
from vlrb_tasks.harness.judges.baseline import POLICIES, BaselineJudge  # noqa: E402
from vlrb_tasks.harness.task import JudgeTask  # noqa: E402
from vlrb_tasks.registry.loading import RegistryError  # noqa: E402


@pytest.fixture
def mirror(tmp_path, monkeypatch) -> Path:
    """A mirror of six rows of the benchmark's schema, the first with two images and the last with none."""
    data = []
    for i, row in enumerate(rows()):
        names = [f"{i}.png", "extra.png"] if i == 0 else [f"{i}.png"]
        for name in names:
            Image.new("RGBA" if i == 1 else "RGB", (12, 8)).save(tmp_path / name)
        data.append({**row, "image": None if i == 5 else names if i == 0 else names[0]})
    data[2]["query"] = "<image> Is {this} {{ fine }}?"
    data[3]["response"] = ["", "Something"]
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, data)))
    monkeypatch.setenv("VLRB_DATA", str(tmp_path))
    return tmp_path


def evaluate(model, tasks=("vlrewardbench",), include_path=None, **kwargs):
    manager = TaskManager(
        include_defaults=False, include_path=include_path
    )  # without the built-in tasks, which take seconds to index
    return simple_evaluate(
        model=model, tasks=list(tasks), task_manager=manager, bootstrap_iters=0, log_samples=True, **kwargs
    )


def scores(results, task="vlrewardbench"):
    return {name.split(",")[0]: value for name, value in results["results"][task].items()}


@pytest.mark.parametrize("recorder", [SimpleRecorder, ChatRecorder])
def test_each_item_is_asked_k_times_each_draw_with_its_own_order(mirror, recorder):
    model = recorder()
    results = evaluate(model)
    assert len(model.texts) == 30
    assert Counter(args[3] for args in model.asked) == dict.fromkeys(range(6), 5)
    for sample in results["samples"]["vlrewardbench"]:
        ballot = sample["ballot"]
        asked = [text for text, args in zip(model.texts, model.asked, strict=True) if args[3] == sample["doc_id"]]
        one, two = (
            r or "[empty response]"
            for r in json.loads((mirror / "test.jsonl").read_text().split("\n")[sample["doc_id"]])["response"]
        )
        for text, vote in zip(asked, ballot["votes"], strict=True):
            assert (
                (text.index(f"Answer 1: {one}") > 0)
                if vote["order"] == [0, 1]
                else (text.index(f"Answer 1: {two}") > 0)
            )
            assert vote["vote"] == vote["order"][0]  # it always names the first slot


@pytest.mark.parametrize("recorder", [SimpleRecorder, ChatRecorder])
def test_images_are_rgb_several_one_or_none(mirror, recorder):
    model = recorder()
    evaluate(model)
    found = {
        args[3]: [(image.mode, image.size) for image in images]
        for args, images in zip(model.asked, model.images, strict=True)
    }
    assert found[0] == [("RGB", (12, 8))] * 2
    assert found[1] == [("RGB", (12, 8))]
    assert found[5] == []


def test_an_image_is_decoded_once_an_item_and_not_once_a_draw(mirror, monkeypatch):
    opened = []
    original = sources.open_image
    monkeypatch.setattr(sources, "open_image", lambda *args: opened.append(args[0].name) or original(*args))
    evaluate(SimpleRecorder())
    assert sorted(opened) == ["0.png", "1.png", "2.png", "3.png", "4.png", "extra.png"]


def test_data_cannot_speak_to_the_template(mirror):
    model = SimpleRecorder()
    evaluate(model)
    texts = [text for text, args in zip(model.texts, model.asked, strict=True) if args[3] == 2]
    assert all("Question: < image> Is {this} {{ fine }}?" in text for text in texts)
    empty = [text for text, args in zip(model.texts, model.asked, strict=True) if args[3] == 3]
    assert all("[empty response]" in text for text in empty)


def test_generation_settings_of_the_protocol(mirror):
    model = SimpleRecorder()
    evaluate(model)
    settings = model.asked[0][1]
    assert settings == {
        "temperature": 0.2,
        "top_p": 0.2,
        "max_new_tokens": 2048,
        "do_sample": True,
        "until": ["<|im_end|>"],
    }
    assert model.asked[0][1] is not model.asked[1][1]  # adapters write into it


def test_greedy_from_the_command_line(mirror):
    model = SimpleRecorder()
    evaluate(model, gen_kwargs="temperature=0,max_new_tokens=7")
    assert {k: model.asked[0][1][k] for k in ("temperature", "do_sample", "top_p", "max_new_tokens")} == {
        "temperature": 0.0,
        "do_sample": False,
        "top_p": None,
        "max_new_tokens": 7,
    }


def test_repeats_sets_the_number_of_draws_and_nothing_is_asked_of_lmms_evals_stability_metrics(mirror):
    model = SimpleRecorder()
    results = evaluate(model, repeats=3)
    assert len(model.texts) == 18
    found = scores(results)
    assert [
        name
        for name in found
        if name.startswith("accuracy_at_") and not name.endswith(("_low", "_high", "_n", "_stderr", "clt", "clustered"))
    ] == ["accuracy_at_1", "accuracy_at_3"]
    assert not any("expected_accuracy" in name for name in found)
    assert results["configs"]["vlrewardbench"]["judge"]["draws"] == 3


def test_k1_asks_once(mirror):
    model = ChatRecorder()
    evaluate(model, ["vlrewardbench_k1"])
    assert len(model.texts) == 6


def test_a_system_instruction_reaches_both_kinds_of_adapter(mirror):
    chat, simple = ChatRecorder(), SimpleRecorder()
    evaluate(chat, system_instruction="Be fair.")
    assert chat.messages[0] == {"role": "system", "content": [{"type": "text", "text": "Be fair."}]}
    evaluate(simple, system_instruction="Be fair.")
    assert simple.texts[0].startswith("Be fair.\n\n")


def test_the_log_holds_each_text_once_and_gives_the_same_scores(mirror):
    marks = iter(range(1000))

    def answer(_, request):
        return f"unique-{next(marks):04d} Overall Judgment: Answer {1 + request.doc_id % 2} is better."

    results = evaluate(ChatRecorder(answer))
    samples = results["samples"]["vlrewardbench"]
    text = json.dumps(samples, default=str)
    assert all(text.count(f"unique-{i:04d}") == 1 for i in range(30))
    for sample in samples:
        assert [str(v) for v in sample["filtered_resps"]] == [vote["verdict"] for vote in sample["ballot"]["votes"]]
        assert {"draw", "order", "text", "verdict", "vote", "span"} <= sample["ballot"]["votes"][0].keys()
    ballots = [ballot_from_record(json.loads(json.dumps(sample["ballot"]))) for sample in samples]
    again = score_ballots(
        ballots, pairwise_metrics(("general", "hallucination", "reasoning"), 5, ("attribute", "existence"))
    )
    found = scores(results)
    for name, score in again.items():
        assert repr(found[name]) == repr(score.value), name
        assert found[f"{name}_n"] == score.n
        if score.interval:
            ends = (found[f"{name}_ci95_low"], found[f"{name}_ci95_high"])
            assert repr(ends) == repr(score.interval)


def test_the_table_shows_metrics_and_intervals_and_no_ballots(mirror):
    results = evaluate(SimpleRecorder())
    table = make_table(copy.deepcopy(results))
    for name in (
        "overall_accuracy",
        "macro_accuracy_strict",
        "accuracy_reasoning",
        "overall_accuracy_ci95_low",
        "coverage",
        "accuracy_at_5",
        "accuracy_tag_existence",
    ):
        assert f"|{name} " in table or f"|{name}|" in table, name
    assert "ballot" not in table
    assert "ballot,none" not in results["results"]["vlrewardbench"]
    assert "_n " not in table


def test_thinking_is_kept_in_the_log_and_left_out_of_the_verdict(mirror):
    text = "<think>Overall Judgment: Answer 1 is better.</think>Overall Judgment: Answer 2 is better."
    results = evaluate(SimpleRecorder(text))
    vote = results["samples"]["vlrewardbench"][0]["ballot"]["votes"][0]
    assert vote["text"] == text
    assert vote["verdict"] == "second"


def test_failed_requests_are_counted_and_told(mirror, capsys):
    results = evaluate(SimpleRecorder("[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error."))
    found = scores(results)
    assert (found["failed_rate"], found["unparsed_rate"], found["overall_accuracy_strict"]) == (1.0, 0.0, 0.0)
    assert found["overall_accuracy"] != found["overall_accuracy"]  # NaN
    assert "100.0% of 30 votes failed" in capsys.readouterr().err


def test_a_run_on_a_part_of_the_items_is_told_not_to_be_published(mirror, capsys):
    evaluate(BaselineJudge(policy="oracle"), limit=4)
    assert "only 4 of 6 items were judged" in capsys.readouterr().err
    evaluate(BaselineJudge(policy="oracle"))
    assert "only" not in capsys.readouterr().err


def test_runs_beside_another_task_of_any_kind(mirror, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "words.jsonl").write_text("\n".join(json.dumps({"q": f"word {i}", "a": "yes"}) for i in range(3)))
    (plain / "plain_words.yaml").write_text(
        "task: plain_words\ndataset_path: json\ndataset_kwargs: {data_files: {test: "
        + str(plain / "words.jsonl")
        + "}}\ntest_split: test\n"
        "output_type: generate_until\ndoc_to_text: '{{q}}'\ndoc_to_target: '{{a}}'\ngeneration_kwargs: {max_new_tokens: 3}\n"
        "metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\n"
    )
    model = SimpleRecorder("yes")
    results = evaluate(model, ["vlrewardbench", "plain_words"], include_path=str(plain))
    assert results["results"]["plain_words"]["exact_match,none"] == 1.0
    assert scores(results)["unparsed_rate"] == 1.0
    assert len(model.asked) == 33


def test_runs_beside_the_built_in_task_on_rows_that_both_load_from_the_hub(tmp_path, monkeypatch):
    """``datasets`` takes a folder of that name for the data set, so both tasks run their real loading code."""
    folder = tmp_path / "MMInstruction" / "VL-RewardBench" / "data"
    folder.mkdir(parents=True)
    hub_dataset().select(range(5)).to_parquet(folder / "test-00000-of-00001.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VLRB_DATA", raising=False)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    model = SimpleRecorder("Overall Judgment: Answer 1 is better.")
    built_in = Path(lmms_eval.tasks.__file__).parent / "vl_rewardbench"
    results = evaluate(model, ["vlrewardbench", "vl_rewardbench"], include_path=str(built_in))
    assert len(model.asked) == 5 * 5 + 5
    assert scores(results)["coverage_n"] == 5
    assert 0 <= results["results"]["vl_rewardbench"]["vlreward_score,none"] <= 1
    # one text and one order rule: with the built-in order, the first vote of each item is judged as the built-in does
    parity = JudgeTask(
        {
            "task": "mine",
            "output_type": "generate_until",
            "judge": {"benchmark": "vlrewardbench", "draws": 1, "order": "length_parity"},
        }
    )
    ours = evaluate(SimpleRecorder("Overall Judgment: Answer 1 is better."), [parity])
    assert scores(ours, "mine")["macro_accuracy"] == results["results"]["vl_rewardbench"]["vlreward_score,none"]


@pytest.mark.parametrize("policy", POLICIES)
def test_baselines_go_through_prompt_order_and_parser(mirror, policy):
    results = evaluate(BaselineJudge(policy=policy))
    found = scores(results)
    assert found["unparsed_rate"] == 0
    votes = [
        (sample["ballot"], vote) for sample in results["samples"]["vlrewardbench"] for vote in sample["ballot"]["votes"]
    ]
    if policy == "first":
        assert found["first_slot_rate"] == 1
    if policy == "second":
        assert found["first_slot_rate"] == 0
    if policy in ("longer", "shorter"):
        assert found["longer_response_rate"] == (policy == "longer")
    if policy == "oracle":
        assert found["overall_accuracy"] == found["overall_accuracy_strict"] == 1
        assert all(vote["vote"] == ballot["preferred"] for ballot, vote in votes)


def test_the_oracle_errs_ties_and_fails_as_often_as_it_is_told():
    results = evaluate(
        BaselineJudge(policy="oracle", accuracy=0.8, tie_rate=0.1, unparsed_rate=0.05, failed_rate=0.05),
        ["vlrb_scenes"],
    )
    found = scores(results, "vlrb_scenes")
    # 1,500 votes: three standard errors of 0.1 are 0.023, of 0.05 are 0.017
    assert found["tie_rate"] == pytest.approx(0.1, abs=0.023)
    assert found["unparsed_rate"] == pytest.approx(0.05, abs=0.017)
    assert found["failed_rate"] == pytest.approx(0.05, abs=0.017)
    assert found["accuracy_at_1"] == pytest.approx(0.8 * 0.8, abs=0.037)


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"policy": "best"}, "expected one of first"),
        ({"accuracy": 2}, "between 0 and 1"),
        ({"polisy": "first"}, "no argument 'polisy'"),
        ({"tie_rate": 0.6, "unparsed_rate": 0.6}, "more than 1"),
    ],
)
def test_baselines_refuse_what_they_do_not_know(arguments, message):
    with pytest.raises(ValueError, match=message):
        BaselineJudge(**arguments)


def task(**changes):
    return {
        "task": "mine",
        "output_type": "generate_until",
        "judge": {"benchmark": "vlrb_scenes", "options": {"items": 12}},
        **changes,
    }


def test_order_policies_and_prompts_by_yaml():
    for order, asked in (("both", 24), ("fixed", 12), ("length_parity", 12), ("balanced", 12)):
        model = SimpleRecorder("[[A]]")
        made = JudgeTask(
            task(
                judge={
                    "benchmark": "vlrb_scenes",
                    "options": {"items": 12},
                    "draws": 1,
                    "order": order,
                    "prompt": "think_answer",
                }
            )
        )
        results = evaluate(model, [made])
        assert len(model.asked) == asked
        found = scores(results, "mine")
        assert results["configs"]["mine"]["judge"]["rule"] == "parser of think_answer"
        if order == "both":
            assert found["flip_rate"] == 1
            assert found["flip_rate_n"] == 12


@pytest.mark.parametrize(
    "config,message",
    [
        (task(judge={"benchmark": "vlrb_scene"}), "Did you mean vlrb_scenes"),
        (task(judge={"benchmark": "vlrb_scenes", "prompt": "nope"}), "prompt: got 'nope'"),
        (task(judge={"benchmark": "vlrb_scenes", "draws": 0}), "judge.draws: got 0"),
        (
            task(judge={"benchmark": "vlrb_scenes", "prompt": "mllm_judge_score"}),
            "a pointwise prompt; expected a pairwise one",
        ),
        (task(judge={"benchmark": "vlrb_scenes", "order": "randm"}), "Did you mean random"),
        (task(judge={"benchmark": "vlrb_scenes", "darws": 3}), "Did you mean draws"),
        (task(judge=None), "judge: got None; expected a mapping"),
        (task(genration_kwargs={}), "genration_kwargs: no such field. Did you mean generation_kwargs"),
    ],
)
def test_a_wrong_task_is_told(config, message):
    with pytest.raises(RegistryError, match=message):
        JudgeTask(config)


def test_wrong_data_is_told(mirror):
    (mirror / "test.jsonl").write_text(
        "\n".join(json.dumps({**row, "image": None, "human_ranking": [1, 1]}) for row in rows())
    )
    with pytest.raises(DataError, match=r"row 0 .* human_ranking: got"):
        evaluate(SimpleRecorder())


def test_battles_and_scores_beside_each_other(tmp_path, monkeypatch):
    """Two data sets from one mirror, in one run: comparisons with ties, and prompts that are the whole question."""
    for name, data in (
        (
            "wildvision-arena-data",
            [arena(question_id=str(i), winner=w) for i, w in enumerate(("model_a", "model_b", "tie", "bothbad"))],
        ),
        ("llava-critic-113k", [critic(id=str(i), source="ab"[i % 2]) for i in range(4)]),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.jsonl").write_text("\n".join(map(json.dumps, data)))
    monkeypatch.setenv("VLRB_DATA", str(tmp_path))
    model = ChatRecorder(
        lambda _, request: "Two responses are equally good." if "critic_pairwise" in request.task_name else "80\nFine."
    )
    results = evaluate(model, ["llava_critic_pairwise", "llava_critic_pointwise"])
    pairs = scores(results, "llava_critic_pairwise")
    assert (pairs["accuracy_with_tie"], pairs["accuracy_without_tie"], pairs["accuracy_without_tie_n"]) == (0.5, 0.0, 2)
    points = scores(results, "llava_critic_pointwise")
    assert (points["most_frequent_score_share"], points["mean_absolute_error"]) == (1.0, 5.0)
    assert "pearson_a" in points
    assert "Score this answer out of 100." in model.texts
    assert results["samples"]["llava_critic_pointwise"][0]["target"] == "85.0"


def test_the_group_takes_the_mean_of_like_with_like(tmp_path, monkeypatch):
    winners = ("model_a", "model_b", "model_a", "tie")
    for name, data in (
        ("wildvision-arena-data", [arena(question_id=str(i), winner=w) for i, w in enumerate(winners)]),
        ("llava-critic-113k", [critic(id=str(i), conversations=told(10 * i)) for i in range(4)]),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.jsonl").write_text("\n".join(map(json.dumps, data)))
    mllm_judge_files(tmp_path / "MLLM-Judge")
    monkeypatch.setenv("VLRB_DATA", str(tmp_path))
    results = evaluate(BaselineJudge(policy="oracle", accuracy=0.7), ["llava_critic"])
    alike = ("llava_critic_pairwise", "llava_critic_pointwise", "mllm_judge_score", "mllm_judge_pair")
    taus = [scores(results, task)["item_kendall_tau_b"] for task in alike]
    assert len(set(taus)) > 1
    assert results["groups"]["llava_critic"]["item_kendall_tau_b,none"] == pytest.approx(sum(taus) / 4)


def test_mllm_as_a_judge(tmp_path, monkeypatch):
    mllm_judge_files(tmp_path)
    monkeypatch.setenv("VLRB_DATA", str(tmp_path))

    def answer(_, request):
        kind = request.task_name.removeprefix("mllm_judge_")
        return {"score": "Judgment: 4", "pair": "[[C]]", "pair_no_tie": "[[A]]", "batch": "[[ABCD]]"}[kind]

    model = ChatRecorder(answer)
    results = evaluate(model, ["mllm_judge"])
    assert scores(results, "mllm_judge_score")["mean_absolute_error"] == pytest.approx((0 + 0 + 2 + 3 + 1 + 1) / 6)
    assert {"pearson", "pearson_coco", "pearson_mm-vet"} <= set(scores(results, "mllm_judge_score"))
    pairs = scores(results, "mllm_judge_pair")
    assert (pairs["accuracy_with_tie"], pairs["accuracy_without_tie"], pairs["accuracy_without_tie_n"]) == (
        pytest.approx(1 / 3),
        0,
        4,
    )
    assert scores(results, "mllm_judge_pair_no_tie")["overall_accuracy_n"] == 4
    assert scores(results, "mllm_judge_pair_no_tie")["first_slot_rate"] == 1
    assert scores(results, "mllm_judge_batch")["ranking_kendall_tau_n"] == 6
    assert "levenshtein_distance_coco" in scores(results, "mllm_judge_batch")
    assert all("model1" not in text for text in model.texts)
    assert all(len(images) == 1 for images in model.images)


def told(score):
    return [{"from": "human", "value": f"Score answer {score}."}, {"from": "gpt", "value": f"{score}\nFine."}]


@pytest.mark.parametrize("task", ["vlrb_scenes_pointwise", "vlrb_scenes_ranking"])
def test_scores_and_rankings_from_the_run_and_from_its_log(task):
    results = evaluate(BaselineJudge(policy="oracle", accuracy=0.6, unparsed_rate=0.1), [task], repeats=3)
    found = scores(results, task)
    ballots = [ballot_from_record(json.loads(json.dumps(sample["ballot"]))) for sample in results["samples"][task]]
    again = score_ballots(ballots, family_metrics(ballots[0].origin.family, ["all"], 3))
    assert len(again) > 5
    for name, score in again.items():
        assert repr(found[name]) == repr(score.value), name
    if task == "vlrb_scenes_pointwise":
        assert 0.6 < found["pearson"] < 1
    else:
        assert 0 < found["levenshtein_distance"] < 0.4
        assert found["best_accuracy"] > 0.7


@pytest.mark.parametrize("policy", POLICIES)
def test_controls_for_scores_and_rankings(policy):
    results = evaluate(BaselineJudge(policy=policy), ["vlrb_scenes_pointwise", "vlrb_scenes_ranking"])
    points, orders = scores(results, "vlrb_scenes_pointwise"), scores(results, "vlrb_scenes_ranking")
    assert points["unparsed_rate"] == orders["unparsed_rate"] == 0
    if policy in ("first", "second"):
        assert points["most_frequent_score_share"] == 1
    if policy == "oracle":
        assert points["pearson"] == pytest.approx(1)
        assert orders["levenshtein_distance"] == 0
    else:
        assert not points["pearson"] > 0.3
        assert abs(orders["ranking_kendall_tau"]) < 0.2


def test_a_benchmark_of_ones_own_in_one_file(monkeypatch):
    monkeypatch.chdir(ROOT)
    results = evaluate(
        BaselineJudge(policy="oracle"), ["own_pairs"], include_path=str(ROOT / "examples" / "own_benchmark")
    )
    found = scores(results, "own_pairs")
    assert (found["accuracy_with_tie"], found["accuracy_with_tie_n"], found["kendall_tau"]) == (1.0, 6, 1.0)


def test_a_task_that_is_made_without_a_model_goes_by_the_kind_it_was_made_for():
    for kind, place in (("simple", 2), ("chat", 1)):
        made = TaskManager(include_defaults=False).load_task_or_group(["vlrb_scenes"], kind)["vlrb_scenes"]
        made.build_all_requests(limit=1)
        assert len(made.instances) == 5
        assert callable(made.instances[0].args[place])


def test_output_only_and_write_out(mirror):
    results = evaluate(SimpleRecorder(), predict_only=True)
    assert len(results["samples"]["vlrewardbench"]) == 6
    assert "overall_accuracy,none" not in results["results"]["vlrewardbench"]
    evaluate(SimpleRecorder(), write_out=True, limit=1)


def test_rows_that_repeat_are_judged_and_warned_of(mirror):
    line = (mirror / "test.jsonl").read_text().split("\n")[5]
    (mirror / "test.jsonl").write_text("\n".join([line, line]))
    results = evaluate(SimpleRecorder())
    keys = [sample["ballot"]["key"] for sample in results["samples"]["vlrewardbench"]]
    assert keys[1] == f"{keys[0]}#2"
