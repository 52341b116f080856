import pytest

from vlrb_tasks.core.items import Item
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.loading import RegistryError
from vlrb_tasks.registry.prompts import Prompt, TemplateFrom
from vlrb_tasks.registry.rendering import EMPTY_RESPONSE, guarded, judge_text, render

HOSTILE = [
    "{{ 7 * 7 }}", "{% for x in y %}", "{# note #}", "{braces} {{", "}}", "%s %d {0}", "{{ question.__class__.__mro__ }}", "\\n \\boxed{1}",
    "{% endraw %}", "${x}", "答案 ü é", "a\r\nb\tc", "{{ responses[0] }}",
]  # fmt: skip


def own(**changes) -> Prompt:
    return package_registry().prompt("vlrb_pairwise").model_copy(update=changes)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("prompt", ["vlrewardbench", "vlrb_pairwise", "think_answer"])
def test_braces_and_jinja_in_the_data_come_through_untouched(prompt, text):
    rendered = render(package_registry().prompt(prompt), text, [f"one {text}", f"two {text}"])
    assert rendered.count(text) >= 3
    assert f"one {text}" in rendered
    assert f"two {text}" in rendered


def test_the_order_decides_which_response_stands_first():
    item = Item("1", "q?", ("ALPHA", "BETA"), 0, "g")
    prompt = own()
    for order, first in (((0, 1), "ALPHA"), ((1, 0), "BETA")):
        text = judge_text(prompt, item, order)
        assert text.index(first) == min(text.index("ALPHA"), text.index("BETA"))


def test_an_empty_response_is_shown_as_a_mark():
    for empty in ("", "  \n"):
        assert EMPTY_RESPONSE in judge_text(own(), Item("1", "q", (empty, "b"), 0, "g"), (0, 1))


@pytest.mark.parametrize(
    "mark",
    [
        "<image>",
        "<IMAGE>",
        "<image 2>",
        "<image_1>",
        "<|im_end|>",
        "<|image_pad|>",
        "<|vision_start|>",
        "</s>",
        "<s>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<start_of_turn>",
        "<img>",
        "<video>",
        "<IMG_CONTEXT>",
        "<|eot_id|>",
        "<｜User｜>",
        "<image_soft_token>",
        "[IMG]",
        "<bos>",
    ],
)
def test_marks_of_models_in_the_data_are_broken(mark):
    text = judge_text(own(), Item("1", f"what {mark} is", (f"a{mark}", f"{mark}b"), 0, "g"), (0, 1))
    assert mark not in text
    assert text.count(mark[0] + " " + mark[1:]) == 3


@pytest.mark.parametrize(
    "text",
    [
        "a < b > c",
        "<b>bold</b>",
        "x<y",
        "[1, 2]",
        "<div>",
        "5 <|> 3",
        "<imagery>",
        "List<string>",
        "<sum>",
        "[INSTANCE]",
    ],
)
def test_other_brackets_stay(text):
    assert guarded(text) == text


def test_the_prompts_own_text_is_not_guarded():
    assert "<image>" in judge_text(
        own(template="<image> {{ question }} {{ responses }}"), Item("1", "q", ("a", "b"), 0, "g"), (0, 1)
    )


@pytest.mark.parametrize(
    "template,message",
    [
        ("{{ question }} {{ answers }}", "'answers' is undefined"),
        ("{{ question.__class__.__mro__ }}", "unsafe"),
        ("{{ responses.append('x') }}", "unsafe"),
        ("{{ question }", "template"),
        ("{% for r in responses %}", "template"),
    ],
)
def test_templates_with_a_fault_are_told(template, message):
    with pytest.raises(RegistryError, match=message):
        render(own(template=template), "q", ["a", "b"])


def published(**changes) -> Prompt:
    prompt = package_registry().prompt("vlrewardbench")
    return prompt.model_copy(
        update={"template_from": TemplateFrom.model_construct(**{**prompt.template_from.model_dump(), **changes})}
    )


def test_another_published_text_is_an_error_that_says_so():
    with pytest.raises(RegistryError, match="publishes another text than the one this prompt was made for"):
        render(published(sha256="0" * 64), "q", ["a", "b"])


@pytest.mark.parametrize(
    "call,message",
    [
        ("os:getcwd", "expected a function of a package that publishes prompts"),
        ("no_such_package.x:y", "no_such_package is not installed"),
        ("lmms_eval.tasks.nowhere:f", "no module"),
        ("lmms_eval.tasks.vl_rewardbench.utils:nothing", "has no function nothing"),
    ],
)
def test_a_published_template_that_cannot_be_had(call, message):
    with pytest.raises(RegistryError, match=message):
        render(published(call=call), "q", ["a", "b"])


def test_a_published_template_is_fetched_only_when_something_is_rendered():
    prompt = published(call="no_such_package.x:y")
    assert prompt.read("Overall Judgment: Answer 1 is better.").outcome == "first"
