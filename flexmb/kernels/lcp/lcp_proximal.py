"""The proximal point method: a singular problem as a sequence of regular ones, each near the answer before it.

    w = W z + mu D (z - z_k) + b,   0 <= w  perp  z >= 0,   z_k+1 = z

With D the diagonal of W, every problem of the sequence is regular where W is positive semidefinite, and the sequence
ends at a solution of the one asked if there is any (Rockafellar, Monotone operators and the proximal point algorithm,
SIAM J. Control Optim. 14, 1976). Redundant contacts share their impulse instead of leaving it to one of them, which
keeps z, and with it the round-off, small.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_lemke import solve_lemke
from flexmb.kernels.lcp.lcp_newton import iterate_sets
from flexmb.kernels.lcp.lcp_residual import lcp_residual, violation
from flexmb.state import Array

FIRST, LAST = 1e-2, 1e-9
"""The regularization over the diagonal of W, and where it stops to be lowered."""
SETS = 30
"""Most index sets per problem before Lemke's method takes it."""
VAIN = 5
"""Problems with the least regularization that do not halve the violation before the problem is given up."""


@allocating
def solve_proximal(W: Array, b: Array, z: Array, max_iter: int, tol: float) -> tuple[int, bool]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` by the proximal point method.

    Parameters
    ----------
    W : (n, n) array
    b : (n,) array
    z : (n,) array
        Out: the solution, or that of the sequence which violates least, z >= 0 (no warm start).
    max_iter : int
        Most regular problems.
    tol : float
        Residual to stop at, see ``lcp_residual``.

    Returns
    -------
    iterations : int
        Index sets and pivots of all problems.
    ok : bool
        Whether the residual came down to ``tol``.
    """
    n = b.size
    top = 0.0
    for i in range(n):
        z[i] = 0.0
        for j in range(n):
            top = max(top, abs(W[i, j]))
    A, c, at, x = W.copy(), np.empty(n), np.zeros(n), np.empty(n)
    r, least = lcp_residual(W, b, z), violation(W, b, z)[1]
    last, mu, iterations, vain = r, FIRST, 0, 0
    for _ in range(max_iter):
        if not r > tol:
            break
        for i in range(n):
            d = mu * (W[i, i] if W[i, i] > 0.0 else top)
            A[i, i] = W[i, i] + d
            c[i] = b[i] - d * at[i]
            x[i] = at[i]
        k, ok = iterate_sets(A, c, x, SETS, SETS)
        iterations += k
        if not ok:
            k, ok = solve_lemke(A, c, x, 100 + 20 * n)
            iterations += k
        r, worst = lcp_residual(W, b, x), violation(W, b, x)[1]
        if not np.isfinite(r):
            break
        vain = 0 if worst < 0.5 * least or mu > LAST else vain + 1
        if vain > VAIN:
            break
        if r <= tol or worst < least:
            least = worst
            for i in range(n):
                z[i] = x[i]
        if r > 0.1 * last:
            mu = max(0.1 * mu, LAST)
        last = r
        for i in range(n):
            at[i] = x[i]
    return iterations, r <= tol
