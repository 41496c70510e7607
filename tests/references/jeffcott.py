"""The Jeffcott (Laval) rotor: a disk of mass m on a massless shaft of stiffness k, damping c, unbalance U.

With r = y + i z and the spin angle phi,

    m r'' + c r' + k r = U (W^2 - i W') e^(i phi),      W = phi'

(U W^2 cos phi + U W' sin phi along y, U W^2 sin phi - U W' cos phi along z). When the spin is free,

    J W' = T(W) + U Im(e^(-i phi) ... ) , from  T = m |r'|^2 / 2 + J W^2 / 2 + U W (-sin phi y' + cos phi z'):

    J W' - U (sin phi y'' - cos phi z'') = torque.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp


def transient(t, m, k, c, U, W):
    """Return y + i z at times t of a rotor of constant speed that starts at rest in its middle: exact."""
    t = np.asarray(t, dtype=float)
    p = U * W**2 / (k - m * W**2 + 1j * c * W)
    a, omega = c / (2.0 * m), np.sqrt(k / m - (c / (2.0 * m)) ** 2)
    # homogeneous part e^(-a t) (A e^(i omega t) + B e^(-i omega t)) with r(0) = r'(0) = 0
    A = -0.5 * p * (1.0 + (W - 1j * a) / omega)
    B = -p - A
    return p * np.exp(1j * W * t) + np.exp(-a * t) * (A * np.exp(1j * omega * t) + B * np.exp(-1j * omega * t))


def steady_radius(m, k, c, U, W):
    """Return the radius of the steady orbit at speed W."""
    return abs(U * W**2 / (k - m * W**2 + 1j * c * W))


def driven(t, m, k, c, U, speed, acceleration, angle):
    """Return y + i z at times t (t[0] = 0, at rest) for a given spin angle(t), speed(t), acceleration(t)."""

    def rates(s, x):
        force = U * (speed(s) ** 2 - 1j * acceleration(s)) * np.exp(1j * angle(s))
        r, v = x[0] + 1j * x[1], x[2] + 1j * x[3]
        a = (force - c * v - k * r) / m
        return [v.real, v.imag, a.real, a.imag]

    done = solve_ivp(rates, (t[0], t[-1]), np.zeros(4), method="DOP853", t_eval=t, rtol=1e-11, atol=1e-14)
    assert done.success
    return done.y[0] + 1j * done.y[1]


def free(t, m, k, c, U, J, torque, W0=0.0):
    """Return (y + i z, speed) at times t of a rotor that a torque(W) drives, from rest but for the speed W0."""

    def rates(s, x):
        y, z, phi, vy, vz, W = x
        sin, cos = np.sin(phi), np.cos(phi)
        M = np.array([[m, 0.0, -U * sin], [0.0, m, U * cos], [-U * sin, U * cos, J]])
        f = [-c * vy - k * y + U * W**2 * cos, -c * vz - k * z + U * W**2 * sin, torque(W)]
        return [vy, vz, W, *np.linalg.solve(M, f)]

    start = [0.0, 0.0, 0.0, 0.0, 0.0, W0]
    done = solve_ivp(rates, (t[0], t[-1]), start, method="DOP853", t_eval=t, rtol=1e-10, atol=1e-13)
    assert done.success
    return done.y[0] + 1j * done.y[1], done.y[5]


def captured_speed(m, k, c, U, torque, low, high):
    """Return the speed between low and high at which the torque feeds just what the whirl dissipates.

    On a circular orbit of radius r turning with the shaft, c W^2 r^2 is dissipated: torque(W) = c W r(W)^2, exactly.
    """
    from scipy.optimize import brentq

    return brentq(lambda W: torque(W) - c * W * steady_radius(m, k, c, U, W) ** 2, low, high, xtol=1e-13)
