"""vlrb_baseline: judges that need no model, to stand beside real ones as controls.

They answer in the words that the prompt asks for, so their answers go through prompt, order and parser like
those of any model.
"""

from __future__ import annotations

import math
import random
from typing import Any, Literal

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from loguru import logger

from ...core.controls import CONTROLS, Control, control_rng, control_slot
from ...core.verdicts import SLOT_OUTCOMES, Outcome

Policy = Control | Literal["oracle"]
POLICIES: tuple[Policy, ...] = (*CONTROLS, "oracle")


class BaselineJudge(lmms):
    """A judge that follows a rule.

    Args:
        policy: ``first`` and ``second`` name that slot; ``longer`` and ``shorter`` go by the number of
            characters; ``random`` tosses a coin; ``oracle`` knows what people say. Where a score is asked
            for, ``first`` always gives the highest, ``second`` the lowest, and ``longer`` the more the longer
            the response is. Where a ranking is, ``first`` keeps the order, ``second`` turns it round.
        accuracy: for ``oracle``, how often an answer is the right one, in [0, 1]; otherwise it is another
            response, or a random score or order.
        tie_rate: share of answers that are ties, in [0, 1].
        unparsed_rate: share of answers without a verdict.
        failed_rate: share of requests that fail.
        seed: answers depend on the seed, the item, the draw and the order alone: they are the same on
            every rank.
        batch_size: not used; lmms-eval passes it.
        max_batch_size: not used.
        device: not used.
    """

    is_simple = True

    def __init__(
        self,
        policy: str = "random",
        accuracy: float = 1.0,
        tie_rate: float = 0.0,
        unparsed_rate: float = 0.0,
        failed_rate: float = 0.0,
        seed: int = 0,
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        device: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__()
        if unknown:
            raise ValueError(
                f"vlrb_baseline: no argument {', '.join(map(repr, unknown))}; there are policy, accuracy, tie_rate, unparsed_rate, failed_rate and seed."
            )
        if policy not in POLICIES:
            raise ValueError(f"vlrb_baseline policy: got {policy!r}; expected one of {', '.join(POLICIES)}.")
        rates = {"accuracy": accuracy, "tie_rate": tie_rate, "unparsed_rate": unparsed_rate, "failed_rate": failed_rate}
        for name, rate in rates.items():
            if not 0 <= float(rate) <= 1:
                raise ValueError(f"vlrb_baseline {name}: got {rate}; expected a share between 0 and 1.")
        if tie_rate + unparsed_rate + failed_rate > 1:
            raise ValueError("vlrb_baseline: tie_rate, unparsed_rate and failed_rate add up to more than 1.")
        self.policy: Policy = policy
        self.seed = int(seed)
        self.rates = {name: float(rate) for name, rate in rates.items()}

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Answer each request."""
        foreign = {request.task_name for request in requests if "judgment" not in request.metadata}
        if foreign:
            logger.warning(
                f"vlrb_baseline answers nothing to {', '.join(sorted(map(str, foreign)))}: no judge task of vlrb-tasks."
            )
        return [
            self._answer(request.metadata["judgment"]) if "judgment" in request.metadata else "" for request in requests
        ]

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Return the loss of each answer: that of the policy's own is the lowest."""
        return [self._loss(request.metadata["judgment"], request.metadata["answer"]) for request in requests]

    def _loss(self, judgment: Any, answer: Outcome) -> tuple[float, bool]:
        outcome = self._outcome(judgment)
        if outcome not in ("first", "second", "tie"):
            return (math.nan if outcome == "failed" else math.log(2)), False
        return (math.log(10 / 9), True) if outcome == answer else (math.log(10), False)

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:
        """Not given: a judgment has one round."""
        raise NotImplementedError("vlrb_baseline has one round only.")

    def _answer(self, judgment: Any) -> str:
        answers = judgment.prompt.answers
        outcome = self._outcome(judgment)
        if outcome == "failed":
            return "[LMMS_EVAL_REQUEST_FAILED after 1 retries] vlrb_baseline was told to fail"
        if outcome == "unparsed":
            return str(next(case.text for case in judgment.prompt.cases if case.verdict == "unparsed"))
        if judgment.prompt.mode == "pointwise":
            return str(answers.score).replace("{score}", str(self._score(judgment)))
        if judgment.prompt.mode == "ranking":
            slots = self._slots(judgment)
            return str(answers.ranking).replace("{ranking}", "".join(judgment.prompt.labels[slot] for slot in slots))
        text = getattr(answers, outcome)
        if text is None:
            raise ValueError(
                f"vlrb_baseline: prompt {judgment.prompt.id} has no answer for a tie. Fix: set tie_rate=0."
            )
        return str(text)

    def _score(self, judgment: Any) -> int | float:
        """Return a score on the prompt's scale."""
        low, high = map(float, judgment.prompt.scale)
        rng = self._rng(judgment, "score")
        if self.policy in ("first", "second"):
            return int(high if self.policy == "first" else low)
        if self.policy in ("longer", "shorter"):
            share = min(sum(map(len, judgment.item.responses)), 2000) / 2000
            return round(low + (high - low) * (share if self.policy == "longer" else 1 - share))
        people = judgment.item.score
        if self.policy == "oracle" and people is not None and rng.random() < self.rates["accuracy"]:
            score = float(people)
            return int(score) if score.is_integer() else score
        return rng.randint(int(low), int(high))

    def _slots(self, judgment: Any) -> list[int]:
        """Return the slots, best first."""
        item, order = judgment.item, judgment.order
        rng = self._rng(judgment, "order")
        slots = list(range(len(order)))
        if self.policy in ("longer", "shorter"):
            sign = -1 if self.policy == "longer" else 1
            return sorted(slots, key=lambda slot: sign * len(item.responses[order[slot]]))
        if self.policy == "oracle" and item.ranking is not None and rng.random() < self.rates["accuracy"]:
            return [order.index(response) for response in item.ranking]
        if self.policy == "second":
            return slots[::-1]
        if self.policy != "first":
            rng.shuffle(slots)
        return slots

    def _rng(self, judgment: Any, what: str = "") -> random.Random:
        if not what:
            return control_rng(self.seed, judgment.item.key, judgment.draw, judgment.order)
        return random.Random(f"vlrb_baseline{what}/{self.seed}/{judgment.item.key}/{judgment.draw}/{judgment.order}")

    def _outcome(self, judgment: Any) -> Outcome:
        item, order = judgment.item, judgment.order
        rng = self._rng(judgment)
        left = rng.random()
        for name, outcome in (("failed_rate", "failed"), ("unparsed_rate", "unparsed"), ("tie_rate", "tie")):
            left -= self.rates[name]
            if left < 0 and (outcome != "tie" or judgment.prompt.mode == "pairwise"):
                return outcome  # type: ignore[return-value]
        if judgment.prompt.mode != "pairwise":
            return "score" if judgment.prompt.mode == "pointwise" else "ranking"
        lengths = [len(item.responses[index]) for index in order]
        if self.policy != "oracle":
            return SLOT_OUTCOMES[control_slot(self.policy, lengths, rng)]
        if item.preferred is None:
            return "tie"
        rng.randint(0, 1)
        right = rng.random() < self.rates["accuracy"]
        return SLOT_OUTCOMES[order.index(item.preferred if right else 1 - item.preferred)]
