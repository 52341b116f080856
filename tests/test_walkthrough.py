"""The walk from nothing to a judged benchmark: every command of docs/first_prompt.md, run again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


def steps(text: str) -> list[tuple[str, str]]:
    """Return each command of the console blocks and what it printed."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return [(command, "\n".join(printed).strip()) for command, printed in found]


def fits(printed: str, expected: str) -> bool:
    """Tell whether an output is the expected one, `...` standing for anything and blanks for blanks."""
    squeezed = [re.sub(r"[ -]{2,}", " ", text.strip()) for text in (printed, expected)]
    pattern = ".*?".join(re.escape(part) for part in squeezed[1].split("..."))
    return re.fullmatch(pattern, squeezed[0], re.DOTALL) is not None


def test_the_commands_print_what_the_page_says(tmp_path: Path):
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
    }
    env["VLRB_PATH"] = ""
    for command, expected in steps((ROOT / "docs" / "first_prompt.md").read_text()):
        if command.startswith("export VLRB_PATH"):
            env["VLRB_PATH"] = str(tmp_path / "my_judges")
            continue
        finished = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert fits(finished.stdout, expected), f"{command}\n{finished.stdout}\n{finished.stderr[-2000:]}"
