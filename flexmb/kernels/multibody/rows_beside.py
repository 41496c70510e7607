"""Rows beside the normals of contacts: sliding along tangents, rolling about them, spinning about the normal.

With the unit normal n of a contact, in space, from marker A to marker B as the normal row's gradient on B has it, and
the contact point c = x_B - arm n, the rates of these rows and their force directions are

    SLIDE   t . (velocity of B at c less that of A at c)        (t, (c - x_B) x t) on B, (-t, -(c - x_A) x t) on A
    TURN    t . (omega_B - omega_A)                             (0, t) on B, (0, -t) on A
    SPIN    n . (omega_B - omega_A)                             (0, n) on B, (0, -n) on A
    TWIST   arm t . (omega_B - omega_A)                         (0, arm t) on B, (0, -arm t) on A

and g_t is what surfaces that move as prescribed add: -(b_0 + cf phi'(t)). A third marker, if there is one, is the free
spin of a rotor: it feels the torque on B, whose own marker does not know it.

Tangents follow n and do not turn with the bodies: fixed in the plane (ALONG), e x n in planar motion across e, and
otherwise what the shortest turn from a direction p to n makes of two directions across p. That is smooth but for
n = -p; p is none that models are likely to have. In a clearance they are a x u and a, u outwards and a the axis; on a
curve n x a and a, a across its plane. The friction of a joint (LOADED) has no normal: its directions are fixed in A,
and TWIST is the speed at its radius, arm.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import asked
from flexmb.kernels.geometry import time_functions
from flexmb.kernels.geometry.clearance import across, outwards
from flexmb.kernels.geometry.split_sums import apart
from flexmb.kernels.geometry.tables import (
    ALONG,
    CLEARANCE,
    CURVE,
    LOADED,
    SLIDE,
    SPIN,
    TWIST,
    Functions,
    MarkerState,
    Rows,
    RowState,
)
from flexmb.kernels.geometry.vectors import Vector, column, cross, dot, plus, put, taken, times, turned
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import EARLY

P: Vector = (0.533, 0.377, 0.758)
E: Vector = (1.0, 0.0, 0.0)
"""p, and a direction whose part across p is the first tangent there, not yet unit vectors."""


@inner
def _across(e: Vector, n: Vector, p: Vector) -> Vector:
    """Return the rotation of e, which is normal to p, by the shortest rotation from p to n."""
    near = 1.0 + dot(n, p)
    if near < 1e-12:
        return e
    return plus(e, -dot(n, e) / near, plus(n, 1.0, p))


@kernel
def space_tangent(n: Vector, which: int) -> Vector:
    """Return the first or second tangent across n, a unit vector anywhere in space."""
    p, _ = outwards(P)
    e, _ = outwards(across(E, p))
    return _across(e if which == 0 else cross(p, e), n, p)


@inner
def _tangent(rows: Rows, r: int, k: int, n: Vector, mstate: MarkerState) -> Vector:
    """Return the direction of row r beside the normal row k."""
    kind, which, a = rows.kind[k], rows.angle[r, 1], taken(rows.a, r, 0)
    if rows.kind[r] == SPIN:
        return n
    if kind == ALONG:
        return turned(mstate.R[rows.marker[rows.ptr[k] + 2]], a)
    if kind == LOADED:
        return turned(mstate.R[rows.marker[rows.ptr[k]]], a)
    if kind in (CLEARANCE, CURVE):
        axis = taken(rows.a, k, 0) if kind == CLEARANCE else column(mstate.R, rows.marker[rows.ptr[k]], 2)
        along = (which == 0) == (rows.kind[r] == SLIDE)
        return cross(n, axis) if along else axis  # u = -n
    if dot(a, a) > 0.0:  # planar motion across a
        return cross(a, n) if rows.kind[r] == SLIDE else a
    return space_tangent(n, which)


@inner
def _beside(
    rows: Rows, r: int, functions: Functions, mstate: MarkerState, rstate: RowState, t: float, early: float
) -> None:
    """Write g_t and grad of a row beside a normal."""
    k, i = rows.angle[r, 0], rows.ptr[r]
    n = taken(rstate.grad, rows.ptr[k] + 1, 0)
    d = _tangent(rows, r, k, n, mstate)
    torque_A, torque_B = d, d
    if rows.kind[r] == TWIST:
        torque_A = torque_B = times(rows.c[r], d)
    if rows.kind[r] == SLIDE:
        to_B = times(-rows.c[r], n)
        to_A = plus(apart(mstate, rows.marker[i], rows.marker[i + 1]), 1.0, to_B)
        torque_A, torque_B = cross(to_A, d), cross(to_B, d)
        put(times(-1.0, d), rstate.grad, i, 0)
        put(d, rstate.grad, i + 1, 0)
    else:
        for s in range(2):
            put((0.0, 0.0, 0.0), rstate.grad, i + s, 0)
    put(times(-1.0, torque_A), rstate.grad, i, 3)
    put(torque_B, rstate.grad, i + 1, 3)
    if rows.ptr[r + 1] > i + 2:
        put((0.0, 0.0, 0.0), rstate.grad, i + 2, 0)
        put(torque_B, rstate.grad, i + 2, 3)
    rstate.g[r] = 0.0
    rstate.g_t[r] = -rows.b[r, 0]
    if rows.function[r] >= 0:
        rstate.g_t[r] -= rows.cf[r] * time_functions.rate(functions, rows.function[r], t, early)


@asked
def rows_beside_stage(at: int, flag: int, t: float, c: float, q_at: int, v_at: int, p_at: int) -> int:
    """Write g_t and grad of all rows beside the normals; markers and normals come before."""
    rows, values, functions = part(at, "system.rows"), part(at, "point.rows"), part(at, "system.functions")
    markers, early = part(at, "point.markers"), part(at, "step")[EARLY]
    for r in range(part(at, "system.joints") + part(at, "system.contacts"), rows.kind.size):
        _beside(rows, r, functions, markers, values, t, early)
    return 0
