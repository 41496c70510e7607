"""Rows g(t, q) of joints and contacts between markers, and their derivatives; formulas in ``tables.Rows``.

d = r_B - r_A and n = R_C a of ALONG, m = R_A a and k = R_B b of DOT, u = d / |d| of DISTANCE; of CLEARANCE the same
with d = P (r_B - r_A - b), P = 1 - a a^T, and the other sign, u = 0 where d is. Of an angle:
c = x_A . x_B, s = y_A . x_B, theta = atan2(s, c), theta' = w . (omega_B - omega_A), w = x_B x (c y_A - s x_A) / (c^2 +
s^2). All derivatives are by poses (dr, dtheta) in space.
"""

from __future__ import annotations

import math

from flexmb.kernels import time_functions
from flexmb.kernels.clearance import across, outwards
from flexmb.kernels.jit import inner, kernel
from flexmb.kernels.relative_angle import axis_change
from flexmb.kernels.tables import (
    ALONG,
    CLEARANCE,
    DISTANCE,
    DOT,
    Angles,
    AngleState,
    Functions,
    MarkerState,
    Rows,
    RowState,
)
from flexmb.kernels.vectors import Vector, column, cross, dot, plus, put, taken, turned
from flexmb.state import Array

NO: Vector = (0.0, 0.0, 0.0)


@kernel
def angles(angles: Angles, mstate: MarkerState, astate: AngleState) -> None:
    """Write theta (the branch nearest to ``turn``), w and rate of all angles."""
    for k in range(angles.A.size):
        A, B = angles.A[k], angles.B[k]
        c, s, pc, ps = _cosine_sine(mstate, A, B)
        theta = math.atan2(s, c)
        theta += 2.0 * math.pi * math.floor((astate.turn[k] - theta) / (2.0 * math.pi) + 0.5)
        # an x_B along z_A makes it not finite, and the step fails
        scale = 1.0 / (c * c + s * s)
        w = plus(_times(c * scale, ps), -s * scale, pc)
        astate.theta[k] = theta
        put(w, astate.w, k, 0)
        astate.rate[k] = dot(w, plus(taken(mstate.twist, B, 3), -1.0, taken(mstate.twist, A, 3)))


@kernel
def rows(
    rows: Rows,
    angles: Angles,
    functions: Functions,
    mstate: MarkerState,
    astate: AngleState,
    t: float,
    rstate: RowState,
) -> None:
    """Write g, g_t and grad of all rows at time t; markers and angles come before."""
    for r in range(rows.kind.size):
        i, kind = rows.ptr[r], rows.kind[r]
        for j in range(i, rows.ptr[r + 1]):
            put(NO, rstate.grad, j, 0)
            put(NO, rstate.grad, j, 3)
        if kind == ALONG:
            g = _along(rows, r, mstate, rstate, i)
        elif kind == DOT:
            m, k = _arms(rows, r, mstate)
            g = dot(m, k)
            put(cross(m, k), rstate.grad, i, 3)
            put(cross(k, m), rstate.grad, i + 1, 3)
        elif kind in (DISTANCE, CLEARANCE):
            u, length, side, _ = _line(rows, r, mstate)
            g = side * length
            put(_times(-side, u), rstate.grad, i, 0)
            put(_times(side, u), rstate.grad, i + 1, 0)
        else:
            g = 0.0
            for p in range((rows.ptr[r + 1] - i) // 2):
                a, w = rows.angle[r, p], taken(astate.w, rows.angle[r, p], 0)
                g += rows.b[r, p] * astate.theta[a]
                put(_times(-rows.b[r, p], w), rstate.grad, i + 2 * p, 3)
                put(_times(rows.b[r, p], w), rstate.grad, i + 2 * p + 1, 3)
        rstate.g[r] = g - rows.c[r]
        rstate.g_t[r] = 0.0
        if rows.function[r] >= 0:
            rstate.g[r] -= rows.cf[r] * time_functions.value(functions, rows.function[r], t)
            rstate.g_t[r] = -rows.cf[r] * time_functions.rate(functions, rows.function[r], t)


@kernel
def velocity(rows: Rows, r: int, mstate: MarkerState, rstate: RowState) -> float:
    """Return the rate of g of row r."""
    return rstate.g_t[r] + _against(rows, r, mstate.twist, rstate)


@kernel
def bias(
    rows: Rows,
    angles: Angles,
    functions: Functions,
    r: int,
    mstate: MarkerState,
    astate: AngleState,
    rstate: RowState,
    t: float,
) -> float:
    """Return the second time derivative of g of row r when v' = 0."""
    i, kind = rows.ptr[r], rows.kind[r]
    total = _against(rows, r, mstate.bias, rstate)
    if kind == ALONG:
        n, d, rate = _along_vectors(rows, r, mstate)
        w = taken(mstate.twist, rows.marker[i + 2], 3)
        total += dot(cross(w, cross(w, n)), d) + 2.0 * dot(cross(w, n), rate)
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        total += _twice(m, k, taken(mstate.twist, rows.marker[i], 3), taken(mstate.twist, rows.marker[i + 1], 3))
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        rate = _line_rate(rows, r, mstate)
        along = dot(u, rate)
        total += (dot(rate, rate) - along * along) * bend
    else:
        for p in range((rows.ptr[r + 1] - i) // 2):
            a = rows.angle[r, p]
            total += rows.b[r, p] * _angle_bias(mstate, angles.A[a], angles.B[a], astate.rate[a])
    if rows.function[r] >= 0:
        total -= rows.cf[r] * time_functions.second(functions, rows.function[r], t)
    return total


@kernel
def stiffness(
    rows: Rows,
    angles: Angles,
    r: int,
    lam: float,
    mstate: MarkerState,
    astate: AngleState,
    rstate: RowState,
    K6: Array,
) -> None:
    """Add -lam d(grad_i)/d(pose_j) of row r to the blocks of its pairs, K6 (npairs, 6, 6)."""
    kind, p = rows.kind[r], rows.pair[r]
    if kind == ALONG:
        n, d, _ = _along_vectors(rows, r, mstate)
        _add_cross(K6, p + 2, -lam, n, 0, 3)
        _add_cross(K6, p + 5, lam, n, 0, 3)
        _add_cross(K6, p + 6, lam, n, 3, 0)
        _add_cross(K6, p + 7, -lam, n, 3, 0)
        _add_outer(K6, p + 8, -lam, n, d, 3)
        _add_diagonal(K6, p + 8, lam * dot(n, d), 3)
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        mk = dot(m, k)
        for i in range(2):
            side = -lam if i == 0 else lam
            _add_outer(K6, p + 2 * i, side, m, k, 3)
            _add_diagonal(K6, p + 2 * i, -side * mk, 3)
            _add_outer(K6, p + 2 * i + 1, -side, k, m, 3)
            _add_diagonal(K6, p + 2 * i + 1, side * mk, 3)
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        for i in range(2):
            for j in range(2):
                across_u = -lam * bend if i == j else lam * bend
                _add_diagonal(K6, p + 2 * i + j, across_u, 0)
                _add_outer(K6, p + 2 * i + j, -across_u, u, u, 0)
                if kind == CLEARANCE:
                    a = taken(rows.a, r, 0)
                    _add_outer(K6, p + 2 * i + j, -across_u, a, a, 0)
    else:
        _angle_stiffness(rows, angles, r, lam, mstate, astate, K6)


@kernel
def curvature(
    rows: Rows,
    angles: Angles,
    r: int,
    mstate: MarkerState,
    astate: AngleState,
    rstate: RowState,
    Z: Array,
    h: Array,
) -> None:
    """Write the change of the rate of g of row r with the poses at fixed v.

    Parameters
    ----------
    Z : (nm, 6, 6) array
        Change of the markers' twists with their poses, from ``markers.swirl``.
    h : (k, 6) array
        Result, one row for each of the k slots.
    """
    first, kind = rows.ptr[r], rows.kind[r]
    for j in range(rows.ptr[r + 1] - first):
        for i in range(6):
            total = 0.0
            for s in range(6):
                total += Z[rows.marker[first + j], s, i] * rstate.grad[first + j, s]
            h[j, i] = total
    if kind == ALONG:
        n, d, rate = _along_vectors(rows, r, mstate)
        w = taken(mstate.twist, rows.marker[first + 2], 3)
        wn = cross(w, n)
        _add(h, 0, 0, -1.0, wn)
        _add(h, 1, 0, 1.0, wn)
        _add(h, 2, 3, 1.0, cross(n, plus(rate, 1.0, cross(d, w))))
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        w = plus(taken(mstate.twist, rows.marker[first], 3), -1.0, taken(mstate.twist, rows.marker[first + 1], 3))
        _add(h, 0, 3, 1.0, cross(m, cross(k, w)))
        _add(h, 1, 3, 1.0, cross(k, cross(w, m)))
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        rate = _line_rate(rows, r, mstate)
        off = plus(rate, -dot(u, rate), u)
        _add(h, 0, 0, -bend, off)
        _add(h, 1, 0, bend, off)
    else:
        _angle_curvature(rows, angles, r, mstate, astate, h)


# angles -------------------------------------------------------------------------------------------------------------


@inner
def _cosine_sine(mstate: MarkerState, A: int, B: int) -> tuple[float, float, Vector, Vector]:
    """Return c, s and their gradients x_B x x_A, x_B x y_A by the turn of B against A."""
    x, y, xb = column(mstate.R, A, 0), column(mstate.R, A, 1), column(mstate.R, B, 0)
    return dot(x, xb), dot(y, xb), cross(xb, x), cross(xb, y)


@inner
def _angle_bias(mstate: MarkerState, A: int, B: int, rate: float) -> float:
    """Return what turning adds to the second time derivative of an angle, besides w . (the bias of the twists)."""
    c, s, pc, ps = _cosine_sine(mstate, A, B)
    wa, wb = taken(mstate.twist, A, 3), taken(mstate.twist, B, 3)
    turn = plus(wb, -1.0, wa)
    xb = column(mstate.R, B, 0)
    c2 = _twice(column(mstate.R, A, 0), xb, wa, wb)
    s2 = _twice(column(mstate.R, A, 1), xb, wa, wb)
    growth = 2.0 * (c * dot(pc, turn) + s * dot(ps, turn))
    return (c * s2 - s * c2 - rate * growth) / (c * c + s * s)


@inner
def _angle_stiffness(
    rows: Rows, angles: Angles, r: int, lam: float, mstate: MarkerState, astate: AngleState, K6: Array
) -> None:
    """Add the blocks of an ANGLE row: lam times the changes of +-w, W with B and -(W + w~) with A (``axis_change``).

    W rho^2 = x e^T + S with the symmetric S = -(w m^T + m w^T), and (W + w~) rho^2 = e x^T + S, since w rho^2 = x x e.
    """
    slots = rows.ptr[r + 1] - rows.ptr[r]
    for p in range(slots // 2):
        a = rows.angle[r, p]
        w = taken(astate.w, a, 0)
        x, e, m, square = axis_change(mstate.R[angles.A[a]], mstate.R[angles.B[a]])
        scale = lam * rows.b[r, p] / square
        for i in range(2):
            for j in range(2):
                # row of A: the gradient is -w; column of A: the turn of B against A is backwards
                side = -scale if i == j else scale
                block = rows.pair[r] + (2 * p + i) * slots + 2 * p + j
                _add_outer(K6, block, -side, w, m, 3)
                _add_outer(K6, block, -side, m, w, 3)
                if j == 1:
                    _add_outer(K6, block, side, x, e, 3)
                else:
                    _add_outer(K6, block, side, e, x, 3)


@inner
def _angle_curvature(rows: Rows, angles: Angles, r: int, mstate: MarkerState, astate: AngleState, h: Array) -> None:
    """Add the transposed derivatives of w (see ``_angle_stiffness``) times the relative angular velocity."""
    for p in range((rows.ptr[r + 1] - rows.ptr[r]) // 2):
        a = rows.angle[r, p]
        A, B = angles.A[a], angles.B[a]
        turn = plus(taken(mstate.twist, B, 3), -1.0, taken(mstate.twist, A, 3))
        x, e, m, square = axis_change(mstate.R[A], mstate.R[B])
        both = plus(_times(-dot(m, turn), taken(astate.w, a, 0)), -astate.rate[a], m)
        scale = rows.b[r, p] / square
        _add(h, 2 * p, 3, -scale, plus(both, dot(e, turn), x))
        _add(h, 2 * p + 1, 3, scale, plus(both, dot(x, turn), e))


# vectors of rows ----------------------------------------------------------------------------------------------------


@inner
def _along(rows: Rows, r: int, mstate: MarkerState, rstate: RowState, i: int) -> float:
    """Write the gradient of an ALONG row and return n . d."""
    n, d, _ = _along_vectors(rows, r, mstate)
    put(_times(-1.0, n), rstate.grad, i, 0)
    put(n, rstate.grad, i + 1, 0)
    put(cross(n, d), rstate.grad, i + 2, 3)
    return dot(n, d)


@inner
def _along_vectors(rows: Rows, r: int, mstate: MarkerState) -> tuple[Vector, Vector, Vector]:
    """Return n, d and d' of an ALONG row."""
    n = turned(mstate.R[rows.marker[rows.ptr[r] + 2]], taken(rows.a, r, 0))
    return n, _between(rows, r, mstate.r), _between(rows, r, mstate.twist)


@inner
def _arms(rows: Rows, r: int, mstate: MarkerState) -> tuple[Vector, Vector]:
    """Return m and k of a DOT row."""
    i = rows.ptr[r]
    m = turned(mstate.R[rows.marker[i]], taken(rows.a, r, 0))
    return m, turned(mstate.R[rows.marker[i + 1]], taken(rows.b, r, 0))


@inner
def _line(rows: Rows, r: int, mstate: MarkerState) -> tuple[Vector, float, float, float]:
    """Return u, |d|, the sign of |d| in g and that sign over |d|, of a DISTANCE or CLEARANCE row.

    Nothing finite where the ends of a DISTANCE coincide, so that the step fails; the middle of a clearance is harmless.
    """
    d = _between(rows, r, mstate.r)
    if rows.kind[r] == CLEARANCE:
        u, length = outwards(across(plus(d, -1.0, taken(rows.b, r, 0)), taken(rows.a, r, 0)))
        return u, length, -1.0, (-1.0 / length if length > 0.0 else 0.0)
    u, length = outwards(d)
    if length == 0.0:
        return (math.nan, math.nan, math.nan), math.nan, 1.0, math.nan
    return u, length, 1.0, 1.0 / length


@inner
def _line_rate(rows: Rows, r: int, mstate: MarkerState) -> Vector:
    """Return d' of a DISTANCE or CLEARANCE row."""
    rate = _between(rows, r, mstate.twist)
    return across(rate, taken(rows.a, r, 0)) if rows.kind[r] == CLEARANCE else rate


@inner
def _between(rows: Rows, r: int, x: Array) -> Vector:
    """Return the first three numbers of x (nm, 3 or 6) at the row's second marker less those at its first."""
    i = rows.ptr[r]
    return plus(taken(x, rows.marker[i + 1], 0), -1.0, taken(x, rows.marker[i], 0))


@inner
def _against(rows: Rows, r: int, x: Array, rstate: RowState) -> float:
    """Return grad . x summed over the slots of row r, x (nm, 6)."""
    total = 0.0
    for i in range(rows.ptr[r], rows.ptr[r + 1]):
        for k in range(6):
            total += rstate.grad[i, k] * x[rows.marker[i], k]
    return total


@inner
def _twice(m: Vector, k: Vector, wa: Vector, wb: Vector) -> float:
    """Return the second time derivative of m . k, m turning with wa and k with wb, both constant."""
    m1, k1 = cross(wa, m), cross(wb, k)
    return dot(cross(wa, m1), k) + 2.0 * dot(m1, k1) + dot(m, cross(wb, k1))


@inner
def _times(k: float, a: Vector) -> Vector:
    return k * a[0], k * a[1], k * a[2]


# sums into blocks ---------------------------------------------------------------------------------------------------


@inner
def _add(h: Array, j: int, at: int, k: float, a: Vector) -> None:
    """Add k a to h[j, at:at + 3]."""
    for i in range(3):
        h[j, at + i] += k * a[i]


@inner
def _add_cross(K6: Array, p: int, k: float, n: Vector, i: int, j: int) -> None:
    """Add k n~ to the 3 x 3 block of K6[p] that begins at (i, j)."""
    K6[p, i, j + 1] -= k * n[2]
    K6[p, i + 1, j] += k * n[2]
    K6[p, i, j + 2] += k * n[1]
    K6[p, i + 2, j] -= k * n[1]
    K6[p, i + 1, j + 2] -= k * n[0]
    K6[p, i + 2, j + 1] += k * n[0]


@inner
def _add_outer(K6: Array, p: int, k: float, a: Vector, b: Vector, at: int) -> None:
    """Add k a b^T to the 3 x 3 block of K6[p] that begins at (at, at)."""
    for i in range(3):
        for j in range(3):
            K6[p, at + i, at + j] += k * a[i] * b[j]


@inner
def _add_diagonal(K6: Array, p: int, k: float, at: int) -> None:
    """Add k 1 to the 3 x 3 block of K6[p] that begins at (at, at)."""
    for i in range(3):
        K6[p, at + i, at + i] += k
