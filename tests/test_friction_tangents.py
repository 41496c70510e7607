"""Tangents are a choice: results and iterations depend neither on it nor on how spheres are turned or spin.

Impulses of the step before begin the next one, tangent by tangent. Tangents of spheres follow the normal in space, so
that a sphere which spins, or was turned before the run, is solved by the same numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from friction_models import G, closure, friction_run
from scipy.spatial.transform import Rotation

import flexmb as fm

SCHEMES = [fm.MoreauJean(), fm.GeneralizedAlpha(0.8), fm.GeneralizedAlpha(0.8, ggl=False)]
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
R, MU = 0.05, 0.4
J = 0.4 * R**2


def ball(spin: float = 0.0, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> fm.Model:
    """Return a ball that slides and rolls over the floor, thrown onto it."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    motion = {"velocity": (1.0, 0.4, -0.3), "angular_velocity_space": (3.0, 12.0, spin), "rotation": turn}
    model.add(fm.Rigid("ball", mass=1.0, inertia=(J, J, J), position=(0.0, 0.0, 1.01 * R), **motion))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), radius=R, friction=MU, rolling=1e-3))
    return model


def pile(turns: np.ndarray, world: Rotation) -> fm.Model:
    """Return a pyramid of 14 balls, a little apart, above a floor, in a world that is turned; they are turned, too."""
    rng, model = np.random.default_rng(3), fm.Model(gravity=tuple(world.apply([0.0, 0.0, -G])))
    d, places = 2.02 * R, []
    for n in (3, 2, 1):
        height = 1.02 * R + (3 - n) * 1.44 * R
        places += [((i - 0.5 * (n - 1)) * d, (j - 0.5 * (n - 1)) * d, height) for i in range(n) for j in range(n)]
    names = [f"s{k}" for k in range(len(places))]
    for name, x, turn in zip(names, places, turns, strict=True):
        x = world.apply(np.array(x) + 0.002 * R * rng.uniform(-1.0, 1.0, 3))
        model.add(fm.Rigid(name, mass=1.0, inertia=(J, J, J), position=x, rotation=tuple(turn)))
    model.add(fm.Spheres("grains", bodies="s*", radius=R, friction=MU))
    model.add(fm.NodePlane("floor", nodes=names, normal=tuple(world.apply([0, 0, 1])), radius=R, friction=MU))
    return model


def fallen(turns: np.ndarray, world: Rotation | None = None, steps: int = 150) -> tuple[fm.Result, np.ndarray]:
    """Return a run of the pile and the last places of the balls, turned back."""
    world = world or Rotation.identity()
    signals = [f"s{k}.position" for k in range(14)]
    run = fm.simulate(pile(turns, world), fm.MoreauJean(), step=1e-3, end=1e-3 * steps, signals=signals)
    return run, world.inv().apply(np.array([run.signals[name][-1] for name in signals]))


@EVERY_SCHEME
def test_neither_spin_about_the_normal_nor_a_turn_changes_anything(scheme) -> None:
    slow = friction_run(ball(spin=1.0), scheme, 1e-3, 300)
    assert slow.status.max() == 2.0
    assert slow.tangential.any()
    for other in (ball(spin=0.0), ball(spin=300.0), ball(1.0, (0.3, -2.0, 1.1)), ball(-40.0, (2.0, 0.1, 0.4))):
        run = friction_run(other, scheme, 1e-3, 300)
        np.testing.assert_allclose(run.impulse, slow.impulse, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.tangential, slow.tangential, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(run.status, slow.status)
        assert closure(run) <= 1e-12


def test_a_pile_does_not_know_how_its_balls_were_turned() -> None:
    turned = np.random.default_rng(1).uniform(-2.0, 2.0, (14, 3))
    one, places = fallen(np.zeros((14, 3)))
    two, others = fallen(turned)
    assert one.contacts["floor"].impulse[-1].sum() == pytest.approx(14.0 * G * 1e-3, rel=0.1)
    assert np.abs(one.contacts["floor"].tangential_impulse).max() > 0.0
    np.testing.assert_allclose(others, places, rtol=0, atol=1e-9)
    np.testing.assert_allclose(two.contacts["floor"].impulse, one.contacts["floor"].impulse, rtol=0, atol=1e-7)
    assert two.summary["solver_iterations"] == pytest.approx(one.summary["solver_iterations"], rel=0.02)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_pile_does_not_know_its_tangents(seed) -> None:
    """In a turned world all tangents lie otherwise, for they are made of its axes."""
    none = np.zeros((14, 3))
    one, places = fallen(none)
    two, others = fallen(none, Rotation.random(random_state=seed))
    np.testing.assert_allclose(others, places, rtol=0, atol=1e-7)
    assert two.summary["solver_iterations"] == pytest.approx(one.summary["solver_iterations"], rel=0.1)
