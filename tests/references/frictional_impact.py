"""One frictional impact in the plane: open, stick or slip, by Newton's and Poisson's law; a rod and a pendulum."""

from __future__ import annotations

import numpy as np


def solve(W, b, mu):
    """Return P (2,) of the planar contact U = W P + b, rows (normal, tangential): open, then stick, then slip."""
    if b[0] >= 0.0:
        return np.zeros(2)
    P = np.linalg.solve(W, -np.asarray(b))
    if P[0] >= 0.0 and abs(P[1]) <= mu * P[0] * (1.0 + 1e-13):
        return P
    for sign in (1.0, -1.0):  # P_T = sign mu P_N against a slip of the other sign
        P = -b[0] / (W[0, 0] + sign * mu * W[0, 1]) * np.array([1.0, sign * mu])
        if P[0] > 0.0 and sign * (W[1] @ P + b[1]) <= 1e-13:
            return P
    raise RuntimeError("no solution")


def newton(W, U, mu, e=0.0, tangential=0.0):
    """Return P (2,) and U after; restitution e of the normal, ``tangential`` of the tangential velocity."""
    P = solve(W, U + np.array([e, tangential]) * U, mu)
    return P, U + W @ P


def poisson(W, U, mu, e):
    """Return P (2,) and U after: compression to rest, then e times its normal impulse, friction in both phases."""
    first = solve(W, U, mu)
    middle = U + W @ first
    # decompression: P_N = e P_cN + x, 0 <= U_N perp x >= 0, Coulomb with the whole of this P_N
    given = e * first[0]
    second = _given_normal(W, middle, mu, given)
    if (middle + W @ second)[0] < -1e-13:
        second = solve(W, middle, mu)
    return first + second, middle + W @ (first + second) - W @ first


def _given_normal(W, U, mu, normal):
    """Return P with this normal impulse and Coulomb friction."""
    stick = -(U[1] + W[1, 0] * normal) / W[1, 1]
    return np.array([normal, np.clip(stick, -mu * normal, mu * normal)])


def rod(angle=np.pi / 4, length=1.0, mass=1.0):
    """Return G (3, 2) and M (3, 3) of a uniform rod whose lower left end touches the floor; q = (x, y, turn)."""
    arm = -0.5 * length * np.array([np.cos(angle), np.sin(angle)])  # from the centre to the end
    normal, tangent = [0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]]
    return np.array([normal, tangent]).T, np.diag([mass, mass, mass * length**2 / 12.0])


def double_pendulum(angles, length=1.0, mass=1.0):
    """Return G (2, 2) and M (2, 2) of two equal uniform rods in a row; columns normal (up), tangential (right).

    The angles are those of the rods against the vertical; the tip of the second touches the floor.
    """
    a, b = angles
    i = mass * length**2
    M = np.array([[4.0 / 3.0 * i, 0.5 * i * np.cos(a - b)], [0.5 * i * np.cos(a - b), i / 3.0]])
    normal, tangent = length * np.array([np.sin(a), np.sin(b)]), length * np.array([np.cos(a), np.cos(b)])
    return np.array([normal, tangent]).T, M


def strike(G, M, v, law, *numbers):
    """Return P, U after, v after and the change of the kinetic energy over what it was."""
    G, v = np.asarray(G), np.asarray(v, dtype=float)
    inverse = np.linalg.inv(M)
    P, U = law(G.T @ inverse @ G, G.T @ v, *numbers)
    after = v + inverse @ G @ P
    before = v @ M @ v
    return P, U, after, (after @ M @ after - before) / before
