"""Geometrically exact beam elements of two nodes, strains at the middle (see ``tables.Beams``).

Everything is written in the axes R_m of the middle. With t = log(R_A^T R_B), s = |t|, the turns alpha, beta of the two
markers and g = beta - alpha, all along R_m,

    dt  = S g,                          S = sigma 1 + rho t t^T,  sigma = (s/2) / sin(s/2), rho = (1 - sigma)/s^2
    phi = (alpha + beta)/2 - tau t x g,                           tau = tan(s/4) / (2 s)

phi being the turn of R_m itself: the tangents of the exponential, seen from the middle, are a symmetric matrix and a
tangent of a quarter angle. With e = R_m^T (r_B - r_A) and the stress resultants n, m the energy changes by
n . (du + e x phi) + m . dt, so that with c = n x e and mu = S m - tau c x t

    force on B = -R_m n,  torque on B = -R_m (c/2 + mu);   force on A = R_m n,  torque on A = -R_m (c/2 - mu)

The two forces cancel and so do the torques about any point, whatever n and m are: momentum and angular momentum are
kept. Dampers act the same way with n, m from the rates of strain. Tangents are exact, those of the dampers included.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.rotation import SMALL, coefficients, log_so3
from flexmb.kernels.geometry.split_sums import apart
from flexmb.kernels.geometry.tables import CONSERVATIVE, DAMPING, Beams, MarkerState
from flexmb.kernels.geometry.vectors import Vector, combine, cross, dot, scaled, turned, turned_back, vector
from flexmb.state import Array

SCRATCH = 21
"""Numbers of scratch needed: the axes of the middle, a matrix and a vector."""


class Middle(NamedTuple):
    """The middle of an element: span e and turn t along its axes, and the factors of the module's text."""

    e: Vector
    t: Vector
    s2: float
    sigma: float
    rho: float
    tau: float


class Rates(NamedTuple):
    """Velocities at the middle along its axes: of the span (``u``), the difference and mean of the turns, of R_m."""

    u: Vector
    g: Vector
    mean: Vector
    phi: Vector


class Stress(NamedTuple):
    """Stress resultants n, m of springs and dampers together, c = n x e, and the slopes of sigma, rho, tau."""

    n: Vector
    m: Vector
    c: Vector
    sigma: float
    rho: float
    tau: float


@kernel
def beams(beams: Beams, mstate: MarkerState, scratch: Array) -> float:
    """Add the wrenches of all elements and return the energy they store; ``scratch`` has SCRATCH numbers."""
    energy = 0.0
    Rm = scratch[:9].reshape(3, 3)
    for k in range(beams.A.size):
        A, B, length = beams.A[k], beams.B[k], beams.length[k]
        mid = _middle(mstate, A, B, scratch)
        gamma, kappa = _strain(beams, k, mid)
        n, m = scaled(beams.D[k], 1.0, gamma), scaled(beams.D[k, 3:], 1.0, kappa)
        energy += 0.5 * length * (dot(n, gamma) + dot(m, kappa))
        _act(mstate.wrench[CONSERVATIVE], apart(mstate, A, B), A, B, mid, n, m, Rm)
        if beams.beta[k] != 0.0:
            rates = _rates(mstate, A, B, mid, Rm)
            n, m = _viscous(beams, k, mid, rates)
            _act(mstate.wrench[DAMPING], apart(mstate, A, B), A, B, mid, n, m, Rm)
    return energy


@kernel
def beams_tangent(beams: Beams, mstate: MarkerState, K6: Array, C6: Array, scratch: Array) -> None:
    """Add the tangents of all elements, column by column; ``scratch`` has SCRATCH numbers."""
    zero = (0.0, 0.0, 0.0)
    Rm = scratch[:9].reshape(3, 3)
    for k in range(beams.A.size):
        mid = _middle(mstate, beams.A[k], beams.B[k], scratch)
        rates = _rates(mstate, beams.A[k], beams.B[k], mid, Rm)
        stress = _stress(beams, k, mid, rates)
        for i in range(3):
            axis = vector(Rm[i])
            half = combine(0.5, axis, 0.0, zero)
            back = combine(-1.0, axis, 0.0, zero)
            _columns(beams, k, mid, rates, stress, axis, zero, zero, Rm, K6, C6, i)
            _columns(beams, k, mid, rates, stress, zero, half, back, Rm, K6, C6, 3 + i)
            _columns(beams, k, mid, rates, stress, zero, half, axis, Rm, K6, C6, 6 + i)


@inner
def _middle(mstate: MarkerState, A: int, B: int, scratch: Array) -> Middle:
    """Return the middle; write its axes to scratch[:9]."""
    Rm, matrix, t = scratch[:9].reshape(3, 3), scratch[9:18].reshape(3, 3), scratch[18:21]
    RA, RB = mstate.R[A], mstate.R[B]
    for i in range(3):
        for j in range(3):
            matrix[i, j] = RA[0, i] * RB[0, j] + RA[1, i] * RB[1, j] + RA[2, i] * RB[2, j]
    log_so3(matrix, t)
    turn = vector(t)
    s2 = dot(turn, turn)
    # R_m = R_A exp(t/2), row by row: x exp(t/2) = exp(-t/2) x
    a, b, _, _ = coefficients(0.25 * s2)
    for i in range(3):
        x = vector(RA[i])
        once = cross(x, turn)
        x = combine(1.0, x, 0.5 * a, once)
        Rm[i, 0], Rm[i, 1], Rm[i, 2] = combine(1.0, x, 0.25 * b, cross(once, turn))
    d = apart(mstate, A, B)
    sigma, rho, tau = _factors(s2)
    return Middle(turned_back(Rm, d), turn, s2, sigma, rho, tau)


@inner
def _factors(s2: float) -> tuple[float, float, float]:
    """Return sigma, rho, tau."""
    if s2 < SMALL:
        rho = 73.0 / 3503554560.0
        for c in (127.0 / 154828800.0, 31.0 / 967680.0, 7.0 / 5760.0, 1.0 / 24.0):
            rho = rho * s2 + c
        y2 = s2 / 16.0
        tau = 1382.0 / 155925.0
        for c in (62.0 / 2835.0, 17.0 / 315.0, 2.0 / 15.0, 1.0 / 3.0, 1.0):
            tau = tau * y2 + c
        return 1.0 + rho * s2, -rho, 0.125 * tau
    s = math.sqrt(s2)
    sigma = 0.5 * s / math.sin(0.5 * s)
    return sigma, (1.0 - sigma) / s2, math.tan(0.25 * s) / (2.0 * s)


@inner
def _slopes(mid: Middle) -> tuple[float, float, float]:
    """Return the derivatives of sigma, rho, tau by s, over s."""
    s2 = mid.s2
    if s2 < SMALL:
        sigma = 365.0 / 3503554560.0
        for c in (508.0 / 154828800.0, 93.0 / 967680.0, 14.0 / 5760.0, 1.0 / 24.0):
            sigma = sigma * s2 + c
        rho = 292.0 / 3503554560.0
        for c in (381.0 / 154828800.0, 62.0 / 967680.0, 7.0 / 5760.0):
            rho = rho * s2 + c
        y2 = s2 / 16.0
        tau = 1382.0 / 31185.0
        for c in (248.0 / 2835.0, 17.0 / 105.0, 4.0 / 15.0, 1.0 / 3.0):
            tau = tau * y2 + c
        return 2.0 * sigma, -2.0 * rho, tau / 64.0
    x = 0.5 * math.sqrt(s2)
    sine = math.sin(x)
    sigma = (sine - x * math.cos(x)) / (4.0 * x * sine * sine)
    tangent = math.tan(0.5 * x)
    return sigma, (-sigma - 2.0 * mid.rho) / s2, (0.25 * (1.0 + tangent * tangent) - 2.0 * mid.tau) / (2.0 * s2)


@inner
def _S(mid: Middle, x: Vector) -> Vector:
    """Return the product S x."""
    return combine(mid.sigma, x, mid.rho * dot(mid.t, x), mid.t)


@inner
def _turn(mid: Middle, mean: Vector, g: Vector) -> Vector:
    """Return the turn phi of R_m from the mean and the difference of the turns of the markers."""
    return combine(1.0, mean, -mid.tau, cross(mid.t, g))


@inner
def _mu(mid: Middle, c: Vector, m: Vector) -> Vector:
    """Return mu = S m - tau c x t."""
    return combine(1.0, _S(mid, m), -mid.tau, cross(c, mid.t))


@inner
def _act(wrench: Array, d: Vector, A: int, B: int, mid: Middle, n: Vector, m: Vector, Rm: Array) -> None:
    """Add the wrenches of the stress resultants n, m; d is the vector from A to B."""
    force, mu = turned(Rm, n), turned(Rm, _mu(mid, cross(n, mid.e), m))
    # in space, so that the balance of torques does not lean on R_m being a rotation to the last bit
    c = cross(force, d)
    for i in range(3):
        wrench[A, i] += force[i]
        wrench[B, i] -= force[i]
        wrench[A, 3 + i] -= 0.5 * c[i] - mu[i]
        wrench[B, 3 + i] -= 0.5 * c[i] + mu[i]


@inner
def _rates(mstate: MarkerState, A: int, B: int, mid: Middle, Rm: Array) -> Rates:
    """Return the velocities at the middle."""
    a, b = mstate.twist[A], mstate.twist[B]
    u = turned_back(Rm, combine(1.0, vector(b), -1.0, vector(a)))
    g = turned_back(Rm, combine(1.0, vector(b[3:]), -1.0, vector(a[3:])))
    mean = turned_back(Rm, combine(0.5, vector(b[3:]), 0.5, vector(a[3:])))
    return Rates(u, g, mean, _turn(mid, mean, g))


@inner
def _viscous(beams: Beams, k: int, mid: Middle, rates: Rates) -> tuple[Vector, Vector]:
    """Return n and m of the dampers: beta D times the rates of strain."""
    factor = beams.beta[k] / beams.length[k]
    span = combine(1.0, rates.u, 1.0, cross(mid.e, rates.phi))
    return scaled(beams.D[k], factor, span), scaled(beams.D[k, 3:], factor, _S(mid, rates.g))


@inner
def _strain(beams: Beams, k: int, mid: Middle) -> tuple[Vector, Vector]:
    """Return gamma and kappa."""
    scale = 1.0 / beams.length[k]
    gamma = combine(scale, mid.e, -1.0, vector(beams.gamma0[k]))
    return gamma, combine(scale, mid.t, -1.0, vector(beams.kappa0[k]))


@inner
def _stress(beams: Beams, k: int, mid: Middle, rates: Rates) -> Stress:
    """Return the quantities of the stresses that the tangents need."""
    gamma, kappa = _strain(beams, k, mid)
    n, m = scaled(beams.D[k], 1.0, gamma), scaled(beams.D[k, 3:], 1.0, kappa)
    if beams.beta[k] != 0.0:
        n_v, m_v = _viscous(beams, k, mid, rates)
        n, m = combine(1.0, n, 1.0, n_v), combine(1.0, m, 1.0, m_v)
    sigma, rho, tau = _slopes(mid)
    return Stress(n, m, cross(n, mid.e), sigma, rho, tau)


@inner
def _columns(
    beams: Beams,
    k: int,
    mid: Middle,
    rates: Rates,
    stress: Stress,
    u: Vector,
    mean: Vector,
    g: Vector,
    Rm: Array,
    K6: Array,
    C6: Array,
    col: int,
) -> None:
    """Add the columns of K6 and C6 for the motion (u, mean, g) of span and turns, along the axes of the middle.

    ``col``: 0 .. 2 the span by r_B - r_A, 3 .. 5 the turn of A, 6 .. 8 that of B.
    """
    phi, along = _turn(mid, mean, g), dot(mid.t, g)
    de, dt = combine(1.0, u, 1.0, cross(mid.e, phi)), _S(mid, g)
    by_length = 1.0 / beams.length[k]
    dn, dm = scaled(beams.D[k], by_length, de), scaled(beams.D[k, 3:], by_length, dt)
    if beams.beta[k] != 0.0:
        beta = beams.beta[k]
        n, m = combine(beta, dn, 0.0, dn), combine(beta, dm, 0.0, dm)
        c = cross(n, mid.e)
        _put(C6, beams.pair[k], col, turned(Rm, n), turned(Rm, c), turned(Rm, _mu(mid, c, m)))
        span, turn = _rate_changes(mid, rates, stress, phi, de, dt, along)
        dn = combine(1.0, dn, 1.0, scaled(beams.D[k], beta * by_length, span))
        dm = combine(1.0, dm, 1.0, scaled(beams.D[k, 3:], beta * by_length, turn))
    dc = combine(1.0, cross(dn, mid.e), 1.0, cross(stress.n, de))
    dmu = combine(1.0, _mu(mid, dc, dm), 1.0, _dS(mid, stress, dt, along, stress.m))
    dmu = combine(1.0, dmu, -stress.tau * along, cross(stress.c, mid.t))
    dmu = combine(1.0, dmu, -mid.tau, cross(stress.c, dt))
    # the axes of the middle turn by phi
    dn = combine(1.0, dn, 1.0, cross(phi, stress.n))
    dc = combine(1.0, dc, 1.0, cross(phi, stress.c))
    dmu = combine(1.0, dmu, 1.0, cross(phi, _mu(mid, stress.c, stress.m)))
    _put(K6, beams.pair[k], col, turned(Rm, dn), turned(Rm, dc), turned(Rm, dmu))


@inner
def _dS(mid: Middle, stress: Stress, dt: Vector, along: float, x: Vector) -> Vector:
    """Return dS x for the change dt of t; along = t . dt."""
    tx = dot(mid.t, x)
    on_t = stress.rho * along * tx + mid.rho * dot(dt, x)
    part = combine(stress.sigma * along, x, on_t, mid.t)
    return combine(1.0, part, mid.rho * tx, dt)


@inner
def _rate_changes(
    mid: Middle, rates: Rates, stress: Stress, phi: Vector, de: Vector, dt: Vector, along: float
) -> tuple[Vector, Vector]:
    """Return the changes of e' = u + e x phi' and t' = S g at fixed velocities in space, when R_m turns by phi."""
    du, dg, dmean = cross(rates.u, phi), cross(rates.g, phi), cross(rates.mean, phi)
    dphi = combine(1.0, _turn(mid, dmean, dg), -stress.tau * along, cross(mid.t, rates.g))
    dphi = combine(1.0, dphi, -mid.tau, cross(dt, rates.g))
    span = combine(1.0, du, 1.0, cross(de, rates.phi))
    span = combine(1.0, span, 1.0, cross(mid.e, dphi))
    return span, combine(1.0, _S(mid, dg), 1.0, _dS(mid, stress, dt, along, rates.g))


@inner
def _put(K6: Array, pair: int, col: int, force: Vector, c: Vector, mu: Vector) -> None:
    """Add a column: the wrenches are (force, mu - c/2) on A and -(force, mu + c/2) on B, tangents their negatives."""
    block, place = (pair, col) if 3 <= col < 6 else (pair + 1, col if col < 3 else col - 3)
    for i in range(3):
        on_A, on_B = 0.5 * c[i] - mu[i], 0.5 * c[i] + mu[i]
        _entry(K6, block, i, place, -force[i], on_A)
        _entry(K6, block + 2, i, place, force[i], on_B)
        if col < 3:
            _entry(K6, pair, i, col, force[i], -on_A)
            _entry(K6, pair + 2, i, col, -force[i], -on_B)


@inner
def _entry(K6: Array, pair: int, i: int, col: int, force: float, torque: float) -> None:
    """Add to one column of a block."""
    K6[pair, i, col] += force
    K6[pair, 3 + i, col] += torque
