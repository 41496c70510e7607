"""A ball that bounces until it rests, tied to a mass above it by a weak spring: what the end of its bounces moves.

Along the vertical, with g = 2 m/s^2 as in the first example of RR-7151: the ball of 1 kg falls from 1 m on a plane at
0 with restitution 1/2, the mass of 1 kg hangs above it on a spring that is slack at a distance of 2 m. Between impacts
the motion is linear: state (z, x, z', x', 1), exponentials of a matrix. The impacts are followed down to flights of
1e-9 s, where the ball stays: what is neglected is of the order of their third power.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

GRAVITY, RESTITUTION, STIFFNESS, LENGTH = 2.0, 0.5, 1.0, 2.0
SHORTEST = 1e-9


def rates():
    """Return the matrices of the linear motions: free, and with the ball at rest on the plane."""
    k, free = STIFFNESS, np.zeros((5, 5))
    free[0, 2] = free[1, 3] = 1.0
    free[2] = [-k, k, 0.0, 0.0, -GRAVITY - k * LENGTH]
    free[3] = [k, -k, 0.0, 0.0, -GRAVITY + k * LENGTH]
    held = free.copy()
    held[[0, 2]] = 0.0
    return free, held


def end(time):
    """Return the state of the mass (x, x') at a time after the last bounce, the impacts, and when the ball rests."""
    free, held = rates()
    y, t, hits = np.array([1.0, 3.0, 0.0, 0.0, 1.0]), 0.0, []
    while True:
        guess = (y[2] + np.sqrt(y[2] ** 2 - 2.0 * (free[2] @ y) * y[0])) / -(free[2] @ y)  # of a parabola
        if hits and guess < SHORTEST:
            break
        s = brentq(lambda s, y=y: (expm(s * free) @ y)[0], 0.5 * guess, 2.0 * guess, xtol=1e-16)
        y, t = expm(s * free) @ y, t + s
        hits.append(t)
        y[0], y[2] = 0.0, -RESTITUTION * y[2]
    y[2] = 0.0
    for s in np.linspace(0.0, time - t, 40):
        assert (free[2] @ (expm(s * held) @ y)) < 0.0  # it is pressed on the plane
    y = expm((time - t) * held) @ y
    return y[[1, 3]], np.array(hits), t
