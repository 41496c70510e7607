"""Drives whose speed jumps: an impact on the joint, with its impulse, its work and a motion that goes on at order 2."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import Z, run
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.drive.drive_corners import corner_times
from flexmb.kernels.multibody.multibody import STEPS

LEVELS = [
    fm.GeneralizedAlpha(0.8),
    fm.GeneralizedAlpha(1.0),
    fm.GeneralizedAlpha(0.8, constraints="index2"),
    fm.GeneralizedAlpha(0.8, constraints="index3"),
    fm.GeneralizedAlpha(1.0, constraints="index3"),
    fm.HHT(),
    fm.Newmark(),
]
POSITIONS = LEVELS[3:5]
MOREAU = [fm.MoreauJean(), fm.MoreauJean(0.8, projection=True), fm.MoreauJeanDissipative(0.6)]
SLOW, FAST, INERTIA = 2.0, 5.0, 0.4
DRIVE, NUMERICAL, RESIDUAL = 7, 5, 6


def jump(corner: float) -> fm.Table:
    """An angle whose rate is 2 rad/s up to the corner, then 5 rad/s."""
    return fm.Table(time=[0.0, corner, 2.0], value=[0.0, SLOW * corner, SLOW * corner + FAST * (2.0 - corner)])


def wheel(corner: float) -> fm.Model:
    model = fm.Model()
    model.add(fm.RigidPlanar("wheel", mass=1.0, inertia=INERTIA, angular_velocity=SLOW))
    model.add(fm.Revolute("shaft", a="ground", b="wheel", axis=Z, drive=jump(corner)))
    return model


def check_wheel(r, corner: float, exact: float = 1e-9) -> None:
    """All of the work is the drive's, J (5^2 - 2^2)/2; the impulse J (5 - 2) stands in one sample, no torque is left.

    Joints held in positions alone turn 1e-9 of a step (where times are the same) into as much of a speed.
    """
    assert r.engine.failure is None
    assert r.energy[-1, DRIVE] == pytest.approx(4.2, abs=exact)
    assert np.abs(r.energy[:, NUMERICAL]).max() <= exact
    assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-11
    after = r.t >= corner - 1e-9
    np.testing.assert_allclose(r.v[:, 2], np.where(after, FAST, SLOW), rtol=exact)
    np.testing.assert_allclose(
        r.q[:, 2], np.where(after, SLOW * corner + FAST * (r.t - corner), SLOW * r.t), atol=1e-10
    )
    struck = np.abs(r.joint_impulse).max(axis=1)
    assert struck[np.flatnonzero(after)[0]] == pytest.approx(INERTIA * (FAST - SLOW), rel=exact)
    assert np.sort(struck)[-2] <= exact
    assert np.abs(r.lam).max() <= 1e4 * exact


@pytest.mark.parametrize("corner", [0.5, 0.5037, 0.5 + 1e-7, 0.51 - 1e-7, 0.5 + 3e-12])
@pytest.mark.parametrize("scheme", [*LEVELS, *MOREAU], ids=repr)
def test_the_work_of_a_jump_is_the_drives(scheme, corner):
    check_wheel(run(wheel(corner), scheme, 0.01, 100), corner, 1e-8 if scheme in POSITIONS else 1e-9)


@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_the_work_of_a_jump_is_the_drives_with_steps_by_tolerance(scheme):
    for corner in (0.5, 0.5037):
        r = run(wheel(corner), scheme, 0.01, 100, tolerance=1e-6)
        check_wheel(r, corner)
        assert r.engine.motion.numbers[STEPS] < 50


# ------------------------------------------------------------------------------------------ a mechanism after the jump

ARM, MASS, OWN, REACH, GRAVITY = 1.0, 0.5, 0.05, 0.3, 9.81


def lever(drive, speed: float) -> fm.Model:
    """A driven arm of 1 m and a lever on its tip."""
    model = fm.Model(gravity=(0.0, -GRAVITY, 0.0))
    model.add(fm.RigidPlanar("arm", mass=1.0, inertia=0.1, angular_velocity=speed, points={"tip": (ARM, 0.0)}))
    keys = {"position": (ARM, 0.0), "velocity": (0.0, speed * ARM)}
    model.add(fm.RigidPlanar("lever", mass=MASS, inertia=OWN, center=(REACH, 0.0), **keys))
    model.add(fm.Revolute("motor", a="ground", b="arm", axis=Z, drive=drive))
    model.add(fm.Revolute("hinge", a="arm.tip", b="lever", axis=Z))
    return model


def exact_lever(corner: float, end: float):
    """Angle and speed of the lever: free on a point that moves on a circle, struck when that jumps."""
    about = OWN + MASS * REACH**2

    def rates(speed, phi, start):
        def f(t, y):
            now = phi + speed * (t - start)
            ax, ay = -ARM * speed**2 * np.cos(now), -ARM * speed**2 * np.sin(now) + GRAVITY
            return [y[1], -MASS * REACH * (np.cos(y[0]) * ay - np.sin(y[0]) * ax) / about]

        return f

    options = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    angle, speed = solve_ivp(rates(SLOW, 0.0, 0.0), (0.0, corner), [0.0, 0.0], **options).y[:, -1]
    phi = SLOW * corner
    across = ARM * (FAST - SLOW) * np.cos(angle - phi)
    speed -= MASS * REACH * across / about
    return solve_ivp(rates(FAST, phi, corner), (corner, end), [angle, speed], **options).y[:, -1]


@pytest.mark.parametrize("corner", [0.4, 0.41234])
@pytest.mark.parametrize("scheme", [s for s in LEVELS if s != POSITIONS[1]], ids=repr)
def test_the_motion_goes_on_at_order_2(scheme, corner):
    """Not with rho_inf = 1 and joints held in positions, whose multipliers alternate on any motion."""
    system, wanted, errors = lever(jump(corner), SLOW).assemble(), exact_lever(corner, 1.0), []
    for n in (100, 200, 400):
        r = run(system, scheme, 1.0 / n, n)
        assert r.engine.failure is None
        errors.append(max(abs(r.q[-1, 5] - wanted[0]), abs(r.v[-1, 5] - wanted[1])))
        scale = r.engine.tally().energy_scale
        assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-12 * scale
    order = np.log2(errors[0] / errors[2]) / 2.0
    assert order == pytest.approx(2.0, abs=0.15), errors
    if scheme in POSITIONS:  # some steps of a new start, as at the start of the run
        return
    # the torque of the motor does not alternate: its second differences are those of a smooth curve
    after = r.lam[r.t > corner + 3.0 / n, -3:]
    torque = after[:, np.argmax(np.abs(after).max(axis=0))]
    assert np.abs(np.diff(torque, 2)).max() <= 2e-3 * np.abs(torque).max()


def test_steps_by_tolerance_land_on_the_corner():
    system, wanted, errors = lever(jump(0.41234), SLOW).assemble(), exact_lever(0.41234, 1.0), []
    for tolerance in (1e-6, 1e-8):
        r = run(system, fm.GeneralizedAlpha(0.8), 0.1, 10, tolerance=tolerance)
        errors.append(max(abs(r.q[-1, 5] - wanted[0]), abs(r.v[-1, 5] - wanted[1])))
    assert errors[0] / errors[1] == pytest.approx(100.0 ** (2.0 / 3.0), rel=0.3)


def test_samples_between_steps_do_not_see_the_jump_early():
    """Long steps by tolerance end at the corner: samples before it have the speed before, the one at it the new one."""
    r = run(wheel(0.5), fm.GeneralizedAlpha(0.8), 0.005, 200, tolerance=1e-3)
    np.testing.assert_allclose(r.v[:, 2], np.where(r.t >= 0.5 - 1e-9, FAST, SLOW), rtol=1e-12)
    np.testing.assert_allclose(r.energy[:, DRIVE], np.where(r.t >= 0.5 - 1e-9, 4.2, 0.0), atol=1e-12)


# ---------------------------------------------------------------------------------------------------- tables and ramps


@pytest.mark.parametrize("scheme", [fm.GeneralizedAlpha(0.8), fm.GeneralizedAlpha(0.0)], ids=repr)
def test_a_corner_at_every_step_keeps_the_accuracy(scheme):
    """A harmonic drive tabulated at the steps does as well as the harmonic itself."""
    t = np.linspace(0.0, 1.0, 201)
    smooth = fm.Harmonic(amplitude=1.0, omega=3.0)
    wanted = run(lever(smooth, 3.0), fm.GeneralizedAlpha(0.8), 1.0 / 3200, 3200, every=3200).q[-1, 5]
    table = fm.Table(time=t, value=smooth.value(t))
    errors = []
    for drive in (smooth, table):
        r = run(lever(drive, float(drive.rate(0.0))), scheme, 1.0 / 200, 200)
        assert r.engine.failure is None
        errors.append(abs(r.q[-1, 5] - wanted))
    assert r.engine.corners.size == 199
    assert r.engine.motion.numbers[STEPS] == 200
    assert errors[1] <= 1.5 * errors[0]


def test_a_table_finer_than_the_steps_costs_no_steps_but_a_jump_in_it_counts():
    t = np.linspace(0.0, 1.0, 2001)
    value = np.sin(3.0 * t)
    system = lever(fm.Table(time=t, value=value), float((value[1] - value[0]) / t[1])).assemble()
    assert corner_times(system, 0.0, 1.0, 0.01).size == 0
    value = value + np.maximum(0.0, t - 0.5)
    system = lever(fm.Table(time=t, value=value), float((value[1] - value[0]) / t[1])).assemble()
    np.testing.assert_allclose(corner_times(system, 0.0, 1.0, 0.01), [0.5])


def test_a_ramp_starts_and_stops_with_an_impact():
    model = fm.Model()
    model.add(fm.RigidPlanar("wheel", mass=1.0, inertia=INERTIA))
    drive = fm.Ramp(start_time=0.2, end_time=0.7003, end_value=1.0)
    model.add(fm.Revolute("shaft", a="ground", b="wheel", axis=Z, drive=drive))
    speed = 1.0 / 0.5003
    for scheme in (fm.GeneralizedAlpha(0.8), fm.MoreauJean()):
        r = run(model, scheme, 0.01, 100)
        drive_work = r.energy[:, DRIVE]
        assert drive_work[50] == pytest.approx(0.5 * INERTIA * speed**2, rel=1e-9)
        assert drive_work[-1] == pytest.approx(0.0, abs=1e-9)
        assert r.q[-1, 2] == pytest.approx(1.0, abs=1e-9)
        assert r.joint_impulse.sum() == pytest.approx(0.0, abs=1e-9)


def test_a_start_that_does_not_fit_the_drive_is_still_refused():
    model = fm.Model()
    model.add(fm.RigidPlanar("wheel", mass=1.0, inertia=INERTIA))
    model.add(fm.Revolute("shaft", a="ground", b="wheel", axis=Z, drive=jump(0.5)))
    with pytest.raises(fm.InputError, match="shaft"):
        model.assemble()


# ------------------------------------------------------------------------------------------------------------ contacts


def pushed(corner: float) -> fm.Model:
    """A driven slide that pushes a resting block through a closed contact."""
    model = fm.Model()
    model.add(fm.RigidPlanar("slide", mass=1.0, inertia=0.1, points={"face": (0.1, 0.0)}))
    model.add(fm.RigidPlanar("block", mass=2.0, inertia=0.1, position=(0.1, 0.0)))
    model.add(
        fm.Prismatic("guide", a="ground", b="slide", axis=(1, 0, 0), drive=fm.Ramp(start_time=corner, end_time=9))
    )
    model.add(fm.Prismatic("rail", a="ground", b="block", axis=(1, 0, 0), point=(0.1, 0, 0)))
    model.add(fm.NodePlane("face", node="block", point=(0.1, 0, 0), normal=(1, 0, 0), body="slide", restitution=0.5))
    return model


@pytest.mark.parametrize(
    "scheme", [fm.GeneralizedAlpha(0.8), fm.GeneralizedAlpha(0.8, ggl=False), fm.MoreauJean()], ids=repr
)
def test_a_closed_contact_answers_in_the_same_impact(scheme):
    """Both go at the speed of the drive at once, which does the work of both masses; nothing is lost."""
    speed = 1.0 / (9.0 - 0.25)
    r = run(pushed(0.25), scheme, 0.01, 50)
    assert r.engine.failure is None
    after = r.t >= 0.25 - 1e-9
    np.testing.assert_allclose(r.v[:, 3], np.where(after, speed, 0.0), atol=1e-12)
    assert r.energy[-1, DRIVE] == pytest.approx(1.5 * speed**2, rel=1e-9)
    assert np.abs(r.energy[:, [4, NUMERICAL, RESIDUAL]]).max() <= 1e-12
    assert r.impulse.sum() == pytest.approx(2.0 * speed, rel=1e-9)


def test_a_plane_whose_speed_jumps_takes_the_body_along():
    """The contact law does that: the body leaves a plane that was at rest before with the speed the plane has now."""
    model = fm.Model()
    model.add(fm.RigidPlanar("block", mass=2.0, inertia=0.1))
    motion = fm.Ramp(start_time=0.2, end_time=1.2, end_value=0.5)
    model.add(fm.NodePlane("wall", node="block", point=(0, 0, 0), normal=(1, 0, 0), motion=motion, restitution=0.5))
    model.add(fm.Prismatic("rail", a="ground", b="block", axis=(1, 0, 0)))
    for scheme in (fm.GeneralizedAlpha(0.8), fm.MoreauJean()):
        r = run(model, scheme, 0.01, 50)
        assert r.v[-1, 0] == pytest.approx(0.5, rel=1e-9)
        assert r.energy[-1, DRIVE] == pytest.approx(0.25, rel=1e-9)
        assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-12


# ------------------------------------------------------------------------------------------ where other things meet it


@pytest.mark.parametrize("scheme", [*LEVELS, *MOREAU], ids=repr)
def test_redundant_joints_elsewhere_do_not_feel_the_corner(scheme):
    """A door that swings on two hinges, their places rounded to six digits, beside the wheel."""
    model, axis = wheel(0.1), np.array([0.36, 0.48, 0.8])
    low = np.array([1.0, 2.0, 0.5]) / 3.0
    start = low + 0.3 * np.array([0.8, -0.6, 0.0])
    keys = {"mass": 20.0, "inertia": [4.0, 2.0, 5.0], "position": start}
    spin = 3.0 * axis
    model.add(fm.Rigid("door", **keys, angular_velocity_space=spin, velocity=np.cross(spin, start - low)))
    for k in range(2):
        point = np.round(low + 1.3 * k * axis, 6)
        model.add(fm.Revolute(f"hinge{k}", a="ground", b="door", point=point, axis=axis))
    model.project = True  # the rounded places ask for slightly other velocities
    r = run(model, scheme, 0.01, 20)
    assert r.engine.failure is None
    assert r.energy[-1, DRIVE] == pytest.approx(4.2, abs=1e-5)
    at_corner = int(np.argmin(np.abs(r.t - 0.1)))
    doors = np.abs(r.joint_impulse[:, 3:])  # the wheel's rows come first
    if scheme in LEVELS:  # Moreau-Jean's joints act by impulses in every step
        assert doors[at_corner].max() <= 1e-3
    assert np.abs(np.diff(r.v[:, 3:], axis=0)).max() <= 0.2 * np.abs(r.v[:, 3:]).max()


@pytest.mark.parametrize("start", [1e5, -3e4])
def test_a_corner_late_in_time_is_one(start):
    """Nine digits of a step are less than the round-off of the time there."""
    model = fm.Model()
    model.add(fm.RigidPlanar("wheel", mass=1.0, inertia=INERTIA, angular_velocity=SLOW))
    drive = fm.Table(time=[start, start + 0.5, start + 2.0], value=[0.0, 0.5 * SLOW, 0.5 * SLOW + 1.5 * FAST])
    model.add(fm.Revolute("shaft", a="ground", b="wheel", axis=Z, drive=drive))
    result = fm.simulate(model, fm.GeneralizedAlpha(0.8), start=start, end=start + 1.0, steps=1000)
    assert result.energy.work_drive[-1] == pytest.approx(4.2, abs=1e-6)
    assert np.abs(result.energy.numerical).max() <= 1e-6


def test_a_mechanism_at_rest_waits_for_its_drive():
    """Round-off of a linkage at rest is no energy made up by the scheme."""
    model = fm.Model()
    tip = np.array([0.3, 0.4, 0.0])
    model.add(fm.RigidPlanar("crank", mass=1.0, inertia=0.1, angle=np.arctan2(4, 3), points={"tip": (0.5, 0.0)}))
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=0.1, position=tip, angle=-0.3, points={"end": (1.0, 0.0)}))
    drive = fm.Ramp(start_time=0.2, end_time=0.4, end_value=0.3)
    model.add(fm.Revolute("shaft", a="ground", b="crank", point=(0, 0, 0), axis=Z, drive=drive))
    model.add(fm.Revolute("pin", a="crank.tip", b="rod", axis=Z))
    result = fm.simulate(model, fm.GeneralizedAlpha(0.8), step=1e-3, end=0.3)
    assert result.energy.kinetic[150] <= 1e-20
    assert result.energy.kinetic[-1] > 0.1
