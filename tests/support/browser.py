"""A real browser without a screen, for tests of pages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from missing import missing

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--force-device-scale-factor=1",
]


def require_browser() -> tuple[str, str]:
    """Return the programs of Chromium and its driver; skip where there are none, but fail in CI."""
    names = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "chromedriver": ("chromedriver",)}
    found = {what: next(filter(None, map(shutil.which, some)), None) for what, some in names.items()}
    try:
        import selenium  # noqa: F401

        absent = [name for name, path in found.items() if path is None]
    except ImportError:
        absent = ["selenium"]
    if absent:
        missing(f"no {' and no '.join(absent)} here (Debian: chromium, chromium-driver; PyPI: selenium)")
    return str(found["chromium"]), str(found["chromedriver"])


@contextmanager
def browser(profile: Path, size: tuple[int, int] = (1240, 1000), dark: bool = False) -> Iterator[Any]:
    """Give a browser with a new, empty profile; it is closed in the end."""
    program, driver = require_browser()
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    colours = ["--blink-settings=preferredColorScheme=0"] if dark else []
    for flag in (*FLAGS, *colours, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield chrome
    finally:
        chrome.quit()


def requests_of(chrome: Any) -> list[str]:
    """Return the addresses the pages have asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in chrome.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [params["request"]["url"] for params in sent]
