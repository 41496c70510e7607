"""``admm``: the alternating direction method of multipliers: a linear system with W + rho, then a projection.

    P = (W + rho)^-1 (rho (z - xi) - b - s),     z = proj_K(P + xi),     xi += P - z,     s = mu |U_T| on the normals

rho is changed, and W + rho factored again, if one of the two residuals |P - z| and rho |z - z_before| is ten times the
other; less and less often, so that it settles. With large mu the fixed-point iteration of s can diverge; it is then
restarted from zero, with s updated only every ten iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from flexmb.nonsmooth.methods.scaled import Scaled
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array

ITERATIONS, RENEW, BALANCE = 50_000, 10, 10.0
"""Maximum number of iterations, iterations between checks of the residual and rho, and the ratio that changes rho."""
SMALLEST, LARGEST, AWAY = 1e-8, 1e8, 1e12
"""Bounds of rho (W scaled to a mean diagonal of 1), and impulses, over the largest of b, that count as divergence."""


def _factored(W: Any, rho: float) -> Callable[[Array], Array]:
    """Return x -> (W + rho)^-1 x."""
    n = W.shape[0]
    if not isinstance(W, np.ndarray):
        raised: Any = splu(sparse.csc_array(W + rho * sparse.eye_array(n)))
        return lambda x: np.asarray(raised.solve(x))
    factors = lu_factor(W + rho * np.eye(n))
    return lambda x: np.asarray(lu_solve(factors, x))


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses and the number of iterations."""
    scaled = Scaled(problem)
    limit, rho = max_iterations or ITERATIONS, 1.0
    z = best = scaled.project(P / scaled.D)
    xi = np.zeros_like(z)
    least, wait, last, often = scaled.residual(z), RENEW, 0, 1
    inverse, away = _factored(scaled.W, rho), AWAY * float(np.abs(scaled.b).max(initial=0.0))
    for k in range(limit):
        if least <= tolerance:
            return scaled.D * best, k
        if k % often == 0:
            s = scaled.rise(z)
        x = inverse(rho * (z - xi) - scaled.b - s)
        if not float(np.abs(x).max(initial=0.0)) <= away:
            if often > 1:
                return scaled.D * best, k
            often, rho, last, wait = RENEW, 1.0, k, RENEW
            z, xi = np.zeros_like(z), np.zeros_like(z)
            inverse, s = _factored(scaled.W, rho), scaled.rise(z)
            continue
        before, z = z, scaled.project(x + xi)
        xi = xi + x - z
        if k % RENEW == RENEW - 1:
            r = scaled.residual(z)
            if r < least:
                best, least = z, r
            primal, dual = float(np.linalg.norm(x - z)), rho * float(np.linalg.norm(z - before))
            if k - last >= wait and max(primal, dual) > BALANCE * min(primal, dual):
                factor = min(max(np.sqrt(primal / dual), 0.1), 10.0) if dual > 0.0 else 10.0
                factor = min(max(factor, SMALLEST / rho), LARGEST / rho)
                rho, xi, last, wait = rho * factor, xi / factor, k, 2 * wait
                inverse = _factored(scaled.W, rho)
    return scaled.D * best, limit
