"""Undamped critical speeds from one eigenvalue problem: K x = w^2 (M - i G / order) x."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from flexmb.analysis.rotors.crossings import CriticalSpeed
from flexmb.analysis.rotors.eigenpairs import DENSE_LIMIT, NOISE, ComplexArray, elastic_energy
from flexmb.analysis.rotors.whirl import AXIAL, TORSION, Motions
from flexmb.state import Array
from flexmb.system.rotating import RotatingSystem


def undamped_critical(system: RotatingSystem, count: int, order: float = 1.0) -> tuple[CriticalSpeed, ...]:
    """Return the lowest critical speeds of bending without damping and cross-coupling.

    x exp(i w t) at W = w / order solves K x = w^2 (M - i G / order) x: both sides are Hermitian and K is definite or
    has the rigid motions as its kernel, so mu = 1/w^2 are the positive eigenvalues of (M - i G / order) x = mu K x.
    """
    gyro: Any = sum((r.ratio * r.parts.gyro for r in system.rotors), sparse.csr_array((system.nv, system.nv)))
    A = sparse.csr_array(system.M - 1j / order * gyro)
    K = system.at(system.speed)[2]
    K = sparse.csr_array(0.5 * (K + K.T))
    motions, found = Motions(system), []
    squares, X = _positive(A, K, 2 * count + 6)
    X = motions.circular(1j * np.sqrt(squares), X)
    for k, w in enumerate(np.sqrt(squares).tolist()):
        word = motions.word(1j * w, X[:, k], w)
        if word not in (AXIAL, TORSION):
            found.append(CriticalSpeed(w / order, order, 1j * w, word))
    return tuple(found[:count])


def _positive(A: sparse.csr_array, K: sparse.csr_array, count: int) -> tuple[Array, ComplexArray]:
    """Return the lowest w^2 > 0 of K x = w^2 A x and their vectors, rigid motions left out."""
    n = K.shape[0]
    if n <= DENSE_LIMIT or count >= n - 2:
        try:
            mu, X = linalg.eigh(A.toarray(), K.toarray())
        except linalg.LinAlgError:  # rigid motions: K is not definite
            squares, X = linalg.eig(K.toarray(), A.toarray())
            with np.errstate(divide="ignore", invalid="ignore"):
                mu = 1.0 / squares
    else:
        mu, X = _largest(A, K, count)
    real = np.isfinite(mu) & (mu.real > 0.0) & (np.abs(mu.imag) <= 1e-8 * np.abs(mu))
    mu, X = mu[real].real, X[:, real]
    energy, sizes = elastic_energy(K, X)
    elastic = energy.real > NOISE * sizes
    mu, X = mu[elastic], X[:, elastic]
    order = np.argsort(-mu, kind="stable")[:count]
    return 1.0 / mu[order], X[:, order]


def _largest(A: sparse.csr_array, K: sparse.csr_array, count: int) -> tuple[ComplexArray, ComplexArray]:
    """Return the mu = 1/w^2 of largest size of A x = mu K x, by Arnoldi's iteration with (K + s A)^-1 A."""
    from scipy.sparse.linalg import LinearOperator, eigs, splu

    s = 1e-12 * float(np.max(np.abs(K.diagonal()) / A.diagonal().real))
    lu, n = splu(sparse.csc_array(K + s * A)), K.shape[0]
    operator: Any = LinearOperator((n, n), matvec=lambda x: lu.solve(A @ x), dtype=np.complex128)
    start = np.cos(np.arange(n)) + 1j * np.sin(np.arange(n))
    nu, X = eigs(operator, min(count, n - 2), v0=start, ncv=min(n, max(2 * count + 1, 40)))
    return nu / (1.0 - s * nu), X
