"""The proximal method from many starts, the last resort: where it ends is a matter of its start.

Starts are ``x = (W + eps)^-1 y`` with y drawn: impulses that are large where W is small, as in wedged contacts.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.cone_lu import lu_solve
from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_project import project_cones
from flexmb.kernels.cones.cone_proximal import LUCK, solve_proximal_newton
from flexmb.kernels.cones.cone_viscous import drawn, tries_of
from flexmb.state import Array, IntArray

SYSTEMS = 150
"""Most linear systems from one start."""
SOFT, SIZES, ALPHAS = -12.0, 9.0, -9.0
"""Least log10 of eps, largest of the size of impulses, least of alpha at the start."""


@allocating
def solve_restarted(
    W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array, residual: float, tol: float
) -> tuple[int, float]:
    """Start the proximal method again and again.

    Parameters
    ----------
    W, b, D, shape, start, law, tol
        As in ``cone_newton.newton``.
    P : (n,) array
        In and out: the best answer known.
    residual : float
        Of P.

    Returns
    -------
    iterations : int
        Linear systems.
    residual : float
    """
    n, chance, iterations = b.size, 0.25, 0
    size = 0.0
    for i in range(n):
        size = max(size, abs(D[i] * b[i]))
    A, x = np.empty((n, n)), np.empty(n)
    for attempt in range(tries_of(n)):
        if residual <= tol:
            break
        for i in range(n):
            chance = drawn(chance)
            x[i] = size * (2.0 * chance - 1.0)
        chance = drawn(chance)
        if attempt % 2 == 0:
            for i in range(n):
                for j in range(n):
                    A[i, j] = D[i] * W[i, j] * D[j]
                A[i, i] += 10.0 ** (SOFT * chance)
            if not lu_solve(A, n, x):
                continue
        else:
            x *= 10.0 ** (SIZES * chance)
        for i in range(n):
            x[i] *= D[i]
        project_cones(x, shape, start, law)
        chance = drawn(chance)
        share = LUCK[attempt % len(LUCK)][1]
        k, r = solve_proximal_newton(W, b, D, shape, start, law, x, 10.0 ** (ALPHAS * chance), share, SYSTEMS, tol)
        iterations += k
        if r < residual:
            residual = r
            P[:] = x
    return iterations, residual
