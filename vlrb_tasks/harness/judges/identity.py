"""Identity: which model answered, so that votes of two models are never mixed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Arguments that change how fast a model answers, or where, and not what.
_NO_MATTER = frozenset(
    {
        "batch_size", "max_batch_size", "device", "device_map", "num_concurrent", "timeout", "max_retries", "tensor_parallel_size",
        "data_parallel_size", "gpu_memory_utilization", "num_cpus", "num_workers", "max_num_seqs", "disable_log_stats",
    }
)  # fmt: skip
_SAMPLE = 1 << 20


def model_identity(name: str, arguments: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """Return what a model is: its adapter, the arguments that matter, and its weights, where that is cheap to tell.

    Args:
        name: the adapter.
        arguments: its arguments.
        model: the adapter itself, whose configuration may know the commit that was loaded from the hub.
    """
    kept = {key: str(value) for key, value in sorted(arguments.items()) if key not in _NO_MATTER and not _secret(key)}
    return {"judge": name, **kept, **_weights(kept.get("pretrained") or kept.get("model"), model)}


def _secret(name: str) -> bool:
    """Tell whether an argument may be a secret: a journal is shared."""
    return any(part in ("key", "token", "secret", "password") for part in name.lower().split("_"))


def _weights(place: str | None, model: Any) -> dict[str, str]:
    if place is not None and Path(place).is_dir():
        return {"weights": _fingerprint(Path(place))}
    commit = getattr(getattr(model, "_config", None), "_commit_hash", None)
    return {"commit": commit} if isinstance(commit, str) else {}


def _fingerprint(folder: Path) -> str:
    """Return a hash of the files of a checkpoint: names and sizes, and of each the first and the last megabyte."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(
        path for path in folder.iterdir() if path.suffix in (".safetensors", ".bin", ".json", ".jinja", ".model")
    ):
        size = path.stat().st_size
        digest.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            if size > 2 * _SAMPLE:
                file.seek(-_SAMPLE, 2)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
