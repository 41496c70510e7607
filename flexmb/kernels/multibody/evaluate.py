"""Quantities of a multibody system in (t, q, v): positions, constraints, forces by class, momentum, energy."""

from __future__ import annotations

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.pointers import floats
from flexmb.kernels.compilation.stages import (
    BEAMS_STAGE,
    FLOATING_STAGE,
    FORCES,
    MOMENTUM,
    ROTORS_STAGE,
    ROWS_BESIDE_STAGE,
    ask,
    asked,
)
from flexmb.kernels.geometry import angle_rows, constraint_rows, links, markers
from flexmb.kernels.geometry.rotation import axes_of, turn
from flexmb.kernels.geometry.split_sums import split_sum
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, DAMPING, EXTERNAL, JOINT, Linear, Matrix, Unknowns
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import EARLY
from flexmb.state import Array, IntArray


@kernel
def copy(x: Array, out: Array) -> None:
    """Copy x (n,) to out; assigning slices would need an allocation."""
    for i in range(x.size):
        out[i] = x[i]


@kernel
def advance(unknowns: Unknowns, q: Array, dq: Array, out: Array) -> None:
    """Write q (+) dq to ``out`` (2 nq,): sums for plain unknowns, products of quaternions for frames."""
    n = q.size // 2
    for k in range(unknowns.plain_q.size):
        j = unknowns.plain_q[k]
        out[j], out[n + j] = split_sum(q[j], q[n + j] + dq[unknowns.plain_v[k]])
    for f in range(unknowns.frame_q.size):
        i = unknowns.frame_v[f] + 3
        turn(q, unknowns.frame_q[f] + 3, dq[i], dq[i + 1], dq[i + 2], out)


@inner
def axes_of_frames(first: IntArray, q: Array, A: Array) -> None:
    """Write the axes of the frames that start at ``first`` in q to A (nf, 3, 3)."""
    for f in range(first.size):
        axes_of(q, first[f] + 3, A[f])


@inner
def multiply(A: Matrix, x: Array, sign: float, y: Array) -> None:
    """Add sign A x to y."""
    for i in range(A.ptr.size - 1):
        total = 0.0
        for k in range(A.ptr[i], A.ptr[i + 1]):
            total += A.val[k] * x[A.col[k]]
        y[i] += sign * total


@inner
def _linear_forces(linear: Linear, q: Array, v: Array, F: Array) -> float:
    """Add F0 - K q and -C v to the forces; return the energy stored in K and F0."""
    stored = linear.V0
    c, d = F[CONSERVATIVE], F[DAMPING]
    for i in range(linear.F0.size):
        j = linear.q_of_v[i]
        stretch = 0.0
        for k in range(linear.K.ptr[i], linear.K.ptr[i + 1]):
            stretch += linear.K.val[k] * q[linear.q_of_v[linear.K.col[k]]]
        c[i] += linear.F0[i] - stretch
        if j >= 0:
            stored += (0.5 * stretch - linear.F0[i]) * q[j]
    multiply(linear.C, v, -1.0, d)
    return stored


@kernel
def place(at: int, t: float, q: Array, v: Array) -> None:
    """Evaluate frames, markers, angles and rows."""
    unknowns, floating_bodies = part(at, "system.unknowns"), part(at, "system.floating")
    mk, state, astate = part(at, "system.markers"), part(at, "point.markers"), part(at, "point.angles")
    table, rows = part(at, "system.angles"), part(at, "system.rows")
    axes_of_frames(unknowns.frame_q, q, part(at, "point.A"))
    axes_of_frames(floating_bodies.frame_q, q, part(at, "point.A_floating"))
    markers.place(mk, q, state)
    markers.move(mk, q, v, state)
    angle_rows.angles(table, state, astate)
    functions, values, early = part(at, "system.functions"), part(at, "point.rows"), part(at, "step")[EARLY]
    constraint_rows.rows(rows, table, functions, part(at, "system.curves"), state, astate, t, values, early)
    if rows.kind.size > part(at, "system.joints") + part(at, "system.contacts"):
        ask(part(at, "rare")[ROWS_BESIDE_STAGE], at, 0, t, 0.0, q, v, v)


@inner
def evaluate(at: int, t: float, q: Array, v: Array) -> None:
    """Write all of ``point`` in (t, q, v) but the joint forces, which need multipliers (see ``joint_forces``)."""
    place(at, t, q, v)
    mk, state, astate, F = (
        part(at, "system.markers"),
        part(at, "point.markers"),
        part(at, "point.angles"),
        part(at, "point.F"),
    )
    rare, potential = part(at, "rare"), part(at, "point.potential")
    state.wrench[:] = 0.0
    F[:] = 0.0
    stored = links.springs(part(at, "system.springs"), state)
    stored += links.torsions(part(at, "system.torsions"), part(at, "system.angles"), state, astate)
    potential[0] = stored
    if part(at, "system.beams.A").size > 0:
        ask(rare[BEAMS_STAGE], at, FORCES, t, 0.0, q, v, v)
    links.pushes(part(at, "system.pushes"), part(at, "system.functions"), state, t)
    for c in (CONSERVATIVE, DAMPING, EXTERNAL):
        markers.collect(mk, state, c, F)
    potential[0] += _linear_forces(part(at, "system.linear"), q, v, F)
    if part(at, "system.floating.modes").size > 0:
        ask(rare[FLOATING_STAGE], at, FORCES, t, 0.0, q, v, v)
    if part(at, "system.rotors.drag").size > 0:
        ask(rare[ROTORS_STAGE], at, FORCES, t, 0.0, q, v, v)


@asked
def evaluate_stage(at: int, flag: int, t: float, c: float, q_at: int, v_at: int, p_at: int) -> int:
    """Evaluate as ``evaluate`` does; q and v are at the addresses given."""
    nv = part(at, "motion.vec").shape[1]
    evaluate(at, t, carray(floats(q_at), part(at, "motion.q").size), carray(floats(v_at), nv))
    return 0


def evaluate_at(at: int, t: float, q: Array, v: Array) -> None:
    """Evaluate as ``evaluate`` does, from Python; q (2 nq,) and v (nv,) have the sizes of the machine."""
    q, v = np.ascontiguousarray(q, dtype=np.float64), np.ascontiguousarray(v, dtype=np.float64)
    evaluate_stage(at, 0, t, 0.0, q.ctypes.data, v.ctypes.data, v.ctypes.data)


@kernel
def joint_forces(at: int, lam: Array) -> None:
    """Write the forces G lam of the joints to F[JOINT] (and their wrenches)."""
    state, rows, grad = part(at, "point.markers"), part(at, "system.rows"), part(at, "point.rows.grad")
    wrench, F = state.wrench[JOINT], part(at, "point.F")
    wrench[:] = 0.0
    F[JOINT, :] = 0.0
    for r in range(part(at, "system.joints")):
        for s in range(rows.ptr[r], rows.ptr[r + 1]):
            m = rows.marker[s]
            for k in range(6):
                wrench[m, k] += lam[r] * grad[s, k]
    markers.collect(part(at, "system.markers"), state, JOINT, F)


@kernel
def add_direction(at: int, r: int, factor: float, out: Array) -> None:
    """Add ``factor`` times the force direction G_r of row r to out (nv,)."""
    mk, rows = part(at, "system.markers"), part(at, "system.rows")
    J, grad = part(at, "point.markers.J"), part(at, "point.rows.grad")
    for s in range(rows.ptr[r], rows.ptr[r + 1]):
        m = rows.marker[s]
        for d in range(mk.ptr[m], mk.ptr[m + 1]):
            along = 0.0
            for k in range(6):
                along += J[d, k] * grad[s, k]
            out[mk.dof[d]] += factor * along


@inner
def along_direction(at: int, r: int, x: Array) -> float:
    """Return G_r^T x of row r."""
    mk, rows = part(at, "system.markers"), part(at, "system.rows")
    J, grad = part(at, "point.markers.J"), part(at, "point.rows.grad")
    total = 0.0
    for s in range(rows.ptr[r], rows.ptr[r + 1]):
        m = rows.marker[s]
        for d in range(mk.ptr[m], mk.ptr[m + 1]):
            along = 0.0
            for k in range(6):
                along += J[d, k] * grad[s, k]
            total += along * x[mk.dof[d]]
    return total


@kernel
def row_rate(at: int, r: int) -> float:
    """Return dg/dt of row r: G_r^T v + g_t."""
    return constraint_rows.velocity(part(at, "system.rows"), r, part(at, "point.markers"), part(at, "point.rows"))


@kernel
def row_bias(at: int, r: int, t: float) -> float:
    """Return the second time derivative of g of row r where v keeps its components."""
    return constraint_rows.bias(
        part(at, "system.rows"), part(at, "system.angles"), part(at, "system.functions"), r,
        part(at, "point.markers"), part(at, "point.angles"), part(at, "point.rows"), t,
    )  # fmt: skip


@kernel
def momentum(at: int, q: Array, v: Array, p: Array) -> None:
    """Write p = M(q) v: in space for positions, in the frame's axes for rotations."""
    p[:] = 0.0
    multiply(part(at, "system.linear.M"), v, 1.0, p)
    rare = part(at, "rare")
    if part(at, "system.floating.modes").size > 0:
        ask(rare[FLOATING_STAGE], at, MOMENTUM, 0.0, 0.0, q, v, p)
    if part(at, "system.rotors.drag").size > 0:
        ask(rare[ROTORS_STAGE], at, MOMENTUM, 0.0, 0.0, q, v, p)


@kernel
def to_space(unknowns: Unknowns, A: Array, x: Array) -> None:
    """Turn the rotational rows of x (nv,) from the frames' axes into space, in place."""
    for f in range(unknowns.frame_v.size):
        i = unknowns.frame_v[f] + 3
        a, b, c = x[i], x[i + 1], x[i + 2]
        for k in range(3):
            x[i + k] = A[f, k, 0] * a + A[f, k, 1] * b + A[f, k, 2] * c


@inner
def to_axes(unknowns: Unknowns, A: Array, x: Array) -> None:
    """Turn the rotational rows of x (nv,) from space into the frames' axes, in place."""
    for f in range(unknowns.frame_v.size):
        i = unknowns.frame_v[f] + 3
        a, b, c = x[i], x[i + 1], x[i + 2]
        for k in range(3):
            x[i + k] = A[f, 0, k] * a + A[f, 1, k] * b + A[f, 2, k] * c


@kernel
def forces_in_space(unknowns: Unknowns, F: Array, A: Array, out: Array) -> None:
    """Write the forces by class, (CLASSES, nv), with torques in space, to ``out``."""
    for c in range(CLASSES):
        copy(F[c], out[c])
        to_space(unknowns, A, out[c])
