"""Linear complementarity problems: find z with ``w = W z + b, 0 <= w perp z >= 0``; the entry for compiled loops."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_lemke import most_pivots, solve_lemke
from flexmb.kernels.lcp.lcp_newton import ROUND_OFF, SETS, begin_newton, gives_way, solve_newton
from flexmb.kernels.lcp.lcp_pgs import solve_pgs
from flexmb.kernels.lcp.lcp_proximal import solve_proximal
from flexmb.kernels.lcp.lcp_refine import refine
from flexmb.kernels.lcp.lcp_residual import lcp_residual, lcp_worst, violation
from flexmb.kernels.lcp.solver_settings import LEMKE, NEWTON, PGS
from flexmb.state import Array

__all__ = [
    "LEMKE",
    "NEWTON",
    "PGS",
    "lcp_residual",
    "lcp_worst",
    "solve_lcp",
    "solve_lemke",
    "solve_newton",
    "solve_pgs",
]

PROXIMAL = 3
"""The last resort, which no one asks for by name: slow, but it holds where the others stumble over round-off."""
SWEEPS, PROBLEMS = 50000, 60
"""Automatic limits of PGS asked for by name, and of the proximal method."""


@allocating
def _attempt(W: Array, b: Array, z: Array, method: int, max_iter: int, tol: float) -> tuple[int, bool]:
    """Solve by one method; its module describes the result."""
    n = b.size
    if method == NEWTON:
        return solve_newton(W, b, z, max_iter if max_iter > 0 else SETS)
    if method == LEMKE:
        return solve_lemke(W, b, z, max_iter if max_iter > 0 else most_pivots(n))
    if method == PGS:
        return solve_pgs(W, b, z, max_iter if max_iter > 0 else SWEEPS, tol)
    return solve_proximal(W, b, z, max_iter if max_iter > 0 else PROBLEMS, tol)


@allocating
def _refined(W: Array, b: Array, z: Array, tol: float) -> tuple[float, float]:
    """Refine an answer that violates more than a share ``tol`` of b; return its violation and its residual."""
    _, worst, given, _ = violation(W, b, z)
    if worst > tol * given and np.isfinite(worst) and refine(W, b, z):
        worst = violation(W, b, z)[1]
    return worst, lcp_residual(W, b, z)


@allocating
def solve_lcp(W: Array, b: Array, z: Array, method: int, max_iter: int, tol: float) -> tuple[int, float]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` and judge the answer.

    Where the method asked for does not solve the problem, the others follow, Newton, Lemke, PGS and the proximal
    method, until one does. When none does, the answer that violates least is kept. A limit given to Lemke or PGS holds
    for the whole: nothing follows then.

    Parameters
    ----------
    W : (n, n) array
        Need not be symmetric nor regular.
    b : (n,) array
    z : (n,) array
        In: warm start (zeros for none). Out: the solution, z >= 0.
    method : int
        ``NEWTON``, ``LEMKE`` or ``PGS``.
    max_iter : int
        Most index sets, pivots or sweeps of the method asked for; 0 chooses by the size.
    tol : float
        Residual at which PGS stops and Newton is content; an answer that violates more than this share of the largest
        ``|b_i|`` is refined.

    Returns
    -------
    iterations : int
        Index sets, pivots or sweeps used (those of all methods that were tried).
    residual : float
        ``lcp_residual`` of z; the caller must treat more than ``tol`` as failure.
    """
    return go_on(W, b, z, method, max_iter, tol, -1, False)


@allocating
def go_on(
    W: Array, b: Array, z: Array, method: int, max_iter: int, tol: float, iterations: int, ok: bool
) -> tuple[int, float]:
    """Solve as ``solve_lcp``, or continue after ``iterations`` >= 0 of the requested method, which returned ``ok``."""
    n = b.size
    brief = method == NEWTON and gives_way(n, max_iter)
    if iterations < 0 and method == NEWTON:
        iterations, ok = begin_newton(W, b, z, max_iter)
    elif iterations < 0:
        iterations, ok = _attempt(W, b, z, method, max_iter, tol)
    least, residual = _refined(W, b, z, tol)
    if (ok and residual <= tol) or residual <= ROUND_OFF or (max_iter > 0 and method != NEWTON):
        return iterations, residual
    other = np.empty(n)
    for following in (LEMKE, NEWTON, PGS, PROXIMAL):
        if following == method and not brief:
            continue
        for i in range(n):
            other[i] = 0.0
        limit = most_pivots(n) if following == PGS else 0  # it is here for triangular W, which takes it n sweeps
        k, _ = _attempt(W, b, other, following, limit, tol)
        iterations += k
        worst, r = _refined(W, b, other, tol)
        if (r < residual) if r <= tol else (worst < least):
            for i in range(n):
                z[i] = other[i]
            least, residual = worst, r
        if residual <= tol:
            break
    return iterations, residual
