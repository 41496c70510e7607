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
from scipy.optimize import brentq


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
    return brentq(lambda W: torque(W) - c * W * steady_radius(m, k, c, U, W) ** 2, low, high, xtol=1e-13)


def annular_rub(m, k, c, U, W, gap, stiffness=np.inf):
    """Return radius and contact force of the whirl at speed W that stays on a ring of the given gap.

    r = radius e^(i (W t - lag)) with m r'' + c r' + k r + N r / radius = U W^2 e^(i W t) gives

        sin(lag) = c radius / (U W),    N = U W^2 cos(lag) - (k - m W^2) radius.

    A hard ring holds radius = gap; one of springs gives way, N = stiffness (radius - gap).
    """

    def force(radius):
        return U * W**2 * np.sqrt(1.0 - (c * radius / (U * W)) ** 2) - (k - m * W**2) * radius

    if np.isinf(stiffness):
        return gap, force(gap)
    free = min(steady_radius(m, k, c, U, W), U * W / c)
    radius = brentq(lambda x: force(x) - stiffness * (x - gap), gap, free, xtol=1e-16)
    return radius, stiffness * (radius - gap)


def _flight(m, k, c, U, W, ring=None):
    """Return the rates of (y, z, y', z') at constant speed; ``ring(r)`` is a force on the radius, outwards positive."""

    def rates(t, x):
        r, v = x[0] + 1j * x[1], x[2] + 1j * x[3]
        push = U * W**2 * np.exp(1j * W * t) - c * v - k * r
        if ring is not None:
            push += ring(abs(r)) * r / abs(r) if r else 0.0
        a = push / m
        return [v.real, v.imag, a.real, a.imag]

    return rates


def penalty(t, m, k, c, U, W, gap, stiffness, start=(0.0, 0.0)):
    """Return y + i z at times t of a rotor in a ring of springs; ``start`` is y + i z and its rate at t[0]."""
    rates = _flight(m, k, c, U, W, lambda radius: -stiffness * max(0.0, radius - gap))
    r, v = (complex(x) for x in start)
    step = 0.2 / np.sqrt((k + stiffness) / m)  # so that no touch is stepped over
    x = [r.real, r.imag, v.real, v.imag]
    done = solve_ivp(rates, (t[0], t[-1]), x, t_eval=t, rtol=1e-8, atol=1e-12, max_step=step)
    assert done.success
    return done.y[0] + 1j * done.y[1]


def bounces(t, m, k, c, U, W, gap, restitution):
    """Return y + i z at times t (t[0] = 0, at rest) of a rotor in a hard ring, event by event, and its impacts.

    The impacts are (time, impulse); they must not accumulate, which they do not when nothing is lost in them.
    """
    rates, out, found = _flight(m, k, c, U, W), np.zeros(len(t), dtype=complex), []

    def touch(_, x):
        return gap - np.hypot(x[0], x[1])

    touch.terminal, touch.direction = True, -1
    now, x = t[0], np.zeros(4)
    while True:
        done = solve_ivp(
            rates,
            (now, t[-1]),
            x,
            method="DOP853",
            events=touch,
            dense_output=True,
            rtol=1e-9,
            atol=1e-13,
            max_step=2e-3,
        )
        inside = (t >= now) & (t <= done.t[-1])
        if inside.any():
            y = done.sol(t[inside])
            out[inside] = y[0] + 1j * y[1]
        if not done.t_events[0].size:
            return out, np.array(found)
        now, x = done.t[-1], done.y[:, -1].copy()
        n = x[:2] / np.hypot(*x[:2])
        x[:2] = gap * (1.0 - 1e-12) * n  # inside, so that the next touch is one from inside
        speed = n @ x[2:]
        found.append((now, m * (1.0 + restitution) * speed))
        x[2:] -= (1.0 + restitution) * speed * n
