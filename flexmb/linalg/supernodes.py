"""The factors of SuperLU, laid out in supernodes for compiled loops (``kernels.algebra.supernodes``)."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU

from flexmb.kernels.algebra.supernodes import Supernodes
from flexmb.state import IntArray

ZEROS = 0.2
"""Largest share of zeros in a block: wider blocks with some zeros are quicker than narrow ones without."""


def supernodes(lu: SuperLU, symmetric: bool) -> Supernodes:
    """Return the factors of a matrix with a symmetric pattern, or a symmetric one, factored with diagonal pivots."""
    n = lu.shape[0]
    L, U = sparse.csc_array(lu.L), sparse.csr_array(lu.U)
    pivots = U.diagonal()
    R = L if symmetric else sparse.csc_array((sparse.diags_array(1.0 / pivots) @ U).T)
    pattern = sparse.csc_array(abs(L) + abs(R))
    pattern.sort_indices()
    first = _widths(pattern)
    owner = np.repeat(np.arange(first.size - 1), np.diff(first))
    row, col = pattern.indices.astype(np.int64), np.repeat(np.arange(n), np.diff(pattern.indptr))
    below = row >= first[owner[col] + 1]
    keys = np.unique(owner[col[below]] * n + row[below])
    row_ptr = np.searchsorted(keys, np.arange(first.size) * n)
    width = np.diff(first)
    start = np.concatenate([[0], np.cumsum(width * (width + np.diff(row_ptr)))])
    perm = np.empty(n, dtype=np.int64)
    perm[lu.perm_c] = np.arange(n)

    def values(A: sparse.csc_array) -> np.ndarray:
        row, col = A.indices.astype(np.int64), np.repeat(np.arange(n), np.diff(A.indptr))
        s = owner[col]
        inside = row < first[s + 1]
        line = np.where(inside, row - first[s], width[s] + np.searchsorted(keys, s * n + row) - row_ptr[s])
        out = np.zeros(int(start[-1]))
        out[start[s] + line * width[s] + col - first[s]] = A.data
        return out

    low = values(L)
    return Supernodes(
        perm=perm.astype(np.uint32),
        first=first,
        row_ptr=row_ptr.astype(np.int64),
        rows=(keys % max(n, 1)).astype(np.uint32),
        start=start.astype(np.int64),
        low=low,
        up=low if symmetric else values(R),
        dinv=1.0 / pivots,
        work=np.zeros(n),
    )


def _widths(pattern: sparse.csc_array) -> IntArray:
    """Return the first column of each supernode, and the end.

    A column joins those before it where it is the first row below the last of them: all rows below that one are rows
    of its own, then, and the block that they share is as high as the new column.
    """
    n = pattern.shape[0]
    height = np.diff(pattern.indptr)
    second = np.minimum(pattern.indptr[:-1] + 1, max(pattern.nnz - 1, 0))
    parent = np.where(height > 1, pattern.indices[second], -1).tolist()
    first, filled = [0], 0
    for j, h in enumerate(height.tolist()):
        width = j + 1 - first[-1]
        size = width * (width + 1) // 2 + width * (h - 1)
        if width > 1 and (parent[j - 1] != j or size - filled - h > ZEROS * size):
            first.append(j)
            filled = 0
        filled += h
    return np.array([*first, n], dtype=np.int64)
