"""Contact problems with friction, the entry for compiled loops.

Find P with

    U = W P + b,     K* ∋ (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P ∈ K

for blocks of any size, see ``cone_project.py``; the judge is ``cone_residual.py``.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.compilation.stages import raise_failed
from flexmb.kernels.cones.cone_hard import hard_cones, send_hard
from flexmb.kernels.cones.cone_limits import (
    FEW_SYSTEMS,
    FIRST_PROXIMAL,
    FIRST_SWEEPS,
    FIRST_SYSTEMS,
    POLISHED,
    PROXIMAL_SWEEPS,
    PROXIMAL_SYSTEMS,
    PYRAMIDS,
    SOON,
    SWEEPS,
    SYSTEMS,
    TRIAL_SYSTEMS,
)
from flexmb.kernels.cones.cone_newton import newton, polish
from flexmb.kernels.cones.cone_nsgs import solve_nsgs
from flexmb.kernels.cones.cone_project import LARGEST, block_starts
from flexmb.kernels.cones.cone_proximal import FIRST, SHARE, solve_proximal_newton
from flexmb.kernels.cones.cone_residual import cone_scales, cone_worst
from flexmb.kernels.cones.cone_rows import SparseRows, sparse_rows
from flexmb.kernels.cones.cone_single import solve_single
from flexmb.kernels.cones.cone_worth import OVER, SHORT, WORTH, dense_price, sweep_while_worth
from flexmb.kernels.lcp.lcp import lcp_worst, solve_lcp
from flexmb.kernels.lcp.solver_settings import NEWTON as LCP_NEWTON
from flexmb.state import Array, IntArray

AUTO, EXACT, NSGS, PSOR, NEWTON, PROXIMAL, LEMKE = 0, 1, 2, 3, 4, 5, 6
"""The methods."""


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
def solve_cones_by(
    W: Array, b: Array, shape: IntArray, law: Array, P: Array, method: int, max_iter: int, tol: float, hard: int
) -> tuple[int, float, int]:
    """Do what ``solve_cones`` does, for kernels; ``hard`` is the address of the stage for hard problems."""
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
    iterations = _several(W, b, shape, start, law, P, method, max_iter, tol, hard)
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
    hard: int,
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
        return send_hard(hard, W, b, shape, law, P, P, np.inf, True, max_iter, tol)[0]
    rows = sparse_rows(W)
    if method == AUTO:
        return _automatic(W, rows, b, D, shape, start, law, P, max_iter, tol, hard)
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
    hard: int,
) -> int:
    """Sweep, then go on with Newton's method, the proximal one and those of ``cone_hard``; return the iterations."""
    n = b.size
    early, x = P.copy(), P.copy()
    iterations, residual = solve_nsgs(rows, b, D, shape, start, law, P, 1.0, FIRST_SWEEPS if n <= SOON else 0, tol)
    if residual > tol and n <= SOON:
        k, residual = _whole_steps(W, b, D, shape, start, law, P, residual, FIRST_SYSTEMS, tol)
        iterations += k
    for worth in (SHORT, WORTH):
        if worth == WORTH and n <= PYRAMIDS:
            break  # systems are cheap
        if residual > tol:
            k, residual = sweep_while_worth(rows, b, D, shape, start, law, P, x, dense_price(n), worth, tol)
            iterations += k
            if not residual < np.inf:
                P[:] = 0.0
                x[:] = 0.0
            if worth == SHORT:
                early[:] = x
        if residual > tol:
            k, residual = _whole_steps(W, b, D, shape, start, law, P, residual, FEW_SYSTEMS, tol)
            iterations += k
    if residual > tol:
        x[:] = early
        short = FIRST_PROXIMAL if n > PYRAMIDS else FIRST_PROXIMAL // 2
        k, residual = solve_proximal_newton(W, b, D, shape, start, law, early, FIRST, SHARE, short, tol)
        P[:] = early
        iterations += k
        if residual > tol:
            k, residual = send_hard(hard, W, b, shape, law, x, P, residual, False, max_iter, tol)
            iterations += k
    if residual <= tol and n <= POLISHED:
        iterations += polish(W, b, D, shape, start, law, P, residual)[0]
    return iterations


@allocating
def _whole_steps(
    W: Array,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    residual: float,
    systems: int,
    tol: float,
) -> tuple[int, float]:
    """Try a few steps of Newton's method from P; P stays as it is where they do not converge, they may be far off."""
    x = P.copy()
    trial = systems if b.size <= SOON else min(systems, TRIAL_SYSTEMS)
    k, r = newton(W, b, D, shape, start, law, x, 0.0, x, 1, trial, tol)
    if tol < r < residual and k < systems:
        more, r = newton(W, b, D, shape, start, law, x, 0.0, x, 1, systems - k, tol)
        k += more
    if r <= tol:
        residual = r
        P[:] = x
    return k, residual


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
    answer = solve_cones_by(W, b, shape, law, P, method, max_iter, tol, hard_cones())
    raise_failed()
    return answer
