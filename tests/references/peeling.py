"""A strip peeled off a plane, quasi-static: cubic beam elements, cohesive springs at the nodes, small steps of lift.

Where the gap g > 0 a node is held by beta^2 C g, beta = min(beta, w / (C g^2)); g >= 0. The first node's lift is given.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded


def bending(elements, length, stiffness):
    """Return the stiffness matrix of (deflection, slope) at the nodes."""
    a = length / elements
    k = [
        [12.0, 6.0 * a, -12.0, 6.0 * a],
        [6.0 * a, 4.0 * a * a, -6.0 * a, 2.0 * a * a],
        [-12.0, -6.0 * a, 12.0, -6.0 * a],
        [6.0 * a, 2.0 * a * a, -6.0 * a, 4.0 * a * a],
    ]
    K = np.zeros((2 * elements + 2, 2 * elements + 2))
    for e in range(elements):
        K[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += stiffness / a**3 * np.array(k)
    return K


def _deflected(K, springs, lift, pressed):
    """Return (deflection, slope) of all nodes: the first lifted, the last clamped, ``pressed`` ones on the plane."""
    bands = np.array([np.concatenate([np.zeros(k), np.diagonal(K, k)]) for k in (3, 2, 1, 0)])
    bands[3, ::2] += springs
    load = -K[:, 0] * lift
    for i in [
        0,
        K.shape[0] - 1,
        K.shape[0] - 2,
        *(2 * np.flatnonzero(pressed)),
    ]:  # held: row and column of the unit matrix
        for k in (1, 2, 3):
            bands[3 - k, i] = 0.0
            if i + k < K.shape[0]:
                bands[3 - k, i + k] = 0.0
        bands[3, i], load[i] = 1.0, 0.0
    load[0] = lift
    return solveh_banded(bands, load)


def peel(lifts, elements=100, length=0.5, stiffness=1.0, C=1e4, w=0.01):
    """Return the lifting force (n,), the slope there (n,), the work the glue has taken (n,) and beta (n, nodes).

    The far end is clamped. ``lifts`` increase from 0 in steps small enough that beta is followed.
    """
    K = bending(elements, length, stiffness)
    nodes = elements + 1
    beta, out = np.ones(nodes), []
    taken, before = 0.0, np.zeros(nodes)
    pressed, old = np.zeros(nodes, dtype=bool), np.zeros(nodes)
    for lift in lifts:
        for _ in range(400):
            u = _deflected(K, beta**2 * C, lift, pressed)
            g = u[::2]
            new = np.minimum(beta, w / (C * np.maximum(g, 1e-12) ** 2))
            hold = (K @ u)[::2]  # what the plane gives at a pressed node: positive where it pushes
            loose = pressed & (hold < 0.0)
            wrong = ~pressed & (g < -1e-15)
            wrong[[0, -1]] = False
            pressed = (pressed & ~loose) | wrong
            change = np.abs(new - beta).max()
            beta = new
            if change < 1e-6 and not loose.any() and not wrong.any():
                break
        pull = beta**2 * C * g
        taken += 0.5 * ((pull + before) * (g - old)).sum()
        before, old = pull, g
        out.append(((K @ u)[0] + pull[0], u[1], taken, beta.copy()))
    force, slope, work, betas = zip(*out, strict=True)
    return np.array(force), np.array(slope), np.array(work), np.array(betas)
