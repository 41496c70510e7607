"""The highest frequency of M q'' + K q = 0, which limits the steps of explicit schemes."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from flexmb.state import Array

DENSE = 60
"""Number of unknowns up to which all frequencies are computed."""


def highest_frequency(M: sparse.csr_array, K: sparse.csr_array) -> tuple[float, Array]:
    """Return the highest angular frequency, rad/s, and its shape (n,); 0 without vibration.

    Parameters
    ----------
    M : (n, n) sparse array
        Symmetric, positive definite.
    K : (n, n) sparse array
        Its symmetric part counts.
    """
    n = M.shape[0]
    K = sparse.csr_array(0.5 * (K + K.T))
    if not n or not abs(K).max() > 0.0:
        return 0.0, np.zeros(n)
    if n <= DENSE:
        squares, shapes = linalg.eigh(K.toarray(), M.toarray())
    else:
        inverse = LinearOperator((n, n), splu(sparse.csc_matrix(M)).solve, dtype=np.float64)
        begin = np.random.default_rng(0).standard_normal(n)  # a reproducible start vector that contains every mode
        try:
            squares, shapes = eigsh(K, 1, M, which="LA", v0=begin, Minv=inverse, tol=1e-8)
        except ArpackError:  # also without convergence
            squares, shapes = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=(n - 1, n - 1))
    return float(np.sqrt(max(squares[-1], 0.0))), np.asarray(shapes[:, -1])
