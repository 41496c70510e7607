"""The judge of every solver of ``w = W z + b, 0 <= w perp z >= 0``: the scaled natural map."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.state import Array


@allocating
def violation(W: Array, b: Array, z: Array) -> tuple[int, float, float, float]:
    """Return the row that violates the complementarity most, by how much, and the sizes of b and of the answer.

    Returns
    -------
    row : int
        The worst row; -1 for n = 0.
    worst : float
        ``max_i |min(rho_i z_i, w_i)|`` with ``rho_i = W_ii`` (1 where ``W_ii <= 0``); infinite when anything is not
        finite.
    given, answered : float
        ``max_i |b_i|`` and ``max_i rho_i |z_i|``.
    """
    row, worst, given, answered = -1, -1.0, 0.0, 0.0
    for i in range(b.size):
        w = b[i]
        for j in range(b.size):
            w += W[i, j] * z[j]
        if not (np.isfinite(w) and np.isfinite(z[i])):
            return i, np.inf, given, answered
        rho = W[i, i] if W[i, i] > 0.0 else 1.0
        wrong = abs(min(rho * z[i], w))
        if wrong > worst:
            row, worst = i, wrong
        given = max(given, abs(b[i]))
        answered = max(answered, rho * abs(z[i]))
    return row, worst, given, answered


@allocating
def lcp_worst(W: Array, b: Array, z: Array) -> tuple[int, float]:
    """Return the row that violates the complementarity most, and the residual.

    The residual is ``max_i |min(rho_i z_i, w_i)| / scale`` with ``rho_i = W_ii`` (1 where ``W_ii <= 0``), so that
    both arguments have the unit of ``w``, and ``scale = max_i |b_i| + 1e-5 max_i rho_i |z_i|``: the second part lets
    pass what round-off of a large z leaves in w, but not an unsolvable problem whose z runs away. The residual is 0
    when the scale is 0 and infinite when anything is not finite.

    Parameters
    ----------
    W : (n, n) array
    b, z : (n,) arrays

    Returns
    -------
    row : int
        The worst row; -1 for n = 0.
    residual : float
        Dimensionless.
    """
    row, worst, given, answered = violation(W, b, z)
    if not np.isfinite(worst):
        return row, np.inf
    scale = given + 1e-5 * answered
    if scale == 0.0:
        return row, 0.0
    return row, worst / scale


@allocating
def lcp_residual(W: Array, b: Array, z: Array) -> float:
    """Return the residual of ``z`` as ``lcp_worst`` defines it."""
    return lcp_worst(W, b, z)[1]
