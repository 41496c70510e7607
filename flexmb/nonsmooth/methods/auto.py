"""``auto``: chooses a solver by the problem, and tries further solvers if one fails.

Small and dense problems are solved by ``flexmb.kernels.cones``; large sparse ones by the same sequence with sparse
factors.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.cone_limits import FEW_SYSTEMS, FIRST_PROXIMAL, PROXIMAL_SYSTEMS
from flexmb.kernels.cone_worth import WORTH, sweep_while_worth
from flexmb.kernels.cones import AUTO, solve_cones
from flexmb.nonsmooth.methods.nsgs import sparse_rows_of, sweep
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays
from flexmb.nonsmooth.sparse_newton import Schedule, SparseNewton, sparse_proximal
from flexmb.state import Array

SMALL = 350
"""Number of rows up to which the compiled kernel with dense factors is used."""
ATTEMPTS = (0, 0, 1000, 1000, 1000)
"""Sweeps after each attempt of the proximal method, whose time depends strongly on its start."""
LUCK = ((1e-2, 0.1), (1e-3, 0.1), (0.1, 0.5))
"""alpha at the start and share of the proximal method, attempt after attempt."""
SPARSE_SYSTEM = (40.0, 1000.0)
"""Cost of a sparse linear system per entry of W and per row, in the unit of ``kernels.cone_worth``."""


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the numbers of sweeps and linear systems."""
    if problem.n <= SMALL or not problem.sparse:
        W, b, P = kernel_arrays(problem, P)
        k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, AUTO, max_iterations, tolerance)
        return P, int(k)
    if (problem.b[problem.start[:-1]] >= 0.0).all():
        return np.zeros(problem.n), 0
    rows = sparse_rows_of(problem)
    blocks = problem.shape.copy(), problem.start, problem.law
    system = SPARSE_SYSTEM[0] * rows.val.size + SPARSE_SYSTEM[1] * problem.n
    early = P.copy()
    k, r = sweep_while_worth(rows, problem.b.copy(), problem.scales, *blocks, P, early, system, WORTH, tolerance)
    if r <= tolerance:
        return P, k
    x, systems, r_x = SparseNewton(problem).solve(P, 0.0, P, FEW_SYSTEMS, tolerance)
    k += systems
    if r_x <= tolerance:
        return x, k
    best, P = P, early
    for attempt, more in enumerate(ATTEMPTS):
        limit = FIRST_PROXIMAL if attempt < len(LUCK) else max_iterations or PROXIMAL_SYSTEMS
        x, systems, r_x = sparse_proximal(problem, P, limit, tolerance, Schedule(*LUCK[attempt % len(LUCK)]))
        k += systems
        if r_x < r:
            best, r = x, r_x
        if r <= tolerance:
            break
        P = P.copy()
        k += sweep(problem, rows, P, 1.0, more, tolerance)[0]
    return best, k
