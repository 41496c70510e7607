"""Orderings that make the matrices of bars, beams and particles narrow bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from flexmb.kernels.algebra.sparse_rows import SparseRows
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class BandOrder:
    """A permutation of the unknowns and the resulting half-bandwidth.

    Parameters
    ----------
    perm : (n,) int array
        ``x[perm]`` is x in band order.
    inverse : (n,) int array
    bandwidth : int
    """

    perm: IntArray
    inverse: IntArray
    bandwidth: int

    def bands(self, A: sparse.csr_array) -> Array:
        """Return the lower bands of symmetric ``A`` in this order, (p + 1, n), p as small as ``A`` allows."""
        coo = sparse.coo_array(A)
        i = self.inverse[coo.row]
        j = self.inverse[coo.col]
        keep = (coo.data != 0.0) & (i >= j)
        p = int((i - j)[keep].max(initial=0))
        out = np.zeros((p + 1, A.shape[0]))
        np.add.at(out, ((i - j)[keep], j[keep]), coo.data[keep])
        return out

    def placed(self, A: sparse.csr_array) -> sparse.csr_array:
        """Return ``A`` in this order, without stored zeros."""
        A = sparse.csr_array(sparse.csr_array(A)[self.perm][:, self.perm])
        A.eliminate_zeros()
        A.sort_indices()
        return A

    def rows(self, A: sparse.csr_array) -> SparseRows:
        """Return ``A`` in this order for compiled products."""
        A = self.placed(A)
        return SparseRows(A.indptr.astype(np.int64), A.indices.astype(np.uint32), A.data.astype(np.float64))


def band_order(*matrices: sparse.csr_array) -> BandOrder:
    """Return an order in which all the given symmetric matrices are narrow.

    The natural order is kept if it is as narrow as reverse Cuthill-McKee's, so that a bar keeps its sequence.
    """
    n = matrices[0].shape[0]
    pattern = sparse.csr_array((n, n))
    for A in matrices:
        pattern = pattern + abs(sparse.csr_array(A))
    pattern.eliminate_zeros()
    natural = np.arange(n, dtype=np.int64)
    best, width = natural, _bandwidth(pattern, natural)
    if width > 1:
        rcm = np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(pattern), symmetric_mode=True), dtype=np.int64)
        narrower = _bandwidth(pattern, rcm)
        if narrower < width:
            best, width = rcm, narrower
    inverse = np.empty(n, dtype=np.int64)
    inverse[best] = natural
    return BandOrder(best, inverse, width)


def _bandwidth(pattern: sparse.csr_array, perm: IntArray) -> int:
    inverse = np.empty(perm.size, dtype=np.int64)
    inverse[perm] = np.arange(perm.size)
    coo = sparse.coo_array(pattern)
    return int(np.abs(inverse[coo.row] - inverse[coo.col]).max(initial=0))
