from pathlib import Path

import pytest

from vlrb_tasks.registry.benchmarks import JudgeConfig
from vlrb_tasks.registry.index import package_place, package_registry
from vlrb_tasks.registry.loading import RegistryError, check, load_benchmarks, load_prompt

GOOD = """\
id: mine
version: 1
mode: pairwise
description: A prompt.
source: {note: own}
template: "{{ question }} {{ responses[0] }} {{ responses[1] }}"
labels: [Answer 1, Answer 2]
parser: {kind: prose}
answers: {first: Answer 1 is better., second: Answer 2 is better.}
cases:
  - {text: Answer 1 is better., verdict: first}
  - {text: Answer 2 is better., verdict: second}
  - {text: Hm., verdict: unparsed}
"""


def test_a_good_file_loads(tmp_path: Path):
    (tmp_path / "mine.yaml").write_text(GOOD)
    assert load_prompt(tmp_path / "mine.yaml").labels == ("Answer 1", "Answer 2")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path):
    with pytest.raises(RegistryError, match="cannot be read"):
        load_prompt(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RegistryError, match="save the file as UTF-8"):
        load_prompt(tmp_path / "bytes.yaml")


def test_names_that_do_not_exist_get_the_nearest():
    registry = package_registry()
    with pytest.raises(RegistryError, match=r"Did you mean vlrewardbench\?"):
        registry.prompt("vlrewardbensh")
    with pytest.raises(RegistryError, match=r"Did you mean vlrb_scenes\?"):
        registry.benchmark("vlrb_scene")
    with pytest.raises(RegistryError, match="task: got 'nope'"):
        package_registry().task("nope")


def test_benchmarks_with_a_fault(tmp_path: Path):
    text = package_place().benchmarks_file.read_text()
    path = tmp_path / "registry.yaml"
    path.write_text(text.replace("mathverse: reasoning", "mathverse: resoning"))
    with pytest.raises(RegistryError, match=r"expected prefix 'mathverse' to name one of general"):
        load_benchmarks(path)
    path.write_text(text.replace("      question: query", "      query: query"))
    with pytest.raises(RegistryError, match=r"columns\.query: no such field"):
        load_benchmarks(path)


OWN = {
    "title": "Mine",
    "description": "Pairs.",
    "source": {"note": "Written as an example."},
    "dataset": {"path": "rows.jsonl", "license": "MIT"},
    "columns": {"question": "q", "responses": "r", "ranking": "k"},
    "prompt": "vlrewardbench",
}


@pytest.mark.parametrize(
    ("benchmark", "told"),
    [
        ({**OWN, "mode": "pointwise"}, "judge.benchmark.mode: no such field."),
        ({**OWN, "columns": {**OWN["columns"], "questoin": "q"}}, "judge.benchmark.columns.questoin: no such field."),
        ({**OWN, "title": {"en": "Mine"}}, "judge.benchmark.title: got these fields; expected a valid string."),
        ({**OWN, "columns": {"question": "q", "responses": "r"}}, "judge.benchmark.columns: got these fields;"),
        ({**OWN, "metrics": "levenshtein"}, "judge.benchmark.metrics: got 'levenshtein'; expected"),
        ("Mine!", "judge.benchmark: got 'Mine!'; expected a name"),
        (3, "judge.benchmark: got 3; expected a valid string."),
    ],
)
def test_a_fault_of_a_benchmark_in_a_task_is_told_once_where_it_stands(benchmark, told):
    check(JudgeConfig, {"benchmark": OWN}, Path("task.yaml"), None, ("judge",))
    with pytest.raises(RegistryError) as error:
        check(JudgeConfig, {"benchmark": benchmark}, Path("task.yaml"), None, ("judge",))
    assert str(error.value).startswith(f"task.yaml:1 {told}")
    assert "\n" not in str(error.value)


def test_tasks_name_benchmarks_and_draws():
    assert set(package_registry().task_files) >= {"vlrewardbench", "vlrewardbench_k1", "vlrb_scenes"}
    assert (package_registry().task("vlrewardbench").draws, package_registry().task("vlrewardbench").order) == (
        5,
        "random",
    )
    assert package_registry().task("vlrewardbench_k1").draws == 1


@pytest.mark.parametrize(
    "id,group",
    [
        ("mmmu_pro_test_Finance_10", "reasoning"),
        ("mathverse_1", "reasoning"),
        ("hallucination_pair-1", "hallucination"),
        ("RLHF-V-1", "hallucination"),
        ("RLAIF-V-2", "hallucination"),
        ("wildvision-battle-1", "general"),
        ("jailbreak-typo-Fraud", "general"),
        ("LRVInstruction-000", "general"),
        ("svit-x", "general"),
        ("politics-Gov", "general"),
        ("unheard-of", None),
    ],
)
def test_domains_by_the_benchmarks_own_rule(id, group):
    assert package_registry().benchmark("vlrewardbench").groups.of(id) == group


def test_published_results_add_up():
    # the macro average of the paper's table is the mean of its three domains, to the digit it is given to
    for entry in package_registry().benchmark("vlrewardbench").published:
        domains = [entry.scores[d] for d in ("general", "hallucination", "reasoning") if d in entry.scores]
        if len(domains) == 3:
            assert abs(sum(domains) / 3 - entry.scores["macro"]) < 0.1, entry.judge
