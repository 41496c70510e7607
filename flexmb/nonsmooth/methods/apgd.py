"""``apgd``: Nesterov's accelerated projected gradients with restarts (Mazhar et al., ACM Trans. Graph. 34, 2015).

    min  1/2 P^T W P + (b + s)^T P  over K,     s = mu |U_T| on the normals, updated every ten iterations

For fixed s the problem is convex; at the fixed point of s the law is Coulomb's (De Saxce and Feng, 1998). The bound of
the gradient's slope L doubles until ``d^T W d <= L |d|^2`` for the step d: this is the test on the objective without
the difference of two large numbers.
"""

from __future__ import annotations

import numpy as np

from flexmb.nonsmooth.methods.scaled import Scaled
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array

RENEW = 10
"""Iterations between two checks of s and the residual."""
ITERATIONS = 50_000
SYMMETRIC = True


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses and the number of iterations."""
    scaled = Scaled(problem)
    W, limit = scaled.W, max_iterations or ITERATIONS
    x = best = scaled.project(P / scaled.D)
    y, theta, L = x, 1.0, 1.0
    least = scaled.residual(x)
    c = scaled.b + scaled.rise(x)
    for k in range(limit):
        if least <= tolerance:
            return scaled.D * best, k
        g = W @ y + c
        while True:
            new = scaled.project(y - g / L)
            d = new - y
            if d @ (W @ d) <= L * (d @ d) * (1.0 + 1e-12) or L > 1e12:
                break
            L *= 2.0
        following = 0.5 * theta * (np.sqrt(theta * theta + 4.0) - theta)
        restart = g @ (new - x) > 0.0
        share = 0.0 if restart else theta * (1.0 - theta) / (theta * theta + following)
        theta = 1.0 if restart else following
        y = new + share * (new - x)
        x, L = new, 0.9 * L
        if k % RENEW == RENEW - 1:
            c = scaled.b + scaled.rise(x)
            r = scaled.residual(x)
            if r < least:
                best, least = x, r
    return scaled.D * best, limit
