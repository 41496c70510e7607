"""Rows of all kinds between markers of all kinds: every derivative against differences."""

from __future__ import annotations

import math

import multibody_systems as ms
import numpy as np
import pytest
from multibody_systems import AXES, MODES_D, NODE_D, along
from scipy.spatial.transform import Rotation

from flexmb.assembly.builder import Builder
from flexmb.kernels.geometry import constraint_rows, markers
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.geometry.curves import curve_gap
from flexmb.parts.contacts.curve import joined
from flexmb.parts.contacts.curve_pieces import Spline
from flexmb.state import Array

OTHER = Rotation.from_rotvec([-0.2, 0.4, 0.9]).as_matrix()
KIND_NAMES = ("along", "along other", "dot", "distance", "angle", "two angles", "clearance", "rope", "curve")
KINDS = len(KIND_NAMES)
CURVE = joined([Spline(start=(-9.0, 2.0), through=[(0.5, -0.4)], end=(9.0, 2.5))], -1.0, False, True, "curve")
ENDS = ("ground", "rigid.tip", "planar.tip", "node.first", "floating.first", "second.tip")
PAIRS = [(a, b) for i, a in enumerate(ENDS) for b in ENDS[i + 1 :]]


def bodies() -> Builder:
    b = ms.builder()
    ms.add_rigid(b, "rigid", points={"tip": (0.4, -0.7, 0.9)})
    ms.add_rigid(b, "second", points={"tip": (-0.6, 0.3, 0.5)})
    ms.add_planar(b, "planar", points={"tip": (0.5, 0.2, 0.7)})
    ms.add_node(b, "node", NODE_D, position=(0.1, 0.2, 0.3))
    ms.add_floating(b, "floating", MODES_D, s=(0.8, -0.1, 0.3))
    return b


@pytest.fixture(scope="module")
def system() -> tab.System:
    """Return rows of every kind between every two places; row r is of kind r % KINDS between pair r // KINDS."""
    b = bodies()
    group = b.begin_joint("all")
    third = b.marker(b.place("second", ""), OTHER)
    a, k = np.array([0.3, -0.5, 0.8]), np.array([0.7, 0.2, -0.4])
    for first, second in PAIRS:
        A, B = b.marker(b.place(first, ""), AXES), b.marker(b.place(second, ""), OTHER)
        n1, n2 = b.angle(A, B), b.angle(third, B)
        b.add_row(group, tab.ALONG, (A, B, A), "along", a=a, c=0.1)
        b.add_row(group, tab.ALONG, (A, B, third), "along", a=a, function=ms.Wave(), cf=1.3)
        b.add_row(group, tab.DOT, (A, B), "dot", a=a, b=k, c=0.2, function=ms.Wave(), cf=-0.4)
        b.add_row(group, tab.DISTANCE, (A, B), "distance", c=0.5, function=ms.Wave(), cf=0.7)
        b.add_row(group, tab.ANGLE, (A, B), "angle", b=(1.0, 0, 0), angle=(n1, -1), function=ms.Wave(), cf=1.0)
        b.add_row(group, tab.ANGLE, (A, B, third, B), "gear", b=(1.5, -0.8, 0), c=0.3, angle=(n1, n2))
        axis = a / np.linalg.norm(a)
        b.add_row(group, tab.CLEARANCE, (A, B), "ring", a=axis, b=k, c=-0.6, function=ms.Wave(), cf=0.9)
        b.add_row(group, tab.DISTANCE, (A, B), "rope", b=(-1.0, 0.0, 0.0), c=-0.5, function=ms.Wave(), cf=0.7)
        chain = b.add_curve(CURVE.pieces, CURVE.chains, -1.0)[0]
        b.add_row(group, tab.CURVE, (A, B, A), "curve", c=0.2, angle=(chain, -1), function=ms.Wave(), cf=0.3)
    return b.build()


def states(system: tab.System) -> list[tuple[Array, Array]]:
    return [ms.random_state(system, seed, spread) for seed, spread in ((11, 0.6), (12, 1e-3))]


def turns_of(system: tab.System, q: Array, v: Array) -> Array:
    """Return the angles of a state, so that differences stay on their branch."""
    return ms.evaluate(system, q, v).angles.theta


def test_rows_against_their_formulas(system: tab.System) -> None:
    q, v = states(system)[0]
    m, angles, rows = ms.evaluate(system, q, v)
    table = system.rows
    phi = 0.2 + 0.7 * math.sin(1.9 * ms.T + 0.4)
    for r, kind in enumerate(table.kind):
        slots = table.marker[table.ptr[r] : table.ptr[r + 1]]
        d = m.r[slots[1]] - m.r[slots[0]]
        if kind == tab.ALONG:
            g = d @ m.R[slots[2]] @ table.a[r]
        elif kind == tab.DOT:
            g = (m.R[slots[0]] @ table.a[r]) @ (m.R[slots[1]] @ table.b[r])
        elif kind == tab.DISTANCE:
            g = np.linalg.norm(d) * (-1.0 if table.b[r, 0] < 0.0 else 1.0)
        elif kind == tab.CURVE:
            g = curve_gap(system.curves, table.angle[r, 0], *(m.R[slots[0]].T @ d)[:2])[0]
        elif kind == tab.CLEARANCE:
            g = -np.linalg.norm(np.cross(table.a[r], d - table.b[r]))
        else:
            g = 0.0
            for p in range(len(slots) // 2):
                between = m.R[slots[2 * p]].T @ m.R[slots[2 * p + 1]]
                g += table.b[r, p] * math.atan2(between[1, 0], between[0, 0])
        assert rows.g[r] == pytest.approx(g - table.c[r] - table.cf[r] * phi, abs=1e-12)


@pytest.mark.parametrize("kind", range(KINDS), ids=KIND_NAMES)
def test_gradient(system: tab.System, kind: int) -> None:
    for q, v in states(system):
        turn = turns_of(system, q, v)
        G = ms.directions(system, ms.evaluate(system, q, v, turn_=turn))[:, kind::KINDS]
        dg = ms.differences(lambda x, v=v, t=turn: ms.evaluate(system, x, v, turn_=t).rows.g, system, q)[:, kind::KINDS]
        np.testing.assert_allclose(G, dg, rtol=1e-7, atol=1e-8 * np.abs(dg).max())


@pytest.mark.parametrize("kind", range(KINDS), ids=KIND_NAMES)
def test_rate_and_second_rate_along_a_motion(system: tab.System, kind: int) -> None:
    for q, v in states(system):
        turn = turns_of(system, q, v)
        state = ms.evaluate(system, q, v, turn_=turn)
        args = (system.rows, system.angles, system.functions)
        chosen = range(kind, len(system.rows.kind), KINDS)

        def at(t: float, q: Array = q, v: Array = v, turn: Array = turn) -> ms.State:
            return ms.evaluate(system, ms.advanced(system, q, t * v), v, ms.T + t, turn)

        def rates(state: ms.State) -> Array:
            n = len(system.rows.kind)
            return np.array([constraint_rows.velocity(system.rows, r, state.markers, state.rows) for r in range(n)])

        h = 5e-4
        g = [at(k * h).rows.g[list(chosen)] for k in (-2, -1, 1, 2)]
        rate = [rates(at(k * h))[list(chosen)] for k in (-2, -1, 1, 2)]
        expected_rate, expected_bias = ((x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h) for x in (g, rate))
        np.testing.assert_allclose(rates(state)[list(chosen)], expected_rate, rtol=1e-7, atol=1e-7)
        bias = [constraint_rows.bias(*args, r, state.markers, state.angles, state.rows, ms.T) for r in chosen]
        np.testing.assert_allclose(bias, expected_bias, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kind", range(KINDS), ids=KIND_NAMES)
def test_stiffness(system: tab.System, kind: int) -> None:
    """lam d(G)/dq is the carried part (turning levers) plus the 6 x 6 blocks."""
    lam, mk, table = 1.7, system.markers, system.rows
    for q, v in states(system):
        turn = turns_of(system, q, v)
        state = ms.evaluate(system, q, v, turn_=turn)
        dG = ms.differences(lambda x, v=v, t=turn: ms.directions(system, ms.evaluate(system, x, v, turn_=t)), system, q)
        for r in range(kind, len(table.kind), KINDS):
            K6 = np.zeros((len(system.pairs.first), 6, 6))
            constraint_rows.stiffness(table, system.angles, r, lam, state.markers, state.angles, state.rows, K6)
            slots = range(table.ptr[r], table.ptr[r + 1])
            count = len(slots) ** 2
            assert np.count_nonzero(np.abs(K6).sum(axis=(1, 2))[: table.pair[r]]) == 0
            assert np.count_nonzero(np.abs(K6).sum(axis=(1, 2))[table.pair[r] + count :]) == 0
            K = _over_unknowns(system, state, K6)
            for s in slots:
                m = table.marker[s]
                dofs = mk.dof[mk.ptr[m] : mk.ptr[m + 1]]
                local = np.zeros((len(dofs), len(dofs)))
                markers.carry(mk, state.markers, m, lam * state.rows.grad[s], local, len(dofs))
                K[np.ix_(dofs, dofs)] += local
            expected = -lam * dG[:, :, r].T
            np.testing.assert_allclose(K, expected, rtol=1e-7, atol=1e-8 * max(1.0, np.abs(expected).max()))


def _over_unknowns(system: tab.System, state: ms.State, K6: Array) -> Array:
    """Return the sum of J_i K6 J_j^T over all pairs, (nv, nv)."""
    nv, mk = len(system.linear.q_of_v), system.markers
    K = np.zeros((nv, nv))
    for p in np.flatnonzero(np.abs(K6).sum(axis=(1, 2))):
        i, j = (slice(mk.ptr[m], mk.ptr[m + 1]) for m in (system.pairs.first[p], system.pairs.second[p]))
        K[np.ix_(mk.dof[i], mk.dof[j])] += state.markers.J[i] @ K6[p] @ state.markers.J[j].T
    return K


@pytest.mark.parametrize("kind", range(KINDS), ids=KIND_NAMES)
def test_curvature(system: tab.System, kind: int) -> None:
    """Change of dg/dt at fixed v; what swirl leaves out for the modes of floating bodies is in flutter."""
    mk, table = system.markers, system.rows
    for q, v in states(system):
        turn = turns_of(system, q, v)
        state = ms.evaluate(system, q, v, turn_=turn)

        def rates(x: Array, v: Array = v, turn: Array = turn) -> Array:
            return ms.directions(system, ms.evaluate(system, x, v, turn_=turn)).T @ v

        change = ms.differences(rates, system, q)
        Z = np.zeros((len(mk.kind), 6, 6))
        X = np.zeros((len(mk.dof), 6))
        for m in range(len(mk.kind)):
            markers.swirl(mk, q, v, state.markers, m, Z[m])
            markers.flutter(mk, q, v, state.markers, m, X[mk.ptr[m] : mk.ptr[m + 1]])
        for r in range(kind, len(table.kind), KINDS):
            slots = range(table.ptr[r], table.ptr[r + 1])
            h = np.full((len(slots), 6), np.nan)
            constraint_rows.curvature(table, system.angles, r, state.markers, state.angles, state.rows, Z, h)
            H = np.zeros(len(v))
            for j, s in enumerate(slots):
                own = slice(mk.ptr[table.marker[s]], mk.ptr[table.marker[s] + 1])
                np.add.at(H, mk.dof[own], state.markers.J[own] @ h[j] + X[own] @ state.rows.grad[s])
            expected = change[:, r]
            np.testing.assert_allclose(H, expected, rtol=1e-7, atol=2e-8 * max(1.0, np.abs(expected).max()))


def test_angle_follows_the_turns() -> None:
    b = bodies()
    A, B = b.marker(b.place("ground", "")), b.marker(b.place("planar", ""))
    b.angle(A, B)
    system = b.build()
    q, v = np.array(b.q0), np.array(b.v0)
    at = system.markers.iq[B] + 2
    turn = np.zeros(1)
    for theta in np.linspace(0.0, -20.0, 15):
        q[at] = theta
        turn = ms.evaluate(system, q, v, turn_=turn).angles.theta
        assert turn[0] == pytest.approx(theta, abs=1e-12)


def test_coinciding_ends_are_not_divided_by() -> None:
    b = ms.builder()
    ms.add_rigid(b, "one")
    ms.add_rigid(b, "two")
    group = b.begin_joint("rod")
    b.add_row(group, tab.DISTANCE, (b.marker(b.place("one", "")), b.marker(b.place("two", ""))), "length", c=1.0)
    state = ms.evaluate(b.build(), np.array(b.q0), np.array(b.v0))
    assert np.isnan(state.rows.g[0])
    assert np.isnan(state.rows.grad[:, :3]).all()


def test_the_middle_of_a_clearance_is_harmless() -> None:
    b = ms.builder()
    ms.add_rigid(b, "one", omega=(0.3, 0.2, 0.1), velocity=(1.0, 2.0, 3.0))
    ms.add_rigid(b, "two")
    group, ends = b.begin_joint("ring"), (b.marker(b.place("one", "")), b.marker(b.place("two", "")))
    b.add_row(group, tab.CLEARANCE, ends, "ring", a=(0.0, 0.0, 1.0), c=-0.2)
    system = b.build()
    m, angles, rows = ms.evaluate(system, np.array(b.q0), np.array(b.v0))
    assert rows.g[0] == 0.2
    assert not rows.grad.any()
    assert constraint_rows.bias(system.rows, system.angles, system.functions, 0, m, angles, rows, 0.0) == 0.0
    K6, h = np.zeros((4, 6, 6)), np.zeros((2, 6))
    constraint_rows.stiffness(system.rows, system.angles, 0, 1.7, m, angles, rows, K6)
    constraint_rows.curvature(system.rows, system.angles, 0, m, angles, rows, np.zeros((3, 6, 6)), h)
    assert not K6.any()
    assert not h.any()


def test_second_rate_is_that_of_the_motion() -> None:
    """A point on a turning body: g'' = -omega^2 times its arm (no differences)."""
    b = ms.builder()
    ms.add_rigid(b, "wheel", omega=(0.0, 0.0, 3.0), points={"rim": (0.5, 0.0, 0.0)})
    group = b.begin_joint("x")
    b.add_row(group, tab.ALONG, (0, b.marker(b.place("wheel.rim", "")), 0), "x", a=(1.0, 0.0, 0.0))
    system = b.build()
    q, v = np.array(b.q0), np.array(b.v0)
    m, angles, rows = ms.evaluate(system, q, v)
    bias = constraint_rows.bias(system.rows, system.angles, system.functions, 0, m, angles, rows, 0.0)
    assert bias == pytest.approx(-9.0 * 0.5, abs=1e-14)
    assert along(lambda x: ms.evaluate(system, x, v).rows.g, system, q, v) == pytest.approx([0.0], abs=1e-9)
