"""A Jeffcott rotor in a ring of springs with friction: a penalty model, with Coulomb's law smoothed near zero slip.

With r = y + i z, u = r / |r|, the depth d = max(0, |r| - gap) and the slip of the disk's rim on the ring,

    m r'' + c r' + k r = U W^2 e^(i W t) - N u - mu N s / sqrt(s^2 + slow^2) i u
    N = stiffness d,        s = Im(conj(u) r') + R W

R is the radius of the disk. In a rigid ring d -> 0, in Coulomb's law slow -> 0. Integrated by scipy's LSODA, implicit
where the ring and the smoothed law are stiff. Nothing of flexmb is used.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def orbit(t, m, k, c, U, W, gap, mu, R, stiffness, slow, start=(0.0, 0.0)):
    """Return y + i z and its rate at times t; ``start`` is both at t[0]."""

    def rates(s, x):
        r, v = x[0] + 1j * x[1], x[2] + 1j * x[3]
        force = U * W**2 * np.exp(1j * W * s) - c * v - k * r
        depth = abs(r) - gap
        if depth > 0.0:
            u = r / abs(r)
            slip = (u.conjugate() * v).imag + R * W
            force -= stiffness * depth * (1.0 + 1j * mu * slip / np.hypot(slip, slow)) * u
        a = force / m
        return [v.real, v.imag, a.real, a.imag]

    r, v = (complex(x) for x in start)
    # what starts in the middle touches and leaves the ring: no touch may be stepped over
    step = 0.2 / np.sqrt((k + stiffness) / m) if abs(r) < gap else np.inf
    x = [r.real, r.imag, v.real, v.imag]
    done = solve_ivp(rates, (t[0], t[-1]), x, "LSODA", t_eval=t, rtol=1e-8, atol=1e-12, max_step=step)
    assert done.success
    return done.y[0] + 1j * done.y[1], done.y[2] + 1j * done.y[3]


def annular_rub(m, k, c, U, W, gap, mu, stiffness=np.inf):
    """Return radius, lag and normal force of the whirl r = radius e^(i (W t - lag)) that slides along the ring:

    (k - m W^2) radius + N + i (c W radius + mu N) = U W^2 e^(i lag)
    """

    def sides(radius, N):
        return (k - m * W**2) * radius + N + 1j * (c * W * radius + mu * N)

    def force(radius):
        high = U * W**2 / mu if mu else 2.0 * U * W**2 + abs(k - m * W**2) * radius
        return brentq(lambda N: abs(sides(radius, N)) - U * W**2, 0.0, high, xtol=1e-15)

    radius = gap
    if np.isfinite(stiffness):
        radius = brentq(lambda x: stiffness * (x - gap) - force(x), gap, gap * (1.0 + k / stiffness), xtol=1e-17)
    N = force(radius)
    return radius, float(np.angle(sides(radius, N))), N


def whipping(m, k, gap, stiffness, rate):
    """Return a start of ``orbit``: backward whirl at a rate, pressed into the springs as far as its forces ask."""
    radius = stiffness * gap / (stiffness + k - m * rate**2)  # stiffness (radius - gap) = (m rate^2 - k) radius
    return radius, -1j * rate * radius
