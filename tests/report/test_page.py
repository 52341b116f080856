"""The report in a real browser: opened, filtered, searched, linked to; hostile data; nothing asked for elsewhere."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.report.browser import chromium
from tests.votes.made_runs import scene_items, write_run
from vlrb_tasks.core.items import Item
from vlrb_tasks.environment import registry
from vlrb_tasks.report.page import in_script, report_page
from vlrb_tasks.votes.runs import load_runs

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=document.title='owned'>",
    "javascript:document.title='owned'",
    "{{ 7*7 }}{% raw %} ${7*7} \u2028 <!-- ]]>",
    '"><iframe srcdoc="<script>parent.document.title=1</script>">',
]


@pytest.fixture(scope="module")
def page():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    items = scene_items()
    good = write_run(folder / "a", items, 0.85, seed=1, model_args="pretrained=org/good_judge")
    fair = write_run(folder / "b", items, 0.7, seed=2, unparsed=0.1, model_args="pretrained=org/fair_judge")
    poor = write_run(folder / "c", items, 0.5, seed=3, failed=0.05, model_args="pretrained=org/poor_judge")
    return load_runs([good, fair, poor], registry())


def _rows(page):
    return page.find_elements(By.CSS_SELECTOR, "#list button")


def _choose(page, select, value):
    page.find_element(By.CSS_SELECTOR, f"#{select} option[value='{value}']").click()


@pytest.mark.slow
def test_a_report_of_three_judges(page, runs, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(runs), encoding="utf-8")
    page.open(path)
    text = page.find_element(By.TAG_NAME, "main").text
    assert "This run is not to be published." in text  # 5 % of the poor judge's votes failed
    assert "not surely better than a judge that" in text
    assert "org/good_judge" in text
    assert "a judge that does not look" in text
    assert len(page.find_elements(By.CSS_SELECTOR, "figure svg")) == 6
    assert page.execute_script("return scrollY") == 0
    assert not page.find_element(By.ID, "tag").is_displayed()  # these items have no tags
    page.shot("report_top")

    assert len(_rows(page)) == 300
    page.find_element(By.CSS_SELECTOR, "#run option[value='2']").click()
    _choose(page, "state", "wrong")
    wrong = sum(b.decision != b.preferred for b in runs[2].log.ballots)
    assert page.find_element(By.ID, "count").text == f"{wrong} of 300 items"
    _choose(page, "group", "counting")
    counting = sum(b.decision != b.preferred for b in runs[2].log.ballots if b.group == "counting")
    assert len(_rows(page)) == counting
    _choose(page, "state", "failed")
    failed = sum(any(v.outcome == "failed" for v in b.votes) for b in runs[2].log.ballots if b.group == "counting")
    assert len(_rows(page)) == failed
    _choose(page, "group", "")
    _choose(page, "run", "1")
    _choose(page, "state", "unparsed")
    assert len(_rows(page)) == sum(any(v.outcome == "unparsed" for v in b.votes) for b in runs[1].log.ballots)
    _choose(page, "run", "any")
    _choose(page, "state", "disagree")
    keys = [b.key for b in runs[0].log.ballots]
    of = [{b.key: b.decision for b in run.log.ballots} for run in runs]
    assert len(_rows(page)) == sum(len({decided[key] for decided in of}) > 1 for key in keys)
    _choose(page, "state", "flips")
    assert 0 < len(_rows(page)) < 300
    _choose(page, "state", "all")

    search = page.find_element(By.ID, "search")
    search.send_keys("purple how many")
    time.sleep(0.4)
    found = page.execute_script("return [...document.querySelectorAll('#list button')].map(b => b.dataset.key)")
    items = {item.key: item for item in scene_items()}
    told = {
        k
        for k, i in items.items()
        if all(w in " ".join([i.question, *i.responses]).lower() for w in ("purple", "how many"))
    }
    assert set(found) == told
    search.clear()
    search.send_keys(Keys.ENTER, Keys.ESCAPE)
    page.execute_script("document.getElementById('search').dispatchEvent(new Event('input'))")
    time.sleep(0.4)

    _rows(page)[7].click()
    key = _rows(page)[7].get_attribute("data-key")
    shown = page.find_element(By.ID, "item").text
    assert items[key].question in shown
    assert all(response in shown for response in items[key].responses)
    assert shown.count("Draw ") == 15
    assert page.find_element(By.CSS_SELECTOR, "#item mark").text in ("[[A]]", "[[B]]")
    assert page.execute_script("return document.querySelector('#item .pictures img').naturalWidth") == 240
    assert page.current_url.endswith(f"#item={key}")
    page.shot("report_item")
    assert page.complaints() == []
    assert page.asked_for() == {path.as_uri()}


@pytest.mark.slow
def test_keyboard_alone(page, runs, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(runs[:1]), encoding="utf-8")
    page.open(path)
    keys = [row.get_attribute("data-key") for row in _rows(page)[:4]]
    body = page.find_element(By.TAG_NAME, "body")
    body.send_keys("j", "j", "j", "k")
    assert page.current_url.endswith(f"#item={keys[2]}")
    body.send_keys("/")
    assert page.switch_to.active_element.get_attribute("id") == "search"
    page.execute_script("document.querySelector('#list button').focus()")
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.switch_to.active_element.get_attribute("data-key") == keys[3]
    # what a screen reader is told: names of regions, pictures, states
    unnamed = page.execute_script(
        "return [...document.querySelectorAll('input,select,[role=region],[role=img],section,figure img')]"
        ".filter(e => !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.closest('label') && !e.closest('#item') && !e.alt).length"
    )
    assert unnamed == 0


@pytest.mark.slow
def test_a_link_opens_its_item(page, runs, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(runs[:2], title="Two <judges> & more"), encoding="utf-8")
    ballot = runs[0].log.ballots[123]
    page.open(path, f"#item={ballot.key}")
    assert page.title == "Two <judges> & more"
    assert ballot.id in page.find_element(By.ID, "item").text
    assert page.find_element(By.CSS_SELECTOR, "#list [aria-current]").get_attribute("data-key") == ballot.key


@pytest.mark.slow
def test_dark_mode_and_phone_width(page, runs, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(runs), encoding="utf-8")
    ground = "return getComputedStyle(document.body).backgroundColor"
    try:
        page.media("dark")
        page.open(path)
        assert page.execute_script(ground) == "rgb(20, 23, 28)"
        page.shot("report_dark")
        page.media("light")
        assert page.execute_script(ground) == "rgb(255, 255, 255)"
        page.size(360, 740)
        page.open(path)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360
        page.shot("report_phone")
        _rows(page)[3].click()
        time.sleep(0.3)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360
        assert page.execute_script("return document.getElementById('item').getBoundingClientRect().top") < 400
        page.shot("report_phone_item")
    finally:
        page.media("light")
        page.size(1280, 900)


@pytest.mark.slow
def test_hostile_data_stays_text(page, tmp_path):
    items = [
        Item(f"existence-{i} {text}", text, (f"a {text}", f"b {text}"), i % 2, "existence", (text,))
        for i, text in enumerate(HOSTILE)
    ]
    for text in HOSTILE[:2]:
        log = write_run(tmp_path / "run", items, said=text, model_args=f"pretrained={HOSTILE[0]}", data=HOSTILE[1])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        line["input"] = HOSTILE[1]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    loaded = load_runs([log], registry())
    named = [replace(loaded[0], name="$x_{$ <b>bold</b>")]
    path = tmp_path / "hostile.html"
    path.write_text(report_page(named, title=HOSTILE[0]), encoding="utf-8")
    page.open(path)
    for row in _rows(page):
        row.click()
    assert page.title == HOSTILE[0]
    assert page.find_elements(By.CSS_SELECTOR, "iframe, img[src=x], .said b, .said svg") == []
    assert HOSTILE[1] in page.find_element(By.ID, "item").text
    assert page.complaints() == []


def test_script_data_cannot_end_its_element():
    assert "<" not in in_script({"a": "</script><!--"})
    assert json.loads(in_script({"a": "</script>\u2028"})) == {"a": "</script>\u2028"}


@pytest.mark.slow
def test_1250_items_of_5_votes_open_in_2_seconds(page, tmp_path):
    said = "The picture shows a table with four chairs, and a lamp above it. " * 9
    items = [
        Item(
            f"wildvision-{i}",
            f"What is shown in picture {i}? {said}",
            (f"{said}{i}", f"{said} {i} more"),
            i % 2,
            "general",
        )
        for i in range(1250)
    ]
    runs = [
        write_run(tmp_path / str(n), items, 0.7, "vlrewardbench", seed=n, said=said, model_args=f"pretrained=judge{n}")
        for n in range(2)
    ]
    html = report_page(load_runs(runs, registry()), tmp_path / "nowhere")
    path = tmp_path / "large.html"
    path.write_text(html, encoding="utf-8")
    times = []
    for _ in range(3):
        page.open(path)
        times.append(
            page.execute_script(
                "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime"
            )
        )
    assert len(_rows(page)) == 1250
    assert min(times) < 2000, f"{len(html) / 2**20:.0f} MiB opened in {times} ms"
    # scrolling: the frames of a walk through the whole list
    slow = page.execute_async_script(
        "const done = arguments[0], list = document.getElementById('list'); let last = performance.now(), worst = 0, n = 0;"
        "(function step() { const now = performance.now(); if (n > 2) worst = Math.max(worst, now - last); last = now; list.scrollTop += 900;"
        "if (++n < 70) requestAnimationFrame(step); else done(worst); })();"
    )
    assert slow < 250, f"a frame took {slow} ms"
    print(f"{len(html) / 2**20:.1f} MiB opened in {min(times):.0f} ms; slowest frame {slow:.0f} ms")
