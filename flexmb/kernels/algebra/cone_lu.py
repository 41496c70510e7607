"""Dense LU factors with row pivots, for the linear systems of Newton's iterations."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import allocating
from flexmb.state import Array

PANEL = 16
"""Columns factored at a time; the rest of the matrix is then read once for all of them."""


@allocating
def lu_solve(A: Array, n: int, x: Array) -> bool:
    """Solve A x = x in place on the leading n rows; A is overwritten. False when a pivot is zero or not finite."""
    for low in range(0, n, PANEL):
        high = min(low + PANEL, n)
        for p in range(low, high):
            m = p
            for i in range(p + 1, n):
                if abs(A[i, p]) > abs(A[m, p]):
                    m = i
            if not abs(A[m, p]) > 0.0:
                return False
            if m != p:
                x[p], x[m] = x[m], x[p]
                for j in range(n):
                    A[p, j], A[m, j] = A[m, j], A[p, j]
            for i in range(p + 1, n):
                f = A[i, p] / A[p, p]
                A[i, p] = f
                if f != 0.0:
                    for j in range(p + 1, high):
                        A[i, j] -= f * A[p, j]
        for p in range(low, high):
            for i in range(p + 1, high):
                f = A[i, p]
                for j in range(high, n):
                    A[i, j] -= f * A[p, j]
        _update(A, low, high, n)
    for i in range(n):
        s = x[i]
        for j in range(i):
            s -= A[i, j] * x[j]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, n):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]
    return True


@allocating
def _update(A: Array, low: int, high: int, n: int) -> None:
    """Subtract the product of a factored panel from the rows and columns behind it, four columns at a time."""
    for i in range(high, n):
        p = low
        while p + 4 <= high:
            f, g, k, m = A[i, p], A[i, p + 1], A[i, p + 2], A[i, p + 3]
            for j in range(high, n):
                A[i, j] -= f * A[p, j] + g * A[p + 1, j] + k * A[p + 2, j] + m * A[p + 3, j]
            p += 4
        while p < high:
            f = A[i, p]
            for j in range(high, n):
                A[i, j] -= f * A[p, j]
            p += 1
