"""An interface that breaks: closed forms of modes I and II, viscosity, and the energy it takes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from systems_with_laws import random_frictional

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.general import GeneralEngine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.stormer_verlet import StormerVerlet

C, W = 1e4, 1.0
PEAK, REACH = np.sqrt(W * C), np.sqrt(W / C)
"""Force and elongation at which a bond begins to break."""
SCHEMES = [fm.MoreauJean(), fm.MoreauJeanDissipative(theta=0.5), StormerVerlet()]


def names(scheme):
    return scheme.name


def pulled(velocity, step, end, scheme=None, mass=1e9, gravity=0.0, **law):
    """A mass, so heavy that it keeps its velocity, is bonded to a plane."""
    model = fm.Model(gravity=(0.0, -gravity, 0.0) if gravity else None)
    model.add(fm.Particle("b", mass=mass, position=(0.0, 0.0, 0.0), velocity=velocity))
    bond = {"normal_stiffness": C, "energy": W, **law}
    model.add(fm.NodePlane("glue", node="b", normal=(0.0, 1.0, 0.0), cohesion=bond))
    return fm.simulate(model, scheme or fm.MoreauJean(), step=step, end=end)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_mode_one(scheme):
    """The force rises to sqrt(w C_N), then falls like 1/g^3; the area is w."""
    h, end = 2e-5, 0.1
    result = pulled((0.0, 1.0, 0.0), h, end, scheme)
    glue = result.contacts["glue"]
    g, force = glue.gap, -glue.impulse / h
    assert force.max() == pytest.approx(PEAK, rel=3e-3)
    assert g[np.argmax(force)] == pytest.approx(REACH, rel=3e-3)
    exact = np.where(g < REACH, C * g, W**2 / (C * np.maximum(g, REACH) ** 3))
    away = np.abs(g - REACH) > 1e-4
    np.testing.assert_allclose(force[1:][away[1:]], exact[1:][away[1:]], atol=1e-2 * PEAK)
    left = 0.5 * W * (REACH / end) ** 2
    assert -result.summary["energy"]["cohesion"] == pytest.approx(W - left, rel=5e-3)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
def test_mode_two(scheme, direction):
    """Along the plane the same, whatever the direction."""
    h, end = 2e-5, 0.1
    result = pulled(direction, h, end, scheme, tangential_stiffness=C)
    force = np.abs(result.contacts["glue"].friction_impulse) / h
    assert force.max() == pytest.approx(PEAK, rel=3e-3)
    assert result.time[np.argmax(force)] == pytest.approx(REACH, rel=5e-3)
    assert -result.summary["energy"]["cohesion"] == pytest.approx(W - 0.5 * W * (REACH / end) ** 2, rel=5e-3)


def test_viscosity_delays_the_break():
    """beta follows viscosity beta' = -[beta C g^2 - w]_+."""
    h, viscosity = 2e-5, 5e-3
    result = pulled((0.0, 1.0, 0.0), h, 0.1, viscosity=viscosity)
    exact = solve_ivp(
        lambda t, beta: -np.maximum(beta * C * t * t - W, 0.0) / viscosity,
        (0.0, 0.1),
        [1.0],
        rtol=1e-9,
        dense_output=True,
    )
    t = result.time
    expected = exact.sol(t)[0] ** 2 * C * t
    force = -result.contacts["glue"].impulse / h
    np.testing.assert_allclose(force[1:], expected[1:], atol=5e-3 * expected.max())
    assert force.max() > 1.05 * PEAK


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize("h", [1e-4, 1e-2])
def test_a_bond_that_holds_keeps_the_energy(scheme, h):
    """A light mass swings on its bond, with steps far beyond those an explicit force could take."""
    result = pulled((0.02, 0.05, 0.0), h, 1000 * h, scheme, mass=0.1, tangential_stiffness=C)
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-12 * energy["scale"]
    kinetic = result.energy.kinetic
    assert kinetic.max() <= kinetic[0] * (1.0 + 1e-9)
    assert np.abs(result.signals["b.position"]).max() < 1e-3


def test_a_bond_carries_a_weight_it_can_hold_and_breaks_under_more():
    """A mass hangs on a ceiling: the static limit is the peak force, a sudden weight breaks the bond at half of it."""
    for factor, holds in ((0.45, True), (0.55, False)):
        model = fm.Model(gravity=(0.0, -10.0, 0.0))
        model.add(fm.Particle("b", mass=factor * PEAK / 10.0, position=(0.0, 0.0, 0.0)))
        bond = {"normal_stiffness": C, "energy": W}
        model.add(fm.NodePlane("ceiling", node="b", normal=(0.0, -1.0, 0.0), cohesion=bond))
        result = fm.simulate(model, fm.MoreauJean(), step=1e-4, end=0.5)
        assert (result.contacts["ceiling"].gap[-1] < REACH) == holds


def test_a_run_goes_on_from_a_snapshot_with_the_state_of_its_laws():
    """A half-broken bond, and what the solver starts from, are carried over to the last bit."""
    system = random_frictional(1, nc=3, cohesion=[40.0, 20.0, 0.02, 1e-3, 1.0], slides=2)
    plan = Plan(system, fm.MoreauJean(), ContactSolver(), 1e-2, 0.0, 60, 1, 10**9)
    whole, first, second = GeneralEngine(plan), GeneralEngine(plan), GeneralEngine(plan)
    whole.advance(60)
    first.advance(25)
    assert 0.0 < first.memory.laws[1].min() < 1.0
    second.restore(first.snapshot(), 25)
    second.advance(35)
    for name, array in whole.snapshot().items():
        np.testing.assert_array_equal(second.snapshot()[name], array)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_bond_that_starts_at_a_distance_holds_what_the_law_leaves_of_it(scheme):
    """C_N = 1e6, w = 10, g = 0.1: beta = 1e-3, a store of 5e-3 J; it pulled with beta = 1 for a step, 3.2e3 J."""
    result = at_a_distance(0.1, scheme, step=1e-3, end=5e-3, normal_stiffness=1e6, energy=10.0)
    stored = 0.5 * 1e-6 * 1e6 * 0.1**2
    assert 0.0 < result.energy.kinetic.max() <= stored * (1.0 + 1e-9)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_bond_may_give_back_what_it_held_at_the_start(scheme):
    """From rest all energy there is comes from the bond; the run was stopped as unstable."""
    result = at_a_distance(0.005, scheme, step=1e-4, end=0.02)
    assert result.energy.kinetic.max() == pytest.approx(0.5 * C * 0.005**2, rel=0.01)


def at_a_distance(gap, scheme, step, end, **law):
    """A particle at rest, bonded to a plane ``gap`` away."""
    model = fm.Model()
    model.add(fm.Particle("b", mass=1.0, position=(0.0, gap, 0.0)))
    bond = {"normal_stiffness": C, "energy": W, **law}
    model.add(fm.NodePlane("glue", node="b", normal=(0.0, 1.0, 0.0), cohesion=bond))
    return fm.simulate(model, scheme, step=step, end=end)


def test_status_is_that_of_the_impulses_of_friction():
    """A block pressed down and bonded along the floor: friction slips while the bond still pulls it back."""
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    model.add(fm.Particle("b", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(0.3, 0.0, 0.0)))
    bond = {"normal_stiffness": C, "tangential_stiffness": C, "energy": 1e3}
    model.add(fm.NodePlane("glue", node="b", normal=(0.0, 1.0, 0.0), friction=0.3, cohesion=bond))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-4, end=0.04)
    glue = result.contacts["glue"]
    moving = np.abs(glue.slip).reshape(result.time.size, -1).max(axis=1)[1:] > 0.05
    assert moving.sum() > 100
    assert set(glue.status[1:][moving].ravel()) == {2.0}
