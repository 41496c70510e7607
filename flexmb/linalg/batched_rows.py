"""Products and sums of many rows at once whose bits do not depend on how many there are."""

from __future__ import annotations

import numpy as np

from flexmb.state import Array


def row_product(x: Array, A: Array) -> Array:
    """Return x A^T, row by row.

    Runs look at their states in blocks whose length depends on how fast the machine is. BLAS would add up the terms of
    a row in an order that depends on the number of rows, and the last bits of a signal with it.

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
