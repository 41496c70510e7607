"""Pendulums of one angle: swinging freely (elliptic functions), and bouncing off a wall."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

from references.ode import march

GRAVITY = 9.81
RESTITUTION = 0.8
WALL = -np.pi / 4
"""Angle at which x = l cos(theta) is sqrt(2) / 2 for l = 1."""
REACH = GRAVITY * 1.0 / (1.0 / 3.0 + 1.0)
"""m g l / (J + m l^2) of the bouncing pendulum: m = 1, l = 1, J = 1/3 about its centre (a rod of length 2 l)."""


def simple(times, amplitude, omega0):
    """Return the angle and its rate, from rest at ``amplitude`` (rad); omega0 = sqrt(m g l / inertia)."""
    k = np.sin(0.5 * amplitude)
    sn, cn, dn, _ = ellipj(ellipk(k**2) - omega0 * np.asarray(times, dtype=float), k**2)
    angle = 2.0 * np.arcsin(k * sn)
    # d/dt 2 asin(k sn u) = 2 k cn u u', u' = -omega0
    return angle, -2.0 * omega0 * k * cn


def period(amplitude, omega0):
    """Return the period of the swing, s."""
    return 4.0 * ellipk(np.sin(0.5 * amplitude) ** 2) / omega0


def bouncing(times, e=RESTITUTION, start=0.0, slow=1e-7):
    """Return theta (n,), theta' (n,) and the impact times of the pendulum on the wall; theta'' = -REACH cos(theta).

    Newton's law on x is theta'+ = -e theta'-. Below ``slow`` the impacts have accumulated: it rests.
    """

    def impact(k, y):
        y[:] = WALL, -e * y[1]
        return y

    y, hits = march(
        lambda t, y: [y[1], -REACH * np.cos(y[0])],
        [start, 0.0],
        times,
        [lambda y: y[0] - WALL],
        impact,
        max_step=lambda y: 0.2 * abs(y[1]) / REACH if y[1] else 0.1,  # a flight lasts 2 y[1] / REACH or more
        at_rest=lambda t, y: abs(y[1]) < slow,
    )
    y[np.asarray(times) > hits[-1][0], 1] *= abs(hits[-1][3][1]) >= slow
    return y[:, 0], y[:, 1], np.array([hit[0] for hit in hits])


def bounce_times(count, e=RESTITUTION, start=0.0):
    """Return the first impact times by quadrature of the energy integral: t = int dtheta / theta'."""
    speed = np.sqrt(2.0 * REACH * (np.sin(start) - np.sin(WALL)))
    out = [_fall(speed)]
    while len(out) < count:
        speed *= e
        out.append(out[-1] + 2.0 * _fall(speed))
    return np.array(out)


def _fall(speed):
    """Return the time from the turning point down to the wall, which is hit at this speed."""
    rise = speed**2 / (2.0 * REACH)  # sin(top) - sin(WALL)
    low, high, near = np.sin(WALL), np.sin(WALL) + rise, np.cos(WALL)
    far = np.sqrt(max(1.0 - high**2, 0.0))
    # sin(top - WALL) without cancellation: the last flights are lower than the digits of an angle
    span = np.arctan2(rise * (near + low * (low + high) / (near + far)), far * near + high * low)
    top = WALL + span
    # theta = top - span s^2 removes the square-root singularity at the top

    def integrand(s):
        drop = span * s * s
        # sin(top) - sin(top - drop) without cancellation
        fall = 2.0 * np.cos(top - 0.5 * drop) * np.sin(0.5 * drop)
        return 2.0 * span * s / np.sqrt(2.0 * REACH * fall) if s > 0.0 else limit

    limit = 2.0 * span / np.sqrt(2.0 * REACH * np.cos(top) * span)
    return quad(integrand, 0.0, 1.0, epsabs=1e-15, epsrel=1e-13)[0]


def rest_time(e=RESTITUTION, start=0.0):
    """Return when all impacts are over; the tail of the series is geometric, T = 2 v / (REACH cos WALL)."""
    times = bounce_times(120, e, start)
    speed = np.sqrt(2.0 * REACH * (np.sin(start) - np.sin(WALL))) * e ** (len(times) - 1)
    return times[-1] + 2.0 * speed * e / (1.0 - e) / (REACH * np.cos(WALL))
