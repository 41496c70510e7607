"""Eigenvalues of lam^2 M x + lam C x + K x = 0 next to zero, with C and K of any kind.

By shift and invert of the state-space form in z = (x, lam x / w): the eigenvalues mu of (A - s)^-1 give
lam = s + 1/mu, so that the lowest ones, which are required, are accurate for any mesh. The shift s
is real, small and positive: K alone is singular where a body can move freely. w only scales the second half of z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from flexmb.errors import FlexmbError
from flexmb.state import Array

ComplexArray = NDArray[np.complex128]

DENSE_LIMIT = 100
"""Number of unknowns up to which all eigenvalues are computed densely; above, the lowest by Arnoldi iteration."""
DENSE_MOST = 1500
"""Number of unknowns up to which the dense method is used if the iteration does not converge."""
RESTARTS = 30
"""Maximum number of restarts of the iteration."""
SHIFT = 1e-6
"""Shift over the square root of the largest K_ii / M_ii: negligible for all elastic modes."""
NOISE, DRIFT = 64 * np.finfo(np.float64).eps, 1e6 * np.finfo(np.float64).eps
"""Elastic energy and lam^2 of a rigid-body mode, over the sums of the magnitudes of their terms, are below these."""
REAL = 1e-6
"""Imaginary part of an eigenvalue, over its modulus, below which the mode does not oscillate."""
SAME = 1e-7
"""Relative difference below which eigenvalues count as equal; any combination of their shapes is a shape."""


@dataclass(frozen=True)
class Matrices:
    """The system at one speed: M, C, K, each (nv, nv) sparse, C and K not symmetric in general."""

    M: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array

    @property
    def nv(self) -> int:
        """Number of unknowns."""
        return int(self.M.shape[0])

    @property
    def lowest(self) -> float:
        """A rate below that of any elastic mode, 1/s."""
        return SHIFT * float(np.sqrt(np.max(np.abs(self.K.diagonal()) / self.M.diagonal()))) or 1.0

    def dynamic(self, lam: complex) -> sparse.csc_array:
        """Return lam^2 M + lam C + K."""
        return sparse.csc_array(lam * lam * self.M + lam * self.C + self.K)


def eigenpairs(system: Matrices, count: int) -> tuple[ComplexArray, ComplexArray]:
    """Return the lowest modes in the order of |lam|, (k,) and (nv, k), k <= count; of a pair that with Im lam > 0.

    Rigid motions come first with lam = 0, each counted once; shapes have unit modal mass x^H M x = 1.
    """
    lam, X = _lowest(system, 2 * count + 6)
    X = X / modal_size(system.M, X)
    still = at_rest(system, lam, X)
    rigid = _span(system.M, X[:, still])
    upper = ~still & (lam.imag >= -REAL * np.abs(lam))
    lam, X = lam[upper], X[:, upper]
    oscillates = lam.imag > REAL * np.abs(lam)
    lam = np.where(oscillates, lam, lam.real)
    order = np.lexsort((lam.real, np.abs(lam).round(9)))
    lam = np.concatenate([np.zeros(rigid.shape[1]), lam[order]])
    return lam[:count], np.concatenate([rigid, X[:, order]], axis=1)[:, :count]


def groups(lam: ComplexArray) -> list[list[int]]:
    """Return the sets of modes with equal eigenvalues."""
    out: list[list[int]] = []
    left = list(range(lam.size))
    while left:
        first = left.pop(0)
        same = [k for k in left if abs(lam[k] - lam[first]) <= SAME * abs(lam[first])]
        left = [k for k in left if k not in same]
        if same:
            out.append([first, *same])
    return out


def times(A: Any, X: np.ndarray) -> ComplexArray:
    """Return A X, A sparse and X complex."""
    return np.asarray(A @ X, dtype=np.complex128)


def modal_size(M: sparse.csr_array, X: ComplexArray) -> Array:
    """Return the square roots of the modal masses x^H M x of vectors or of one vector."""
    return np.asarray(np.sqrt(np.sum(X.conj() * times(M, X), axis=0).real))


def orthonormal(X: ComplexArray, M: sparse.csr_array) -> ComplexArray:
    """Return the columns of X made orthonormal in M."""
    L = np.linalg.cholesky(X.conj().T @ times(M, X))
    return np.asarray(np.linalg.solve(L, X.conj().T).conj().T)


def refine(system: Matrices, lam: complex, x: ComplexArray) -> tuple[complex, ComplexArray]:
    """Return the eigenpair next to a guess, by Newton's method: x <- T^-1 T' x, T = lam^2 M + lam C + K."""
    from scipy.sparse.linalg import splu

    before = np.inf
    for _ in range(20):
        x = x / modal_size(system.M, x)
        try:
            factored = splu(system.dynamic(lam))
        except RuntimeError:  # exactly singular: lam is an eigenvalue to the last bit
            break
        u = factored.solve(2.0 * lam * times(system.M, x) + times(system.C, x))
        change = complex(1.0 / (x.conj() @ times(system.M, u)))
        lam, x = lam - change, u
        if abs(change) <= 1e-14 * abs(lam) or (before <= 1e-9 * abs(lam) and abs(change) >= 0.5 * before):
            break  # converged, or down to round-off
        before = abs(change)
    return complex(lam), x / modal_size(system.M, x)


def _lowest(system: Matrices, count: int) -> tuple[ComplexArray, ComplexArray]:
    """Return at least ``count`` eigenvalues of smallest size, or all, and their vectors x."""
    n = system.nv
    if not np.isfinite(system.K.data).all() or (system.M.diagonal() <= 0.0).any():
        raise ValueError("the matrices are not those of a system with mass in every unknown")
    s = system.lowest
    found = _arnoldi(system, s, count) if n > DENSE_LIMIT and count < 2 * n - 2 else None
    if found is not None:
        s, mu, Z = found
    elif n <= DENSE_MOST:
        mu, Z = linalg.eig(Inverse(system, s)(np.eye(2 * n)))
    else:
        raise FlexmbError(f"the eigenvalues of {n} unknowns next to zero did not converge")
    with np.errstate(divide="ignore", invalid="ignore"):
        lam = s + 1.0 / mu
    order = np.argsort(np.abs(lam), kind="stable")[:count]
    return lam[order], Z[:n, order]


def _arnoldi(system: Matrices, s: float, count: int) -> tuple[float, ComplexArray, ComplexArray] | None:
    """Return a shift, ``count`` largest eigenvalues of (A - s)^-1 and their vectors; None without convergence.

    Rigid motions are double eigenvalues with one vector, which hinder the iteration when the shift is very close to
    them: then a larger one is taken. What is damped in proportion to its stiffness (internal damping) has very many
    eigenvalues next to one another, which no iteration tells apart.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    size = 2 * system.nv
    start = np.cos(np.arange(float(size)))  # a fixed start vector for reproducible results
    for shift in (s, 100.0 * s):
        operator: Any = LinearOperator((size, size), matvec=Inverse(system, shift), dtype=np.float64)
        try:
            mu, Z = eigs(operator, count, v0=start, ncv=min(size, max(2 * count + 1, 40)), maxiter=RESTARTS)
        except ArpackNoConvergence:
            continue
        return shift, mu, Z
    return None


class Inverse:
    """(A - s)^-1 on vectors or matrices (2 nv, ...); ``w`` is about the rate of the mode next to s, 1/s."""

    def __init__(self, system: Matrices, s: complex) -> None:
        from scipy.sparse.linalg import splu

        self.M, self.s, self.n = system.M, s, system.nv
        self.D = sparse.csr_array(system.C + s * system.M)
        self.lu = splu(sparse.csc_array(system.K + s * system.C + s * s * system.M))
        x = np.cos(np.arange(float(self.n))).astype(self.D.dtype)
        for _ in range(4):  # the size of the lowest frequency is enough
            x = self.lu.solve(self.M @ x)
            ratio = float(np.linalg.norm(x)) or 1.0
            x = x / ratio
        self.w = 1.0 / float(np.sqrt(ratio))

    def __call__(self, b: np.ndarray) -> np.ndarray:
        """Return (A - s)^-1 b."""
        b1, b2 = b[: self.n], b[self.n :]
        z1 = -self.lu.solve(self.w * (self.M @ b2) + self.D @ b1)
        return np.concatenate([z1, (b1 + self.s * z1) / self.w])


def at_rest(system: Matrices, lam: ComplexArray, X: ComplexArray) -> NDArray[np.bool_]:
    """Return which modes store no elastic energy and do not move, to round-off."""
    energy, sizes = elastic_energy(system.K, X)
    # a double zero eigenvalue splits into +-sqrt(noise): its square is compared
    return np.asarray((np.abs(energy) <= NOISE * sizes) & (np.abs(lam) ** 2 <= DRIFT * sizes))


def elastic_energy(K: sparse.csr_array, X: ComplexArray) -> tuple[ComplexArray, Array]:
    """Return x^H K x of vectors and the sums of the sizes of its terms."""
    size = np.asarray(abs(K) @ np.abs(X), dtype=np.float64)
    return np.sum(X.conj() * times(K, X), axis=0), np.sum(np.abs(X) * size, axis=0)


def _span(M: sparse.csr_array, X: ComplexArray) -> ComplexArray:
    """Return real shapes, orthonormal in M, that span the columns of X (each motion is included twice or as a pair)."""
    if not X.shape[1]:
        return X
    both = np.concatenate([X.real, X.imag], axis=1)
    values, V = np.linalg.eigh(both.T @ (M @ both))
    some = values > 1e-6 * values[-1]
    return np.asarray(both @ (V[:, some] / np.sqrt(values[some])), dtype=np.complex128)
