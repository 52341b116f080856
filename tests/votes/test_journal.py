"""The journal: what is written is read again, and nothing else is."""

import json
import os
import subprocess
import sys
import time

import pytest

from tests.cli.test_cli import vlrb
from vlrb_tasks.votes.errors import JournalError
from vlrb_tasks.votes.journal import Journal
from vlrb_tasks.votes.journal_care import compact_journal, merge_journals
from vlrb_tasks.votes.journal_records import Answered, VoteKey, load_journal

MODEL = {"judge": "qwen2_5_vl", "pretrained": "a/b"}
ASKED = {"prompt": "p@1", "settings": {"temperature": 0.2}}


def key(i, task="t"):
    return VoteKey(task, f"item{i // 5}", i % 5, (0, 1) if i % 2 else (1, 0))


def vote(i, failed=False):
    return Answered(f'text {i}\n"quoted" {{{{ }}}} \u2028 é 判', "aa.bb.cc", (100, i), failed)


@pytest.fixture
def journal(tmp_path):
    kept = Journal(tmp_path / "votes", MODEL)
    kept.task("t", ASKED)
    kept.add((key(i), vote(i)) for i in range(20))
    kept.close()
    return kept.path


def lines(path):
    return path.read_bytes().split(b"\n")


def test_what_is_written_is_read_again(journal):
    loaded = load_journal(journal.parent)
    assert loaded.votes == {key(i): vote(i) for i in range(20)}
    assert (loaded.model, loaded.tasks, loaded.damaged) == (MODEL, {"t": ASKED}, {})
    again = Journal(journal.parent, MODEL)
    assert again.answer(key(3), "aa.bb.cc") == vote(3)
    assert again.answer(key(99), "aa.bb.cc") is None


@pytest.mark.parametrize("cut", [1, 5, 30, 60])
def test_a_torn_last_line_is_dropped_and_what_follows_stands_alone(journal, cut):
    os.truncate(journal, journal.stat().st_size - cut)
    loaded = load_journal(journal.parent)
    assert set(loaded.votes) == {key(i) for i in range(20 if cut == 1 else 19)}
    again = Journal(journal.parent, MODEL)
    again.add([(key(19), vote(19)), (key(20), vote(20))])
    again.close()
    assert set(load_journal(journal.parent).votes) == {key(i) for i in range(21)}
    assert not load_journal(journal.parent).damaged


@pytest.mark.parametrize("place", range(20, 200, 17))
def test_a_flipped_byte_costs_one_vote(journal, place):
    raw = bytearray(journal.read_bytes())
    start = raw.index(b'"draw":3')
    start = raw.rindex(b"\n", 0, start) + 1
    if raw[start + place % 60] == ord("\n"):
        pytest.skip("a line's end")
    raw[start + place % 60] ^= 4
    journal.write_bytes(raw)
    loaded = load_journal(journal.parent)
    assert len(loaded.votes) == 19
    assert loaded.damaged == {journal.name: 1}


def test_another_model_prompt_or_setting_is_refused(journal):
    with pytest.raises(
        JournalError,
        match=r"holds votes of judge=qwen2_5_vl pretrained=a/b; this run is of judge=qwen2_5_vl pretrained=a/c\. Fix: name another folder",
    ):
        Journal(journal.parent, {**MODEL, "pretrained": "a/c"})
    again = Journal(journal.parent, MODEL)
    with pytest.raises(JournalError, match=r"votes of t were asked with another prompt \(p@1, not p@2\)"):
        again.task("t", {**ASKED, "prompt": "p@2"})
    for asked, what in (("xx.bb.cc", "text"), ("aa.xx.cc", "picture"), ("aa.bb.xx", "setting")):
        with pytest.raises(JournalError, match=f"draw 3 of item item0 of t was asked with another {what}"):
            again.answer(key(3), asked)


def test_a_failed_request_is_asked_again(journal):
    again = Journal(journal.parent, MODEL)
    again.add([(key(30), vote(30, failed=True)), (key(3), vote(3, failed=True))])
    again.close()
    loaded = load_journal(journal.parent)
    assert loaded.failures == 2
    assert not loaded.votes[key(3)].failed, "an answer stands, whatever fails later"
    last = Journal(journal.parent, MODEL)
    assert last.answer(key(30), "aa.bb.cc") is None
    last.add([(key(30), vote(30))])
    last.close()
    assert load_journal(journal.parent).votes[key(30)] == vote(30)


def test_each_rank_has_a_file_and_reads_all(journal):
    second = Journal(journal.parent, MODEL, rank=1)
    assert second.answer(key(7), "aa.bb.cc") == vote(7)
    second.task("t", ASKED)
    second.add([(key(50), vote(50))])
    second.close()
    assert len(load_journal(journal.parent).votes) == 21
    assert len(list(journal.parent.iterdir())) == 2


def test_two_runs_do_not_write_one_journal(journal):
    holder = Journal(journal.parent, MODEL)
    code = f"from pathlib import Path\nfrom vlrb_tasks.votes.journal import *\ntry:\n Journal(Path({str(journal.parent)!r}), {MODEL!r})\nexcept JournalError as error: print(error)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "is in use by another run" in told.stdout, told.stderr
    holder.close()


def test_what_is_no_journal_is_refused(tmp_path):
    (tmp_path / "x.votes.jsonl").write_text('{"type":"vote"}\nhello\n')
    assert load_journal(tmp_path).damaged == {"x.votes.jsonl": 2}
    (tmp_path / "x.votes.jsonl").write_text("")
    assert load_journal(tmp_path).model is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=r"cannot be written: .* Fix: make room or correct its rights"):
        Journal(tmp_path / "file" / "votes", MODEL)


def test_merge_and_compact(journal, tmp_path):
    other = Journal(tmp_path / "other", MODEL)
    other.task("t", ASKED)
    other.add([*((key(i), vote(i)) for i in range(15, 40)), (key(60), vote(60, failed=True))])
    other.close()
    merge_journals([journal.parent, tmp_path / "other"], tmp_path / "whole")
    whole = load_journal(tmp_path / "whole")
    assert whole.votes == {key(i): vote(i) for i in range(40)}
    with pytest.raises(JournalError, match="holds a journal already"):
        merge_journals([journal.parent], tmp_path / "whole")
    raw = bytearray(journal.read_bytes())
    raw[-30] ^= 1
    journal.write_bytes(raw)
    second = Journal(journal.parent, MODEL, rank=1)
    second.add([(key(70), vote(70, failed=True)), (key(71), vote(71))])
    second.close()
    compact_journal(journal.parent)
    after = load_journal(journal.parent)
    assert (len(after.votes), after.failures, after.damaged) == (20, 0, {})
    assert len(list(journal.parent.iterdir())) == 1
    assert after.tasks == {"t": ASKED}
    stranger = Journal(tmp_path / "stranger", {"judge": "other"})
    stranger.close()
    with pytest.raises(JournalError, match="keep the files of two models in two folders"):
        merge_journals([journal.parent, tmp_path / "stranger"], tmp_path / "mixed")


def test_commands(journal, tmp_path):
    told = vlrb("journal", "inspect", journal.parent)
    assert "votes of judge=qwen2_5_vl pretrained=a/b, in 1 files" in told.stdout
    assert "t     p@1     4      20" in told.stdout
    assert "Damaged lines: none." in told.stdout
    assert vlrb("journal", "merge", journal.parent, "--output", tmp_path / "new").returncode == 0
    assert vlrb("journal", "compact", tmp_path / "new").returncode == 0
    told = vlrb("journal", "inspect", tmp_path)
    assert (told.returncode, told.stdout) == (1, "")
    assert "holds no votes (*.votes.jsonl). Fix:" in told.stderr


def test_a_hundred_thousand_votes_load_in_under_three_seconds(tmp_path):
    kept = Journal(tmp_path, MODEL)
    kept.add(
        (key(i), Answered("The square is red, as the first response says. " * 6, "aa.bb.cc", (500, 60)))
        for i in range(100_000)
    )
    kept.close()
    start = time.process_time()
    assert len(load_journal(tmp_path).votes) == 100_000
    assert time.process_time() - start < 3


def test_lines_are_json(journal):
    assert [json.loads(line)["type"] for line in lines(journal) if line][:3] == ["run", "task", "vote"]
