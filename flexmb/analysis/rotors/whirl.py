"""Orbits of the nodes of a shaft: ellipses, their sense, and the word for a whole mode.

A node moves by y = Re(Y exp(i w t)), z = Re(Z exp(i w t)), w > 0. Then y + i z = f exp(i w t) + b exp(-i w t) with

    f = (Y + i Z) / 2,      b = conj(Y - i Z) / 2

and the node goes forward (from y to z, as the spin) where |f| > |b|. The half axes of its ellipse are |f| + |b| and
| |f| - |b| |.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmb.analysis.rotors.eigenpairs import REAL, SAME, ComplexArray, groups, modal_size, orthonormal
from flexmb.state import Array
from flexmb.system.rotating import RotatingSystem

FORWARD, BACKWARD, MIXED, PLANAR = "forward", "backward", "mixed", "planar"
AXIAL, TORSION, RIGID, REAL_MODE = "axial", "torsion", "rigid", "not oscillating"
FLAT = 0.02
"""Area of the orbits, over that of circles, below which a mode is planar."""
PURE = 0.95
"""Fraction of the orbit area with one whirl direction above which a mode is not mixed."""

TILT = 1e-9
"""Displacement per slope, m/rad, below which displacements count as zero."""


def circles(orbit: np.ndarray) -> tuple[ComplexArray, ComplexArray]:
    """Return the forward and backward circles f and b of orbits (..., 2)."""
    Y, Z = orbit[..., 0], orbit[..., 1]
    return np.asarray(0.5 * (Y + 1j * Z)), np.asarray(0.5 * np.conj(Y - 1j * Z), dtype=np.complex128)


def half_axes(orbit: np.ndarray) -> tuple[Array, Array]:
    """Return the half axes of orbits (..., 2); the minor one is negative for backward orbits."""
    f, b = circles(orbit)
    return np.abs(f) + np.abs(b), np.abs(f) - np.abs(b)


def inclination(orbit: np.ndarray) -> Array:
    """Return the angle of the major axis from y towards z of orbits (..., 2), rad, in (-pi/2, pi/2]."""
    f, b = circles(orbit)
    angle = 0.5 * (np.angle(f) + np.angle(b))
    return np.asarray(0.5 * np.pi - np.mod(0.5 * np.pi - angle, np.pi))


def whirl_word(orbits: np.ndarray) -> str:
    """Return forward, backward, mixed or planar for the orbits of all nodes (n, 2), weighted by their areas."""
    f, b = circles(orbits)
    area = np.abs(f) ** 2 - np.abs(b) ** 2
    ahead, back = float(area[area > 0.0].sum()), float(-area[area < 0.0].sum())
    if ahead + back <= FLAT * float((np.abs(f) ** 2 + np.abs(b) ** 2).sum()):
        return PLANAR
    part = ahead / (ahead + back)
    return FORWARD if part >= PURE else BACKWARD if part <= 1.0 - PURE else MIXED


class Motions:
    """The descriptions of the modes of a system."""

    def __init__(self, system: RotatingSystem) -> None:
        d = system.axis[:, 0]
        self.M = system.M
        self.system = system
        self.points = np.concatenate([rotor.points for rotor in system.rotors])
        senses = [np.sign(rotor.ratio * float(d @ rotor.parts.axis[:, 0])) for rotor in system.rotors]
        self.sense = np.repeat(senses, [rotor.points.size for rotor in system.rotors])
        self.axial = _along(system.layout.displacement, d)
        self.torsion = _along(system.layout.rotation, d)

    def word(self, lam: complex, x: ComplexArray, speed: float) -> str:
        """Return the description of a mode: its whirl, or that it is axial, torsional, rigid or does not oscillate."""
        if lam == 0.0:
            return RIGID
        total = modal_size(self.M, x)
        for mask, word in ((self.axial, AXIAL), (self.torsion, TORSION)):
            if modal_size(self.M, np.where(mask, x, 0.0)) ** 2 > 0.5 * total**2:
                return word
        if abs(lam.imag) <= REAL * abs(lam):
            return REAL_MODE
        orbits = self.orbits(x)
        if speed != 0.0:  # forward is the sense in which the rotor itself rotates
            orbits = np.where((self.sense * speed < 0.0)[:, None], orbits[:, ::-1], orbits)
        return whirl_word(orbits)

    def words(
        self, lam: ComplexArray, X: ComplexArray, speed: float, among: ComplexArray | None = None
    ) -> tuple[str, ...]:
        """Return the descriptions of modes, empty where an eigenvalue is nan.

        Any combination of modes with equal eigenvalues is a mode: at rest the planar ones are chosen.

        Parameters
        ----------
        lam : (k,) complex array
        X : (nv, k) complex array
        speed : float
            rad/s.
        among : complex array, optional
            All eigenvalues with which those of ``lam`` may be equal; by default ``lam``.
        """
        out = [self.word(complex(z), X[:, k], speed) if np.isfinite(z) else "" for k, z in enumerate(lam)]
        known = lam if among is None else among
        for k, z in enumerate(lam) if speed == 0.0 else ():
            if out[k] in (FORWARD, BACKWARD, MIXED) and np.count_nonzero(np.abs(known - z) <= SAME * np.abs(z)) > 1:
                out[k] = PLANAR
        return tuple(out)

    def orbits(self, x: ComplexArray) -> np.ndarray:
        """Return the orbits of the rotors' nodes, (n, 2); for a mode with rotations only, those of the slopes."""
        moved, tilted = (self.system.orbits(x, slopes=slopes)[self.points] for slopes in (False, True))
        return np.asarray(moved if np.abs(moved).max() > TILT * np.abs(tilted).max() else tilted)

    def circular(self, lam: ComplexArray, X: ComplexArray) -> ComplexArray:
        """Return shapes in which those of equal eigenvalues are combined to be as circular as possible.

        So a round shaft without gyroscopic effect has a forward and a backward mode, as it has with the slightest.
        """
        X = X.astype(np.complex128)
        for group in groups(lam):
            if lam[group[0]] == 0.0:
                continue
            Q = orthonormal(X[:, group], self.M)
            at = np.stack([self.orbits(Q[:, k]) for k in range(len(group))], axis=-1)
            ahead, back = at[:, 0] + 1j * at[:, 1], at[:, 0] - 1j * at[:, 1]
            # |f|^2 - |b|^2 of a combination Q c is c^H A c
            A = ahead.conj().T @ ahead - back.conj().T @ back
            X[:, group] = Q @ np.linalg.eigh(A)[1]
        return X


def _along(D: sparse.csr_array, d: Array) -> np.ndarray:
    """Return which unknowns translate or rotate points along d."""
    coo = sparse.coo_array(D)
    part = np.zeros(D.shape[1])
    np.add.at(part, coo.col, np.abs(coo.data * d[coo.row % 3]))
    return np.asarray(part > 0.5)
