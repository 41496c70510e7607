"""``auto``: chooses by the problem, and goes on with another solver where one fails.

Small problems go to ``flexmb.kernels.cones``. Large ones are swept as long as the sweeps are worth it: the rate of the
last ones tells how many are still to come, and the price of a linear system how many sweeps are cheaper than it.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.cone_rows import SparseRows
from flexmb.kernels.cones import AUTO, FIRST_SWEEPS, LAST_SWEEPS, PROXIMAL_SYSTEMS, SYSTEMS, solve_cones
from flexmb.nonsmooth.methods.nsgs import sparse_rows_of, sweep
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays, residual
from flexmb.nonsmooth.sparse_newton import SparseNewton, sparse_proximal
from flexmb.state import Array

SMALL = 100
"""Rows up to which everything is done by the kernel."""
WORTH = 60
"""Linear systems that the sweeps may cost together."""


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the number of sweeps and linear systems."""
    if problem.n <= SMALL or not problem.sparse:
        W, b, P = kernel_arrays(problem, P)
        k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, AUTO, max_iterations, tolerance)
        return P, int(k)
    if (problem.b[problem.start[:-1]] >= 0.0).all():
        return np.zeros(problem.n), 0
    rows = sparse_rows_of(problem)
    P, k, r = _swept(problem, rows, P, tolerance)
    if r <= tolerance:
        return P, k
    x, systems, r_x = SparseNewton(problem).solve(P, 0.0, P, SYSTEMS, tolerance)
    k += systems
    if r_x < r:
        P, r = x, r_x
    if r > tolerance:
        P, systems, r = sparse_proximal(problem, P, max_iterations or PROXIMAL_SYSTEMS, tolerance)
        k += systems
    if r > tolerance:
        x = np.zeros(problem.n)
        sweeps, r_x = sweep(problem, rows, x, 0.8, LAST_SWEEPS, tolerance)
        P, k = (x if r_x < r else P), k + sweeps
    return P, k


def _swept(problem: ContactProblem, rows: SparseRows, P: Array, tolerance: float) -> tuple[Array, int, float]:
    """Sweep while it is worth it; return the best impulses, the number of sweeps and the residual."""
    price = rows.val.size + 150.0 * problem.nc
    system = 40.0 * rows.val.size + 1000.0 * problem.n  # a guess of the cost of sparse factors, in the same unit
    most = int(WORTH * system / price)
    best, before = P.copy(), residual(problem, P)
    least, done, share = before, 0, FIRST_SWEEPS
    while done < most:
        k, r = sweep(problem, rows, P, 1.0, share, tolerance)
        done += k
        if r < least:
            best, least = P.copy(), r
        if r <= tolerance or not r < before:
            break
        rate = np.log(r / before) / k
        if done + np.log(tolerance / r) / rate > 2 * most:
            break
        before, share = r, max(FIRST_SWEEPS, done // 2)
    return best, done, least
