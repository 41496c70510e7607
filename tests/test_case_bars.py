"""Bouncing bar, two bars and the moving wall: whole curves against wave solutions worked out here."""

from __future__ import annotations

import numpy as np
import pytest
from references.bar_waves import MASS, BouncingBar, C, L, two_bars

import flexmb as fm


def test_the_reference_of_the_bouncing_bar_is_a_solution():
    t = np.linspace(0.0, BouncingBar.period, 32001)
    foot = BouncingBar.displacement(0.0, t)
    down = BouncingBar.force(t) > 0.0
    assert foot.min() >= -1e-12
    assert np.abs(foot[down]).max() <= 1e-12
    # published points
    assert BouncingBar.displacement(0.0, np.array(8.0 / 3.0)) == pytest.approx(3.888889, abs=5e-7)
    assert BouncingBar.displacement(10.0, np.array(4.0 / 3.0)) == pytest.approx(-3.888889, abs=5e-7)
    assert BouncingBar.displacement(5.0, np.array(4.0 / 3.0)) == pytest.approx(-2.083333, abs=5e-7)
    for x in (0.0, 3.0, 10.0):  # back in the first position
        assert BouncingBar.displacement(x, np.array(BouncingBar.period)) == pytest.approx(5.0, abs=1e-12)
    assert BouncingBar.displacement(10.0, t).max() == pytest.approx(5.0, abs=1e-12)


def test_bouncing_bar_whole_curves():
    result = fm.load_case("bouncing_bar").run()
    t, floor = result.time, result.contacts["floor"]
    for node, x in (("first", 0.0), ("mid", 5.0), ("last", 10.0)):
        exact = x + BouncingBar.displacement(x, t)
        error = np.abs(result.signals[f"bar.{node}.position"][:, 2] - exact)
        assert error[t < 11.0 / 3.0].max() <= 0.08  # of a fall of 5
        assert error.max() <= 0.2
    F = BouncingBar.force(t)
    inside = (t > 1.05) & (t < 1.6)
    np.testing.assert_allclose(floor.force[inside], F[inside], rtol=5e-3)
    # the waves of the first contact ring in the second: compare impulses, step by step added up
    h = t[1] - t[0]
    assert np.abs(np.cumsum(floor.impulse) - np.cumsum(F) * h).max() <= 4.0  # of 533
    open_times = t[floor.impulse == 0.0]
    for a, b in BouncingBar.touch:
        assert not ((open_times > a + 0.02) & (open_times < b - 0.02)).any()
    flying = (t < 0.99) | ((t > 1.69) & (t < 3.64)) | (t > 4.36)
    assert floor.impulse[flying].max() == 0.0
    p = result.signals["bar.momentum"][:, 2]
    np.testing.assert_allclose(p, np.cumsum(floor.impulse) - MASS * 10.0 * t, atol=1e-8)


def test_bouncing_bar_comes_nearer_with_the_mesh():
    errors = []
    for elements, steps in ((100, 1200), (400, 4800)):
        case = fm.load_case("bouncing_bar", [f"bodies.bar.elements={elements}", f"time.steps={steps}"])
        result = case.run()
        exact = BouncingBar.displacement(0.0, result.time)
        errors.append(np.mean(np.abs(result.signals["bar.first.position"][:, 2] - exact)))
    assert errors[1] <= 0.45 * errors[0]  # 4^(-2/3) = 0.40


def test_two_bars_whole_curves():
    result = fm.load_case("two_bars").run()
    t, faces, hit, speed = result.time, result.contacts["faces"], 0.3, 10.0
    s = t - hit
    hammer, anvil = two_bars(0.0, s, speed)
    for name, exact in (("hammer.last", hammer), ("anvil.first", anvil)):
        error = np.abs(result.signals[f"{name}.position"][:, 0] - exact)
        assert error.max() <= 0.08
        assert error[s < 0.63].max() <= 1e-3
    plateau = (s > 0.1) & (s < 0.57)
    np.testing.assert_allclose(faces.force[plateau], 150.0, rtol=1e-3)
    closed = t[faces.impulse > 0.0]
    assert closed[0] == pytest.approx(hit, abs=2e-3 + 1e-9)
    assert closed[-1] == pytest.approx(hit + 2.0 * L / C, abs=6e-3)
    # momentum: ramps of 150 N, exchanged, and none lost on the way
    ramp = 150.0 * np.clip(s, 0.0, 2.0 * L / C)
    p_hammer, p_anvil = (result.signals[f"{name}.momentum"][:, 0] for name in ("hammer", "anvil"))
    np.testing.assert_allclose(p_anvil, ramp, atol=0.75)
    np.testing.assert_allclose(p_hammer, 100.0 - ramp, atol=0.75)
    np.testing.assert_allclose(p_hammer + p_anvil, 100.0, atol=1e-8)
    np.testing.assert_allclose(p_anvil, np.cumsum(faces.impulse), atol=1e-8)


def test_two_bars_of_unequal_length_part_when_the_short_one_is_done():
    """A hammer of half the length stops after 2 (L/2) / c with all its momentum given away (Saint-Venant)."""
    case = fm.load_case(
        "two_bars", ["bodies.hammer.length=5.0", "bodies.hammer.elements=75", "bodies.hammer.position=[-8.0,0.0,0.0]"]
    )
    result = case.run()
    force = result.contacts["faces"].force
    s = result.time - 0.3
    assert force[(s > 0.08) & (s < 0.28)] == pytest.approx(150.0, rel=2e-3)
    assert np.abs(force[s > 0.36]).max() <= 15.0  # wave theory: no force, the hammer stands behind an anvil that flees
    assert result.signals["anvil.momentum"][-1, 0] == pytest.approx(50.0, rel=0.02)
    assert result.signals["hammer.momentum"][-1, 0] == pytest.approx(0.0, abs=1.0)


def test_moving_wall_is_the_impacting_bar_seen_from_the_ground():
    """Galilei: with the wall at V t, everything is shifted by V t; an off-grid gap keeps round-off from deciding."""
    moving = fm.load_case("bar_on_moving_wall", ["bodies.rod.position=[5.003,0.0,0.0]"]).run()
    fixed = fm.load_case("impacting_bar", ["bodies.rod.position=[5.003,0.0,0.0]"]).run()
    t = fixed.time
    np.testing.assert_array_equal(moving.time, t)
    for node in ("first", "last"):
        shifted = fixed.signals[f"rod.{node}.position"] + np.outer(10.0 * t, [1.0, 0.0, 0.0])
        np.testing.assert_allclose(moving.signals[f"rod.{node}.position"], shifted, rtol=0.0, atol=1e-9)
    seen, wall = moving.contacts["wall"], fixed.contacts["wall"]
    np.testing.assert_allclose(seen.impulse, wall.impulse, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(seen.gap, wall.gap, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(seen.velocity, wall.velocity, rtol=0.0, atol=1e-8)


def test_work_of_the_moving_wall_is_force_times_way():
    result = fm.load_case("bar_on_moving_wall").run()
    t, wall, energy = result.time, result.contacts["wall"], result.energy
    np.testing.assert_allclose(energy.work_external, 10.0 * np.cumsum(wall.impulse), rtol=1e-12, atol=1e-9)
    exact = 3000.0 * np.clip(t - 0.5, 0.0, 2.0 / 3.0)
    assert np.abs(energy.work_external - exact).max() <= 12.0  # of 2000
    # energy comes from the wall alone: what the bar has is what the wall did, less contact and numerical losses
    np.testing.assert_allclose(
        energy.total - energy.work_external, energy.work_contact + energy.numerical, rtol=0.0, atol=2e-9
    )
    lost = energy.work_contact + energy.numerical
    assert lost.max() <= 1e-9
    assert lost.min() >= -0.01 * 2000.0
    momentum = result.signals["rod.momentum"][:, 0]
    assert np.abs(momentum - 300.0 * np.clip(t - 0.5, 0.0, 2.0 / 3.0)).max() <= 1.2
