"""What the harness costs a vote: our ``vlrewardbench`` beside lmms-eval's built-in ``vl_rewardbench``.

The same 1,250 rows with photographs of 1024 x 768 pixels, and an adapter that fetches the images of each
request and answers at once, so that all that is timed is the harness: loading, rendering, images, parsing,
scores. Each run has a process of its own; its peak memory is that of the process.

    python benchmarks/harness_overhead.py [--rows rows.json] [--runs 3] [--json]

Without ``--rows`` the texts are made up, of the length of the real ones.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VARIANTS = {"built-in vl_rewardbench": 1, "vlrewardbench_k1": 1, "vlrewardbench": 5}


def build_rows(path: Path | None) -> list[dict]:
    """Return the rows without images: real ones from a file, or made-up ones."""
    if path is not None:
        return json.loads(path.read_text())
    rng = random.Random(0)
    words = [
        "the",
        "picture",
        "shows",
        "a",
        "man",
        "with",
        "red",
        "umbrella",
        "near",
        "an",
        "old",
        "bridge",
        "under",
        "two",
        "small",
        "trees",
    ]

    def text() -> str:
        return " ".join(rng.choice(words) for _ in range(rng.randint(60, 220))) + "."

    return [
        {"id": f"hallucination_pair-{i}", "query": text()[:120], "response": [text(), text()], "human_ranking": [0, 1]}
        for i in range(1250)
    ]


def write_dataset(rows: list[dict], folder: Path) -> None:
    """Write the rows as the hub keeps them: parquet with encoded images, each a photograph of 1024 x 768."""
    import datasets
    from PIL import Image
    from sklearn.datasets import load_sample_image

    rng = random.Random(0)
    photographs = []
    for name in ("china.jpg", "flower.jpg"):
        photograph = Image.fromarray(load_sample_image(name)).resize((1280, 960))
        for _ in range(8):
            left, top = rng.randint(0, 256), rng.randint(0, 192)
            buffer = io.BytesIO()
            photograph.crop((left, top, left + 1024, top + 768)).save(buffer, "JPEG", quality=90)
            photographs.append(buffer.getvalue())
    kept = ("id", "query", "response", "human_ranking")
    data = [
        {**{k: row[k] for k in kept}, "image": {"bytes": photographs[i % 16], "path": None}}
        for i, row in enumerate(rows)
    ]
    features = datasets.Features(
        {
            "id": datasets.Value("string"),
            "query": datasets.Value("string"),
            "response": datasets.Sequence(datasets.Value("string")),
            "human_ranking": datasets.Sequence(datasets.Value("int64")),
            "image": datasets.Image(),
        }
    )
    (folder / "data").mkdir(parents=True)
    datasets.Dataset.from_list(data, features=features).to_parquet(folder / "data" / "test-00000-of-00001.parquet")


def measure(variant: str, folder: Path) -> dict[str, float]:
    """Run one variant in this process; return seconds, votes and peak memory in MiB."""
    os.environ["VLRB_DATA"] = str(folder)
    import lmms_eval.tasks
    import torch
    from lmms_eval.api.model import lmms
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager
    from lmms_eval.utils import load_yaml_config

    class Instant(lmms):
        """Fetches the images of each request and answers at once."""

        device = torch.device("cpu")

        def generate_until(self, requests):
            for request in requests:
                _, _, doc_to_visual, doc_id, task, split = request.args
                assert doc_to_visual(self.task_dict[task][split][doc_id])[0].size == (1024, 768)
            return ["1. Accuracy: both name the bridge.\n\nOverall Judgment: Answer 1 is better."] * len(requests)

        def loglikelihood(self, requests):
            raise NotImplementedError

        def generate_until_multi_round(self, requests):
            raise NotImplementedError

    manager = TaskManager(include_defaults=False)
    tasks: list = [variant]
    if variant.startswith("built-in"):
        root = Path(lmms_eval.tasks.__file__).parent / "vl_rewardbench"
        (file,) = root.glob("*.yaml")
        config = {**load_yaml_config(str(file)), "dataset_path": str(folder), "dataset_kwargs": {}}
        tasks = [config]
    model = Instant()
    started = time.perf_counter()
    if variant.startswith("built-in"):
        from lmms_eval.api.task import ConfigurableTask

        tasks = [ConfigurableTask(config=config)]
    results = simple_evaluate(model=model, tasks=tasks, task_manager=manager, bootstrap_iters=0, log_samples=True)
    seconds = time.perf_counter() - started
    (samples,) = results["samples"].values()
    votes = len(samples) * VARIANTS[variant]
    return {
        "seconds": seconds,
        "votes": votes,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, help="the benchmark's rows as JSON")
    parser.add_argument("--runs", type=int, default=3, help="runs of each variant; the median is shown")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print("MEASURED " + json.dumps(measure(arguments.measure[0], Path(arguments.measure[1]))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "VL-RewardBench"
        write_dataset(build_rows(arguments.rows), folder)
        found = {}
        for variant in VARIANTS:
            runs = []
            for _ in range(arguments.runs):
                cache = str(Path(temporary) / "cache")
                output = subprocess.run(
                    [sys.executable, __file__, "--measure", variant, str(folder)],
                    capture_output=True, text=True, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": cache},
                ).stdout  # fmt: skip
                runs.append(json.loads(output.rsplit("MEASURED ", 1)[1]))
            median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            found[variant] = {**median, "ms_per_vote": 1000 * median["seconds"] / median["votes"]}
    base = found["built-in vl_rewardbench"]
    if arguments.json:
        print(json.dumps(found))
        return
    print(f"{'':26}{'votes':>8}{'seconds':>10}{'ms a vote':>12}{'of theirs':>11}{'peak MiB':>10}{'of theirs':>11}")
    for variant, row in found.items():
        print(
            f"{variant:26}{row['votes']:8.0f}{row['seconds']:10.2f}{row['ms_per_vote']:12.2f}"
            f"{row['ms_per_vote'] / base['ms_per_vote']:11.2f}{row['peak_mib']:10.0f}{row['peak_mib'] / base['peak_mib']:11.2f}",
        )


if __name__ == "__main__":
    main()
