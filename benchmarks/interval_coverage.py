"""How often the 95 % intervals hold the truth: simulated data with known truth, 1,000 simulations each.

    python benchmarks/interval_coverage.py [--simulations 1000]

Accuracy: 300 items, right with chance 0.65. Macro accuracy: three domains of 60, 200 and 90 items with their
own chances. Pearson and tau-b: 300 items, normal scores with correlation 0.6, and the same rounded to five
steps, whose truth is measured on four million items.
"""

from __future__ import annotations

import argparse

import numpy as np

from vlrb_tasks.core.correlation import kendall_tau, pearson
from vlrb_tasks.core.intervals import bootstrap_macro_mean, bootstrap_mean

DOMAINS = {"general": (60, 0.45), "hallucination": (200, 0.7), "reasoning": (90, 0.6)}
RHO = 0.6


def normal_scores(rng: np.random.Generator, n: int, steps: bool) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=n)
    y = RHO * x + np.sqrt(1 - RHO**2) * rng.normal(size=n)
    return (np.clip(np.round(x), -2, 2), np.clip(np.round(y), -2, 2)) if steps else (x, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    rng = np.random.default_rng(20241210)
    x, y = normal_scores(np.random.default_rng(1), 4_000_000, True)
    truth = {"pearson, five steps": pearson(x, y).value, "tau-b, five steps": kendall_tau(x, y).value}
    truth |= {"accuracy": 0.65, "macro accuracy": sum(p for _, p in DOMAINS.values()) / 3}
    truth |= {"pearson": RHO, "tau-b": 2 / np.pi * np.arcsin(RHO)}
    hits = dict.fromkeys(truth, 0)
    for _ in range(simulations):
        found = {
            "accuracy": bootstrap_mean((rng.random(300) < 0.65).astype(float)),
            "macro accuracy": bootstrap_macro_mean(
                {g: (rng.random(n) < p).astype(float) for g, (n, p) in DOMAINS.items()}
            ),
        }
        for steps, suffix in ((False, ""), (True, ", five steps")):
            x, y = normal_scores(rng, 300, steps)
            found[f"pearson{suffix}"] = pearson(x, y).interval
            found[f"tau-b{suffix}"] = kendall_tau(x, y).interval
        for name, (low, high) in found.items():
            hits[name] += low <= truth[name] <= high
    print(f"{'':22}{'truth':>8}{'coverage':>10}   ({simulations:,} simulations)")
    for name in sorted(truth):
        print(f"{name:22}{truth[name]:8.4f}{hits[name] / simulations:10.1%}")


if __name__ == "__main__":
    main()
