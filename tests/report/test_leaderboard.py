"""The site: a round trip from runs to a sorted table, looked at in a real browser."""

from __future__ import annotations

import json
import shutil

import pytest
from selenium.webdriver.common.by import By
from typer.testing import CliRunner

from tests.report.browser import chromium
from tests.votes.made_runs import scene_items, write_run
from vlrb_tasks.cli.main import app
from vlrb_tasks.report.leaderboard import rank_ranges


def test_rank_ranges_of_overlapping_intervals():
    # the first two overlap; the third overlaps the second alone; the last stands below all
    assert rank_ranges([(0.8, 0.9), (0.7, 0.82), (0.6, 0.75), (0.1, 0.2)]) == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert rank_ranges([]) == []
    assert rank_ranges([(0.5, 0.5), (0.5, 0.5)]) == [(1, 2), (1, 2)]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = CliRunner()
    for name, accuracy in (("Good <b>judge</b>", 0.9), ("Fair judge", 0.7), ("Poor judge", 0.52)):
        write_run(folder / "runs" / name[:4], scene_items(), accuracy, seed=len(name))
        packed = command.invoke(
            app,
            [
                "submit",
                "pack",
                str(folder / "runs" / name[:4]),
                "--model-name",
                name,
                "-o",
                str(folder / "submissions" / name[:4]),
            ],
        )
        assert packed.exit_code == 0, packed.output
        assert command.invoke(app, ["submit", "validate", str(folder / "submissions" / name[:4])]).exit_code == 0
    result = command.invoke(app, ["leaderboard", "build", str(folder / "submissions"), "-o", str(folder / "site")])
    assert result.exit_code == 0, result.output
    assert "3 submissions, 0 rejected" in result.stdout
    return folder


@pytest.mark.slow
def test_the_site_in_a_browser(built):
    with chromium() as page:
        page.open(built / "site" / "index.html")
        rows = page.find_elements(By.CSS_SELECTOR, "tbody tr")
        names = [row.find_element(By.CSS_SELECTOR, "td").text.split("\n")[0] for row in rows]
        assert names[:2] == ["Good <b>judge</b>", "Fair judge"]
        assert set(names[2:]) == {"Poor judge", "first", "longer", "random"}
        ranks = {name: row.find_elements(By.CSS_SELECTOR, "td")[1].text for name, row in zip(names, rows, strict=True)}
        assert ranks["Good <b>judge</b>"] == "1"
        assert ranks["Fair judge"] == "2"
        assert ranks["Poor judge"].startswith("3–")  # not told apart from the controls
        page.shot("leaderboard")
        heading = page.find_elements(By.CSS_SELECTOR, "th button")[2]  # overall, strict
        heading.click()  # the highest first
        heading.click()  # the lowest first
        values = [
            float(row.find_elements(By.CSS_SELECTOR, "td")[2].get_attribute("data-value"))
            for row in page.find_elements(By.CSS_SELECTOR, "tbody tr")
        ]
        assert values == sorted(values)
        page.find_element(By.LINK_TEXT, "Fair judge").click()
        assert page.title == "Fair judge as a judge"
        assert "This run may be published" in page.find_element(By.TAG_NAME, "main").text
        page.find_element(By.LINK_TEXT, "All judges").click()
        page.size(360, 740)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360
        page.shot("leaderboard_phone")
        assert page.complaints() == []
        assert all(url.startswith("file:") for url in page.asked_for())


def test_a_rejected_submission_is_told_and_left_out(built, tmp_path):
    forged = tmp_path / "submissions"
    shutil.copytree(built / "submissions", forged)
    results = json.loads((forged / "Poor" / "results.json").read_text())
    results["overall_accuracy_strict"]["value"] = 0.99
    (forged / "Poor" / "results.json").write_text(json.dumps(results))
    shutil.copytree(forged / "Fair", forged / "Fair again")
    found = CliRunner().invoke(app, ["leaderboard", "build", str(forged), "-o", str(tmp_path / "site")])
    assert found.exit_code == 1
    assert "Poor: REJECTED" in found.stdout
    assert "scores: " in found.stdout
    assert "Fair again: REJECTED" in found.stdout
    assert "2 submissions, 2 rejected" in found.stdout
    assert "Poor judge" not in (tmp_path / "site" / "index.html").read_text()
    empty = CliRunner().invoke(app, ["leaderboard", "build", str(tmp_path / "site"), "-o", str(tmp_path / "other")])
    assert isinstance(empty.exception, ValueError)
    assert "no submissions" in str(empty.exception)
