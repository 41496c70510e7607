"""Tracking of modes from speed to speed, through crossings, by their shapes and eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.analysis.rotors.eigenpairs import REAL, ComplexArray, Matrices, eigenpairs, groups, orthonormal, times
from flexmb.analysis.rotors.whirl import Motions
from flexmb.state import Array
from flexmb.system.rotating import RotatingSystem

ALIKE = 0.9
"""MAC of shapes at consecutive speeds below which an intermediate speed is evaluated."""
DEPTH = 6
"""Maximum number of bisections of a speed interval."""
LOST = 0.2
"""MAC below which a shape is another mode: the tracked mode is no longer among the computed ones."""


@dataclass(frozen=True)
class Followed:
    """The modes at a speed in the order of their lines: eigenvalues (k,) and shapes (nv, k), nan where lost."""

    speed: float
    lam: ComplexArray
    X: ComplexArray


class Tracker:
    """Computes oscillating modes at speeds and sorts them in the order of the previous ones.

    Parameters
    ----------
    system : RotatingSystem
    count : int
        Number of lines.
    spare : int
        Number of additional modes, so that a mode that rises above others is not lost.
    """

    def __init__(self, system: RotatingSystem, count: int, spare: int) -> None:
        self.system, self.count, self.spare = system, count, spare
        self.M = system.M
        self._known: dict[float, tuple[ComplexArray, ComplexArray]] = {}

    def modes(self, speed: float) -> tuple[ComplexArray, ComplexArray]:
        """Return the lowest oscillating modes at a speed."""
        if speed in self._known:  # requested again after an intermediate speed
            return self._known.pop(speed)
        wanted = min(self.count + self.spare, self.system.nv)
        lam, X = eigenpairs(Matrices(*self.system.at(speed)), wanted)
        some = lam.imag > REAL * np.abs(lam)
        return lam[some], X[:, some]

    def start(self, speed: float) -> Followed:
        """Return the lowest modes at the speed where the lines begin."""
        lam, X = self.modes(speed)
        X = Motions(self.system).circular(lam, X)
        order = np.argsort(np.abs(lam), kind="stable")[: self.count]  # strongly damped modes are high, if slow
        return Followed(speed, lam[order], X[:, order])

    def follow(self, before: Followed, speed: float, depth: int = DEPTH) -> Followed:
        """Return the same modes at another speed."""
        lam, X = self.modes(speed)
        X = _aligned(lam, X, before.X, self.M)
        mac = likeness(before.X, X, self.M)
        chosen = _assign(mac, before.lam, lam)
        alike = np.array([mac[i, j] if j >= 0 else 0.0 for i, j in enumerate(chosen)])
        known = np.isfinite(before.lam)
        if depth and (alike[known] < ALIKE).any():
            self._known[speed] = lam, X
            middle = self.follow(before, 0.5 * (before.speed + speed), depth - 1)
            return self.follow(middle, speed, depth - 1)
        out = np.full(before.lam.size, np.nan + 0j), np.full(before.X.shape, np.nan + 0j)
        for i, j in enumerate(chosen):
            if known[i] and j >= 0 and alike[i] >= LOST:
                out[0][i], out[1][:, i] = lam[j], X[:, j]
        return Followed(speed, *out)


def likeness(A: ComplexArray, B: ComplexArray, M: sparse.csr_array) -> Array:
    """Return |a^H M b|^2 of shapes with unit modal mass, (columns of A, columns of B): 1 for the same shape (MAC)."""
    A = np.where(np.isfinite(A), A, 0.0)
    return np.abs(A.conj().T @ times(M, B)) ** 2


def _assign(mac: Array, before: ComplexArray, now: ComplexArray) -> list[int]:
    """Return the current mode that continues each previous one, -1 for none: by shape first, by eigenvalue second."""
    from scipy.optimize import linear_sum_assignment

    known = np.where(np.isfinite(before), before, 0.0)
    apart = np.abs(known[:, None] - now[None, :]) / np.maximum(np.abs(known[:, None]), np.abs(now[None, :]))
    rows, columns = linear_sum_assignment(1.0 - mac + np.minimum(apart, 1.0))
    out = [-1] * before.size
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        out[i] = j
    return out


def _aligned(lam: ComplexArray, X: ComplexArray, before: ComplexArray, M: sparse.csr_array) -> ComplexArray:
    """Return shapes in which those of equal eigenvalues are combined to match the previous ones."""
    X = X.copy()
    old = before[:, np.isfinite(before).all(axis=0)]
    for group in groups(lam):
        Q = orthonormal(X[:, group], M)
        part = Q.conj().T @ times(M, old)
        size = np.linalg.norm(part, axis=0)
        near = [k for k in np.argsort(-size, kind="stable")[: len(group)] if size[k] > LOST]
        U, _, Vh = np.linalg.svd(part[:, near])
        # those nearest to the previous ones, then the perpendicular ones
        X[:, group] = Q @ np.concatenate([U[:, : len(near)] @ Vh, U[:, len(near) :]], axis=1)
    return X
