"""Steps that go wrong in large motion: spurious roots, jammed drives, lost stiffness; what is said and kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from messages import says
from multibody_models import pendulum, run

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import NotConverged, SimulationError
from flexmb.record.summary_text import energy_lines

Z = (0.0, 0.0, 1.0)
GGL = fm.GeneralizedAlpha(rho_inf=0.8, ggl=True)


def pressed_rod(height: float, rate: float, stop: float, rigid: bool = False) -> fm.Model:
    """A driven slider-crank whose slider runs into a stop, so that its rod of 0.3 m must buckle (or cannot)."""
    model = fm.Model()
    model.add(fm.RigidPlanar("crank", mass=0.36, inertia=0.0027, angle=-np.pi / 2, points={"tip": (0.15, 0.0)}))
    end = 0.3 * np.cos(np.pi / 6)
    if rigid:
        keys = {"mass": 0.15, "inertia": 0.0012, "center": (0.15, 0), "position": (0, -0.15), "angle": np.pi / 6}
        model.add(fm.RigidPlanar("rod", points={"start": (0, 0), "end": (0.3, 0)}, **keys))
    else:
        section = {"shape": "rectangle", "height": height, "width": 0.008}
        material = {"young": 2e11, "density": 7870.0, "poisson": 0.3}
        keys = {"position": (0, -0.15, 0), "direction": (end / 0.3, 0.5, 0)}
        model.add(fm.ExactBeam("rod", length=0.3, elements=8, section=section, material=material, **keys))
    model.add(fm.RigidPlanar("slider", mass=0.0755, inertia=1e-5, position=(end, 0)))
    drive = fm.SpinUp(rate=rate, duration=0.1)
    model.add(fm.Revolute("shaft", a="ground", b="crank", point=(0, 0, 0), axis=Z, drive=drive))
    model.add(fm.Revolute("crankpin", a="crank.tip", b="rod.start" if rigid else "rod.first", axis=Z))
    if rigid:
        model.add(fm.Revolute("wristpin", a="slider", b="rod.end", axis=Z))
    else:
        model.add(fm.PointOnLine("wristpin", a="slider", b="rod.last", line="a", axis=Z))
    model.add(fm.Prismatic("guide", a="ground", b="slider", axis=(1, 0, 0)))
    model.add(fm.NodePlane("stop", node="slider", point=(stop, 0, 0), normal=(-1, 0, 0), restitution=0.5))
    return model


# spurious roots -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "rate", "stop"), [(0.002, 5.0, 0.35), (0.008, 5.0, 0.43), (0.001, 40.0, 0.43)])
def test_a_step_that_gains_energy_out_of_nothing_is_taken_in_smaller_ones(height: float, rate: float, stop: float):
    """Without the guard single steps gained 127, 18000 and 210 J here, and Newton's method failed after them."""
    r = run(pressed_rod(height, rate, stop), GGL, 5e-4, 800)
    assert r.engine.failure is None
    kinetic, potential = r.energy[:, 0], r.energy[:, 1]
    works = np.abs(np.diff(r.energy[:, 2:5], axis=0)).sum(axis=1)
    gains = np.diff(r.energy[:, 5])
    can_move = kinetic[:-1] + np.maximum(0.0, -np.diff(potential)) + 3.0 * works
    stored = potential[:-1] - np.minimum.accumulate(potential)[:-1]
    # a sample may hold several steps, each of which may gain
    assert (gains <= 2.0 * np.maximum(can_move, 0.02 * stored) + 1e-12).all()
    assert r.gap.min() >= -1e-12
    # a refused step leaves nothing behind: the ledger close
    scale = np.abs(r.energy[:, :6]).max()
    assert np.abs(r.energy[:, 6]).max() <= 1e-9 * scale


def test_without_a_smaller_step_that_helps_the_energy_is_named():
    r = run(pressed_rod(0.002, 15.0, 0.35), GGL, 5e-4, 800)
    failure = r.engine.failure
    assert isinstance(failure, SimulationError)
    assert says(str(failure), "J ... kinetic energy")
    assert says(str(failure), "steps 4096 times smaller")
    assert "take a smaller time.step" in str(failure)
    assert f"at t = {failure.time:.9g} s (step {failure.step})" in str(failure)
    assert 150 < len(r.t) < 800
    assert np.isfinite(r.q).all()
    smaller = run(pressed_rod(0.002, 15.0, 0.35), GGL, 1e-4, 1000)
    assert smaller.engine.failure is None


def test_a_start_from_rest_is_no_gain():
    """A drive phi ~ t^p brings p/2 - 1 times its work in the first step, whatever the step."""
    for power in (2, 3, 5):
        model = fm.Model()
        model.add(fm.RigidPlanar("disk", mass=1.0, inertia=2.0))
        drive = fm.Polynomial(coefficients=[0.0] * power + [10.0])
        model.add(fm.Revolute("shaft", a="ground", b="disk", axis=Z, drive=drive))
        r = run(model, GGL, 1e-2, 50)
        assert r.engine.failure is None
        assert r.engine.motion.numbers[7] == 50  # none was halved
        t = r.t[-1]
        assert r.v[-1, 2] == pytest.approx(10.0 * power * t ** (power - 1))


def test_the_summary_warns_of_a_large_work_of_the_scheme():
    energy = {"initial": 1.0, "final": 1.3, "numerical": 0.3, "residual_max": 0.0, "scale": 1.0, "moved": 1.0}
    warning = "  warning: the scheme itself added 30 % of the energy moved; "
    assert any(line.startswith(warning) for line in energy_lines(energy))
    assert any("itself took 30 %" in line for line in energy_lines(energy | {"numerical": -0.3}))
    assert not any("warning" in line for line in energy_lines(energy | {"numerical": -0.19}))
    result = fm.simulate(pendulum(), fm.MoreauJean(theta=1.0), step=0.02, end=2.0)
    kinetic, potential = result.energy.kinetic, result.energy.potential
    assert result.summary["energy"]["moved"] == pytest.approx(max(kinetic.max(), np.ptp(potential)))


# what else is said --------------------------------------------------------------------------------------------------


def test_a_drive_that_presses_into_a_stop_is_said_to_contradict_it():
    for scheme in (GGL, fm.MoreauJean()):
        r = run(pressed_rod(0.0, 15.0, 0.40, rigid=True), scheme, 5e-4, 400)
        failure = r.engine.failure
        assert isinstance(failure, NotConverged)
        assert says(str(failure), "drive ... joint 'shaft' ... closed contact contradict")
        assert "contact 'stop'" in str(failure)
        assert 0.39 < 0.4 - r.gap[-1, 0] <= 0.4 + 1e-9


def test_lost_stiffness_asks_for_a_smaller_step():
    r = run(pressed_rod(0.001, 40.0, 0.43), fm.MoreauJean(theta=0.5), 5e-4, 800)
    failure = r.engine.failure
    assert isinstance(failure, NotConverged)
    assert "singular at 'rod.node(" in str(failure)
    assert says(str(failure), "mass ... part ... far ... step")
    assert "take a smaller time.step" in str(failure)
    damped = run(pressed_rod(0.001, 40.0, 0.43), fm.MoreauJean(theta=0.6), 5e-4, 800)
    assert damped.engine.failure is None


LOCKED = """\
[time]
end = 1.0
step = 1e-3

[scheme]
name = "generalized-alpha"
ggl = true

[bodies.crank]
kind = "rigid-planar"
mass = 1.0
inertia = 0.1
angular_velocity = 2.0
points = { tip = [1.0, 0.0] }

[bodies.rod]
kind = "rigid-planar"
mass = 1.0
inertia = 0.1
position = [1.0, 0.0]
velocity = [0.0, 2.0]
angular_velocity = -3.3333333333333335
points = { tip = [0.6, 0.0] }

[bodies.slider]
kind = "rigid-planar"
mass = 1.0
inertia = 0.1
position = [1.6, 0.0]

[joints.motor]
kind = "revolute"
a = "ground"
b = "crank"
axis = [0.0, 0.0, 1.0]
drive = { kind = "polynomial", coefficients = [0.0, 2.0] }

[joints.knee]
kind = "revolute"
a = "crank.tip"
b = "rod"
axis = [0.0, 0.0, 1.0]

[joints.wrist]
kind = "revolute"
a = "rod.tip"
b = "slider"
axis = [0.0, 0.0, 1.0]

[joints.guide]
kind = "prismatic"
a = "ground"
b = "slider"
axis = [1.0, 0.0, 0.0]
"""


def test_a_failed_run_is_exit_code_3_and_keeps_its_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rod of 0.6 m stands upright when the crank of 1 m has turned by asin(0.6): no further."""
    path = tmp_path / "locked.toml"
    path.write_text(LOCKED)
    assert main(["run", str(path), "-o", str(tmp_path / "r"), "--quiet"]) == 3
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert says(said, "results ... failure")
    assert any(f"joint '{name}" in said for name in ("motor", "knee", "wrist", "guide"))
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    locked = 0.5 * np.arcsin(0.6)
    assert summary["status"] == "failed"
    assert summary["failure"]["time"] == pytest.approx(locked, abs=2e-3)
    result = fm.load(tmp_path / "r")
    assert result.time[-1] == pytest.approx(locked, abs=2e-3)
    tip = np.stack([np.cos(2.0 * result.time), np.sin(2.0 * result.time)], axis=1)
    slider = tip[:, 0] + np.sqrt(np.maximum(0.0, 0.36 - tip[:, 1] ** 2))
    np.testing.assert_allclose(result.signals["slider.position"][:, 0], slider, atol=1e-6)


def test_redundant_joints_are_named_at_run_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = LOCKED + '\n[joints.again]\nkind = "prismatic"\na = "ground"\nb = "slider"\naxis = [1.0, 0.0, 0.0]\n'
    path = tmp_path / "twice.toml"
    path.write_text(twice)
    assert main(["run", str(path), "-o", str(tmp_path / "r"), "--set", "time.end=0.1", "--quiet"]) == 0
    assert main(["validate", str(path)]) == 0
    note = capsys.readouterr().err
    assert "note: redundant joints: " in note
    assert "again: " in note
    assert "(with guide)" in note
    one, two = (
        main(["run", str(p), "-o", str(tmp_path / p.stem), "--set", "time.end=0.1", "--quiet"])
        for p in (path, _placed(tmp_path, "once.toml", LOCKED))
    )
    assert (one, two) == (0, 0)
    once, both = fm.load(tmp_path / "once"), fm.load(tmp_path / "twice")
    np.testing.assert_allclose(both.signals["slider.position"], once.signals["slider.position"], atol=1e-9)


def _placed(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_singular_start_is_wrong_input() -> None:
    model = fm.Model()
    model.add(fm.Particle("bead", 1.0, position=(1.0, 0.0, 0.0)))
    model.add(fm.Distance("one", a="ground", b="bead", point=(0, 0, 0)))
    model.add(fm.Distance("two", a="ground", b="bead", point=(2, 0, 0)))
    system = model.assemble()
    assert any("redundant joints" in note and "two" in note for note in system.notes)
