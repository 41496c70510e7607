"""Index sets of many contacts: ``w = W z + b, 0 <= w perp z >= 0`` with a sparse W, on one level or on two at once.

The problem has one row per contact (impulses), or two, that of the position first (nu / h and Lam, GGL). W is kept in
the pattern of its own factors (``linalg.bordered.analyze``): a set of pressed rows is factored by leaving all others
out, so that one analysis serves every set and rows outside it cost nothing. On two levels the velocity of a contact
counts where it closes without impulses or where its position is pressed.

The method is that of ``lcp_newton``: all rows that are wrong change sides, from the set the caller begins with. An
impact would so go from contact to contact, one in each set; a few sweeps of Gauss and Seidel, up and down the rows,
take it through a whole column, and what they leave pressed is the next set. When a set comes back, one row at a time
changes, the first that is wrong (Murty's rule).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.state import Array, IntArray

EPS = 2.220446049250313e-16

SWEEPS = 3
"""Of Gauss and Seidel, up and down, for a guess."""

GUESS = 6
"""Index sets after which a guess is made, and again after twice and four times as many."""

OUT, IN, REDUNDANT = 0, 1, 2
"""Where a row stands: outside the set, in it, or in it with a pivot that has cancelled: the others settle it."""


class SparseProblem(NamedTuple):
    """W and b of a problem with m = levels * nc rows; row ``levels * c + k`` is level k of contact c."""

    levels: int
    order: Symbolic  # pattern of the factors of W
    near_ptr: IntArray  # (nc + 1,)
    near: IntArray  # contacts that one responds to, itself included
    pos: IntArray  # (near.size * levels^2,) places of the entries (row of c, column of near)
    W: Array  # values in the pattern; zero where there is fill
    factors: Array  # (the same)
    b: Array  # (m,)
    z: Array  # (m,)
    w: Array  # (m,) W z + b
    size: Array  # (m,) sum of the magnitudes of its terms
    work: Array  # (m,)
    state: IntArray  # (m,)
    may: IntArray  # (m,) whether a row takes part


@inner
def multiply(s: SparseProblem) -> None:
    """Write w = W z + b and the sizes of its terms, of the rows that take part."""
    n, k = s.levels, s.levels * s.levels
    for c in range(s.near_ptr.size - 1):
        for a in range(n):
            r = n * c + a
            if s.may[r] == 0:
                continue
            w, size = s.b[r], abs(s.b[r])
            for p in range(s.near_ptr[c], s.near_ptr[c + 1]):
                for d in range(n):
                    z = s.z[n * s.near[p] + d]
                    if z != 0.0:
                        t = s.W[s.pos[k * p + n * a + d]] * z
                        w += t
                        size += abs(t)
            s.w[r], s.size[r] = w, size


@inner
def guess(s: SparseProblem, free: Array) -> None:
    """Form the set from the contacts pressed after projected Gauss-Seidel sweeps from z >= 0."""
    n, k, m = s.levels, s.levels * s.levels, s.z.size
    for r in range(m):
        s.z[r] = max(s.z[r], 0.0) if s.may[r] == 1 else 0.0
    for sweep in range(2 * SWEEPS):
        for i in range(m):
            r = i if sweep % 2 == 0 else m - 1 - i
            own = s.W[s.order.diag[s.order.inverse[r]]]
            if s.may[r] == 0 or not own > 0.0:
                continue
            if not _counts(s, free, r):
                s.z[r] = 0.0
                continue
            c, a, w = r // n, r % n, s.b[r]
            for p in range(s.near_ptr[c], s.near_ptr[c + 1]):
                for d in range(n):
                    z = s.z[n * s.near[p] + d]
                    if z != 0.0:  # entries of rows that take no part may be anything
                        w += s.W[s.pos[k * p + n * a + d]] * z
            s.z[r] = max(0.0, s.z[r] - w / own)
    for r in range(m):
        s.state[r] = IN if s.z[r] > 0.0 else OUT


@inner
def _factor(s: SparseProblem) -> None:
    """Factor W of the set; rows whose pivots cancel become redundant."""
    order, fac, work, state = s.order, s.factors, s.work, s.state
    perm, ptr, col, diag, mirror = order.perm, order.ptr, order.col, order.diag, order.mirror
    tol = 64.0 * EPS * np.sqrt(s.b.size)
    for i in range(perm.size):
        row = perm[i]
        if state[row] == OUT:
            continue
        state[row] = IN
        for p in range(ptr[i], ptr[i + 1]):
            work[col[p]] = s.W[p] if state[perm[col[p]]] != OUT else 0.0
        moved = 0.0
        for p in range(ptr[i], diag[i]):
            k = col[p]
            f = work[k] * fac[diag[k]] if state[perm[k]] == IN else 0.0
            fac[p] = f
            if f != 0.0:
                moved += abs(f * fac[mirror[p]])
                for q in range(diag[k] + 1, ptr[k + 1]):
                    work[col[q]] -= f * fac[q]
        pivot = work[i]
        if not pivot > tol * max(abs(s.W[diag[i]]), moved):
            state[row] = REDUNDANT
            continue
        fac[diag[i]] = 1.0 / pivot
        for p in range(diag[i] + 1, ptr[i + 1]):
            fac[p] = work[col[p]]


@inner
def _substitute(s: SparseProblem) -> None:
    """Add to z the solution of the factors for the residual -w of the rows of the set."""
    order, fac, x, state = s.order, s.factors, s.work, s.state
    perm, ptr, col, diag = order.perm, order.ptr, order.col, order.diag
    for i in range(perm.size):
        if state[perm[i]] != IN:
            continue
        total = -s.w[perm[i]]
        for p in range(ptr[i], diag[i]):
            if fac[p] != 0.0 and state[perm[col[p]]] == IN:
                total -= fac[p] * x[col[p]]
        x[i] = total
    for i in range(perm.size - 1, -1, -1):
        if state[perm[i]] != IN:
            continue
        total = x[i]
        for p in range(diag[i] + 1, ptr[i + 1]):
            if state[perm[col[p]]] == IN:
                total -= fac[p] * x[col[p]]
        x[i] = total * fac[diag[i]]
        s.z[perm[i]] += x[i]


@inner
def _solve_set(s: SparseProblem) -> None:
    """Solve the equations of the set, refined once; z = 0 elsewhere, and w."""
    for r in range(s.z.size):
        s.z[r] = 0.0
    _factor(s)
    for _ in range(2):
        multiply(s)
        _substitute(s)
    multiply(s)


@inner
def _counts(s: SparseProblem, free: Array, r: int) -> bool:
    """Return whether a row is active: on two levels, a velocity only of contacts that close or are pressed."""
    if s.levels == 1 or r % 2 == 0:
        return bool(s.may[r] == 1)
    return bool(s.may[r] == 1 and (free[r // 2] <= 0.0 or s.z[r - 1] > 0.0))


@inner
def _next_set(s: SparseProblem, free: Array, single: bool) -> tuple[int, bool]:
    """Let rows that pull leave the set and violated ones enter it; return how many, and whether one cannot help itself.

    A row changes sides only when it is wrong by more than its own round-off. ``single``: only the first one changes.
    """
    changed, blocked, tol = 0, False, (8.0 + np.sqrt(s.z.size)) * EPS
    for r in range(s.z.size):
        if s.may[r] == 0:
            continue
        own, counts = s.W[s.order.diag[s.order.inverse[r]]], _counts(s, free, r)
        if s.state[r] != OUT and (not counts or own * s.z[r] < -tol * s.size[r]):
            s.state[r] = OUT
            changed += 1
        elif counts and s.z[r] == 0.0 and not s.w[r] >= -tol * s.size[r]:
            if s.state[r] != OUT or not own > 0.0:
                blocked = True
            else:
                s.state[r] = IN
                changed += 1
        if single and changed > 0:
            break
    return changed, blocked


@inner
def _fingerprint(state: IntArray) -> int:
    """Return a number that differs between sets."""
    h = 1
    for r in range(state.size):
        h = (48271 * h + (1 if state[r] != OUT else 0) + 7) % 2147483647
    return h


@inner
def worst_row(s: SparseProblem, free: Array) -> tuple[int, float]:
    """Return the row that violates the complementarity most, and the residual as ``lcp_residual`` defines it.

    The impulse of a row that does not count must be zero.
    """
    row, worst, given, answered = -1, -1.0, 0.0, 0.0
    for r in range(s.z.size):
        counts = _counts(s, free, r)
        if s.may[r] == 0 or not (s.z[r] > 0.0 or (counts and (s.b[r] <= 0.0 or s.w[r] < 0.0))):
            continue
        if not (np.isfinite(s.w[r]) and np.isfinite(s.z[r])):
            return r, np.inf
        own = s.W[s.order.diag[s.order.inverse[r]]]
        rho = own if own > 0.0 else 1.0
        wrong = abs(min(rho * s.z[r], s.w[r])) if counts else rho * s.z[r]
        if wrong > worst:
            row, worst = r, wrong
        given, answered = max(given, abs(s.b[r])), max(answered, rho * abs(s.z[r]))
    scale = given + 1e-5 * answered
    return row, worst / scale if scale > 0.0 and row >= 0 else 0.0


@allocating
def solve_sets(s: SparseProblem, free: Array, most: int) -> tuple[int, int, float]:
    """Solve the problem from the set in ``state``; return the index sets used, the worst row and the residual.

    Parameters
    ----------
    s : SparseProblem
        ``W``, ``b``, ``may`` and ``state`` given; ``z`` (not negative) and ``w`` are the answer.
    free : (nc,) array
        Gaps without impulses (two levels).
    most : int
        Index sets at most before single changes; as many again with these.
    """
    seen, used, single = np.zeros(most, dtype=np.int64), 0, False
    while used < 2 * most:
        if not single:
            seen[used] = _fingerprint(s.state)
        used += 1
        _solve_set(s)
        changed, _ = _next_set(s, free, single)
        if changed == 0:
            break
        if not single:
            if used in (GUESS, 2 * GUESS, 4 * GUESS):
                guess(s, free)
            h = _fingerprint(s.state)
            single = used >= most
            for k in range(used):
                single = single or seen[k] == h
    for r in range(s.z.size):
        s.z[r] = max(s.z[r], 0.0)
    multiply(s)
    row, residual = worst_row(s, free)
    return used, row, residual
