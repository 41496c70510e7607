"""Small multibody systems for tests: bodies put into a ``Builder`` by hand, random states, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker, on_frame
from flexmb.kernels.geometry import angle_rows, constraint_rows, markers
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.geometry.rotation import axes_of, turn
from flexmb.state import Array

T = 0.3
"""Time at which rows are evaluated, s."""
AXES = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
"""Axes of markers that are no special ones."""
NODE_D, MODES_D = (np.random.default_rng(seed).normal(size=(k, 6)) for seed, k in ((3, 5), (5, 3)))
"""Motions of a node per unknown and of a floating node per mode."""


class Wave:
    """offset + amplitude sin(omega t + phase), as the compiled loops take it."""

    def __init__(self, offset: float = 0.2, amplitude: float = 0.7, omega: float = 1.9, phase: float = 0.4) -> None:
        self.data = np.array([offset, amplitude, omega, phase])

    def code(self) -> tuple[int, Array]:
        return tab.HARMONIC, self.data


def builder(gravity: Array | None = None, t0: float = 0.0) -> Builder:
    return Builder(np.zeros(3) if gravity is None else gravity, t0)


def random_quaternion(rng: np.random.Generator) -> Array:
    p = rng.normal(size=4)
    return np.asarray(p / np.linalg.norm(p))


def axes(p: Array) -> Array:
    """Return A(p)."""
    A = np.zeros((3, 3))
    axes_of(np.asarray(p, dtype=float), 0, A)
    return A


def turn_about(axis: Array, angle: float) -> Array:
    """Return the quaternion of a turn about a unit axis."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis)])


def add_rigid(
    b: Builder,
    name: str,
    *,
    x: Array = (0.0, 0.0, 0.0),
    p: Array = (1.0, 0.0, 0.0, 0.0),
    velocity: Array = (0.0, 0.0, 0.0),
    omega: Array = (0.0, 0.0, 0.0),
    mass: float = 2.0,
    inertia: Array = (0.3, 0.4, 0.5),
    points: Mapping[str, Array] | None = None,
) -> BodyInfo:
    """Add a rigid body; ``points`` are named ones in its own axes."""
    x, p = np.asarray(x, dtype=float), np.asarray(p, dtype=float)
    iq, iv = b.add_frame(x, p, np.asarray(velocity, dtype=float), np.asarray(omega, dtype=float), name)
    A = axes(p)
    center = on_frame(iq, iv, x, A, np.zeros(3), name)
    named = {k: on_frame(iq, iv, x, A, np.asarray(s, dtype=float), f"{name}.{k}") for k, s in (points or {}).items()}
    index = iv + np.arange(6)
    b.add_matrix("M", index, np.diag([mass] * 3 + list(inertia)))
    b.add_force(index[:3], mass * b.gravity)
    info = BodyInfo(name, [center], named, True, mass, index, rigid=True, attach=center)
    b.add_body(info)
    return info


def planar_place(iq: int, iv: int, x: Array, theta: float, local: Array, label: str) -> Marker:
    """Return a point of a planar body that starts at (x, y, theta)."""
    A = axes(turn_about((0, 0, 1), theta))
    position = np.array([x[0], x[1], 0.0]) + A @ local
    dofs = np.arange(3)
    return Marker(tab.PLANAR, position, A, local, iq, iv, iv + dofs, iq + dofs, np.zeros((3, 6)), True, label)


def add_planar(
    b: Builder,
    name: str,
    *,
    x: Array = (0.0, 0.0),
    theta: float = 0.0,
    velocity: Array = (0.0, 0.0, 0.0),
    mass: float = 2.0,
    inertia: float = 0.5,
    points: Mapping[str, Array] | None = None,
) -> BodyInfo:
    """Add a planar body q = (x, y, theta)."""
    q = np.array([x[0], x[1], theta])
    iq, iv = b.add_plain(q, np.asarray(velocity, dtype=float), [f"{name}.{k}" for k in ("x", "y", "theta")])
    center = planar_place(iq, iv, q, theta, np.zeros(3), name)
    named = {
        k: planar_place(iq, iv, q, theta, np.asarray(s, dtype=float), f"{name}.{k}") for k, s in (points or {}).items()
    }
    index = iv + np.arange(3)
    b.add_matrix("M", index, np.diag([mass, mass, inertia]))
    b.add_force(index[:2], mass * b.gravity[:2])
    info = BodyInfo(name, [center], named, True, mass, index, rigid=True, attach=center)
    b.add_body(info)
    return info


def add_node(
    b: Builder, name: str, D: Array, *, position: Array = (0.0, 0.0, 0.0), turns: bool = True, q: Array | None = None
) -> BodyInfo:
    """Add a body of small displacement with one node that moves by D[d, :3] and turns by D[d, 3:] per unknown d."""
    D = np.asarray(D, dtype=float)
    k = len(D)
    q = np.zeros(k) if q is None else np.asarray(q)
    iq, iv = b.add_plain(q, np.zeros(k), [f"{name}.u{d}" for d in range(k)])
    s = np.asarray(position, dtype=float)
    dofs = np.arange(k)
    place = Marker(tab.NODE, s + q @ D[:, :3], np.eye(3), s, -1, -1, iv + dofs, iq + dofs, D, turns, f"{name}.node(0)")
    b.add_matrix("M", iv + dofs, np.eye(k))
    info = BodyInfo(name, [place], {"first": place}, False, 1.0, iv + dofs)
    b.add_body(info)
    return info


def add_floating(
    b: Builder, name: str, D: Array, *, x: Array = (0.0, 0.0, 0.0), p: Array = (1.0, 0.0, 0.0, 0.0), s: Array
) -> BodyInfo:
    """Add the frame and modes of a floating body with one node at s (body axes); no inertia is added."""
    D, x, s = (np.asarray(y, dtype=float) for y in (D, x, s))
    iq, iv = b.add_frame(x, np.asarray(p, dtype=float), np.zeros(3), np.zeros(3), name)
    jq, jv = b.add_plain(np.zeros(len(D)), np.zeros(len(D)), [f"{name}.mode{k}" for k in range(len(D))])
    A = axes(np.asarray(p))
    dof = np.concatenate([iv + np.arange(6), jv + np.arange(len(D))])
    qdof = np.concatenate([iq + np.arange(3), [-1] * 3, jq + np.arange(len(D))])
    full = np.vstack([np.zeros((6, 6)), D])
    place = Marker(tab.FLOATING, x + A @ s, A, s, iq, iv, dof, qdof, full, True, f"{name}.node(0)")
    info = BodyInfo(name, [place], {"first": place}, False, 1.0, dof)
    b.add_body(info)
    return info


class State(NamedTuple):
    """Markers, angles and rows in a state."""

    markers: tab.MarkerState
    angles: tab.AngleState
    rows: tab.RowState


def evaluate(system: tab.System, q: Array, v: Array, t: float = T, turn_: Array | None = None) -> State:
    """Return markers, angles and rows; arrays are filled with nan before, so nothing unwritten goes unseen."""
    nm, nd, nr = len(system.markers.kind), len(system.markers.dof), len(system.rows.kind)
    na = len(system.angles.A)

    def empty(*shape: int) -> Array:
        return np.full(shape, np.nan)

    m = tab.MarkerState(
        empty(nm, 3), empty(nm, 3, 3), empty(nd, 6), empty(nm, 6), empty(nm, 6), np.zeros((tab.CLASSES, nm, 6)),
        empty(nm, 3),
    )  # fmt: skip
    a = tab.AngleState(empty(na), empty(na, 3), empty(na), np.zeros(na) if turn_ is None else turn_)
    r = tab.RowState(empty(nr), empty(nr), empty(len(system.rows.marker), 6), empty(nr))
    markers.place(system.markers, np.concatenate([q, np.zeros_like(q)]), m)
    markers.move(system.markers, q, v, m)
    angle_rows.angles(system.angles, m, a)
    constraint_rows.rows(system.rows, system.angles, system.functions, system.curves, m, a, t, r)
    return State(m, a, r)


def advanced(system: tab.System, q: Array, dq: Array) -> Array:
    """Return q (+) dq."""
    out = q.copy()
    u = system.unknowns
    out[u.plain_q] += dq[u.plain_v]
    for iq, iv in zip(u.frame_q, u.frame_v, strict=True):
        turn(q, iq + 3, *dq[iv + 3 : iv + 6], out)
    return out


def random_state(system: tab.System, seed: int = 0, spread: float = 0.5) -> tuple[Array, Array]:
    """Return q and v: plain unknowns normal with deviation ``spread``, frames turned at random."""
    rng = np.random.default_rng(seed)
    u = system.unknowns
    q = np.zeros(len(u.plain_q) + 4 * len(u.frame_q))
    v = rng.normal(size=len(u.plain_v) + 3 * len(u.frame_v))
    q[u.plain_q] = spread * rng.normal(size=len(u.plain_q))
    for iq in u.frame_q:
        q[iq + 3 : iq + 7] = random_quaternion(rng)
    return q, v


def directions(system: tab.System, state: State) -> Array:
    """Return G, (nv, nr): the gradients of all rows by the unknowns."""
    rows, mk = system.rows, system.markers
    G = np.zeros((len(system.linear.q_of_v), len(rows.kind)))
    for r in range(len(rows.kind)):
        for s in range(rows.ptr[r], rows.ptr[r + 1]):
            own = slice(mk.ptr[rows.marker[s]], mk.ptr[rows.marker[s] + 1])
            np.add.at(G[:, r], mk.dof[own], state.markers.J[own] @ state.rows.grad[s])
    return G


def differences(f: Callable[[Array], Array], system: tab.System, q: Array, step: float = 1e-4) -> Array:
    """Return df/dq by increments, (nv, ...): fourth-order central differences of f(q)."""
    columns = []
    for e in np.eye(len(system.linear.q_of_v)):
        near = f(advanced(system, q, step * e)) - f(advanced(system, q, -step * e))
        far = f(advanced(system, q, 2 * step * e)) - f(advanced(system, q, -2 * step * e))
        columns.append((8 * near - far) / (12 * step))
    return np.array(columns)


def along(f: Callable[[Array], Array], system: tab.System, q: Array, v: Array, step: float = 1e-3) -> Array:
    """Return d/dt of f along the motion with constant v, by fourth-order differences."""

    def at(t: float) -> Array:
        return f(advanced(system, q, t * v))

    return np.asarray((8 * (at(step) - at(-step)) - at(2 * step) + at(-2 * step)) / (12 * step))
