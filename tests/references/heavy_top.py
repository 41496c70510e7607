"""Heavy top: Bruels, Cardona, Arnold (2012), Mechanism and Machine Theory 48, 121-137.

A disk of 15 kg at (0, 1, 0) of its body axes turns about the origin; the axes start along those of space.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

from references.ode import solve
from references.quaternion import cross, matrix, rate

MASS, ARM, GRAVITY = 15.0, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -9.81])
INERTIA = np.array([0.234375, 0.46875, 0.234375])
"""About the centre of mass."""
OMEGA = np.array([0.0, 150.0, -4.61538])
PIVOT_INERTIA = INERTIA + MASS * np.array([1.0, 0.0, 1.0])


def trajectory(times):
    """Return the centre (n, 3), its velocity (n, 3), the quaternion (n, 4) and omega in body axes (n, 3)."""

    def rhs(t, y):
        p, w = y[:4], y[4:]
        torque = cross(ARM, MASS * (matrix(p).T @ GRAVITY))
        return np.concatenate([rate(p, w), (torque - cross(w, PIVOT_INERTIA * w)) / PIVOT_INERTIA])

    y = solve(rhs, np.concatenate([[1.0, 0.0, 0.0, 0.0], OMEGA]), times, rtol=3e-14, atol=1e-13)
    A = np.array([matrix(row[:4]) for row in y])
    velocity = np.einsum("nij,nj->ni", A, np.cross(y[:, 4:], ARM))
    return A @ ARM, velocity, y[:, :4], y[:, 4:]


def height(times):
    """Return the height of the centre (n,) in closed form: a symmetric top, u'^2 is a cubic in u.

    The start is a turning point (u = 0, u' = 0), so that the time to the phase of sn is known.
    """
    across, along = PIVOT_INERTIA[0], PIVOT_INERTIA[1]
    a, b = along * OMEGA[1] / across, OMEGA[2] * PIVOT_INERTIA[2] / across
    beta = 2.0 * MASS * 9.81 / across
    alpha = b**2  # u' = 0 at u = 0:  alpha - b^2 = 0
    # (1 - u^2)(alpha - beta u) - (b - a u)^2
    roots = np.sort(np.roots([beta, -alpha - a**2, 2.0 * a * b - beta, alpha - b**2]).real)
    u1, u2, u3 = roots
    speed, m = 0.5 * np.sqrt(beta * (u3 - u1)), (u2 - u1) / (u3 - u1)
    start = ellipk(m) if abs(u2) < abs(u1) else 0.0
    return u1 + (u2 - u1) * ellipj(speed * np.asarray(times) + start, m)[0] ** 2
