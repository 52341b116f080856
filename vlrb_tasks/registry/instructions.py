"""Instructions: what a prompt's own words ask for, held against its parser, its labels and its scale.

A prompt that asks for ``[[A]]`` and is read for ``<answer>`` counts every vote as unparsed; one that names its
first slot more often than its second is answered with the first more often. Both are found here, in the rendered
text, before a model is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..core.parsing import ParserKind
from .prompts import Prompt
from .rendering import example_turns, render

_QUESTION, _RESPONSE, _ANSWER = "\u27eaquestion\u27eb", "\u27earesponse {}\u27eb", "\u27eareference answer\u27eb"

_MARKS: dict[ParserKind, re.Pattern[str]] = {
    "brackets": re.compile(r"\[\[([^\[\]\n]{1,60})\]\]"),
    "tag": re.compile(r"<(?:answer|verdict|judge?ment|choice|final_answer)>([^<>]{0,60})</\w+>"),
    "boxed": re.compile(r"\\boxed\{([^{}\n]{0,60})\}"),
}
_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|example(?: answer| output| response)?:)", re.IGNORECASE)
_SCALE = re.compile(r"\b(?:from|between)\s+(\d+(?:\.\d+)?)\s+(?:to|and)\s+(\d+(?:\.\d+)?)\b")


def sample_text(prompt: Prompt, reference_answer: str = "") -> str:
    """Render a prompt with marks in place of the data.

    Raises:
        RegistryError: the template cannot be rendered.
    """
    count = {"pairwise": 2, "pointwise": 1}.get(prompt.mode, len(prompt.labels))
    return render(prompt, _QUESTION, [_RESPONSE.format(i + 1) for i in range(count)], reference_answer)


def data_faults(prompt: Prompt) -> list[str]:
    """Return what of the data a template does not show, or shows in the wrong order."""
    text = sample_text(prompt)
    faults = [] if _QUESTION in text else ["does not show the question. Fix: put in {{ question }}."]
    if prompt.mode == "pointwise":
        return faults  # the question may be the whole prompt
    places = [text.find(_RESPONSE.format(i + 1)) for i in range(len(prompt.labels))]
    faults += [
        f"does not show response {i + 1} of {len(places)}. Fix: put in {{{{ responses[{i}] }}}}, or loop over responses."
        for i, place in enumerate(places)
        if place < 0
    ]
    if not faults and places != sorted(places):
        faults.append("shows the responses in another order than its labels name them. Fix: show responses[0] first.")
    return faults


def reference_faults(prompt: Prompt) -> list[str]:
    """Return whether a prompt that needs the right answer fails to show it."""
    if prompt.needs_reference_answer and _ANSWER not in sample_text(prompt, _ANSWER):
        return [
            "does not show the right answer that needs_reference_answer asks for. Fix: put in {{ reference_answer }}."
        ]
    return []


def format_faults(prompt: Prompt) -> list[str]:
    """Return where the form that a prompt asks for is not the one that its parser reads."""
    if prompt.scoring == "loglikelihood":
        return []
    text = sample_text(prompt)
    faults = []
    asked: set[ParserKind] = set()
    for kind, mark, inside in _marks(text):
        asked.add(kind)
        if kind not in prompt.kinds:
            faults.append(f"asks for {mark}, which no kind of the parser reads. Fix: add {{kind: {kind}}} to parser.")
            continue
        for slot, label in enumerate(prompt.labels):
            if len(prompt.labels) == 2 and inside.strip() in _spellings(label):
                expected, got = ("first", "second")[slot], prompt.told(prompt.read(mark))
                if got != expected:
                    faults.append(f"asks for {mark}, which is read as {got}; it names {label}. Fix: change the labels.")
    told = {kind for answer in _answers(prompt) for kind, _, _ in _marks(answer)}
    if asked and told and not asked & told:
        faults.append(
            f"asks for {' and '.join(sorted(asked))}, and answers are written in {' and '.join(sorted(told))}. "
            "Fix: write in answers what the template asks for."
        )
    ends = {tuple(map(float, match.groups())) for match in _SCALE.finditer(text)}
    if prompt.scale is not None and ends and tuple(prompt.scale) not in ends:
        low, high = sorted(ends)[0]
        faults.append(
            f"asks for a score from {low:g} to {high:g}; scale says {prompt.scale[0]:g} to {prompt.scale[1]:g}. Fix: make them agree."
        )
    return list(dict.fromkeys(faults))


def bias_warnings(prompt: Prompt) -> list[str]:
    """Return what in a prompt's words is known to draw a judge to one slot."""
    if len(prompt.labels) < 2:
        return []
    text = sample_text(prompt)
    warnings = []
    mentions = [_mentions(text, label) for label in prompt.labels]
    if len(set(mentions)) > 1:
        told = ", ".join(f"{label!r} {n}" for label, n in zip(prompt.labels, mentions, strict=True))
        warnings.append(f"mentions its slots unequally often ({told}): judges lean to what they read more often.")
    for match in _EXAMPLE.finditer(text):
        near = re.split(r"\n\s*\n", text[match.start() : match.start() + 300])[0]
        named = [label for label in prompt.labels if _mentions(near, label)]
        if len(named) == 1:
            warnings.append(
                f"gives an example that names {named[0]!r} alone: judges copy it. Show one for each slot, or none."
            )
    verdicts = Counter(prompt.read(turn.text).outcome for turn in example_turns(prompt) if turn.role == "assistant")
    if prompt.mode == "pairwise" and verdicts and verdicts["first"] != verdicts["second"]:
        warnings.append(
            f"examples answer first {verdicts['first']} and second {verdicts['second']} times: give as many of each."
        )
    return warnings


def estimated_tokens(prompt: Prompt) -> int:
    """Return about how many tokens a prompt has without data: four characters of Latin text make one, one of others."""
    text = (prompt.system or "") + sample_text(prompt) + "".join(turn.text for turn in example_turns(prompt))
    for mark in (_QUESTION, *(_RESPONSE.format(i + 1) for i in range(max(1, len(prompt.labels))))):
        text = text.replace(mark, "")
    latin = sum(character.isascii() for character in text)
    return round(latin / 4) + len(text) - latin


def _marks(text: str) -> Iterator[tuple[ParserKind, str, str]]:
    """Give the kind, the whole and the inside of each mark that stands for a verdict."""
    for kind, pattern in _MARKS.items():
        for match in pattern.finditer(text):
            yield kind, match[0], match[1]


def _answers(prompt: Prompt) -> list[str]:
    return [text for text in prompt.answers.model_dump().values() if text is not None]


def _spellings(label: str) -> set[str]:
    """Return how a label may stand in a mark: whole, or its last word, as ``A`` for ``Response A``."""
    return {label, label.split()[-1]}


def _mentions(text: str, label: str) -> int:
    """Return how often a text names a slot: by its label, or by its letter or number in a mark.

    A capital A that begins a sentence and is followed by a word is the article, not a slot.
    """
    if len(label) > 1:
        short = label.split()[-1]
        in_marks = sum(inside.strip() == short != label for _, _, inside in _marks(text))
        return len(re.findall(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE)) + in_marks
    return len(
        re.findall(
            rf"(?<!\w){re.escape(label)}(?!\w)(?!(?<=[.!?\n] {label}) [a-z])(?!(?<=^{label}) [a-z])", text, re.MULTILINE
        )
    )
