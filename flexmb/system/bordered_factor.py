"""Factorized matrices over the velocities of a multibody system, alone or bordered by its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dgetrf, dgetrs, zgetrf, zgetrs
from scipy.sparse.linalg import SuperLU, splu

from flexmb.errors import InputError, NotConverged
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.system.multibody_system import MultibodySystem


SMALL = 80
"""Number of unknowns and rows of joints up to which full matrices take less time than sparse ones."""


class FullFactor:
    """L U of a full matrix, real or complex; ValueError when it is singular, or an entry is not finite."""

    def __init__(self, A: Array) -> None:
        factor, self._solve = (zgetrf, zgetrs) if np.iscomplexobj(A) else (dgetrf, dgetrs)
        self._lu, self._exchanged, bad = factor(A)
        if bad or not np.isfinite(self._lu).all():
            raise ValueError("singular")
        self.shape = A.shape

    def solve(self, b: Array) -> Array:
        """Return the solution for b of shape (n,) or (n, k)."""
        return np.asarray(self._solve(self._lu, self._exchanged, b)[0]) if b.size else b.copy()


class LeastNorm:
    """A singular matrix: joints that constrain the same motion share their force by least norm (dense, for few)."""

    def __init__(self, A: sparse.csr_array | Array) -> None:
        dense = A if isinstance(A, np.ndarray) else A.toarray()
        size = 1.0 / np.sqrt(np.maximum(np.abs(dense).max(axis=1), np.finfo(float).tiny))
        self._inverse = size[:, None] * np.linalg.pinv(size[:, None] * dense * size, rcond=1e-11) * size
        self.shape = A.shape

    def solve(self, b: Array) -> Array:
        """Return the solution of least norm for b of shape (n,) or (n, k)."""
        return np.asarray(self._inverse @ b)


class BorderedFactor:
    """A matrix over the velocities, alone or bordered by joints, factorized."""

    def __init__(self, lu: SuperLU | FullFactor | LeastNorm, nv: int) -> None:
        self._lu, self._nv = lu, nv

    def solve(self, b: Array) -> Array:
        """Return the velocities of b of shape (nv,) or (nv, k), subject to the joints."""
        return self.solve_both(b, np.zeros((self._lu.shape[0] - self._nv, *b.shape[1:])))[0]

    def solve_both(self, b: Array, rho: Array) -> tuple[Array, Array]:
        """Return the velocities, and the multipliers of the joints, for b over the velocities and rho over the rows."""
        x = np.asarray(self._lu.solve(np.concatenate([b, rho])))
        return x[: self._nv], x[self._nv :]


def factored(
    system: MultibodySystem, M: sparse.csr_array, A: sparse.csr_array | sparse.csc_array | Array, t: float | None = None
) -> SuperLU | FullFactor:
    """Factor the mass matrix M, alone or bordered by joints (A), or the matrix A of a step that begins at t.

    Raises
    ------
    InputError
        When the mass matrix is singular; the unknown with the least mass is named.
    NotConverged
        When that of a step is.
    """
    try:
        return FullFactor(A) if isinstance(A, np.ndarray) else splu(sparse.csc_matrix(A))
    except (RuntimeError, ValueError):  # singular, or an entry that is not finite
        if t is not None:
            message = "the matrix of the step is singular: joints are dependent here, or the step is too long"
            raise NotConverged(message, time=t, step=-1) from None
        own = np.abs(M.diagonal())
        least = int(np.argmin(own))
        name = system.dof_names[least] if system.dof_names else f"number {least}"
        message = f"the mass matrix is singular: the least mass is {own[least]:.6g} kg or kg m^2, of the unknown {name}"
        raise InputError(message, where="bodies") from None


def step_matrix(
    weights: tuple[float, float, float], matrices: tuple[sparse.csr_array, ...], full: bool
) -> sparse.csr_array | Array:
    """Return c_M M + c_C C + c_K K, sparse or full."""
    (c_M, c_C, c_K), (M, C, K) = weights, matrices
    if not full:
        return sparse.csr_array(c_M * M + c_C * C + c_K * K)
    out = c_M * M.toarray()
    if c_C or c_K:
        out += c_C * C.toarray() + c_K * K.toarray()
    return out


Directions = Array | sparse.csc_array


def bordered(S: sparse.csr_array | Array, G: Directions, force: Directions) -> sparse.csr_array | Array:
    """Return [S, -force; G^T, 0], full if S is."""
    nj = G.shape[1]
    if isinstance(S, np.ndarray):
        full = [x if isinstance(x, np.ndarray) else x.toarray() for x in (G, force)]
        return np.block([[S, -full[1]], [full[0].T, np.zeros((nj, nj))]])
    rows, columns, nothing = (
        sparse.csr_array(sparse.csc_array(G).T),
        sparse.csr_array(force),
        sparse.csr_array((nj, nj)),
    )
    return sparse.csr_array(sparse.vstack([sparse.hstack([S, -columns]), sparse.hstack([rows, nothing])]))
