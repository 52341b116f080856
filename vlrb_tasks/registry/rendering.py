"""Rendering: from a prompt and an item to the text that a judge is asked.

Data never becomes template text: it is handed to a sandboxed template as variables. What a model or a chat
template would take for a mark of its own is broken with a blank when a judge is asked (``guarded``), since
``<image>`` in a question is a word there, not a place for a picture.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..core.items import Item
from ..core.ordering import Order
from .loading import RegistryError
from .prompts import Prompt, TemplateFrom

EMPTY_RESPONSE = "[empty response]"
"""What stands for a response without a visible character, so that a judge sees that there is none."""

_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False, trim_blocks=True, lstrip_blocks=True
)

_MARKS = re.compile(
    r"<(?=/?(?:image|img|img_context|video|audio|visual|im_start|im_end|im_patch|vid_start|vid_end|s|bos|eos|pad|unk|mask|sep|cls"
    r"|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token|boi|eoi|fim_\w+|unused\d+|image_here|imagehere"
    r"|row_\d+_col_\d+|fake_token_around_image|global-img|end_of_utterance|user|assistant|system|human)(?:[_ -]?\d+)?/?>)"
    r"|<(?=[|｜]\S{0,60}?[|｜]>)"
    r"|\[(?=/?(?:INST|IMG|IMG_BREAK|IMG_END|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)


def guarded(text: str) -> str:
    """Return a text of the data in which no mark of a model or a chat template is left whole.

    A blank behind the opening bracket breaks ``<image>``, ``<|im_end|>``, ``[INST]``, ``</s>`` and their kind:
    no tokenizer knows ``< image>``, and a reader still does.

    >>> guarded("<image>What is a<b> here?<|im_end|>")
    '< image>What is a<b> here?< |im_end|>'
    """
    return _MARKS.sub(lambda match: match.group() + " ", text)


def shown(text: str) -> str:
    """Return a response as a judge is shown it: guarded, and with a mark in place of nothing."""
    return guarded(text) if text.strip() else EMPTY_RESPONSE


def render(prompt: Prompt, question: str, responses: Sequence[str], reference_answer: str = "") -> str:
    """Render a prompt with these texts, byte for byte as its template has it.

    Args:
        prompt: the prompt.
        question: the question, put in as it is.
        responses: the responses in the order of the slots, put in as they are.
        reference_answer: the right answer, put in as it is; empty where there is none.

    Raises:
        RegistryError: the template does not compile, uses a variable that it is not given, tries what the
            sandbox forbids, or is not the one that was pinned.
    """
    given = {
        **{name: list(value) if isinstance(value, tuple) else value for name, value in prompt.variables.items()},
        "question": question,
        "responses": list(responses),
        "labels": list(prompt.labels),
        "reference_answer": reference_answer,
    }
    return render_text(template_text(prompt), given, f"prompt {prompt.id} template")


def render_text(template: str, given: Mapping[str, Any], where: str) -> str:
    """Render a template in the sandbox, data handed to it as variables.

    Raises:
        RegistryError: it does not compile, uses a variable that it is not given, or tries what the sandbox forbids.
    """
    try:
        return str(_template(template).render(given))
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, OverflowError, RecursionError) as error:
        raise RegistryError(
            f"{where}: {error}. Fix: use {', '.join(sorted(given))}, and nothing that the sandbox forbids."
        ) from error


def judge_text(prompt: Prompt, item: Item, order: Order) -> str:
    """Render a prompt for an item as a judge is asked it, its responses in this order."""
    responses = [shown(item.responses[index]) for index in order]
    return render(prompt, guarded(item.question), responses, guarded(item.reference_answer))


@dataclass(frozen=True)
class Turn:
    """One turn of what a judge is shown before the item: a worked example, or the answer to it.

    Attributes:
        role: ``user`` or ``assistant``.
        text: what is said.
        image: the path of the picture that stands before the text, if there is one.
    """

    role: Literal["user", "assistant"]
    text: str
    image: str | None = None


def example_turns(prompt: Prompt) -> tuple[Turn, ...]:
    """Render the worked examples of a prompt: for each a question, and what the judge is shown to have answered."""
    turns: list[Turn] = []
    for example in prompt.examples:
        asked = render(prompt, example.question, example.responses, example.reference_answer)
        turns += [Turn("user", asked, example.image), Turn("assistant", example.answer)]
    return tuple(turns)


def in_one_text(turns: Sequence[Turn], text: str) -> str:
    """Return worked examples and a prompt as one text, for models that take no turns."""
    parts = [
        f"Example {i // 2 + 1}\n\n{turn.text}" if turn.role == "user" else turn.text for i, turn in enumerate(turns)
    ]
    return "\n\n".join([*parts, *(["Your turn"] if turns else []), text])


def fingerprint(prompt: Prompt) -> str:
    """Return the SHA-256 of all that decides what a judge is shown and how its answer is read.

    Two prompts with the same fingerprint give the same numbers; id, version, description and cases play no part.
    """
    parts = prompt.model_dump(mode="json", include=_DECISIVE)
    parts["examples"] = [
        {**example, "image": None if image is None else hashlib.sha256(Path(image).read_bytes()).hexdigest()}
        for example in parts["examples"]
        for image in [example["image"]]
    ]
    if prompt.scoring == "generate":
        del parts["answers"], parts["scoring"]
    decisive = {name: value for name, value in parts.items() if value}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


_DECISIVE = {
    "mode", "system", "template", "template_from", "variables", "examples", "scoring", "labels", "ties", "scale", "parser", "answers",
}  # fmt: skip


@lru_cache(maxsize=256)
def _template(text: str) -> Any:
    return _ENVIRONMENT.from_string(text)


def template_text(prompt: Prompt) -> str:
    """Return the Jinja template of a prompt, fetched from the package that publishes it where it is published."""
    if prompt.template is not None:
        return prompt.template
    assert prompt.template_from is not None
    return _published(prompt.id, prompt.template_from)


def is_published_here(prompt: Prompt) -> bool:
    """Tell whether the text of a prompt can be had: it is the prompt's own, or its package is installed."""
    if prompt.template_from is None:
        return True
    return importlib.util.find_spec(prompt.template_from.call.partition(":")[0].partition(".")[0]) is not None


_fetched: dict[tuple[str, str], str] = {}


def _published(id: str, source: TemplateFrom) -> str:
    key = (source.call, source.sha256)
    if key not in _fetched:
        text = _function(id, source.call)(*source.args)
        digest = hashlib.sha256(str(text).encode()).hexdigest()
        if digest != source.sha256:
            raise RegistryError(
                f"prompt {id} template_from.sha256: got {digest} from {source.call}; expected {source.sha256}. The installed package publishes "
                "another text than the one this prompt was made for, so results would not compare. Fix: install the version that "
                "this release was tested with, or raise the prompt's version and pin the new hash.",
            )
        _fetched[key] = str(text)
    return _fetched[key]


def _function(id: str, call: str) -> Callable[..., Any]:
    """Return the function ``package.module:name`` of an installed package.

    The module's file is run by itself, without importing the packages above it, which may load much more.
    """
    module_name, _, name = call.partition(":")
    top = module_name.split(".")[0]
    if top in sys.stdlib_module_names:
        raise RegistryError(
            f"prompt {id} template_from.call: got {call!r}; expected a function of a package that publishes prompts. Fix: name one."
        )
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.find_spec(top)
        if spec is None:
            raise RegistryError(
                f"prompt {id} template_from.call: {top} is not installed. Fix: pip install {top.replace('_', '-')}."
            )
        for location in spec.submodule_search_locations or ():
            file = Path(location).joinpath(*module_name.split(".")[1:]).with_suffix(".py")
            if file.is_file():
                alone = importlib.util.spec_from_file_location(f"_vlrb_published_{module_name.replace('.', '_')}", file)
                assert alone is not None
                assert alone.loader is not None
                module = importlib.util.module_from_spec(alone)
                alone.loader.exec_module(module)
                break
        else:
            try:
                module = importlib.import_module(module_name)
            except ImportError as error:
                raise RegistryError(
                    f"prompt {id} template_from.call: no module {module_name}: {error}. Fix: check the name and the installed version."
                ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise RegistryError(
            f"prompt {id} template_from.call: {module_name} has no function {name}. Fix: check the name and the installed version."
        )
    return function  # type: ignore[no-any-return]
