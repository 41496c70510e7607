"""Bordered matrices of many contacts as the arrays of ``algebra.bordered``, and the response of a contact to itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.algebra.envelope import factor_envelope, invert_envelope, reaches, read_inverse
from flexmb.state import Array, IntArray


def bordered(A: sparse.csr_array, rows: sparse.csr_array, columns: sparse.csr_array) -> Border:
    """Return the bordered matrix of A with the contacts' ``rows`` and ``columns``, both (m, n), not factored."""
    n, m = A.shape[0], rows.shape[0]
    ptr, idx, val = _with_symmetric_pattern(A)
    low, row, column = np.minimum(idx[ptr[:-1]], np.arange(n)), _csr(rows), _csr(columns)
    last = _reach(rows, columns)[1]
    after = np.argsort(last, kind="stable")
    after_ptr = np.concatenate([[0], np.cumsum(np.bincount(last, minlength=n))])
    room = int(row_lengths(A, rows, columns).sum())
    place, first, contact = (np.zeros(n + m, dtype=np.int64) for _ in range(3))
    return Border(
        *(ptr, idx, val, low, after_ptr, after, *row, *column),
        place=place,
        first=first,
        start=np.zeros(n + m + 1, dtype=np.int64),
        lower=np.zeros(room),
        upper=np.zeros(room),
        dinv=np.zeros(n + m),
        contact=contact,
        member=np.full(m, -1, dtype=np.int64),
        soft=np.zeros(m),
        own=np.zeros(m),
        x=np.zeros(n + m),
        factored=np.zeros(1, dtype=np.int64),
    )


def row_lengths(A: sparse.csr_array, rows: sparse.csr_array, columns: sparse.csr_array) -> IntArray:
    """Return the lengths of the rows of the bordered matrix within its envelope, with all contacts in the set."""
    n, m = A.shape[0], rows.shape[0]
    ptr, idx, _ = _with_symmetric_pattern(A)
    least, last = _reach(rows, columns)
    at = np.arange(n) + np.concatenate([[0], np.cumsum(np.bincount(last, minlength=n))[:-1]])
    rank = np.empty(m, dtype=np.int64)
    rank[np.argsort(last, kind="stable")] = np.arange(m)
    return np.concatenate([at - at[np.minimum(idx[ptr[:-1]], np.arange(n))], last + 1 + rank - at[least]])


def _reach(rows: sparse.csr_array, columns: sparse.csr_array) -> tuple[IntArray, IntArray]:
    """Return the first and the last unknown that each contact acts on (0 and 0 for none)."""
    m, n = rows.shape
    both = sparse.coo_array(abs(rows) + abs(columns))
    least, last = np.full(m, n, dtype=np.int64), np.zeros(m, dtype=np.int64)
    np.minimum.at(least, both.row, both.col)
    np.maximum.at(last, both.row, both.col)
    return np.minimum(least, last), last


def _with_symmetric_pattern(A: sparse.csr_array) -> tuple[IntArray, IntArray, Array]:
    """Return the rows of A with zeros stored on the diagonal and wherever the transpose has an entry."""
    coo, n = sparse.coo_array(A), A.shape[0]
    diagonal, nothing = np.arange(n), np.zeros(coo.nnz + n)
    i, j = np.concatenate([coo.row, coo.col, diagonal]), np.concatenate([coo.col, coo.row, diagonal])
    return _csr(sparse.csr_array((np.concatenate([coo.data, nothing]), (i, j)), shape=A.shape))


def _csr(A: sparse.csr_array) -> tuple[IntArray, IntArray, Array]:
    """Return pointers, ascending columns, and values of the rows of A."""
    A = sparse.csr_array(A)
    A.sum_duplicates()
    return A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data.astype(np.float64)


@dataclass(frozen=True)
class Envelope:
    """A matrix factored within its envelope (``kernels.algebra.envelope``)."""

    first: IntArray
    start: IntArray
    lower: Array
    upper: Array
    dinv: Array


def factored(B: Border) -> Envelope:
    """Factor the matrix inside a border, with space for pairs of unknowns of the same contact."""
    n, m = B.low.size, B.own.size
    first, least = B.low.copy(), np.full(m, n)
    entries = [(np.repeat(np.arange(m), np.diff(p)), k) for p, k in ((B.row_ptr, B.row_idx), (B.col_ptr, B.col_idx))]
    for owner, unknown in entries:
        np.minimum.at(least, owner, unknown)
    for owner, unknown in entries:
        np.minimum.at(first, unknown, least[owner])
    start = np.concatenate([[0], np.cumsum(np.arange(n) - first)])
    lower, upper, dinv = np.zeros(start[-1]), np.zeros(start[-1]), np.zeros(n)
    i, j = np.repeat(np.arange(n), np.diff(B.ptr)), B.idx
    left, right, own = j < i, j > i, j == i
    lower[start[i[left]] + j[left] - first[i[left]]] = B.val[left]
    upper[start[j[right]] + i[right] - first[j[right]]] = B.val[right]
    dinv[i[own]] = B.val[own]
    factor_envelope(n, first, start, lower, upper, dinv, np.zeros(n, dtype=np.int64))
    return Envelope(first, start, lower, upper, dinv)


def own_response(B: Border, A: Envelope) -> Array:
    """Return the diagonal of G^T A^-1 H from the entries of A^-1 near its diagonal."""
    n = A.first.size
    below, above, middle, last = (
        np.zeros(A.lower.size),
        np.zeros(A.lower.size),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
    )
    reaches(n, A.first, last)
    invert_envelope(n, A.first, A.start, last, A.lower, A.upper, A.dinv, below, above, middle)
    out = np.zeros(B.own.size)
    row, column = (B.row_ptr, B.row_idx, B.row_val), (B.col_ptr, B.col_idx, B.col_val)
    read_inverse(A.first, A.start, below, above, middle, *row, *column, out)
    return out
