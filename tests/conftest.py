"""Fixtures that several test folders share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("VLRB_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data beside the checkout, where it is present."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"needs the public data in {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def tiny_llava(tmp_path_factory) -> Path:
    from tests.tiny_models import build_llava

    return build_llava(tmp_path_factory.mktemp("models") / "tiny-llava")


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory) -> Path:
    from tests.tiny_models import build_qwen

    return build_qwen(tmp_path_factory.mktemp("models") / "tiny-qwen")


def run(*command: str | Path, cwd: Path, timeout: int = 600, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment's and return what it printed."""
    here = Path(sys.executable).parent
    env = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "100",
        **environment,
    }
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False
    )
