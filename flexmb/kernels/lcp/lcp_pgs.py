"""Projected Gauss-Seidel: one contact at a time, over and over."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.lcp.lcp_residual import lcp_residual
from flexmb.state import Array


@allocating
def solve_pgs(W: Array, b: Array, z: Array, max_iter: int, tol: float) -> tuple[int, bool]:
    """Solve ``w = W z + b, 0 <= w perp z >= 0`` by projected Gauss-Seidel.

    Converges for symmetric positive semidefinite W, slowly when contacts are strongly coupled; for other W it may
    not converge. The residual is looked at after every sweep at first, then after every eighth.

    Parameters
    ----------
    W : (n, n) array
    b : (n,) array
    z : (n,) array
        In: warm start. Out: the last iterate, z >= 0.
    max_iter : int
        Most sweeps.
    tol : float
        Residual to stop at, see ``lcp_residual``.

    Returns
    -------
    iterations : int
        Sweeps.
    ok : bool
        Whether the residual came down to ``tol``.
    """
    n = b.size
    for i in range(n):
        z[i] = max(z[i], 0.0) if W[i, i] > 0.0 else 0.0
    residual = lcp_residual(W, b, z)
    iterations = 0
    while residual > tol and np.isfinite(residual) and iterations < max_iter:
        for i in range(n):
            if W[i, i] > 0.0:
                w = b[i]
                for j in range(n):
                    w += W[i, j] * z[j]
                z[i] = max(z[i] - w / W[i, i], 0.0)
        iterations += 1
        if iterations <= 8 or iterations % 8 == 0 or iterations == max_iter:
            residual = lcp_residual(W, b, z)
    if not np.isfinite(residual):
        for i in range(n):
            z[i] = 0.0  # diverged: nothing in the iterate is worth keeping
    return iterations, residual <= tol
