"""``auto``: chooses a solver by the problem, and tries further solvers if one fails.

Small and dense problems are solved by ``flexmb.cones.cones``; large sparse ones by the same sequence with sparse
factors. Parts that W does not couple are solved one by one if sweeps do not solve them together.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.cones.cone_limits import FEW_SYSTEMS, FIRST_PROXIMAL, POLISHED, PROXIMAL_SYSTEMS
from flexmb.kernels.cones.cone_rows import SparseRows, part_of_blocks
from flexmb.kernels.cones.cone_worth import OVER, WORTH, sweep_price, sweep_while_worth
from flexmb.kernels.cones.cones import AUTO, solve_cones
from flexmb.nonsmooth.methods.nsgs import sparse_rows_of, sweep
from flexmb.nonsmooth.parts import errors_and_sizes, part
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays, residual
from flexmb.nonsmooth.sparse_newton import Schedule, SparseNewton, sparse_proximal
from flexmb.state import Array, IntArray

SPLIT = 130
"""Number of rows above which uncoupled parts of a sparse problem are solved one by one."""
SMALL = 350
"""Number of rows up to which the compiled kernel with dense factors is used."""
ATTEMPTS = (0, 0, 1000, 1000, 1000)
"""Sweeps after each attempt of the proximal method, whose time depends strongly on its start."""
LUCK = ((1e-2, 0.1), (1e-3, 0.1), (0.1, 0.5))
"""alpha at the start and share of the proximal method, attempt after attempt."""
LARGEST_SHARE = 0.5
"""Of the contacts, up to which the largest part may have them: beyond, the time of the whole is that of this part."""
LOOSEST = 1e-2
"""Largest residual to which a part is solved."""
SPARSE_SYSTEM = (40.0, 1000.0)
"""Cost of a sparse linear system per entry of W and per row, in the unit of ``kernels.cones.cone_worth``."""


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the numbers of sweeps and linear systems."""
    if (problem.b[problem.start[:-1]] >= 0.0).all():
        return np.zeros(problem.n), 0
    if problem.sparse and problem.n > SPLIT:
        rows = sparse_rows_of(problem)
        label = part_of_blocks(rows, problem.start)
        if np.bincount(label).max() <= LARGEST_SHARE * problem.nc:
            P, k, r = _part_by_part(problem, rows, label, P, tolerance, max_iterations)
            if r <= tolerance and problem.n <= POLISHED:
                P, more = _coupled(problem, P, tolerance, max_iterations)
                k += more
            return P, k
    return _coupled(problem, P, tolerance, max_iterations)


def _part_by_part(
    problem: ContactProblem, rows: SparseRows, label: IntArray, P: Array, tolerance: float, max_iterations: int
) -> tuple[Array, int, float]:
    """Sweep over all parts, then solve those that are not at the tolerance, and all as well as alone if need be.

    The residual is relative to the largest impulse of all parts, so that parts with small ones need fewer digits.
    """
    given = P.copy()
    _, k, r = _sweeps(problem, rows, P, tolerance)
    if r <= tolerance:
        return P, k, r
    P = P if np.isfinite(P).all() else np.zeros(problem.n)
    errors, sizes = errors_and_sizes(problem, P)
    own = np.zeros(label.max() + 1)
    np.maximum.at(own, label, sizes)
    far = np.unique(label[errors > tolerance * sizes.max()])
    for which, share in ((far, own / sizes.max()), (np.arange(own.size), np.ones(own.size))):
        for i in which if r > tolerance else ():
            alone, at = part(problem, np.flatnonzero(label == i))
            limit = min(tolerance / max(share[i], tolerance), LOOSEST)
            if residual(alone, P[at]) > limit:
                P[at], more = _coupled(alone, given[at], limit, max_iterations)
                k += more
        r = residual(problem, P)
    return P, k, r


def _sweeps(problem: ContactProblem, rows: SparseRows, P: Array, tolerance: float) -> tuple[Array, int, float]:
    """Sweep while this is worth it, P in place; return an early iterate, the number of sweeps and the residual."""
    early, blocks = P.copy(), (problem.shape.copy(), problem.start, problem.law)
    system = _system_price(problem, rows)
    k, r = sweep_while_worth(rows, problem.b.copy(), problem.scales, *blocks, P, early, system, WORTH, tolerance)
    return early, int(k), float(r)


def _system_price(problem: ContactProblem, rows: SparseRows) -> float:
    """Return the cost of a sparse linear system."""
    return SPARSE_SYSTEM[0] * rows.val.size + SPARSE_SYSTEM[1] * problem.n


def _coupled(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Do what ``solve`` does for a problem that is not divided."""
    if problem.n <= SMALL or not problem.sparse:
        W, b, P = kernel_arrays(problem, P)
        k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, AUTO, max_iterations, tolerance)
        return P, int(k)
    rows = sparse_rows_of(problem)
    early, k, r = _sweeps(problem, rows, P, tolerance)
    if r <= tolerance:
        return P, k
    x, systems, r_x = SparseNewton(problem).solve(P, 0.0, P, FEW_SYSTEMS, tolerance)
    k += systems
    if r_x <= tolerance:
        return x, k
    best, swept, P = P, P.copy(), early
    for attempt, more in enumerate(ATTEMPTS):
        limit = FIRST_PROXIMAL if attempt < len(LUCK) else max_iterations or PROXIMAL_SYSTEMS
        x, systems, r_x = sparse_proximal(problem, P, limit, tolerance, Schedule(*LUCK[attempt % len(LUCK)]))
        k += systems
        if r_x < r:
            best, r = x, r_x
        if r > tolerance and attempt == 0:  # sweeps that were slow at first, for the time of these systems
            price = _system_price(problem, rows) / sweep_price(rows, problem.shape.copy())
            more_sweeps, r_x = sweep(problem, rows, swept, OVER, int(systems * price), tolerance)
            k += more_sweeps
            if r_x < r:
                best, r = swept, r_x
        if r <= tolerance:
            break
        P = P.copy()
        k += sweep(problem, rows, P, 1.0, more, tolerance)[0]
    return best, k
