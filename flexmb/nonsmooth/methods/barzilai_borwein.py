"""``barzilai-borwein``: projected gradients with the alternating step lengths of Barzilai and Borwein.

The objective is that of ``apgd``; a step is shortened until the objective is below the largest of the last ten values
by Armijo's rule (Heyn et al., Int. J. Numer. Meth. Engng 95, 2013).
"""

from __future__ import annotations

from flexmb.nonsmooth.methods.scaled import Scaled
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array

RENEW, MEMORY, ITERATIONS = 10, 10, 50_000
"""Iterations between checks of s and the residual, memory of the nonmonotone line search, maximum iterations."""
SHORTEST, LONGEST, ENOUGH = 1e-10, 1e10, 1e-4
"""Bounds of the step length, and the Armijo parameter."""
SYMMETRIC = True


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses and the number of iterations."""
    scaled = Scaled(problem)
    limit = max_iterations or ITERATIONS
    x = best = scaled.project(P / scaled.D)
    least = scaled.residual(x)
    c, values = scaled.b + scaled.rise(x), list[float]()
    g = scaled.W @ x + c
    length = 1.0
    for k in range(limit):
        if least <= tolerance:
            return scaled.D * best, k
        value = 0.5 * float(x @ (g + c))
        values = [*values[1 - MEMORY :], value]
        d = scaled.project(x - length * g) - x
        Wd = scaled.W @ d
        slope, curve = float(g @ d), float(d @ Wd)
        share = 1.0
        while value + share * slope + 0.5 * share * share * curve > max(values) + ENOUGH * share * slope:
            share *= 0.5
            if share < 1e-8:
                break
        x = x + share * d
        g = g + share * Wd
        dd, Wd2 = float(d @ d), float(Wd @ Wd)
        if curve > 0.0:
            length = dd / curve if k % 2 else curve / Wd2
        length = min(max(length, SHORTEST), LONGEST)
        if k % RENEW == RENEW - 1:
            c, values = scaled.b + scaled.rise(x), []
            g = scaled.W @ x + c
            r = scaled.residual(x)
            if r < least:
                best, least = x, r
    return scaled.D * best, limit
