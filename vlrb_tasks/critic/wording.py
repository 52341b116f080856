"""Wording: from a judgment to what a critic is asked and what it is taught to answer."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..core.parsing import parse_verdict
from ..registry.prompts import Prompt
from ..registry.rendering import guarded, render, render_text, shown
from .judgments import Judgment
from .recipe import Part
from .templates import PairTemplate

_SLOTS = re.compile(
    r"\b(?:(?:response|answer|assistant|model|option|candidate|description|output|image)s?[\s#]*(?:(?-i:[AB])|[12]|one|two)\b"
    r"|(?:the )?(?:first|second|former|latter|last) (?:response|answer|assistant|model|option|one|description|output))",
    re.IGNORECASE,
)
"""Names of slots: what reasons say that were given for one order of the responses."""

_MARK = re.compile(r"[^.!?\n]*(?:\[\[[^\[\]\n]*\]\]|\\boxed\{[^{}\n]*\}|<answer>[^<\n]*</answer>)[^.!?\n]*[.!?]?")
"""The sentence with a verdict's mark: it stands before the reasons already, in the words of the prompt."""


@dataclass(frozen=True)
class Record:
    """What is written: a question with its picture, and the answer to be learnt.

    Attributes:
        prompt: the judge prompt or the number of the pair template.
        asked: the text of the user's turn, without the picture's mark.
        answer: verdict first, then the reasons.
        outcome: ``first``, ``second``, ``tie``, or the score as text.
    """

    judgment: Judgment
    part: str
    prompt: str
    asked: str
    answer: str
    outcome: str


def pointwise_record(judgment: Judgment, part: Part, name: str, prompt: Prompt, count: Callable[[str], None]) -> Record:
    """Put a score into words: the prompt, then the score and its reasons.

    Args:
        judgment: with a score.
        part: its part.
        name: the part's name.
        prompt: the judge prompt to score with.
        count: is told what was left out.
    """
    assert judgment.score is not None
    score = f"{judgment.score:.0f}"
    asked = render(prompt, guarded(judgment.question), [shown(text) for text in judgment.responses])
    reasons = judgment.reasons
    told = parse_verdict(reasons, ("score",), labels=(), scale=(0, 100)) if reasons else None
    if told is not None and told.span is not None and reasons[: told.span[0]].strip(" \n*:#").lower() in ("", "score"):
        reasons = reasons[told.span[1] :].lstrip(
            " .,:/\n*"
        )  # reasons that begin with their score, which stands before them already
        reasons = re.sub(r"^(?:100|out of 100)\b[\s.:]*", "", reasons)
    if part.reasons.template is not None:
        reasons = _from_template(part.reasons.template, judgment, name)
    reasons = _MARK.sub("", reasons).strip()
    if _SLOTS.search(reasons):
        count("reasons: they name the responses otherwise")
        reasons = ""
    answer = f"{score}\n{reasons}" if reasons else score
    told = parse_verdict(answer, ("score",), labels=(), scale=(0, 100))
    if told.score is None or round(told.score) != round(judgment.score):
        count("reasons: they contradict the verdict")
        answer = score
    return Record(judgment, name, prompt.id, asked, answer, score)


def pair_records(
    judgment: Judgment,
    part: Part,
    name: str,
    templates: Sequence[PairTemplate],
    rng: random.Random,
    count: Callable[[str], None],
) -> list[Record]:
    """Put a comparison into words: once in each order, or once in an order that is drawn; each with a template that is drawn."""
    orders = [False, True] if part.orders == "both" else [rng.random() < 0.5]
    records = []
    for swapped in orders:
        number = rng.randrange(len(templates))
        template = templates[number]
        one = _swapped(judgment) if swapped else judgment
        assert one.verdict is not None
        pair = (one.responses[0], one.responses[1])
        verdict = template.answers[("first", "second", "tie").index(one.verdict)]
        reasons = _pair_reasons(one, part, name, template, count)
        answer = f"{verdict}\n{reasons}" if reasons else verdict
        alone = template.read(reasons).outcome if reasons else "unparsed"
        if alone not in (one.verdict, "unparsed") or template.read(answer).outcome != one.verdict:
            count("reasons: they contradict the verdict")
            answer = verdict
        records.append(
            Record(one, name, f"pair_{number + 1:02d}", template.asked(one.question, pair), answer, one.verdict)
        )
    return records


def _swapped(judgment: Judgment) -> Judgment:
    verdict = {"first": "second", "second": "first", "tie": "tie"}[str(judgment.verdict)]
    labels = None if judgment.labels is None else judgment.labels[::-1]
    return replace(judgment, responses=judgment.responses[::-1], verdict=verdict, labels=labels)  # type: ignore[arg-type]  # one of three words


def _pair_reasons(
    judgment: Judgment, part: Part, name: str, template: PairTemplate, count: Callable[[str], None]
) -> str:
    names = template.names
    if part.reasons.template is not None:
        return _begun(_from_template(part.reasons.template, judgment, name, names))
    reasons = re.sub(r"\n{3,}", "\n\n", _MARK.sub("", judgment.reasons)).strip()
    if not reasons:
        return ""
    if judgment.labels is not None:
        reasons = renamed(reasons, judgment.labels, names)
    bare = reasons
    for own in names:
        bare = re.sub(rf"\b{re.escape(own)}\b", "", bare, flags=re.IGNORECASE)
    if _SLOTS.search(bare):
        count("reasons: they name the responses otherwise")
        return ""
    return _begun(reasons)


def _from_template(template: str, judgment: Judgment, part: str, names: Sequence[str] = ()) -> str:
    """Return the reasons that a part's own template gives."""
    better = {"first": 0, "second": 1}.get(str(judgment.verdict))
    given = {
        "question": judgment.question,
        "responses": list(judgment.responses),
        "names": list(names),
        "verdict": f"{judgment.score:.0f}" if judgment.verdict is None else judgment.verdict,
        "score": judgment.score,
        "better": "" if better is None else names[better],
        "worse": "" if better is None else names[1 - better],
        "changes": [] if better is None else changes(judgment.responses[1 - better], judgment.responses[better]),
    }
    return render_text(template, given, f"parts.{part}.reasons.template").strip()


def renamed(text: str, labels: Sequence[str], names: Sequence[str]) -> str:
    """Return a text with what it calls two responses changed to other names, both at once.

    >>> renamed("Assistant A saw it, Assistant B's answer missed it.", ["Assistant A", "Assistant B"], ["B", "A"])
    "B saw it, A's answer missed it."
    """
    found = {label.lower(): name for label, name in zip(labels, names, strict=True)}
    pattern = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    return re.sub(rf"\b(?:{pattern})\b", lambda match: found[match.group().lower()], text, flags=re.IGNORECASE)


def _begun(text: str) -> str:
    """Return a text whose first letter is a capital, since a name may now stand at its head."""
    return text[:1].upper() + text[1:]


def changes(wrong: str, right: str, most: int = 4) -> list[tuple[str, str]]:
    """Return the phrases in which a corrected response differs: (as it was, as it is), the longest few in their order.

    >>> changes("A red car stands by a tree.", "A blue car stands by a tree.")
    [('red', 'blue')]
    """
    one, two = wrong.split(), right.split()
    found = [
        (" ".join(one[a:b]).strip(".,;:"), " ".join(two[c:d]).strip(".,;:"))
        for kind, a, b, c, d in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    kept = sorted(found, key=lambda pair: -len(pair[0]) - len(pair[1]))[:most]
    return [pair for pair in found if pair in kept]
