"""Sweeps over many contacts with friction, and their acceleration.

A block reads its rates from what all impulses move (``friction_responses``), is solved alone, exactly, with the others
held, and adds what it has changed: nonsmooth Gauss and Seidel. Sweeps converge slowly where forces go through many
bodies. Anderson's method makes of the last few sweeps P -> S(P) the combination that changes least,

    P+ = S(P) - sum_j g_j (S(P)_j+1 - S(P)_j),     g = argmin | f - sum_j g_j (f_j+1 - f_j) |,     f = S(P) - P,

brought back to the cones; where a sweep changes more than the one before by far, it begins anew from the best answer.
With GGL the velocity of a contact counts where it closes without impulses or is pressed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.cones.cone_project import LARGEST, project_block
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.kernels.cones.cone_single import solve_single
from flexmb.kernels.multibody_contacts.friction_responses import Rows, add_unit, all_rates, rate_of
from flexmb.state import Array, IntArray

DEPTH = 6
"""Differences of sweeps that are combined."""
SOFT = 1e-10
"""Part of the largest of these differences, squared, that is added to each: so dependent ones do no harm."""
WORSE = 4.0
"""Largest ratio of the change of a sweep to that of the sweep before."""


class Pile(NamedTuple):
    """A problem of many contacts."""

    rows: Rows
    own: Array  # (nb, 7, 7) blocks on the diagonal
    kind: IntArray
    shape: IntArray
    start: IntArray
    law: Array
    b: Array
    D: Array  # ``cone_scales``
    h: float
    ggl: bool
    unknowns: int  # of the system, joints included


@inner
def counts(p: Pile, block: int, P: Array) -> bool:
    """Tell whether a block counts: with GGL, impulses only where the contact closes or its position is pressed."""
    if not p.ggl or block % 2 == 0:
        return True
    r = p.start[block - 1]
    return bool(p.b[r] <= 0.0 or P[r] > 0.0)


@allocating
def judge_pile(p: Pile, U: Array, P: Array) -> tuple[int, float]:
    """Return the worst block and the residual, without blocks that do not count."""
    if not p.ggl:
        return cone_worst(U, p.b, P, p.D, p.shape, p.start, p.law)
    rates, free = U.copy(), p.b.copy()
    for block in range(p.start.size - 1):
        if not counts(p, block, P):
            for r in range(p.start[block], p.start[block + 1]):
                rates[r], free[r] = 0.0, 0.0
    return cone_worst(rates, free, P, p.D, p.shape, p.start, p.law)


@allocating
def _sweep(p: Pile, P: Array, moved: Array, down: bool) -> None:
    """Solve each block once with the others held; ``moved`` follows."""
    u, x, nb = np.zeros(LARGEST), np.zeros(LARGEST), p.start.size - 1
    for turn in range(nb):
        block = nb - 1 - turn if down else turn
        first, count = p.start[block], p.start[block + 1] - p.start[block]
        for k in range(count):
            i = first + k
            u[k] = p.b[i] + rate_of(p.rows, p.kind, i, p.h, moved, P[i])
            for j in range(count):
                u[k] -= p.own[block, k, j] * P[first + j]
        x[:] = 0.0
        if counts(p, block, P):
            solve_single(p.own[block], u, count, p.shape, p.law, block, x)
        for k in range(count):
            if x[k] != P[first + k]:
                add_unit(p.rows, first + k, x[k] - P[first + k], moved)
                P[first + k] = x[k]


@allocating
def sweep_plainly(p: Pile, P: Array, most: int, tol: float, look: int) -> tuple[int, int, float]:
    """Sweep up and down until the residual is small enough; return the sweeps, the worst block and the residual."""
    moved, U, used = np.zeros((2, p.unknowns)), np.zeros(P.size), 0
    all_rates(p.rows, p.kind, p.h, P, p.b, moved, U)
    worst, residual = judge_pile(p, U, P)
    while residual > tol and residual < np.inf and used < most:
        _sweep(p, P, moved, used % 2 == 1)
        used += 1
        if used % look == 0 or used == most:
            all_rates(p.rows, p.kind, p.h, P, p.b, moved, U)
            worst, residual = judge_pile(p, U, P)
    return used, worst, residual


@allocating
def _combine(A: Array, dF: Array, dX: Array, f: Array, count: int, P: Array) -> None:
    """Take from P the combination of differences dX of sweeps whose dF come nearest to f; A holds the products of dF.

    Cholesky's factors are made by hand: few numbers, and the same bits on every machine.
    """
    L, g, most = np.zeros((count, count)), np.zeros(count), 0.0
    for j in range(count):
        most = max(most, A[j, j])
    if not most > 0.0:
        return
    for j in range(count):
        for i in range(f.size):
            g[j] += dF[j, i] * f[i]
        for k in range(j + 1):
            total = A[j, k] + (SOFT * most if j == k else 0.0)
            for m in range(k):
                total -= L[j, m] * L[k, m]
            if j == k:
                L[j, j] = np.sqrt(max(total, SOFT * SOFT * most))
            else:
                L[j, k] = total / L[k, k]
        for k in range(j):
            g[j] -= L[j, k] * g[k]
        g[j] /= L[j, j]
    for j in range(count - 1, -1, -1):
        for k in range(j + 1, count):
            g[j] -= L[k, j] * g[k]
        g[j] /= L[j, j]
    for j in range(count):
        for i in range(P.size):
            P[i] -= g[j] * dX[j, i]


@allocating
def sweep_fast(p: Pile, P: Array, most: int, tol: float, change: Array) -> tuple[int, int, float]:
    """Sweep with Anderson's acceleration; P gets the best answer met.

    ``change`` (nb,) gets how much the last sweep changed each block, over ``D``. Returns as ``sweep_plainly``.
    """
    n, nb, m = P.size, p.start.size - 1, DEPTH
    moved, U, f, f_0, y, y_0 = np.zeros((2, p.unknowns)), np.zeros(n), np.zeros(n), np.zeros(n), P.copy(), np.zeros(n)
    dF, dX, A = np.zeros((m, n)), np.zeros((m, n)), np.zeros((m, m))
    all_rates(p.rows, p.kind, p.h, y, p.b, moved, U)
    worst, least = judge_pile(p, U, y)
    x, used, count, head, last, has = y.copy(), 0, 0, 0, np.inf, False
    while least > tol and least < np.inf and used < most:
        _sweep(p, y, moved, False)
        used += 1
        size = 0.0
        for i in range(n):
            f[i] = (y[i] - x[i]) / p.D[i]
            size += f[i] * f[i]
            U[i] = p.b[i] + rate_of(p.rows, p.kind, i, p.h, moved, y[i])
        block, residual = judge_pile(p, U, y)
        if residual < least:
            worst, least = block, residual
            P[:] = y
            for i in range(nb):
                change[i] = 0.0
                for r in range(p.start[i], p.start[i + 1]):
                    change[i] += f[r] * f[r]
        if least <= tol or not np.isfinite(size):
            break
        if size > WORSE * WORSE * last:
            y[:], x[:], count, head, last, has = P, P, 0, 0, np.inf, False
            all_rates(p.rows, p.kind, p.h, y, p.b, moved, U)
            continue
        last = size
        if has:
            for i in range(n):
                dF[head, i], dX[head, i] = f[i] - f_0[i], y[i] - y_0[i]
            count = min(count + 1, m)
            for j in range(count):
                A[head, j] = 0.0
                for i in range(n):
                    A[head, j] += dF[head, i] * dF[j, i]
                A[j, head] = A[head, j]
            head = (head + 1) % m
        f_0[:], y_0[:], has = f, y, True
        if count > 0:
            _combine(A, dF, dX, f, count, y)
            for i in range(nb):
                project_block(y, p.start[i], p.shape, p.law, i)
            all_rates(p.rows, p.kind, p.h, y, p.b, moved, U)
        x[:] = y
    return used, worst, least
