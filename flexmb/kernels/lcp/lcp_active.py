"""The equations of an active set: ``W_AA z_A = -b_A``, with redundant contacts left at zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexmb.kernels.compilation.jit import allocating
from flexmb.state import Array, IntArray

Mask = NDArray[np.bool_]
EPS = 2.220446049250313e-16


@allocating
def eliminate(A: Array, order: IntArray) -> int:
    """Factor ``A`` in place, P A P^T = L U with diagonal pivoting, and return its rank.

    The pivots are those of a Schur complement: what is left of a contact's own compliance once the contacts before
    it are closed. Diagonal pivoting is what makes "redundant" a statement about one contact; it is stable when the
    symmetric part of A is positive semidefinite, and the caller refines.

    Parameters
    ----------
    A : (k, k) array
        Unit diagonal expected; holds L (unit diagonal not stored) and U on return.
    order : (k,) int array
        Permuted along with the rows; the first ``rank`` entries are independent.
    """
    k = order.size
    tol = 64.0 * EPS * np.sqrt(k)
    for p in range(k):
        m = p
        for i in range(p + 1, k):
            if A[i, i] > A[m, m]:
                m = i
        if not A[m, m] > tol:
            return p
        if m != p:
            order[p], order[m] = order[m], order[p]
            for j in range(k):
                A[p, j], A[m, j] = A[m, j], A[p, j]
            for i in range(k):
                A[i, p], A[i, m] = A[i, m], A[i, p]
        for i in range(p + 1, k):
            f = A[i, p] / A[p, p]
            A[i, p] = f
            if f != 0.0:
                for j in range(p + 1, k):
                    A[i, j] -= f * A[p, j]
    return k


@allocating
def substitute(A: Array, rank: int, x: Array) -> None:
    """Solve L U x = x in place with the leading ``rank`` rows of a factored ``A``."""
    for i in range(rank):
        s = x[i]
        for j in range(i):
            s -= A[i, j] * x[j]
        x[i] = s
    for i in range(rank - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, rank):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]


@allocating
def members(active: Mask) -> IntArray:
    """Return the contacts of a set, in rising order."""
    k = 0
    for i in range(active.size):
        k += 1 if active[i] else 0
    order = np.empty(k, np.int64)
    k = 0
    for i in range(active.size):
        if active[i]:
            order[k] = i
            k += 1
    return order


@allocating
def scaled_block(W: Array, order: IntArray) -> tuple[Array, Array]:
    """Return ``W_AA`` scaled to a unit diagonal, and the factor of each row of W (only those of the set are filled)."""
    k = order.size
    scale = np.empty(W.shape[0])
    for p in range(k):
        i = order[p]
        scale[i] = 1.0 / np.sqrt(W[i, i])
    A = np.empty((k, k))
    for p in range(k):
        i = order[p]
        for q in range(k):
            A[p, q] = W[i, order[q]] * scale[i] * scale[order[q]]
    return A, scale


@allocating
def solve_active(W: Array, b: Array, active: Mask, z: Array) -> int:
    """Solve ``W_AA z_A = -b_A`` with z = 0 off the set, and return the rank of the block.

    Rows and columns are scaled to a unit diagonal first, so contacts of different units or masses are treated
    alike. A contact that is redundant given the others keeps z = 0. One step of refinement brings the rows of the
    others to round-off.

    Parameters
    ----------
    W : (n, n) array
        ``W_ii > 0`` on the set.
    b : (n,) array
    active : (n,) bool array
    z : (n,) array
        Overwritten.
    """
    n = b.size
    for i in range(n):
        z[i] = 0.0
    order = members(active)
    if order.size == 1:
        z[order[0]] = -b[order[0]] / W[order[0], order[0]]
        return 1
    A, scale = scaled_block(W, order)
    rank = eliminate(A, order)
    x = np.empty(rank)
    for _ in range(2):
        for p in range(rank):
            i = order[p]
            r = -b[i]
            for q in range(rank):
                r -= W[i, order[q]] * z[order[q]]
            x[p] = r * scale[i]
        substitute(A, rank, x)
        for p in range(rank):
            z[order[p]] += x[p] * scale[order[p]]
    return rank
