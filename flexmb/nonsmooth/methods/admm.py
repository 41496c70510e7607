"""``admm``: the alternating direction method of multipliers: a linear system with W + rho, then a projection.

    P = (W + rho)^-1 (rho (z - xi) - b - s),     z = proj_K(P + xi),     xi += P - z,     s = mu |U_T| on the normals

rho is moved, and W + rho factored again, when one of the two residuals |P - z| and rho |z - z_before| is ten times the
other; ever more rarely, so that it settles.
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
"""Most iterations, iterations between looks at the residual and rho, and the ratio that moves rho."""


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
    least, wait, last = scaled.residual(z), RENEW, 0
    inverse = _factored(scaled.W, rho)
    for k in range(limit):
        if least <= tolerance:
            return scaled.D * best, k
        x = inverse(rho * (z - xi) - scaled.b - scaled.rise(z))
        before, z = z, scaled.project(x + xi)
        xi = xi + x - z
        if k % RENEW == RENEW - 1:
            r = scaled.residual(z)
            if r < least:
                best, least = z, r
            primal, dual = float(np.linalg.norm(x - z)), rho * float(np.linalg.norm(z - before))
            if k - last >= wait and max(primal, dual) > BALANCE * min(primal, dual):
                factor = min(max(np.sqrt(primal / dual), 0.1), 10.0) if dual > 0.0 else 10.0
                rho, xi, last, wait = rho * factor, xi / factor, k, 2 * wait
                inverse = _factored(scaled.W, rho)
    return scaled.D * best, limit
