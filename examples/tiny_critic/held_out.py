"""Accuracy on scenes with a combination of shape and colour that training left out, and on the others.

python examples/tiny_critic/held_out.py results/tiny_critic/both
"""

from __future__ import annotations

import sys
from pathlib import Path

from facts import is_held_out

from vlrb_tasks.data.scenes import scene_rows
from vlrb_tasks.environment import registry
from vlrb_tasks.votes.runs import load_runs


def main() -> None:
    """Print both accuracies for a log of ``vlrb_scenes``, or a folder with one: strict, the majority of votes."""
    scenes = {row["id"]: row["scene"] for row in scene_rows()}
    for run in load_runs([Path(path) for path in sys.argv[1:]], registry()):
        for shown, said in ((True, "with a combination never shown"), (False, "without")):
            ballots = [ballot for ballot in run.log.ballots if is_held_out(scenes[ballot.id]) == shown]
            right = sum(ballot.decision == ballot.preferred for ballot in ballots)
            print(f"{run.name}, {said}: {right} of {len(ballots)} right, {100 * right / len(ballots):.1f} %")


if __name__ == "__main__":
    main()
