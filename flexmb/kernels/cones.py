"""Contact problems with friction, the entry for compiled loops.

Find P with

    U = W P + b,     K* ∋ (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P ∈ K

for blocks of any size, see ``cone_project.py``; the judge is ``cone_residual.py``.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.arrays import NEWTON as LCP_NEWTON
from flexmb.kernels.cone_newton import newton, polish
from flexmb.kernels.cone_nsgs import solve_nsgs
from flexmb.kernels.cone_project import LARGEST, block_starts
from flexmb.kernels.cone_proximal import FIRST, LUCK, SHARE, solve_proximal_newton
from flexmb.kernels.cone_pyramid import solve_pyramids
from flexmb.kernels.cone_residual import cone_scales, cone_worst
from flexmb.kernels.cone_rows import SparseRows, sparse_rows
from flexmb.kernels.cone_single import solve_single
from flexmb.kernels.cone_smooth import solve_smooth
from flexmb.kernels.cone_worth import OVER, dense_price, sweep_while_worth
from flexmb.kernels.jit import allocating
from flexmb.kernels.lcp import lcp_worst, solve_lcp
from flexmb.state import Array, IntArray

AUTO, EXACT, NSGS, PSOR, NEWTON, PROXIMAL, LEMKE = 0, 1, 2, 3, 4, 5, 6
"""The methods."""
FIRST_PROXIMAL, PYRAMIDS, SMOOTHED, POLISHED = 80, 120, 600, 200
"""Linear systems of the first attempts of the proximal method (half as many where pyramids follow); rows up to which
pyramids and the smooth function are tried, and up to which an answer is polished."""
SWEEPS, MORE_SWEEPS = 50000, (0, 0, 30, 100, 1000, 1000)
"""Automatic limits of sweeps: of a method asked for by name, and between attempts at hard problems."""
SYSTEMS, FEW_SYSTEMS, PROXIMAL_SWEEPS, PROXIMAL_SYSTEMS = 60, 10, 20, 1200
"""Automatic limits: linear systems of Newton's method alone and among others, sweeps before the proximal method,
and its linear systems."""


@allocating
def judge_cones(W: Array, b: Array, shape: IntArray, law: Array, P: Array) -> tuple[int, float]:
    """Return the block that violates its law most, and the residual (``cone_residual.cone_worst``)."""
    n = b.size
    start = block_starts(shape)
    W_ii, U = np.empty(n), np.empty(n)
    for i in range(n):
        W_ii[i] = W[i, i]
        u = b[i]
        for j in range(n):
            u += W[i, j] * P[j]
        U[i] = u
    return cone_worst(U, b, P, cone_scales(W_ii, shape, start), shape, start, law)


@allocating
def _one_block(W: Array, b: Array, shape: IntArray, law: Array, P: Array) -> tuple[int, float, int]:
    """Solve a problem of one block."""
    x = np.empty(LARGEST)
    solve_single(W, b, b.size, shape, law, 0, x)
    for k in range(b.size):
        P[k] = x[k]
    worst, residual = judge_cones(W, b, shape, law, P)
    return 1, residual, worst


@allocating
def _frictionless(
    W: Array, b: Array, shape: IntArray, law: Array, P: Array, max_iter: int, tol: float
) -> tuple[int, float, int]:
    """Solve a problem without any disc; its judge is that of complementarity problems."""
    iterations, residual = solve_lcp(W, b, P, LCP_NEWTON, max_iter, tol)
    return iterations, residual, lcp_worst(W, b, P)[0]


@allocating
def solve_cones(
    W: Array, b: Array, shape: IntArray, law: Array, P: Array, method: int, max_iter: int, tol: float
) -> tuple[int, float, int]:
    """Solve a contact problem and judge the answer.

    Where there is an answer with all contacts open, it is taken; a single contact sticks rather than slides.

    Parameters
    ----------
    W : (n, n) array
        Need not be symmetric nor regular.
    b : (n,) array
        U without impulses, restitution included: ``(e U_N, e_T U_T)`` of the step's beginning.
    shape : (nb, 3) int array
        Rows that slide (0 to 3), turn (0, 1, 2) and spin (0, 1) of each block; with its normal, which comes first,
        they are its rows, one block after the other.
    law : (nb, 3) array
        mu, roll and spin of each block.
    P : (n,) array
        In: warm start (zeros for none). Out: the answer, or the best found.
    method : int
        ``AUTO``, ``EXACT`` (one block; sweeps for more), ``NSGS``, ``PSOR``, ``NEWTON``, ``PROXIMAL`` or
        ``LEMKE`` (pyramids). All but
        ``AUTO`` are tried alone.
    max_iter : int
        Most sweeps or linear systems of the method; 0 chooses.
    tol : float
        Residual to reach.

    Returns
    -------
    iterations : int
        Sweeps and linear systems.
    residual : float
        The caller must treat more than ``tol`` as failure.
    worst : int
        The block with the largest residual; -1 for none.
    """
    n, nb = b.size, shape.shape[0]
    if n == nb:
        return _frictionless(W, b, shape, law, P, max_iter, tol)
    start = block_starts(shape)
    opens = True
    for i in range(nb):
        opens = opens and b[start[i]] >= 0.0
    if opens:
        P[:] = 0.0
        worst, residual = judge_cones(W, b, shape, law, P)
        return 0, residual, worst
    if nb == 1 and method in (AUTO, EXACT):
        iterations, residual, worst = _one_block(W, b, shape, law, P)
        if residual <= tol or method == EXACT:
            return iterations, residual, worst
    iterations = _several(W, b, shape, start, law, P, method, max_iter, tol)
    worst, residual = judge_cones(W, b, shape, law, P)
    return iterations, residual, worst


@allocating
def _several(
    W: Array,
    b: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    method: int,
    max_iter: int,
    tol: float,
) -> int:
    """Solve a problem by the method named, or by one after the other; return the iterations taken."""
    n = b.size
    W_ii = np.empty(n)
    for i in range(n):
        W_ii[i] = W[i, i]
    D = cone_scales(W_ii, shape, start)
    if method == NEWTON:
        return newton(W, b, D, shape, start, law, P, 0.0, P, 1, max_iter if max_iter > 0 else SYSTEMS, tol)[0]
    if method == LEMKE:
        P[:] = 0.0
        return solve_pyramids(W, b, D, shape, start, law, P, max_iter, tol)[0]
    rows = sparse_rows(W)
    if method == AUTO:
        return _automatic(W, rows, b, D, shape, start, law, P, max_iter, tol)
    if method != PROXIMAL:
        limit = max_iter if max_iter > 0 else SWEEPS
        return solve_nsgs(rows, b, D, shape, start, law, P, OVER if method == PSOR else 1.0, limit, tol)[0]
    iterations, residual = solve_nsgs(rows, b, D, shape, start, law, P, 1.0, PROXIMAL_SWEEPS, tol)
    if not residual < np.inf:
        P[:] = 0.0
    if residual > tol:
        limit = max_iter if max_iter > 0 else PROXIMAL_SYSTEMS
        iterations += solve_proximal_newton(W, b, D, shape, start, law, P, FIRST, SHARE, limit, tol)[0]
    return iterations


@allocating
def _automatic(
    W: Array,
    rows: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    max_iter: int,
    tol: float,
) -> int:
    """Sweep, then go on with Newton's method, the proximal one, pyramids and more; return the iterations."""
    n = b.size
    early = P.copy()
    iterations, residual = sweep_while_worth(rows, b, D, shape, start, law, P, early, dense_price(n), tol)
    if not residual < np.inf:
        P[:] = 0.0
        early[:] = 0.0
    if residual > tol:
        x = P.copy()
        k, r = newton(W, b, D, shape, start, law, x, 0.0, x, 1, FEW_SYSTEMS, tol)
        iterations += k
        if r <= tol:  # where it did not end, it may be far off
            residual = r
            P[:] = x
    if residual > tol:
        x = early.copy()
        short = FIRST_PROXIMAL if n > PYRAMIDS else FIRST_PROXIMAL // 2
        k, residual = solve_proximal_newton(W, b, D, shape, start, law, early, FIRST, SHARE, short, tol)
        P[:] = early
        iterations += k
        if residual > tol and n <= PYRAMIDS:
            k, residual = solve_pyramids(W, b, D, shape, start, law, P, 0, tol)
            iterations += k
        if residual > tol:
            k, residual = _persist(W, rows, b, D, shape, start, law, x, P, residual, max_iter, tol)
            iterations += k
    if residual <= tol and n <= POLISHED:
        iterations += polish(W, b, D, shape, start, law, P, residual)[0]
    return iterations


@allocating
def _persist(
    W: Array,
    rows: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    x: Array,
    P: Array,
    residual: float,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Go on where nothing has helped so far, from x, which sweeps had reached; P gets what is better than it.

    How long the proximal method takes is a matter of luck: it is started again in other ways and after more sweeps.
    """
    iterations = 0
    limit = max_iter if max_iter > 0 else PROXIMAL_SYSTEMS
    y = np.empty(b.size)
    for attempt in range(len(MORE_SWEEPS)):
        k, r = solve_nsgs(rows, b, D, shape, start, law, x, 1.0 if attempt < 5 else 0.8, MORE_SWEEPS[attempt], tol)
        y[:] = x
        if attempt == 3 and b.size <= SMOOTHED:
            more, r = solve_smooth(W, b, D, shape, start, law, y, tol)
            k += more
        if r > tol:
            most = FIRST_PROXIMAL if attempt < 3 else limit
            first, share = LUCK[(attempt + 1) % len(LUCK)]
            more, r = solve_proximal_newton(W, b, D, shape, start, law, y, first, share, most, tol)
            k += more
        iterations += k
        if r < residual:
            residual = r
            P[:] = y
        if residual <= tol:
            break
    return iterations, residual
