"""Fits through impacts, which make the cost oscillate: found again, or said to be doubtful."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main

IMPACTING_FRAME = """
[time]
end = 0.15
step = 2e-4

[scheme]
name = "generalized-alpha"
rho_inf = 0.8

[bodies.frame]
kind = "beam"
mesh = "portal.msh"
material = { young = 2.1e11, density = 7850.0 }
section = { shape = "rectangle", height = 0.05, width = 0.05 }
supports = [{ node = "feet", kind = "clamped" }]
damping = { alpha = 0.0, beta = 2e-4 }
points = { west = [0.0, 0.0, 3.0], east = [4.0, 0.0, 3.0] }

[loads.push]
kind = "force"
node = "frame.west"
force = [500.0, 0.0, 0.0]
function = { kind = "harmonic", frequency = 5.0 }

[contacts.a]
kind = "node-plane"
node = "frame.west"
normal = [1.0, 0.0, 0.0]
point = [-0.002, 0.0, 0.0]

[contacts.b]
kind = "node-plane"
node = "frame.east"
normal = [-1.0, 0.0, 0.0]
point = [4.002, 0.0, 0.0]
restitution = 0.5
"""
IMPACTING_FIT = """
case = "frame.toml"

[[parameter]]
name = "beta"
key = "bodies.frame.damping.beta"
start = {start}
from = 1e-5
to = 1e-2
log = true

[[objective]]
signal = "frame.west.displacement.x"
data = "meas.csv"
time = "t"
column = "x"
sigma = 5e-6
"""


@pytest.mark.parametrize("start", [1e-3, 3e-5])
def test_damping_is_found_through_impacts_which_make_the_cost_rough(tmp_path: Path, start: float) -> None:
    (tmp_path / "frame.toml").write_text(IMPACTING_FRAME)
    shutil.copy(Path(__file__).parents[1] / "meshes" / "portal.msh", tmp_path)
    run = fm.load_case(tmp_path / "frame.toml", ["output.signals=['frame.west.displacement']"]).run()
    x = run.signals["frame.west.displacement"][::5, 0]
    noise = 5e-6 * np.random.default_rng(3).standard_normal(x.size)
    lines = [f"{a!r},{b!r}" for a, b in zip(run.time[::5].tolist(), (x + noise).tolist(), strict=True)]
    (tmp_path / "meas.csv").write_text("\n".join(["t,x", *lines]) + "\n")
    (tmp_path / "fit.toml").write_text(IMPACTING_FIT.format(start=start))
    found = fm.load_fit(tmp_path / "fit.toml").run(tmp_path / "out")
    assert found.values[0] == pytest.approx(2e-4, rel=0.03)
    assert found.rms < found.far


def test_two_dampings_through_impacts_are_within_their_errors(tmp_path):
    """Least squares stop on an oscillating cost, 10 % off; a search over growing parts of the data does not."""
    frame = IMPACTING_FRAME.replace("alpha = 0.0, beta = 2e-4", "alpha = 1.2, beta = 2e-5")
    (tmp_path / "frame.toml").write_text(frame)
    shutil.copy(Path(__file__).parents[1] / "meshes" / "portal.msh", tmp_path)
    run = fm.load_case(tmp_path / "frame.toml", ["output.signals=['frame.west.displacement']"]).run()
    x = run.signals["frame.west.displacement"][::5, 0]
    x = x + 2e-5 * np.random.default_rng(3).standard_normal(x.size)
    lines = [f"{a!r},{b!r}" for a, b in zip(run.time[::5].tolist(), x.tolist(), strict=True)]
    (tmp_path / "meas.csv").write_text("\n".join(["t,x", *lines]) + "\n")
    text = IMPACTING_FIT.format(start=1e-4).replace("from = 1e-5", "from = 1e-6").replace("5e-6", "2e-5")
    alpha = '[[parameter]]\nname = "alpha"\nkey = "bodies.frame.damping.alpha"\nstart = 0.3\nfrom = 0.0\nto = 4.0\n'
    (tmp_path / "fit.toml").write_text(text + alpha)
    assert main(["fit", str(tmp_path / "fit.toml"), "-o", str(tmp_path / "out"), "--no-figures"]) == 0
    summary = json.loads((tmp_path / "out" / "fit.json").read_text())
    off = [abs(p["value"] - true) / p["error"] for p, true in zip(summary["parameters"], (2e-5, 1.2), strict=True)]
    assert max(off) < 3.0
    assert all(p["error"] < 0.15 * p["value"] for p in summary["parameters"])
