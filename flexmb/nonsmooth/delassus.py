"""The Delassus operator: the coupling of contacts through their impulses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.state import Array

MOST_CONTACTS = 10_000
"""Maximum number of contacts of a system; W has this number squared entries."""
BLOCK = 64
"""Columns solved at a time; bounds the memory to 64 vectors of unknowns."""


def delassus(solve: Callable[[Array], Array], G: sparse.csc_array) -> Array:
    """Return ``W = G^T S^-1 G``.

    W is not symmetrized: a difference between W and its transpose indicates an error in S or in its solver.

    Parameters
    ----------
    solve : callable
        X -> S^-1 X for a dense block X of shape (nv, k), k <= 64.
    G : (nv, nc) sparse array, CSC
        Force directions as columns.

    Returns
    -------
    W : (nc, nc) array
    """
    nv, nc = G.shape
    if nc > MOST_CONTACTS:
        message = (
            f"at most {MOST_CONTACTS} are possible: their Delassus matrices are dense ({8e-9 * nc * nc:.3g} GB each)"
        )
        raise InputError(message, where="contacts", key="number", value=nc)
    W = np.empty((nc, nc))
    for first in range(0, nc, BLOCK):
        columns = slice(first, min(first + BLOCK, nc))
        X = np.asarray(G[:, columns].toarray(), dtype=np.float64)
        Y = np.asarray(solve(X))
        if Y.shape != X.shape:
            raise InputError(
                f"must return the shape it was given, {X.shape}", where="delassus", key="solve", value=Y.shape
            )
        W[:, columns] = G.T @ Y
    return W
