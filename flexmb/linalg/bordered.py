"""Order and pattern of bordered matrices [[S, -G], [G^T, eps I]].

S has a symmetric pattern and is (nearly) positive definite, G has full rank. Then the matrix has an LU factorization
with diagonal pivots in every order in which each multiplier comes after all unknowns it is connected to: the leading
blocks are themselves bordered matrices with a full-rank G. Among these orders one of small fill is chosen by minimum
degree on groups of unknowns (frames, nodes, whole joints), so that a chain costs the same for each of its links.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.state import IntArray


def analyze(
    nv: int,
    nj: int,
    groups: Sequence[IntArray],
    joint_groups: Sequence[IntArray],
    rows: IntArray,
    cols: IntArray,
) -> Symbolic:
    """Choose the order of elimination and find the pattern of the factors.

    Parameters
    ----------
    nv, nj : int
        Numbers of unknowns and of multipliers; n = nv + nj.
    groups : list of int arrays
        The unknowns 0 .. nv - 1, one array per group.
    joint_groups : list of int arrays
        The multipliers nv .. n - 1, likewise.
    rows, cols : int arrays
        Positions of all entries that may differ from zero; repeated ones and one of (i, j), (j, i) suffice.
    """
    n = nv + nj
    members = [np.asarray(g, dtype=np.int64) for g in (*groups, *joint_groups)]
    group_of = _group_of(members, len(groups), nv, n)
    rows, cols = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    if min(rows.min(initial=0), cols.min(initial=0)) < 0 or max(rows.max(initial=-1), cols.max(initial=-1)) >= n:
        raise ValueError(f"entries outside a matrix of {n} rows")
    order = _minimum_degree(_neighbours(group_of[rows], group_of[cols], len(members)), members, len(groups))
    perm = np.concatenate([members[g] for g in order]) if members else np.zeros(0, dtype=np.int64)
    inverse = np.empty(n, dtype=np.int64)
    inverse[perm] = np.arange(n)
    return _symbolic(perm, inverse, inverse[rows], inverse[cols])


def positions(sym: Symbolic, rows: IntArray, cols: IntArray) -> IntArray:
    """Return the positions of the entries (row, col), in the original numbering, in the array of values.

    Raises
    ------
    ValueError
        If an entry is not in the pattern.
    """
    n = sym.perm.size
    keys = np.repeat(np.arange(n, dtype=np.int64), np.diff(sym.ptr)) * n + sym.col
    wanted = sym.inverse[rows] * n + sym.inverse[cols]
    where = np.searchsorted(keys, wanted)
    found = keys[np.minimum(where, max(keys.size - 1, 0))] == wanted
    if not np.all(found):
        k = int(np.argmin(found))
        raise ValueError(f"entry ({np.ravel(rows)[k]}, {np.ravel(cols)[k]}) is not in the pattern")
    return np.asarray(where, dtype=np.int64)


def _group_of(members: Sequence[IntArray], primal: int, nv: int, n: int) -> IntArray:
    """Return the group of every unknown; the first ``primal`` groups must hold 0 .. nv - 1, the others the rest."""
    for part, low, high in ((members[:primal], 0, nv), (members[primal:], nv, n)):
        listed = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *part]))
        if not np.array_equal(listed, np.arange(low, high)):
            raise ValueError(f"the groups must hold each of {low} .. {high - 1} once")
    out = np.empty(n, dtype=np.int64)
    for g, member in enumerate(members):
        out[member] = g
    return out


def _neighbours(a: IntArray, b: IntArray, count: int) -> list[set[int]]:
    """Return the groups each group has an entry with, itself excluded."""
    keys = np.unique(np.minimum(a, b) * count + np.maximum(a, b))
    near: list[set[int]] = [set() for _ in range(count)]
    for i, j in zip((keys // max(count, 1)).tolist(), (keys % max(count, 1)).tolist(), strict=True):
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return near


def _minimum_degree(near: list[set[int]], members: Sequence[IntArray], primal: int) -> list[int]:
    """Return the groups in the order of elimination: always one with the fewest unknowns connected to it.

    A group of multipliers (number >= ``primal``) becomes available when the last of its unknowns has been eliminated.
    ``near`` is modified: it becomes the remaining graph. Outdated entries of the heap are skipped.
    """
    size = [m.size for m in members]
    waits = [sum(u < primal for u in near[g]) if g >= primal else 0 for g in range(len(near))]
    held = [[u for u in near[g] if u >= primal] if g < primal else [] for g in range(len(near))]
    degree = [sum(size[u] for u in around) for around in near]
    heap = [(degree[g], g) for g in range(len(near)) if not waits[g]]
    heapq.heapify(heap)
    gone = [False] * len(near)
    order: list[int] = []
    while heap:
        d, g = heapq.heappop(heap)
        if gone[g] or d != degree[g]:
            continue
        gone[g] = True
        order.append(g)
        for joint in held[g]:
            waits[joint] -= 1
        around = near[g]
        for u in around:
            left = near[u]
            left |= around
            left -= {u, g}
            degree[u] = sum(size[w] for w in left)
            if not waits[u]:
                heapq.heappush(heap, (degree[u], u))
    return order


def _symbolic(perm: IntArray, inverse: IntArray, i: IntArray, j: IntArray) -> Symbolic:
    """Return the filled pattern for entries (i, j) in the order of elimination."""
    n = perm.size
    upper = _fill(n, i, j)
    count = np.array([len(row) for row in upper], dtype=np.int64)
    row = np.repeat(np.arange(n, dtype=np.int64), count)
    col = np.array([c for columns in upper for c in columns], dtype=np.int64)
    own = np.arange(n, dtype=np.int64) * (n + 1)
    keys = np.sort(np.concatenate([row * n + col, col * n + row, own]))
    row, col = keys // max(n, 1), keys % max(n, 1)
    ptr = np.searchsorted(row, np.arange(n + 1)).astype(np.int64)
    diag = np.searchsorted(keys, own).astype(np.int64)
    mirror = np.argsort(col * n + row, kind="stable").astype(np.uint32)
    run = np.ones(n, dtype=np.int64)
    for k in range(n - 2, -1, -1):
        if count[k] == count[k + 1] + 1 and upper[k][0] == k + 1:
            run[k] = run[k + 1] + 1
    return Symbolic(perm, inverse, ptr, col.astype(np.uint32), diag, mirror, run)


def _fill(n: int, i: IntArray, j: IntArray) -> list[list[int]]:
    """Return the sorted columns of each row of U right of the diagonal.

    Row k has the entries of the matrix and those of the rows whose first entry is k (its children in the elimination
    tree).
    """
    keys = np.unique(np.minimum(i, j) * n + np.maximum(i, j))
    row, col = keys // max(n, 1), keys % max(n, 1)
    off = row != col
    row, col = row[off], col[off]
    ptr = np.searchsorted(row, np.arange(n + 1)).tolist()
    cols = col.tolist()
    children: list[list[set[int]]] = [[] for _ in range(n)]
    upper: list[list[int]] = []
    for k in range(n):
        here = set(cols[ptr[k] : ptr[k + 1]]).union(*children[k])
        here.discard(k)
        children[k] = []
        sorted_here = sorted(here)
        upper.append(sorted_here)
        if sorted_here:
            children[sorted_here[0]].append(here)
    return upper
