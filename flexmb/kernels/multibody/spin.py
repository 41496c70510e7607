"""Spinning bodies: forces, momentum and tangents from ``tables.Rotors``; equations in ``parts.bodies.spin_parts``.

With the speed W = phi', psi = phi + phase, and the entries g, n, s, c, d of gyro, circulation, skew damping, cross and
the resistance of internal damping:

    given phi(t):  F -= W g v + s v (inertia) + (W'/2) g q (drive) + (W n + c) q (cross)
                   F_a += U (W^2 cos psi + W' sin psi), F_b += U (W^2 sin psi - W' cos psi) (drive)
    free phi:      p += (W/2) g q, p_phi += v^T g q / 2, F -= (W/2) g v + s v (inertia)
                   p_a -= U W sin psi, p_b += U W cos psi, p_phi += U (-sin psi v_a + cos psi v_b)
                   F_phi -= U W (cos psi v_a + sin psi v_b) (inertia)
                   F_phi += drive(t, W) - drag W + U (-sin psi g_y + cos psi g_z)

so that d(p)/dt - F holds W g v + (W'/2) g q either way. Of internal damping a free spin feels what a shaft that turns
bent loses: F_phi += q^T n v - W q^T d q; all of it is damping then, not cross.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry import time_functions
from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, INERTIA, SPEED_SLACK, Functions, Rotors
from flexmb.state import Array, IntArray

ANGLE, PHI_Q, PHI_V, TORQUE, CHARACTERISTIC, CIRCULATION = 0, 1, 2, 3, 4, 5
"""Columns of ``Rotors.who``: function phi(t), -1 when free; phi in q and v, -1 when given; functions of the drive
torque by time and by speed, -1 for none; class of the circulatory force: CROSS, or DAMPING if a free spin feels it."""

GYRO, CIRC, SKEW, COUPLE, RESIST = 0, 1, 2, 3, 4
"""Columns of ``Rotors.value``."""


@inner
def _spin(
    rotors: Rotors, functions: Functions, b: int, t: float, t_rate: float, q: Array, v: Array
) -> tuple[float, float, float]:
    """Return phi and W at t and W' at t_rate; no W' where the spin is free, since all that goes with it is momentum."""
    f = rotors.who[b, ANGLE]
    if f < 0:
        return q[rotors.who[b, PHI_Q]], v[rotors.who[b, PHI_V]], 0.0
    rate, second = time_functions.rate(functions, f, t), time_functions.second(functions, f, t_rate)
    return time_functions.value(functions, f, t), rate, second


@inner
def _between(rotors: Rotors, k: int, W: float) -> tuple[int, int, float, float]:
    """Return the values of table k at the speeds around W (first entries), the fraction and its slope by W.

    Outside the table its end values, so that a step can be finished; a run that leaves it ends (``outside``).
    """
    first, n, entries, values = rotors.table[k, 0], rotors.table[k, 1], rotors.table[k, 3], rotors.table[k, 4]
    i = time_functions.up_to(rotors.speed, first, n, W)
    if i == 0 or i == n:
        at = values + max(i - 1, 0) * entries
        return at, at, 0.0, 0.0
    low, width = rotors.speed[first + i - 1], rotors.speed[first + i] - rotors.speed[first + i - 1]
    at = values + (i - 1) * entries
    return at, at + entries, (W - low) / width, 1.0 / width


@kernel
def outside(rotors: Rotors, v: Array) -> int:
    """Return a table of a bearing that does not cover the speed of a free spin, -1 if there is none."""
    for b in range(rotors.drag.size):
        phi = rotors.who[b, PHI_V]
        if phi < 0:
            continue
        for k in range(rotors.table_ptr[b], rotors.table_ptr[b + 1]):
            low = rotors.speed[rotors.table[k, 0]]
            high = rotors.speed[rotors.table[k, 0] + rotors.table[k, 1] - 1]
            slack = SPEED_SLACK * (high - low)
            if not low - slack <= v[phi] <= high + slack:
                return k
    return -1


@inner
def _waves(rotors: Rotors, x: int, phi: float) -> tuple[float, float]:
    """Return cos psi and sin psi of excitation x."""
    psi = phi + rotors.strength[x, 2]
    return math.cos(psi), math.sin(psi)


@inner
def _at(v: Array, i: int) -> float:
    """Return v[i], 0 for a fixed unknown."""
    return v[i] if i >= 0 else 0.0


@inner
def _add(i: int, x: float, out: Array) -> None:
    """Add x to out[i] unless it is fixed."""
    if i >= 0:
        out[i] += x


@kernel
def momentum(rotors: Rotors, q_of_v: IntArray, q: Array, v: Array, p: Array) -> None:
    """Add the momentum that free spins and the unknowns of their rotors have of each other to p (nv,)."""
    for b in range(rotors.drag.size):
        phi = rotors.who[b, PHI_V]
        if phi < 0:
            continue
        W = v[phi]
        for e in range(rotors.entry_ptr[b], rotors.entry_ptr[b + 1]):
            i, j = rotors.entry[e, 0], rotors.entry[e, 1]
            half = 0.5 * rotors.value[e, GYRO] * q[q_of_v[j]]
            p[i] += W * half
            p[phi] += v[i] * half
        for x in range(rotors.turning_ptr[b], rotors.turning_ptr[b + 1]):
            cos, sin = _waves(rotors, x, q[rotors.who[b, PHI_Q]])
            i, j, Ua, Ub = rotors.turning[x, 0], rotors.turning[x, 1], rotors.strength[x, 0], rotors.strength[x, 1]
            _add(i, -W * Ua * sin, p)
            _add(j, W * Ub * cos, p)
            p[phi] += Ub * cos * _at(v, j) - Ua * sin * _at(v, i)


@inner
def _matrix_forces(
    rotors: Rotors, b: int, W: float, dW: float, turning: float, q_of_v: IntArray, q: Array, v: Array, F: Array
) -> None:
    """Add the forces of the matrices of rotor b; entries of one row follow each other, so its sums wait at hand."""
    phi, kind, feels = rotors.who[b, PHI_V], rotors.who[b, CIRCULATION], rotors.who[b, CIRCULATION] == DAMPING
    e, end = rotors.entry_ptr[b], rotors.entry_ptr[b + 1]
    while e < end:
        i = rotors.entry[e, 0]
        inertia, drive, cross, circ = F[INERTIA, i], F[DRIVE, i], 0.0, 0.0
        while e < end and rotors.entry[e, 0] == i:
            j, value = rotors.entry[e, 1], rotors.value[e]
            place = q[q_of_v[j]]
            inertia -= (turning * value[GYRO] + value[SKEW]) * v[j]
            drive -= 0.5 * dW * value[GYRO] * place
            cross += value[COUPLE] * place
            circ += W * value[CIRC] * place
            if feels:
                F[DAMPING, phi] += q[q_of_v[i]] * (value[CIRC] * v[j] - W * value[RESIST] * place)
            e += 1
        F[INERTIA, i], F[DRIVE, i] = inertia, drive
        F[CROSS, i] -= cross
        F[kind, i] -= circ


@kernel
def forces(
    rotors: Rotors, functions: Functions, q_of_v: IntArray, t: float, t_rate: float, q: Array, v: Array, F: Array
) -> float:
    """Add the forces of all rotors to F (CLASSES, nv); return their stored energy, J.

    ``t_rate`` is t, but not before the run: W' jumps where a ramp begins, and a step that looks back behind the start
    would see none of it.
    """
    stored = 0.0
    for b in range(rotors.drag.size):
        angle, W, dW = _spin(rotors, functions, b, t, t_rate, q, v)
        phi = rotors.who[b, PHI_V]
        turning = W if phi < 0 else 0.5 * W
        _matrix_forces(rotors, b, W, dW, turning, q_of_v, q, v, F)
        for k in range(rotors.table_ptr[b], rotors.table_ptr[b + 1]):
            low, high, s, _ = _between(rotors, k, W)
            for e in range(rotors.table[k, 3]):
                i, j = rotors.table_entry[rotors.table[k, 2] + e, 0], rotors.table_entry[rotors.table[k, 2] + e, 1]
                a, z = rotors.table_value[low + e], rotors.table_value[high + e]
                F[CROSS, i] -= ((1.0 - s) * a[0] + s * z[0]) * q[q_of_v[j]]
                F[DAMPING, i] -= ((1.0 - s) * a[1] + s * z[1]) * v[j]
                F[INERTIA, i] -= ((1.0 - s) * a[2] + s * z[2]) * v[j]
        for x in range(rotors.turning_ptr[b], rotors.turning_ptr[b + 1]):
            cos, sin = _waves(rotors, x, angle)
            i, j, Ua, Ub = rotors.turning[x, 0], rotors.turning[x, 1], rotors.strength[x, 0], rotors.strength[x, 1]
            if phi < 0:
                _add(i, Ua * (W * W * cos + dW * sin), F[DRIVE])
                _add(j, Ub * (W * W * sin - dW * cos), F[DRIVE])
            else:
                gy, gz = rotors.strength[x, 3], rotors.strength[x, 4]
                F[INERTIA, phi] -= W * (Ua * cos * _at(v, i) + Ub * sin * _at(v, j))
                F[CONSERVATIVE, phi] += cos * gz - sin * gy
                stored -= cos * gy + sin * gz
        if phi >= 0:
            F[DAMPING, phi] -= rotors.drag[b] * W
            if rotors.who[b, TORQUE] >= 0:
                F[DRIVE, phi] += time_functions.value(functions, rotors.who[b, TORQUE], t)
            if rotors.who[b, CHARACTERISTIC] >= 0:
                F[DRIVE, phi] += time_functions.value(functions, rotors.who[b, CHARACTERISTIC], W)
    return stored


@inner
def _matrix_tangents(
    rotors: Rotors,
    b: int,
    W: float,
    dW: float,
    q_of_v: IntArray,
    pos: IntArray,
    spin: int,
    q: Array,
    v: Array,
    c1: float,
    M: Array,
    C: Array,
    D: Array,
) -> None:
    """Add the tangents of the matrices of rotor b; ``spin`` is the place of (phi, phi)."""
    free, feels = rotors.who[b, PHI_V] >= 0, rotors.who[b, CIRCULATION] == DAMPING
    turning = 0.5 * W if free else W
    for e in range(rotors.entry_ptr[b], rotors.entry_ptr[b + 1]):
        i, j, value, place = rotors.entry[e, 0], rotors.entry[e, 1], rotors.value[e], pos[e]
        g, n, y = value[GYRO], value[CIRC], q[q_of_v[j]]
        C[place[0]] += c1 * (turning * g + value[SKEW])
        D[place[0]] += c1 * (W * n + value[COUPLE] + 0.5 * dW * g)
        if not free:
            continue
        M[place[1]] += 0.5 * g * y
        M[place[2]] += 0.5 * g * y
        D[place[0]] += 0.5 * W * g
        D[place[3]] += 0.5 * g * v[i]
        C[place[1]] += c1 * (0.5 * g * v[j] + n * y)
        if feels:
            x, d = q[q_of_v[i]], value[RESIST]
            C[place[3]] -= c1 * x * n
            C[spin] += c1 * x * d * y
            D[place[2]] -= c1 * (n * v[j] - W * d * y)
            D[place[3]] += c1 * W * x * d


@inner
def _table_tangents(
    rotors: Rotors,
    b: int,
    W: float,
    q_of_v: IntArray,
    pos: IntArray,
    q: Array,
    v: Array,
    c1: float,
    C: Array,
    D: Array,
) -> None:
    """Add the tangents of the speed-dependent bearings of rotor b."""
    first = rotors.entry.shape[0]
    for k in range(rotors.table_ptr[b], rotors.table_ptr[b + 1]):
        low, high, s, slope = _between(rotors, k, W)
        for e in range(rotors.table[k, 3]):
            at = rotors.table[k, 2] + e
            j, place = rotors.table_entry[at, 1], pos[first + at]
            a, z = rotors.table_value[low + e], rotors.table_value[high + e]
            D[place[0]] += c1 * ((1.0 - s) * a[0] + s * z[0])
            C[place[0]] += c1 * ((1.0 - s) * (a[1] + a[2]) + s * (z[1] + z[2]))
            if rotors.who[b, PHI_V] >= 0:
                more = (z[0] - a[0]) * q[q_of_v[j]] + (z[1] + z[2] - a[1] - a[2]) * v[j]
                C[place[1]] += c1 * slope * more


@inner
def _turning_tangents(
    rotors: Rotors,
    b: int,
    angle: float,
    W: float,
    pos: IntArray,
    spin: int,
    v: Array,
    c1: float,
    M: Array,
    C: Array,
    D: Array,
) -> None:
    """Add the tangents of the excitations of rotor b, whose spin is free."""
    first = rotors.entry.shape[0] + rotors.table_entry.shape[0]
    for x in range(rotors.turning_ptr[b], rotors.turning_ptr[b + 1]):
        cos, sin = _waves(rotors, x, angle)
        i, j, place, strength = rotors.turning[x, 0], rotors.turning[x, 1], pos[first + x], rotors.strength[x]
        Ua, Ub = strength[0], strength[1]
        along, aside = Ua * cos * _at(v, i) + Ub * sin * _at(v, j), Ub * cos * _at(v, j) - Ua * sin * _at(v, i)
        D[spin] += c1 * (W * aside + cos * strength[3] + sin * strength[4]) - along
        C[spin] += c1 * along
        if i >= 0:
            M[place[0]] -= Ua * sin
            M[place[1]] -= Ua * sin
            D[place[0]] -= W * Ua * cos
            C[place[1]] += c1 * W * Ua * cos
        if j >= 0:
            M[place[2]] += Ub * cos
            M[place[3]] += Ub * cos
            D[place[2]] -= W * Ub * sin
            C[place[3]] += c1 * W * Ub * sin


@kernel
def tangents(
    rotors: Rotors,
    functions: Functions,
    q_of_v: IntArray,
    pos: IntArray,
    spins: IntArray,
    t: float,
    q: Array,
    v: Array,
    c1: float,
    M: Array,
    C: Array,
    D: Array,
) -> None:
    """Add M, c1 C and N + c1 K of all rotors to values in the pattern; ``pos``, ``spins`` as in ``Scatter``."""
    for b in range(rotors.drag.size):
        angle, W, dW = _spin(rotors, functions, b, t, t, q, v)
        _matrix_tangents(rotors, b, W, dW, q_of_v, pos, spins[b], q, v, c1, M, C, D)
        _table_tangents(rotors, b, W, q_of_v, pos, q, v, c1, C, D)
        if rotors.who[b, PHI_V] >= 0:
            _turning_tangents(rotors, b, angle, W, pos, spins[b], v, c1, M, C, D)
            C[spins[b]] += c1 * rotors.drag[b]
            if rotors.who[b, CHARACTERISTIC] >= 0:
                C[spins[b]] -= c1 * time_functions.rate(functions, rotors.who[b, CHARACTERISTIC], W)
