"""Markers: where they are, how fast they move, and their forces brought to the unknowns.

Written for each kind of ``tables``: ``place`` and ``move`` evaluate, ``collect`` brings wrenches to the unknowns,
``carry``, ``swirl`` and ``flutter`` are derivatives. d = r - x is the arm from the body's origin, a_k are its axes.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.elastic_turn import rotated, spun, spun_change, turn_between, unspun
from flexmb.kernels.geometry.rotation import axes_of
from flexmb.kernels.geometry.split_sums import split_sum
from flexmb.kernels.geometry.tables import FLOATING, FRAME, GROUND, NODE, PLANAR, Markers, MarkerState
from flexmb.kernels.geometry.vectors import Vector, column, cross, dot, plus, put, taken, turned
from flexmb.state import Array

NO: Vector = (0.0, 0.0, 0.0)


@kernel
def place(markers: Markers, q: Array, state: MarkerState) -> None:
    """Write places, axes and rates per unknown of all markers."""
    for m in range(markers.kind.size):
        kind = markers.kind[m]
        if kind == GROUND:
            put(taken(markers.s, m, 0), state.r, m, 0)
            put(NO, state.low, m, 0)
            _axes(markers, state, m, 1.0, 0.0)
        elif kind == PLANAR:
            _place_planar(markers, q, state, m)
        elif kind == NODE:
            _place_node(markers, q, state, m)
        else:
            _place_on_frame(markers, q, state, m)


@kernel
def move(markers: Markers, q: Array, v: Array, state: MarkerState) -> None:
    """Write twists and their rates at v' = 0 of all markers; ``place`` comes before."""
    for m in range(markers.kind.size):
        kind, first = markers.kind[m], markers.ptr[m]
        rdot, omega = _twist(markers, v, state, m, first, markers.ptr[m + 1])
        put(rdot, state.twist, m, 0)
        put(omega, state.twist, m, 3)
        bias_r, bias_w = NO, NO
        if kind in (FRAME, PLANAR):
            # x' does not change, d turns with omega, which does not change either
            bias_r = cross(omega, plus(rdot, -1.0, _origin(markers, v, m)))
        elif kind == NODE:
            t, td = _turn(markers, q, v, m)
            bias_w = spun_change(t, td, td)
        elif kind == FLOATING:
            shift, spin = _twist(markers, v, state, m, first + 6, markers.ptr[m + 1])
            w = plus(omega, -1.0, spin)
            arm = plus(rdot, -1.0, plus(_origin(markers, v, m), -1.0, shift))  # w x d + 2 (rate of the modes)
            bias_r = cross(w, arm)
            t, td = _turn(markers, q, v, m)
            t, td = _to_space(state, first, t), _to_space(state, first, td)
            bias_w = plus(cross(w, spin), 1.0, spun_change(t, td, td))
        put(bias_r, state.bias, m, 0)
        put(bias_w, state.bias, m, 3)


@kernel
def collect(markers: Markers, state: MarkerState, c: int, F: Array) -> None:
    """Add the wrenches of class c on all markers to the rows F[c] of the unknowns."""
    for m in range(markers.kind.size):
        for i in range(markers.ptr[m], markers.ptr[m + 1]):
            total = 0.0
            for k in range(6):
                total += state.J[i, k] * state.wrench[c, m, k]
            F[c, markers.dof[i]] += total


@kernel
def carry(markers: Markers, state: MarkerState, m: int, w: Array, K: Array, nd: int) -> None:
    """Add -d(J_m w)/dq at a fixed wrench w (6,) to K[:nd, :nd] over the marker's own unknowns.

    Elastic rotations are taken from R, so they must be shorter than half a turn.
    """
    kind, first, J = markers.kind[m], markers.ptr[m], state.J
    f, torque = (w[0], w[1], w[2]), (w[3], w[4], w[5])
    if kind == PLANAR:
        K[2, 2] -= J[first + 2, 0] * f[1] - J[first + 2, 1] * f[0]
    elif kind == NODE:
        _carry_modes(markers, state, m, 0, torque, K, nd)
    elif kind in (FRAME, FLOATING):
        _carry_frame(state, first, f, torque, K)
    if kind == FLOATING:
        for j in range(6, nd):
            u, spin = taken(J, first + j, 0), taken(J, first + j, 3)
            uf = cross(u, f)
            both = plus(uf, 1.0, cross(spin, torque))
            for k in range(3):
                a = taken(J, first + 3 + k, 3)
                K[3 + k, j] -= dot(a, uf)
                K[j, 3 + k] -= dot(a, both)
        _carry_modes(markers, state, m, 6, torque, K, nd)


@kernel
def swirl(markers: Markers, q: Array, v: Array, state: MarkerState, m: int, Z: Array) -> None:
    """Write Z (6, 6): change of the twist with the pose (dr, dtheta), in space, at fixed v; ``move`` comes before.

    Exact but for the modes of a floating body, whose pose moves without its frame; ``flutter`` is the difference.
    """
    kind = markers.kind[m]
    omega, around = taken(state.twist, m, 3), NO
    if kind in (FRAME, PLANAR, FLOATING):
        around = plus(taken(state.twist, m, 0), -1.0, _origin(markers, v, m))
    t, td = _turn(markers, q, v, m)
    for k in range(3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        turning = cross(e, omega)
        if kind == NODE:
            turning = spun_change(t, unspun(t, e), td)
        moving = cross(e, around)
        for i in range(3):
            Z[i, k], Z[3 + i, k] = 0.0, 0.0
            Z[i, 3 + k], Z[3 + i, 3 + k] = moving[i], turning[i]


@kernel
def flutter(markers: Markers, q: Array, v: Array, state: MarkerState, m: int, X: Array) -> None:
    """Write X (nd, 6): what ``swirl`` leaves out of the change of the twist by each unknown at fixed v.

    d twist / d unknown_i = Z J_i + X_i holds exactly; X is zero but for the modes of a floating body.
    """
    first, last = markers.ptr[m], markers.ptr[m + 1]
    for i in range(last - first):
        put(NO, X, i, 0)
        put(NO, X, i, 3)
    if markers.kind[m] != FLOATING:
        return
    omega = taken(state.twist, m, 3)
    around = plus(taken(state.twist, m, 0), -1.0, _origin(markers, v, m))
    _, spin = _twist(markers, v, state, m, first + 6, last)
    w = plus(omega, -1.0, spin)
    t, td = _turn(markers, q, v, m)
    t, td = _to_space(state, first, t), _to_space(state, first, td)
    for i in range(first + 6, last):
        u, theta = taken(state.J, i, 0), taken(state.J, i, 3)
        put(plus(cross(w, u), -1.0, cross(theta, around)), X, i - first, 0)
        z = _to_space(state, first, taken(markers.D, i, 3))
        put(plus(spun_change(t, z, td), -1.0, cross(theta, omega)), X, i - first, 3)


@inner
def _put_sum(state: MarkerState, m: int, x: Vector, d: Vector) -> None:
    """Write the place x + d of marker m."""
    for k in range(3):
        state.r[m, k], state.low[m, k] = split_sum(x[k], d[k])


@inner
def _place_planar(markers: Markers, q: Array, state: MarkerState, m: int) -> None:
    iq, i, rest = markers.iq[m], markers.ptr[m], q.size // 2 + markers.iq[m]
    c, s = math.cos(q[iq + 2]), math.sin(q[iq + 2])
    c, s = c - q[rest + 2] * s, s + q[rest + 2] * c
    x, y, z = taken(markers.s, m, 0)
    dx, dy = c * x - s * y, s * x + c * y
    _put_sum(state, m, (q[iq], q[iq + 1], z), (dx + q[rest], dy + q[rest + 1], 0.0))
    _axes(markers, state, m, c, s)
    for k in range(3):
        put((1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 0.0), state.J, i + k, 0)
        put((0.0, 0.0, 1.0 if k == 2 else 0.0), state.J, i + k, 3)
    state.J[i + 2, 0], state.J[i + 2, 1] = -dy, dx


@inner
def _axes(markers: Markers, state: MarkerState, m: int, c: float, s: float) -> None:
    """Write the axes R0 turned about z by the angle of cosine c and sine s."""
    for k in range(3):
        x, y, z = column(markers.R0, m, k)
        state.R[m, 0, k], state.R[m, 1, k], state.R[m, 2, k] = c * x - s * y, s * x + c * y, z


@inner
def _place_node(markers: Markers, q: Array, state: MarkerState, m: int) -> None:
    u, t, rest, n = NO, NO, NO, q.size // 2
    for i in range(markers.ptr[m], markers.ptr[m + 1]):
        rest = plus(rest, q[n + markers.qdof[i]], taken(markers.D, i, 0))
        u = plus(u, q[markers.qdof[i]], taken(markers.D, i, 0))
        t = plus(t, q[markers.qdof[i]], taken(markers.D, i, 3))
    _put_sum(state, m, taken(markers.s, m, 0), u)
    put(plus(taken(state.low, m, 0), 1.0, rest), state.low, m, 0)
    for k in range(3):
        x = rotated(t, column(markers.R0, m, k))
        state.R[m, 0, k], state.R[m, 1, k], state.R[m, 2, k] = x[0], x[1], x[2]
    for i in range(markers.ptr[m], markers.ptr[m + 1]):
        put(taken(markers.D, i, 0), state.J, i, 0)
        put(spun(t, taken(markers.D, i, 3)), state.J, i, 3)


@inner
def _place_on_frame(markers: Markers, q: Array, state: MarkerState, m: int) -> None:
    """Place a marker on a frame, or on a floating body's node."""
    iq, first, rest = markers.iq[m], markers.ptr[m], q.size // 2 + markers.iq[m]
    axes_of(q, iq + 3, state.R[m])  # A for now, the marker's axes in the end
    s, t = taken(markers.s, m, 0), NO
    for i in range(first + 6, markers.ptr[m + 1]):
        s = plus(s, q[markers.qdof[i]], taken(markers.D, i, 0))
        t = plus(t, q[markers.qdof[i]], taken(markers.D, i, 3))
    d = turned(state.R[m], s)
    _put_sum(state, m, (q[iq], q[iq + 1], q[iq + 2]), (d[0] + q[rest], d[1] + q[rest + 1], d[2] + q[rest + 2]))
    for k in range(3):
        a = column(state.R, m, k)
        put((1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0), state.J, first + k, 0)
        put(NO, state.J, first + k, 3)
        put(cross(a, d), state.J, first + 3 + k, 0)
        put(a, state.J, first + 3 + k, 3)
    for i in range(first + 6, markers.ptr[m + 1]):
        put(turned(state.R[m], taken(markers.D, i, 0)), state.J, i, 0)
        put(turned(state.R[m], spun(t, taken(markers.D, i, 3))), state.J, i, 3)
    back = (-t[0], -t[1], -t[2])
    for i in range(3):
        # row i of A exp(t) is exp(-t) applied to row i of A
        a = rotated(back, (state.R[m, i, 0], state.R[m, i, 1], state.R[m, i, 2]))
        for k in range(3):
            state.R[m, i, k] = dot(a, column(markers.R0, m, k))


@inner
def _twist(markers: Markers, v: Array, state: MarkerState, m: int, begin: int, end: int) -> tuple[Vector, Vector]:
    """Return the part of the twist that the unknowns of places begin .. end - 1 make."""
    rdot, omega = NO, NO
    for i in range(begin, end):
        rate = v[markers.dof[i]]
        rdot = plus(rdot, rate, taken(state.J, i, 0))
        omega = plus(omega, rate, taken(state.J, i, 3))
    return rdot, omega


@inner
def _origin(markers: Markers, v: Array, m: int) -> Vector:
    """Return the velocity of the origin of the marker's frame or planar body."""
    iv = markers.iv[m]
    return v[iv], v[iv + 1], 0.0 if markers.kind[m] == PLANAR else v[iv + 2]


@inner
def _turn(markers: Markers, q: Array, v: Array, m: int) -> tuple[Vector, Vector]:
    """Return the elastic rotation vector and its rate, in the body's axes."""
    t, td = NO, NO
    begin = markers.ptr[m] + (0 if markers.kind[m] == NODE else 6)
    for i in range(begin, markers.ptr[m + 1]):
        axis = taken(markers.D, i, 3)
        t = plus(t, q[markers.qdof[i]], axis)
        td = plus(td, v[markers.dof[i]], axis)
    return t, td


@inner
def _to_space(state: MarkerState, first: int, y: Vector) -> Vector:
    """Return A y, of a floating body whose list of unknowns begins at ``first``."""
    x = plus(NO, y[0], taken(state.J, first + 3, 3))
    x = plus(x, y[1], taken(state.J, first + 4, 3))
    return plus(x, y[2], taken(state.J, first + 5, 3))


@inner
def _carry_frame(state: MarkerState, first: int, f: Vector, torque: Vector, K: Array) -> None:
    """Add the part of the frame's rotations: the row of rotation k is a_k . (d x f + torque)."""
    d = NO
    for k in range(3):  # sum of a_k x (a_k x d) = -2 d
        d = plus(d, -0.5, cross(taken(state.J, first + 3 + k, 3), taken(state.J, first + 3 + k, 0)))
    moment = plus(torque, 1.0, cross(d, f))
    for k in range(3):
        a = taken(state.J, first + 3 + k, 3)
        for j in range(3):
            b, bd = taken(state.J, first + 3 + j, 3), taken(state.J, first + 3 + j, 0)
            K[3 + k, 3 + j] -= dot(cross(b, a), moment) + dot(a, cross(bd, f))


@inner
def _carry_modes(markers: Markers, state: MarkerState, m: int, skip: int, torque: Vector, K: Array, nd: int) -> None:
    """Add the part of elastic rotations: T(-t) changes with t; ``skip`` unknowns of a frame come first."""
    if torque[0] == 0.0 and torque[1] == 0.0 and torque[2] == 0.0:
        return
    first = markers.ptr[m]
    # in the axes of the body, where D is given: the axes before and after the elastic turn, and the torque
    x, y, z = column(state.R, m, 0), column(state.R, m, 1), column(state.R, m, 2)
    if skip == 6:
        x, y, z = _to_body(state, first, x), _to_body(state, first, y), _to_body(state, first, z)
        torque = _to_body(state, first, torque)
    t = turn_between(column(markers.R0, m, 0), column(markers.R0, m, 1), column(markers.R0, m, 2), x, y, z)
    for i in range(skip, nd):
        for j in range(skip, nd):
            change = spun_change(t, taken(markers.D, first + j, 3), taken(markers.D, first + i, 3))
            K[i, j] -= dot(change, torque)


@inner
def _to_body(state: MarkerState, first: int, y: Vector) -> Vector:
    """Return A^T y, of a floating body whose list of unknowns begins at ``first``."""
    return (
        dot(taken(state.J, first + 3, 3), y),
        dot(taken(state.J, first + 4, 3), y),
        dot(taken(state.J, first + 5, 3), y),
    )
