"""Kill a run at random moments and start it again: nothing that was on disk is lost, or asked twice.

    python -m tests.harness.kills --kind checkpoint --kills 20
    python -m tests.harness.kills --kind api --kills 20        # kills the server now and then, too

Prints what was seen; exits with 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.harness.server import Server
from tests.tiny_models import build_llava
from vlrb_tasks.votes.journal_records import SUFFIX, load_journal, record_of

DRAWS = 5


class Runs:
    """Runs of one command on one journal."""

    def __init__(
        self, folder: Path, judge: str, items: int, launcher: tuple[str, ...] = (sys.executable, "-m", "lmms_eval")
    ) -> None:
        self.folder, self.judge, self.items, self.launcher = folder, judge, items, launcher
        self.votes = folder / "votes"

    def start(self, journal: bool = True, output: str = "out") -> subprocess.Popen[bytes]:
        arguments = f"judge={self.judge}" + (f",journal={self.votes}" if journal else "")
        command = [*self.launcher, "--model", "vote_judge", "--model_args", arguments, "--tasks", "vlrb_scenes"]
        command += [
            "--limit",
            str(self.items),
            "--gen_kwargs",
            "max_new_tokens=6,temperature=0",
            "--log_samples",
            "--output_path",
            output,
        ]
        env = {**os.environ, "HF_HUB_OFFLINE": "1", "OPENAI_API_KEY": "none", "ACCELERATE_USE_CPU": "true"}
        with (self.folder / "run.log").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, env=env, start_new_session=True)

    def answered(self) -> Counter[tuple[str, int]]:
        """How often each vote stands in the journal with an answer, damaged lines left out."""
        found: Counter[tuple[str, int]] = Counter()
        for path in sorted(self.votes.glob(f"*{SUFFIX}")):
            for line in path.read_text(errors="replace").split("\n"):
                record = record_of(line) if line else None
                if record is not None and record["type"] == "vote" and not record.get("failed"):
                    found[record["item"], record["draw"]] += 1
        return found

    def kill_after(self, votes: int, patience: float) -> bool:
        """Start a run and kill it once it has answered as many further votes; say whether it was still running."""
        wanted = sum(self.answered().values()) + votes
        process = self.start()
        end = time.monotonic() + 120
        while process.poll() is None and sum(self.answered().values()) < wanted and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(patience)
        running = process.poll() is None
        if running:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return running

    def scores(self, output: str) -> dict[str, float]:
        (results,) = sorted((self.folder / output).rglob("*_results.json"))[-1:]
        return json.loads(results.read_text())["results"]["vlrb_scenes"]


def faults(runs: Runs, unbroken: dict[str, float], code: int) -> list[str]:
    """Return what is not as it should be after the last run."""
    found = []
    answered = runs.answered()
    if code:
        found.append(f"the last run ended with {code}")
    if len(answered) != runs.items * DRAWS:
        found.append(f"{len(answered)} votes, not {runs.items * DRAWS}")
    if twice := [key for key, count in answered.items() if count > 1]:
        found.append(f"{len(twice)} votes were asked twice though they were on disk")
    scores = runs.scores("out")
    if differing := [
        name for name, value in unbroken.items() if "clt" not in name and repr(scores[name]) != repr(value)
    ]:
        found.append(f"scores differ from those of an unbroken run: {differing[:4]}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("checkpoint", "api"), default="checkpoint")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = build_llava(folder / "model")
        items = max(24, 4 * arguments.kills)
        if arguments.kind == "checkpoint":
            runs = Runs(folder, f"llava_hf,pretrained={model},device=cpu,device_map=cpu", items)
            server = None
        else:
            server = Server(model, folder / "server.log").__enter__()
            runs = Runs(folder, f"openai,{server.arguments(model)}", items)
        first = runs.start(journal=False, output="unbroken")
        assert first.wait() == 0, (folder / "run.log").read_text()[-3000:]
        unbroken = runs.scores("unbroken")
        before = server.answered if server else 0
        killed = restarted = 0
        for _ in range(arguments.kills):
            killed += runs.kill_after(rng.randint(0, 2 * items * DRAWS // (3 * arguments.kills)), rng.random() / 2)
            print(f"killed {killed}: {sum(runs.answered().values())} votes on disk", flush=True)
            if server is not None and rng.random() < 0.25:
                seen = server.answered
                server.kill()
                server = Server(model, folder / f"server{restarted}.log", server.port).__enter__()
                restarted, before = restarted + 1, before - seen
        code = runs.start().wait()
        seen = faults(runs, unbroken, code)
        print(
            f"{killed} kills, {restarted} of the server too; {sum(runs.answered().values())} votes of {items} items; damaged lines: {dict(load_journal(runs.votes).damaged)}"
        )
        if server is not None:
            asked = server.answered - before
            lost = asked - items * DRAWS
            print(f"requests at the server: {asked}, of which {lost} were on their way when something was killed")
            if lost > 2 * (arguments.kills + restarted):
                seen.append(
                    f"{lost} requests were asked for nothing; each kill may cost as many as are asked at once, 2"
                )
            server.kill()
        print(
            "\n".join(seen) or "all as it should be: each vote once, nothing asked twice, the scores of an unbroken run"
        )
        return bool(seen)


if __name__ == "__main__":
    sys.exit(main())
