"""The viewer as a page: asked for its token by hand, and looked at in a real browser."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import FLAGS as QUIET
from pictures import require_drawing, run_bar

from flexmb.cli import main

IN_CI = bool(os.environ.get("FLEXMB_CI"))
PATIENCE = 120.0
"""Seconds to wait for a busy machine."""
FLAGS = (*QUIET, "--window-size=1300,850")


def missing(reason: str) -> None:
    """Skip for want of something; in CI that is a failure."""
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    try:
        import trame.app
        import trame.widgets.vtk  # noqa: F401
    except ImportError as err:
        missing(f"trame is not installed: {err}")
    return run_bar(tmp_path_factory.mktemp("web") / "bar")


@pytest.fixture(scope="module")
def address(bar: Path) -> Iterator[str]:
    """The address of a server of its own."""
    words = [sys.executable, "-m", "flexmb", "view", str(bar), "--web", "--port", "0", "--time", "0.1"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.fullmatch(r"open in a browser: (http://127\.0\.0\.1:\d+/\?token=[\w-]{32})\n", line)
    assert found, line
    yield found[1]
    server.send_signal(signal.SIGINT)
    try:
        server.wait(PATIENCE)
    finally:
        server.kill()


def ask(address: str, path: str, cookie: str = "", **headers: str) -> tuple[int, str]:
    """Return status and cookie of an answer."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    connection.request("GET", path, headers=({"Cookie": cookie} if cookie else {}) | headers)
    answer = connection.getresponse()
    return answer.status, answer.headers.get("Set-Cookie", "")


def test_nothing_without_the_token(address: str) -> None:
    token = urlsplit(address).query.removeprefix("token=")
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "c29tZXRoaW5nIHRvIHNheQ==",
        "Sec-WebSocket-Version": "13",
    }
    for path in ("/", "/index.html", "/?token=", f"/?token={token[:-1]}", f"/index.html?token={token}x", "/logo.png"):
        assert ask(address, path) == (403, ""), path
    assert ask(address, "/ws", **upgrade)[0] == 403
    status, cookie = ask(address, f"/index.html?token={token}")
    assert status == 200
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    kept = cookie.partition(";")[0]
    assert ask(address, "/logo.png", kept)[0] == 200
    assert ask(address, "/logo.png", kept[:-1])[0] == 403
    assert ask(address, "/ws", kept, **upgrade)[0] == 101


def test_only_this_machine_can_reach_it(address: str) -> None:
    port = urlsplit(address).port
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for host in others - {host for host in others if host.startswith("127.")}:
        with socket.socket() as probe:
            probe.settimeout(2.0)
            assert probe.connect_ex((host, port)) != 0


def test_port_in_use(bar: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["view", str(bar), "--web", "--port", str(port)]) == 2
    words = (
        f"flexmb: error: port = {port}: cannot be listened on at '127.0.0.1' (Address already in use); --port 0 takes "
    )
    assert capsys.readouterr().err.startswith(words)
    assert main(["view", str(bar), "--web", "--field", "velocty"]) == 2
    assert "did you mean 'velocity'?" in capsys.readouterr().err


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        missing("there is no chromium with chromedriver (Debian: apt install chromium chromium-driver)")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        missing("selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'browser'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    page = webdriver.Chrome(options=options, service=Service(driver))
    yield page
    page.quit()


def picture_of(page: Any) -> np.ndarray:
    """Return what the browser shows above the controls."""
    from PIL import Image

    image = np.asarray(Image.open(BytesIO(page.get_screenshot_as_png())).convert("RGB")).astype(float)
    top = page.execute_script("return document.querySelector('.controls').getBoundingClientRect().top")
    return image[: int(top)]


def left_end(image: np.ndarray) -> int:
    """Return the first column with colours of the bar, in the upper left of the picture."""
    scene = image[60 : len(image) // 2, : int(0.85 * image.shape[1])]
    arrow = (scene[:, :, 0] > 1.5 * scene[:, :, 1]) & (scene[:, :, 0] > 1.5 * scene[:, :, 2])
    columns = np.flatnonzero(np.sum((np.ptp(scene, axis=2) > 45) & ~arrow, axis=0) > 5)
    return int(columns[0]) if columns.size else -1


def eventually(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.2)


def test_the_slider_moves_the_picture(address: str, browser: Any) -> None:
    browser.get(address)
    eventually(lambda: browser.find_elements("id", "time") and left_end(picture_of(browser)) > 0)
    eventually(lambda: "t = 0.1 s" in browser.find_element("id", "clock").text)
    before = left_end(picture_of(browser))

    def slide(k: int) -> None:
        script = (
            "const s = document.getElementById('time'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))"
        )
        browser.execute_script(script, k)

    slide(83)  # of 200 states in two seconds: the bar is at the wall
    eventually(lambda: "t = 0.83 s" in browser.find_element("id", "clock").text)
    eventually(lambda: 0 < left_end(picture_of(browser)) < before - 50)
    at_wall = left_end(picture_of(browser))
    browser.find_element("id", "viewer").send_keys("?")
    eventually(lambda: browser.find_element("id", "keys").is_displayed())
    assert "play, pause" in browser.find_element("id", "keys").text
    browser.find_element("id", "viewer").send_keys("?")
    eventually(lambda: not browser.find_element("id", "keys").is_displayed())
    slide(10)
    eventually(lambda: left_end(picture_of(browser)) > at_wall + 50)
    browser.find_element("id", "play").click()
    eventually(lambda: "t = 0.1 s" not in browser.find_element("id", "clock").text)
    browser.find_element("id", "play").click()
    severe = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert severe == []
    requests = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            requests.append(message["params"].get("url") or message["params"]["request"]["url"])
    own = urlsplit(address).netloc
    outside = [url for url in requests if urlsplit(url.removeprefix("blob:")).netloc != own]
    assert [url for url in outside if not url.startswith(("data:", "chrome:", "chrome-"))] == []
    assert any(url.startswith("ws://") for url in requests)
