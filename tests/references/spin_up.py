"""Spin-up of a flexible beam: Simo, Vu-Quoc (1986), J. Appl. Mech. 53, 855-863; the root's angle is prescribed."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from references.ode import solve
from references.planar_beam import Beam, simulate

LENGTH, EA, GA, EI, MASS, ROTARY = 10.0, 2.8e7, 1e7, 1.4e4, 1.2, 6e-4
RATE, DURATION = 6.0, 15.0


def drive(t, rate=RATE, duration=DURATION):
    """Return the prescribed angle, its rate and its second derivative."""
    k = 2.0 * np.pi / duration
    if t >= duration:
        return rate * t - 0.5 * rate * duration, rate, 0.0
    a = rate / duration
    return a * (0.5 * t**2 + (np.cos(k * t) - 1.0) / k**2), a * (t - np.sin(k * t) / k), a * (1.0 - np.cos(k * t))


def trajectory(end, steps, elements=2, order=4):
    """Return times, and the tip in the turning frame (n, 2): extension, and offset across (a lag is negative)."""
    beam = Beam(LENGTH, EA, GA, EI, MASS, ROTARY, elements=elements, order=order)
    q0 = beam.straight((0.0, 0.0), 0.0)
    t, q, _ = simulate(beam, q0, 0 * q0, end, steps, held=(0, 1), drives=[(2, drive)])
    angle = np.array([drive(s)[0] for s in t])
    x, y = q[:, -3], q[:, -2]
    c, s = np.cos(angle), np.sin(angle)
    return t, np.column_stack([c * x + s * y - LENGTH, c * y - s * x])


def steady_extension():
    """Return the extension at constant speed: r'' = -k^2 r, r(0) = 0, r'(L) = 1, so tan(kL)/k - L."""
    k = np.sqrt(MASS * RATE**2 / EA)
    return np.tan(k * LENGTH) / k - LENGTH


def linear_lag(times, modes=4):
    """Return u2 of the tip (n,) from small bending in the turning frame with the stiffening of the centrifugal tension.

    m (w.. - W^2 w + W. x) + EI w'''' - (N w')' = 0 with N = m W^2 (L^2 - x^2) / 2, by polynomials x^2, x^3, ...
    """
    basis = [Polynomial.basis(k + 2) for k in range(modes)]  # in x / L

    def integral(f):
        F = f.integ()
        return F(1.0) - F(0.0)

    tension = 0.5 * (1.0 - Polynomial([0.0, 0.0, 1.0]))
    each = range(modes)
    M = np.array([[integral(basis[i] * basis[j]) for j in each] for i in each]) * MASS * LENGTH
    K = np.array([[integral(basis[i].deriv(2) * basis[j].deriv(2)) for j in each] for i in each]) * EI / LENGTH**3
    S = np.array([[integral(tension * basis[i].deriv() * basis[j].deriv()) for j in each] for i in each])
    S *= MASS * LENGTH
    f = np.array([integral(Polynomial([0.0, 1.0]) * b) for b in basis]) * MASS * LENGTH**2
    low = np.linalg.cholesky(M)
    inverse = np.linalg.inv(low)
    K, S, f = inverse @ K @ inverse.T, inverse @ S @ inverse.T, inverse @ f
    tip = inverse @ np.ones(modes)

    def rhs(t, y):
        _, speed, bend = drive(t)
        x = y[:modes]
        return np.concatenate([y[modes:], -K @ x - speed**2 * (S @ x - x) - f * bend])

    y = solve(rhs, np.zeros(2 * modes), times, rtol=1e-7, atol=1e-8)
    return y[:, :modes] @ tip
