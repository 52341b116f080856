"""Runs as tables, figures and words: names, what may be published, what stands in a cell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.votes.made_runs import scene_items, write_run
from vlrb_tasks.cli.main import app
from vlrb_tasks.core.records import items_digest
from vlrb_tasks.environment import registry
from vlrb_tasks.report.figures import figures
from vlrb_tasks.report.judges_table import judges_table, latex_table, markdown_table, text_table
from vlrb_tasks.report.publishing import publishing_verdict
from vlrb_tasks.votes.errors import LogError
from vlrb_tasks.votes.runs import load_runs


@pytest.fixture(scope="module")
def items():
    return scene_items()


def verdict(folder, items, **how):
    return publishing_verdict(load_runs([write_run(folder, items, **how)], registry())[0])


def test_a_good_run_may_be_published_and_says_what_was_looked_at(tmp_path, items):
    found = verdict(tmp_path, items, accuracy=0.9)
    assert found.publish == "yes"
    assert any("No vote failed" in reason for reason in found.reasons)
    assert any("surely better than the controls" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    "how, publish, reason",
    [
        ({"accuracy": 0.52}, "with care", "not surely better than a judge that"),
        ({"failed": 0.005}, "with care", "votes failed; they count as votes for nobody"),
        ({"failed": 0.05}, "no", "failed"),
        ({"unparsed": 0.9}, "with care", "decided"),
    ],
)
def test_reasons_against(tmp_path, items, how, publish, reason):
    found = verdict(tmp_path, items, **{"accuracy": 0.9, **how})
    assert found.publish == publish, found.reasons
    assert any(reason in text for text in found.reasons), found.reasons


def test_a_part_of_the_items_is_not_published(tmp_path, items):
    found = verdict(tmp_path, items[:100], accuracy=0.9, missing=200)
    assert found.publish == "no"
    assert "Only 100 of 300 items were judged." in found.reasons


def test_what_the_registry_says_of_the_data_is_what_is_drawn(tmp_path, items):
    run = load_runs([write_run(tmp_path, items)], registry())[0]
    (edition,) = registry().benchmark("vlrb_scenes").editions
    assert (items_digest(run.log.ballots), len(items)) == (edition.sha256, edition.items)


def test_runs_of_one_name_are_told_apart(tmp_path, items):
    paths = [write_run(tmp_path / name, items[:24]) for name in ("a", "b")]
    names = [run.name for run in load_runs(paths, registry())]
    assert len(set(names)) == 2
    assert all(name.startswith("org/judge (") for name in names)
    given = [Path(f"Mine={paths[0]}"), Path(f"Yours={paths[1].parent}")]
    assert [run.name for run in load_runs(given, registry())] == ["Mine", "Yours"]
    with pytest.raises(LogError, match="named twice"):
        load_runs([given[0], given[0]], registry())


def test_runs_of_two_benchmarks_do_not_go_together(tmp_path, items):
    paths = [
        write_run(tmp_path / "a", items[:24]),
        write_run(tmp_path / "b", items[:24], benchmark="vlrewardbench"),
    ]
    with pytest.raises(LogError, match="do not go on one page"):
        load_runs(paths, registry())


def test_tables_hold_names_that_their_languages_give_a_meaning(tmp_path, items):
    path = write_run(tmp_path, items, 0.9)
    table = judges_table(load_runs([Path(f"a|b_{{50}}%&\\={path}")], registry()))
    marked = markdown_table(table)
    assert r"| a\|b\_\{50\}%&\\ |" in marked
    width = {len(re.split(r"(?<!\\)\|", line)) for line in marked.splitlines()}
    assert len(width) == 1
    tex = latex_table(table)
    assert r"a|b\_\{50\}\%\&\textbackslash{}" in tex
    body = [line for line in tex.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {len(table.columns)}
    plain = markdown_table(judges_table(load_runs([path], registry()), controls=False, reported=False), intervals=False)
    assert len(plain.splitlines()) == 3
    assert "(" not in plain.splitlines()[2]


def test_papers_rows_stand_below_as_reported(tmp_path, items):
    path = write_run(tmp_path, items, 0.9, benchmark="vlrewardbench")
    marked = markdown_table(judges_table(load_runs([path], registry())))
    assert re.search(r"\| \S.* \\?\(reported\\?\) \|", marked)


def test_every_figure_of_pairs_is_drawn_for_one_judge_and_for_several(tmp_path, items):
    paths = [write_run(tmp_path / name, items, right, unparsed=0.1) for name, right in (("a", 0.9), ("b", 0.6))]
    names = ["by_domain", "at_k", "bias", "votes", "without_verdict", "kappa"]
    for given in (paths[:1], paths):
        drawn = figures(load_runs(given, registry()))
        assert [figure.name for figure in drawn] == names
        for figure in drawn:
            svg = figure.svg()
            assert svg.startswith("<svg")
            assert "currentColor" in svg
            assert figure.description.endswith(".")
            assert all(label in svg for label in ("counting", "spatial")) or figure.name != "by_domain"


def test_the_commands_tell_what_is_wrong(tmp_path, items):
    path = write_run(tmp_path / "a", items[:24])
    command = CliRunner()
    wrong = command.invoke(app, ["plot", str(path), "-o", str(tmp_path / "f"), "--format", "gif"])
    assert "expected svg, png or pdf" in str(wrong.exception)
    assert not (tmp_path / "f").exists()
    none = command.invoke(app, ["report", str(tmp_path / "nothing"), "-o", str(tmp_path / "r.html")])
    assert isinstance(none.exception, LogError)
    assert not (tmp_path / "r.html").exists()
    shown = command.invoke(app, ["table", str(path), "--no-controls"])
    assert shown.stdout.startswith("| Judge |")
    assert "control" not in shown.stdout


def test_a_table_shows_one_rule_and_accuracy_against_the_number_of_votes(tmp_path, items):
    path = write_run(tmp_path, items, 0.7)
    runs = load_runs([Path(f"Mine={path}")], registry())
    both, strict, official = (judges_table(runs, controls=False, rule=rule) for rule in ("both", "strict", "official"))
    assert {column.rule for column in both.columns} == {"both", "strict", "official"}
    assert "Overall" in [column.heading for column in strict.columns]
    for table, metric, other in (
        (strict, "overall_accuracy_strict", "overall_accuracy"),
        (official, "overall_accuracy", "overall_accuracy_strict"),
    ):
        metrics = [column.metric for column in table.columns]
        assert metric in metrics
        assert other not in metrics
        assert "coverage_strict" in metrics
    text = text_table(judges_table(runs, rule="strict", at_k=True), intervals=False).splitlines()
    assert text[0].split("  ")[0] == "Judge"
    assert re.split(r"\s{2,}", text[0])[1:] == ["Mine", "first (control)", "longer (control)", "random (control)"]
    rows = {re.split(r"\s{2,}", line)[0]: re.split(r"\s{2,}", line)[1:] for line in text[2:]}
    assert rows["At 5"] == rows["Overall"]
    assert float(rows["At 1"][0]) < float(rows["At 3"][0]) < float(rows["At 5"][0])
    printed = CliRunner().invoke(app, ["table", f"Mine={path}", "--rule", "strict", "--at-k", "--format", "text"])
    assert printed.exit_code == 0
    assert "At 5" in printed.stdout
