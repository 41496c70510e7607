"""Banded matrices: product, quadratic form, factorization without pivoting, and solve.

Bands are stored below the diagonal: ``A[d, i]`` is the entry (i + d, i), d = 0 .. p; entries past the end are 0. The
matrices are symmetric, or skew, or the sum of both; the upper bands of a sum, ``B[d, i]`` for (i, i + d), are apart.
A bar's matrices are tridiagonal (p = 1). Their solve is a chain of dependent operations whose latency is the whole
cost, so the factorization is *twisted*: elimination runs from both ends at once and meets in the middle, which
gives the processor two independent chains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner, kernel
from flexmb.state import Array, Array2


class Ldu(NamedTuple):
    """Factorization L D U of a band matrix of half-bandwidth p, for rows in turn.

    ``L`` (n, p) multiplies the p unknowns before i, oldest first, in the forward sweep; ``U`` (n, p) the p unknowns
    after i, nearest first, in the backward one; ``dinv`` (n,) are the inverse pivots. For p <= 1 the multipliers are
    those of the twisted elimination that meets at row ``n // 2``, and U is not used.
    """

    L: Array2
    U: Array2
    dinv: Array


@kernel
def band_matvec(A: Array, x: Array, y: Array) -> None:
    """Write ``A x`` into ``y`` for symmetric A."""
    band_product(A, A, x, y)


@kernel
def band_product(A: Array, B: Array, x: Array, y: Array) -> None:
    """Write into ``y`` the product of ``x`` with the matrix whose lower bands are A and upper bands B."""
    p = A.shape[0] - 1
    n = x.size
    if p == 1 and n > 1:
        d = A[0]
        o = A[1]
        u = B[1]
        y[0] = d[0] * x[0] + u[0] * x[1]
        for i in range(1, n - 1):
            y[i] = o[i - 1] * x[i - 1] + d[i] * x[i] + u[i] * x[i + 1]
        y[n - 1] = o[n - 2] * x[n - 2] + d[n - 1] * x[n - 1]
        return
    for i in range(n):
        y[i] = A[0, i] * x[i]
    for d in range(1, min(p, n - 1) + 1):
        # two loops: one alone would not become vector instructions
        o = A[d]
        u = B[d]
        for i in range(n - d):
            y[i + d] += o[i] * x[i]
        for i in range(n - d):
            y[i] += u[i] * x[i + d]


@kernel
def skew_add(A: Array, x: Array, y: Array) -> None:
    """Add ``A x`` to ``y`` for skew A."""
    n = x.size
    for d in range(1, min(A.shape[0], n)):
        o = A[d]
        for i in range(n - d):
            y[i + d] += o[i] * x[i]
        for i in range(n - d):
            y[i] -= o[i] * x[i + d]


@kernel
def band_flux(A: Array, x: Array, y: Array) -> None:
    """Write ``A x`` into ``y`` for a matrix whose rows sum to zero, from differences of x alone.

    y_i = sum_j A_ij (x_j - x_i): exact for a bar that has flown far, where the plain product cancels.
    """
    p = A.shape[0] - 1
    n = x.size
    if p == 1 and n > 1:
        o = A[1]
        y[0] = o[0] * (x[1] - x[0])
        for i in range(1, n - 1):
            y[i] = o[i] * (x[i + 1] - x[i]) - o[i - 1] * (x[i] - x[i - 1])
        y[n - 1] = -o[n - 2] * (x[n - 1] - x[n - 2])
        return
    for i in range(n):
        y[i] = 0.0
    for d in range(1, min(p, n - 1) + 1):
        for i in range(n - d):
            t = A[d, i] * (x[i + d] - x[i])
            y[i] += t
            y[i + d] -= t


@kernel
def band_flux_quad(A: Array, x: Array, work: Array) -> float:
    """Return ``x^T A x`` for a matrix whose rows sum to zero: - sum over pairs of A_ij (x_j - x_i)^2."""
    p = A.shape[0] - 1
    n = x.size
    total = 0.0
    for d in range(1, min(p, n - 1) + 1):
        for i in range(n - d):
            s = x[i + d] - x[i]
            work[i] = A[d, i] * s * s
        for i in range(n - d, n):
            work[i] = 0.0
        total -= sum4(work)
    return total


@kernel
def sum4(x: Array) -> float:
    """Return the sum of ``x`` with four running sums."""
    n = x.size
    s0 = s1 = s2 = s3 = 0.0
    m = n - n % 4
    for i in range(0, m, 4):
        s0 += x[i]
        s1 += x[i + 1]
        s2 += x[i + 2]
        s3 += x[i + 3]
    for i in range(m, n):
        s0 += x[i]
    return (s0 + s1) + (s2 + s3)


@kernel
def dot(x: Array, y: Array) -> float:
    """Return ``x . y`` with four running sums (fixed order, so the same bits every time)."""
    n = x.size
    s0 = s1 = s2 = s3 = 0.0
    m = n - n % 4
    for i in range(0, m, 4):
        s0 += x[i] * y[i]
        s1 += x[i + 1] * y[i + 1]
        s2 += x[i + 2] * y[i + 2]
        s3 += x[i + 3] * y[i + 3]
    for i in range(m, n):
        s0 += x[i] * y[i]
    return (s0 + s1) + (s2 + s3)


@allocating
def ldl_factor(A: Array) -> tuple[Ldu, int]:
    """Factor symmetric ``A``; return the factorization and the first row with a pivot <= 0, or -1."""
    p = A.shape[0] - 1
    n = A.shape[1]
    L = np.zeros((n, p))
    U = np.zeros((n, p))
    d = A[0].copy()
    if p <= 1:
        m = n // 2
        for i in range(m):
            if p == 1:
                L[i, 0] = A[1, i] / d[i]
                d[i + 1] -= L[i, 0] * A[1, i]
        for i in range(n - 1, m, -1):
            if p == 1:
                L[i, 0] = A[1, i - 1] / d[i]
                d[i - 1] -= L[i, 0] * A[1, i - 1]
    else:
        B = A.T.copy()
        for i in range(n):
            d[i] = B[i, 0]
            q = min(p, n - 1 - i)
            for k in range(1, q + 1):
                U[i, k - 1] = B[i, k] / d[i]
                L[i + k, p - k] = U[i, k - 1]
            for k in range(1, q + 1):
                for j in range(k, q + 1):
                    B[i + k, j - k] -= U[i, k - 1] * B[i, j]
    return Ldu(L, U, 1.0 / d), _bad_pivot(d)


@allocating
def ldu_factor(A: Array, B: Array) -> tuple[Ldu, int]:
    """Factor A + B, A symmetric and B skew; return the factorization and the first row with a pivot <= 0, or -1.

    No rows are exchanged. With A positive definite every pivot is positive, whatever B is, and the multipliers stay
    bounded by the sizes of A and of B A^-1 B (Golub and Van Loan, Matrix Computations, section 4.4).
    """
    n = A.shape[1]
    p = max(A.shape[0], B.shape[0], 3) - 1  # p <= 1 would be taken for a twisted factorization
    low = np.zeros((n, p + 1))
    up = np.zeros((n, p + 1))
    for k in range(A.shape[0]):
        low[:, k] += A[k]
        up[:, k] += A[k]
    for k in range(1, B.shape[0]):
        low[:, k] += B[k]
        up[:, k] -= B[k]
    L = np.zeros((n, p))
    U = np.zeros((n, p))
    d = np.zeros(n)
    for i in range(n):
        d[i] = up[i, 0]
        q = min(p, n - 1 - i)
        for k in range(1, q + 1):
            U[i, k - 1] = up[i, k] / d[i]
            low[i, k] /= d[i]
            L[i + k, p - k] = low[i, k]
        for k in range(1, q + 1):
            for j in range(k, q + 1):
                up[i + k, j - k] -= low[i, k] * up[i, j]
            for j in range(1, k):
                low[i + j, k - j] -= low[i, k] * up[i, j]
    return Ldu(L, U, 1.0 / d), _bad_pivot(d)


@kernel
def _bad_pivot(d: Array) -> int:
    """Return the first row with a pivot <= 0, or -1."""
    for i in range(d.size):
        if not d[i] > 0.0:
            return i
    return -1


@kernel
def ldu_solve(F: Ldu, x: Array) -> None:
    """Overwrite ``x`` with the solution of ``A y = x``."""
    n = x.size
    dinv = F.dinv
    p = F.L.shape[1]
    if p == 0:
        for i in range(n):
            x[i] *= dinv[i]
    elif p == 1:
        _solve_twisted(F.L, dinv, x)
    else:
        # slices, because their loops run twice as fast as those with computed indices
        for i in range(1, n):
            q = min(p, i)
            row = F.L[i, p - q :]
            before = x[i - q : i]
            s = x[i]
            for k in range(q):
                s -= row[k] * before[k]
            x[i] = s
        for i in range(n - 1, max(0, n - p) - 1, -1):
            s = x[i] * dinv[i]
            for k in range(1, n - i):
                s -= F.U[i, k - 1] * x[i + k]
            x[i] = s
        for i in range(n - p - 1, -1, -1):
            row = F.U[i]
            after = x[i + 1 : i + 1 + p]
            s = x[i] * dinv[i]
            for k in range(p - 1, -1, -1):
                s -= row[k] * after[k]
            x[i] = s


@inner
def _solve_twisted(L: Array, dinv: Array, x: Array) -> None:
    n = x.size
    m = n // 2
    # top chain 0 .. m, bottom chain n-1 .. m; the top one has m links, the bottom one n-1-m (equal or one less)
    r = n - 1 - m
    top = x[0]
    bot = x[n - 1]
    for k in range(r):
        if k < m:
            top = x[k + 1] - L[k, 0] * top
            x[k + 1] = top
        if k + 1 < r:
            bot = x[n - 2 - k] - L[n - 1 - k, 0] * bot
            x[n - 2 - k] = bot
    if m > r:
        x[m] = x[m] - L[m - 1, 0] * x[m - 1]
    if r > 0:
        x[m] = x[m] - L[m + 1, 0] * x[m + 1]
    mid = x[m] * dinv[m]
    x[m] = mid
    top = mid
    bot = mid
    for k in range(r):
        i = m - 1 - k
        if i >= 0:
            top = x[i] * dinv[i] - L[i, 0] * top
            x[i] = top
        j = m + 1 + k
        bot = x[j] * dinv[j] - L[j, 0] * bot
        x[j] = bot
    if m > r:
        x[0] = x[0] * dinv[0] - L[0, 0] * x[1]
