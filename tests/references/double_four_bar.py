"""Double four-bar linkage (IFToMM benchmark A02, N = 2): two parallelograms side by side, five bars of 1 m and 1 kg.

On the branch it starts on, all cranks turn by the same angle phi and the couplers do not turn: one equation,
(3 m l^2 / 3 + 2 m l^2) phi'' = (3 m l / 2 + 2 m l) g sin(phi), phi counted from the upright position.
"""

from __future__ import annotations

import numpy as np

from references.ode import solve

MASS, LENGTH, GRAVITY, SPEED = 1.0, 1.0, 9.81, 1.0
INERTIA = (3.0 / 3.0 + 2.0) * MASS * LENGTH**2
WEIGHT = (3.0 / 2.0 + 2.0) * MASS * LENGTH * GRAVITY


def energy(phi, rate):
    """Return kinetic plus potential energy, zero at the height of the ground pins."""
    return 0.5 * INERTIA * rate**2 + WEIGHT * np.cos(phi)


def trajectory(times):
    """Return phi and its rate, (n,) each."""
    y = solve(lambda t, y: np.array([y[1], WEIGHT / INERTIA * np.sin(y[0])]), np.array([0.0, SPEED / LENGTH]), times)
    return y[:, 0], y[:, 1]
