"""One factorization for every matrix of the schemes: symmetric positive definite, or that plus a skew one."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmb.errors import InputError
from flexmb.kernels.algebra.banded import ldl_factor, ldu_factor, ldu_solve
from flexmb.kernels.algebra.supernodes import Supernodes
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.linalg.supernodes import supernodes
from flexmb.state import Array

ROW, ENTRY = 23.0, 0.8
"""Time of a solve that a row of a sparse factor takes, and an entry, over that of a number of a band; measured."""


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
    """Sparse L D R with the pivots on the diagonal, in an order of little fill."""

    def __init__(self, A: sparse.csr_array, skew: sparse.csr_array | None = None) -> None:
        self.symmetric = skew is None or not skew.nnz
        self.lu = _diagonal_pivots(A)
        if skew is not None and skew.nnz:  # the symmetric part being definite, no pivoting is needed
            self.lu = _diagonal_pivots(A + skew)

    @property
    def size(self) -> int:
        """Entries of L."""
        return int(self.lu.nnz) // 2

    def solve(self, b: Array) -> Array:
        """Return the solution for one right-hand side (n,) or several (n, k)."""
        return np.asarray(self.lu.solve(np.ascontiguousarray(b)))

    def supernodes(self) -> Supernodes:
        """Return the factors for compiled loops."""
        return supernodes(self.lu, self.symmetric)


def _diagonal_pivots(A: sparse.csr_array) -> SuperLU:
    """Factor a matrix whose symmetric part is positive definite; InputError where a pivot is not positive."""
    options = {"SymmetricMode": True}
    try:
        lu: SuperLU = splu(sparse.csc_matrix(A), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError:  # a column of zeros
        raise _not_definite(-1) from None
    pivots = lu.U.diagonal()[lu.perm_c]
    bad = ~(pivots > 0.0) | (lu.perm_r != lu.perm_c)  # SuperLU exchanges rows where a pivot is zero
    if bad.any():
        raise _not_definite(int(np.argmax(bad)))
    return lu


def factor(A: sparse.csr_array, skew: sparse.csr_array | None = None) -> Factor:
    """Factor the symmetric positive definite matrix ``A``, or ``A + skew``, as a band or sparse, whichever is faster.

    Raises
    ------
    InputError
        If a pivot of A is not positive: a mass is zero, or the matrix is not positive definite.
    """
    order = band_order(A) if skew is None else band_order(A, skew)
    p, n = order.bandwidth, A.shape[0]
    if p <= ROW:
        return BandFactor(A, order, skew)
    found = SparseFactor(A, skew)
    return BandFactor(A, order, skew) if n * p <= n * ROW + ENTRY * found.size else found


def in_bands(*matrices: sparse.csr_array) -> bool:
    """Return whether ``factor`` takes a matrix with the entries of all of these for a band."""
    joined = sparse.coo_array(sum((abs(A) for A in matrices[1:]), start=abs(matrices[0])))
    beside = (joined.row != joined.col) & (joined.data != 0.0)
    rows, cols, n = joined.row[beside], joined.col[beside], joined.shape[0]
    graph = sparse.csr_array((np.full(rows.size, -1.0), (rows, cols)), shape=(n, n))
    return isinstance(factor(sparse.csr_array(graph + sparse.diags_array(1.0 - graph.sum(axis=1)))), BandFactor)


def _not_definite(row: int) -> InputError:
    which = f" (unknown number {row})" if row >= 0 else ""
    return InputError(
        f"the system matrix is not positive definite{which}: a mass is zero, or a part is not sufficiently supported"
    )
