"""Critic data: rows of every kind in, records out; what is refused, and what a recipe's faults are told as."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import yaml
from PIL import Image
from typer.testing import CliRunner

from tests.data.rows import rows as bench_rows
from tests.votes.made_runs import write_run
from vlrb_tasks.cli.main import app
from vlrb_tasks.critic.build import BuildError, build
from vlrb_tasks.critic.card import card
from vlrb_tasks.critic.cells import CellError, at, score_at, scores_at, text_at
from vlrb_tasks.critic.overlap import plain
from vlrb_tasks.critic.recipe import Recipe, load_recipe
from vlrb_tasks.critic.templates import pair_templates
from vlrb_tasks.critic.wording import changes, renamed
from vlrb_tasks.data.rows import DataError, items_of
from vlrb_tasks.environment import registry
from vlrb_tasks.registry.loading import RegistryError


@pytest.fixture
def folder(tmp_path):
    """A mirror of the benchmark's rows, and a folder for sources with a picture each."""
    mirror = tmp_path / "mirror" / "VL-RewardBench"
    mirror.mkdir(parents=True)
    Image.new("RGB", (8, 8), (1, 2, 3)).save(mirror / "held.png")
    (mirror / "rows.json").write_text(json.dumps([{**row, "image": "held.png"} for row in bench_rows()]))
    for number in range(8):
        Image.new("RGB", (8, 6), (30 * number, 0, 0)).convert("RGBA" if number % 2 else "P").save(
            tmp_path / f"{number}.png"
        )
    return tmp_path


def made(folder, rows, part, **recipe):
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    part = {"source": {"path": "rows.jsonl"}, **part}
    known = Recipe.model_validate({"title": "Test", "parts": {"part": part}, **recipe})
    output = folder / f"out{len(list(folder.glob('out*')))}"
    built = build(known, folder, output, registry(), folder / "mirror")
    records = [json.loads(line) for line in (output / "train.jsonl").read_text().splitlines()]
    return built.parts["part"], records, output


def answers(records):
    return [record["completion"][0]["content"][0]["text"] for record in records]


def asked(record):
    return record["prompt"][0]["content"][-1]["text"]


PREFERENCE = {
    "mode": "pairwise",
    "cells": {"id": "id", "image": "image", "question": "q", "better": "chosen", "worse": "rejected"},
}


def preferred(number=0, **changed):
    return {
        "id": f"r{number}",
        "image": f"{number}.png",
        "q": f"What is seen in {number}?",
        "chosen": f"A dog {number}.",
        "rejected": "A cat.",
        **changed,
    }


# -- the kinds of sources -----------------------------------------------------------------------------------------


def test_preferences_in_both_orders_in_both_formats(folder):
    count, records, output = made(folder, [preferred(i) for i in range(6)], PREFERENCE)
    assert count.written == len(records) == 12
    assert Counter(record["outcome"] for record in records) == {"first": 6, "second": 6}
    for one, two in zip(records[::2], records[1::2], strict=True):
        assert one["row"] == two["row"]
        assert asked(one).index("A dog") < asked(one).index("A cat.")
        assert asked(two).index("A dog") > asked(two).index("A cat.")
    llava = json.loads((output / "llava.json").read_text())
    assert [turn["from"] for turn in llava[0]["conversations"]] == ["human", "gpt"]
    assert llava[0]["conversations"][0]["value"] == "<image>\n" + asked(records[0])
    assert [entry["conversations"][1]["value"] for entry in llava] == answers(records)
    assert all(Image.open(output / record["images"][0]).mode == "RGB" for record in records)
    assert {record["images"][0] for record in records} == {entry["image"] for entry in llava}


def test_scored_responses_become_pairs_above_the_gap_and_some_ties(folder):
    rows = [
        {
            "id": str(i),
            "q": f"Question {i}",
            "completions": {"response": ["good", "fair", "also fair", "near good"], "help": ["4.0", "2", 2, 3.5]},
        }
        for i in range(8)
    ]
    cells = {"id": "id", "question": "q", "responses": "completions.*.response", "scores": ["completions.*.help"]}
    part = {"mode": "pairwise", "cells": cells, "scale": [1, 5], "gap": 0.6, "ties": 0.2, "orders": "random"}
    count, records, _ = made(folder, rows, part)
    ties = sum(record["outcome"] == "tie" for record in records)
    assert count.written - ties == 8 * 4  # good and near good against fair and also fair; their own gap is 0.5
    assert 0 < ties <= 0.2 * count.written
    assert count.left_out["tie above the share"] == 8 - ties
    only, tied, _ = made(folder, rows, {**part, "ties": "only"})
    assert only.written == 8
    assert {record["outcome"] for record in tied} == {"tie"}
    one, single, _ = made(folder, rows, {**part, "pairs": 1, "ties": 0})
    assert one.written == len({record["row"].split("/")[0] for record in single}) == 8


def test_scored_responses_become_scores_out_of_100(folder):
    rows = [{"q": "Describe it.", "r": f"Response {i}", "s": i, "why": f"{i}\nBecause."} for i in range(1, 6)]
    cells = {"question": "q", "response": "r", "score": "s", "reasons": "why"}
    part = {
        "mode": "pointwise",
        "cells": cells,
        "scale": [1, 5],
        "prompts": ["critic_chat", "critic_caption"],
        "reasons": {"cells": True},
    }
    count, records, _ = made(folder, rows, part)
    assert [record["outcome"] for record in records] == ["0", "25", "50", "75", "100"]
    assert count.outcomes == {"0-9": 1, "20-29": 1, "50-59": 1, "70-79": 1, "90-100": 1}
    assert all(text.endswith("Because.") for text in answers(records)), answers(records)
    assert {record["judge_prompt"] for record in records} == {"critic_chat", "critic_caption"}
    with pytest.raises(BuildError, match="between 1 and 3"):
        made(folder, rows[3:], {**part, "scale": [1, 3]})


def test_a_conversation_that_holds_its_own_prompt(folder):
    turns = [
        {"from": "human", "value": "<image>\nScore this: it is a dog."},
        {"from": "gpt", "value": "85\nTrue, but short."},
    ]
    cells = {"question": "talk", "score": "talk", "reasons": "talk"}
    part = {"mode": "pointwise", "cells": cells, "prompts": ["verbatim_pointwise"], "reasons": {"cells": True}}
    _, (record,), _ = made(folder, [{"talk": turns}], part)
    assert asked(record) == "Score this: it is a dog."
    assert answers([record]) == ["85\nTrue, but short."]


def test_corrected_responses_say_what_was_wrong(folder):
    row = {
        "text": json.dumps(
            {"question": "What colour?", "chosen": "A blue car by a tree.", "rejected": "A red car by a tree."}
        )
    }
    cells = {"question": "text.question", "better": "text.chosen", "worse": "text.rejected"}
    template = '{{ worse }} says "{{ changes[0][0] }}" instead of "{{ changes[0][1] }}".'
    _, records, _ = made(folder, [row], {"mode": "pairwise", "cells": cells, "reasons": {"template": template}})
    for record in records:
        template = pair_templates()[int(record["judge_prompt"].removeprefix("pair_")) - 1]
        verdict, reasons = answers([record])[0].split("\n", 1)
        assert template.read(verdict).outcome == record["outcome"]
        worse = template.names[1 if record["outcome"] == "first" else 0]
        assert reasons.lower() == f'{worse} says "red" instead of "blue".'.lower()


def test_reasons_change_their_names_with_the_order(folder):
    cells = {"question": "q", "responses": ["a", "b"], "winner": "w", "reasons": "why"}
    part = {
        "mode": "pairwise", "cells": cells, "winners": {"A>B": "first", "A=B": "tie", "B>A": "second", "?": "leave_out"},
        "reasons": {"cells": True, "labels": ["Assistant A", "Assistant B"]},
    }  # fmt: skip
    rows = [
        {
            "q": "one",
            "a": "x",
            "b": "y",
            "w": "A>B",
            "why": "Assistant A sees the dog; Assistant B does not. My verdict: [[A>B]].",
        },
        {"q": "two", "a": "x", "b": "y", "w": "B>A", "why": "Response 2 is right."},
        {"q": "three", "a": "x", "b": "y", "w": "?", "why": ""},
        {"q": "four", "a": "x", "b": "y", "w": "A=B", "why": "Assistant A is better."},
    ]
    count, records, _ = made(folder, rows, part)
    assert count.left_out["reasons: they name the responses otherwise"] >= 1
    assert count.left_out["reasons: they contradict the verdict"] == 2
    for record, seer in zip(records[:2], (0, 1), strict=True):
        names = pair_templates()[int(record["judge_prompt"].removeprefix("pair_")) - 1].names
        reasons = answers([record])[0].split("\n", 1)[1]
        assert reasons.lower() == f"{names[seer]} sees the dog; {names[1 - seer]} does not.".lower()
        assert "[[A>B]]" not in reasons
    assert not any("\n" in text for text in answers(records[-2:]))


def test_a_teachers_reasons_come_from_the_log_of_a_task(folder):
    """The teacher's own names for the responses become the template's, wherever they stood when it judged."""
    benchmark = registry().benchmark("vlrb_scenes")
    rows = [
        {
            "id": f"existence-{i}",
            "question": f"Is there a dog in picture {i}?",
            "responses": ["Yes, one.", "No."],
            "ranking": [i % 2, 1 - i % 2],
            "images": None,
        }
        for i in range(6)
    ]
    items = items_of(rows, benchmark, "rows")[0]
    write_run(folder / "teacher", items, accuracy=0.9, draws=5, said="Response A was compared with Response B.")
    cells = {"id": "id", "question": "question", "responses": "responses", "winner": "better"}
    given = [{**row, "better": "ab"[row["ranking"][1] == 0]} for row in rows]
    part = {"mode": "pairwise", "cells": cells, "winners": {"a": "first", "b": "second"}, "reasons": {"log": "teacher"}}
    count, records, _ = made(folder, given, part)
    assert count.with_reasons == len(records) == 12
    for record in records:
        names = pair_templates()[int(record["judge_prompt"].removeprefix("pair_")) - 1].names
        reasons = answers([record])[0].split("\n", 1)[1].lower()
        assert all(name.lower() in reasons for name in names), reasons
        assert "verdict:" not in reasons
    unknown = [{**row, "question": f"Another {row['id']}?"} for row in given]
    count, records, _ = made(folder, unknown, part)
    assert count.with_reasons == 0
    assert count.left_out["reasons: the teacher gave none that agree"] == len(given)


# -- what is refused -----------------------------------------------------------------------------------------------


def test_what_an_evaluation_asks_is_refused_and_counted(folder):
    (_, _, third, *_) = bench_rows()
    long = "This response has certainly more words than eight of them."
    mirror = folder / "mirror" / "VL-RewardBench" / "rows.json"
    known = json.loads(mirror.read_text())
    known[0]["response"][0] = long
    known[1]["query"] = "Which of the many small objects on the table is green?"
    mirror.write_text(json.dumps(known))
    rows = [
        preferred(0),
        preferred(1, chosen=f"<image> {long.upper()}"),
        preferred(2, q="Which of the many small objects, on the table, is green"),
        preferred(3, q=third["query"], chosen=third["response"][0]),
        preferred(4, image="mirror/VL-RewardBench/held.png"),
    ]
    count, records, _ = made(folder, rows, PREFERENCE)
    assert {record["row"] for record in records} == {"r0"}
    refused = {why.removeprefix("overlap with an evaluation: "): n for why, n in count.left_out.items()}
    assert refused.pop("response") == 1
    assert refused.pop("picture") == 1
    assert sum(refused.values()) == 2
    inside = {
        "talk": [
            {"from": "human", "value": f"Judge this. Response: [{long}] Score it."},
            {"from": "gpt", "value": "85"},
        ]
    }
    other = {
        "talk": [{"from": "human", "value": "Judge this. Response: [Hm.] Score it."}, {"from": "gpt", "value": "5"}]
    }
    part = {"mode": "pointwise", "cells": {"question": "talk", "score": "talk"}, "prompts": ["verbatim_pointwise"]}
    count, records, _ = made(folder, [inside, other], part)
    assert count.left_out == {"overlap with an evaluation: response": 1}
    assert answers(records) == ["5"]


def test_an_evaluations_picture_that_cannot_be_opened_is_told_on_the_card(folder):
    (folder / "rows.jsonl").write_text(json.dumps(preferred(0)) + "\n")
    known = {"title": "Test", "parts": {"part": {"source": {"path": "rows.jsonl"}, **PREFERENCE}}}
    cards = []
    for output in (folder / "whole", folder / "broken"):
        built = build(Recipe.model_validate(known), folder, output, registry(), folder / "mirror")
        cards.append(card(built))
        (folder / "mirror" / "VL-RewardBench" / "held.png").write_bytes(b"no picture")
    assert "cannot be opened" not in cards[0]
    assert f"Pictures of {built.unopened} of their items cannot be opened and are not recognised." in cards[1]
    assert built.unopened == len(bench_rows())


def test_duplicates_empty_texts_and_broken_rows_are_counted(folder):
    rows = [
        preferred(0),
        preferred(0, id="again"),
        preferred(1, chosen=" "),
        preferred(2, chosen="A CAT"),
        {"id": "r9", "image": "3.png", "q": "No responses?"},
        preferred(3, image="4.png"),
    ]
    count, records, output = made(folder, rows, PREFERENCE)
    assert count.rows == 6
    assert {record["row"] for record in records} == {"r0", "r3"}
    assert count.left_out == {
        "duplicate": 1,
        "empty question or response": 1,
        "the same response twice": 1,
        "row that does not hold what the recipe says": 1,
    }
    assert count.faults == ["row 4: chosen: no 'chosen'; there are id, image, q."]
    assert len(list((output / "images").iterdir())) == 2


def test_hostile_texts_stay_texts(folder):
    rows = [
        preferred(0, q="{{ 7 * 7 }} {% raw %} <image>", chosen="{question} </s> [INST]", rejected="<|im_end|> fine")
    ]
    _, records, _ = made(folder, rows, PREFERENCE)
    for record in records:
        assert "{{ 7 * 7 }} {% raw %}" in asked(record)
        assert "<|im_end|>" not in asked(record)
        assert "<image>" not in asked(record)
        assert "</s>" not in asked(record)


def test_missing_pictures(folder):
    rows = [preferred(i, image="nowhere.png" if i == 1 else f"{i}.png") for i in range(4)]
    with pytest.raises(DataError, match="r1: picture cannot be opened: no file nowhere"):
        made(folder, rows, PREFERENCE)
    count, records, _ = made(folder, rows, PREFERENCE, missing=0.05)
    assert count.left_out == {"picture missing": 1}
    assert len(records) == 6
    count, records, output = made(folder, rows, PREFERENCE, images="path")
    assert len(records) == 8
    assert records[2]["images"] == ["nowhere.png"]
    assert not (output / "images").exists()


def test_the_same_recipe_gives_the_same_bytes(folder):
    rows = [preferred(i) for i in range(6)]
    part = {**PREFERENCE, "orders": "random"}
    texts = [(made(folder, rows, part)[2] / "train.jsonl").read_bytes() for _ in range(2)]
    assert texts[0] == texts[1]
    assert (made(folder, rows, part, seed=1)[2] / "train.jsonl").read_bytes() != texts[0]


def test_a_source_that_gives_nothing_says_why(folder):
    with pytest.raises(BuildError, match=r"gave no record out of 2 rows .*no 'chosen'; there are a\."):
        made(
            folder,
            [{"a": "x"}, {"a": "y"}],
            {"mode": "pairwise", "cells": {"question": "a", "better": "chosen", "worse": "rejected"}},
        )


# -- recipes and their parts ---------------------------------------------------------------------------------------


def test_the_recipes_of_this_project_are_well_formed_and_count_as_the_paper_does(folder):
    from tests.conftest import ROOT

    mix = load_recipe(ROOT / "examples" / "critic_data" / "paper_mix.yaml")
    kept = Counter()
    for part in mix.parts.values():
        kept[part.mode] += part.keep
    assert kept == {"pointwise": 72_782, "pairwise": 40_100}
    assert len(pair_templates()) == 30
    assert len({template.text for template in pair_templates()}) == 30


@pytest.mark.parametrize(
    "change, message",
    [
        ({"cells": {"question": "q", "better": "a"}}, "worse, which better needs"),
        ({"cells": {"question": "q"}}, "one of score, scores, winner and better"),
        ({"mode": "pointwise"}, "mode pointwise"),
        ({"cells": {"question": "q", "responses": ["a", "b"], "winner": "w"}}, "winners"),
        ({"scale": [5, 1]}, "first end is the lower"),
        ({"cels": {}}, "no such field. Did you mean cells?"),
        ({"reasons": {"cells": True}}, "cells.reasons"),
        ({"reasons": {"cells": True, "template": "x"}}, "one of cells, log and template"),
    ],
)
def test_faults_of_a_recipe_are_told_with_their_line(tmp_path, change, message):
    part = {
        "mode": "pairwise",
        "source": {"path": "x.jsonl"},
        "cells": {"question": "q", "better": "a", "worse": "b"},
        **change,
    }
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump({"title": "T", "parts": {"one": part}}))
    with pytest.raises(RegistryError, match=message) as error:
        load_recipe(path)
    assert f"{path}:" in str(error.value)


def test_the_command(folder, monkeypatch):
    monkeypatch.setenv("VLRB_DATA", str(folder / "mirror"))
    (folder / "rows.jsonl").write_text("".join(json.dumps(preferred(i)) + "\n" for i in range(6)))
    part = {**PREFERENCE, "source": {"path": "rows.jsonl"}}
    recipe = folder / "recipe.yaml"
    recipe.write_text(yaml.safe_dump({"title": "Mine", "parts": {"dogs": part}}))
    command = ["critic", "build", str(recipe), "-o", str(folder / "data")]
    done = CliRunner().invoke(app, [*command, "--limit", "4"])
    assert done.exit_code == 0, done.output
    assert "dogs: 4 records" in done.stdout
    written = (folder / "data" / "README.md").read_text()
    assert "| dogs | 2 | 2 |" in written
    assert "### dogs (`pair_" in written
    again = CliRunner().invoke(app, command)
    assert isinstance(again.exception, BuildError)
    assert "is not empty" in str(again.exception)


# -- small things --------------------------------------------------------------------------------------------------


def test_cells():
    row = {
        "a": [{"b": 1}, {"b": 2}],
        "c": {"d": [1, 2], "e": ["x", "y"]},
        "j": '{"k": "v"}',
        "s": "7\nwords",
        "n": "N/A",
    }
    assert at(row, "a.*.b") == [1, 2]
    assert at(row, "a.1.b") == 2
    assert at(row, "c.*.e") == ["x", "y"]
    assert at(row, "j.k") == "v"
    assert score_at(row, "s") == 7
    assert scores_at({"x": [1, "N/A"], "y": [3, 4]}, ["x", "y"], 2) == [2.0, None]
    for path, message in (
        ("a.b", "expected a mapping"),
        ("z", "no 'z'"),
        ("s.x", "no JSON|expected a mapping"),
        ("c.d.5", "expected a mapping"),
    ):
        with pytest.raises(CellError, match=message):
            at(row, path)
    with pytest.raises(CellError, match="expected a number"):
        score_at(row, "n")
    with pytest.raises(CellError, match="expected a text"):
        text_at({"q": 5}, "q")


def test_words():
    assert plain("<image>\nWhat's  THIS?") == plain("what s this")
    assert renamed("A and B, not ABBA", ["A", "B"], ["B", "A"]) == "B and A, not ABBA"
    assert changes("one two three", "one 2 three four") == [("two", "2"), ("", "four")]
