"""Reports of runs with located events: their ledgers have entries that no other run has."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from event_runs import SCHEMES, ball, double_pendulum
from report_page import Page

import flexmb as fm
from flexmb.cli import main
from flexmb.postproc import style
from flexmb.postproc.ledger import WORKS
from flexmb.postproc.report.charts import COLOURS

STACK = "Energy over time"
INTEGRATORS = {
    **{name: cls() for name, cls in SCHEMES.items()},
    "captured": fm.RadauIIA5(impacts="captured"),
    **{name: fm.SCHEMES[name]() for name in ("newmark", "hht", "generalized-alpha")},
}


def test_every_color_of_the_style_has_a_name_and_a_value_in_both_themes() -> None:
    constants = [str(value) for name, value in vars(style).items() if name.isupper()]
    colors = {value for value in constants if re.fullmatch("#[0-9a-fA-F]{6}", value)}
    assert {colour for _, colour in WORKS} <= set(COLOURS)
    assert colors == set(COLOURS)
    sheet = files("flexmb.postproc.report").joinpath("assets/report.css").read_text()
    for name in COLOURS.values():
        assert len(re.findall(rf"--{name}: #[0-9a-f]{{6}};", sheet)) == 2, name


def reported(result: fm.Result, folder: Path) -> Page:
    """Return the page that ``flexmb report`` writes of a result."""
    result.save(folder)
    assert main(["report", str(folder)]) == 0
    return Page(folder / "report.html")


@pytest.mark.parametrize("name", INTEGRATORS)
def test_closings_are_in_the_report_of_every_integrator(name: str, tmp_path: Path) -> None:
    """The ball of RR-7151, example 1: what ends the accumulation is a band of the energies."""
    result = fm.simulate(ball(), INTEGRATORS[name], step=0.025, end=3.5, events=True)
    assert result.summary["events"]["closings"] >= 1
    page = reported(result, tmp_path / "run")
    bands = {curve["label"]: curve for curve in page.chart(STACK)["curves"] if "low" in curve}
    closing = bands["lost to closings"]
    assert closing["colour"] == "wine"
    height = page.numbers(closing["y"])[-1] - page.numbers(closing["low"])[-1]
    assert height == pytest.approx(-float(result.energy.work_closing[-1]), abs=1e-9)


@pytest.mark.parametrize("name", ["dopri5", "rkf45", "lobatto-iiia-4", "phem56", "hybrid"])
def test_projections_are_in_the_report_of_integrators_that_project(name: str, tmp_path: Path) -> None:
    result = fm.simulate(double_pendulum(), INTEGRATORS[name], step=0.05, end=0.75, events=True)
    assert np.abs(result.energy.work_projection).max() > 0.0
    page = reported(result, tmp_path / "run")
    labels = {curve["label"]: curve["colour"] for curve in page.chart(STACK)["curves"]}
    assert "teal" in {colour for label, colour in labels.items() if "projections" in label}
