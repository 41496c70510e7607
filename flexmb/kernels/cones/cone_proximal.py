"""The proximal point method: a singular contact problem as a sequence of regular ones, each near the answer before it.

    U = W P + b + alpha_k D^-2 (P - P_k)

Each is solved by Newton's method, only as well as it is worth: to a tenth of the residual of P_k. alpha falls when
that succeeds and rises when it does not (Acary, Bremond and Huber, RR-9118, 2017).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_newton import HALVINGS, newton
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.state import Array, IntArray

FIRST, LEAST, MOST = 0.1, 1e-13, 1e4
"""alpha at the start, and its bounds (W has mean diagonal entries of D^-2)."""
SHARE = 0.1
"""Share of the residual to which each problem is solved."""
LUCK = ((0.1, 0.1), (1e-3, 0.1), (0.1, 0.5))
"""alpha at the start and share, attempt after attempt: how long the method takes is a matter of luck with them."""
STEPS = 30
"""Most linear systems per problem."""


@allocating
def solve_proximal_newton(
    W: Array,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    first: float,
    share: float,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Solve by the proximal point method with Newton's method inside.

    Parameters
    ----------
    W, b, D, shape, start, law
        The problem, as in ``cone_newton.newton``.
    P : (n,) array
        In: first guess. Out: the iterate with the smallest residual.
    first : float
        alpha at the start, ``FIRST`` as a rule.
    share : float
        Share of the residual to which each problem is solved, ``SHARE`` as a rule.
    max_iter : int
        Most linear systems in all.
    tol : float
        Residual to stop at.

    Returns
    -------
    iterations : int
        Linear systems solved.
    residual : float
    """
    n = b.size
    at, x, best, U = P.copy(), np.empty(n), P.copy(), np.empty(n)
    _product(W, b, at, U)
    residual = cone_worst(U, b, at, D, shape, start, law)[1]
    least, alpha, iterations = residual, first, 0
    while least > tol and iterations < max_iter and alpha <= MOST:
        x[:] = at
        target = share * max(residual, tol)
        k, reached = newton(
            W, b, D, shape, start, law, x, alpha, at, HALVINGS, min(STEPS, max_iter - iterations), target
        )
        iterations += max(k, 1)
        if not reached <= min(2.0 * share, 0.5) * max(residual, tol):
            alpha *= 5.0
            continue
        alpha = max(0.1 * alpha, LEAST)
        at[:] = x
        _product(W, b, at, U)
        residual = cone_worst(U, b, at, D, shape, start, law)[1]
        if residual < least:
            least = residual
            best[:] = at
    P[:] = best
    return iterations, least


@allocating
def _product(W: Array, b: Array, P: Array, U: Array) -> None:
    """Fill U = W P + b."""
    for i in range(b.size):
        u = b[i]
        for j in range(b.size):
            u += W[i, j] * P[j]
        U[i] = u
