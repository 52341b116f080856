"""A real OpenAI-compatible server on a tiny checkpoint."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """``transformers serve`` on a tiny checkpoint."""

    def __init__(self, model: Path, log: Path, port: int | None = None) -> None:
        self.port = port or free_port()
        self.log = log
        command = [
            Path(sys.executable).parent / "transformers",
            "serve",
            str(model),
            "--device",
            "cpu",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        with log.open("w") as output:
            self.process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )

    def __enter__(self) -> Server:
        for _ in range(240):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2):
                    return self
            except OSError:
                assert self.process.poll() is None, self.log.read_text()[-3000:]
                time.sleep(0.5)
        raise AssertionError("the server did not start: " + self.log.read_text()[-3000:])

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def answered(self) -> int:
        return self.log.read_text().count("POST /v1/chat/completions")

    def arguments(self, model: Path) -> str:
        return f"model={model},base_url=http://127.0.0.1:{self.port}/v1,api_key=none,num_concurrent=2,timeout=120,max_retries=1"
