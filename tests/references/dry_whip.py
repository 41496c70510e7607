"""Rotor whirling backward along a rigid ring with friction: slip until it rolls; closed form and integration."""

from __future__ import annotations

import numpy as np

from references.ode import solve

MASS, STIFFNESS, RADIUS, SPIN, GAP, MU = 1.0, 1e4, 0.05, 6.0, 1e-3, 0.2
NATURAL = np.sqrt(STIFFNESS / MASS)
ROLLING = RADIUS * SPIN / GAP
"""Whirl at which the surface speed R Omega is that of the centre, d psi."""


def time_to(whirl, start=150.0):
    """Return when the backward whirl reaches a value below ROLLING, without damping."""
    ratio = (whirl - NATURAL) * (start + NATURAL) / ((whirl + NATURAL) * (start - NATURAL))
    return np.log(ratio) / (2.0 * MU * NATURAL)


def whirl(times, start=150.0, damping=0.0):
    """Return the rate of the backward whirl psi (n,), the angle run through (n,) and the normal force (n,).

    psi' = mu (psi^2 - omega^2) - (c / m) psi while it slips, then psi = ROLLING.
    """
    times = np.asarray(times, dtype=float)
    fine = np.concatenate([[0.0], times]) if times[0] > 0.0 else times

    def rhs(t, y):
        slip = MU * (y[0] ** 2 - NATURAL**2) - damping / MASS * y[0]
        return [slip if y[0] < ROLLING else 0.0, y[0]]

    rolls = _rolls(start, damping)
    y = np.empty((fine.size, 2))
    before = fine <= rolls
    y[before] = solve(rhs, [start, 0.0], fine[before])
    angle = solve(rhs, [start, 0.0], [0.0, rolls])[-1, 1] if (~before).any() else 0.0
    y[~before, 0] = ROLLING
    y[~before, 1] = angle + ROLLING * (fine[~before] - rolls)
    y = y[fine.size - times.size :]
    return y[:, 0], y[:, 1], MASS * GAP * (y[:, 0] ** 2 - NATURAL**2)


def _rolls(start, damping):
    """Return the time to rolling: t = int dpsi / psi'."""
    if damping == 0.0:
        return time_to(ROLLING, start)
    b = 0.5 * damping / (MASS * MU)  # mu (psi^2 - 2 b psi - omega^2) = mu (psi - r1) (psi - r2)
    root = np.sqrt(b * b + NATURAL**2)
    high, low = b + root, b - root
    return np.log((ROLLING - high) * (start - low) / ((ROLLING - low) * (start - high))) / (MU * (high - low))


time_to_rolling = _rolls
