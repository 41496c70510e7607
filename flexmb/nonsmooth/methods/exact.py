"""``exact``: a single contact in closed form (planar), by one root (spatial), or by iteration over its discs."""

from __future__ import annotations

from flexmb.errors import InputError
from flexmb.kernels.cones.cones import EXACT, solve_cones
from flexmb.nonsmooth.problem import ContactProblem, kernel_arrays
from flexmb.state import Array


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and 1 as the number of iterations."""
    if problem.nc > 1:
        words = f"solves one contact, the problem has {problem.nc}; auto, nsgs, newton and proximal-newton solve more"
        raise InputError(words, where="ContactSolver", key="name", value="exact")
    W, b, P = kernel_arrays(problem, P)
    k, _, _ = solve_cones(W, b, problem.shape.copy(), problem.law, P, EXACT, 0, tolerance)
    return P, int(k)
