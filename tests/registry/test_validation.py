import pytest

from tests.registry.test_loading import GOOD
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.validation import validate_all, validate_prompt


def test_all_files_of_this_package_are_fine():
    assert {one.what: one.faults for one in validate_all(package_registry()) if one.faults} == {}


FAULTS = {
    "case is read otherwise": (
        GOOD.replace("text: Hm.", "text: Answer 2 wins."),
        "cases.2: 'Answer 2 wins.' is read as second",
    ),
    "no such verdict": (
        GOOD.replace("verdict: second", "verdict: secnd"),
        "cases.1: 'Answer 2 is better.' is read as second (a claim about the whole); expected secnd",
    ),
    "no unparsed case": (GOOD.replace("  - {text: Hm., verdict: unparsed}\n", ""), "cases: none for 'unparsed'"),
    "no case for a label": (
        GOOD.replace("  - {text: Answer 2 is better., verdict: second}\n", ""),
        "cases: none for 'second'",
    ),
    "ties without a case": (GOOD + "ties: C\n", "cases: none for 'tie'"),
    "ties without an answer": (GOOD + "ties: C\n", "answers.tie: missing"),
    "answer is read otherwise": (
        GOOD.replace("second: Answer 2 is better.", "second: Answer 1 is better."),
        "answers.second: 'Answer 1 is better.' is read as first",
    ),
    "unknown variable": (
        GOOD.replace("{{ question }}", "{{ query }}"),
        "uses 'query'; expected labels, question, responses",
    ),
    "question left out": (GOOD.replace("{{ question }} ", ""), "does not use 'question'"),
    "braces": (GOOD.replace("{{ question }}", "{{ question }"), "template, its line 1"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path, name):
    content, message = FAULTS[name]
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    assert any(message in fault for fault in validate_prompt(path).faults), validate_prompt(path).faults
