"""Solves with a sparse factorization L D R whose columns of (nearly) the same pattern stand together: supernodes.

The columns ``first[s] .. first[s + 1] - 1`` of L share their rows: their own ones, a lower triangle, and the rows
``rows[row_ptr[s] .. row_ptr[s + 1] - 1]`` below. The block of both is kept row after row, from ``start[s]`` on, so that
an index is read once for a row of the block and not for each number. R^T has the same layout; for a symmetric matrix
it is L, in the same array.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.kernels.algebra.sparse_rows import IndexArray
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.state import Array, IntArray


class Supernodes(NamedTuple):
    """Factors of a matrix of n unknowns, see above; the diagonals of L and R are ones and not used.

    ``perm`` (n,) is the number of the unknown that stands at each place of the elimination, ``dinv`` (n,) the inverse
    pivots, ``work`` (n,) a working array.
    """

    perm: IndexArray
    first: IntArray
    row_ptr: IntArray
    rows: IndexArray
    start: IntArray
    low: Array
    up: Array
    dinv: Array
    work: Array


@inner
def _forward(F: Supernodes, s: int) -> None:
    """Eliminate the unknowns of a supernode from all rows below."""
    w, c = F.work, F.first[s]
    width = F.first[s + 1] - c
    x, at = w[c : c + width], F.start[s]
    for i in range(1, width):
        row, t = F.low[at + i * width : at + i * width + i], 0.0
        for k in range(i):
            t += row[k] * x[k]
        x[i] -= t
    at += width * width
    e, end = F.row_ptr[s], F.row_ptr[s + 1]
    while e + 1 < end:  # two rows at a time: two sums that do not wait for each other
        a, b = F.low[at : at + width], F.low[at + width : at + 2 * width]
        t, u = 0.0, 0.0
        for k in range(width):
            t += a[k] * x[k]
            u += b[k] * x[k]
        w[F.rows[e]] -= t
        w[F.rows[e + 1]] -= u
        at += 2 * width
        e += 2
    if e < end:
        row, t = F.low[at : at + width], 0.0
        for k in range(width):
            t += row[k] * x[k]
        w[F.rows[e]] -= t


@inner
def _backward(F: Supernodes, s: int) -> None:
    """Solve for the unknowns of a supernode, those of all rows below being known."""
    w, c = F.work, F.first[s]
    width = F.first[s + 1] - c
    x, at = w[c : c + width], F.start[s] + width * width
    e, end = F.row_ptr[s], F.row_ptr[s + 1]
    while e + 1 < end:
        a, b = F.up[at : at + width], F.up[at + width : at + 2 * width]
        t, u = w[F.rows[e]], w[F.rows[e + 1]]
        for k in range(width):
            x[k] -= a[k] * t + b[k] * u
        at += 2 * width
        e += 2
    if e < end:
        row, t = F.up[at : at + width], w[F.rows[e]]
        for k in range(width):
            x[k] -= row[k] * t
    at = F.start[s]
    for i in range(width - 1, 0, -1):
        row, t = F.up[at + i * width : at + i * width + i], x[i]
        for k in range(i):
            x[k] -= row[k] * t


@kernel
def solve_supernodes(F: Supernodes, x: Array) -> None:
    """Overwrite ``x`` with the solution of A y = x."""
    n, count = F.perm.size, F.first.size - 1
    for i in range(n):
        F.work[i] = x[F.perm[i]]
    for s in range(count):
        _forward(F, s)
    for i in range(n):
        F.work[i] *= F.dinv[i]
    for s in range(count - 1, -1, -1):
        _backward(F, s)
    for i in range(n):
        x[F.perm[i]] = F.work[i]
