"""Products and sums of many rows whose round-off does not depend on the number of rows."""

from __future__ import annotations

import numpy as np

from flexmb.state import Array


def row_product(x: Array, A: Array) -> Array:
    """Return x A^T, row by row.

    Runs evaluate their states in blocks whose length depends on the speed of the machine. The summation order of BLAS,
    and with it the last bits of a signal, would depend on the number of rows.

    Parameters
    ----------
    x : (k, n) array
    A : (m, n) array

    Returns
    -------
    (k, m) array
    """
    return np.asarray(np.einsum("kn,mn->km", np.ascontiguousarray(x), np.ascontiguousarray(A)))


def row_sum(x: Array) -> Array:
    """Return the sums over the second axis of x, (k, n) or (k, n, m); likewise the same for any k."""
    return np.asarray(np.ascontiguousarray(x).sum(axis=1))
