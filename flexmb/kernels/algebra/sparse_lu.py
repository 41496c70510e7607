"""Sparse LU with a fixed pattern and diagonal pivots: factor and solve, as often as a time loop needs them.

The pattern, fill included, is known beforehand (``linalg.bordered.analyze``), so that a factorization is arithmetic
only. Rows are made one after the other: row i is spread into a dense array, the finished rows k < i of its pattern are
subtracted in turn, and the result is gathered again. Neighbouring rows k with nested patterns (the unknowns of one
body, the rows of one joint) are subtracted four or two at a time, which halves the traffic through the dense row.

The factors overwrite the values: L without its unit diagonal, U with the *reciprocals* of the pivots on its diagonal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.algebra.sparse_rows import IndexArray
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.state import Array, IntArray

CANCELLED = 1e-12
"""A pivot this small beside the numbers it is the sum of is round-off."""


class Symbolic(NamedTuple):
    """Pattern of L + U in the order of elimination, in compressed rows with sorted columns; n rows, nnz entries."""

    perm: IntArray  # (n,) original number of row i
    inverse: IntArray  # (n,) row of original number k
    ptr: IntArray  # (n + 1,) row i has the entries ptr[i] .. ptr[i + 1] - 1
    col: IndexArray  # (nnz,)
    diag: IntArray  # (n,) place of the diagonal entry of row i
    mirror: IndexArray  # (nnz,) place of entry (j, i) for entry (i, j)
    run: IntArray  # (n,) how many rows from i on (i included) have nested patterns: U of i + 1 is U of i without i + 1


@kernel
def lu_factor(sym: Symbolic, val: Array, work: Array, weak: Array) -> int:
    """Factor in place; return -1, or the original number of the first row whose pivot is too small or not finite.

    Parameters
    ----------
    sym : Symbolic
    val : (nnz,) array
        Entries at the places of the pattern; overwritten with the factors.
    work : (n,) array
        Scratch.
    weak : (n,) array
        For every row, in the original numbering: |pivot| over the largest magnitude the diagonal had on its way, the
        larger of |diagonal entry| and the sum of |updates| (so at most 2). Small where a joint nearly depends on
        others. After a bad pivot the rows that were not reached have 1.
    """
    n = sym.perm.size
    col = sym.col
    for i in range(n):
        first, d, end = sym.ptr[i], sym.diag[i], sym.ptr[i + 1]
        for p in range(first, end):
            work[col[p]] = val[p]
        start = abs(val[d])
        _subtract(sym.ptr, sym.col, sym.diag, sym.run, val, work, i)
        moved = 0.0
        for p in range(first, d):
            moved += abs(val[p] * val[sym.mirror[p]])
        for p in range(d, end):
            val[p] = work[col[p]]
        size = max(start, moved)
        pivot = abs(val[d])
        ratio = pivot / size
        row = sym.perm[i]
        weak[row] = ratio
        if not CANCELLED * size < pivot < np.inf:  # also when it is not a number
            weak[row] = ratio if ratio <= CANCELLED else 0.0
            for j in range(i + 1, n):
                weak[sym.perm[j]] = 1.0
            return row
        val[d] = 1.0 / val[d]
    return -1


@inner
def _subtract(ptr: IntArray, col: IndexArray, diag: IntArray, run: IntArray, val: Array, work: Array, i: int) -> None:
    """Subtract the finished rows of row i's pattern from it, spread in ``work``; write the factors, its part of L.

    The three widths are written out here: in functions of their own, the arguments cost a third of the time.
    """
    p = ptr[i]
    while p < diag[i]:
        k = np.int64(col[p])
        together = min(run[k], i - k)
        a = diag[k]
        f = work[k] * val[a]
        val[p] = f
        if together >= 4:
            b, c, d = diag[k + 1], diag[k + 2], diag[k + 3]
            g = (work[k + 1] - f * val[a + 1]) * val[b]
            s = (work[k + 2] - f * val[a + 2] - g * val[b + 1]) * val[c]
            t = (work[k + 3] - f * val[a + 3] - g * val[b + 2] - s * val[c + 1]) * val[d]
            val[p + 1] = g
            val[p + 2] = s
            val[p + 3] = t
            if f != 0.0 or g != 0.0 or s != 0.0 or t != 0.0:
                u = val[a + 4 : ptr[k + 1]]
                v = val[b + 3 : ptr[k + 2]]
                w = val[c + 2 : ptr[k + 3]]
                x = val[d + 1 : ptr[k + 4]]
                to = col[d + 1 : ptr[k + 4]]
                for j in range(to.size):
                    work[to[j]] -= (f * u[j] + g * v[j]) + (s * w[j] + t * x[j])
            p += 4
        elif together >= 2:
            b = diag[k + 1]
            g = (work[k + 1] - f * val[a + 1]) * val[b]
            val[p + 1] = g
            if f != 0.0 or g != 0.0:
                u = val[a + 2 : ptr[k + 1]]
                v = val[b + 1 : ptr[k + 2]]
                to = col[b + 1 : ptr[k + 2]]
                for j in range(to.size):
                    work[to[j]] -= f * u[j] + g * v[j]
            p += 2
        else:
            if f != 0.0:
                u = val[a + 1 : ptr[k + 1]]
                to = col[a + 1 : ptr[k + 1]]
                for j in range(to.size):
                    work[to[j]] -= f * u[j]
            p += 1


@kernel
def lu_solve(sym: Symbolic, val: Array, b: Array, work: Array) -> None:
    """Overwrite ``b`` (n,), in the original numbering, with the solution; ``work`` (n,) is scratch."""
    n = sym.perm.size
    for i in range(n):
        work[i] = b[sym.perm[i]] - _product(sym.col, val, work, sym.ptr[i], sym.diag[i])
    for i in range(n - 1, -1, -1):
        d = sym.diag[i]
        work[i] = (work[i] - _product(sym.col, val, work, d + 1, sym.ptr[i + 1])) * val[d]
        b[sym.perm[i]] = work[i]


@inner
def _product(col: IndexArray, val: Array, x: Array, first: int, end: int) -> float:
    """Return the sum of val x[col] over the entries first .. end - 1, in two running sums."""
    s = t = 0.0
    last = end - 1
    j = first
    while j < last:
        s += val[j] * x[col[j]]
        t += val[j + 1] * x[col[j + 1]]
        j += 2
    if j == last:
        s += val[j] * x[col[j]]
    return s + t


@inner
def lu_solve_rows(sym: Symbolic, val: Array, b: Array, work: Array, rows: IntArray) -> None:
    """Solve for some rows only (rising, in the order of elimination), which no entry joins to the others."""
    for k in range(rows.size):
        i = rows[k]
        work[i] = b[sym.perm[i]] - _product(sym.col, val, work, sym.ptr[i], sym.diag[i])
    for k in range(rows.size - 1, -1, -1):
        i = rows[k]
        d = sym.diag[i]
        work[i] = (work[i] - _product(sym.col, val, work, d + 1, sym.ptr[i + 1])) * val[d]
        b[sym.perm[i]] = work[i]
