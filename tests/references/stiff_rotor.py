"""Rotor of Lalanne and Ferraris (1998), chapter 2: shaft between two bearings, disk at L/3, spring bearing at 2L/3.

Small bending of a Timoshenko shaft in two planes that stand still, three elements of high order, a few modes of them;
(axis, 1, 2) right-handed, s = (w1', w2') turning of the disk, W its speed:

    M w1.. + c w1. + K w1 + W J w2. = m e (W^2 cos + W. sin)
    M w2.. + c w2. + K w2 - W J w1. = m e (W^2 sin - W. cos)           J: I_p of disk and shaft on the slopes

The torque of the motor goes along the bent shaft and turns the disk about its own axis, so W. J w is no part of it.
"""  # noqa: D205

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import block_diag, eigh

from references.ode import solve
from references.planar_beam import Beam
from references.spin_up import drive

LENGTH, RADIUS, YOUNG, DENSITY, POISSON = 0.4, 0.01, 2e11, 7800.0, 0.3
AREA, INERTIA = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
DISK, DISK_ACROSS, DISK_POLAR = 16.47, 0.09427, 0.1861
"""Radii 0.01 and 0.15 m, 0.03 m thick: kg, kg m^2."""
UNBALANCE = 1e-4 * 0.15
SPRING, DAMPER = 5e5, 200.0
"""At 2L/3: the spring along one direction only (ours: the dampers along both)."""


class Rotor:
    """Matrices of the lowest modes of the shaft with its disk at rest, without the spring bearing."""

    def __init__(self, modes=4, order=6, shear=True):
        GA = 6 / 7 * YOUNG / (2 + 2 * POISSON) * AREA * (1.0 if shear else 1e6)
        rho = DENSITY
        beam = Beam(LENGTH, YOUNG * AREA, GA, YOUNG * INERTIA, rho * AREA, rho * INERTIA, elements=3, order=order)
        disk, bearing, n = 3 * order, 6 * order, 3 * beam.n
        M, K = beam.mass_matrix(), -beam.tangent(beam.straight((0.0, 0.0), 0.0))
        polar = np.kron(beam.shape, np.diag([0.0, 0.0, 2.0 * rho * INERTIA]))
        M[disk + 1, disk + 1] += DISK
        M[disk + 2, disk + 2] += DISK_ACROSS
        polar[disk + 2, disk + 2] += DISK_POLAR
        across = np.setdiff1d(np.arange(n), [*range(0, n, 3), 1, n - 2])  # without stretching; ends held
        pick = np.ix_(across, across)
        squares, shapes = eigh(K[pick], M[pick])
        full = np.zeros((n, modes))
        full[across] = shapes[:, :modes]
        self.K = np.diag(squares[:modes])
        self.J = full.T @ polar @ full
        self.at_disk, self.at_bearing = full[disk + 1], full[bearing + 1]
        self.modes = modes
        bearing = np.outer(self.at_bearing, self.at_bearing)
        self.C, self.spring = DAMPER * bearing, SPRING * bearing

    def critical_speeds(self, count=2):
        """Return the lowest speeds (rad/s) equal to a whirl frequency, undamped; the spring acts in direction 2."""
        K, n = block_diag(self.K, self.K + self.spring), self.modes
        whirl = np.block([[np.zeros((n, n)), self.J], [self.J, np.zeros((n, n))]])
        # w1 = a cos Wt, w2 = b sin Wt: (K - W^2 M) (a, b) + W^2 (J b, J a) = 0
        found = eigh(np.eye(2 * n) - whirl, K, eigvals_only=True)
        return np.sort(1.0 / np.sqrt(found[found > 0.0]))[:count]

    def run_up(self, drive, times, rtol=1e-8):
        """Return the places (n, 2) of the disk while drive(t) -> (angle, rate, second derivative) turns it."""
        n, zero = self.modes, np.zeros((self.modes, self.modes))
        K, C = block_diag(self.K, self.K + self.spring), block_diag(self.C, self.C)
        G = np.block([[zero, self.J], [-self.J, zero]])

        def rhs(t, y):
            angle, W, bend = drive(t)
            c, s = np.cos(angle), np.sin(angle)
            push = UNBALANCE * np.concatenate(
                [self.at_disk * (W * W * c + bend * s), self.at_disk * (W * W * s - bend * c)]
            )
            return np.concatenate([y[2 * n :], push - K @ y[: 2 * n] - (C + W * G) @ y[2 * n :]])

        start = np.zeros(4 * n)
        y = solve(rhs, start, times, rtol=rtol, atol=1e-12)
        return np.column_stack([y[:, :n] @ self.at_disk, y[:, n : 2 * n] @ self.at_disk])


def spin_up(rate, duration):
    """Return the drive function of ``spin-up``."""
    return partial(drive, rate=rate, duration=duration)
