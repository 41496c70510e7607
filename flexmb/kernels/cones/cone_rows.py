"""The rows of W as lists of their entries, the blocks on its diagonal, and U = W P + b from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_project import LARGEST
from flexmb.state import Array, IntArray


class SparseRows(NamedTuple):
    """Compressed rows: entries ``ptr[i]:ptr[i + 1]`` of ``idx`` (columns, rising) and ``val`` are those of row i."""

    ptr: IntArray
    idx: IntArray
    val: Array


@allocating
def sparse_rows(W: Array) -> SparseRows:
    """Return the entries of a dense W that are not zero."""
    n = W.shape[0]
    ptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        k = 0
        for j in range(n):
            k += 1 if W[i, j] != 0.0 else 0
        ptr[i + 1] = ptr[i] + k
    idx, val = np.empty(ptr[n], np.int64), np.empty(ptr[n])
    at = 0
    for i in range(n):
        for j in range(n):
            if W[i, j] != 0.0:
                idx[at], val[at] = j, W[i, j]
                at += 1
    return SparseRows(ptr, idx, val)


@allocating
def row_product(W: SparseRows, P: Array, b: Array, i: int) -> float:
    """Return row i of W P + b."""
    u = b[i]
    for k in range(W.ptr[i], W.ptr[i + 1]):
        u += W.val[k] * P[W.idx[k]]
    return u


@allocating
def velocities(W: SparseRows, P: Array, b: Array, U: Array) -> None:
    """Fill U = W P + b."""
    for i in range(b.size):
        U[i] = row_product(W, P, b, i)


@allocating
def own_blocks(W: SparseRows, start: IntArray) -> Array:
    """Return the blocks on the diagonal of W, (nb, 7, 7), filled up with zeros."""
    nb = start.size - 1
    out = np.zeros((nb, LARGEST, LARGEST))
    for i in range(nb):
        for r in range(start[i], start[i + 1]):
            for k in range(W.ptr[r], W.ptr[r + 1]):
                if start[i] <= W.idx[k] < start[i + 1]:
                    out[i, r - start[i], W.idx[k] - start[i]] = W.val[k]
    return out


@allocating
def part_of_blocks(W: SparseRows, start: IntArray) -> IntArray:
    """Return the number of the part of each block, (nb,): parts are not coupled by entries of W."""
    nb = start.size - 1
    block, first = np.empty(W.ptr.size - 1, np.int64), np.arange(nb)
    for i in range(nb):
        block[start[i] : start[i + 1]] = i
    for r in range(block.size):
        for k in range(W.ptr[r], W.ptr[r + 1]):
            if W.val[k] == 0.0:
                continue
            i, j = block[r], block[W.idx[k]]
            while first[i] != i:
                first[i] = first[first[i]]
                i = first[i]
            while first[j] != j:
                first[j] = first[first[j]]
                j = first[j]
            first[max(i, j)] = min(i, j)
    count, part = 0, np.empty(nb, np.int64)
    for i in range(nb):
        part[i] = count if first[i] == i else part[first[i]]
        count += 1 if first[i] == i else 0
    return part
