"""What the wrapper and its journal cost a vote, on answers that take no time: seconds and memory.

python benchmarks/journal_overhead.py --items 20000     # five votes an item
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

KINDS = ("bare", "wrapped", "journal", "journal, early stop", "journal, all there")


def measure(kind: str, items: int, folder: str) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    from vlrb_tasks.harness.judges.baseline import BaselineJudge
    from vlrb_tasks.harness.judges.vote_judge import with_votes
    from vlrb_tasks.harness.judges.vote_settings import VoteSettings
    from vlrb_tasks.harness.task import JudgeTask

    class Instant(BaselineJudge):
        def generate_until(self, requests):
            return ["Verdict: [[A]]" if len(request.args[0]) % 3 else "Verdict: [[B]]" for request in requests]

    lm = Instant()
    task = JudgeTask(
        config={
            "task": "t",
            "output_type": "generate_until",
            "judge": {"benchmark": "vlrb_scenes", "options": {"items": items}},
        }
    )
    if kind != "bare":
        journal = folder if "journal" in kind else None
        with_votes(lm, VoteSettings(journal=journal, early_stop="early" in kind, chunk=8), {"judge": "instant"})
    task.build_all_requests()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    lm.generate_until(task.instances)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    votes = len(task.instances)
    print(
        f"{kind:<20} {votes:>8,} votes {seconds:>7.2f} s {1000 * seconds / votes:>7.3f} ms a vote {(after - before) / 1024:>7.0f} MiB more"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_004, help="a multiple of 12")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--folder", default="")
    arguments = parser.parse_args()
    if arguments.kind:
        measure(arguments.kind, arguments.items, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        for kind in KINDS:
            folder = two if "early" in kind else one
            subprocess.run(
                [sys.executable, __file__, "--items", str(arguments.items), "--kind", kind, "--folder", folder],
                stderr=subprocess.DEVNULL,
                check=True,
            )


if __name__ == "__main__":
    main()
