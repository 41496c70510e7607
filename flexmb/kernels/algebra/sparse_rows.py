"""Sparse matrices by rows, and products with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmb.kernels.compilation.jit import inner
from flexmb.state import Array, IntArray

IndexArray = NDArray[np.uint32]
"""Indices without sign: numba need not ask of each whether it counts from the end, a fifth of the time."""


class SparseRows(NamedTuple):
    """A matrix by rows: row i has the entries ``val[k]`` in the columns ``idx[k]``, k = ptr[i] .. ptr[i + 1] - 1."""

    ptr: IntArray
    idx: IndexArray
    val: Array


@inner
def sparse_product(A: SparseRows, x: Array, y: Array, kept: float) -> None:
    """Write ``kept`` y + A x into ``y``, which is not read where ``kept`` is zero."""
    for i in range(y.size):
        s, t = 0.0, 0.0
        k, end = A.ptr[i], A.ptr[i + 1]
        while k + 1 < end:  # two sums that do not wait for each other
            s += A.val[k] * x[A.idx[k]]
            t += A.val[k + 1] * x[A.idx[k + 1]]
            k += 2
        if k < end:
            s += A.val[k] * x[A.idx[k]]
        y[i] = kept * y[i] + (s + t) if kept != 0.0 else s + t
