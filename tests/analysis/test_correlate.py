import json

import pyarrow
import pyarrow.parquet
import pytest

from tests.cli.test_cli import vlrb
from vlrb_tasks.analysis.correlate import correlate
from vlrb_tasks.votes.errors import LogError

ROWS = [
    {"human": h, "judge": j, "set": s}
    for h, j, s in [(1, 2, "a"), (2, 1, "a"), (3, 4, "b"), (4, 3, "b"), (5, -1, "b"), (5, 5, "a")]
]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_every_kind_of_file(tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    if ending in ("csv", "tsv"):
        mark = "," if ending == "csv" else "\t"
        path.write_text(mark.join(ROWS[0]) + "\n" + "\n".join(mark.join(map(str, row.values())) for row in ROWS))
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)))
    elif ending == "json":
        path.write_text(json.dumps(ROWS))
    else:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    found = correlate(path, "human", "judge", missing=(-1,), by="set")
    assert [(group.group, group.n, group.dropped) for group in found] == [("", 5, 1), ("a", 3, 0), ("b", 2, 1)]
    # 1 2 3 4 5 against 2 1 4 3 5: 8 concordant, 2 discordant pairs of 10
    assert found[0].found["kendall_tau"].value == pytest.approx(0.6)


def test_command(tmp_path):
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    told = json.loads(
        vlrb(
            "correlate",
            path,
            "--reference",
            "human",
            "--prediction",
            "judge",
            "--missing",
            "-1",
            "--by",
            "set",
            "--json",
        ).stdout
    )
    assert told["kendall_tau"] == pytest.approx(0.6)
    assert (told["n"], told["n_dropped"]) == (5, 1)
    assert told["by"]["b"]["pearson"] == pytest.approx(-1)
    table = vlrb("correlate", path, "--reference", "human", "--prediction", "judge").stdout
    assert "kendall_tau" in table


FAULTS = {
    "no column": ("x.csv", "a,b\n1,2\n", "no column 'human'; there are a, b"),
    "near column": ("x.csv", "humam,judge\n1,2\n", "Did you mean humam"),
    "words": ("x.csv", "human,judge\nhigh,2\n", "row 0 human: got 'high'; expected a number"),
    "no rows": ("x.csv", "human,judge\n", "holds no rows"),
    "other ending": ("x.xlsx", "", "expected .csv"),
    "broken": ("x.jsonl", "{", "cannot be read"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path, name):
    file, content, message = FAULTS[name]
    (tmp_path / file).write_text(content)
    with pytest.raises(LogError, match=message):
        correlate(tmp_path / file, "human", "judge")


def test_empty_cells_are_missing(tmp_path):
    (tmp_path / "x.csv").write_text("human,judge\n1,1\n2,\n3,nan\n4,5\n5,4\n")
    assert correlate(tmp_path / "x.csv", "human", "judge")[0].dropped == 2
