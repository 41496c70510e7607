"""Implicit Runge-Kutta methods: tables, orders on smooth motion, energy identity, error estimates, stiff models."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from event_runs import Run

import flexmb as fm
from flexmb.schemes.implicit_runge_kutta import (
    LobattoIIIA2,
    LobattoIIIA4,
    LobattoIIIA6,
    LobattoIIIC4,
    RadauIIA3,
    RadauIIA5,
)
from flexmb.smooth.phase import Phase
from flexmb.smooth.stage_matrix import Pencil
from flexmb.smooth.works import defect_matrix

METHODS = [RadauIIA3, RadauIIA5, LobattoIIIA2, LobattoIIIA4, LobattoIIIA6, LobattoIIIC4]
EVERY = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


def trees(order):
    """Return all rooted trees of an order, as sorted tuples of their branches."""
    if order == 1:
        return [()]
    found = set()
    for parts in partitions(order - 1):
        for branches in itertools.product(*(trees(p) for p in parts)):
            found.add(tuple(sorted(branches)))
    return sorted(found)


def partitions(n, largest=None):
    largest = n if largest is None else largest
    if n == 0:
        return [()]
    return [(k, *rest) for k in range(min(n, largest), 0, -1) for rest in partitions(n - k, k)]


def size(tree):
    return 1 + sum(size(branch) for branch in tree)


def density(tree):
    return size(tree) * int(np.prod([density(branch) for branch in tree])) if tree else 1


def weight(tree, A):
    """Return the elementary weights of the stages."""
    out = np.ones(len(A))
    for branch in tree:
        out = out * (A @ weight(branch, A))
    return out


@EVERY
def test_tables_fulfil_the_order_conditions_of_all_trees(method):
    """sum b_i phi_i(tree) = 1 / density(tree) up to the order, and not beyond it (Hairer, Norsett, Wanner II.2)."""
    table = method.table
    for order in range(1, table.order + 1):
        for tree in trees(order):
            assert table.b @ weight(tree, table.A) == pytest.approx(1.0 / density(tree), abs=2e-15)
    beyond = [abs(table.b @ weight(t, table.A) - 1.0 / density(t)) for t in trees(table.order + 1)]
    assert max(beyond) > 1e-5
    assert np.array_equal(table.A[-1], table.b)
    assert table.c == pytest.approx(table.A.sum(axis=1), abs=1e-15)


def test_printed_entries():
    """Entries as printed in Hairer, Wanner (1996), tables IV.5.6, 5.7 and 5.10."""
    r = 6.0**0.5
    assert pytest.approx(np.array([[5, -1], [9, 3]]) / 12.0, abs=1e-16) == RadauIIA3.table.A
    first = [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225]
    assert RadauIIA5.table.A[0] == pytest.approx(first, abs=1e-16)
    assert RadauIIA5.table.b == pytest.approx([(16 - r) / 36, (16 + r) / 36, 1 / 9], abs=1e-15)
    assert LobattoIIIA4.table.A[1] == pytest.approx([5 / 24, 1 / 3, -1 / 24], abs=1e-16)
    assert pytest.approx(np.array([[2, -4, 2], [2, 5, -1], [2, 8, 2]]) / 12.0, abs=1e-15) == LobattoIIIC4.table.A


@EVERY
def test_which_methods_never_gain(method):
    """m_ij is positive semidefinite for Radau IIA and Lobatto IIIC, of either sign for IIIA; zero for order 2 of it."""
    eigenvalues = np.linalg.eigvalsh(defect_matrix(method.table.A, method.table.b))
    if "iiia" not in method.name:
        assert eigenvalues.min() > -1e-15
        assert eigenvalues.max() > 0.05
    else:
        assert eigenvalues == pytest.approx(-eigenvalues[::-1], abs=1e-15)


def go(method, system, end, n, **options):
    """Return the last state, the largest error of the energy identity, and the largest estimate of a step."""
    scheme, phase = method(**options), Phase(system)
    state, closes, estimate = phase.begin(0.0, system.start, system.v0.copy()), 0.0, 0.0
    for _ in range(n):
        step = scheme.smooth_step(phase, state, end / n)
        w, e_0 = step.works, state.here.kinetic + state.here.potential
        e_1 = step.end.here.kinetic + step.end.here.potential
        given = w.external + w.drive + w.damping + w.cross + w.numerical
        closes = max(closes, abs(e_1 - e_0 - given) / (abs(e_0) + step.end.here.kinetic))
        estimate = max(estimate, *(np.abs(e).max() for e in step.errors[0]))
        state = step.end
    return state, closes, estimate


@pytest.fixture(scope="module")
def systems():
    names = ("heavy_top", "double_pendulum_wall")
    return {name: fm.load_case(name).plan.system for name in names}


@EVERY
@pytest.mark.parametrize(("name", "end"), [("heavy_top", 0.02), ("double_pendulum_wall", 0.2)])
def test_order_on_bodies_that_turn_and_joints(method, name, end, systems):
    """Fitted over two halvings; joints at index 1 and rotations on the group keep the order of the table."""
    system, p = systems[name], method.table.order
    n = 4 if p > 4 else 8
    states = [go(method, system, end, k * n) for k in (1, 2, 4)]
    differ = [np.abs(a[0].v - b[0].v).max() for a, b in itertools.pairwise(states)]
    assert np.log2(differ[0] / differ[1]) == pytest.approx(p, abs=0.25)
    assert max(s[1] for s in states) < 2e-13
    assert np.log2(states[1][2] / states[2][2]) == pytest.approx(method.table.power, abs=0.35)


def test_an_impacting_bar_agrees_with_the_semi_discrete_solution():
    """E11: ten elements, e = 0; persistent contact on [0.5, 1.146382911433], by order 6 with 1000 steps."""
    model = fm.Model()
    line = {"length": 10.0, "elements": 10, "position": (5, 0, 0), "direction": (1, 0, 0), "velocity": (-10, 0, 0)}
    model.add(fm.Bar("rod", section={"area": 1.0}, material={"young": 900.0, "density": 1.0}, **line))
    model.add(fm.NodePlane("wall", node="rod.first", normal=(1, 0, 0)))
    run = Run(model, "lobatto-iiia-6", 2.0, 1000, signals=["rod.first.position", "rod.last.position"])
    assert run.failure is None
    assert run.times("release")[0] == pytest.approx(1.146382911433, abs=1e-9)
    assert run.block.probes[-1, 0] == pytest.approx(7.668162998597, abs=1e-9)
    assert run.block.probes[-1, 3] - 10.0 == pytest.approx(7.908081186381, abs=1e-9)
    assert run.unexplained < 1e-13


def test_fast_vibrations_are_damped_and_do_not_shorten_the_steps():
    """A stiff mass beside a soft one: Radau IIA takes the steps of the soft one, and never gains energy."""
    model = fm.Model()
    for name, k, x in (("soft", 4.0, 0.4), ("stiff", 4e8, 1e-10)):
        model.add(fm.Particle(name, mass=1.0, position=(x, 0, 0), axes="x"))
        model.add(fm.Spring(f"{name}_spring", node=name, anchor=(-1, 0, 0), length=1.0, stiffness=k))
    run = Run(model, "radau-iia-5", 2.0, 4, tolerance=1e-5, signals=["soft.position", "stiff.position"])
    assert run.failure is None
    assert run.counts["steps"] < 120  # 6400 periods of the stiff one
    assert run.block.probes[-1, 0] == pytest.approx(0.4 * np.cos(4.0), abs=1e-5)
    assert abs(run.block.probes[-1, 3]) < 1e-12
    assert run.energy[-1, 0] + run.energy[-1, 1] < 0.4**2 * 2.0 * 1.0001


@pytest.mark.parametrize("method", [RadauIIA3, RadauIIA5])
def test_a_singular_matrix_of_the_stages_is_refused(method):
    """M + c^2 K = 0 at a coordinate with negative stiffness, c of the filter of the error."""
    c = 1e-2 * method().table.scale
    model = fm.Model()
    points = {"tip": {"at": (0.0, 0.0, 0.0), "x": (1.0, 0.0)}}
    K = np.diag([0.0, -1.0 / (c * c)])
    model.add(fm.Matrices("part", mass_matrix=np.eye(2), stiffness_matrix=K, points=points))
    phase = Phase(model.assemble())
    pencil = Pencil(phase, phase.begin(0.0, np.zeros(2), np.zeros(2)))
    for near in (0.5 * c, 0.5j * c):
        b = np.array([1.0, 2.0])
        np.testing.assert_allclose(pencil.factor(near)(b), b / [1.0, 1.0 - (near / c) ** 2], rtol=1e-14)
    for exact in (c, complex(c)):
        with pytest.raises(fm.NotConverged, match="singular"):
            pencil.factor(exact)
