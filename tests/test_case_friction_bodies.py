"""Rigid bodies with friction: balls, impacts, Painleve's rod, rocking, play in a guide; whole curves and ledgers."""

from __future__ import annotations

import numpy as np
import pytest
from references import dry_friction, frictional_impact, guide_clearance, painleve_rod, rocking_block

import flexmb as fm


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(0.8), fm.Newmark(ggl=False)], ids=repr)
@pytest.mark.parametrize("case", ["sphere_sliding_to_rolling", "billiard_ball"])
def test_rolling_balls_whole_curves(case, scheme):
    spin = (20.0, -60.0) if case == "billiard_ball" else (0.0, 0.0)
    speed = (1.5, 0.4) if case == "billiard_ball" else (2.0, 0.0)
    signals = ["ball.position", "ball.velocity", "ball.angular_velocity"]
    result = fm.simulate(fm.load_case(case).model(), scheme, step=2e-3, end=2.0, signals=signals)
    x, v, w, start = dry_friction.rolling(result.time, speed, spin)
    assert np.abs(result.signals["ball.position"][:, :2] - x).max() <= 2e-5
    assert np.abs(result.signals["ball.velocity"][:, :2] - v).max() <= 5e-3
    rolls = result.time > start + 4e-3
    assert np.abs(result.signals["ball.velocity"][rolls, :2] - v[rolls]).max() <= 1e-9
    assert np.abs(result.signals["ball.angular_velocity"][rolls, :2] - w[rolls]).max() <= 1e-7
    contact = result.contacts[next(iter(result.contacts))]
    assert np.abs(contact.slip[rolls]).max() <= 1e-9
    assert set(contact.status.ravel()[1:][result.time[1:] < start - 4e-3]) == {2}
    assert np.abs(result.energy.residual).max() <= 1e-12 * result.summary["energy"]["scale"]


def test_the_direction_of_the_axes_does_not_matter():
    """The billiard table turned by 37 degrees: the same motion, turned."""
    model, turned = fm.load_case("billiard_ball").model(), np.deg2rad(37.0)
    straight = fm.simulate(model, fm.MoreauJean(), step=4e-3, end=2.0, signals=["ball.position"])
    c, s = np.cos(turned), np.sin(turned)
    Q = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    other = fm.load_case(
        "billiard_ball",
        [
            f"bodies.ball.velocity={(Q @ [1.5, 0.4, 0.0]).tolist()}",
            f"bodies.ball.angular_velocity={(Q @ [20.0, -60.0, 0.0]).tolist()}",
        ],
    ).model()
    result = fm.simulate(other, fm.MoreauJean(), step=4e-3, end=2.0, signals=["ball.position"])
    expected = straight.signals["ball.position"] @ Q.T
    np.testing.assert_allclose(result.signals["ball.position"], expected, atol=1e-9)


STRIKES = [
    ((-1.0, -1.0), 0.3, 0.5, 0.0, "newton"),
    ((-0.2, -1.0), 0.8, 0.5, 0.0, "newton"),
    ((-0.2, -1.0), 0.8, 0.5, 0.5, "newton"),
    ((1.0, -1.0), 0.8, 1.0, 0.0, "newton"),
    ((-0.2, -1.0), 0.8, 0.5, 0.0, "poisson"),
    ((1.0, -1.0), 0.8, 1.0, 0.0, "poisson"),
]


@pytest.mark.parametrize(("v", "mu", "e", "e_T", "law"), STRIKES)
def test_rod_that_strikes_the_floor(v, mu, e, e_T, law):
    result = fm.load_case(
        "rod_on_floor",
        [
            f"bodies.rod.velocity={list(v)}",
            f"contacts.floor.friction={mu}",
            f"contacts.floor.restitution={e}",
            f"contacts.floor.tangential_restitution={e_T}",
            f"contacts.floor.impact={law}",
            "time.step=1e-6",
            "time.end=1e-5",
        ],
    ).run()
    numbers = (mu, e, e_T) if law == "newton" else (mu, e)
    strike = getattr(frictional_impact, law)
    P, U, after, gain = frictional_impact.strike(*frictional_impact.rod(), (*v, 0.0), strike, *numbers)
    floor = result.contacts["floor"]
    np.testing.assert_allclose(
        [floor.impulse.sum(), floor.tangential_impulse.sum()], P, atol=2e-5, err_msg="the end moves on by half a step"
    )
    got = [*result.signals["rod.velocity"][-1, :2], result.signals["rod.angular_velocity"][-1, 2]]
    np.testing.assert_allclose(got, after, atol=3e-5)
    kinetic = result.energy.kinetic
    assert kinetic[-1] / kinetic[0] - 1.0 == pytest.approx(gain, abs=2e-5)
    assert kinetic[-1] - kinetic[0] == pytest.approx(
        result.energy.work_contact[-1] + result.energy.work_friction[-1], abs=1e-12
    )
    if gain > 0.0:
        assert result.summary["energy"]["friction_gain_max"] == pytest.approx(0.0625, abs=1e-4)
        assert result.summary["energy"]["friction_gain_contact"] == "floor"


@pytest.mark.parametrize(("law", "gain"), [("newton", 0.5874946869), ("poisson", -0.4551339365)])
def test_kane_pendulum_by_both_laws(law, gain):
    result = fm.load_case(
        "kane_double_pendulum", [f"contacts.floor.impact={law}", "time.step=1e-5", "time.end=1e-4"]
    ).run()
    kinetic = result.energy.kinetic
    assert kinetic[-1] / kinetic[0] - 1.0 == pytest.approx(gain, abs=2e-3)
    works = result.energy.work_contact[-1] + result.energy.work_friction[-1]
    assert kinetic[-1] - kinetic[0] == pytest.approx(works + result.energy.numerical[-1], abs=1e-14)


def test_painleve_rod_jams_whatever_the_step_and_tips():
    angle = np.pi / 3.0
    P, after = painleve_rod.jam(angle, -1.0, 0.0)
    for h, limit in ((1e-3, 2e-2), (1e-4, 2e-3), (1e-5, 2e-4)):
        result = fm.load_case("painleve_rod", [f"time.step={h}", "time.end=0.01"]).run()
        floor = result.contacts["floor"]
        first = [floor.impulse.ravel()[1], floor.tangential_impulse.ravel()[1]]
        np.testing.assert_allclose(first, P, atol=limit)  # O(1) as h goes to zero
        assert result.signals["rod.angular_velocity"][1, 2] == pytest.approx(after[2], abs=2.0 * limit)
    result = fm.load_case("painleve_rod").run()
    a, w, _ = painleve_rod.pivoting(result.time, angle, after[2])
    assert np.abs(result.signals["rod.rotation"][:, 2] - (a - angle)).max() <= 3e-4
    assert np.abs(result.signals["rod.angular_velocity"][1:, 2] - w[1:]).max() <= 3e-3


def test_painleve_rod_that_may_lift_off_does():
    """Turning fast, the free end would rise: several answers, and the open one is taken."""
    turn = 8.0
    free, push = painleve_rod.sliding(np.pi / 3.0, turn, 2.0, -1.0)
    assert free > 0.0 > push
    v = painleve_rod.start(np.pi / 3.0, -1.0, turn)
    sets = [f"bodies.rod.velocity={v[:2].tolist()}", f"bodies.rod.angular_velocity={turn}", "time.end=0.01"]
    result = fm.load_case("painleve_rod", sets).run()
    assert result.contacts["floor"].impulse.sum() <= 1e-12
    assert result.contacts["floor"].gap[-1] > 0.0


def test_rocking_block_whole_curve_and_first_order():
    errors = []
    for h in (4e-4, 1e-4):
        result = fm.load_case("rocking_block", [f"time.step={h}"]).run()
        tilt, _, hits = rocking_block.trajectory(result.time)
        got = result.signals["block.rotation"][:, 2] + rocking_block.TILT
        errors.append(np.abs(got - tilt).max())
        x, y = rocking_block.center(tilt)
        assert np.abs(result.signals["block.position"][:, 1] - y).max() <= 10.0 * h
        assert np.abs(result.signals["block.position"][:, 0] - x).max() <= 10.0 * h
    assert errors[1] <= 1e-3
    assert errors[1] <= 0.4 * errors[0]


def test_rocking_block_slips_below_the_limit_of_friction():
    """mu > 12/65 = 0.185 is needed for landings without slip."""
    for mu, moved in ((0.25, False), (0.12, True)):
        result = fm.load_case("rocking_block", [f"contacts.floor.friction={mu}"]).run()
        tilt, _, _ = rocking_block.trajectory(result.time)
        away = np.abs(result.signals["block.rotation"][:, 2] + rocking_block.TILT - tilt).max()
        assert bool(away > 3e-3) is moved


def test_stack_is_determined_where_its_impulses_are_not():
    result = fm.load_case("stack_of_blocks").run()
    t = result.time
    for body, a in (("low", 15.285), ("middle", 2.943), ("high", 2.943)):
        assert np.abs(result.signals[f"{body}.position"][:, 0] - 0.5 * a * t**2).max() <= 1e-9
    for contact, weight in (("floor", 3.0), ("first", 2.0), ("second", 1.0)):
        sums = result.contacts[contact].impulse[1:].sum(axis=1)
        np.testing.assert_allclose(sums, weight * 9.81 * 1e-3, rtol=1e-8)
    assert set(result.contacts["second"].status[1:].ravel()) <= {0, 1}
    external = result.energy.work_external[-1]
    assert external == pytest.approx(30.0 * 0.47765625, rel=1e-8)


def test_slider_with_play_follows_the_three_angles():
    result = fm.load_case("slider_crank_clearance").run()
    t, y, P = guide_clearance.trajectory(2e-6, 10_000)
    x, height = guide_clearance.slider(y[::10, :3].T)
    assert np.abs(result.signals["slider.position"][:, 0] - x).max() <= 1e-5
    assert np.abs(result.signals["slider.position"][:, 1] - height).max() <= 1e-4
    assert np.abs(result.signals["crank.angular_velocity"][:, 2] - y[::10, 3]).mean() <= 5e-3
    early = result.time < 2.69e-3
    assert np.abs(result.signals["slider.position"][early, 1] - height[early]).max() <= 1e-8
    above = result.contacts["above"].impulse
    assert result.time[above.any(axis=1)][0] == pytest.approx(2.694e-3, abs=4e-5)
