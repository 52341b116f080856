"""Broken prompt files: faults that people make in a file that `vlrb new prompt` wrote, each with the message it gets."""

from pathlib import Path

import pytest

from vlrb_tasks.cli.new import _SKELETONS
from vlrb_tasks.registry.validation import Checked, validate_prompt


def good(mode: str) -> str:
    return (_SKELETONS / f"{mode}.yaml").read_text().replace("NAME", "mine")


def validated(folder: Path, content: str | bytes) -> Checked:
    path = folder / "mine.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return validate_prompt(path)


TEMPLATE_END = "Then end with one line, either `Verdict: [[A]]` or `Verdict: [[B]]`."
ASK_QUESTION = "  Question: {{ question }}\n\n"

# what people do: (mode, what stands in the good file, what stands in theirs, the message)
BROKEN: dict[str, tuple[str, str, str, str]] = {
    # -- YAML ------------------------------------------------------------------------------------------
    "a tab before a key": ("pairwise", "version: 1 ", "\tversion: 1 ", "mine.yaml:5 is no YAML"),
    "a quote that is not closed": ("pairwise", '"Verdict: [[A]]"', '"Verdict: [[A]]', "is no YAML"),
    "a colon in a bare text": ("pairwise", '"Verdict: [[A]]"', "Verdict: [[A]]: yes", "mine.yaml:54 is no YAML"),
    "brackets without quotes": ("pairwise", 'first: "Verdict: [[A]]"', "first: [[A]]", "answers.first: got [['A']]; expected a valid string"),
    "a key twice": ("pairwise", "version: 1 ", "version: 1\nversion: 2 ", "mine.yaml:6 version: stands twice, first on line 5"),
    "a case's quotes within quotes": ("pairwise", '"There are four circles.\\n\\nVerdict: [[B]]"', '"He said "four". [[B]]"', "is no YAML"),
    # -- fields ----------------------------------------------------------------------------------------
    "a field misspelt": ("pairwise", "template: |", "tempalte: |", "tempalte: no such field. Did you mean template?"),
    "a field left out": ("pairwise", "version: 1 ", "# version: 1 ", "version: missing; expected a value. Fix: add `version:` here."),
    "a mode misspelt": ("pairwise", "mode: pairwise", "mode: pairwize", "mine.yaml:6 mode: got 'pairwize'; expected 'pairwise', 'pointwise' or 'ranking'. Did you mean pairwise?"),
    "a version in words": ("pairwise", "version: 1 ", "version: one ", "mine.yaml:5 version: got 'one'; expected a valid integer"),
    "a version of 1.1": ("pairwise", "version: 1 ", "version: 1.1 ", "mine.yaml:5 version: got 1.1; expected a valid integer"),
    "version 0": ("pairwise", "version: 1 ", "version: 0 ", "mine.yaml:5 version: got 0; expected greater than or equal to 1"),
    "an id with a capital": ("pairwise", "id: mine", "id: Mine", "mine.yaml:4 id: got 'Mine'; expected a name in small letters"),
    "an id with a dash": ("pairwise", "id: mine", "id: my-judge", "mine.yaml:4 id: got 'my-judge'; expected a name in small letters"),
    "another id than the file's name": ("pairwise", "id: mine", "id: yours", "mine.yaml:4 id: got 'yours'; expected 'mine', the name of the file"),
    "no source": ("pairwise", "source:    ", "sources:    ", "sources: no such field. Did you mean source?"),
    "a source that is a text": ("pairwise", "source:               # where the wording or the format comes from: paper, url, license, note\n  note: Written by us.\n  license: Apache-2.0", "source: our own", "source: got 'our own'; expected a valid dictionary"),
    "a license misspelt": ("pairwise", "  license: Apache-2.0", "  licence: Apache-2.0", "source.licence: no such field. Did you mean license?"),
    "a generation setting misspelt": ("pairwise", "max_new_tokens: 1024", "max_tokens: 1024", "generation.max_tokens: no such field. Did you mean max_new_tokens?"),
    "a negative temperature": ("pairwise", "temperature: 0.2", "temperature: -1", "generation.temperature: got -1; expected greater than or equal to 0"),
    "top_p in per cent": ("pairwise", "top_p: 0.2", "top_p: 90", "generation.top_p: got 90; expected less than or equal to 1"),
    # -- labels, ties and scale ------------------------------------------------------------------------
    "one label": ("pairwise", "[Response A, Response B]", "[Response A]", "expected two labels for mode pairwise"),
    "labels that are alike": ("pairwise", "[Response A, Response B]", "[Response A, Response A]", "expected labels that differ"),
    "labels as numbers": ("pairwise", "[Response A, Response B]", "[1, 2]", "labels.0: got 1; expected a valid string"),
    "labels for a score": ("pointwise", "scale: [0, 10]", "labels: [A, B]\nscale: [0, 10]", "expected no labels for mode pointwise"),
    "two labels to rank": ("ranking", "labels: [A, B, C, D]", "labels: [A, B]", "expected three labels or more for mode ranking"),
    "a scale for a comparison": ("pairwise", "ties: null", "scale: [0, 10]\nties: null", "expected a scale for mode pointwise, and for no other"),
    "no scale for a score": ("pointwise", "scale: [0, 10]", "# scale: [0, 10]", "expected a scale for mode pointwise"),
    "a scale upside down": ("pointwise", "scale: [0, 10]", "scale: [10, 0]", "expected a scale whose first end is the lower one"),
    "a scale that the text contradicts": ("pointwise", "scale: [0, 10]", "scale: [1, 5]", "template: asks for a score from 0 to 10; scale says 1 to 5"),
    "ties without an answer": ("pairwise", "ties: null", "ties: C", "answers.tie: missing"),
    "labels that the text does not use": ("pairwise", "[Response A, Response B]", "[Response B, Response A]", "template: asks for [[A]], which is read as first; it names Response A"),
    # -- the parser ------------------------------------------------------------------------------------
    "a parser misspelt": ("pairwise", "- {kind: brackets}", "- {kind: bracket}", "parser.0.kind: got 'bracket'; expected 'tag', 'boxed', 'brackets'"),
    "a parser as a word": ("pairwise", "parser:\n  - {kind: brackets}\n  - {kind: prose}", "parser: prose", "parser: got 'prose'; expected a valid tuple"),
    "no parser kinds": ("pairwise", "parser:\n  - {kind: brackets}\n  - {kind: prose}", "parser: []", "expected a parser of at least one kind"),
    "a parser for another form": ("pairwise", "  - {kind: brackets}\n", "", "template: asks for [[A]], which no kind of the parser reads. Fix: add {kind: brackets} to parser."),
    "a form that no kind reads": ("pairwise", "`Verdict: [[A]]` or `Verdict: [[B]]`", "<answer>A</answer> or <answer>B</answer>", "template: asks for <answer>A</answer>, which no kind of the parser reads. Fix: add {kind: tag} to parser."),
    "answers in another form": ("pairwise", "`Verdict: [[A]]` or `Verdict: [[B]]`", "\\\\boxed{A} or \\\\boxed{B}", "template: asks for \\boxed{A}, which no kind of the parser reads"),
    "a log-likelihood parser on texts": ("pairwise", "  - {kind: prose}", "  - {kind: loglikelihood}", "parser {kind: loglikelihood} and no other with scoring loglikelihood"),
    # -- the template ----------------------------------------------------------------------------------
    "no template": ("pairwise", "template: |", "system: |", "expected one of template and template_from"),
    "a variable misspelt": ("pairwise", "{{ question }}", "{{ qestion }}", "template: uses 'qestion'; expected labels, question, reference_answer, responses, rubric. Did you mean question?"),
    "a brace left out": ("pairwise", "{{ question }}", "{{ question }", "template: its line 3: unexpected '}'. Fix: check the braces."),
    "a loop without an end": ("pairwise", "  {% endfor %}\n", "", "template: its line"),
    "Python's own braces": ("pairwise", "{{ question }}", "{question}", "template: does not show the question. Fix: put in {{ question }}."),
    "the question left out": ("pairwise", ASK_QUESTION, "", "template: does not show the question"),
    "a response left out": ("pairwise", "  {{ responses[1] }}\n", "", "template: does not show response 2 of 2"),
    "the same response twice": ("pairwise", "{{ responses[1] }}", "{{ responses[0] }}", "template: does not show response 2 of 2"),
    "counting from 1": ("pairwise", "{{ responses[1] }}", "{{ responses[2] }}", "template: list object has no element 2"),
    "responses as one text": ("pairwise", "{{ responses[0] }}", "{{ responses.first }}", "template: 'list object' has no attribute 'first'"),
    "responses in the wrong order": ("pairwise", "Response A:\n  {{ responses[0] }}\n\n  Response B:\n  {{ responses[1] }}", "Response A:\n  {{ responses[1] }}\n\n  Response B:\n  {{ responses[0] }}", "template: shows the responses in another order than its labels name them"),
    "a filter that does not exist": ("pairwise", "{{ question }}", "{{ question | stripp }}", "template: its line 3: No filter named 'stripp'"),
    "a file that Jinja is to include": ("pairwise", "{{ question }}", "{{ question }}{% include 'rubric.txt' %}", "template: no loader for this environment specified"),
    "a way out of the sandbox": ("pairwise", "{{ question }}", "{{ question.__class__.__mro__ }}", "template: access to attribute '__class__' of 'str' object is unsafe"),
    "a variable that is not used": ("pairwise", "variables:  ", "variables:\n  language: German  ", "template: does not use its variable 'language'"),
    "a variable named like data": ("pairwise", "  rubric:\n", "  question: What?\n  rubric:\n", "expected variables with other names than question"),
    "a published text of another version": ("pairwise", "template: |", "template_from: {call: 'lmms_eval.tasks.vl_rewardbench.utils:get_prompt', sha256: abc}\nsystem: |", "template_from.sha256: got 'abc'; expected string should match pattern"),
    # -- answers, cases and examples -------------------------------------------------------------------
    "an answer left out": ("pairwise", '  second: "Verdict: [[B]]"\n', "", "answers.second: missing. Fix: add what a judge writes for it."),
    "answers changed round": ("pairwise", '  first: "Verdict: [[A]]"\n  second: "Verdict: [[B]]"', '  first: "Verdict: [[B]]"\n  second: "Verdict: [[A]]"', "answers.first: 'Verdict: [[B]]', for a first, is read as second"),
    "an answer that says nothing": ("pairwise", '  first: "Verdict: [[A]]"', "  first: A it is", "answers.first: 'A it is', for a first, is read as unparsed"),
    "a score without its place": ("pointwise", '"Score: {score}"', '"Score: 7"', "answers.score: 'Score: 7', for a score of 0, is read as 7"),
    "no cases": ("pairwise", "cases:\n", "cases: []\nnotes:\n", "notes: no such field"),
    "a verdict misspelt": ("pairwise", "verdict: unparsed", "verdict: unparsd", "is read as unparsed (no verdict found); expected unparsd"),
    "a case that is read otherwise": ("pairwise", "The image shows a red circle.", "Response A is better.", "cases.3: 'Response A is better.' is read as first"),
    "a case by label and not by slot": ("pairwise", "verdict: first", "verdict: Response A", "is read as first (brackets: A); expected Response A"),
    "no unparsed case": ("pairwise", '  - {text: "The image shows a red circle.", verdict: unparsed, why: no verdict in it}\n', "", "cases: none for 'unparsed'. Fix: add a text that is read as unparsed."),
    "a case without its verdict": ("pairwise", ", verdict: unparsed", "", "cases.3.verdict: missing"),
    "an example with one response": ("pairwise", "ties: null", "examples:\n  - {question: 'What?', responses: [A dog.], answer: '[[A]]'}\nties: null", "expected examples.0 with 2 responses, not 1"),
    "an example whose image is missing": ("pairwise", "ties: null", "examples:\n  - {question: 'What?', responses: [A dog., A cat.], answer: '[[A]]', image: dog.png}\nties: null", "examples.0.image: got 'dog.png'; there is no such file in"),
    "an example whose answer cannot be read": ("pairwise", "ties: null", "examples:\n  - {question: 'What?', responses: [A dog., A cat.], answer: I do not know.}\nties: null", "examples.0.answer: 'I do not know.' is read as unparsed"),
}  # fmt: skip


def test_there_are_fifty():
    assert len(BROKEN) >= 50


@pytest.mark.parametrize("mode", ["pairwise", "pointwise", "ranking"])
def test_what_new_writes_has_neither_fault_nor_warning(tmp_path, mode):
    found = validated(tmp_path, good(mode))
    assert (found.faults, found.warnings) == ((), ())


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_gets_its_message(tmp_path, name):
    mode, old, new, message = BROKEN[name]
    content = good(mode)
    assert old in content, "the edit does not touch the file"
    found = validated(tmp_path, content.replace(old, new, 1))
    assert any(message in fault for fault in found.faults), found.faults
    for fault in found.faults:
        assert fault.startswith(f"{tmp_path}/mine.yaml:"), "a fault names file and line"
        assert "Fix: " in fault


@pytest.mark.parametrize(
    "content,message",
    [
        (b"", "mine.yaml:1 file: got None; expected a mapping"),
        (b"- a\n- b\n", "mine.yaml:1 file: got ['a', 'b']; expected a mapping"),
        (b"Compare the responses.", "expected a mapping (key: value)"),
        (b"\xff\xfe\x00", "mine.yaml:1 cannot be read"),
        (b"\x89PNG\r\n", "mine.yaml:1 cannot be read"),
    ],
)
def test_a_file_that_is_no_prompt(tmp_path, content, message):
    assert any(message in fault for fault in validated(tmp_path, content).faults), validated(tmp_path, content).faults


WARNED = {
    "an example that names one slot": (
        TEMPLATE_END,
        TEMPLATE_END + " For example: Verdict: [[A]]",
        "gives an example that names 'Response A' alone",
    ),
    "slots named unequally often": (
        "Length, style",
        "Response A may be long. Length, style",
        "mentions its slots unequally often ('Response A' 3, 'Response B' 2)",
    ),
    "worked examples for one slot": (
        "ties: null",
        "examples:\n  - {question: 'What?', responses: [A dog., A cat.], answer: '[[A]]'}\nties: null",
        "examples answer first 1 and second 0 times",
    ),
}


@pytest.mark.parametrize("name", WARNED)
def test_a_known_bias_is_warned_of(tmp_path, name):
    old, new, message = WARNED[name]
    content = good("pairwise")
    assert old in content
    found = validated(tmp_path, content.replace(old, new, 1))
    assert found.faults == ()
    assert any(message in warning for warning in found.warnings), found.warnings
