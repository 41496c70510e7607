"""A report in a browser: what tests of its charts and of its animation both do with it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from browser import requests_of

import flexmb as fm
from flexmb.postproc.report import write_report

COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]
BLOWN = ["bodies.rod.elements=120", "time.step=5e-3", "scheme.name=moreau-jean", "scheme.theta=0.0"]
"""An impacting bar of few elements, and one that is unstable and fails."""


def show(chrome: Any, path: Path) -> None:
    """Open a page and wait until its charts are drawn."""
    requests_of(chrome)
    chrome.get_log("browser")
    chrome.get(path.as_uri())
    wait(chrome, "return document.querySelectorAll('.plot svg').length === page.charts.length")


def wait(chrome: Any, script: str) -> None:
    """Wait until a script returns something true."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(chrome, 20).until(lambda c: c.execute_script(script))


def in_view(chrome: Any, selector: str) -> Any:
    """Scroll to an element and return it."""
    element = chrome.find_element("css selector", selector)
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    return element


def picture(chrome: Any, k: int = 0) -> str:
    """Return what the k-th view shows."""
    return str(chrome.execute_script(f"return document.querySelectorAll('canvas')[{k}].toDataURL()"))


def set_slider(chrome: Any, part: float) -> None:
    """Go to a part of the time of the run."""
    chrome.execute_script(
        "const s = document.getElementById('slider'); s.value = s.max * arguments[0];"
        "s.dispatchEvent(new Event('input'))",
        part,
    )


def choose(chrome: Any, name: str, value: str) -> None:
    """Choose a value of one of the lists below the views."""
    chrome.execute_script(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
        name,
        value,
    )


def pixels(chrome: Any, places: list[list[float]], k: int = 0) -> list[list[int]]:
    """Return the colours that the k-th view has at places in space: red, green, blue and how much of it."""
    script = """
        const view = views[arguments[1]], ink = view.canvas.getContext('2d');
        return arguments[0].map(p => {
          const [x, y] = view.project(p).map(Math.round);
          return [...ink.getImageData(x, y, 1, 1).data];
        });
    """
    return list(chrome.execute_script(script, places, k))


def chroma(colour: list[int]) -> int:
    """Return how far a colour is from grey; what is not painted has none."""
    return max(colour[:3]) - min(colour[:3]) if colour[3] else 0


class Pages:
    """Runs and their reports, each made when it is first asked for.

    Parameters
    ----------
    folder : Path
    runs : mapping of str to (case, keys)
    pages : mapping of str to list of str
        The runs that a page is about; a page of one run is called like it.
    """

    def __init__(self, folder: Path, runs: Mapping[str, tuple[str, list[str]]], pages: Mapping[str, list[str]]) -> None:
        self.folder, self.runs, self.pages = folder, runs, pages

    def run(self, name: str) -> Path:
        """Return the folder of a run; that of one that fails, too."""
        folder = self.folder / name
        if not folder.is_dir():
            case, keys = self.runs[name]
            # without this bound, an unstable run goes on until its numbers are too large
            with suppress(fm.SimulationError), patch("flexmb.drive.run.MOST_GAIN", float("inf")):
                fm.load_case(case, keys).run(folder)
        return folder

    def result(self, name: str) -> fm.Result:
        """Return the result of a run."""
        return fm.load(self.run(name))

    def __getitem__(self, name: str) -> Path:
        """Return a page."""
        path = self.folder / f"{name}.html"
        if not path.is_file():
            write_report([self.run(own) for own in self.pages.get(name, [name])], path)
        return path
