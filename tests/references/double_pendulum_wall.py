"""Double pendulum of point masses before a wall x >= 0: Potra, Anitescu, Gavrea, Trinkle (2006), section 10.1."""

from __future__ import annotations

import numpy as np

from references.ode import march

GRAVITY, RESTITUTION = 9.81, 0.1
START = np.array([np.pi / 3, np.pi / 5, 0.0, 0.0])


def mass_matrix(angles):
    """Return M (2, 2) for the angles of the two rods against the vertical."""
    c = np.cos(angles[0] - angles[1])
    return np.array([[2.0, c], [c, 1.0]])


def _rhs(t, y):
    a, b, va, vb = y
    s = np.sin(a - b)
    force = [-s * vb**2 - 2.0 * GRAVITY * np.sin(a), s * va**2 - GRAVITY * np.sin(b)]
    return np.concatenate([y[2:], np.linalg.solve(mass_matrix(y[:2]), force)])


def normals(y):
    """Return G (2, 2): rows are the gradients of x1 and x2 by the angles."""
    return np.array([[np.cos(y[0]), 0.0], [np.cos(y[0]), np.cos(y[1])]])


def newton(k, y, e=RESTITUTION):
    """Return the state after mass k (0 or 1) has hit the wall: x_k'+ = -e x_k'-."""
    G = normals(y)[k]
    W = np.linalg.solve(mass_matrix(y[:2]), G)
    y[2:] -= W * (1.0 + e) * (G @ y[2:]) / (G @ W)
    return y


def poisson(k, y, e=RESTITUTION, touching=1e-9):
    """Return the state after compression to rest and expansion with e times its impulse, over all touching masses."""
    x = np.array([np.sin(y[0]), np.sin(y[0]) + np.sin(y[1])])
    near = [i for i in range(2) if i == k or x[i] < touching]
    G = normals(y)[near]
    inverse = np.linalg.inv(mass_matrix(y[:2]))
    W, U = G @ inverse @ G.T, G @ y[2:]
    compression = _lcp(W, U)
    given = e * compression
    rest = _lcp(W, U + W @ (compression + given))
    y[2:] += inverse @ G.T @ (compression + given + rest)
    return y


def _lcp(W, q):
    """Return P of 0 <= W P + q, P >= 0, complementary, by trying the index sets (two rows at most)."""
    n = len(q)
    for pick in range(2**n):
        on = [i for i in range(n) if pick >> i & 1]
        P = np.zeros(n)
        if on:
            P[on] = np.linalg.solve(W[np.ix_(on, on)], -q[on])
        if P.min() >= -1e-14 and (W @ P + q).min() >= -1e-12:
            return P
    raise RuntimeError("no solution")


def cartesian(y):
    """Return (x1, y1, x2, y2) (n, 4) from the angles (n, 4)."""
    a, b = y[:, 0], y[:, 1]
    return np.column_stack([np.sin(a), -np.cos(a), np.sin(a) + np.sin(b), -np.cos(a) - np.cos(b)])


def trajectory(times, impact=newton):
    """Return (x1, y1, x2, y2) (n, 4), their rates (n, 4), and the impacts as a list of (time, mass 1 or 2)."""
    gaps = [lambda y: np.sin(y[0]), lambda y: np.sin(y[0]) + np.sin(y[1])]
    y, hits = march(_rhs, START, times, gaps, impact)
    a, b, va, vb = y.T
    x, z = np.cos(a) * va, np.sin(a) * va
    rates = np.column_stack([x, z, x + np.cos(b) * vb, z + np.sin(b) * vb])
    return cartesian(y), rates, [(t, k + 1) for t, k, _, _ in hits]
