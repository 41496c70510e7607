"""``newton``: Newton's method on Alart and Curnier's function with full steps; dense or sparse factors."""

from __future__ import annotations

from flexmb.kernels.cones.cone_limits import SYSTEMS
from flexmb.kernels.cones.cones import NEWTON, solve_cones
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays
from flexmb.nonsmooth.sparse_newton import SparseNewton
from flexmb.state import Array


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses and the number of linear systems."""
    if problem.sparse:
        P, k, _ = SparseNewton(problem).solve(P, 0.0, P, max_iterations or SYSTEMS, tolerance)
        return P, k
    W, b, P = kernel_arrays(problem, P)
    k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, NEWTON, max_iterations, tolerance)
    return P, int(k)
