"""Four-bar linkage of Haddouni (2015), tables 3.2 and 3.3, in its three angles.

M22 is taken with m2 and l2 with sqrt(0.13): the thesis prints m1 and 360.55 mm, which does not close the loop.
"""

from __future__ import annotations

import numpy as np

from references.ode import solve

L1, L2, L3, D = 0.3, np.sqrt(0.13), 0.4, 0.7
MASS, GRAVITY, TORQUE = 1.0, 9.81, 6.0
START = np.array([np.pi / 3, np.arctan2(np.sqrt(3) / 20, 0.35), 2 * np.pi / 3])


def gap(q):
    """Return the loop closure g (2,)."""
    return np.array(
        [
            L1 * np.cos(q[0]) + L2 * np.cos(q[1]) - L3 * np.cos(q[2]) - D,
            L1 * np.sin(q[0]) + L2 * np.sin(q[1]) - L3 * np.sin(q[2]),
        ]
    )


def jacobian(q):
    """Return dg/dq (2, 3)."""
    s, c = np.sin(q), np.cos(q)
    return np.array([[-L1 * s[0], -L2 * s[1], L3 * s[2]], [L1 * c[0], L2 * c[1], -L3 * c[2]]])


def accelerations(q, v):
    """Return (a, lam) of M a = F + G^T lam, G a + G' v = 0."""
    m12 = 0.5 * MASS * L1 * L2 * np.cos(q[0] - q[1])
    bend = 0.5 * MASS * L1 * L2 * np.sin(q[1] - q[0])
    third = MASS / 3.0
    M = np.array([[third * L1**2 + MASS * L1**2, m12, 0.0], [m12, third * L2**2, 0.0], [0.0, 0.0, third * L3**2]])
    F = np.array(
        [
            -1.5 * MASS * L1 * GRAVITY * np.cos(q[0]) + bend * v[1] ** 2 + TORQUE,
            -0.5 * MASS * L2 * GRAVITY * np.cos(q[1]) - bend * v[0] ** 2,
            -0.5 * MASS * L3 * GRAVITY * np.cos(q[2]),
        ]
    )
    G = jacobian(q)
    turn = np.array([L1, L2, -L3]) * v**2
    KKT = np.block([[M, -G.T], [G, np.zeros((2, 2))]])
    x = np.linalg.solve(KKT, np.concatenate([F, [turn @ np.cos(q), turn @ np.sin(q)]]))
    return x[:3], x[3:]


def trajectory(times):
    """Return q (n, 3), v (n, 3), lam (n, 2) at ``times``; they start at 0, at rest."""
    y = solve(
        lambda t, y: np.concatenate([y[3:], accelerations(y[:3], y[3:])[0]]),
        np.concatenate([START, np.zeros(3)]),
        times,
        rtol=3e-14,
        atol=1e-14,
    )
    lam = np.array([accelerations(row[:3], row[3:])[1] for row in y])
    return y[:, :3], y[:, 3:], lam


def energy(q, v):
    """Return kinetic and potential energy minus the work of the torque: constant along a motion."""
    m12 = 0.5 * MASS * L1 * L2 * np.cos(q[0] - q[1])
    third = MASS / 3.0
    kinetic = 0.5 * ((third + MASS) * L1**2 * v[0] ** 2 + third * L2**2 * v[1] ** 2 + third * L3**2 * v[2] ** 2)
    kinetic += m12 * v[0] * v[1]
    weight = 1.5 * L1 * np.sin(q[0]) + 0.5 * L2 * np.sin(q[1]) + 0.5 * L3 * np.sin(q[2])
    return kinetic + MASS * GRAVITY * weight - TORQUE * q[0]
