from pathlib import Path

import pytest

from vlrb_tasks.registry.index import package_registry, task_config, task_files
from vlrb_tasks.registry.loading import RegistryError, load_benchmarks, load_prompt

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

FAULTS = {
    "unknown field": (GOOD + "tempalte: x\n", "14 tempalte: no such field. Did you mean template?"),
    "missing field": (
        GOOD.replace("version: 1\n", ""),
        "version: missing; expected a value. Fix: add `version:` here.",
    ),
    "wrong mode": (
        GOOD.replace("pairwise", "pairwize"),
        "3 mode: got 'pairwize'; expected 'pairwise', 'pointwise' or 'ranking'. Did you mean pairwise?",
    ),
    "wrong parser": (GOOD.replace("kind: prose", "kind: prosa"), "8 parser.0.kind: got 'prosa'"),
    "version in words": (GOOD.replace("version: 1", "version: one"), "2 version: got 'one'; expected a valid integer"),
    "version 0": (GOOD.replace("version: 1", "version: 0"), "2 version: got 0; expected greater than or equal to 1"),
    "one label": (GOOD.replace("[Answer 1, Answer 2]", "[Answer 1]"), "expected two labels for mode pairwise"),
    "equal labels": (GOOD.replace("[Answer 1, Answer 2]", "[Answer 1, Answer 1]"), "expected labels that differ"),
    "no template": (
        GOOD.replace("template:", "description2:").replace("description2", "system"),
        "expected one of template and template_from",
    ),
    "scale without scores": (GOOD + "scale: [0, 10]\n", "expected a scale for mode pointwise, and for no other"),
    "scores without a scale": (
        GOOD.replace("pairwise", "pointwise").replace("labels: [Answer 1, Answer 2]\n", ""),
        "expected a scale for mode pointwise",
    ),
    "two labels to rank": (GOOD.replace("pairwise", "ranking"), "expected three labels or more for mode ranking"),
    "name with a capital": (GOOD.replace("id: mine", "id: Mine"), "1 id: got 'Mine'; expected a name in small letters"),
    "id is not the file's name": (
        GOOD.replace("id: mine", "id: yours"),
        "1 id: got 'yours'; expected 'mine', the name of the file",
    ),
    "key twice": (GOOD + "id: mine\n", "14 id: stands twice, first on line 1"),
    "tab": (GOOD.replace("version: 1", "\tversion: 1"), "2 is no YAML"),
    "unclosed quote": (GOOD + "system: 'oh\n", "is no YAML"),
    "a list": ("- a\n- b\n", "expected a mapping"),
    "empty": ("", "expected a mapping"),
    "hash too short": (
        GOOD.replace(
            'template: "{{ question }} {{ responses[0] }} {{ responses[1] }}"',
            "template_from: {call: 'a.b:c', sha256: abc}",
        ),
        "template_from.sha256: got 'abc'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_with_file_line_field_and_fix(tmp_path: Path, name: str):
    content, message = FAULTS[name]
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(RegistryError) as error:
        load_prompt(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert "Fix:" in str(error.value)


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
        task_config("nope")


def test_benchmarks_with_a_fault(tmp_path: Path):
    text = (package_registry().root / "registry.yaml").read_text()
    path = tmp_path / "registry.yaml"
    path.write_text(text.replace("mathverse: reasoning", "mathverse: resoning"))
    with pytest.raises(RegistryError, match=r"expected prefix 'mathverse' to name one of general"):
        load_benchmarks(path)
    path.write_text(text.replace("      question: query", "      query: query"))
    with pytest.raises(RegistryError, match=r"columns\.query: no such field"):
        load_benchmarks(path)


def test_tasks_name_benchmarks_and_draws():
    assert set(task_files()) >= {"vlrewardbench", "vlrewardbench_k1", "vlrb_scenes"}
    assert (task_config("vlrewardbench").draws, task_config("vlrewardbench").order) == (5, "random")
    assert task_config("vlrewardbench_k1").draws == 1


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
