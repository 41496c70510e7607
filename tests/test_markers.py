"""Markers of all kinds: places against rotations of scipy, every derivative against differences."""

from __future__ import annotations

import multibody_systems as ms
import numpy as np
import pytest
from multibody_systems import AXES, MODES_D, NODE_D, along
from scipy.spatial.transform import Rotation

from flexmb.kernels.geometry import markers
from flexmb.kernels.geometry import tables as tab
from flexmb.state import Array

SHIFT_D = np.column_stack([np.random.default_rng(4).normal(size=(2, 3)), np.zeros((2, 3))])
KINDS = ("ground", "frame", "planar", "node", "shifted node", "floating")


@pytest.fixture(scope="module")
def system() -> tab.System:
    """Return a system with the markers of ``KINDS`` after marker 0."""
    b = ms.builder()
    ms.add_rigid(b, "rigid", x=(1.0, 2.0, 3.0), points={"tip": (0.4, -0.7, 0.9)})
    ms.add_planar(b, "planar", points={"tip": (0.5, 0.2, 0.7)})
    ms.add_node(b, "node", NODE_D, position=(0.1, 0.2, 0.3))
    ms.add_node(b, "bar", SHIFT_D, position=(0.1, 0.2, 0.3), turns=False)
    ms.add_floating(b, "floating", MODES_D, s=(0.8, -0.1, 0.3))
    b.marker(b.place("ground", "", point=np.array([0.5, 0.6, 0.7])), AXES)
    for ref in ("rigid.tip", "planar.tip", "node.first", "bar.first", "floating.first"):
        b.marker(b.place(ref, ""), AXES)
    return b.build()


def states(system: tab.System) -> list[tuple[Array, Array]]:
    """Return states with large, middle, small and no elastic rotations."""
    found = []
    for seed, spread in ((1, 1.0), (2, 0.2), (3, 1e-3), (4, 0.0)):
        q, v = ms.random_state(system, seed, spread)
        found.append((q, v))
    return found


def rotation_rates(dR: Array, R: Array) -> Array:
    """Return the vectors w of dR = w~ R, (..., 3)."""
    W = dR @ np.swapaxes(R, -1, -2)
    assert np.abs(W + np.swapaxes(W, -1, -2)).max() < 1e-8
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def test_places_and_axes(system: tab.System) -> None:
    for q, v in states(system):
        m = ms.evaluate(system, q, v).markers
        np.testing.assert_allclose(m.r[1], [0.5, 0.6, 0.7], atol=0)
        np.testing.assert_allclose(m.R[1], AXES, atol=0)
        A = Rotation.from_quat(q[3:7], scalar_first=True).as_matrix()
        np.testing.assert_allclose(m.r[2], q[:3] + A @ [0.4, -0.7, 0.9], rtol=0, atol=1e-14)
        np.testing.assert_allclose(m.R[2], A @ AXES, rtol=0, atol=1e-14)
        Az = Rotation.from_rotvec([0, 0, q[9]]).as_matrix()
        np.testing.assert_allclose(m.r[3], [q[7], q[8], 0] + Az @ [0.5, 0.2, 0.7], rtol=0, atol=1e-14)
        np.testing.assert_allclose(m.R[3], Az @ AXES, rtol=0, atol=1e-14)
        u = q[10:15] @ NODE_D
        np.testing.assert_allclose(m.r[4], [0.1, 0.2, 0.3] + u[:3], rtol=0, atol=1e-14)
        np.testing.assert_allclose(m.R[4], Rotation.from_rotvec(u[3:]).as_matrix() @ AXES, rtol=0, atol=1e-13)
        np.testing.assert_allclose(m.r[5], [0.1, 0.2, 0.3] + q[15:17] @ SHIFT_D[:, :3], rtol=0, atol=1e-14)
        np.testing.assert_allclose(m.R[5], AXES, atol=0)
        A = Rotation.from_quat(q[20:24], scalar_first=True).as_matrix()
        u = q[24:27] @ MODES_D
        np.testing.assert_allclose(m.r[6], q[17:20] + A @ ([0.8, -0.1, 0.3] + u[:3]), rtol=0, atol=1e-14)
        np.testing.assert_allclose(m.R[6], A @ Rotation.from_rotvec(u[3:]).as_matrix() @ AXES, rtol=0, atol=1e-13)


def test_axes_of_markers_at_the_start_are_those_asked_for() -> None:
    b = ms.builder()
    p = ms.random_quaternion(np.random.default_rng(5))
    ms.add_rigid(b, "rigid", x=(1.0, 2.0, 3.0), p=p)
    ms.add_floating(b, "floating", MODES_D, p=p, s=(0.8, -0.1, 0.3))
    numbers = [b.marker(b.place(ref, ""), AXES) for ref in ("rigid", "floating.first")]
    m = ms.evaluate(b.build(), np.array(b.q0), np.array(b.v0)).markers
    for number in numbers:
        np.testing.assert_allclose(m.R[number], AXES, rtol=0, atol=1e-14)


def test_rates_per_unknown(system: tab.System) -> None:
    mk = system.markers
    for q, v in states(system):
        m = ms.evaluate(system, q, v).markers
        dr = ms.differences(lambda x, v=v: ms.evaluate(system, x, v).markers.r, system, q)
        dR = ms.differences(lambda x, v=v: ms.evaluate(system, x, v).markers.R, system, q)
        for k in range(len(mk.kind)):
            J = np.zeros((len(v), 6))
            np.add.at(J, mk.dof[mk.ptr[k] : mk.ptr[k + 1]], m.J[mk.ptr[k] : mk.ptr[k + 1]])
            expected = np.hstack([dr[:, k], rotation_rates(dR[:, k], m.R[k])])
            np.testing.assert_allclose(J, expected, rtol=0, atol=1e-9)


def test_twists_and_their_rates_at_constant_v(system: tab.System) -> None:
    for q, v in states(system):
        m = ms.evaluate(system, q, v).markers
        np.testing.assert_allclose(
            m.twist[:, :3], along(lambda x, v=v: ms.evaluate(system, x, v).markers.r, system, q, v), rtol=0, atol=1e-9
        )
        spin = rotation_rates(along(lambda x, v=v: ms.evaluate(system, x, v).markers.R, system, q, v), m.R)
        np.testing.assert_allclose(m.twist[:, 3:], spin, rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            m.bias, along(lambda x, v=v: ms.evaluate(system, x, v).markers.twist, system, q, v), rtol=0, atol=1e-7
        )
    assert np.abs(m.bias[[2, 3, 6]]).max(axis=1).min() > 0.1


def test_collect_adds_the_power_of_wrenches(system: tab.System) -> None:
    q, v = states(system)[0]
    m = ms.evaluate(system, q, v).markers
    rng = np.random.default_rng(0)
    m.wrench[1:3] = rng.normal(size=m.wrench[1:3].shape)
    F = np.zeros((tab.CLASSES, len(v)))
    F[2] = 1.0
    before = F.copy()
    markers.collect(system.markers, m, tab.DAMPING, F)
    markers.collect(system.markers, m, tab.EXTERNAL, F)
    power = np.einsum("cmk,mk->c", m.wrench, m.twist)
    np.testing.assert_allclose((F - before) @ v, power, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", range(1, 7), ids=KINDS)
def test_turning_levers(system: tab.System, k: int) -> None:
    mk = system.markers
    own = slice(mk.ptr[k], mk.ptr[k + 1])
    w = np.random.default_rng(k).normal(size=6)
    for q, v in states(system):
        J = ms.evaluate(system, q, v).markers
        n = mk.ptr[k + 1] - mk.ptr[k]
        K = np.full((n + 2, n + 2), 0.25)
        markers.carry(mk, J, k, w, K, n)
        dF = ms.differences(lambda x, v=v: ms.evaluate(system, x, v).markers.J[own] @ w, system, q)[mk.dof[own]].T
        np.testing.assert_allclose(K[:n, :n] - 0.25, -dF, rtol=0, atol=2e-8)
        assert np.all(K[n:] == 0.25)


@pytest.mark.parametrize("k", range(1, 7), ids=KINDS)
def test_change_of_twists_at_fixed_v(system: tab.System, k: int) -> None:
    mk = system.markers
    own = slice(mk.ptr[k], mk.ptr[k + 1])
    for q, v in states(system):
        m = ms.evaluate(system, q, v).markers
        Z, X = np.full((6, 6), np.nan), np.full((len(m.J[own]), 6), np.nan)
        markers.swirl(mk, q, v, m, k, Z)
        markers.flutter(mk, q, v, m, k, X)
        change = ms.differences(lambda x, v=v: ms.evaluate(system, x, v).markers.twist[k], system, q)[mk.dof[own]]
        np.testing.assert_allclose(m.J[own] @ Z.T + X, change, rtol=0, atol=5e-8)
        if KINDS[k - 1] != "floating":
            assert np.all(X == 0.0)
