"""``lemke``: Lemke's pivoting on pyramids, exact in the plane; refined pyramids and Newton steps in space."""

from __future__ import annotations

from flexmb.kernels.cones.cones import LEMKE, solve_cones
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays
from flexmb.state import Array


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the number of pivots and linear systems; no warm start."""
    W, b, P = kernel_arrays(problem, P)
    k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, LEMKE, max_iterations, tolerance)
    return P, int(k)
