"""A stiffness matrix as deformation modes: K = sum_m D_m b_m b_m^T, each b_m a sum of differences of unknowns.

K q and q^T K q evaluated with the assembled matrix cancel: the entries of a fine beam grow with 1/l^3, and the
displacements of a flying body are large and nearly equal. Evaluated by modes whose terms are differences of like
unknowns, they keep all digits, and so does the energy ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class Strain:
    """Mode m is ``sum_k c[k] (x[i[k]] - x[j[k]])`` over its terms k = ptr[m] .. ptr[m + 1] - 1.

    ``i`` or ``j`` may be -1: no unknown there (a support, or a term that is not a difference).

    Parameters
    ----------
    ptr : (modes + 1,) int array
    i, j : (terms,) int arrays
    c : (terms,) array
    D : (modes,) array
        Stiffness of each mode.
    nv : int
        Number of unknowns.
    """

    ptr: IntArray
    i: IntArray
    j: IntArray
    c: Array
    D: Array
    nv: int

    def modes(self, x: Array) -> Array:
        """Return the modes of x, (modes,) or (modes, k) for x of shape (nv,) or (nv, k)."""
        if not self.D.size:
            return np.zeros((0, *x.shape[1:]))
        padded = np.concatenate([x, np.zeros((1, *x.shape[1:]))])
        terms = (self.c * (padded[self.i] - padded[self.j]).T).T
        return np.asarray(np.add.reduceat(terms, self.ptr[:-1], axis=0))

    @cached_property
    def _mode_of(self) -> IntArray:
        """Mode of each term, (terms,)."""
        return np.repeat(np.arange(self.D.size), np.diff(self.ptr))

    @cached_property
    def _weights(self) -> Array:
        """Stiffness of its mode times c of each term, (terms,)."""
        return np.asarray(self.D[self._mode_of] * self.c)

    def force(self, x: Array) -> Array:
        """Return K x."""
        t = (self._weights * self.modes(x)[self._mode_of].T).T
        out = np.zeros((self.nv + 1, *x.shape[1:]))
        np.add.at(out, self.i, t)
        np.subtract.at(out, self.j, t)
        return out[:-1]

    def energy(self, x: Array) -> float:
        """Return x^T K x / 2 for x of shape (nv,)."""
        return 0.5 * float(np.sum(self.D * self.modes(x) ** 2))

    def matrix(self) -> sparse.csr_array:
        """Return the stiffness matrix K."""
        rows, cols = np.concatenate([self._mode_of, self._mode_of]), np.concatenate([self.i, self.j])
        data, there = np.concatenate([self.c, -self.c]), np.concatenate([self.i, self.j]) >= 0
        B = sparse.csr_array((data[there], (rows[there], cols[there])), shape=(self.D.size, self.nv))
        return sparse.csr_array(B.T @ sparse.diags_array(self.D) @ B)

    def scaled(self, factor: float) -> Strain:
        """Return the modes with their stiffness times ``factor``."""
        return Strain(self.ptr, self.i, self.j, self.c, factor * self.D, self.nv)

    def placed(self, where: IntArray, nv: int, sign: Array | None = None) -> Strain:
        """Return the modes over other unknowns: unknown k becomes ``sign[k]`` times unknown ``where[k]``, -1 drops it.

        Both unknowns of a difference must have the same sign.
        """
        to = np.append(where, -1)
        c = self.c if sign is None else self.c * np.append(sign, 1.0)[np.where(self.i >= 0, self.i, self.j)]
        return Strain(self.ptr, to[self.i], to[self.j], c, self.D, nv)


def stack(parts: list[Strain], nv: int) -> Strain:
    """Return all modes of the parts, which must be over the same unknowns."""
    starts = np.cumsum([0, *(p.c.size for p in parts)])
    return Strain(
        np.concatenate([np.zeros(1, dtype=np.int64), *(p.ptr[1:] + s for p, s in zip(parts, starts, strict=False))]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(p.i for p in parts)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(p.j for p in parts)]),
        np.concatenate([np.zeros(0), *(p.c for p in parts)]),
        np.concatenate([np.zeros(0), *(p.D for p in parts)]),
        nv,
    )


def regular(i: IntArray, j: IntArray, c: Array, D: Array, nv: int) -> Strain:
    """Return modes with the same number of terms each; i, j and c are (modes, terms)."""
    ptr = np.arange(len(D) + 1, dtype=np.int64) * i.shape[1]
    return Strain(ptr, i.ravel().astype(np.int64), j.ravel().astype(np.int64), c.ravel().astype(float), D, nv)


def from_columns(G: sparse.csc_array, D: Array) -> Strain:
    """Return the modes G^T x of springs; a column (.., a, .., -a, ..) becomes a difference."""
    ptr, i, j, c = [0], [], [], []
    for m in range(G.shape[1]):
        rows = G.indices[G.indptr[m] : G.indptr[m + 1]].tolist()
        values = G.data[G.indptr[m] : G.indptr[m + 1]].tolist()
        left = dict(zip(rows, values, strict=True))
        while left:
            row, value = left.popitem()
            partner = next((r for r, v in left.items() if v == -value), -1)
            left.pop(partner, None)
            i.append(row)
            j.append(partner)
            c.append(value)
        ptr.append(len(i))
    return Strain(np.array(ptr), np.array(i, dtype=np.int64), np.array(j, dtype=np.int64), np.array(c), D, G.shape[0])


def spring_modes(unknowns: IntArray, K: Array, nv: int) -> Strain:
    """Return x^T K x / 2, K symmetric over some unknowns, as modes: the eigenvectors of K with nonzero energy."""
    values, vectors = np.linalg.eigh(K)
    keep = values != 0.0
    i = np.broadcast_to(unknowns, (int(keep.sum()), unknowns.size))
    return regular(i, np.full(i.shape, -1), vectors.T[keep], values[keep], nv)
