"""Sweeps as long as they are worth it: their rate tells when they would end, a linear system has its price."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_nsgs import solve_nsgs
from flexmb.kernels.cones.cone_rows import SparseRows
from flexmb.state import Array, IntArray

FIRST, LEAST, SMALL = 8, (16, 24), 200
"""Sweeps between the first looks at the rate, and sweeps made in any case, up to so many rows and above: others need
them as a start."""
OVER = 1.3
"""Relaxation after the first sweeps, as long as the residual falls; it often halves the number of sweeps."""
SHORT, WORTH = 1.5, 6.0
"""Linear systems that the sweeps may cost together, before Newton's method is tried and after it; what they still have
to cost may be as much again."""


@allocating
def sweep_price(W: SparseRows, shape: IntArray) -> float:
    """Return what a sweep costs, in products of two numbers (about 1 ns); what rolls takes its discs in turn."""
    price = float(W.val.size)
    for i in range(shape.shape[0]):
        price += 75.0 if shape[i, 1] + shape[i, 2] == 0 else 4000.0
    return price


@allocating
def dense_price(n: int) -> float:
    """Return what a dense linear system of n rows costs with its assembly, in the same unit."""
    return 1000.0 + 4.0 * n * n + 0.09 * n * n * n


@allocating
def sweep_while_worth(
    W: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    early: Array,
    system: float,
    worth: float,
    tol: float,
) -> tuple[int, float]:
    """Sweep until the residual is reached, or others would be there sooner.

    Parameters
    ----------
    W, b, D, shape, start, law
        As in ``solve_nsgs``.
    P : (n,) array
        In: warm start. Out: the last iterate.
    early : (n,) array
        Out: the iterate after the sweeps made in any case, which the proximal method likes better as a start.
    system : float
        Price of a linear system.
    worth : float
        ``SHORT`` or ``WORTH``.
    tol : float

    Returns
    -------
    sweeps : int
    residual : float
    """
    least = LEAST[0] if b.size <= SMALL else LEAST[1]
    most = max(least, int(worth * system / sweep_price(W, shape)))
    before, done, share, omega = np.inf, 0, FIRST, 1.0
    while True:
        k, r = solve_nsgs(W, b, D, shape, start, law, P, omega, share, tol)
        done += k
        if done <= least:
            early[:] = P
        if r <= tol or not r < np.inf or done >= 2 * most:
            break
        faster = r < before
        if not faster and omega == 1.0 and done > least:
            break
        if done == least:
            omega = OVER
        elif not faster:
            omega = 1.0
        if faster and before < np.inf and done >= least:
            left = np.log(tol / r) * k / np.log(r / before)
            if done + left > 2.0 * most:
                break
        before, share = r, max(FIRST, done // 2) if done >= least else FIRST
    return done, r
