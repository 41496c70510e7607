"""Free rigid body with three different moments of inertia: Jacobi's elliptic functions."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

from references.ode import solve
from references.quaternion import cross, matrix, rate

INERTIA = np.array([3.0, 2.0, 1.0])
OMEGA = np.array([0.6, 0.0, 1.9])
"""At the start, in body axes; the second component is zero, which sets the phase of the elliptic functions."""


def angular_velocity(times, inertia=INERTIA, omega=OMEGA):
    """Return omega(t) (n, 3) in body axes in closed form, for I1 > I2 > I3 and omega_2(0) = 0."""
    I1, I2, I3 = inertia
    twice_energy, momentum2 = inertia @ omega**2, (inertia**2) @ omega**2
    t = np.asarray(times, dtype=float)
    if momentum2 > twice_energy * I2:  # the momentum goes around axis 1
        A1 = np.sign(omega[0]) * np.sqrt((momentum2 - twice_energy * I3) / (I1 * (I1 - I3)))
        A2 = np.sqrt((momentum2 - twice_energy * I3) / (I2 * (I2 - I3)))
        A2 = min(A2, np.sqrt((twice_energy * I1 - momentum2) / (I2 * (I1 - I2))))
        A3 = np.sign(omega[2]) * np.sqrt((twice_energy * I1 - momentum2) / (I3 * (I1 - I3)))
        speed = np.sqrt((momentum2 - twice_energy * I3) * (I1 - I2) / (I1 * I2 * I3))
        m = (I2 - I3) * (twice_energy * I1 - momentum2) / ((I1 - I2) * (momentum2 - twice_energy * I3))
        sn, cn, dn, _ = ellipj(speed * t, m)
        sign = np.sign((I3 - I1) * A1 * A3)
        return np.column_stack([A1 * dn, sign * A2 * sn, A3 * cn])
    A1 = np.sign(omega[0]) * np.sqrt((momentum2 - twice_energy * I3) / (I1 * (I1 - I3)))
    A2 = np.sqrt((momentum2 - twice_energy * I3) / (I2 * (I2 - I3)))
    A3 = np.sign(omega[2]) * np.sqrt((twice_energy * I1 - momentum2) / (I3 * (I1 - I3)))
    speed = np.sqrt((twice_energy * I1 - momentum2) * (I2 - I3) / (I1 * I2 * I3))
    m = (I1 - I2) * (momentum2 - twice_energy * I3) / ((I2 - I3) * (twice_energy * I1 - momentum2))
    sn, cn, dn, _ = ellipj(speed * t, m)
    sign = np.sign((I3 - I1) * A1 * A3)
    return np.column_stack([A1 * cn, sign * A2 * sn, A3 * dn])


def period(inertia=INERTIA, omega=OMEGA):
    """Return the period of omega in body axes, s (momentum around axis 3)."""
    I1, I2, I3 = inertia
    twice_energy, momentum2 = inertia @ omega**2, (inertia**2) @ omega**2
    speed = np.sqrt((twice_energy * I1 - momentum2) * (I2 - I3) / (I1 * I2 * I3))
    m = (I1 - I2) * (momentum2 - twice_energy * I3) / ((I2 - I3) * (twice_energy * I1 - momentum2))
    return 4.0 * ellipk(m) / speed


def axes(t, inertia=INERTIA, omega=OMEGA):
    """Return A(t) (3, 3), body to space, in closed form up to one integral; A(0) is the identity.

    In axes with the third along the momentum L, Euler's angles follow from L seen from the body; only the precession,
    whose rate is L (I1 w1^2 + I2 w2^2) / (I1^2 w1^2 + I2^2 w2^2), has to be integrated.
    """
    L = np.linalg.norm(inertia * omega)

    def precession(s):
        w = angular_velocity([s], inertia, omega)[0]
        return L * (inertia[:2] @ w[:2] ** 2) / (inertia[:2] ** 2 @ w[:2] ** 2)

    parts = np.linspace(0.0, t, 1 + max(1, int(np.ceil(2.0 * abs(t)))))
    phi = sum(quad(precession, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in zip(parts, parts[1:], strict=False))

    def euler(w, turn):
        # body to the axes of L: Rz(turn) Rx(theta) Rz(psi)
        m = inertia * w / L
        theta, psi = np.arccos(np.clip(m[2], -1.0, 1.0)), np.arctan2(m[0], m[1])
        return _z(turn) @ _x(theta) @ _z(psi)

    start = euler(angular_velocity([0.0], inertia, omega)[0], 0.0)
    return start.T @ euler(angular_velocity([t], inertia, omega)[0], phi)


def integrated(times, inertia=INERTIA, omega=OMEGA):
    """Return A (n, 3, 3) and omega (n, 3) by integrating Euler's equations."""

    def rhs(t, y):
        w = y[4:]
        return np.concatenate([rate(y[:4], w), -cross(w, inertia * w) / inertia])

    y = solve(rhs, np.concatenate([[1.0, 0.0, 0.0, 0.0], omega]), times, rtol=1e-13, atol=1e-14)
    return np.array([matrix(row[:4]) for row in y]), y[:, 4:]


def _x(a):
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def _z(a):
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
