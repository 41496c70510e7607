"""M^-1 G for a mass matrix M of many bodies and columns G that involve a few of them each, body by body.

M couples unknowns of one body only, and of a rigid body often none with another, so M^-1 G is as sparse as G: the cost
grows with the entries of G, not with their number times that of the unknowns.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import SuperLU, splu

from flexmb.state import Array, IntArray

SMALL = 24
"""Maximum number of unknowns of a connected block of M that is inverted densely, together with others of its size."""

FEW = 100
"""Number of dense columns of G treated at a time for a large block of M."""


def connected(graph: sparse.csr_array | sparse.coo_array) -> IntArray:
    """Return for each vertex the number of its connected part."""
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


class InverseMass:
    """The inverse of a symmetric, regular matrix of many connected parts.

    Parameters
    ----------
    M : (n, n) sparse
    """

    def __init__(self, M: sparse.csr_array) -> None:
        M = sparse.csr_array(M, copy=True)
        M.eliminate_zeros()  # a pattern wider than the entries would connect bodies
        self.n, self.part = M.shape[0], connected(M)
        self.size = np.bincount(self.part)
        self._order = np.argsort(self.part, kind="stable")
        self._first = np.concatenate([[0], np.cumsum(self.size)]).astype(np.int64)
        self._within = np.empty(self.n, dtype=np.int64)
        self._within[self._order] = np.arange(self.n) - np.repeat(self._first[:-1], self.size)
        self._blocks = self._small_blocks(M)
        self._large: dict[int, SuperLU] = {}
        for p in np.flatnonzero(self.size > SMALL).tolist():
            own = self.members(p)
            self._large[p] = splu(sparse.csc_matrix(M[own][:, own]))

    def members(self, part: int) -> IntArray:
        """Return the unknowns of a connected part, in ascending order."""
        return np.asarray(self._order[self._first[part] : self._first[part + 1]], dtype=np.int64)

    def _small_blocks(self, M: sparse.csr_array) -> dict[int, tuple[IntArray, Array]]:
        """Return by size: the index of each part of this size among them, and their blocks (k, size, size)."""
        coo = sparse.coo_array(M)
        found = {}
        for size in np.unique(self.size[self.size <= SMALL]).tolist():
            parts = np.flatnonzero(self.size == size)
            place = np.full(self.size.size, -1, dtype=np.int64)
            place[parts] = np.arange(parts.size)
            own = place[self.part[coo.row]] >= 0
            i, j = coo.row[own], coo.col[own]
            blocks = np.zeros((parts.size, size, size))
            np.add.at(blocks, (place[self.part[i]], self._within[i], self._within[j]), coo.data[own])
            found[size] = place, blocks
        return found

    def times(self, G: sparse.csc_array) -> sparse.csc_array:
        """Return M^-1 G, (n, k); zeros are stored for all unknowns of a part that a column involves."""
        coo = sparse.coo_array(G)
        part = self.part[coo.row]
        pieces = [self._in_small(size, coo, part) for size in self._blocks]
        pieces += [self._in_large(p, coo, part) for p in np.unique(part[self.size[part] > SMALL]).tolist()]
        rows, cols, values = (np.concatenate([np.zeros(0), *column]) for column in zip(*pieces, strict=True))
        entries = (values, (rows.astype(np.int64), cols.astype(np.int64)))
        return sparse.csc_array(sparse.coo_array(entries, shape=G.shape))

    def _in_small(self, size: int, coo: sparse.coo_array, part: IntArray) -> tuple[Array, Array, Array]:
        """Return rows, columns and values of M^-1 G within the parts of one size."""
        place, blocks = self._blocks[size]
        own = place[part] >= 0
        width = coo.shape[1]
        keys, which = np.unique(part[own] * width + coo.col[own], return_inverse=True)  # a column within a part
        B = np.zeros((keys.size, size))
        np.add.at(B, (which.reshape(-1), self._within[coo.row[own]]), coo.data[own])
        of_part, col = keys // max(width, 1), keys % max(width, 1)
        X = np.linalg.solve(blocks[place[of_part]], B[:, :, None])[:, :, 0]
        rows = self._order[self._first[of_part][:, None] + np.arange(size)]
        return rows.ravel(), np.repeat(col, size), X.ravel()

    def _in_large(self, p: int, coo: sparse.coo_array, part: IntArray) -> tuple[Array, Array, Array]:
        """Return rows, columns and values of M^-1 G within a large part."""
        own, members = part == p, self.members(p)
        cols, which = np.unique(coo.col[own], return_inverse=True)
        B = np.zeros((members.size, cols.size))
        np.add.at(B, (self._within[coo.row[own]], which.reshape(-1)), coo.data[own])
        return np.repeat(members, cols.size), np.tile(cols, members.size), self._large[p].solve(B).ravel()

    def diagonal(self, G: sparse.csc_array) -> Array:
        """Return the diagonal of G^T M^-1 G, (k,)."""
        few = FEW if self._large else max(G.shape[1], 1)
        out = np.zeros(G.shape[1])
        for first in range(0, G.shape[1], few):
            columns = sparse.csc_array(G[:, first : first + few])
            out[first : first + few] = columns.multiply(self.times(columns)).sum(axis=0)
        return out
