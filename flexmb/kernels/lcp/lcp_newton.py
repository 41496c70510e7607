"""Nonsmooth Newton on ``min(rho z, w) = 0``, which for the LCP is the primal-dual active-set method.

One Newton step: guess which contacts are closed, solve their equations, look which guesses were wrong, guess again.
It ends after a few steps on nearly every contact problem, at the exact solution; it may cycle, and then says so.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.lcp.lcp_active import EPS, Mask, solve_active
from flexmb.kernels.lcp.lcp_residual import lcp_residual
from flexmb.state import Array

ROUND_OFF = 1e-13
"""A residual that no further pivot can be expected to improve."""
SETS = 30
"""Automatic limit of the index sets that are tried."""
FEW_WRONG, SHARE, PATIENCE = 3, 0.75, 1
"""Wrong rows that are few; share of the fewest so far that the next set may leave where they are not few; and sets in
a row that leave more after which the method gives way to another that is as fast."""
FEW = 100
"""Contacts up to which Lemke's pivots take no longer than a few index sets: Newton's method gives way to them where it
makes no progress, and has its full limit only where they fail."""


@allocating
def _solve_one(W: Array, b: Array, z: Array) -> tuple[int, bool]:
    z[0] = 0.0
    if b[0] >= 0.0:
        return 0, True
    if not W[0, 0] > 0.0:
        return 0, False
    z[0] = -b[0] / W[0, 0]
    return 1, True


@allocating
def _solve_two(W: Array, b: Array, z: Array) -> tuple[int, bool]:
    """Try the four index sets: none, one, the other, both (Cramer's rule, refined once)."""
    z[0] = z[1] = 0.0
    if b[0] >= 0.0 and b[1] >= 0.0:
        return 0, True
    for i in range(2):
        o = 1 - i
        if b[i] < 0.0 and W[i, i] > 0.0:
            x = -b[i] / W[i, i]
            if b[o] + W[o, i] * x >= -4.0 * EPS * abs(b[o]):
                z[i] = x
                return 1, True
    det = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
    if not abs(det) > 64.0 * EPS * (abs(W[0, 0] * W[1, 1]) + abs(W[0, 1] * W[1, 0])):
        return 1, False
    x0, x1 = 0.0, 0.0
    for _ in range(2):
        r0 = -b[0] - W[0, 0] * x0 - W[0, 1] * x1
        r1 = -b[1] - W[1, 0] * x0 - W[1, 1] * x1
        x0 += (r0 * W[1, 1] - r1 * W[0, 1]) / det
        x1 += (r1 * W[0, 0] - r0 * W[1, 0]) / det
    z[0], z[1] = max(x0, 0.0), max(x1, 0.0)
    return 2, x0 >= 0.0 and x1 >= 0.0


@allocating
def _next_set(W: Array, b: Array, z: Array, active: Mask) -> tuple[int, bool]:
    """Remove contacts in tension from the set and add penetrating ones.

    A row changes sides only when it is wrong by more than its own round-off, so that degenerate contacts (z and w
    both zero) stay where they are. Returns how many rows changed sides, and whether a row is violated that cannot help
    itself: one without compliance, or a redundant one that the others do not satisfy.
    """
    n = b.size
    changed, blocked = 0, False
    for i in range(n):
        w, size = b[i], abs(b[i])
        for j in range(n):
            t = W[i, j] * z[j]
            w += t
            size += abs(t)
        tol = (8.0 + np.sqrt(n)) * EPS * size
        if active[i] and W[i, i] * z[i] < -tol:
            active[i] = False
            changed += 1
        elif not w >= -tol and z[i] == 0.0:
            if active[i] or not W[i, i] > 0.0:
                blocked = True
            else:
                active[i] = True
                changed += 1
    return changed, blocked


@allocating
def _fingerprint(active: Mask) -> int:
    """Return a number that differs between index sets (equal ones by bad luck only cost a fall-back)."""
    h = 1
    for i in range(active.size):
        h = (48271 * h + (1 if active[i] else 0) + 7) % 2147483647
    return h


@allocating
def iterate_sets(W: Array, b: Array, z: Array, max_iter: int, patience: int) -> tuple[int, bool]:
    """Solve as ``solve_newton``, for any n; the first set is the support of z, or b < 0 when z = 0.

    It stops after ``patience`` sets in a row that leave nearly as many wrong rows as one before.
    """
    n = b.size
    active = np.empty(n, np.bool_)
    trivial, warm = True, False
    for i in range(n):
        trivial = trivial and b[i] >= 0.0
        warm = warm or z[i] > 0.0
    if trivial:
        for i in range(n):
            z[i] = 0.0
        return 0, True
    for i in range(n):
        active[i] = W[i, i] > 0.0 and (z[i] > 0.0 if warm else b[i] < 0.0)
    seen = np.empty(max_iter, np.int64)
    iterations, settled, fewest, vain = 0, False, n + 1, 0
    while iterations < max_iter and vain < patience:
        seen[iterations] = _fingerprint(active)
        iterations += 1
        solve_active(W, b, active, z)
        changed, blocked = _next_set(W, b, z, active)
        if changed == 0:
            settled = not blocked
            break
        vain += 1
        if changed <= FEW_WRONG or changed <= SHARE * fewest:
            vain = 0
        fewest = min(fewest, changed)
        h = _fingerprint(active)
        cycle = False
        for k in range(iterations):
            cycle = cycle or seen[k] == h
        if cycle:
            break
    for i in range(n):
        z[i] = max(z[i], 0.0)
    return iterations, settled or lcp_residual(W, b, z) <= ROUND_OFF


@allocating
def solve_newton(W: Array, b: Array, z: Array, max_iter: int) -> tuple[int, bool]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` by the primal-dual active-set method.

    Parameters
    ----------
    W : (n, n) array
        Need not be symmetric nor regular.
    b : (n,) array
    z : (n,) array
        In: warm start, whose support is the first guess of the active set. Out: the solution, z >= 0.
    max_iter : int
        Most linear systems to solve.

    Returns
    -------
    iterations : int
        Index sets whose equations were solved.
    ok : bool
        False when the sets cycled or a violated row cannot be satisfied; z is then only the last guess.
    """
    if b.size == 1:
        return _solve_one(W, b, z)
    if b.size == 2:
        return _solve_two(W, b, z)
    return iterate_sets(W, b, z, max_iter, max_iter)


@inner
def gives_way(n: int, max_iter: int) -> bool:
    """Return whether the method yields to Lemke's method: without a given limit, for more than two contacts."""
    return max_iter == 0 and 2 < n <= FEW


@allocating
def begin_newton(W: Array, b: Array, z: Array, max_iter: int) -> tuple[int, bool]:
    """Solve as ``solve_newton``, as the first of several methods; a limit of 0 is chosen by the size."""
    if gives_way(b.size, max_iter):
        return iterate_sets(W, b, z, SETS, PATIENCE)
    return solve_newton(W, b, z, max_iter if max_iter > 0 else SETS)
