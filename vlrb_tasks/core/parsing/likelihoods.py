"""Log-likelihoods: what stands for the text of a judge that writes nothing and is asked how likely each answer is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ..verdicts import Outcome, Verdict

_LOSS = re.compile(r"\(?\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)")
_HEAD = "log-likelihoods: "
_PART = re.compile(r"(first|second|tie) (-?(?:\d+(?:\.\d+)?(?:e-?\d+)?|inf)|nan)")


def likelihood_text(likelihoods: Mapping[Outcome, float]) -> str:
    """Return log-likelihoods as the text that logs keep, to the last digit.

    >>> likelihood_text({"first": -0.5, "second": -1.25})
    'log-likelihoods: first -0.5, second -1.25'
    """
    return _HEAD + ", ".join(f"{outcome} {value!r}" for outcome, value in likelihoods.items())


def parse_loss(response: object) -> float:
    """Return the loss that an adapter gave as ``(loss, is greedy)``, which lmms-eval 0.7 hands on as text; NaN for none.

    >>> parse_loss("(0.5, True)"), parse_loss(None)
    (0.5, nan)
    """
    match = _LOSS.match(str(response))
    return float(match[1]) if match else math.nan


def parse_likelihoods(text: str) -> Verdict | None:
    """Return the likeliest answer, and the share of each; ``None`` for another text.

    The shares are the softmax of the log-likelihoods. ``unparsed`` where two are equally likely or one is NaN.

    >>> parse_likelihoods("log-likelihoods: first -0.5, second -1.25").outcome
    'first'
    """
    if not text.startswith(_HEAD):
        return None
    found: dict[Outcome, float] = {m[1]: float(m[2]) for m in _PART.finditer(text)}  # type: ignore[misc]
    if not {"first", "second"} <= set(found):
        return None
    best = max(found.values())
    if any(math.isnan(value) for value in found.values()) or math.isinf(best):
        return Verdict("unparsed", None, "no likelihoods that compare")
    weights = {outcome: math.exp(value - best) for outcome, value in found.items()}
    total = math.fsum(weights.values())
    shares = (weights["first"] / total, weights["second"] / total)
    likeliest = [outcome for outcome, value in found.items() if value == best]
    if len(likeliest) > 1:
        return Verdict("unparsed", None, "equally likely answers", shares=shares)
    return Verdict(likeliest[0], (0, len(text)), "the likeliest answer", shares=shares)
