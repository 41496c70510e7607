"""Responses of the contacts' rows to impulses, from solves with the step's matrix and without the matrix over contacts.

Two forms of the equations A x = H z, of impulses in the momentum equation itself and of jumps beside it:

    ONE   S x = G z                             S = M + c_C (C + Y) + c_K (K + N)
    TWO   M x_q + h^2 beta r f = G nu           x_q and x_v: what the impulses change in q and v,
          M x_v + h gamma r f = G Lam           f = (K + N) x_q + (C + Y) x_v

TWO is that of filtered accelerations with a_{n+1} eliminated: no difference of nearly equal numbers is left, as in
dq + h^2 beta da. Its unknowns are x_q / h and x_v, side by side, and nu / h and Lam, which have the same units.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.algebra.envelope import solve_envelope
from flexmb.kernels.algebra.sparse_rows import SparseRows, sparse_product
from flexmb.kernels.compilation.jit import inner
from flexmb.state import Array, Array2, IntArray

ONE, TWO = 0, 1
K_FORM, K_REFINE, K_RESISTS = 0, 1, 2
"""Places in ``Response.kind``: ONE or TWO, how often solutions are corrected, whether C + Y has entries."""
N_C, N_K, N_Q, N_V, N_H = 0, 1, 2, 3, 4
"""Places in ``Response.number``: c_C, c_K, h beta r, h gamma r, h."""


class Response(NamedTuple):
    """The matrices of a step, unknowns in band order, and A factored (``kernels.algebra.envelope``).

    K is given by deformation modes (``linalg.strain``; an index of n stands for no unknown), or where there are none
    by the rows ``K``. ``resist`` are the rows of C + Y, ``cross`` those of N.
    ``work`` is (4, n + 1); ``x``, ``given`` and ``rest`` are as long as the unknowns of A.
    """

    kind: IntArray
    number: Array
    first: IntArray
    start: IntArray
    lower: Array
    upper: Array
    dinv: Array
    M: SparseRows
    K: SparseRows
    resist: SparseRows
    cross: SparseRows
    mode_ptr: IntArray
    mode_i: IntArray
    mode_j: IntArray
    mode_c: Array
    mode_D: Array
    work: Array2
    x: Array
    given: Array
    rest: Array


@inner
def _restoring(R: Response, x: Array, y: Array) -> None:
    """Write (K + N) x into ``y`` (n,); ``x`` is (n + 1,) with a zero at its end."""
    n = y.size
    if R.mode_D.size == 0:
        sparse_product(R.K, x[:n], y, 0.0)
    else:
        for i in range(n):
            y[i] = 0.0
        for m in range(R.mode_D.size):
            s = 0.0
            for k in range(R.mode_ptr[m], R.mode_ptr[m + 1]):
                s += R.mode_c[k] * (x[R.mode_i[k]] - x[R.mode_j[k]])
            s *= R.mode_D[m]
            for k in range(R.mode_ptr[m], R.mode_ptr[m + 1]):
                if R.mode_i[k] < n:
                    y[R.mode_i[k]] += R.mode_c[k] * s
                if R.mode_j[k] < n:
                    y[R.mode_j[k]] -= R.mode_c[k] * s
    if R.cross.val.size > 0:
        sparse_product(R.cross, x[:n], y, 1.0)


@inner
def _exact_product(A: SparseRows, x: Array, y: Array) -> None:
    """Write A x into ``y``, computed in twice the digits.

    Damping that goes with K loses its digits in a plain product, as K does, but has no deformation modes.
    """
    for i in range(y.size):
        total, rest = 0.0, 0.0
        for e in range(A.ptr[i], A.ptr[i + 1]):
            a, b = A.val[e], x[A.idx[e]]
            # Dekker's product and Knuth's sum: a b = t + left, total + t = u + f, all exact
            t = a * b
            a_1 = 134217729.0 * a
            a_1 = a_1 - (a_1 - a)
            b_1 = 134217729.0 * b
            b_1 = b_1 - (b_1 - b)
            left = (a - a_1) * (b - b_1) - (((t - a_1 * b_1) - (a - a_1) * b_1) - a_1 * (b - b_1))
            u = total + t
            v = u - total
            rest += left + ((total - (u - v)) + (t - v))
            total = u
        y[i] = total + rest


@inner
def _take_off(R: Response) -> None:
    """Subtract A x from ``rest``, K being taken from the deformation modes."""
    n = R.M.ptr.size - 1
    x_q, f, t = R.work[0], R.work[2, :n], R.work[3, :n]
    if R.kind[K_FORM] == ONE:
        for i in range(n):
            x_q[i] = R.x[i]
        _restoring(R, x_q, f)
        sparse_product(R.M, x_q[:n], t, 0.0)
        for i in range(n):
            R.rest[i] -= t[i] + R.number[N_K] * f[i]
        if R.kind[K_RESISTS] > 0:
            _exact_product(R.resist, x_q[:n], t)
            for i in range(n):
                R.rest[i] -= R.number[N_C] * t[i]
        return
    x_v = R.work[1]
    for i in range(n):
        x_q[i] = R.x[2 * i]
        x_v[i] = R.x[2 * i + 1]
    _restoring(R, x_q, f)
    for i in range(n):
        f[i] *= R.number[N_H]
    if R.kind[K_RESISTS] > 0:
        _exact_product(R.resist, x_v[:n], t)
        for i in range(n):
            f[i] += t[i]
    sparse_product(R.M, x_q[:n], t, 0.0)
    for i in range(n):
        R.rest[2 * i] -= t[i] + R.number[N_Q] * f[i]
    sparse_product(R.M, x_v[:n], t, 0.0)
    for i in range(n):
        R.rest[2 * i + 1] -= t[i] + R.number[N_V] * f[i]


@inner
def add_response(B: Border, R: Response, z: Array, w: Array) -> None:
    """Add W z = G^T A^-1 H z to ``w``."""
    n = R.x.size
    for i in range(n):
        R.x[i] = 0.0
    for m in range(z.size):
        if z[m] != 0.0:
            for e in range(B.col_ptr[m], B.col_ptr[m + 1]):
                R.x[B.col_idx[e]] += z[m] * B.col_val[e]
    for i in range(n):
        R.given[i] = R.x[i]
    solve_envelope(n, R.first, R.start, R.lower, R.upper, R.dinv, R.x)
    for _ in range(R.kind[K_REFINE]):
        for i in range(n):
            R.rest[i] = R.given[i]
        _take_off(R)
        solve_envelope(n, R.first, R.start, R.lower, R.upper, R.dinv, R.rest)
        for i in range(n):
            R.x[i] += R.rest[i]
    for m in range(w.size):
        s = 0.0
        for e in range(B.row_ptr[m], B.row_ptr[m + 1]):
            s += B.row_val[e] * R.x[B.row_idx[e]]
        w[m] += s
