"""``psor``: projected successive over-relaxation, Gauss-Seidel sweeps with a relaxation factor of 1.3."""

from __future__ import annotations

from flexmb.kernels.cones.cone_worth import OVER
from flexmb.nonsmooth.methods import nsgs
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses and the number of sweeps."""
    return nsgs.solve(problem, P, tolerance, max_iterations, OVER)
