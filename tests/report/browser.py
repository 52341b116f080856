"""A real browser for tests of pages: Debian's Chromium, driven by Selenium."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from tests.conftest import ROOT

SCREENSHOTS = ROOT / "results" / "screenshots"
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
]


class Page(webdriver.Chrome):
    """A browser with what tests ask of it."""

    def open(self, path: Path, fragment: str = "") -> None:
        self.get("about:blank")
        self.get(path.as_uri() + fragment)

    def complaints(self) -> list[str]:
        """What the console says against the page."""
        return [entry["message"] for entry in self.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def asked_for(self) -> set[str]:
        """The addresses that the browser asked for since it was last asked, pictures in the page left out."""
        messages = [json.loads(entry["message"])["message"] for entry in self.get_log("performance")]
        urls = {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}
        return {url for url in urls if not url.startswith(("data:", "chrome:", "about:"))}

    def media(self, scheme: str) -> None:
        self.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )

    def size(self, width: int, height: int) -> None:
        self.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    def shot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.save_screenshot(str(SCREENSHOTS / f"{name}.png"))


@contextlib.contextmanager
def chromium() -> Iterator[Page]:
    """Start a browser, and end it. The test is skipped where there is none."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    with tempfile.TemporaryDirectory() as profile:
        options = Options()
        options.binary_location = binary
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        page = Page(options=options, service=Service(driver))
        page.size(1280, 900)
        try:
            yield page
        finally:
            page.quit()
