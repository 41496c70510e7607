"""One factorization for every matrix of the schemes: symmetric positive definite, or that plus a skew one."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmb.errors import InputError
from flexmb.kernels.banded import ldl_factor, ldu_factor, ldu_solve
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.state import Array

BAND_LIMIT = 48
"""Largest half-bandwidth solved by the band kernels; beyond it a sparse factorization is faster."""


class Factor(Protocol):
    """A factorized matrix."""

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        ...


class BandFactor:
    """L D U of a band matrix, in a bandwidth-reducing order."""

    def __init__(self, A: sparse.csr_array, order: BandOrder, skew: sparse.csr_array | None = None) -> None:
        self.order = order
        self.ldu, bad = ldl_factor(order.bands(A))
        if bad >= 0:
            raise _not_definite(int(order.perm[bad]))
        if skew is not None:  # the symmetric part is definite, so no pivoting is needed
            self.ldu, bad = ldu_factor(order.bands(A), order.bands(skew))
            if bad >= 0:
                raise _not_definite(int(order.perm[bad]))

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        if b.ndim == 2:
            return np.stack([self.solve(column) for column in b.T], axis=1) if b.shape[1] else b.copy()
        x = np.ascontiguousarray(b[self.order.perm])
        ldu_solve(self.ldu, x)
        return x[self.order.inverse]


class SparseFactor:
    """Sparse LU, for structures that are not band-like (far springs, frames)."""

    def __init__(self, A: sparse.csr_array, skew: sparse.csr_array | None = None) -> None:
        S = sparse.csc_matrix(A if skew is None else A + skew)
        self.lu: SuperLU = splu(S, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        return np.asarray(self.lu.solve(np.ascontiguousarray(b)))


def factor(A: sparse.csr_array, skew: sparse.csr_array | None = None) -> Factor:
    """Factor the symmetric positive definite matrix ``A``, or ``A + skew``.

    Raises
    ------
    InputError
        If a pivot of A is not positive: a mass is zero, or the matrix is not positive definite.
    """
    order = band_order(A) if skew is None else band_order(A, skew)
    if order.bandwidth <= BAND_LIMIT:
        return BandFactor(A, order, skew)
    try:
        return SparseFactor(A, skew)
    except RuntimeError:
        raise _not_definite(-1) from None


def _not_definite(row: int) -> InputError:
    which = f" (unknown number {row})" if row >= 0 else ""
    return InputError(
        f"the system matrix is not positive definite{which}: a mass is zero, or a part is not sufficiently supported"
    )
