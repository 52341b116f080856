import gzip
import json

import pytest

from tests.votes.test_logs import ballot
from vlrb_tasks.analysis.correlate import correlate
from vlrb_tasks.core.records import ballot_record
from vlrb_tasks.data.json_lines import JsonLineError, json_lines
from vlrb_tasks.data.sources import json_rows
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.votes.logs import read_log
from vlrb_tasks.votes.submission.form import _ballots

ODD = "one\u2028two\u2029three\u0085four\x0bfive\x00six"


def test_a_line_ends_at_a_newline_and_nowhere_else():
    text = "".join(json.dumps({"a": ODD, "n": n}, ensure_ascii=False) + "\n" for n in range(2))
    assert list(json_lines(text)) == [(1, {"a": ODD, "n": 0}), (2, {"a": ODD, "n": 1})]
    assert list(json_lines("\n 1\r\n\n2")) == [(2, 1), (4, 2)]


@pytest.mark.parametrize("text, line, last", [("1\n{\n2\n", 2, False), ("1\n{", 2, True), ('1\n{"a": "b', 2, True)])
def test_a_line_that_is_not_json(text, line, last):
    with pytest.raises(JsonLineError) as error:
        list(json_lines(text))
    assert (error.value.line, error.value.last) == (line, last)


def test_every_reader_takes_such_texts(tmp_path):
    record = ballot_record(ballot(texts=(f"{ODD} Overall Judgment: Answer 1 is better.",)))
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"q": ODD}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert list(json_rows(rows)) == [{"q": ODD}]
    log = tmp_path / "x_samples_y.jsonl"
    log.write_text(json.dumps({"doc_id": 0, "ballot": record}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_log(log, package_registry()).ballots[0].votes[0].text.startswith(ODD)
    votes = tmp_path / "votes.jsonl.gz"
    votes.write_bytes(gzip.compress((json.dumps(record, ensure_ascii=False) + "\n").encode()))
    assert _ballots(votes)[0].votes[0].text.startswith(ODD)
    scores = tmp_path / "scores.jsonl"
    lines = [{"human": n, "judge": n * n, "why": ODD} for n in range(4)]
    scores.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    assert correlate(scores, "human", "judge")[0].n == 4
