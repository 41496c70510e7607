"""What a run in large motion says about itself: notes, impulses of joints, its summary, expectations out of reach."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from messages import says
from multibody_models import pendulum, run
from test_multibody_failures import LOCKED

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.record.plan_notes import notes_of
from flexmb.record.samples import ENERGY_COLUMNS

Z = (0.0, 0.0, 1.0)
GGL = fm.GeneralizedAlpha(rho_inf=0.8, ggl=True)


# notes --------------------------------------------------------------------------------------------------------------


def linkage(place: float) -> fm.Model:
    model = fm.Model()
    model.add(fm.RigidPlanar("crank", mass=1.0, inertia=0.1, points={"tip": (1.0, 0.0)}))
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=0.1, position=(place, 0.0), points={"start": (0.0, 0.0)}))
    model.add(fm.Revolute("shaft", a="ground", b="crank", axis=Z))
    return model


def test_a_body_held_at_a_point_nobody_named_is_noted():
    model = linkage(1.25)
    model.add(fm.Revolute("knee", a="crank.tip", b="rod", axis=Z))
    (note,) = model.assemble().notes
    assert says(note, "joints.knee ... 'rod' ... (1, 0, 0) ... 0.25 m ... reference point")
    at_its_own = linkage(1.0)
    at_its_own.add(fm.Revolute("knee", a="crank.tip", b="rod", axis=Z))
    assert at_its_own.assemble().notes == ()
    named = linkage(1.25)
    named.add(fm.Revolute("knee", a="crank.tip", b="rod.start", axis=Z))
    with pytest.raises(InputError, match="joint.*closed.*knee: x.*off.*0.25"):
        named.assemble()
    given = linkage(1.25)
    given.add(fm.Revolute("knee", a="crank.tip", b="rod", point=(1, 0, 0), axis=Z))
    assert given.assemble().notes == ()


@pytest.mark.parametrize(
    ("scheme", "noted"),
    [
        (fm.GeneralizedAlpha(rho_inf=1.0, ggl=False), True),
        (fm.GeneralizedAlpha(rho_inf=1.0, ggl=True, constraints="index3"), True),
        (fm.Newmark(ggl=False), True),
        (fm.HHT(alpha=0.0, ggl=False), True),
        (fm.HHT(alpha=0.1, ggl=False), False),
        (fm.GeneralizedAlpha(rho_inf=0.9, ggl=False), False),
        (fm.GeneralizedAlpha(rho_inf=1.0, ggl=True), False),
        (fm.MoreauJean(), False),
    ],
    ids=repr,
)
def test_index3_without_dissipation_is_noted(scheme, noted):
    result = fm.simulate(pendulum(), scheme, step=0.01, end=0.05)
    assert any("index3" in note for note in result.summary["notes"]) == noted
    free = fm.Model()
    free.add(fm.RigidPlanar("disk", mass=1.0, inertia=1.0))
    assert not fm.simulate(free, scheme, step=0.01, end=0.05).summary["notes"]


def test_the_oscillation_that_the_note_is_about():
    """Multipliers of index 3 alternate with rho_inf = 1 once something excites them, and do not with 0.8."""

    def roughness(rho: float) -> float:
        lam = run(pendulum(angular_velocity=1.0), fm.GeneralizedAlpha(rho_inf=rho, ggl=False), 0.02, 400).lam[-50:]
        return float(np.abs(np.diff(lam, 2, axis=0)).max())

    assert roughness(1.0) > 10.0 * roughness(0.8)


@pytest.mark.parametrize("theta", [0.5, 0.6, 1.0])
def test_the_dissipative_variant_takes_dampers_at_the_mean_velocity(theta):
    """Work of a damper on a pin: -h c w^2, w = dphi / h the mean speed of a step; the ledger close."""
    model, h = pendulum(wall=-0.5), 0.01
    model.add(fm.TorsionSpring("grease", joint="pin", stiffness=0.0, damping=0.4))
    r = run(model, fm.MoreauJeanDissipative(theta=theta), h, 300)
    speed = 0.5 * (r.v[1:, 2] + r.v[:-1, 2])
    np.testing.assert_allclose(r.q[1:, 2], r.q[:-1, 2] + h * speed, atol=1e-13)
    work = r.energy[:, ENERGY_COLUMNS.index("work_damping")]
    np.testing.assert_allclose(np.diff(work), -h * 0.4 * speed**2, rtol=1e-9, atol=1e-14)
    assert np.abs(r.energy[:, ENERGY_COLUMNS.index("residual")]).max() < 1e-12
    assert r.impulse.any()


# impulses of joints -------------------------------------------------------------------------------------------------


def test_the_pin_feels_the_impact():
    """A rod of mass 1 and length 1 about a pin: I dw = Lam (r x n), and the pin gives what moves the centre besides."""
    r = run(pendulum(wall=-0.5), GGL, 1e-3, 800)
    (hits,) = np.nonzero(r.impulse[:, 0])
    assert len(hits) >= 1
    for k in hits:
        Lam, tip = r.impulse[k, 0], 2.0 * r.q[k, :2]
        spin = -Lam * tip[1] / (1.0 / 3.0)  # (r x n)_z with n along x
        centre = 0.5 * spin * np.array([-tip[1], tip[0]])
        np.testing.assert_allclose(r.joint_impulse[k], centre - [Lam, 0.0], rtol=1e-9, atol=1e-12)
    quiet = np.setdiff1d(np.arange(len(r.t)), hits)
    assert not r.joint_impulse[quiet].any()


def test_samples_add_up_what_steps_gave():
    fine, coarse = (run(pendulum(wall=-0.5), GGL, 1e-3, 840, every=every) for every in (1, 7))
    assert fine.joint_impulse.any()
    added = fine.joint_impulse[1:].reshape(-1, 7, 2).sum(axis=1)
    np.testing.assert_allclose(coarse.joint_impulse[1:], added, atol=1e-15)


def test_impulses_of_moreau_jean_are_all_that_joints_do():
    """Their sum is the momentum less what gravity and the wall brought."""
    r = run(pendulum(wall=-0.5), fm.MoreauJean(theta=0.5), 1e-3, 1000)
    walls, weight = r.impulse.sum() * np.array([1.0, 0.0]), np.array([0.0, -9.81]) * r.t[-1]
    gained = 1.0 * (r.v[-1, :2] - r.v[0, :2])
    assert r.impulse.sum() > 1.0
    np.testing.assert_allclose(r.joint_impulse.sum(axis=0), gained - walls - weight, atol=1e-10)


# the summary, and expectations --------------------------------------------------------------------------------------


def test_the_summary_tells_errors_and_level_of_joints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arms.toml"
    path.write_text(LOCKED)
    sets = ["--set", "time.end=0.1", "--set", "scheme.ggl=false"]
    assert main(["run", str(path), "-o", str(tmp_path / "r"), *sets]) == 0
    said = capsys.readouterr().out
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    result = fm.load(tmp_path / "r")
    position = max(joint.position_error.max() for joint in result.joints.values())
    velocity = max(joint.velocity_error.max() for joint in result.joints.values())
    assert summary["joint_position_error"] == position < 1e-12
    assert summary["joint_velocity_error"] == velocity > 1e-9
    line = next(line for line in said.splitlines() if line.startswith("joints"))
    assert says(line, f"{position:.3g} m or rad ... {velocity:.3g} m/s or rad/s")
    assert "constraints = index3" in said
    assert "auto" not in said
    assert (summary["constraints"], summary["scheme"]["constraints"]) == ("index3", "auto")


LATE = (
    LOCKED
    + """
[[expect]]
signal = "crank.position.x"
reduce = "at"
time = 0.3
value = 0.0
atol = 1e-9

[[expect]]
signal = "joints.motor.angle"
reduce = "last"
value = 0.2
atol = 1e-9
"""
)


def test_an_expectation_that_a_shorter_run_does_not_reach(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "late.toml"
    path.write_text(LATE)
    assert main(["check", str(path), "--quiet", "--set", "time.end=0.1"]) == 1
    said = capsys.readouterr()
    assert says(said.err, "note ... expectations ... file's ... time (end = 1, step = 0.001)")
    first, second = (line for line in said.out.splitlines() if line.startswith("  "))
    assert says(first, "FAIL ... crank.position.x ... t = 0.3 ... not reached")
    assert says(second, "ok ... joints.motor.angle ... 0.2 ... got 0.2")
    assert main(["run", str(path), "-o", str(tmp_path / "r"), "--set", "time.end=0.1"]) == 0
    assert "not reached" in capsys.readouterr().out
    entry = json.loads((tmp_path / "r/summary.json").read_text())["expectations"][0]
    assert (entry["reached"], entry["ok"], entry["got"]) == (False, False, None)
    # the file itself must fit together
    path.write_text(LATE.replace("time = 0.3", "time = 3.0"))
    assert main(["check", str(path), "--quiet"]) == 2
    assert "lies outside the run" in capsys.readouterr().err
    # the same time, said again, is no change
    assert main(["validate", str(path), "--set", "time.end=4.0"]) == 0


def test_notes_of_a_plan_begin_with_those_of_its_system():
    model = linkage(1.25)
    model.add(fm.Revolute("knee", a="crank.tip", b="rod", axis=Z))
    r = run(model, fm.Newmark(ggl=False), 0.01, 2)
    first, second = notes_of(r.engine.plan)
    assert says(first, "joints.knee")
    assert "index3" in second
