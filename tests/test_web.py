"""The viewer as a page: asked for its token by hand, and looked at in a real browser."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import browser as open_browser
from messages import says
from missing import missing
from pictures import require_drawing, run_bar

from flexmb.cli import main

PATIENCE = 120.0
"""Seconds to wait for a busy machine."""


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
    words += ["--field", "displacement"]  # a bar without force is grey, and could not be found in the picture
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
    assert token not in kept
    assert ask(address, "/logo.png", kept)[0] == 200
    assert ask(address, "/logo.png", kept[:-1])[0] == 403
    assert ask(address, "/logo.png", kept.partition("=")[0] + "=\xff\xfe")[0] == 403  # no text at all
    assert ask(address, "/ws", kept, **upgrade)[0] == 101
    own = urlsplit(address).netloc
    for site in ("http://evil.example", f"http://evil.example:{urlsplit(address).port}", "null", "", "http://["):
        assert ask(address, "/ws", kept, Origin=site, **upgrade)[0] == 403, site
        assert ask(address, f"/index.html?token={token}", Origin=site) == (403, ""), site
    assert ask(address, "/ws", kept, Origin=f"http://{own}", **upgrade)[0] == 101
    tunnel = {"Host": "localhost:9999", "Origin": "http://localhost:9999"}
    assert ask(address, "/ws", kept, **tunnel, **upgrade)[0] == 101
    assert ask(address, "/ws", kept, **tunnel | {"Origin": f"http://{own}"}, **upgrade)[0] == 403


def answers(host: str, port: int) -> bool:
    """Tell whether something listens there."""
    with socket.socket() as probe:
        probe.settimeout(PATIENCE)
        return probe.connect_ex((host, port)) == 0


def test_only_this_machine_can_reach_it(address: str) -> None:
    """What listens on all addresses also answers at 127.0.0.2, what listens at 127.0.0.1 does not."""
    with socket.socket() as everywhere:
        everywhere.bind(("0.0.0.0", 0))
        everywhere.listen()
        if not answers("127.0.0.2", everywhere.getsockname()[1]):
            pytest.skip("only Linux has all of 127.0.0.0/8")
    port = urlsplit(address).port or 0
    assert answers("127.0.0.1", port)
    assert not answers("127.0.0.2", port)


def test_addresses_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmb.postproc import web_address

    known: list[int] = []

    def look_up(name: str, port: object, family: int) -> None:
        assert (name, port) == ("box", None)
        if family not in known:
            raise socket.gaierror("no such name")

    monkeypatch.setattr("socket.gethostname", lambda: "box")
    monkeypatch.setattr("socket.getaddrinfo", look_up)
    local = {"": "127.0.0.1", "localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "::1": "[::1]"}
    for host, name in (local | {"far": "far", "fd00::2": "[fd00::2]", "0.0.0.0": "127.0.0.1", "::": "[::1]"}).items():
        assert web_address.address(host, 81, "abc") == f"http://{name}:81/?token=abc"
        assert bool(web_address.reach(host)) == (host not in local), host
    known.append(socket.AF_INET)
    assert web_address.address("0.0.0.0", 81, "abc") == "http://box:81/?token=abc"
    assert web_address.address("::", 81, "abc") == "http://[::1]:81/?token=abc"
    assert says(web_address.reach("0.0.0.0")[0], "addresses ... machine")
    assert "all addresses" not in web_address.reach("far")[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "99999"], "port = 99999 ... 0 to 65535"),
        (["--port", "-1"], "port = -1 ... 0 to 65535"),
        (["--port", "99999", "--field", "velocty"], "port = 99999 ... 0 to 65535"),
        (["--screenshot", "x.png"], "screenshot = 'x.png' ... --web"),
        (["--movie", "x.mp4"], "movie = 'x.mp4' ... --movie or --web"),
        (["--field", "velocty"], "field = 'velocty' ... 'velocity'"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["view", "no such folder", "--web", *words]) == 2
    assert says(capsys.readouterr().err, f"flexmb: error: {message}")


@contextmanager
def taken_port() -> Iterator[int]:
    """Give a port that somebody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_port_in_use(bar: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with taken_port() as port:
        assert main(["view", str(bar), "--web", "--port", str(port)]) == 2
    assert says(capsys.readouterr().err, f"port = {port} ... '127.0.0.1' ... Address already in use ... --port 0")


def test_the_port_is_looked_at_where_it_is_served(bar: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    """A machine may know itself by other addresses first: it is served at 127.0.0.1 all the same."""
    look_up = socket.getaddrinfo
    other = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0))

    def both(host: str, *words: Any, **options: Any) -> list[Any]:
        return [*([other] if host == "localhost" else []), *look_up(host, *words, **options)]

    monkeypatch.setattr("socket.getaddrinfo", both)
    with taken_port() as port:
        for host in ("localhost", ""):
            assert main(["view", str(bar), "--web", "--host", host, "--port", str(port)]) == 2
            said = capsys.readouterr().err
            assert says(said, f"port = {port} ... '127.0.0.1' ... Address already in use")


def test_a_port_that_is_taken_at_the_last_moment(bar: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr("flexmb.postproc.web_address.require_port", lambda *_: None)
    with taken_port() as port:
        assert main(["view", str(bar), "--web", "--port", str(port)]) == 2
    assert says(capsys.readouterr().err, f"port = {port} ... '127.0.0.1' ... Address already in use ... --port 0")


def test_no_host_is_this_machine() -> None:
    from flexmb.postproc.web_address import bound, require_port

    assert bound("") == "127.0.0.1"
    require_port("", 0)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    with open_browser(tmp_path / "browser", (1300, 850)) as page:
        yield page


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


def test_keys_and_boxes_of_the_page(address: str, browser: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys: str) -> None:
        ActionChains(browser).send_keys(*keys).perform()  # wherever the page has its focus

    def chosen(box: str) -> str:
        # at once: the page may renew the list of choices at any time
        script = "const s = document.getElementById(arguments[0]); return s?.options[s.selectedIndex]?.text ?? ''"
        return str(browser.execute_script(script, box))

    def choose(box: str, words: str) -> None:
        script = """const s = document.getElementById(arguments[0]);
            const k = [...s.options].findIndex(o => o.text === arguments[1]);
            if (k >= 0) { s.selectedIndex = k; s.dispatchEvent(new Event("change")); }
            return k >= 0"""
        eventually(lambda: browser.execute_script(script, box, words))

    def type_scale(text: str) -> None:
        box = browser.find_element("id", "scale")
        box.send_keys(Keys.CONTROL, "a")
        for key in (Keys.DELETE, *text, Keys.ENTER):
            box.send_keys(key)
            time.sleep(0.3)  # what is not yet typed to its end must not be taken

    browser.get(address)
    eventually(lambda: browser.find_elements("id", "time") and left_end(picture_of(browser)) > 0)
    press(Keys.HOME)
    eventually(lambda: browser.find_element("id", "clock").text == "t = 0 s")
    before = picture_of(browser)
    press("f")
    eventually(lambda: chosen("field") == "velocity" and np.any(picture_of(browser) != before))
    browser.find_element("id", "play").click()
    browser.find_element("id", "play").click()
    press("f")  # a button keeps only the keys it knows
    eventually(lambda: chosen("field") == "axial force")
    press(*"+++++")
    eventually(lambda: chosen("speed") == "× 32 (6.4 s/s)")
    choose("speed", "× 0.125 (0.025 s/s)")
    browser.find_element("id", "viewer").send_keys("-")
    eventually(lambda: chosen("speed") == "× 0.0625 (0.0125 s/s)")
    type_scale("-3")
    wrong = browser.find_element("id", "wrong")
    eventually(lambda: wrong.is_displayed() and wrong.text == "scale = -3: must be a number from 1e-06 to 1e+09")
    assert browser.find_element("id", "scale").get_attribute("value") == "1"
    type_scale("0.5")
    eventually(lambda: not wrong.is_displayed())
    assert browser.find_element("id", "scale").get_attribute("value") == "0.5"
    type_scale("1")
    choose("speed", "× 1 (0.2 s/s)")
    choose("field", "displacement")
