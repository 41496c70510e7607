"""Painleve's rod: a uniform rod whose lower end slides on a rough floor, (Painleve 1895; Genot, Brogliato 1999).

q = (x, y, turn) of the centre; the end is at -(l/2)(cos, sin) of the angle. An end that slides to the left is pressed
down by friction; where W_NN < mu |W_NT| and the free acceleration points into the floor, no finite force keeps it from
going in. The impulsive answer, the only one left: the end stops at once (impact without collision).
"""

from __future__ import annotations

import numpy as np

from references.frictional_impact import rod
from references.ode import march, solve

GRAVITY = 9.81


def critical(angle):
    """Return the friction coefficient above which Painleve's region begins at this angle against the floor."""
    return (1.0 + 3.0 * np.cos(angle) ** 2) / (3.0 * np.sin(angle) * np.cos(angle))


def jam(angle, speed, turn, length=1.0, mass=1.0):
    """Return P (2,) and v after (3,): the end, which slides at ``speed`` along the floor, is stopped by an impulse."""
    G, M = rod(angle, length, mass)
    v = start(angle, speed, turn, length)
    inverse = np.linalg.inv(M)
    P = np.linalg.solve(G.T @ inverse @ G, -G.T @ v)
    return P, v + inverse @ G @ P


def start(angle, speed, turn, length=1.0):
    """Return v (3,) of the centre for an end that moves along the floor and a rod that turns at ``turn``."""
    arm = 0.5 * length * np.array([np.cos(angle), np.sin(angle)])  # from the end to the centre
    return np.array([speed - turn * arm[1], turn * arm[0], turn])


def pivoting(times, angle, turn, length=1.0):
    """Return the angle (n,), its rate (n,), and the forces (n, 2) per mass on an end that stands still.

    (l^2 / 3) angle'' = -g (l / 2) cos(angle).
    """
    y = solve(lambda t, y: [y[1], -1.5 * GRAVITY / length * np.cos(y[0])], [angle, turn], times)
    a, w = y.T
    rate = -1.5 * GRAVITY / length * np.cos(a)
    x = 0.5 * length * (-np.sin(a) * rate - np.cos(a) * w**2)
    z = 0.5 * length * (np.cos(a) * rate - np.sin(a) * w**2)
    return a, w, np.column_stack([GRAVITY + z, x])


def falls(angle, turn, mu, length=1.0):
    """Return how long the end stays at rest: until it slips or lifts, or the rod is flat."""

    def margin(y):
        _, _, force = _forces(y, length)
        return min(force[0], mu * force[0] - abs(force[1]))

    _, hits = march(
        lambda t, y: [y[1], -1.5 * GRAVITY / length * np.cos(y[0])],
        [angle, turn],
        [0.0, 2.0],
        [margin, lambda y: np.sin(y[0])],
        lambda k, y: y,
        at_rest=lambda t, y: True,
    )
    return hits[0][0] if hits else np.inf


def _forces(y, length):
    a, w = y
    rate = -1.5 * GRAVITY / length * np.cos(a)
    x = 0.5 * length * (-np.sin(a) * rate - np.cos(a) * w**2)
    z = 0.5 * length * (np.cos(a) * rate - np.sin(a) * w**2)
    return a, w, np.array([GRAVITY + z, x])


def sliding(angle, turn, mu, speed, length=1.0):
    """Return (b_N, W_NN + s mu W_NT) per mass: free normal acceleration of the end, and what a unit force adds."""
    G, M = rod(angle, length)
    W = G.T @ np.linalg.inv(M) @ G
    free = -GRAVITY + 0.5 * length * np.sin(angle) * turn**2  # of the end: y'' - (l/2) (sin angle)''
    return free, W[0, 0] - np.sign(speed) * mu * W[0, 1]
