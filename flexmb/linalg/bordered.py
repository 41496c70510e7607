"""Order and pattern of bordered matrices [[S, -G], [G^T, eps I]], and the search for redundant columns of G.

S has a symmetric pattern and is (nearly) positive definite, G has full rank. Then the matrix has an LU factorization
with diagonal pivots in every order in which each multiplier comes after all unknowns it is connected to: the leading
blocks are themselves bordered matrices with a full-rank G. Among these orders one of small fill is chosen by minimum
degree on groups of unknowns (frames, nodes, whole joints), so that a chain costs the same for each of its links.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from flexmb.kernels.sparse_lu import CANCELLED, Symbolic, lu_factor, lu_solve
from flexmb.linalg.factor import _not_definite, factor
from flexmb.state import Array, IntArray

DENSE_LIMIT = 500
"""Most columns of G, connected with each other, that are searched with full matrices."""

NEARLY = 1e-6
"""Ratio below which the thinning out of a large G takes a closer look at a column."""


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
        The unknowns 0 .. nv - 1, those that belong together in one array.
    joint_groups : list of int arrays
        The multipliers nv .. n - 1, likewise.
    rows, cols : int arrays
        Places of all entries that may ever differ from zero; repeated ones and one of (i, j), (j, i) suffice.
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
    """Return where the entries (row, col), in the original numbering, are in the array of values.

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
    """Return the groups in the order of elimination: always one with the fewest unknowns around it.

    A group of multipliers (number >= ``primal``) enters the choice when the last of its unknowns has gone. ``near`` is
    used up: it becomes the graph that is left. Entries of the heap that a later degree has overtaken are skipped.
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

    Row k has the entries of the matrix and those of the rows whose first entry is k (its children in the tree of
    elimination): what these leave behind meets again in row k.
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


class Redundant(NamedTuple):
    """A column of G that depends on earlier ones.

    Parameters
    ----------
    row : int
        Its number, 0 .. nj - 1.
    ratio : float
        What is left of its square length in the metric of M^-1 without the part along the earlier columns (0 .. 1).
    combination : int array
        The earlier columns it is a combination of; empty for a column of zeros.
    """

    row: int
    ratio: float
    combination: IntArray


def redundant(
    M: sparse.csr_array, G: sparse.csr_array | sparse.csc_array, tolerance: float = CANCELLED
) -> list[Redundant]:
    """Find the columns of ``G`` that depend on the columns before them.

    Columns that no path of unknowns connects are treated apart. Up to ``DENSE_LIMIT`` connected columns, G^T M^-1 G is
    eliminated as a full matrix, in order; more are first thinned out by a sparse factorization to those that take part
    in a dependence, which does not change the answer.

    Parameters
    ----------
    M : (nv, nv) sparse
        Symmetric positive definite.
    G : (nv, nj) sparse
        Its columns are the gradients of the rows of joints.
    tolerance : float
        Ratio (see ``Redundant``) up to which a column depends on others.

    Raises
    ------
    InputError
        If ``M`` is not positive definite.
    """
    factor(M)  # refuses a matrix that is not positive definite, with the number of the unknown in the whole of it
    g = sparse.csc_array(G, copy=True)
    g.eliminate_zeros()
    nv, nj = g.shape
    body = _connected(M)
    rows, cols, entries = _bordered(M, g)
    label = _connected(sparse.coo_array((np.ones(entries.size), (rows, cols)), shape=(nv + nj, nv + nj)))
    found: list[Redundant] = []
    for columns in _sets(label[nv:]):
        sets = [columns]
        if columns.size > DENSE_LIMIT:
            unknowns = np.flatnonzero(label[:nv] == label[nv + columns[0]])
            sets = [columns[s] for s in _circuits(M[unknowns][:, unknowns], g[unknowns][:, columns])]
        for s in sets:
            found += _in_order(_gram(M, g[:, s], body), s, tolerance)
    return sorted(found, key=lambda r: r.row)


def even_masses(M: sparse.csr_array) -> sparse.csr_array:
    """Return M with every body (connected part) scaled to the same mass, its unknowns' geometric mean.

    Rows that depend on each other do so in any metric; with very different masses, others seem to.
    """
    M, body = sparse.csr_array(M), _connected(M)
    diagonal = M.diagonal()
    if not np.all(diagonal > 0.0):
        return M
    mean = np.exp(np.bincount(body, np.log(diagonal)) / np.bincount(body))
    scale = sparse.diags_array(1.0 / np.sqrt(mean[body]))
    return sparse.csr_array(scale @ M @ scale)


def null_directions(M: sparse.csr_array, G: sparse.csc_array, found: list[Redundant]) -> tuple[Array, float]:
    """Return orthonormal combinations n of columns with G n = 0, (k, nj), and how far from zero G n is.

    Parameters
    ----------
    M, G : sparse
        As for ``redundant``.
    found : list of Redundant
        The k columns that depend on others.

    Returns
    -------
    null : (k, nj) array
    misfit : float
        The largest length of G n, over that of its parts, in the metric of M^-1.
    """
    g, body = sparse.csc_array(G), _connected(M)
    null = np.zeros((len(found), g.shape[1]))
    for n, row in zip(null, found, strict=True):
        n[row.row] = 1.0
        if row.combination.size:
            both = np.concatenate([row.combination, [row.row]])
            dense = g[:, both].toarray()
            n[row.combination] = -np.linalg.lstsq(dense[:, :-1], dense[:, -1], rcond=None)[0]
    null = np.ascontiguousarray(np.linalg.qr(null.T)[0].T)
    used = np.flatnonzero(np.abs(null).max(axis=0) > 0.0)
    columns, part = g[:, used], null[:, used]
    touched = np.flatnonzero(np.isin(body, body[columns.indices]))
    if not touched.size:
        return null, 0.0
    dense = columns[touched].toarray()
    solve = factor(M[touched][:, touched]).solve
    sums, size = dense @ part.T, np.sum(dense * solve(dense), axis=0)
    left = np.sum(sums * solve(sums), axis=0)
    return null, float(np.sqrt(np.max(left / np.maximum(part**2 @ size, 1e-300))))


def _bordered(M: sparse.csr_array, G: sparse.csc_array) -> tuple[IntArray, IntArray, Array]:
    """Return rows, columns and values of the entries of [[M, -G], [G^T, 0]]."""
    m, g = sparse.coo_array(M), sparse.coo_array(G)
    border = g.col.astype(np.int64) + M.shape[0]
    rows = np.concatenate([m.row, g.row, border])
    cols = np.concatenate([m.col, border, g.row])
    return rows, cols, np.concatenate([m.data, -g.data, g.data])


def _connected(graph: sparse.csr_array | sparse.coo_array) -> IntArray:
    """Return for each vertex the number of the connected part it is in."""
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _sets(label: IntArray) -> list[IntArray]:
    """Return the indices of equal labels, each set in rising order."""
    order = np.argsort(label, kind="stable")
    return [s for s in np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if s.size]


def _gram(M: sparse.csr_array, G: sparse.csc_array, body: IntArray) -> Array:
    """Return G^T M^-1 G, from the bodies (connected parts of M) that G touches alone."""
    touched = np.flatnonzero(np.isin(body, body[G.indices]))
    if not touched.size:
        return np.zeros((G.shape[1], G.shape[1]))
    g = G[touched].toarray()
    return np.asarray(g.T @ factor(M[touched][:, touched]).solve(g))


def _in_order(W: Array, columns: IntArray, tolerance: float) -> list[Redundant]:
    """Eliminate W = G^T M^-1 G in order, leaving out columns whose pivot has cancelled."""
    scale = np.sqrt(np.diag(W))
    scale[scale == 0.0] = 1.0
    W = W / np.outer(scale, scale)
    k = columns.size
    L = np.zeros((k, k))
    kept: list[int] = []
    found = []
    for j in range(k):
        m = len(kept)
        y = linalg.solve_triangular(L[:m, :m], W[kept, j], lower=True) if m else np.zeros(0)
        ratio = float(W[j, j] - y @ y)
        if ratio > tolerance:
            L[m, :m] = y
            L[m, m] = np.sqrt(ratio)
            kept.append(j)
            continue
        parts = np.abs(linalg.solve_triangular(L[:m, :m], y, lower=True, trans="T")) if m else y
        used = np.array(kept, dtype=np.int64)[parts > 1e-6 * parts.max(initial=0.0)]
        found.append(Redundant(int(columns[j]), max(ratio, 0.0), columns[used]))
    return found


def _circuits(M: sparse.csr_array, G: sparse.csc_array) -> list[IntArray]:
    """Return the sets of columns of G within which all dependences lie, from the bordered matrix [[M, -G], [G^T, 0]].

    With a little on the diagonal one factorization shows all columns that are (nearly) combinations of columns
    eliminated before them. Without these the matrix is regular, and a solve for each says of which. A column that
    appears in none of the combinations depends on nothing, and sets that share no column do not see each other.
    """
    nv, nj = G.shape
    rows, cols, entries = _bordered(M, G)
    singles = np.arange(nv + nj, dtype=np.int64)[:, None]
    sym = analyze(nv, nj, list(singles[:nv]), list(singles[nv:]), rows, cols)
    base = np.zeros(sym.col.size)
    np.add.at(base, positions(sym, rows, cols), entries)
    size = np.asarray(G.multiply(G).T @ (1.0 / M.diagonal()))
    val, dead = _regular(sym, base, 1e-9 * size)
    links: list[tuple[int, int]] = []
    work = np.empty(nv + nj)
    for r in np.flatnonzero(dead).tolist():
        b = np.zeros(nv + nj)
        b[:nv] = G[:, [r]].toarray()[:, 0]
        lu_solve(sym, val, b, work)
        parts = np.abs(b[nv:]) * np.sqrt(size)
        links += [(r, c) for c in np.flatnonzero(parts > 1e-8 * parts.max()).tolist()]
    i, j = np.array(links, dtype=np.int64).reshape(-1, 2).T
    label = _connected(sparse.coo_array((np.ones(i.size), (i, j)), shape=(nj, nj)))
    return [s for s in _sets(label) if dead[s].any()]


def _regular(sym: Symbolic, base: Array, eps: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Factor the bordered matrix ``base`` without dependent multipliers; return the factors and which those are."""
    n, nj = sym.perm.size, eps.size
    row = np.repeat(sym.perm, np.diff(sym.ptr))
    col = sym.perm[sym.col]
    work, weak = np.empty(n), np.empty(n)
    dead = np.zeros(n, dtype=np.bool_)
    own = sym.diag[sym.inverse[n - nj :]]
    while True:
        val = np.where(dead[row] | dead[col], 0.0, base)
        val[own] = np.where(dead[n - nj :], 1.0, eps)
        bad = lu_factor(sym, val, work, weak)
        if 0 <= bad < n - nj:
            raise _not_definite(-1)
        seen = weak < NEARLY
        seen[: n - nj] = False
        if not np.any(seen) and not np.any(eps):
            return val, dead[n - nj :]
        dead |= seen
        eps = np.zeros(nj)
