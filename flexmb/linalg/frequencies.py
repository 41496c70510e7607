"""The highest frequency of M q'' + K q = 0, which limits the steps of explicit schemes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from flexmb.state import Array

DENSE = 60
"""Number of unknowns up to which all frequencies are computed."""


POWERS = 300
"""Number of steps of the power iteration that replaces one that has not converged."""


def highest_frequency(
    M: sparse.csr_array, K: sparse.csr_array, held: Callable[[Array], Array] | None = None
) -> tuple[float, Array]:
    """Return the highest angular frequency, rad/s, and its shape (n,); 0 where nothing vibrates.

    Parameters
    ----------
    M : (n, n) sparse array
        Symmetric, positive definite.
    K : (n, n) sparse array
        Its symmetric part counts.
    held : callable, optional
        Solves with M where joints hold the system: b -> (M^-1 projected on what they allow) b.
    """
    n = M.shape[0]
    K = sparse.csr_array(0.5 * (K + K.T))
    if not n or not abs(K).max() > 0.0:
        return 0.0, np.zeros(n)
    if n <= DENSE and held is None:
        squares, shapes = linalg.eigh(K.toarray(), M.toarray())
    else:
        solve = held or splu(sparse.csc_matrix(M)).solve
        inverse = LinearOperator((n, n), solve, dtype=np.float64)
        begin = np.random.default_rng(0).standard_normal(n)  # meets every mode, with the same bits in every run
        if held is not None:
            begin = held(begin)  # all iterates stay within what the joints allow
        try:
            squares, shapes = eigsh(K, 1, M, which="LA", v0=begin, Minv=inverse, tol=1e-8)
        except ArpackError:  # also when it does not converge
            if held is not None:
                return _by_powers(M, K, held, begin)
            squares, shapes = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=(n - 1, n - 1))
    return float(np.sqrt(max(squares[-1], 0.0))), np.asarray(shapes[:, -1])


def _by_powers(
    M: sparse.csr_array, K: sparse.csr_array, held: Callable[[Array], Array], x: Array
) -> tuple[float, Array]:
    """Return an estimate of the highest frequency from below, and its shape, by power iteration."""
    square = 0.0
    for _ in range(POWERS):
        size = float(np.sqrt(x @ (M @ x)))
        if not size > 0.0:
            return 0.0, x
        x = x / size
        square = float(x @ (K @ x))
        x = held(K @ x)
    return float(np.sqrt(max(square, 0.0))), x
