"""Dense output of a step, roots on it, landing on an event by a real step, going on afterwards."""

import numpy as np
import pytest
from systems import random_system

import flexmb as fm
from flexmb.drive.dense_output import DenseStep, first_root, land, restart
from flexmb.errors import NotConverged
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import State


@pytest.mark.parametrize(("quintic", "order"), [(False, 4), (True, 6)])
def test_local_error_inside_a_step(quintic, order):
    """Along an exact motion q = a sin(w t): the errors of the middle go with h^4 and h^6."""
    system = random_system(0, nc=0)
    a, w = np.linspace(0.5, 1.0, system.nv), np.linspace(1.0, 2.0, system.nv)

    def state(t):
        return State(t, a * np.sin(w * t), a * w * np.cos(w * t))

    errors = []
    for h in (0.2, 0.1, 0.05):
        one, two = state(0.3), state(0.3 + h)
        bend = (-w * w * one.q, -w * w * two.q) if quintic else (None, None)
        dense = DenseStep(system, one, two, two.q - one.q, *bend)
        t = 0.3 + 0.37 * h
        errors.append(np.abs(dense.at(t).q - state(t).q).max())
        for end in (one, two):
            np.testing.assert_allclose(dense.at(end.t).q, end.q, atol=1e-14)
            np.testing.assert_allclose(dense.at(end.t).v, end.v, atol=1e-13)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.2)


def test_bodies_that_turn_meet_both_ends():
    model = fm.Model()
    model.add(fm.Rigid("top", mass=1.0, inertia=[1.0, 2.0, 3.0], angular_velocity=[0.4, 5.0, 0.3]))
    system = model.assemble()
    rng = np.random.default_rng(1)
    dq, v_1 = 0.3 * rng.normal(size=6), rng.normal(size=6)
    start = State(0.0, system.start, system.v0)
    end = State(0.1, system.advance(start.q, dq), v_1)
    dense = DenseStep(system, start, end, dq)
    np.testing.assert_allclose(dense.at(0.1).q, end.q, atol=1e-15)
    np.testing.assert_allclose(dense.at(0.0).v, start.v, atol=1e-14)
    # the rate of the increment turns the end by v_1: by differences of positions
    e, near = 1e-6, dense.at(0.1 - 1e-6).q
    turned = system.advance(near, e * v_1)
    np.testing.assert_allclose(turned[: system.nq], end.q[: system.nq], atol=1e-10)


def test_the_first_of_several_roots_is_found():
    assert first_root(lambda t: np.cos(7.0 * t), 0.0, 2.0) == pytest.approx(np.pi / 14.0, rel=1e-13)
    assert first_root(lambda t: 1.0 + t, 0.0, 2.0) is None
    assert first_root(lambda t: t - 1.0, 0.0, 2.0) is None  # it rises
    assert first_root(lambda t: 1.0 - t, 0.0, 1.0) == 1.0
    hop = first_root(lambda t: (t - 0.3) * (t - 0.45), 0.0, 1.0)  # both signs are alike at the ends
    assert hop == pytest.approx(0.3, rel=1e-13)


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(ggl=False)], ids=repr)
def test_a_bounce_is_landed_on_and_left_again(scheme):
    """A particle falls by 0.3 m: it lands at sqrt(0.6/g), to round-off, and goes on with what the impact leaves."""
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("p", mass=2.0, position=(0, 0, 0.3)))
    system = model.assemble()
    solver, h = ContactSolver(), 0.05
    state, height = system.initial_state(0.0), lambda q: 0.3 + q[2]
    fixed, memory = restart(scheme, system, state, h, solver)
    while True:
        new, after, _ = scheme.step(system, state, h, memory, fixed, solver)
        dense = DenseStep(system, state, new, new.q - state.q)
        root = first_root(lambda t, d=dense: height(d.at(t).q), state.t, new.t)
        if root is not None:
            break
        state, memory = new, after

    def take(s):
        end = scheme.step(system, state, s, memory, scheme.prepare(system, s), solver)[0]
        return height(end.q), end.v[2], end

    end = land(take, root - state.t, 1e-14)
    t = np.sqrt(0.6 / 9.81)
    assert end.t == pytest.approx(t, rel=1e-13)
    state = State(end.t, end.q, -0.5 * end.v)
    fixed, memory = restart(scheme, system, state, 0.01, solver)
    new, _, _ = scheme.step(system, state, 0.01, memory, fixed, solver)
    assert height(new.q) == pytest.approx(0.5 * 9.81 * t * 0.01 - 0.5 * 9.81e-4, rel=1e-12)


def test_an_event_that_no_step_reaches_is_said():
    with pytest.raises(NotConverged):
        land(lambda s: (1.0 + s * s, 2.0 * s, None), 1.0, 1e-14)
