"""Fits through impacts, which make the cost oscillate: found again, or said to be doubtful."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.fit.growing import Search, correlation

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


BALL = """
[time]
end = 4.0
step = 1e-3

[scheme]
name = "moreau-jean"

[gravity]
acceleration = [0.0, 0.0, -9.81]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]
axes = "z"

[loads.air]
kind = "damper"
node = "ball"
anchor = [0.0, 0.0, 100.0]
coefficient = 0.1

[contacts.floor]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]
restitution = 0.8
"""
BALL_FIT = """
case = "ball.toml"

[[parameter]]
key = "contacts.floor.restitution"
start = 0.6
from = 0.1
to = 1.0

[[parameter]]
key = "loads.air.coefficient"
start = 0.4
from = 0.0
to = 1.0

[[objective]]
signal = "ball.position.z"
data = "ball.csv"
column = "z"
"""


@pytest.mark.parametrize("start", [(0.3, 0.2), (0.2, 0.9)])
def test_a_fit_without_sigma_converges_from_any_start(tmp_path: Path, start: tuple[float, float]) -> None:
    """From the first start least squares end in a narrow minimum after the search, from the second in a smooth one."""
    (tmp_path / "ball.toml").write_text(BALL)
    run = fm.load_case(tmp_path / "ball.toml").run()
    z = run.signals["ball.position"][::20, 2]
    z = z + 1e-3 * np.random.default_rng(1).standard_normal(z.size)
    lines = [f"{a!r},{b!r}" for a, b in zip(run.time[::20].tolist(), z.tolist(), strict=True)]
    (tmp_path / "ball.csv").write_text("\n".join(["t,z", *lines]) + "\n")
    restitution, drag = start
    text = BALL_FIT.replace("start = 0.6", f"start = {restitution}").replace("start = 0.4", f"start = {drag}")
    (tmp_path / "fit.toml").write_text(text)
    found = fm.load_fit(tmp_path / "fit.toml").run()
    assert found.converged
    assert np.all(np.abs(found.values - [0.8, 0.1]) < 3.0 * found.errors)
    assert np.all(found.errors < [1e-3, 6e-3])  # with sigma 2.5e-4 and 1.5e-3


def searched(points: int, known_sigma: bool, offset: float, runs: int = 100) -> tuple[Search, list[np.ndarray]]:
    """Return a search of x = 0.3 from a noisy line x t, and the points of its runs; sigma is that of the noise."""
    t = np.linspace(0.0, 1.0, points)
    noise = np.random.default_rng(0).standard_normal(points)
    asked: list[np.ndarray] = []

    def residuals(u: np.ndarray) -> np.ndarray:
        asked.append(u)
        return 100.0 * (u[0] - 0.3) * t + noise + offset

    search = Search(residuals, np.array([0.9]), t, known_sigma)
    asked.clear()
    search.refine(runs)
    return search, asked


@pytest.mark.parametrize("known_sigma", [True, False])
def test_few_data_are_searched_as_a_whole(known_sigma: bool) -> None:
    search, asked = searched(5, known_sigma, 0.0)
    assert asked
    assert search.described
    assert search.spread[0] < 0.1


def test_the_spread_is_that_of_a_part_that_is_described() -> None:
    assert not searched(101, True, 50.0)[0].described
    search, asked = searched(101, False, 50.0)
    assert search.described
    assert len(asked) <= 100


def test_correlations_are_those_within_objectives() -> None:
    noise = np.random.default_rng(0).standard_normal((2, 200))
    assert correlation(list(noise)) == 1.0
    assert correlation(list(noise + 3.0)) > 10.0  # a common offset
    assert correlation([np.array([x]) for x in [1.0] * 10 + [-1.0] * 10]) == 1.0
