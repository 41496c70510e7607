"""Symmetric banded matrices: product, quadratic form, L D L^T factorization and solve.

Bands are stored below the diagonal: ``A[d, i]`` is the entry (i + d, i), d = 0 .. p; entries past the end are 0.
A bar's matrices are tridiagonal (p = 1). Their solve is a chain of dependent operations whose latency is the whole
cost, so the factorization is *twisted*: elimination runs from both ends at once and meets in the middle, which
gives the processor two independent chains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.jit import allocating, inner, kernel
from flexmb.state import Array


class Ldl(NamedTuple):
    """Factorization of a symmetric positive definite band matrix of half-bandwidth p.

    ``L`` is (n, p + 1), row i holding the multipliers of column i (entry 0 unused), ``dinv`` (n,) the inverse pivots.
    For p <= 1 the multipliers are those of the twisted elimination that meets at row ``n // 2``.
    """

    L: Array
    dinv: Array


@kernel
def band_matvec(A: Array, x: Array, y: Array) -> None:
    """Write ``A x`` into ``y``."""
    p = A.shape[0] - 1
    n = x.size
    if p == 1 and n > 1:
        d = A[0]
        o = A[1]
        y[0] = d[0] * x[0] + o[0] * x[1]
        for i in range(1, n - 1):
            y[i] = o[i - 1] * x[i - 1] + d[i] * x[i] + o[i] * x[i + 1]
        y[n - 1] = o[n - 2] * x[n - 2] + d[n - 1] * x[n - 1]
        return
    for i in range(n):
        y[i] = A[0, i] * x[i]
    for d in range(1, min(p, n - 1) + 1):
        for i in range(n - d):
            y[i + d] += A[d, i] * x[i]
            y[i] += A[d, i] * x[i + d]


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


@kernel
def band_quad(A: Array, x: Array, work: Array) -> float:
    """Return ``x^T A x``; ``work`` (n,) is overwritten with ``A x``."""
    band_matvec(A, x, work)
    return dot(x, work)


@allocating
def ldl_factor(A: Array) -> tuple[Ldl, int]:
    """Factor ``A``; return the factorization and the first row with a pivot <= 0, or -1."""
    p = A.shape[0] - 1
    n = A.shape[1]
    L = np.zeros((n, p + 1))
    d = A[0].copy()
    bad = -1
    if p <= 1:
        m = n // 2
        for i in range(m):
            if p == 1:
                L[i, 1] = A[1, i] / d[i]
                d[i + 1] -= L[i, 1] * A[1, i]
        for i in range(n - 1, m, -1):
            if p == 1:
                L[i, 1] = A[1, i - 1] / d[i]
                d[i - 1] -= L[i, 1] * A[1, i - 1]
    else:
        B = A.T.copy()
        for i in range(n):
            d[i] = B[i, 0]
            q = min(p, n - 1 - i)
            for k in range(1, q + 1):
                L[i, k] = B[i, k] / d[i]
            for k in range(1, q + 1):
                for j in range(k, q + 1):
                    B[i + k, j - k] -= L[i, k] * B[i, j]
    for i in range(n - 1, -1, -1):
        if not d[i] > 0.0:
            bad = i
    return Ldl(L, 1.0 / d), bad


@kernel
def ldl_solve(F: Ldl, x: Array) -> None:
    """Overwrite ``x`` with the solution of ``A y = x``."""
    n = x.size
    L = F.L
    dinv = F.dinv
    p = L.shape[1] - 1
    if p == 0:
        for i in range(n):
            x[i] *= dinv[i]
    elif p == 1:
        _solve_twisted(L, dinv, x)
    else:
        for i in range(n - p):
            xi = x[i]
            for k in range(1, p + 1):
                x[i + k] -= L[i, k] * xi
        for i in range(max(0, n - p), n):
            for k in range(1, n - i):
                x[i + k] -= L[i, k] * x[i]
        for i in range(n - 1, max(0, n - p) - 1, -1):
            s = x[i] * dinv[i]
            for k in range(1, n - i):
                s -= L[i, k] * x[i + k]
            x[i] = s
        for i in range(n - p - 1, -1, -1):
            s = x[i] * dinv[i]
            for k in range(p, 0, -1):
                s -= L[i, k] * x[i + k]
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
            top = x[k + 1] - L[k, 1] * top
            x[k + 1] = top
        if k + 1 < r:
            bot = x[n - 2 - k] - L[n - 1 - k, 1] * bot
            x[n - 2 - k] = bot
    if m > r:
        x[m] = x[m] - L[m - 1, 1] * x[m - 1]
    if r > 0:
        x[m] = x[m] - L[m + 1, 1] * x[m + 1]
    mid = x[m] * dinv[m]
    x[m] = mid
    top = mid
    bot = mid
    for k in range(r):
        i = m - 1 - k
        if i >= 0:
            top = x[i] * dinv[i] - L[i, 1] * top
            x[i] = top
        j = m + 1 + k
        bot = x[j] * dinv[j] - L[j, 1] * bot
        x[j] = bot
    if m > r:
        x[0] = x[0] * dinv[0] - L[0, 1] * x[1]
