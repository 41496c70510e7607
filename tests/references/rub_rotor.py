"""The rubbing rotor of the test data of ROSS, from textbook matrices and with a time-stepping of its own.

Timoshenko elements of a plane, unknowns (v, v'), with the same matrices in both planes (Nelson 1980):

    M y'' + C_y y' + K_y y + W J z' + (W'/2) J z = U (W^2 cos psi + W' sin psi)
    M z'' + C_z z' + K_z z - W J y' - (W'/2) J y = U (W^2 sin psi - W' cos psi)

reduced to the lowest modes of each plane. Steps are those of the implicit midpoint rule; a node that would be beyond
its ring gets an impulse along the radius (Newton's law of impact) and is put back onto it, the inertia deciding how.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from scipy.linalg import eigh

STATIONS = np.array(
    [0, 25, 64, 104, 124, 143, 175, 207, 239, 271, 303, 335, 345, 355, 380, 408, 436]
    + [466, 496, 526, 556, 586, 614, 647, 657, 667, 702, 737, 772, 807, 842, 862, 881, 914]
)
"""mm."""
DIAMETER, YOUNG, DENSITY, POISSON = 0.019, 2.17e11, 7850.0, 0.29926
ALPHA, BETA = 8.0501, 1e-5
DISK_NODES, DISK, DISK_ACROSS, DISK_POLAR = (12, 24), 2.6375, 0.003844540885417, 0.0075132484375
BEARINGS = {4: ((4.4e5, 27.4), (4.6114e5, 2.505)), 31: ((9.5e5, 50.4), (1.09e8, 100.4553))}
"""Stiffness and damping along y and z."""


def element(length):
    """Return mass, inertia of turning per unit of I_d = rho I, and stiffness of an element, (4, 4) each."""
    area, inertia = np.pi * DIAMETER**2 / 4, np.pi * DIAMETER**4 / 64
    shear = 6 * (1 + POISSON) / (7 + 6 * POISSON) * YOUNG / (2 + 2 * POISSON) * area
    p, L = 12 * YOUNG * inertia / (shear * length**2), length
    a, b, c = 312 + 588 * p + 280 * p**2, (44 + 77 * p + 35 * p**2) * L, 108 + 252 * p + 140 * p**2
    d, e, f = (26 + 63 * p + 35 * p**2) * L, (8 + 14 * p + 7 * p**2) * L**2, (6 + 14 * p + 7 * p**2) * L**2
    M = np.array([[a, b, c, -d], [b, e, d, -f], [c, d, a, -b], [-d, -f, -b, e]])
    g, h, i = (3 - 15 * p) * L, (4 + 5 * p + 10 * p**2) * L**2, (1 + 5 * p - 5 * p**2) * L**2
    T = np.array([[36, g, -36, g], [g, h, -g, -i], [-36, -g, 36, -g], [g, -i, -g, h]])
    s, t = (4 + p) * L**2, (2 - p) * L**2
    K = np.array([[12, 6 * L, -12, 6 * L], [6 * L, s, -6 * L, t], [-12, -6 * L, 12, -6 * L], [6 * L, t, -6 * L, s]])
    scale = 1 + p
    return (
        DENSITY * area * L / (840 * scale**2) * M,
        DENSITY * inertia / (30 * L * scale**2) * T,
        YOUNG * inertia / (L**3 * scale) * K,
    )


class Shaft:
    """Matrices of one plane, without bearings: M, C, K and J (polar inertia on the slopes)."""

    def __init__(self):
        n = 2 * STATIONS.size
        self.M, self.K, self.J = (np.zeros((n, n)) for _ in range(3))
        for k, length in enumerate(np.diff(STATIONS) * 1e-3):
            at = np.ix_(range(2 * k, 2 * k + 4), range(2 * k, 2 * k + 4))
            M, T, K = element(length)
            self.M[at] += M + T
            self.J[at] += 2 * T
            self.K[at] += K
        self.C = ALPHA * self.M + BETA * self.K
        for node in DISK_NODES:
            i = 2 * node
            self.M[i, i] += DISK
            self.M[i + 1, i + 1] += DISK_ACROSS
            self.J[i + 1, i + 1] += DISK_POLAR

    def on_bearings(self, plane):
        """Return C and K of a plane with its bearings."""
        C, K = self.C.copy(), self.K.copy()
        for node, planes in BEARINGS.items():
            stiffness, damping = planes[plane]
            C[2 * node, 2 * node] += damping
            K[2 * node, 2 * node] += stiffness
        return C, K


@dataclass(frozen=True)
class Ring:
    """An elastic stator: mass, springs and dampers along y and z."""

    mass: float
    stiffness: float
    damping: float


class RubRotor:
    """The lowest modes of both planes, and the ring if there is one: x = (y modes, z modes, ring)."""

    def __init__(self, modes=24, ring=None):
        shaft = Shaft()
        (Cy, Ky), (Cz, Kz) = shaft.on_bearings(0), shaft.on_bearings(1)
        self.Y, self.Z = (eigh(K, shaft.M, subset_by_index=[0, modes - 1])[1] for K in (Ky, Kz))
        n = 2 * modes + (0 if ring is None else 2)
        self.M, self.C, self.K, self.G = np.eye(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        y, z = slice(0, modes), slice(modes, 2 * modes)
        for at, shapes, C, K in ((y, self.Y, Cy, Ky), (z, self.Z, Cz, Kz)):
            self.C[at, at], self.K[at, at] = shapes.T @ C @ shapes, shapes.T @ K @ shapes
        self.G[y, z] = self.Y.T @ shaft.J @ self.Z
        self.G[z, y] = -self.G[y, z].T
        if ring is not None:
            i = [n - 2, n - 1]
            self.M[i, i], self.C[i, i], self.K[i, i] = ring.mass, ring.damping, ring.stiffness
        self.n, self.y, self.z = n, y, z

    def rows(self, node, ring=False):
        """Return the rows that make displacements of a node of x, relative to the ring if so, (2, n)."""
        out = np.zeros((2, self.n))
        out[0, self.y], out[1, self.z] = self.Y[2 * node], self.Z[2 * node]
        if ring:
            out[[0, 1], [-2, -1]] = -1.0
        return out

    def frequencies(self, speed, count):
        """Return the lowest frequencies of damped whirl, Hz."""
        n = self.n
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-self.K, -(self.C + speed * self.G)]])  # unit modal masses
        lam = np.linalg.eigvals(A)
        return np.sort(lam.imag[lam.imag > 0.0])[:count] / (2 * np.pi)

    def unbalance(self, entries):
        """Return the columns of cos phi and sin phi of unbalances (node, kg m, phase) along y and z, (n, 2)."""
        out = np.zeros((self.n, 2))
        for node, size, phase in entries:
            along_y, along_z = self.rows(node)
            c, s = size * np.cos(phase), size * np.sin(phase)
            out += np.outer(along_y, [c, -s]) + np.outer(along_z, [s, c])
        return out

    def march(self, h, end, speeds, unbalances, contacts, every=1, mu=0.0):
        """Return times, x and impulses since the sample before.

        ``speeds`` are (from, to, duration) of a ramp; ``contacts`` (rows, gap, restitution). With friction ``mu`` the
        surface of the disk is taken to slip forward all the time (R W far above the speed of the centre): mu times the
        normal impulse acts along the ring, against the spin.
        """
        rows = np.array([c[0] for c in contacts])
        gaps, restitution = (np.array([c[k] for c in contacts]) for k in (1, 2))
        steps = round(end / h)
        columns = self.unbalance(unbalances)
        return _march(
            self.M,
            self.C,
            self.K,
            self.G,
            columns,
            np.array(speeds, float),
            rows,
            gaps,
            restitution,
            mu,
            h,
            steps,
            every,
        )


@numba.njit(cache=True)
def _march(M, C, K, G, columns, speeds, rows, gaps, restitution, mu, h, steps, every):  # pragma: no cover
    n, nc = M.shape[0], gaps.size
    x, v, out = np.zeros(n), np.zeros(n), np.zeros((steps // every + 1, n))
    given, sums = np.zeros((steps // every + 1, nc)), np.zeros(nc)
    rate = (speeds[1] - speeds[0]) / speeds[2]
    inverse, turning = np.zeros((n, n)), -1.0
    light = np.linalg.inv(M)
    for k in range(steps):
        t = (k + 0.5) * h
        run = min(t, speeds[2])
        W = speeds[0] + rate * run
        dW = rate if t < speeds[2] else 0.0
        phi = speeds[0] * run + 0.5 * rate * run**2 + W * (t - run)
        C_now, K_now = C + W * G, K + (0.5 * dW) * G
        if turning != W + dW:
            inverse = np.ascontiguousarray(np.linalg.inv(M + (0.5 * h) * C_now + (0.25 * h * h) * K_now))
            turning = W + dW
        c, s = np.cos(phi), np.sin(phi)
        # U (W^2 cos + W' sin) along y and U (W^2 sin - W' cos) along z: phi turned by that much
        force = columns[:, 0] * (W * W * c + dW * s) + columns[:, 1] * (W * W * s - dW * c)
        new = v + h * (inverse @ (force - K_now @ (x + (0.5 * h) * v) - C_now @ v))
        ahead, free = x + 0.5 * h * (v + new), np.zeros(nc)
        normals, active, given_now = np.zeros((nc, n)), np.zeros(nc), np.zeros(nc)
        pulls = np.zeros((nc, n))
        for j in range(nc):
            d = rows[j] @ ahead
            radius = np.sqrt(d @ d)
            if radius >= gaps[j]:
                normals[j], active[j] = (rows[j].T @ d) / radius, 1.0
                pulls[j] = normals[j] + mu * (rows[j].T @ np.array([-d[1], d[0]])) / radius
                free[j] = max(0.0, normals[j] @ v)
        for _ in range(200 if nc > 1 else 1):  # Gauss-Seidel
            for j in range(nc):
                if active[j]:
                    push = inverse @ pulls[j]
                    more = (normals[j] @ new + restitution[j] * free[j]) / (normals[j] @ push)
                    more = max(more, -given_now[j])
                    given_now[j] += more
                    new = new - more * push
        x, v = x + 0.5 * h * (v + new), new
        for _ in range(3):
            for j in range(nc):
                d = rows[j] @ x
                radius = np.sqrt(d @ d)
                if radius > gaps[j]:
                    across = light @ ((rows[j].T @ d) / radius)
                    e = d / radius
                    x = x - across * ((radius - gaps[j]) / (e @ (rows[j] @ across)))
        sums += given_now
        if (k + 1) % every == 0:
            out[(k + 1) // every], given[(k + 1) // every] = x, sums
            sums = np.zeros(nc)
    return np.arange(steps // every + 1) * (h * every), out, given
