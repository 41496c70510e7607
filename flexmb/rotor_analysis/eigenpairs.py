"""Eigenvalues of lam^2 M x + lam C x + K x = 0 next to zero, with C and K of any kind.

By shift and invert of the state-space form in z = (x, lam x / w): the eigenvalues mu of (A - s)^-1 give
lam = s + 1/mu, so that the lowest ones, which are wanted, are the accurate ones however fine the mesh is. The shift s
is real, small and positive: K alone is singular where a body can move freely. w only scales the second half of z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from flexmb.state import Array

ComplexArray = NDArray[np.complex128]

DENSE_LIMIT = 100
"""Up to so many unknowns all eigenvalues are computed densely; above, the lowest by Arnoldi's iteration."""
SHIFT = 1e-6
"""The shift over the square root of the largest K_ii / M_ii: too small to be seen in any elastic mode."""
NOISE, DRIFT = 64 * np.finfo(np.float64).eps, 1e6 * np.finfo(np.float64).eps
"""A rigid motion has an elastic energy and a lam^2 below these parts of the sum of its terms' sizes."""
REAL = 1e-6
"""An eigenvalue whose imaginary part is below this part of it does not oscillate."""
SAME = 1e-7
"""Eigenvalues nearer to each other than this part of them are equal; their shapes may be combined at will."""


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

    def dynamic(self, lam: complex) -> sparse.csc_array:
        """Return lam^2 M + lam C + K."""
        return sparse.csc_array(lam * lam * self.M + lam * self.C + self.K)


def eigenpairs(system: Matrices, count: int) -> tuple[ComplexArray, ComplexArray]:
    """Return the lowest modes in the order of |lam|, (k,) and (nv, k), k <= count; of a pair that with Im lam > 0.

    Rigid motions come first with lam = 0, each counted once; shapes have unit modal mass x^H M x = 1.
    """
    lam, X = _lowest(system, 2 * count + 6)
    X = X / np.sqrt(np.einsum("ij,ij->j", X.conj(), system.M @ X).real)
    still = _at_rest(system, lam, X)
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


def orthonormal(X: ComplexArray, M: sparse.csr_array) -> ComplexArray:
    """Return the columns of X made orthonormal in M."""
    L = np.linalg.cholesky(X.conj().T @ (M @ X))
    return np.asarray(np.linalg.solve(L, X.conj().T).conj().T)


def refine(system: Matrices, lam: complex, x: ComplexArray) -> tuple[complex, ComplexArray]:
    """Return the simple eigenpair next to a guess, by Newton's method on (lam, x) with x fixed in its size."""
    from scipy.sparse.linalg import splu

    for _ in range(20):
        x = x / np.sqrt((x.conj() @ (system.M @ x)).real)
        T = system.dynamic(lam)
        column = 2.0 * lam * (system.M @ x) + system.C @ x
        row = system.M @ x.conj()
        size = float(np.abs(system.K.diagonal()).max()) / max(float(np.abs(column).max()), 1e-300)
        S = sparse.block_array([[T, size * column[:, None]], [row[None, :], None]], format="csc")
        step = splu(S).solve(np.concatenate([-(T @ x), [0.0]]))
        x, change = x + step[:-1], size * step[-1]
        lam = lam + change
        if abs(change) <= 1e-13 * abs(lam):
            break
    return complex(lam), x / np.sqrt((x.conj() @ (system.M @ x)).real)


def _lowest(system: Matrices, count: int) -> tuple[ComplexArray, ComplexArray]:
    """Return at least ``count`` eigenvalues of smallest size, or all, and their vectors x."""
    n = system.nv
    if not np.isfinite(system.K.data).all() or (system.M.diagonal() <= 0.0).any():
        raise ValueError("the matrices are not those of a system with mass in every unknown")
    s = SHIFT * float(np.sqrt(np.max(np.abs(system.K.diagonal()) / system.M.diagonal()))) or 1.0
    inverse, start = _Inverse(system, s), np.cos(np.arange(2.0 * n))  # a fixed start: the same bits in every run
    if n <= DENSE_LIMIT or count >= 2 * n - 2:
        mu, Z = linalg.eig(inverse(np.eye(2 * n)))
    else:
        from scipy.sparse.linalg import LinearOperator, eigs

        operator: Any = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=np.float64)
        mu, Z = eigs(operator, count, v0=start, ncv=min(2 * n, max(2 * count + 1, 40)))
    with np.errstate(divide="ignore", invalid="ignore"):
        lam = s + 1.0 / mu
    order = np.argsort(np.abs(lam), kind="stable")[:count]
    return lam[order], Z[:n, order]


class _Inverse:
    """(A - s)^-1 on vectors or matrices (2 nv, ...)."""

    def __init__(self, system: Matrices, s: float) -> None:
        from scipy.sparse.linalg import splu

        self.M, self.s, self.n = system.M, s, system.nv
        self.D = sparse.csr_array(system.C + s * system.M)
        self.lu = splu(sparse.csc_array(system.K + s * system.C + s * s * system.M))
        x = np.cos(np.arange(float(self.n)))
        for _ in range(4):  # the size of the lowest frequency is enough
            x = self.lu.solve(self.M @ x)
            ratio = float(np.linalg.norm(x)) or 1.0
            x = x / ratio
        self.w = 1.0 / float(np.sqrt(ratio))

    def __call__(self, b: Array) -> Array:
        b1, b2 = b[: self.n], b[self.n :]
        z1 = -self.lu.solve(self.w * (self.M @ b2) + self.D @ b1)
        return np.concatenate([z1, (b1 + self.s * z1) / self.w])


def _at_rest(system: Matrices, lam: ComplexArray, X: ComplexArray) -> NDArray[np.bool_]:
    """Return which modes store no elastic energy and do not move, but for round-off."""
    energy = np.abs(np.einsum("ij,ij->j", X.conj(), system.K @ X))
    sizes = np.einsum("ij,ij->j", np.abs(X), abs(system.K) @ np.abs(X))
    # a double zero eigenvalue splits into +-sqrt(noise): its square is compared
    return (energy <= NOISE * sizes) & (np.abs(lam) ** 2 <= DRIFT * sizes)


def _span(M: sparse.csr_array, X: ComplexArray) -> ComplexArray:
    """Return real shapes, orthonormal in M, that span the columns of X (each motion comes twice or as a pair)."""
    if not X.shape[1]:
        return X
    both = np.concatenate([X.real, X.imag], axis=1)
    values, V = np.linalg.eigh(both.T @ (M @ both))
    some = values > 1e-6 * values[-1]
    return np.asarray(both @ (V[:, some] / np.sqrt(values[some])), dtype=np.complex128)
