"""Linear complementarity problems: find z with ``w = W z + b, 0 <= w perp z >= 0``; the entry for compiled loops."""

from __future__ import annotations

import numpy as np
from numba import njit

from flexmb.kernels.lcp_lemke import solve_lemke
from flexmb.kernels.lcp_newton import ROUND_OFF, solve_newton
from flexmb.kernels.lcp_pgs import solve_pgs
from flexmb.kernels.lcp_residual import lcp_residual, lcp_worst
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

NEWTON, LEMKE, PGS = 0, 1, 2
"""Codes of the methods for ``solve_lcp``."""


@njit(cache=True, error_model="numpy")
def _newton_or_lemke(W: Array, b: Array, z: Array, max_iter: int, tol: float) -> tuple[int, float]:
    """Newton; where it does not settle, Lemke; the better of the two by the residual."""
    n = b.size
    iterations, ok = solve_newton(W, b, z, max_iter if max_iter > 0 else 30)
    residual = lcp_residual(W, b, z)
    if (ok and residual <= tol) or residual <= ROUND_OFF:
        return iterations, residual
    other = np.empty(n)
    pivots, ok = solve_lemke(W, b, other, 100 + 20 * n)
    r = lcp_residual(W, b, other)
    if r < residual:
        for i in range(n):
            z[i] = other[i]
        residual = r
    return iterations + pivots, residual


@njit(cache=True, error_model="numpy")
def solve_lcp(W: Array, b: Array, z: Array, method: int, max_iter: int, tol: float) -> tuple[int, float]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` and judge the answer.

    Parameters
    ----------
    W : (n, n) array
        Need not be symmetric nor regular.
    b : (n,) array
    z : (n,) array
        In: warm start (zeros for none). Out: the solution, z >= 0.
    method : int
        ``NEWTON`` (Lemke takes over where it cycles), ``LEMKE`` or ``PGS``.
    max_iter : int
        Most index sets, pivots or sweeps; 0 for 30, 100 + 20 n, 50000.
    tol : float
        Residual at which PGS stops and Newton is content.

    Returns
    -------
    iterations : int
        Index sets, pivots or sweeps used (those of the fall-back added).
    residual : float
        ``lcp_residual`` of z; the caller must treat more than ``tol`` as failure.
    """
    if method == NEWTON:
        return _newton_or_lemke(W, b, z, max_iter, tol)
    if method == LEMKE:
        iterations, _ = solve_lemke(W, b, z, max_iter if max_iter > 0 else 100 + 20 * b.size)
    else:
        iterations, _ = solve_pgs(W, b, z, max_iter if max_iter > 0 else 50000, tol)
    return iterations, lcp_residual(W, b, z)
