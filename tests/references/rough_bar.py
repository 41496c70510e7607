"""Elastic bar on a rough floor, pushed at one end by a constant force: the waves in closed form.

rho A u_tt = E A u_xx - q sign(u_t), at rest and unstressed at first, -E A u_x = F at x = 0. Behind the front x = c t
the velocity is the same everywhere; all stops at once at t = 2 F c / (E A kappa), kappa = q / rho A, and stays so.
"""

from __future__ import annotations

import numpy as np

YOUNG, AREA, DENSITY, LENGTH, GRAVITY, MU, FORCE = 900.0, 1.0, 1.0, 10.0, 10.0, 0.3, 12.0
SPEED = np.sqrt(YOUNG / DENSITY)
KAPPA = MU * GRAVITY
STOP = 2.0 * SPEED * FORCE / (YOUNG * AREA * KAPPA)


def velocity(x, t):
    """Return u_t at places x and times t (broadcast)."""
    x, t = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(t, dtype=float))
    behind = (x < SPEED * t) & (t < STOP)
    return np.where(behind, SPEED * FORCE / (YOUNG * AREA) - 0.5 * KAPPA * t, 0.0)


def displacement(x, t):
    """Return u at places x and times t: the integral of the velocity since the front came, at x / c."""
    x, t = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(t, dtype=float))
    came, now = x / SPEED, np.minimum(t, STOP)
    first = SPEED * FORCE / (YOUNG * AREA)
    moved = first * (now - came) - 0.25 * KAPPA * (now**2 - came**2)
    return np.where(now > came, moved, 0.0)


def strain(x, t):
    """Return u_x."""
    x, t = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(t, dtype=float))
    now = np.minimum(t, STOP)
    v = SPEED * FORCE / (YOUNG * AREA) - 0.5 * KAPPA * now
    return np.where(x < SPEED * now, -(v + 0.5 * KAPPA * (now - x / SPEED)) / SPEED, 0.0)


def works(t):
    """Return the external work, the work of friction, the kinetic and the elastic energy at the times t."""
    now = np.minimum(np.asarray(t, dtype=float), STOP)
    external = FORCE * displacement(0.0, now)
    front, v = SPEED * now, velocity(0.0, np.minimum(now, STOP * (1.0 - 1e-15)))
    kinetic = 0.5 * DENSITY * AREA * front * v**2 * (now < STOP)
    # -c u_x = v + kappa (t - x / c) / 2 =: s runs from v at the front to v + kappa t / 2 at x = 0
    high = v + 0.5 * KAPPA * now
    elastic = 0.5 * YOUNG * AREA / SPEED**2 * (2.0 * SPEED / KAPPA) * (high**3 - v**3) / 3.0
    return external, kinetic + elastic - external, kinetic, elastic
