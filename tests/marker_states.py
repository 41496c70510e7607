"""Markers in a given state, without a run: what the force laws between them are tested with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.kernels.geometry import angle_rows, links, markers
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.multibody import exact_beam

Law = Callable[[tab.MarkerState], float | None]
Tangent = Callable[[tab.MarkerState, np.ndarray, np.ndarray], None]


def ints(*values):
    return np.array(values, dtype=np.int64)


def marker_state(r, R, twist=None, nd=0) -> tab.MarkerState:
    n = len(r)
    return tab.MarkerState(
        r=np.array(r, dtype=float),
        R=np.array(R, dtype=float),
        J=np.zeros((nd, 6)),
        twist=np.zeros((n, 6)) if twist is None else np.array(twist, dtype=float),
        bias=np.zeros((n, 6)),
        wrench=np.zeros((tab.CLASSES, n, 6)),
        low=np.zeros((n, 3)),
    )


def random_state(n: int, seed: int) -> tab.MarkerState:
    rng = np.random.default_rng(seed)
    R = Rotation.from_quat(rng.normal(size=(n, 4))).as_matrix()
    return marker_state(rng.normal(size=(n, 3)), R, rng.normal(size=(n, 6)))


def acted(law: Law, state: tab.MarkerState) -> tuple[float, np.ndarray]:
    """Return the stored energy and the wrenches by class."""
    state.wrench[:] = 0.0
    energy = law(state)
    return 0.0 if energy is None else energy, state.wrench.copy()


def posed(state: tab.MarkerState, m: int, k: int, h: float) -> tab.MarkerState:
    """Return the state with marker m moved (k < 3) or turned about a space axis."""
    r, R = state.r.copy(), state.R.copy()
    if k < 3:
        r[m, k] += h
    else:
        R[m] = Rotation.from_rotvec(h * np.eye(3)[k - 3]).as_matrix() @ R[m]
    return marker_state(r, R, state.twist)


def twisted(state: tab.MarkerState, m: int, k: int, h: float) -> tab.MarkerState:
    twist = state.twist.copy()
    twist[m, k] += h
    return marker_state(state.r, state.R, twist)


def differences(law: Law, state: tab.MarkerState, h: float = 1e-4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return -dE/dpose (n, 6) and K, C (6 n, 6 n), all by fourth-order differences."""
    n = len(state.r)
    gradient, K, C = np.zeros((n, 6)), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for m in range(n):
        for k in range(6):
            for moved, out in ((posed, K), (twisted, C)):
                ends = {i: acted(law, moved(state, m, k, i * h)) for i in (-2, -1, 1, 2)}

                def slope(pick, ends=ends):
                    return (8 * (pick(ends[1]) - pick(ends[-1])) - (pick(ends[2]) - pick(ends[-2]))) / (12 * h)

                out[:, 6 * m + k] = -slope(lambda x: x[1].sum(axis=0).ravel())
                if moved is posed:
                    gradient[m, k] = -slope(lambda x: x[0])
    return gradient, K, C


def blocks(tangent: Tangent, state: tab.MarkerState) -> tuple[np.ndarray, np.ndarray]:
    """Return the tangents over all markers of the state, whose pairs are (0, 0), (0, 1), ..."""
    n = len(state.r)
    K6, C6 = np.zeros((n * n, 6, 6)), np.zeros((n * n, 6, 6))
    tangent(state, K6, C6)
    return tuple(x.reshape(n, n, 6, 6).transpose(0, 2, 1, 3).reshape(6 * n, 6 * n) for x in (K6, C6))


def angle_state(angles: tab.Angles, state: tab.MarkerState) -> tab.AngleState:
    n = angles.A.size
    out = tab.AngleState(np.zeros(n), np.zeros((n, 3)), np.zeros(n), np.zeros(n))
    angle_rows.angles(angles, state, out)
    return out


def forces(system: tab.System, q, v, t: float = 0.0) -> tuple[float, np.ndarray, tab.MarkerState]:
    """Return the energy stored in links and beams, the forces by class (CLASSES, nv), and the markers."""
    mk = system.markers
    state = marker_state(np.zeros((mk.kind.size, 3)), np.zeros((mk.kind.size, 3, 3)), nd=mk.dof.size)
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    markers.place(mk, np.concatenate([q, np.zeros_like(q)]), state)
    markers.move(mk, q, v, state)
    energy = links.springs(system.springs, state)
    energy += links.torsions(system.torsions, system.angles, state, angle_state(system.angles, state))
    energy += exact_beam.beams(system.beams, state, np.zeros(exact_beam.SCRATCH))
    links.pushes(system.pushes, system.functions, state, t)
    F = np.zeros((tab.CLASSES, v.size))
    for c in (tab.CONSERVATIVE, tab.DAMPING, tab.EXTERNAL):
        markers.collect(mk, state, c, F)
    return energy, F, state
