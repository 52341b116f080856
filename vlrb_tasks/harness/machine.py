"""What a run was made with: versions of packages, and the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections import Counter

from ..environment import processes

_PACKAGES = ("vlrb-tasks", "lmms-eval", "torch", "transformers", "accelerate", "datasets")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that decide what a judge says."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def hardware() -> str:
    """Return the machine in words: its processes, accelerators, and processors."""
    import torch

    cards = Counter(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
    parts = [f"{count} x {name}" for name, count in cards.items()]
    parts.append(f"{os.cpu_count()} CPU cores ({platform.machine()})")
    return ", ".join([*parts, *([f"{processes()} processes"] if processes() > 1 else [])])
