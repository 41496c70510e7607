"""Force laws between markers: springs along lines, torsional springs on angles, pushes given in time.

Wrenches are added to ``mstate.wrench`` by class; tangents to K6 = -dwrench/dpose (twists fixed), C6 = -dwrench/dtwist.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry import time_functions
from flexmb.kernels.geometry.relative_angle import axis_change
from flexmb.kernels.geometry.split_sums import apart
from flexmb.kernels.geometry.tables import (
    CONSERVATIVE,
    DAMPING,
    EXTERNAL,
    Angles,
    AngleState,
    Functions,
    MarkerState,
    Pushes,
    Springs,
    Torsions,
)
from flexmb.kernels.geometry.vectors import Vector, combine, cross, dot, turned, vector
from flexmb.state import Array


@kernel
def springs(springs: Springs, mstate: MarkerState) -> float:
    """Add the forces of all springs and return the energy they store; ends that meet give no direction, so NaN."""
    energy = 0.0
    for s in range(springs.A.size):
        A, B = springs.A[s], springs.B[s]
        u, delta, speed, _, _ = _stretch(springs, s, mstate)
        energy += (0.5 * springs.k[s] * delta - springs.preload[s]) * delta
        _pull(mstate.wrench[CONSERVATIVE], A, B, 0, springs.k[s] * delta - springs.preload[s], u)
        _pull(mstate.wrench[DAMPING], A, B, 0, springs.c[s] * speed, u)
    return energy


@kernel
def springs_tangent(springs: Springs, mstate: MarkerState, K6: Array, C6: Array) -> None:
    """Add the tangents of all springs."""
    for s in range(springs.A.size):
        u, delta, speed, across, bend = _stretch(springs, s, mstate)
        k, c = springs.k[s], springs.c[s]
        tension = k * delta - springs.preload[s] + c * speed
        # d(tension u) = u (k u + c across)^T dr + tension (1 - u u^T) dr / distance
        by = combine(k, u, c, across)
        for i in range(3):
            for j in range(3):
                turn = bend * ((1.0 if i == j else 0.0) - u[i] * u[j])
                _add4(K6, springs.pair[s], i, j, u[i] * by[j] + tension * turn)
                _add4(C6, springs.pair[s], i, j, c * u[i] * u[j])


@inner
def _stretch(springs: Springs, s: int, mstate: MarkerState) -> tuple[Vector, float, float, Vector, float]:
    """Return direction, elongation, its rate, the rate's gradient by r_B and 1/distance (0 when directed)."""
    A, B = springs.A[s], springs.B[s]
    d = apart(mstate, A, B)
    w = combine(1.0, vector(mstate.twist[B]), -1.0, vector(mstate.twist[A]))
    if springs.directed[s]:
        n = vector(springs.n[s])
        return n, dot(n, d) - springs.length[s], dot(n, w), (0.0, 0.0, 0.0), 0.0
    distance = math.sqrt(dot(d, d))
    bend = 1.0 / distance
    u = (d[0] / distance, d[1] / distance, d[2] / distance)
    speed = dot(u, w)
    return u, distance - springs.length[s], speed, combine(bend, w, -bend * speed, u), bend


@inner
def _pull(wrench: Array, A: int, B: int, first: int, size: float, u: Vector) -> None:
    """Add -size u to B and size u to A, from the component ``first`` on (0 forces, 3 torques)."""
    for i in range(3):
        wrench[B, first + i] -= size * u[i]
        wrench[A, first + i] += size * u[i]


@inner
def _add4(K6: Array, pair: int, i: int, j: int, x: float) -> None:
    """Add an entry that depends on the difference of the two markers only."""
    K6[pair, i, j] += x
    K6[pair + 1, i, j] -= x
    K6[pair + 2, i, j] -= x
    K6[pair + 3, i, j] += x


@kernel
def torsions(torsions: Torsions, angles: Angles, mstate: MarkerState, astate: AngleState) -> float:
    """Add the torques of all torsional springs and return the energy they store."""
    energy = 0.0
    for s in range(torsions.angle.size):
        a = torsions.angle[s]
        turn = astate.theta[a] - torsions.rest[s]
        energy += 0.5 * torsions.k[s] * turn * turn
        w = vector(astate.w[a])
        _pull(mstate.wrench[CONSERVATIVE], angles.A[a], angles.B[a], 3, torsions.k[s] * turn, w)
        _pull(mstate.wrench[DAMPING], angles.A[a], angles.B[a], 3, torsions.c[s] * astate.rate[a], w)
    return energy


@kernel
def torsions_tangent(
    torsions: Torsions, angles: Angles, mstate: MarkerState, astate: AngleState, K6: Array, C6: Array
) -> None:
    """Add the tangents of all torsional springs."""
    for s in range(torsions.angle.size):
        a, pair, k, c = torsions.angle[s], torsions.pair[s], torsions.k[s], torsions.c[s]
        A, B = angles.A[a], angles.B[a]
        w = vector(astate.w[a])
        torque = k * (astate.theta[a] - torsions.rest[s]) + c * astate.rate[a]
        spin = combine(1.0, vector(mstate.twist[B, 3:]), -1.0, vector(mstate.twist[A, 3:]))
        x, e, m, square = axis_change(mstate.R[A], mstate.R[B])
        # spin . W and spin . (-w~) = w x spin: how theta' changes with the pose at fixed twists
        spin_x, spin_w, spin_m = dot(spin, x) / square, dot(spin, w) / square, dot(spin, m) / square
        tilt = cross(w, spin)
        for j in range(3):
            by_B = spin_x * e[j] - spin_w * m[j] - spin_m * w[j]
            by_A = tilt[j] - by_B
            for i in range(3):
                W = (x[i] * e[j] - w[i] * m[j] - m[i] * w[j]) / square
                x_B = w[i] * (k * w[j] + c * by_B) + torque * W
                x_A = w[i] * (c * by_A - k * w[j]) - torque * (W + _tilde(w, i, j))
                K6[pair, 3 + i, 3 + j] -= x_A
                K6[pair + 1, 3 + i, 3 + j] -= x_B
                K6[pair + 2, 3 + i, 3 + j] += x_A
                K6[pair + 3, 3 + i, 3 + j] += x_B
                _add4(C6, pair, 3 + i, 3 + j, c * w[i] * w[j])


@inner
def _tilde(a: Vector, i: int, j: int) -> float:
    """Return the entry (i, j) of a~."""
    if i == j:
        return 0.0
    return -a[3 - i - j] if (i + 1) % 3 == j else a[3 - i - j]


@kernel
def pushes(pushes: Pushes, functions: Functions, mstate: MarkerState, t: float) -> None:
    """Add the forces and torques given in time."""
    for p in range(pushes.marker.size):
        force, torque = _push(pushes, functions, p, mstate, t)
        for i in range(3):
            mstate.wrench[EXTERNAL, pushes.marker[p], i] += force[i]
            mstate.wrench[EXTERNAL, pushes.marker[p], 3 + i] += torque[i]


@kernel
def pushes_tangent(pushes: Pushes, functions: Functions, mstate: MarkerState, t: float, K6: Array) -> None:
    """Add the tangents of followers: a turn dtheta changes the force f by dtheta x f."""
    for p in range(pushes.marker.size):
        if pushes.follower[p]:
            force, torque = _push(pushes, functions, p, mstate, t)
            for i in range(3):
                for j in range(3):
                    K6[pushes.pair[p], i, 3 + j] += _tilde(force, i, j)
                    K6[pushes.pair[p], 3 + i, 3 + j] += _tilde(torque, i, j)


@inner
def _push(pushes: Pushes, functions: Functions, p: int, mstate: MarkerState, t: float) -> tuple[Vector, Vector]:
    """Return force and torque in space."""
    f = pushes.function[p]
    phi = 1.0 if f < 0 else time_functions.value(functions, f, t)
    zero = (0.0, 0.0, 0.0)
    force, torque = combine(phi, vector(pushes.force[p]), 0.0, zero), combine(phi, vector(pushes.torque[p]), 0.0, zero)
    if pushes.follower[p]:
        R = mstate.R[pushes.marker[p]]
        return turned(R, force), turned(R, torque)
    return force, torque
