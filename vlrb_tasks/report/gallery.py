"""The gallery: every judge prompt on one page, as a judge sees it and as its answer is read, made from the files."""

from __future__ import annotations

from ..core.parsing import ParserKind
from ..registry.index import Registry
from ..registry.instructions import estimated_tokens
from ..registry.prompts import Prompt
from ..registry.rendering import example_turns, in_one_text, render

_READ: dict[ParserKind, str] = {
    "tag": "what stands in `<answer>…</answer>`",
    "boxed": "what stands in `\\boxed{…}`",
    "brackets": "what stands in `[[…]]`",
    "prose": "a sentence or a lone label that names the winner",
    "score": "a number on the scale",
    "order": "an order of the labels",
    "vlrewardbench_official": "the benchmark's own rule",
    "loglikelihood": "the likeliest of the answers; nothing is written",
}
_QUESTION = "How many circles are there?"
_RESPONSES = ("There are three red circles.", "There are four red circles.", "Two circles, both red.", "No circle.")
_ANSWER = "Three."
_HEAD = """\
# Judge prompts

Made from the files by `vlrb gallery --output docs/prompts.md`; a test keeps it true. Each prompt is shown as a judge
gets it for the same question. Any of them can be asked of any benchmark of its mode: `lmms-eval --tasks TASK@PROMPT`.

| prompt | mode | ties | reads | tokens without data |
|---|---|---|---|---|
"""


def gallery(registry: Registry) -> str:
    """Return the page, as Markdown."""
    prompts = [registry.prompt(id) for id in sorted(registry.prompt_files)]
    rows = [
        f"| [`{prompt.id}`](#{prompt.id}) | {prompt.mode} | {_ties(prompt)} | "
        f"{', '.join(step.kind for step in prompt.parser)} | {_tokens(prompt)} |"
        for prompt in prompts
    ]
    return _HEAD + "\n".join(rows) + "\n" + "".join(_entry(prompt) for prompt in prompts)


def _tokens(prompt: Prompt) -> str:
    return "-" if prompt.template_from is not None else str(estimated_tokens(prompt))


def _ties(prompt: Prompt) -> str:
    return "-" if prompt.mode != "pairwise" else "no" if prompt.ties is None else f"`{prompt.ties}`"


def _entry(prompt: Prompt) -> str:
    source = prompt.source.model_dump(exclude_none=True)
    kinds = "; else ".join(_READ[kind] for kind in prompt.kinds)
    lines = [
        "",
        f"## {prompt.id}",
        "",
        f"{prompt.description} Version {prompt.version}.",
        "",
        f"- Source: {'; '.join(f'{key}: {value}' for key, value in source.items())}",
        f"- Read: {kinds}.",
    ]
    if prompt.labels:
        lines.append(f"- Slots: {', '.join(prompt.labels)}.")
    if prompt.scale is not None:
        lines.append(f"- Scale: {prompt.scale[0]:g} to {prompt.scale[1]:g}.")
    if prompt.variables:
        lines.append(f"- Variables: {', '.join(f'`{name}`' for name in prompt.variables)}.")
    if prompt.system:
        lines.append(f"- System text: {prompt.system}")
    if prompt.template_from is not None:
        lines.append(
            f"- Its text is published by `{prompt.template_from.call}`; see it with `vlrb render TASK@{prompt.id}`."
        )
        return "\n".join(lines) + "\n"
    count = len(prompt.labels) or 1
    text = in_one_text(example_turns(prompt), render(prompt, _QUESTION, _RESPONSES[:count], _ANSWER))
    return "\n".join([*lines, "", "```text", text.rstrip("\n"), "```", ""])
