"""Glocker's woodpecker toy: matrices, gaps and rows, and a Moreau-Jean stepping of its own.

q = (y, phi_M, phi_S): height of the sleeve, its turn, the turn of the bird. Glocker (2001), Set-Valued Force Laws; the
data are those of the example of Siconos. Three contacts: the beak, the lower and the upper edge of the sleeve.
"""

from __future__ import annotations

import numpy as np

from references.frictional_impact import solve

POLE, HOLE, HALF, SPRING_ARM, BIRD_ARM, BEAK_HEIGHT, BEAK = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
SLEEVE_MASS, BIRD_MASS, SLEEVE_INERTIA, BIRD_INERTIA, STIFFNESS, GRAVITY = 0.0003, 0.0045, 5e-9, 7e-7, 0.0056, 9.81
RESTITUTION, MU = np.array([0.5, 0.0, 0.0]), 0.3
START = np.array([0.0, -0.1036, -0.2788]), np.array([-0.3411, 0.0, -7.4583])

_c, _g = BIRD_MASS * SPRING_ARM, BIRD_MASS * BIRD_ARM
M = np.array(
    [
        [BIRD_MASS + SLEEVE_MASS, _c, _g],
        [_c, SLEEVE_INERTIA + _c * SPRING_ARM, _c * BIRD_ARM],
        [_g, _c * BIRD_ARM, BIRD_INERTIA + _g * BIRD_ARM],
    ]
)
K = STIFFNESS * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
F = -GRAVITY * np.array([BIRD_MASS + SLEEVE_MASS, _c, _g])
NORMALS = np.array([[0.0, 0.0, -BEAK_HEIGHT], [0.0, HALF, 0.0], [0.0, -HALF, 0.0]])
TANGENTS = np.array([[1.0, SPRING_ARM, BIRD_ARM - BEAK], [1.0, HOLE, 0.0], [1.0, HOLE, 0.0]])
GAPS = np.array([SPRING_ARM + BIRD_ARM - BEAK - POLE, HOLE - POLE, HOLE - POLE])
"""Gaps at q = 0; gap = GAPS + NORMALS q."""


def march(h, steps, theta=0.5, gamma=0.5):
    """Return q (n, 3), v (n, 3) and the sums of normal and frictional work."""
    q, v = (x.copy() for x in START)
    inverse = np.linalg.inv(M + h * h * theta * theta * K)
    out, rates, works = np.empty((steps + 1, 3)), np.empty((steps + 1, 3)), np.zeros(2)
    out[0], rates[0] = q, v
    rows = [np.array([n, t]) for n, t in zip(NORMALS, TANGENTS, strict=True)]
    W = [g @ inverse @ g.T for g in rows]
    for k in range(steps):
        new = v + inverse @ (h * (F - K @ q) - h * h * theta * (K @ v))
        active = [i for i in range(3) if GAPS[i] + NORMALS[i] @ q + gamma * h * (NORMALS[i] @ v) <= 0.0]
        P = {i: np.zeros(2) for i in active}
        for _ in range(100 if len(active) > 1 else 1):
            change = 0.0
            for i in active:
                b = rows[i] @ new - W[i] @ P[i] + np.array([RESTITUTION[i], 0.0]) * (rows[i] @ v)
                found = solve(W[i], b, MU)
                new += inverse @ rows[i].T @ (found - P[i])
                change, P[i] = max(change, np.abs(found - P[i]).max()), found
            if change < 1e-18:
                break
        for i in active:
            works += P[i] * (rows[i] @ (theta * new + (1.0 - theta) * v))
        q, v = q + h * (theta * new + (1.0 - theta) * v), new
        out[k + 1], rates[k + 1] = q, v
    return out, rates, works


def energy(q, v):
    """Return kinetic energy and that of spring and weight."""
    return 0.5 * v @ M @ v + 0.5 * q @ K @ q - F @ q
