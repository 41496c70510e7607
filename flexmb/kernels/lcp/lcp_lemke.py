"""Lemke's complementary pivoting with the lexicographic rule, on a condensed tableau.

    w = W z + b + 1 z0,  variables 0..n-1 = w, n..2n-1 = z, 2n = z0

Row i of the tableau expresses a basic variable by the non-basic ones: ``x_B = T[:, :n+1] x_N + T[:, n+1]``. For
positive semidefinite W (symmetric or not) the method ends at a solution, or on a ray that proves there is none
(Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, section 4.4).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_newton import iterate_sets
from flexmb.kernels.lcp.lcp_residual import lcp_residual
from flexmb.state import Array, IntArray

PIVOT = 1e-11
"""Entries below this times the largest of the column are round-off of zero (the tableau starts with unit diagonal)."""
TIE = 1e-12
"""Ratios this close count as equal (the right-hand side starts with largest entry 1)."""
POLISH = 10
"""Active-set steps from where the pivots ended; one is enough unless contacts are nearly redundant."""


@allocating
def most_pivots(n: int) -> int:
    """Return how many pivots are tried for n contacts.

    Usually n or 2 n are enough; the worst cases known take 2^n, which is affordable for a few contacts.
    """
    return max(2 ** min(n + 1, 13), 100 + 20 * n)


@allocating
def _exchange(T: Array, r: int, s: int) -> None:
    """Swap the basic variable of row r with the non-basic one of column s (a Jordan exchange)."""
    n, m = T.shape
    p = T[r, s]
    for j in range(m):
        T[r, j] = -T[r, j] / p
    T[r, s] = 1.0 / p
    for i in range(n):
        f = T[i, s]
        if i != r and f != 0.0:
            for j in range(m):
                T[i, j] += f * T[r, j]
            T[i, s] = f / p


@allocating
def _lex_entry(T: Array, place: IntArray, i: int, k: int) -> float:
    """Return how row i moves when ``b_k`` is perturbed: entry (i, k) of the inverse basis."""
    if place[k] >= 0:
        return 1.0 if place[k] == i else 0.0
    return -float(T[i, -1 - place[k]])


@allocating
def _leaving_row(T: Array, place: IntArray, s: int) -> int:
    """Return the row that blocks the growth of column s first, ties broken lexicographically; -1 for a ray."""
    n = T.shape[0]
    rhs = n + 1
    steepest = 0.0
    for i in range(n):
        steepest = max(steepest, abs(T[i, s]))
    tol = PIVOT * steepest
    best = np.inf
    for i in range(n):
        if T[i, s] < -tol:
            best = min(best, max(T[i, rhs], 0.0) / -T[i, s])
    row = -1
    for i in range(n):
        if not (T[i, s] < -tol and max(T[i, rhs], 0.0) / -T[i, s] <= best + TIE * (1.0 + best)):
            continue
        if place[2 * n] == i:
            return i
        if row < 0:
            row = i
            continue
        for k in range(n):
            d = _lex_entry(T, place, i, k) / T[i, s] - _lex_entry(T, place, row, k) / T[row, s]
            if abs(d) > TIE:
                if d > 0.0:  # divided by the negative pivots: larger means the smaller ratio
                    row = i
                break
    return row


@allocating
def _pivot_to_end(T: Array, place: IntArray, max_iter: int) -> tuple[int, bool]:
    """Run the complementary pivots from the starting tableau; ok when z0 has left the basis."""
    n = T.shape[0]
    basis, column = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    r, s = 0, n
    column[n] = 2 * n
    for i in range(n):
        basis[i], column[i] = i, n + i
        if T[i, n + 1] <= T[r, n + 1]:  # the last of equals is the lexicographically smallest
            r = i
    iterations = 0
    while iterations < max_iter:
        _exchange(T, r, s)
        iterations += 1
        out, entered = basis[r], column[s]
        basis[r], column[s] = entered, out
        place[entered], place[out] = r, -1 - s
        if out == 2 * n:
            return iterations, True
        twin = out + n if out < n else out - n
        s = -1 - place[twin]
        r = _leaving_row(T, place, s)
        if r < 0:
            return iterations, False
    return iterations, False


@allocating
def _start(W: Array, b: Array, scale: Array, top: float) -> tuple[Array, IntArray]:
    """Return the scaled tableau with w basic, and where each variable stands (row, or -1 - column)."""
    n = b.size
    T = np.empty((n, n + 2))
    place = np.empty(2 * n + 1, np.int64)
    for i in range(n):
        for j in range(n):
            T[i, j] = W[i, j] * scale[i] * scale[j]
        T[i, n] = 1.0
        T[i, n + 1] = b[i] * scale[i] / top
        place[i] = i
        place[n + i] = -1 - i
    place[2 * n] = -1 - n
    return T, place


@allocating
def solve_lemke(W: Array, b: Array, z: Array, max_iter: int) -> tuple[int, bool]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` by Lemke's method.

    Rows and columns are scaled to a unit diagonal; the final index set is solved once more from W itself, and
    corrected if need be, so that the round-off of the pivots does not stay in the answer.

    Parameters
    ----------
    W : (n, n) array
    b : (n,) array
    z : (n,) array
        Out: the solution (no warm start); after a ray, the solution of the equations of the last set, z >= 0.
    max_iter : int
        Most pivots.

    Returns
    -------
    iterations : int
        Pivots.
    ok : bool
        False when the method ended on a ray (no solution, for semidefinite W) or ran out of pivots.
    """
    n = b.size
    scale = np.empty(n)
    top, trivial = 0.0, True
    for i in range(n):
        z[i] = 0.0
        scale[i] = 1.0 / np.sqrt(W[i, i]) if W[i, i] > 0.0 else 1.0
        top = max(top, abs(b[i]) * scale[i])
        trivial = trivial and b[i] >= 0.0
    if trivial:
        return 0, True
    T, place = _start(W, b, scale, top)
    iterations, ok = _pivot_to_end(T, place, max_iter)
    pivoted = np.empty(n)
    for i in range(n):
        row = place[n + i]
        pivoted[i] = max(T[row, n + 1], 0.0) * scale[i] * top if row >= 0 else 0.0
        z[i] = pivoted[i]
    iterate_sets(W, b, z, POLISH, POLISH)
    if lcp_residual(W, b, pivoted) < lcp_residual(W, b, z):
        for i in range(n):
            z[i] = pivoted[i]
    return iterations, ok
