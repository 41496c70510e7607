"""Rows g(t, q) of joints and contacts between markers, and their derivatives; formulas in ``tables.Rows``.

d = r_B - r_A and n = R_C a of ALONG, m = R_A a and k = R_B b of DOT, u = d / |d| of DISTANCE; of CLEARANCE the same
with d = P (r_B - r_A - b), P = 1 - a a^T, and the other sign, u = 0 where d is. A CURVE row is an ALONG row whose n
turns along its curve: its second derivatives are those of an ALONG row and bend times the product of those of the way
along the tangent. Those of ANGLE rows are in ``angle_rows``. All derivatives are by poses (dr, dtheta) in space.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry import time_functions
from flexmb.kernels.geometry.angle_rows import angle_bias, angle_curvature, angle_stiffness
from flexmb.kernels.geometry.clearance import across, outwards
from flexmb.kernels.geometry.curves import curve_gap
from flexmb.kernels.geometry.pose_blocks import add, add_cross, add_diagonal, add_outer
from flexmb.kernels.geometry.split_sums import apart
from flexmb.kernels.geometry.tables import (
    ALONG,
    CLEARANCE,
    CURVE,
    DISTANCE,
    DOT,
    LOADED,
    SLIDE,
    Angles,
    AngleState,
    Curves,
    Functions,
    MarkerState,
    Rows,
    RowState,
)
from flexmb.kernels.geometry.vectors import Vector, column, cross, dot, plus, put, taken, times, turned, turning_dot
from flexmb.state import Array

NO: Vector = (0.0, 0.0, 0.0)


@kernel
def rows(
    rows: Rows,
    angles: Angles,
    functions: Functions,
    curves: Curves,
    mstate: MarkerState,
    astate: AngleState,
    t: float,
    rstate: RowState,
    early: float = 0.0,
) -> None:
    """Write g, g_t and grad of the rows of joints and normals at time t; markers and angles come before.

    With ``early`` > 0 a step ends at a corner of a drive: speeds of drives are those that long before t.
    """
    for r in range(rows.kind.size):
        i, kind = rows.ptr[r], rows.kind[r]
        if kind >= SLIDE:  # these come last, see ``rows_beside``
            break
        for j in range(i, rows.ptr[r + 1]):
            put(NO, rstate.grad, j, 0)
            put(NO, rstate.grad, j, 3)
        if kind == ALONG:
            n, d, _ = _along_vectors(rows, r, mstate, rstate)
            g = dot(n, d)
            _put_along(n, d, rstate, i)
        elif kind == CURVE:
            g = _curve(rows, r, curves, mstate, rstate, i)
        elif kind == DOT:
            m, k = _arms(rows, r, mstate)
            g = dot(m, k)
            put(cross(m, k), rstate.grad, i, 3)
            put(cross(k, m), rstate.grad, i + 1, 3)
        elif kind in (DISTANCE, CLEARANCE):
            u, length, side, _ = _line(rows, r, mstate)
            g = side * length
            put(times(-side, u), rstate.grad, i, 0)
            put(times(side, u), rstate.grad, i + 1, 0)
        else:
            g = 0.0
            for p in range(_angles(rows, r)):
                a, w = rows.angle[r, p], taken(astate.w, rows.angle[r, p], 0)
                g += rows.b[r, p] * astate.theta[a]
                put(times(-rows.b[r, p], w), rstate.grad, i + 2 * p, 3)
                put(times(rows.b[r, p], w), rstate.grad, i + 2 * p + 1, 3)
        rstate.g[r] = g - rows.c[r]
        rstate.g_t[r] = 0.0
        if rows.function[r] >= 0:
            rstate.g[r] -= rows.cf[r] * time_functions.value(functions, rows.function[r], t)
            rstate.g_t[r] = partial_rate(rows, functions, r, t, early)


@inner
def _angles(rows: Rows, r: int) -> int:
    """Return how many angles row r has; the one of a joint's friction has none."""
    return 0 if rows.kind[r] == LOADED else (rows.ptr[r + 1] - rows.ptr[r]) // 2


@inner
def partial_rate(rows: Rows, functions: Functions, r: int, t: float, early: float = 0.0) -> float:
    """Return the partial rate of g of row r by time."""
    f = rows.function[r]
    return -rows.cf[r] * time_functions.rate(functions, f, t, early) if f >= 0 else 0.0


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
    if kind in (ALONG, CURVE):
        n, d, rate = _along_vectors(rows, r, mstate, rstate)
        w = taken(mstate.twist, rows.marker[i + 2], 3)
        total += dot(cross(w, cross(w, n)), d) + 2.0 * dot(cross(w, n), rate)
        if kind == CURVE:
            tau, lever = _sideways(rows, r, n, d, mstate)
            slide = dot(tau, rate) + dot(lever, w)
            total += rstate.bend[r] * slide * slide
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        total += turning_dot(m, k, taken(mstate.twist, rows.marker[i], 3), taken(mstate.twist, rows.marker[i + 1], 3))
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        rate = _line_rate(rows, r, mstate)
        along = dot(u, rate)
        total += (dot(rate, rate) - along * along) * bend
    else:
        for p in range(_angles(rows, r)):
            a = rows.angle[r, p]
            total += rows.b[r, p] * angle_bias(mstate, angles.A[a], angles.B[a], astate.rate[a])
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
    if kind in (ALONG, CURVE):
        n, d, _ = _along_vectors(rows, r, mstate, rstate)
        add_cross(K6, p + 2, -lam, n, 0, 3)
        add_cross(K6, p + 5, lam, n, 0, 3)
        add_cross(K6, p + 6, lam, n, 3, 0)
        add_cross(K6, p + 7, -lam, n, 3, 0)
        add_outer(K6, p + 8, -lam, n, d, 3)
        add_diagonal(K6, p + 8, lam * dot(n, d), 3)
        if kind == CURVE:
            tau, lever = _sideways(rows, r, n, d, mstate)
            _add_bend(K6, p, -lam * rstate.bend[r], tau, lever)
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        mk = dot(m, k)
        for i in range(2):
            side = -lam if i == 0 else lam
            add_outer(K6, p + 2 * i, side, m, k, 3)
            add_diagonal(K6, p + 2 * i, -side * mk, 3)
            add_outer(K6, p + 2 * i + 1, -side, k, m, 3)
            add_diagonal(K6, p + 2 * i + 1, side * mk, 3)
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        for i in range(2):
            for j in range(2):
                across_u = -lam * bend if i == j else lam * bend
                add_diagonal(K6, p + 2 * i + j, across_u, 0)
                add_outer(K6, p + 2 * i + j, -across_u, u, u, 0)
                if kind == CLEARANCE:
                    a = taken(rows.a, r, 0)
                    add_outer(K6, p + 2 * i + j, -across_u, a, a, 0)
    elif kind != LOADED:
        angle_stiffness(rows, angles, r, lam, mstate, astate, K6)


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
    if kind in (ALONG, CURVE):
        n, d, rate = _along_vectors(rows, r, mstate, rstate)
        w = taken(mstate.twist, rows.marker[first + 2], 3)
        wn = cross(w, n)
        add(h, 0, 0, -1.0, wn)
        add(h, 1, 0, 1.0, wn)
        add(h, 2, 3, 1.0, cross(n, plus(rate, 1.0, cross(d, w))))
        if kind == CURVE:
            tau, lever = _sideways(rows, r, n, d, mstate)
            slide = rstate.bend[r] * (dot(tau, rate) + dot(lever, w))
            add(h, 0, 0, -slide, tau)
            add(h, 1, 0, slide, tau)
            add(h, 2, 3, slide, lever)
    elif kind == DOT:
        m, k = _arms(rows, r, mstate)
        w = plus(taken(mstate.twist, rows.marker[first], 3), -1.0, taken(mstate.twist, rows.marker[first + 1], 3))
        add(h, 0, 3, 1.0, cross(m, cross(k, w)))
        add(h, 1, 3, 1.0, cross(k, cross(w, m)))
    elif kind in (DISTANCE, CLEARANCE):
        u, _, _, bend = _line(rows, r, mstate)
        rate = _line_rate(rows, r, mstate)
        off = plus(rate, -dot(u, rate), u)
        add(h, 0, 0, -bend, off)
        add(h, 1, 0, bend, off)
    elif kind != LOADED:
        angle_curvature(rows, angles, r, mstate, astate, h)


@inner
def _put_along(n: Vector, d: Vector, rstate: RowState, i: int) -> None:
    """Write the gradient of an ALONG or CURVE row."""
    put(times(-1.0, n), rstate.grad, i, 0)
    put(n, rstate.grad, i + 1, 0)
    put(cross(n, d), rstate.grad, i + 2, 3)


@inner
def _along_vectors(rows: Rows, r: int, mstate: MarkerState, rstate: RowState) -> tuple[Vector, Vector, Vector]:
    """Return n, d and d' of an ALONG or CURVE row; n of the latter is in its gradient."""
    i = rows.ptr[r]
    if rows.kind[r] == CURVE:
        n = taken(rstate.grad, i + 1, 0)
    else:
        n = turned(mstate.R[rows.marker[i + 2]], taken(rows.a, r, 0))
    return n, _apart(rows, r, mstate), _rate_apart(rows, r, mstate)


@inner
def _curve(rows: Rows, r: int, curves: Curves, mstate: MarkerState, rstate: RowState, i: int) -> float:
    """Write gradient and bend of a CURVE row and return the distance."""
    A, d = rows.marker[i], _apart(rows, r, mstate)
    e_x, e_y = column(mstate.R, A, 0), column(mstate.R, A, 1)
    g, n_x, n_y, bend, _ = curve_gap(curves, rows.angle[r, 0], dot(e_x, d), dot(e_y, d))
    _put_along(plus(times(n_x, e_x), n_y, e_y), d, rstate, i)
    rstate.bend[r] = bend
    return g


@inner
def _sideways(rows: Rows, r: int, n: Vector, d: Vector, mstate: MarkerState) -> tuple[Vector, Vector]:
    """Return the tangent of a CURVE row, and the change of the way along it with a turn of the curve."""
    along = cross(column(mstate.R, rows.marker[rows.ptr[r]], 2), n)
    return along, cross(along, d)


@inner
def _add_bend(K6: Array, p: int, k: float, along: Vector, lever: Vector) -> None:
    """Add k s s^T to the blocks of a CURVE row, s = (-along, along, lever) over places of A and B and turns of A."""
    for i in range(3):
        for j in range(3):
            a, b, at = lever if i == 2 else along, lever if j == 2 else along, (3 if i == 2 else 0, 3 if j == 2 else 0)
            sign = -k if (i == 0) != (j == 0) else k
            for m in range(3):
                for n in range(3):
                    K6[p + 3 * i + j, at[0] + m, at[1] + n] += sign * a[m] * b[n]


@inner
def _arms(rows: Rows, r: int, mstate: MarkerState) -> tuple[Vector, Vector]:
    """Return m and k of a DOT row."""
    i = rows.ptr[r]
    m = turned(mstate.R[rows.marker[i]], taken(rows.a, r, 0))
    return m, turned(mstate.R[rows.marker[i + 1]], taken(rows.b, r, 0))


@inner
def _line(rows: Rows, r: int, mstate: MarkerState) -> tuple[Vector, float, float, float]:
    """Return u, |d|, the sign of |d| in g and that sign over |d|, of a DISTANCE or CLEARANCE row.

    Nothing finite where the ends of a DISTANCE coincide, so that the step fails; the middle of a clearance is harmless,
    and so are ends whose distance is bounded from above.
    """
    d = _apart(rows, r, mstate)
    if rows.kind[r] == CLEARANCE:
        u, length = outwards(across(plus(d, -1.0, taken(rows.b, r, 0)), taken(rows.a, r, 0)))
        return u, length, -1.0, (-1.0 / length if length > 0.0 else 0.0)
    u, length = outwards(d)
    if rows.b[r, 0] < 0.0:
        return u, length, -1.0, (-1.0 / length if length > 0.0 else 0.0)
    if length == 0.0:
        return (math.nan, math.nan, math.nan), math.nan, 1.0, math.nan
    return u, length, 1.0, 1.0 / length


@inner
def _line_rate(rows: Rows, r: int, mstate: MarkerState) -> Vector:
    """Return d' of a DISTANCE or CLEARANCE row."""
    rate = _rate_apart(rows, r, mstate)
    return across(rate, taken(rows.a, r, 0)) if rows.kind[r] == CLEARANCE else rate


@inner
def _apart(rows: Rows, r: int, mstate: MarkerState) -> Vector:
    """Return the vector from the row's first marker to its second."""
    i = rows.ptr[r]
    return apart(mstate, rows.marker[i], rows.marker[i + 1])


@inner
def _rate_apart(rows: Rows, r: int, mstate: MarkerState) -> Vector:
    """Return the velocity of the row's second marker less that of its first."""
    i = rows.ptr[r]
    return plus(taken(mstate.twist, rows.marker[i + 1], 0), -1.0, taken(mstate.twist, rows.marker[i], 0))


@inner
def _against(rows: Rows, r: int, x: Array, rstate: RowState) -> float:
    """Return grad . x summed over the slots of row r, x (nm, 6)."""
    total = 0.0
    for i in range(rows.ptr[r], rows.ptr[r + 1]):
        for k in range(6):
            total += rstate.grad[i, k] * x[rows.marker[i], k]
    return total
