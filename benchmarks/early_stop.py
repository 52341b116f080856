"""How many judgments early stopping saves, beside the least that any exact rule can ask for.

    python benchmarks/early_stop.py              # simulated judges, and a run over vlrb_scenes through lmms-eval

The least: an oracle that stops at the first vote after which no continuation decides otherwise, asking one vote at a
time. An item's votes are for the better response with a chance that differs between items, as those of real judges do:
beta-distributed around the judge's accuracy.
"""

from __future__ import annotations

import itertools
import os

import numpy as np

from vlrb_tasks.core.stopping import further_votes
from vlrb_tasks.core.voting import majority

ITEMS = 20_000


def asked(votes: list[int | None], error: float | None = None) -> int:
    count = 0
    while more := further_votes([votes[:count]], len(votes), error):
        count += more
    return count


def least(votes: list[int | None]) -> int:
    """Return the shortest prefix that decides, whatever follows; by trying all that could follow."""
    planned = len(votes)
    for n in range(planned + 1):
        rests = itertools.product((0, 1, None), repeat=planned - n)
        if len({majority([*votes[:n], *rest], of=planned) for rest in rests}) == 1:
            return n
    return planned


def simulated(
    rng: np.random.Generator, agreement: float, spread: float, unparsed: float, planned: int, items: int
) -> list[list[int | None]]:
    """Return the votes of a judge; ``spread`` 0: every item is as hard, 1: each item's votes all agree."""
    if spread == 0:
        chances = np.full(items, agreement)
    else:
        size = (1 - spread) / spread
        chances = rng.beta(agreement * size, (1 - agreement) * size, items)
    votes = rng.random((items, planned)) < chances[:, None]
    missing = rng.random((items, planned)) < unparsed
    return [
        [None if m else int(v) for v, m in zip(row, gaps, strict=True)]
        for row, gaps in zip(votes, missing, strict=True)
    ]


def main() -> None:
    rng = np.random.default_rng(0)
    print(
        f"{'K':>2} {'per vote':>9} {'spread':>7} {'unparsed':>9} {'asked':>8} {'least':>8} {'over':>7} {'saved':>7} {'decided otherwise':>18}   confident at 5 %: asked, otherwise"
    )
    for planned, agreement, spread, unparsed in (
        (5, 0.8, 0.0, 0.0), (5, 0.8, 0.5, 0.0), (5, 0.8, 0.0, 0.1), (5, 0.6, 0.0, 0.0), (5, 0.95, 0.3, 0.02), (3, 0.8, 0.0, 0.0), (7, 0.8, 0.3, 0.05),
    ):  # fmt: skip
        items = ITEMS if planned < 7 else 2_000
        ballots = simulated(rng, agreement, spread, unparsed, planned, items)
        counts = [asked(votes) for votes in ballots]
        minimum = sum(map(least, ballots))
        otherwise = sum(
            majority(votes[:n], of=planned) != majority(votes) for votes, n in zip(ballots, counts, strict=True)
        )
        confident = [asked(votes, 0.05) for votes in ballots]
        wrong = sum(majority(votes[:n], of=n) != majority(votes) for votes, n in zip(ballots, confident, strict=True))
        total = sum(counts)
        print(
            f"{planned:>2} {agreement:>9.2f} {spread:>7.1f} {unparsed:>9.2f} {total / items:>8.4f} {minimum / items:>8.4f} {total / minimum - 1:>7.2%} "
            f"{1 - total / items / planned:>7.1%} {otherwise:>18}   {sum(confident) / items:.4f}, {wrong / items:.2%}"
        )
    through_lmms_eval()


def through_lmms_eval() -> None:
    """Judge the drawn scenes with and without early stopping, and compare every ballot."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    from vlrb_tasks.core.records import ballot_from_record
    from vlrb_tasks.harness.judges.baseline import BaselineJudge
    from vlrb_tasks.harness.judges.vote_judge import with_votes
    from vlrb_tasks.harness.judges.vote_settings import VoteSettings

    found = []
    for early in (False, True):
        judge = with_votes(
            BaselineJudge(policy="oracle", accuracy=0.8, unparsed_rate=0.02), VoteSettings(early_stop=early), {}
        )
        manager = TaskManager(include_defaults=False)
        results = simple_evaluate(
            model=judge, tasks=["vlrb_scenes"], task_manager=manager, bootstrap_iters=0, log_samples=True
        )
        found.append({b.key: b for b in (ballot_from_record(s["ballot"]) for s in results["samples"]["vlrb_scenes"])})
    whole, cut = found
    same = sum(
        (whole[k].decision, whole[k].official_decision) == (cut[k].decision, cut[k].official_decision) for k in whole
    )
    votes = [sum(len(b.votes) for b in side.values()) for side in found]
    minimum = sum(least([vote.choice for vote in ballot.votes]) for ballot in whole.values())
    print(
        f"\nvlrb_scenes through lmms-eval: {votes[0]} votes without, {votes[1]} with, {minimum} the least; {same} of {len(whole)} ballots decided alike"
    )


if __name__ == "__main__":
    main()
