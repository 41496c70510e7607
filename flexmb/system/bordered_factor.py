"""Factorized matrices over the velocities of a multibody system, alone or bordered by its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmb.errors import InputError, NotConverged
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.system.multibody_system import MultibodySystem


class LeastNorm:
    """A singular matrix: joints that constrain the same motion share their force by least norm (dense, for few)."""

    def __init__(self, A: sparse.csr_array) -> None:
        dense = A.toarray()
        size = 1.0 / np.sqrt(np.maximum(np.abs(dense).max(axis=1), np.finfo(float).tiny))
        self._inverse = size[:, None] * np.linalg.pinv(size[:, None] * dense * size, rcond=1e-11) * size
        self.shape = A.shape

    def solve(self, b: Array) -> Array:
        """Return the solution of least norm for b of shape (n,) or (n, k)."""
        return np.asarray(self._inverse @ b)


class BorderedFactor:
    """A matrix over the velocities, alone or bordered by joints, factorized."""

    def __init__(self, lu: SuperLU | LeastNorm, nv: int) -> None:
        self._lu, self._nv = lu, nv

    def solve(self, b: Array) -> Array:
        """Return the velocities of b of shape (nv,) or (nv, k), subject to the joints."""
        return self.solve_both(b, np.zeros((self._lu.shape[0] - self._nv, *b.shape[1:])))[0]

    def solve_both(self, b: Array, rho: Array) -> tuple[Array, Array]:
        """Return the velocities, and the multipliers of the joints, for b over the velocities and rho over the rows."""
        x = np.asarray(self._lu.solve(np.concatenate([b, rho])))
        return x[: self._nv], x[self._nv :]


def factored(
    system: MultibodySystem, M: sparse.csr_array, A: sparse.csr_array | sparse.csc_array, t: float | None = None
) -> SuperLU:
    """Factor the mass matrix M, alone or bordered by joints (A), or the matrix A of a step that begins at t.

    Raises
    ------
    InputError
        When the mass matrix is singular; the unknown with the least mass is named.
    NotConverged
        When that of a step is.
    """
    try:
        return splu(sparse.csc_matrix(A))
    except (RuntimeError, ValueError):  # SuperLU: singular, or an entry that is not finite
        if t is not None:
            message = "the matrix of the step is singular: joints are dependent here, or the step is too long"
            raise NotConverged(message, time=t, step=-1) from None
        own = np.abs(M.diagonal())
        least = int(np.argmin(own))
        name = system.dof_names[least] if system.dof_names else f"number {least}"
        message = f"the mass matrix is singular: the least mass is {own[least]:.6g} kg or kg m^2, of the unknown {name}"
        raise InputError(message, where="bodies") from None
