"""Whether a run may be published, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.controls import CONTROLS
from ..core.scoring import FAILED_LIMIT, publishing_faults
from ..votes.runs import Run

MAIN = {
    "pairwise": ("overall_accuracy_strict", "macro_accuracy_strict"),
    "pairwise_ties": ("accuracy_with_tie", "accuracy_without_tie"),
    "pointwise": ("pearson", "item_kendall_tau_b"),
    "ranking": ("best_accuracy", "ranking_kendall_tau"),
}
"""The scores by which judges of a family are ranked, where more is better; the first is the one to trust."""


@dataclass(frozen=True)
class Verdict:
    """What to say of a run before its numbers.

    Attributes:
        publish: ``yes``, ``with care``, or ``no``.
        reasons: why, the gravest first; for ``yes``, what was looked at.
    """

    publish: Literal["yes", "with care", "no"]
    reasons: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict as a sentence."""
        return {
            "yes": "This run may be published.",
            "with care": "This run may be published, with what is said here beside it.",
            "no": "This run is not to be published.",
        }[self.publish]


def publishing_verdict(run: Run) -> Verdict:
    """Return whether a run may be published: coverage, failures, bias, completeness, and whether it beats the controls."""
    no: list[str] = []
    care: list[str] = []
    for fault in publishing_faults(run.scores):
        (no if "do not publish" in fault else care).append(_sentence(fault))
    if run.missing or (run.facts is not None and run.facts.limit is not None):
        no.insert(0, f"Only {len(run.log.ballots):,} of {run.facts.items if run.facts else 0:,} items were judged.")
    unfinished = sum(ballot.unfinished for ballot in run.log.ballots)
    if unfinished:
        no.insert(0, f"A budget ended the run before {unfinished:,} items were decided.")
    plan = run.log.ballots[0].plan
    if plan is not None and plan.stop == "confidence":
        care.append(
            "Votes were left out at a stated risk (stop=confidence): decisions may differ from those of all votes."
        )
    failed = run.scores["failed_rate"]
    if 0 < failed.value <= FAILED_LIMIT:
        care.append(f"{round(failed.value * failed.n):,} of {failed.n:,} votes failed; they count as votes for nobody.")
    control = _best_control(run)
    if control is not None:
        care.append(control)
    care += [_sentence(note) for note in run.log.notes]
    if no:
        return Verdict("no", (*no, *care))
    if care:
        return Verdict("with care", tuple(care))
    looked = ["No vote failed.", f"{run.scores['coverage_strict'].value:.1%} of the items were decided."]
    first = run.scores.get("first_slot_rate")
    if first is not None and first.n:
        looked.append(f"The first slot is named in {first.value:.1%} of the votes: no strong order bias.")
    if run.controls:
        looked.append("It is surely better than the controls, which do not look.")
    return Verdict("yes", tuple(looked))


def _best_control(run: Run) -> str | None:
    """Return what to say where a judge cannot be told from one that does not look."""
    main = MAIN[run.family][0]
    ours = run.scores[main]
    if not run.controls or not ours.n or ours.interval is None:
        return None
    name, best = max(run.controls.items(), key=lambda pair: pair[1][main].value)
    assert name in CONTROLS
    if ours.interval[0] > best[main].value:
        return None
    what = {
        "first": "always names the first response",
        "longer": "always names the longer response",
        "random": "tosses a coin",
    }
    return (
        f"It is not surely better than a judge that {what[name]} ({main} {ours.value:.4f}, interval from "
        f"{ours.interval[0]:.4f}; the control has {best[main].value:.4f})."
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
