"""Tangents of whole systems and of the step, against differences, with every kind of part in one system."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from multibody_models import everything, heavy_top, run

from flexmb.kernels.algebra.sparse_lu import lu_solve
from flexmb.kernels.geometry import markers
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.multibody.multibody import D0, D1, DQ, DQ_JOINT, INCREMENT, LAM_J, LU_, RHO, T_V, VT, R, W
from flexmb.kernels.multibody_steps.multibody_newton import assemble_stage, place_stage
from flexmb.schemes import GeneralizedAlpha, MoreauJean
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem

T = 0.3


class Somewhere(NamedTuple):
    """A system in a state that joints and contacts do not allow, with multipliers."""

    system: MultibodySystem
    q: Array
    v: Array
    lam: Array

    def f(self, q, v):
        """All forces, those of the joints included."""
        return self.system.at(T, q, v, self.lam).F.sum(axis=0).copy()


def is_mode(system):
    return np.array(["mode" in name for name in system.dof_names])


def somewhere(system, seed, fast=1.0):
    """Turn and move everything at random; modes, which are mass-normalized, only by some hundredths of a radian."""
    rng = np.random.default_rng(seed)
    modes = is_mode(system)
    dq, v = 0.3 * rng.normal(size=system.nv), fast * rng.normal(size=system.nv)
    dq[modes] *= 1e-3
    v[modes] *= 0.05
    return Somewhere(system, system.advance(system.q0, dq), v, 5.0 * rng.normal(size=system.nj))


@pytest.fixture(scope="module")
def system():
    return everything().assemble()


def differences(f, n, h=1e-4):
    """Return df/dx at 0, (len(f), n), by fourth-order central differences."""
    columns = []
    for e in h * np.eye(n):
        columns.append((8.0 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12.0 * h))
    return np.array(columns).T


def assert_close(found, wanted, tolerance):
    """Compare by rows and columns of like size: each entry over the largest of its row or its column."""
    rows = np.abs(wanted).max(axis=1, keepdims=True)
    scale = np.minimum(np.maximum(rows, 1.0), np.maximum(np.abs(wanted).max(axis=0, keepdims=True), 1.0))
    error = np.abs(found - wanted) / scale
    worst = np.unravel_index(np.argmax(error), error.shape)
    assert error[worst] < tolerance, f"entry {worst}: {found[worst]} where differences say {wanted[worst]}"


def test_the_system_has_every_kind_of_part(system):
    t = system.tables
    kinds = {tab.GROUND, tab.FRAME, tab.PLANAR, tab.NODE, tab.FLOATING}
    assert set(t.markers.kind) == kinds
    assert set(t.rows.kind) == {tab.ALONG, tab.DOT, tab.DISTANCE, tab.ANGLE, tab.CLEARANCE}
    held = set(t.markers.kind[t.rows.marker[: t.rows.ptr[system.nj]]])
    assert held == kinds
    assert set(t.springs.directed) == {0, 1}
    assert set(t.pushes.follower) == {0, 1}
    assert set(t.rotors.who[:, 2] >= 0) == {False, True}  # given and free spins
    rotors = (t.rotors.value.any(axis=0).all(), t.rotors.table, t.rotors.turning)
    for law in (
        t.torsions.pair,
        t.beams.pair,
        t.floating.modes,
        t.springs.pair,
        t.linear.K.val,
        t.linear.C.val,
        *rotors,
    ):
        assert law.size
    assert set(t.markers.kind[t.pushes.marker]) == kinds - {tab.GROUND}


@pytest.mark.parametrize("seed", [1, 2])
def test_mass_damping_and_directions(system, seed):
    s = somewhere(system, seed)
    M, C, _ = system.tangents(T, s.q, s.v, s.lam)
    assert_close(M.toarray(), differences(lambda d: system.momentum(s.q, s.v + d), system.nv, h=0.1), 1e-11)
    assert_close(C.toarray(), -differences(lambda d: s.f(s.q, s.v + d), system.nv, h=0.1), 1e-9)
    G = differences(lambda d: system.g(T, system.advance(s.q, d)), system.nv)
    assert_close(system.G(T, s.q).toarray().T, G, 1e-7)
    np.testing.assert_allclose(M.toarray(), M.toarray().T, rtol=0, atol=1e-13)
    assert np.linalg.eigvalsh(M.toarray()).min() > 0.0


def test_rates_of_the_rows_are_the_rows_along_the_motion(system):
    s = somewhere(system, 3)

    def g(t):
        return system.g(T + t, system.advance(s.q, t * s.v))

    h = 1e-4
    rate = (8.0 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12.0 * h)
    np.testing.assert_allclose(system.gdot(T, s.q, s.v), rate, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", [1, 2])
def test_stiffness_at_rest_is_exact(system, seed):
    s = somewhere(system, seed, fast=0.0)
    _, _, K = system.tangents(T, s.q, s.v, s.lam)
    assert_close(K.toarray(), -differences(lambda d: s.f(system.advance(s.q, d), s.v), system.nv), 1e-7)


def left_out(s):
    """Return what the stiffness leaves out: damping of twists that modes change without turning the frame."""
    workspace, mk = s.system.workspace, s.system.tables.markers
    machine, K = workspace.machine, np.zeros((s.system.nv, s.system.nv))
    state = machine.point.markers
    for u, (first, second) in enumerate(zip(machine.scatter.first, machine.scatter.second, strict=True)):
        a, b = slice(mk.ptr[first], mk.ptr[first + 1]), slice(mk.ptr[second], mk.ptr[second + 1])
        X = np.zeros((b.stop - b.start, 6))
        markers.flutter(mk, s.q, s.v, state, second, X)
        np.add.at(K, np.ix_(mk.dof[a], mk.dof[b]), state.J[a] @ machine.work.C6[u] @ X.T)
    return K


@pytest.mark.parametrize("seed", [1, 2])
def test_stiffness_in_motion_is_exact_but_for_dampers_on_modes(system, seed):
    """Dampers at nodes of a floating body: their part in the columns of its modes is known, and left out."""
    s = somewhere(system, seed)
    _, _, K = system.tangents(T, s.q, s.v, s.lam)
    wanted = -differences(lambda d: s.f(system.advance(s.q, d), s.v), system.nv)
    modes = is_mode(system)
    assert_close(K.toarray()[:, ~modes], wanted[:, ~modes], 1e-7)
    system.tangents(T, s.q, s.v, s.lam)
    rest = left_out(s)
    assert not rest[:, ~modes].any()
    assert 0.0 < np.abs(rest).max() < 1e-3 * np.abs(wanted).max()
    assert_close(K.toarray() + rest, wanted, 1e-7)


def test_forces_without_damping_are_those_of_the_potential(system):
    s = somewhere(system, 4, fast=0.0)
    F = system.at(T, s.q, s.v).F[tab.CONSERVATIVE].copy()
    slope = differences(lambda d: np.array([system.potential(T, system.advance(s.q, d))]), system.nv, h=1e-3)[0]
    np.testing.assert_allclose(F, -slope, rtol=1e-6, atol=1e-6 * np.abs(F).max())


def test_advance_stays_on_the_group():
    """The quaternion keeps its length through a thousand turns of any size, and turns add as rotations do."""
    system = heavy_top().assemble()
    rng = np.random.default_rng(0)
    q = system.q0
    for size in (1e-9, 1e-4, 0.0999, 0.1001, 1.0, 3.0):
        for _ in range(200):
            q = system.advance(q, size * rng.normal(size=system.nv))
        assert abs(np.linalg.norm(q[3:7]) - 1.0) < 1e-13
    e = np.array([0.0, 0.0, 0.0, 0.3, -0.2, 0.6])
    half = system.advance(system.advance(q, 0.5 * e), 0.5 * e)
    np.testing.assert_allclose(half, system.advance(q, e), rtol=0, atol=1e-15)
    np.testing.assert_allclose(system.advance(system.advance(q, e), -e), q, rtol=0, atol=1e-15)


# ------------------------------------------------------------------------------------- the matrix of a step


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=float)


def inverse_tangent(t):
    """Return T^-1(t), from the exponential of the adjoint: T = (1 - exp(-t~)) / t~ by its power series."""
    total, term = np.eye(3), np.eye(3)
    for k in range(2, 30):
        term = term @ (-skew(t)) / k
        total = total + term
    return np.linalg.inv(total)


class Step:
    """The last step a run took, open again: its residuals at another v~ and Lam, and its bordered matrix."""

    def __init__(self, system, scheme, h=5e-3, steps=5):
        self.system, self.engine = system, run(system, scheme, h, steps).engine
        assert self.engine.failure is None
        self.machine, self.at = self.engine.workspace.machine, self.engine.workspace.at
        self.trial = self.machine.trial
        self.q_n = self.machine.motion.q_before.copy()
        rng, modes = np.random.default_rng(0), is_mode(system)
        change = 0.05 * rng.normal(size=system.nv)
        change[modes] *= 0.02
        self.v = self.trial.vec[VT] + change
        self.Lam = self.trial.joint[LAM_J] + 1e-3 * rng.normal(size=system.nj)
        self.base = self.residual(self.v, self.Lam)
        frames = system.tables.unknowns.frame_v + 3
        self.back = {i: inverse_tangent(self.trial.vec[INCREMENT, i : i + 3]) for i in frames.tolist()}
        assert assemble_stage(self.at, 0) == -1
        self.S = self.machine.mats.S.copy()

    def residual(self, v, Lam):
        """Return (R, rho) of the step that ends with v~ = v and Lam_J = Lam."""
        vec, m = self.trial.vec, self.machine
        vec[VT], self.trial.joint[LAM_J] = v, Lam
        vec[INCREMENT] = vec[D0] + m.step[D1] * v + vec[DQ] + vec[DQ_JOINT]
        vec[T_V] = v + vec[W]
        self.trial.q[:] = self.system.advance(self.q_n, vec[INCREMENT])
        place_stage(self.at, 1)
        return np.concatenate([vec[R], self.trial.joint[RHO]])

    def moved(self, x):
        """Return (R, rho) after the correction x = (xi, dLam)."""
        nv, d = self.system.nv, x[: self.system.nv].copy()
        for i, back in self.back.items():
            d[i : i + 3] = back @ d[i : i + 3]
        return self.residual(self.v + d, self.Lam + x[nv:])

    def solve(self, b):
        """Return S^-1 b with the factors of the machine."""
        x = b.copy()
        lu_solve(self.machine.sym, self.S, x, self.trial.big[LU_])
        return x

    def defect(self):
        """Return S^-1 J - 1 for the derivative J of (R, rho) by differences."""
        n = self.system.nv + self.system.nj
        J = differences(self.moved, n)
        return np.array([self.solve(column) for column in J.T]).T - np.eye(n)


LEVELS = [
    GeneralizedAlpha(0.7, constraints="index3"),
    GeneralizedAlpha(0.7, constraints="index2"),
    GeneralizedAlpha(0.7),
    MoreauJean(0.6),
]


@pytest.fixture(scope="module")
def undamped():
    """Every part but dampers and floating bodies, for which the matrix is the exact derivative."""
    return everything(floating=False, damping=0.0).assemble()


@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_step_matrix_is_the_derivative_of_the_residuals(undamped, scheme):
    step = Step(undamped, scheme)
    assert np.abs(step.base).max() > 1e-3
    assert np.abs(step.defect()).max() < 1e-6


@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_newton_contracts_quadratically(undamped, scheme):
    step = Step(undamped, scheme)
    x = step.solve(-step.base)
    whole = np.linalg.norm(step.moved(x))
    assert whole < 1e-3 * np.linalg.norm(step.base)
    # the residual along the way is (1 - s) of the first, and a square on top
    for s in (0.25, 0.5):
        rest = step.moved(s * x) - (1.0 - s) * step.base
        assert np.linalg.norm(rest) == pytest.approx(s**2 * whole, rel=0.1)


@pytest.mark.parametrize("scheme", LEVELS, ids=repr)
def test_step_matrix_with_dampers_and_modes_is_exact_as_steps_get_small(system, scheme):
    """It leaves out how dampers and floating masses feel T^-1 - 1, which is of the order of h."""
    large, small = (np.abs(Step(system, scheme, h=h, steps=4).defect()).max() for h in (4e-3, 1e-3))
    assert large < 0.1
    assert small < 0.5 * large
