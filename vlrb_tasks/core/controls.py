"""Controls: what judges that do not look would have voted, on the very orders that a judge was shown.

A judge's score means something beside theirs: one that cannot be told from ``longer`` may count characters.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from .ordering import Order
from .verdicts import SLOT_OUTCOMES
from .voting import Ballot, Vote, parsed_reading

Control = Literal["first", "second", "longer", "shorter", "random"]
CONTROLS: tuple[Control, ...] = get_args(Control)

SHOWN: tuple[Control, ...] = ("first", "longer", "random")
"""The controls that stand beside judges in reports and leaderboards."""


def control_rng(seed: int, key: str, draw: int, order: Order) -> random.Random:
    """Return the generator of one judgment: the same on every rank, machine and run."""
    return random.Random(f"vlrb_baseline/{seed}/{key}/{draw}/{order}")


def control_slot(control: Control, lengths: Sequence[int], rng: random.Random) -> int:
    """Return the slot, 0 or 1, that a control names.

    Args:
        control: ``first`` and ``second`` name that slot, ``longer`` and ``shorter`` go by length, ``random``
            tosses a coin. Between responses of one length, a coin decides.
        lengths: of the responses in their slots, in characters.
        rng: for the coin.
    """
    coin = rng.randint(0, 1)
    if control in ("first", "second"):
        return 0 if control == "first" else 1
    if control == "random" or lengths[0] == lengths[1]:
        return coin
    longer = int(lengths[1] > lengths[0])
    return longer if control == "longer" else 1 - longer


def control_ballots(ballots: Sequence[Ballot], control: Control) -> list[Ballot]:
    """Return pairwise ballots with the votes that a control would have cast in their place.

    The control is asked as often and in the same orders as the judge was; where the judge stopped early, on
    the votes that were certain to be drawn.
    """
    return [
        replace(ballot, votes=tuple(_vote(ballot, vote, control) for vote in ballot.fair_votes), plan=None)
        for ballot in ballots
    ]


def _vote(ballot: Ballot, vote: Vote, control: Control) -> Vote:
    rng = control_rng(0, ballot.key, vote.draw, vote.order)
    rng.random()  # the judge vlrb_baseline draws this one for the answers that it leaves out
    slot = control_slot(control, [ballot.lengths[index] for index in vote.order], rng)
    choice = vote.order[slot]
    reading = parsed_reading(choice, ballot.preferred)
    return Vote(vote.draw, vote.order, "", SLOT_OUTCOMES[slot], None, choice, reading)
