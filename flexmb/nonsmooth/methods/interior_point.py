"""``clarabel``: Clarabel's interior-point method on the convex problem, s updated between runs, then Newton steps.

The fixed point of s gains few digits per run; the last ones come from the proximal method, started where it ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.cones.cone_limits import PROXIMAL_SYSTEMS
from flexmb.nonsmooth.methods import proximal_newton
from flexmb.nonsmooth.methods.scaled import Scaled
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array

RUNS = 20
"""Maximum number of interior-point solves."""
SYMMETRIC = True


def _package() -> Any:
    """Return Clarabel, or raise with the command that installs it."""
    try:
        import clarabel
    except ImportError:
        words = 'needs the package clarabel: pip install "flexmb[cone]"'
        raise InputError(words, where="ContactSolver", key="name", value="clarabel") from None
    return clarabel


def _cones(scaled: Scaled, clarabel: Any) -> tuple[sparse.csc_array, list[Any]]:
    """Return A and the cones with ``-A x`` in them: each disc with its radius times the normal, and every normal."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    cones: list[Any] = []
    at = 0
    for i in range(scaled.shape.shape[0]):
        first = row = int(scaled.start[i])
        rows, columns, values = [*rows, at], [*columns, first], [*values, -1.0]
        cones.append(clarabel.NonnegativeConeT(1))
        at, row = at + 1, row + 1
        for d in range(3):
            n = int(scaled.shape[i, d])
            if n:
                rows, columns = [*rows, *range(at, at + n + 1)], [*columns, first, *range(row, row + n)]
                values = [*values, -float(scaled.law[i, d]), *[-1.0] * n]
                cones.append(clarabel.SecondOrderConeT(n + 1))
                at, row = at + n + 1, row + n
    return sparse.csc_array(sparse.coo_array((values, (rows, columns)), shape=(at, scaled.b.size))), cones


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the number of interior-point iterations, sweeps and linear systems."""
    clarabel = _package()
    scaled = Scaled(problem)
    A, cones = _cones(scaled, clarabel)
    H = sparse.triu(sparse.csc_array(0.5 * (scaled.W + scaled.W.T)), format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    x = best = scaled.project(P / scaled.D)
    least, k = scaled.residual(x), 0
    for _ in range(RUNS):
        if least <= tolerance:
            break
        done = clarabel.DefaultSolver(H, scaled.b + scaled.rise(x), A, np.zeros(A.shape[0]), cones, settings).solve()
        k += int(done.iterations)
        x = scaled.project(np.array(done.x)) if np.isfinite(done.x).all() else best
        r = scaled.residual(x)
        if not r < 0.9 * least:
            break
        best, least = x, r
    P = scaled.D * best
    if least > tolerance:
        P, more = proximal_newton.solve(problem, P, tolerance, max_iterations or PROXIMAL_SYSTEMS)
        k += more
    return P, k
