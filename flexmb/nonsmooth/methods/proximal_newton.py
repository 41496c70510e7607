"""``proximal-newton``: a few sweeps, then the proximal point method with Newton's method inside."""

from __future__ import annotations

from flexmb.kernels.cones.cone_limits import PROXIMAL_SWEEPS, PROXIMAL_SYSTEMS
from flexmb.kernels.cones.cones import PROXIMAL, solve_cones
from flexmb.nonsmooth.methods.nsgs import sparse_rows_of, sweep
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays
from flexmb.nonsmooth.sparse_newton import sparse_proximal
from flexmb.state import Array


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the number of sweeps and linear systems."""
    if problem.sparse:
        k, _ = sweep(problem, sparse_rows_of(problem), P, 1.0, PROXIMAL_SWEEPS, tolerance)
        P, systems, _ = sparse_proximal(problem, P, max_iterations or PROXIMAL_SYSTEMS, tolerance)
        return P, k + systems
    W, b, P = kernel_arrays(problem, P)
    k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, PROXIMAL, max_iterations, tolerance)
    return P, int(k)
