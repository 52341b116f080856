"""Nothing in the data, and nothing dangerous in a template, is ever executed."""

import pytest

from tests.registry.test_broken_prompts import good
from vlrb_tasks.core.items import Item
from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.loading import RegistryError, load_prompt
from vlrb_tasks.registry.rendering import judge_text, render

ATTEMPTS = [
    "{{ 7 * 191 }}",
    "{% for i in range(3) %}1337{% endfor %}",
    "{{ question.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''.__class__.__base__.__subclasses__() }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ cycler.__init__.__globals__.os.system('id') }}",
    "{{ self.__init__.__globals__ }}",
    "{{ (responses | attr('__class__')) }}",
    "{{ responses.append('1337') }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ 'a'.format.__globals__ }}",
    "{{ '{0.__class__}'.format(question) }}",
    "{% set x = question.__class__ %}{{ x.mro() }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os }}",
    "{{ range(99999999999) | list }}",
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("prompt", ["vlrb_pairwise", "vlrb_rubric", "vlrewardbench", "llava_critic_pairwise"])
def test_data_is_shown_and_never_executed(prompt, attempt):
    item = Item("1", attempt, (attempt, f"{attempt} two"), 0, "g", reference_answer=attempt)
    text = judge_text(package_registry().prompt(prompt), item, (0, 1))
    assert text.count(attempt) >= 3


@pytest.mark.parametrize(
    "attempt", [attempt for attempt in ATTEMPTS if "7 * 191" not in attempt and "range(3)" not in attempt]
)
def test_a_template_that_tries_is_refused(tmp_path, attempt):
    (tmp_path / "mine.yaml").write_text(good("pairwise").replace("  Look at", f"  {attempt}\n  Look at", 1))
    with pytest.raises(RegistryError, match="prompt mine template: "):
        render(load_prompt(tmp_path / "mine.yaml"), "What?", ["a", "b"])
