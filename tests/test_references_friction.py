"""The reference solutions of friction: against published numbers, against balances, or against a second method."""

from __future__ import annotations

import numpy as np
import pytest
from references import (
    dry_friction,
    dry_whip,
    frictional_impact,
    guide_clearance,
    painleve_rod,
    rocking_block,
    rough_bar,
    woodpecker,
)
from scipy.integrate import quad


def test_block_on_an_incline():
    for mu, speed, time, where, at_two in (
        (0.5, 2.0, 0.251117160261, 0.251117160261, 0.251117160261),
        (0.3, 2.0, 0.326758249967, 0.326758249967, -0.498747597767),
        (0.5, -2.0, 1.594928511481, -1.594928511481, -1.594928511481),
    ):
        s, v, stop = dry_friction.incline([2.0], mu, speed)
        np.testing.assert_allclose([*stop, s[0]], [time, where, at_two], atol=1e-12)
        assert v[0] == (0.0 if mu == 0.5 else pytest.approx(-0.986714379698, abs=1e-12))
    assert dry_friction.work_on_incline(0.5, 2.0) == pytest.approx(-2.314894565, abs=1e-9)


def test_potra_block_has_the_published_end():
    q, v, stop = dry_friction.potra_block([2.0])
    assert (q[0], v[0], stop) == pytest.approx((3.004348569726865, 0.0, 0.338608184671980), abs=1e-14)


def test_oscillator_turns_and_rests():
    times = np.linspace(0.0, 25.0, 5001)
    x, v, turns, rest = dry_friction.oscillator(times)
    np.testing.assert_allclose(
        [place for _, place in turns],
        [
            13.317821063,
            -11.317821063,
            9.317821063,
            -7.317821063,
            5.317821063,
            -3.317821063,
            1.317821063,
            0.682178936724,
        ],
        atol=1e-9,
    )
    assert rest == pytest.approx(22.423556351, abs=1e-9)
    slides = times < rest
    way = np.trapezoid(np.abs(v), times)
    assert 0.5 * (144.0 + 36.0) - 0.5 * x[-1] ** 2 == pytest.approx(way, rel=1e-5)  # friction of 1 N
    np.testing.assert_array_equal(v[~slides], 0.0)


def test_belts():
    times = np.linspace(0.0, 3.0, 1501)
    assert dry_friction.coulomb_belt([1.0])[0][0] == pytest.approx(0.031238771, abs=1e-9)
    flat = dry_friction.falling_belt(times, lambda v: 0.3, 100.0, 10.0, 0.5)
    closed = dry_friction.coulomb_belt(times)
    # it touches the belt's speed and may be caught for an instant: round-off decides, the motion is the same
    np.testing.assert_allclose(flat[0], closed[0], atol=1e-7)
    falling = dry_friction.falling_belt(times, lambda v: 0.2 + 0.1 * np.exp(-((v / 0.5) ** 2)), 100.0, 10.0, 0.5)
    slips = [t for t, what in falling[2] if what == "slip"]
    np.testing.assert_allclose(np.diff(slips), 0.644283874, atol=1e-8)  # a limit cycle from the first swing on


@pytest.mark.parametrize(("speed", "spin"), [((2.0, 0.0), (0.0, 0.0)), ((1.5, 0.4), (20.0, -60.0))])
def test_rolling_ball_keeps_its_moment_about_the_floor(speed, spin):
    times = np.linspace(0.0, 2.0, 201)
    x, v, w, start = dry_friction.rolling(times, speed, spin)
    about = np.column_stack([v[:, 0] + 0.04 * w[:, 1], v[:, 1] - 0.04 * w[:, 0]])  # m R v + 2 m R^2 w / 5, over m R
    np.testing.assert_allclose(about, about[[0]].repeat(times.size, axis=0), atol=1e-13)
    slip = v + 0.1 * np.column_stack([-w[:, 1], w[:, 0]])
    np.testing.assert_allclose(slip[times > start], 0.0, atol=1e-13)
    for k in (0, 1):
        way = quad(lambda t, k=k: dry_friction.rolling([t], speed, spin)[1][0, k], 0.0, 2.0, points=[start])[0]
        assert x[-1, k] == pytest.approx(way, abs=1e-9)


def test_rolling_ball_of_the_sheet():
    x, v, w, start = dry_friction.rolling([1.0])
    found = [start, v[0, 0], w[0, 1], x[0, 0]]
    np.testing.assert_allclose(found, [0.291247997670, 1.428571428571, 14.285714285714, 1.511785142191], atol=1e-12)


IMPACTS = [
    ((-1, -1, 0), (0.3, 0.5, 0), (0.73170732, 0.21951220), (0.5, -1.54878049), -0.462671),
    ((-0.2, -1, 0), (0.8, 0.5, 0), (1.0125, 0.6875), (0.5, 0.0), -0.618990),
    ((-0.2, -1, 0), (0.8, 0.5, 0.5), (1.05, 0.75), (0.5, 0.1), -0.576923),
    ((-0.2, -1, 0), (0.8, 1, 1), (1.4, 1.0), (1.0, 0.2), 0.0),
    ((1, -1, 0), (0.8, 1, 0), (0.875, 0.125), (1.0, 0.0), 0.0625),
    ((1, -1, 0), (0.8, 1, 1), (0.54054054, -0.43243243), (1.0, -0.89189189), -0.023375),
]


@pytest.mark.parametrize(("v", "numbers", "P", "U", "gain"), IMPACTS)
def test_rod_on_the_floor(v, numbers, P, U, gain):
    found = frictional_impact.strike(*frictional_impact.rod(), v, frictional_impact.newton, *numbers)
    np.testing.assert_allclose(found[0], P, atol=1e-8)
    np.testing.assert_allclose(found[1], U, atol=1e-8)
    assert found[3] == pytest.approx(gain, abs=1e-6)


def test_poisson_on_the_rod():
    G, M = frictional_impact.rod()
    P, U, _, gain = frictional_impact.strike(G, M, (-0.2, -1, 0), frictional_impact.poisson, 0.8, 0.5)
    np.testing.assert_allclose([*P, *U, gain], [1.05, 0.71, 0.56, 0.0, -0.580769], atol=1e-6)
    P, _, _, gain = frictional_impact.strike(G, M, (1, -1, 0), frictional_impact.poisson, 0.8, 1.0)
    np.testing.assert_allclose([*P, gain], [0.54054054, -0.07567568, -0.182469], atol=1e-6)


def test_kane_gains_what_the_two_velocities_say():
    G, M = frictional_impact.double_pendulum(np.deg2rad([20.0, 30.0]))
    P, U, after, gain = frictional_impact.strike(G, M, (-0.1, -0.2), frictional_impact.newton, 0.5, 0.5)
    assert gain == pytest.approx(0.5874946869, abs=1e-9)
    before = G.T @ np.array([-0.1, -0.2])
    energy = 0.5 * np.array([-0.1, -0.2]) @ M @ [-0.1, -0.2]
    assert 0.5 * (U + before) @ P == pytest.approx(gain * energy, abs=1e-15)


def test_rocking_block_of_the_sheet():
    tilt, _, hits = rocking_block.trajectory(np.linspace(0.0, 1.4, 1401))
    np.testing.assert_allclose([t for t, _ in hits], [0.239378000, 0.649230711, 1.006505390, 1.321538573], atol=1e-9)
    assert hits[0][1] == pytest.approx(-0.789086100, abs=1e-9)
    assert pytest.approx(31.0 / 34.0, abs=1e-15) == rocking_block.RATIO
    tops = [np.rad2deg(rocking_block.largest(rocking_block.RATIO * rate)) for _, rate in hits[:3]]
    np.testing.assert_allclose(tops, [3.983075, 3.209486, 2.605731], atol=1e-6)
    assert np.rad2deg(-tilt.min()) == pytest.approx(tops[0], abs=1e-4)


def test_bar_on_a_rough_floor_obeys_its_equation_and_balance():
    x, t, d = np.linspace(0.05, 7.9, 33), np.linspace(0.005, 0.26, 29)[:, None], 1e-5
    u = rough_bar.displacement
    away = np.abs(x - rough_bar.SPEED * t) > 0.01  # not across the front
    acceleration = (u(x, t + d) - 2.0 * u(x, t) + u(x, t - d)) / d**2
    curvature = (rough_bar.strain(x + d, t) - rough_bar.strain(x - d, t)) / (2.0 * d)
    left = acceleration - rough_bar.SPEED**2 * curvature + rough_bar.KAPPA * (rough_bar.velocity(x, t) > 0.0)
    assert np.abs(left[away]).max() < 1e-3
    np.testing.assert_allclose((u(x + d, t) - u(x - d, t))[away] / (2.0 * d), rough_bar.strain(x, t)[away], atol=1e-7)
    np.testing.assert_allclose(-900.0 * rough_bar.strain(0.0, t), rough_bar.FORCE, rtol=1e-12)
    external, friction, kinetic, elastic = rough_bar.works(1.0)
    np.testing.assert_allclose([external, friction, kinetic, elastic], [0.64, -1.28 / 3, 0.0, 0.64 / 3], atol=1e-12)
    for now in (0.05, 0.2):
        lost = quad(lambda s: -3.0 * rough_bar.velocity(0.0, s) * rough_bar.SPEED * s, 0.0, now)[0]
        assert rough_bar.works(now)[1] == pytest.approx(lost, abs=1e-12)


def test_dry_whip_of_the_sheet():
    assert dry_whip.time_to(300.0) == pytest.approx(0.022907268297, abs=1e-12)
    assert dry_whip.time_to_rolling(150.0, 5.0) == pytest.approx(0.028229475640, abs=1e-12)
    psi, angle, force = dry_whip.whirl([0.01, dry_whip.time_to(300.0), 0.03])
    assert angle[1] == pytest.approx(4.640744976, abs=1e-8)
    assert force[2] == pytest.approx(80.0, abs=1e-12)
    assert dry_whip.time_to(psi[0]) == pytest.approx(0.01, abs=1e-12)


def test_painleve_region_and_jam():
    angle = np.deg2rad(60.0)
    assert painleve_rod.critical(angle) < 2.0
    assert painleve_rod.critical(np.arctan(2.0)) == pytest.approx(4.0 / 3.0)
    free, push = painleve_rod.sliding(angle, 0.0, 2.0, -1.0)
    assert free < 0.0
    assert push < 0.0  # no force helps
    P, v = painleve_rod.jam(angle, -1.0, 0.0)
    assert 0.0 < P[1] <= 2.0 * P[0]
    assert 0.5 * v @ np.diag([1.0, 1.0, 1.0 / 12.0]) @ v == pytest.approx(0.28125, abs=1e-12)
    a, w, force = painleve_rod.pivoting(np.linspace(0.0, 0.3, 31), angle, v[2])
    assert (force[:, 0] > 0.0).all()
    assert (np.abs(force[:, 1]) < 2.0 * force[:, 0]).all()
    np.testing.assert_allclose(w**2 / 6.0 + 4.905 * np.sin(a), w[0] ** 2 / 6.0 + 4.905 * np.sin(a[0]), atol=1e-11)


def test_woodpecker_of_siconos():
    q, v, works = woodpecker.march(2e-5, 14999)
    np.testing.assert_allclose(q[-1], [-0.0413481868, -0.1034684683, -0.3409339756], atol=1e-9)
    np.testing.assert_allclose(v[-1], [-0.2601373, 0.0, -8.3275554], atol=1e-6)
    change = woodpecker.energy(q[-1], v[-1]) - woodpecker.energy(q[0], v[0])
    assert change == pytest.approx(works.sum(), abs=1e-15)


def test_slider_in_its_guide_keeps_energy_up_to_the_first_impact():
    t, y, P = guide_clearance.trajectory(4e-6, 1000)
    struck = P[:, :, 0].any(axis=1)
    assert t[struck][0] == pytest.approx(2.694e-3, abs=4e-6)
    assert set(np.flatnonzero(P[struck][0, :, 0])) == {0, 1}  # both upper corners at once
    levels = np.array([guide_clearance.energy(state) for state in y])
    np.testing.assert_allclose(levels[t < 2.69e-3], levels[0], rtol=1e-5)
    assert levels[-1] < levels[0] - 0.03
