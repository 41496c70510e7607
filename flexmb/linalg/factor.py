"""One factorization for every symmetric positive definite matrix of the schemes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmb.errors import InputError
from flexmb.kernels.banded import ldl_factor, ldl_solve
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.state import Array

BAND_LIMIT = 48
"""Widest half-bandwidth solved by the band kernels; past it a sparse factorization is faster."""


class Factor(Protocol):
    """A factorized matrix."""

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        ...


class BandFactor:
    """L D L^T of a band matrix, in a bandwidth-reducing order."""

    def __init__(self, A: sparse.csr_array, order: BandOrder) -> None:
        self.order = order
        self.ldl, bad = ldl_factor(order.bands(A))
        if bad >= 0:
            raise _not_definite(int(order.perm[bad]))

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        if b.ndim == 2:
            return np.stack([self.solve(column) for column in b.T], axis=1) if b.shape[1] else b.copy()
        x = np.ascontiguousarray(b[self.order.perm])
        ldl_solve(self.ldl, x)
        return x[self.order.inverse]


class SparseFactor:
    """Sparse LU, for structures that are not band-like (far springs, frames)."""

    def __init__(self, A: sparse.csr_array) -> None:
        self.lu: SuperLU = splu(sparse.csc_matrix(A), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        return np.asarray(self.lu.solve(np.ascontiguousarray(b)))


def factor(A: sparse.csr_array) -> Factor:
    """Factor the symmetric positive definite matrix ``A``.

    Raises
    ------
    InputError
        If a pivot is not positive: a mass is zero, or the matrix is not positive definite.
    """
    order = band_order(A)
    if order.bandwidth <= BAND_LIMIT:
        return BandFactor(A, order)
    try:
        return SparseFactor(A)
    except RuntimeError:
        raise _not_definite(-1) from None


def _not_definite(row: int) -> InputError:
    which = f" (unknown number {row})" if row >= 0 else ""
    return InputError(
        f"the system matrix is not positive definite{which}: a mass is zero, or a part is not held where it must be"
    )
