"""Sparse matrices composed of many small ones, at the cost of copying their numbers.

scipy's own functions convert every block, which takes a tenth of a millisecond each: seconds for thousands of bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmb.state import IntArray


def _joined(parts: Sequence[np.ndarray], like: type) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=like), *parts])


def _shifted(parts: Sequence[np.ndarray], by: IntArray) -> np.ndarray:
    """Return arrays of indices in sequence, ``by[k]`` added to the k-th."""
    return _joined(parts, np.int64) + np.repeat(by, [part.size for part in parts])


def _starts(blocks: Sequence[sparse.csr_array | sparse.csc_array]) -> IntArray:
    """Return the row (or column) pointers of blocks that follow each other."""
    counts = _joined([np.diff(block.indptr) for block in blocks], np.int64)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _before(sizes: Sequence[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def block_diagonal(blocks: Sequence[sparse.csr_array]) -> sparse.csr_array:
    """Return the matrix with the blocks, of any shape, on its diagonal."""
    columns = _before([block.shape[1] for block in blocks])
    indices = _shifted([block.indices for block in blocks], columns[:-1])
    shape = (sum(block.shape[0] for block in blocks), int(columns[-1]))
    return sparse.csr_array((_joined([block.data for block in blocks], float), indices, _starts(blocks)), shape=shape)


def side_by_side(rows: int, blocks: Sequence[sparse.csc_array]) -> sparse.csc_array:
    """Return the columns of the blocks, each with ``rows`` rows, side by side; no block gives no column."""
    indices = _joined([block.indices for block in blocks], np.int64)
    shape = (rows, sum(block.shape[1] for block in blocks))
    return sparse.csc_array((_joined([block.data for block in blocks], float), indices, _starts(blocks)), shape=shape)


def rows_of(A: sparse.csr_array, first: int, last: int) -> sparse.csr_array:
    """Return the rows ``first`` .. ``last - 1``."""
    start, end = A.indptr[first], A.indptr[last]
    parts = A.data[start:end].copy(), A.indices[start:end].copy(), A.indptr[first : last + 1] - start
    return sparse.csr_array(parts, shape=(last - first, A.shape[1]))
