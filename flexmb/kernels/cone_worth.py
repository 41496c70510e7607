"""Sweeps as long as they are worth it: their rate tells when they would end, a linear system has its price."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.cone_nsgs import solve_nsgs
from flexmb.kernels.cone_rows import SparseRows
from flexmb.kernels.jit import allocating
from flexmb.state import Array, IntArray

FIRST, LEAST = 8, 24
"""Sweeps between the first looks at the rate, and sweeps made in any case: others need them as a start."""
WORTH = 25.0
"""Linear systems that the sweeps may cost together; what they still have to cost may be as much again."""


@allocating
def sweep_price(W: SparseRows, nb: int) -> float:
    """Return what a sweep costs, in products of two numbers (about 1 ns)."""
    return 1.0 * W.val.size + 150.0 * nb


@allocating
def dense_price(n: int) -> float:
    """Return what a dense linear system of n rows costs with its assembly, in the same unit."""
    return 1000.0 + 4.0 * n * n + 0.05 * n * n * n


@allocating
def sweep_while_worth(
    W: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    system: float,
    tol: float,
) -> tuple[int, float]:
    """Sweep until the residual is reached, or others would be there sooner.

    Parameters
    ----------
    W, b, D, shape, start, law
        As in ``solve_nsgs``.
    P : (n,) array
        In: warm start. Out: the last iterate.
    system : float
        Price of a linear system.
    tol : float

    Returns
    -------
    sweeps : int
    residual : float
    """
    most = max(LEAST, int(WORTH * system / sweep_price(W, shape.shape[0])))
    before, done, share = np.inf, 0, FIRST
    while True:
        k, r = solve_nsgs(W, b, D, shape, start, law, P, 1.0, share, tol)
        done += k
        if r <= tol or not r < np.inf or done >= 2 * most:
            break
        if before < np.inf and done >= LEAST:
            if not r < before:
                break
            left = np.log(tol / r) * k / np.log(r / before)
            if done + left > 2.0 * most:
                break
        before, share = r, max(FIRST, done // 2)
    return done, r
