"""Friction in large motion against closed forms, by the compiled loop: sticking, sliding, rolling, impacts, ledger."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from friction_models import G, closure, friction_run, incline, rocking_block, rod, sphere
from rotor_models import Wheel, free, given
from test_spin_kernels import model_of

import flexmb as fm
from flexmb.errors import RunWarning
from flexmb.nonsmooth import ContactProblem, ContactSolver

MJ, MJD = fm.MoreauJean(), fm.MoreauJeanDissipative()
GGL, VELOCITY = fm.GeneralizedAlpha(0.8), fm.GeneralizedAlpha(0.8, ggl=False)
SCHEMES = [MJ, MJD, GGL, VELOCITY, fm.HHT(), fm.Newmark()]


def name_of(scheme) -> str:
    return f"{scheme.name}{'' if getattr(scheme, 'ggl', True) else ' velocity'}"


def every_scheme(*schemes):
    return pytest.mark.parametrize("scheme", schemes or SCHEMES, ids=name_of)


# ------------------------------------------------------------------------------------------------- incline


@every_scheme()
def test_a_block_that_sticks_does_not_creep(scheme) -> None:
    run = friction_run(incline(), scheme, 0.01, 10_000, every=500)
    np.testing.assert_allclose(run.field_q[:, :3], run.field_q[0, :3] + np.zeros((21, 3)), rtol=0, atol=1e-13)
    assert (run.status[1:] == 1.0).all()
    assert np.abs(run.e_work_friction).max() <= 1e-12
    forces = run.tangential[1:].reshape(20, 4, 2).sum(axis=1) / 5.0  # of all corners
    np.testing.assert_allclose(forces, np.tile([2.0 * G * np.sin(np.radians(20.0)), 0.0], (20, 1)), rtol=0, atol=1e-9)


@every_scheme(MJ, GGL, VELOCITY)
@pytest.mark.parametrize(("mu", "v", "x_2"), [(0.5, 2.0, 0.251117160261), (0.3, 2.0, -0.498747597767)])
def test_a_block_slides_up_and_sticks_or_slides_back(scheme, mu, v, x_2) -> None:
    run = friction_run(incline(mu, v=v), scheme, 1e-3, 2000)
    assert run.field_q[-1, 0] == pytest.approx(x_2, abs=4e-4)
    assert closure(run) <= 1e-13
    way = 0.251117160261 if mu == 0.5 else 2 * 0.326758249967 - x_2
    assert run.e_work_friction[-1] == pytest.approx(-mu * 2.0 * G * np.cos(np.radians(20.0)) * way, rel=2e-3)
    np.testing.assert_allclose(run.work_friction[-1].sum(), run.e_work_friction[-1], rtol=1e-12)
    if mu == 0.5:
        assert abs(run.field_q[-1, 0] - run.field_q[1000, 0]) <= 1e-13


# ------------------------------------------------------------------------------------------------- sphere


@every_scheme()
def test_a_sphere_slides_until_it_rolls(scheme) -> None:
    run = friction_run(sphere(), scheme, 1e-3, 1000)
    np.testing.assert_allclose(run.slip[0], [2.0, 0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.field_v[-1, [0, 1, 2]], [10 / 7, 0.0, 0.0], rtol=0, atol=1e-12)
    assert run.field_q[-1, 0] == pytest.approx(1.511785142191, abs=3e-6)
    assert run.e_work_friction[-1] == pytest.approx(-4 / 7, rel=2e-3)
    assert closure(run) <= 1e-13
    assert (run.status[10, 0], run.status[-1, 0]) == (2.0, 1.0)
    rolls = np.flatnonzero(run.status[1:, 0] == 1.0)[0]
    assert run.time[rolls + 1] == pytest.approx(0.291247997670, abs=2e-3)


@every_scheme(MJ, VELOCITY)
def test_a_ball_that_spins_and_bounces_ends_rolling(scheme) -> None:
    """Siconos' Ball2D with friction: R = 0.5, omega_0 = 2, e = 0.9, mu = 0.1; at last omega = 4/7, v = 2/7."""
    ball = sphere((0.0, 0.0, -0.5), (0.0, 2.0, 0.0), mu=0.1, radius=0.5, restitution=0.9)
    run = friction_run(ball, scheme, 1e-3, 1500)
    np.testing.assert_allclose(run.field_v[-1, [0, 1, 3, 4, 5]], [2 / 7, 0.0, 0.0, 4 / 7, 0.0], rtol=0, atol=1e-9)
    assert run.gap.max() > 5e-3
    assert closure(run) <= 1e-13
    assert run.e_work_friction[-1] == pytest.approx(-1 / 7, rel=1e-6)


@every_scheme(MJ, GGL, VELOCITY)
def test_a_spinning_sphere_in_any_direction_is_turned_by_its_friction(scheme) -> None:
    """In any direction the answer is the same but turned: the cone has no axes of its own."""
    ends = []
    for turn in (0.0, 0.7, 2.0):
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        run = friction_run(
            sphere(R @ [1.0, 0.4, 0.0], R @ [3.0, 12.0, 5.0], rolling=1e-3, spinning=5e-4), scheme, 1e-3, 200
        )
        ends.append(R.T @ run.field_q[-1, :3])
        assert closure(run) <= 1e-13
        assert run.e_work_rolling[-1] < 0.0
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, rtol=0, atol=1e-10)


@every_scheme(MJ, GGL)
def test_rolling_and_spinning_are_resisted(scheme) -> None:
    v, mu_r = 1.0, 2e-3
    run = friction_run(sphere((v, 0, 0), (0.0, v / 0.1, 8.0), rolling=mu_r, spinning=1e-3), scheme, 1e-3, 500)
    # rolling: m a + J a / R^2 = -N mu_r / R, so a = -(5/7) g mu_r / R
    assert run.field_v[-1, 0] == pytest.approx(v - 5 / 7 * G * mu_r / 0.1 * 0.5, rel=2e-3)
    spin = run.system.instant(0.5, run.field_q[-1], run.field_v[-1]).axes[0] @ run.field_v[-1, 3:]
    assert spin[2] == pytest.approx(8.0 - 1e-3 * G / (0.4 * 0.01) * 0.5, rel=2e-3)
    assert closure(run) <= 1e-13


# ------------------------------------------------------------------------------------------------- impacts


ROD = [
    ((-1, -1, 0), 0.3, 0.5, 0.0, (0.73170732, 0.21951220), (-0.78048780, -0.26829268, -2.17305986), -0.462671),
    ((-0.2, -1, 0), 0.8, 0.5, 0.0, (1.0125, 0.6875), (0.4875, 0.0125, -1.37885822), -0.618990),
    ((-0.2, -1, 0), 0.8, 0.5, 0.5, (1.05, 0.75), (0.55, 0.05, -1.27279221), -0.576923),
    ((1, -1, 0), 0.8, 1.0, 0.0, (0.875, 0.125), (1.125, -0.125, -3.18198052), 1 / 16),
    ((1, -1, 0), 0.8, 1.0, 0.9, (0.54054054, -0.43243243), (0.56756757, -0.45945946, -4.12797472), -0.023375),
]
"""v-, mu, e_N, e_T, P (normal; tangential, along +x), v+, and the change of energy over that before.

Bodies take e_T in (-1, 1): the last row, which slips whatever e_T is, is that of the table for e_T = 1. Both rows of
e_T = 1 are in ``test_a_contact_problem_may_reverse_its_slip``.
"""


@every_scheme(MJ, GGL, VELOCITY)
@pytest.mark.parametrize("row", ROD, ids=lambda row: f"{row[0]} {row[1]} {row[2]} {row[3]}")
def test_a_rod_strikes_the_floor(scheme, row) -> None:
    v, mu, e_N, e_T, P, v_1, share = row
    run = friction_run(rod(v, mu, e_N, e_T), scheme, 1e-8, 2)
    P_N, P_T = run.impulse.sum(axis=0)[0], run.tangential.sum(axis=0)[0]
    start = run.system.instant(0.0, run.field_q[0], run.field_v[0])
    np.testing.assert_array_equal([start.G.toarray()[:2, 0], start.H.toarray()[:2, 0]], [[0, 1], [1, 0]])  # +y and +x
    np.testing.assert_allclose([P_N, P_T], P, rtol=0, atol=2e-7)
    np.testing.assert_allclose(run.field_v[-1], v_1, rtol=0, atol=2e-7)
    T_0 = 0.5 * (v[0] ** 2 + v[1] ** 2)
    assert (run.e_kinetic[-1] - run.e_kinetic[0]) / T_0 == pytest.approx(share, abs=2e-6)
    assert closure(run) <= 1e-13
    if share > 0.0:  # what Newton's law with friction gains is shown
        tally = run.engine.tally()
        assert tally.gain_steps + tally.friction_gain_steps > 0


@pytest.mark.parametrize(
    ("v", "P", "U", "share"),
    [
        ((-0.2, -1.0), (1.4, 1.0), (1.0, 0.2), 0.0),
        ((1.0, -1.0), (0.54054054, -0.43243243), (1.0, -0.89189189), -0.023375),
    ],
)
def test_a_contact_problem_may_reverse_its_slip(v, P, U, share) -> None:
    """The rows of the same table for e_N = e_T = 1: restitution is in b, and the solver need not know of it."""
    W, before = np.array([[2.5, -1.5], [-1.5, 2.5]]), np.array([v[1], v[0]])
    found = ContactSolver(tolerance=1e-12).solve(ContactProblem(W, 2.0 * before, 0.8, 2)).P
    after = W @ found + before
    np.testing.assert_allclose(found, P, rtol=0, atol=1e-8)
    np.testing.assert_allclose(after, U, rtol=0, atol=1e-8)
    T_0 = 0.5 * (v[0] ** 2 + v[1] ** 2)
    assert 0.5 * float((after + before) @ found) / T_0 == pytest.approx(share, abs=1e-6)


@every_scheme(MJ, GGL, VELOCITY)
def test_a_rocking_block_loses_what_housner_says(scheme) -> None:
    run = friction_run(rocking_block(), scheme, 2.5e-4, 4000)
    angle = run.field_q[:, 2]
    flips = np.flatnonzero(np.diff(np.sign(angle)) != 0)
    np.testing.assert_allclose(run.time[flips[:3]], [0.239378, 0.649231, 1.006505][: len(flips[:3])], rtol=0, atol=3e-3)
    assert np.degrees(np.abs(angle[flips[0] : flips[1]]).max()) == pytest.approx(3.983075, rel=6e-3)
    assert closure(run) <= 1e-12


# ------------------------------------------------------------------------------------------------- rotor


def whip(spin, c=0.0):
    """The rotor of the dry whip: on the wall, whirling backward."""
    d = 1e-3
    wheel = Wheel(
        "rotor", spin, mass=1.0, K=[1e4, 1e4, 1e4, 1e4], C=[c, c, 0, 0], polar=0.0, velocity=[0, -150 * d, 0, 0]
    )
    model = model_of(wheel)
    model.add(fm.Clearance("stator", node="rotor", gap=d, radius=0.05, friction=0.2))
    return model, d


@every_scheme(MJ, GGL, VELOCITY)
@pytest.mark.parametrize(("c", "exact"), [(0.0, 0.0228884972), (5.0, 0.0282087613)])
def test_dry_friction_whips_a_rotor_backward_until_it_rolls(scheme, c, exact) -> None:
    model, d = whip(given([0.0], [6.0]), c)
    system = model.assemble()
    q = system.q0.copy()
    q[0] = d
    run = friction_run(replace(system, q0=q), scheme, 1e-5, 4000)
    x, v = run.field_q[:, :2], run.field_v[:, :2]
    whirl = (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / (x**2).sum(axis=1)
    reached = np.flatnonzero(-whirl >= 0.999 * 300.0)[0]
    assert run.time[reached] == pytest.approx(exact, abs=4e-4)
    if scheme is GGL:
        assert run.gap.min() >= -1e-15
        assert np.linalg.norm(x, axis=1).max() <= d * (1 + 1e-10)
        np.testing.assert_allclose(run.impulse[-100:].mean() / 1e-5, 80.0, rtol=2e-2)
    assert closure(run) <= 1e-13
    # what the drive gives goes through the rim: radius times the tangential impulse times the speed
    torque = 0.05 * run.tangential.sum()
    assert run.e_work_drive[-1] == pytest.approx(-6.0 * torque, rel=1e-12)


@every_scheme(MJ, GGL)
def test_a_free_spin_loses_what_friction_takes(scheme) -> None:
    J = 2.0
    model, d = whip(free(6.0, J))
    system = model.assemble()
    q = system.q0.copy()
    q[0] = d
    run = friction_run(replace(system, q0=q), scheme, 1e-5, 2000)
    change = J * (run.field_v[-1, 4] - 6.0)
    assert change == pytest.approx(0.05 * run.tangential.sum(), rel=1e-9)
    assert change < 0.0
    assert closure(run) <= 1e-13


# ------------------------------------------------------------------------------------------------- both engines


def pendulum_on_a_belt() -> fm.Model:
    """A rod on a pin whose tip drags over a belt, and a ball that is hit by it."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    keys = {"inertia": (0.01, 0.2, 0.2), "center": (0.5, 0, 0), "points": {"tip": (1.0, 0, 0)}}
    model.add(fm.Rigid("rod", mass=1.0, **keys, rotation=(0.0, 0.5, 0.0), angular_velocity=(0.0, 0.0, 3.0)))
    model.add(fm.Spherical("pin", a="rod"))
    plane = {"normal": (0, 0, 1), "point": (0.0, 0.0, -0.6), "surface_velocity": (0.3, -0.2, 0.0)}
    model.add(fm.NodePlane("belt", node="rod.tip", **plane, friction=0.4, restitution=0.3, tangential_restitution=0.2))
    J = 0.4 * 0.2 * 0.01
    model.add(fm.Rigid("ball", mass=0.2, inertia=(J, J, J), position=(0.62, 0.62, -0.5), velocity=(0.0, -0.2, 0.0)))
    under = {"normal": (0, 0, 1), "point": (0, 0, -0.6), "radius": 0.1}
    model.add(fm.NodePlane("floor", node="ball", **under, friction=0.3, rolling=0.01))
    model.add(fm.SphereSphere("hit", a="rod.tip", b="ball", radius_a=0.05, radius_b=0.1, friction=0.5, restitution=0.5))
    return model


@every_scheme(MJ, MJD, GGL, VELOCITY)
def test_both_engines_agree(scheme) -> None:
    model, times = pendulum_on_a_belt(), {"step": 2e-3, "end": 0.6}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # restitution with friction adds energy here
        runs = [fm.simulate(model, scheme, **times, engine=engine) for engine in ("compiled", "general")]
    for name in ("belt", "floor", "hit"):
        one, two = (run.contacts[name] for run in runs)
        np.testing.assert_allclose(one.impulse, two.impulse, rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.tangential_impulse, two.tangential_impulse, rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.work_friction, two.work_friction, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(one.status, two.status)
    assert runs[0].contacts["hit"].impulse.max() > 0.0
    assert runs[0].contacts["belt"].status.max() == 2.0


# ------------------------------------------------------------------------------------------------- corners of drives


def jerked_ramp(mu: float) -> fm.Model:
    """A block on a slope of a cart that begins to move at once at 0.05 s."""
    slope = np.radians(60.0)
    n = np.array([np.sin(slope), np.cos(slope)])
    model = fm.Model()
    model.add(fm.RigidPlanar("cart", mass=3.0, inertia=1.0))
    drive = fm.Ramp(start_time=0.05, end_time=1.05, end_value=0.5)
    model.add(fm.Prismatic("rail", a="ground", b="cart", axis=(1, 0, 0), drive=drive))
    model.add(fm.RigidPlanar("block", mass=1.0, inertia=0.01, position=0.1 * n, angle=-slope, points=FEET))
    plane = {"point": (0.0, 0.0, 0.0), "normal": (*n, 0.0), "body": "cart"}
    model.add(fm.NodePlane("top", nodes=["block.left", "block.right"], **plane, friction=mu))
    return model


FEET = {"left": (-0.2, -0.1), "right": (0.2, -0.1)}


@every_scheme(MJ, GGL, VELOCITY)
def test_a_block_with_friction_is_taken_along_by_a_jerk_of_its_ramp(scheme) -> None:
    run = friction_run(jerked_ramp(1.0), scheme, 5e-3, 20)
    before, after = run.field_v[9], run.field_v[11]
    np.testing.assert_allclose(before, 0.0, rtol=0, atol=1e-11)
    # the jerk drives the slope into the block: it sticks, for its push is within the cone of friction
    np.testing.assert_allclose(after[[0, 3]], 0.5, rtol=0, atol=1e-10)
    np.testing.assert_allclose(after[[1, 2, 4, 5]], 0.0, rtol=0, atol=1e-10)
    assert closure(run) <= 1e-12
    loose = friction_run(jerked_ramp(0.05), scheme, 5e-3, 20)
    assert abs(loose.field_v[11, 4]) > 0.05
    assert closure(loose) <= 1e-12
