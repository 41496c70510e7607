"""The search for redundant columns of G, the gradients of the rows of joints: columns that depend on others."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from flexmb.kernels.algebra.sparse_lu import Symbolic, lu_factor, lu_solve
from flexmb.linalg.bordered import analyze, positions
from flexmb.linalg.factor import _not_definite, factor
from flexmb.linalg.inverse_mass import InverseMass, connected
from flexmb.state import Array, IntArray

DENSE_LIMIT = 500
"""Maximum number of coupled columns of G that are treated with dense matrices."""

FEW = 50
"""Number of columns up to which a dense matrix is always used."""

MOST_PER_COLUMN = 100
"""Entries of G^T M^-1 G per column up to which a large G is eliminated as a whole."""

NEARLY = 1e-6
"""Ratio below which the reduction of a large G examines a column in detail."""


class Candidates(NamedTuple):
    """Columns of G that may depend on each other, (k,) in ascending order, and their G^T M^-1 G, (k, k) sparse."""

    columns: IntArray
    W: sparse.csr_array


class Redundant(NamedTuple):
    """A column of G that depends on earlier ones.

    Parameters
    ----------
    row : int
        Its number, 0 .. nj - 1.
    ratio : float
        Square length of its part orthogonal to the earlier columns in the metric of M^-1, relative to its own (0 .. 1).
    combination : int array
        The earlier columns of which it is a combination; empty for a column of zeros.
    """

    row: int
    ratio: float
    combination: IntArray


def candidates(M: sparse.csr_array, G: sparse.csr_array | sparse.csc_array) -> list[Candidates]:
    """Return the sets of columns of ``G`` that may depend on each other.

    ``M`` (nv, nv) is symmetric positive definite; the columns of ``G`` (nv, nj) are gradients of the rows of joints.
    InputError is raised if ``M`` is not positive definite. Columns that are not connected by unknowns are treated
    separately. Up to ``DENSE_LIMIT`` connected columns are a set; more are first reduced by a sparse factorization to
    those that take part in a dependence, which does not change the result.
    """
    factor(M)  # raises for a matrix that is not positive definite, with the number of the unknown in the whole matrix
    g = sparse.csc_array(G, copy=True)
    g.eliminate_zeros()
    nv, nj = g.shape
    rows, cols, entries = _bordered(M, g)
    label = connected(sparse.coo_array((np.ones(entries.size), (rows, cols)), shape=(nv + nj, nv + nj)))
    inverse, sets = InverseMass(M), list[IntArray]()
    for columns in _sets(label[nv:]):
        if columns.size <= DENSE_LIMIT:
            sets.append(columns)
            continue
        if _independent(inverse, g[:, columns]):
            continue
        unknowns = np.flatnonzero(label[:nv] == label[nv + columns[0]])
        sets += [columns[s] for s in _circuits(M[unknowns][:, unknowns], g[unknowns][:, columns])]
    return _with_products(inverse, g, sets)


def dependent(sets: list[Candidates], tolerance: float) -> list[Redundant]:
    """Return the columns of ``candidates`` whose ratio (see ``Redundant``) is at most ``tolerance``, in their order."""
    found = [row for one in sets for row in _in_order(one.W, one.columns, tolerance)]
    return sorted(found, key=lambda row: row.row)


def even_masses(M: sparse.csr_array) -> sparse.csr_array:
    """Return M with every body (connected part) scaled to the same mass, its unknowns' geometric mean.

    Rows that depend on each other do so in any metric; with very different masses, other rows seem to depend on each
    other as well.
    """
    M, body = sparse.csr_array(M), connected(M)
    diagonal = M.diagonal()
    if not np.all(diagonal > 0.0):
        return M
    mean = np.exp(np.bincount(body, np.log(diagonal)) / np.bincount(body))
    scale = sparse.diags_array(1.0 / np.sqrt(mean[body]))
    return sparse.csr_array(scale @ M @ scale)


def null_directions(M: sparse.csr_array, G: sparse.csc_array, found: list[Redundant]) -> tuple[Array, float]:
    """Return orthonormal combinations n of columns with G n = 0, (k, nj), and the size of G n.

    Parameters
    ----------
    M, G : sparse
        As for ``candidates``.
    found : list of Redundant
        The k columns that depend on others.

    Returns
    -------
    null : (k, nj) array
    misfit : float
        The largest length of G n, relative to that of its terms, in the metric of M^-1.
    """
    g = sparse.csc_array(G)
    null = np.zeros((len(found), g.shape[1]))
    null[np.arange(len(found)), [row.row for row in found]] = 1.0
    for n, row in zip(null, found, strict=True):
        if 0 < row.combination.size <= FEW:
            few = g[:, np.concatenate([row.combination, [row.row]])]
            dense = few.tocsr()[np.unique(few.indices)].toarray()
            n[row.combination] = -np.linalg.lstsq(dense[:, :-1], dense[:, -1], rcond=None)[0]
    _long_combinations(g, [(n, row) for n, row in zip(null, found, strict=True) if row.combination.size > FEW])
    null = np.ascontiguousarray(np.linalg.qr(null.T)[0].T)
    used = np.flatnonzero(np.abs(null).max(axis=0) > 0.0)
    inverse, columns, part = InverseMass(M), g[:, used], null[:, used]
    left = inverse.diagonal(sparse.csc_array(columns @ part.T))
    return null, float(np.sqrt(np.max(left / np.maximum(part**2 @ inverse.diagonal(columns), 1e-300))))


def _long_combinations(g: sparse.csc_array, rows: list[tuple[Array, Redundant]]) -> None:
    """Write the factors of combinations of many columns: least squares by the sparse matrix [[1, A], [A^T, 0]].

    A has the columns of all combinations, which do not depend on each other.
    """
    if not rows:
        return
    kept = np.unique(np.concatenate([row.combination for _, row in rows]))
    used = np.unique(g[:, kept].indices)
    A, b = (sparse.csr_array(g[:, columns])[used] for columns in (kept, [row.row for _, row in rows]))
    lu = splu(sparse.block_array([[sparse.eye_array(used.size), A], [A.T, None]], format="csc"))
    for k, (n, row) in enumerate(rows):
        x = np.zeros(kept.size)
        for _ in range(2):  # the second solve removes round-off
            left = b[:, [k]].toarray()[:, 0] - A @ x
            x += lu.solve(np.concatenate([left, np.zeros(kept.size)]))[used.size :]
        n[row.combination] = -x[np.searchsorted(kept, row.combination)]


def _bordered(M: sparse.csr_array, G: sparse.csc_array) -> tuple[IntArray, IntArray, Array]:
    """Return rows, columns and values of the entries of [[M, -G], [G^T, 0]]."""
    m, g = sparse.coo_array(M), sparse.coo_array(G)
    border = g.col.astype(np.int64) + M.shape[0]
    rows = np.concatenate([m.row, g.row, border])
    cols = np.concatenate([m.col, border, g.row])
    return rows, cols, np.concatenate([m.data, -g.data, g.data])


def _sets(label: IntArray) -> list[IntArray]:
    """Return the indices of equal labels, each set in ascending order."""
    order = np.argsort(label, kind="stable")
    return [s for s in np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if s.size]


def _with_products(inverse: InverseMass, G: sparse.csc_array, sets: list[IntArray]) -> list[Candidates]:
    """Return the sets with their G^T M^-1 G; many small sets are solved together."""
    found: list[Candidates] = []
    ends = np.cumsum([s.size for s in sets])
    batch = ends // max(DENSE_LIMIT, 1)
    for members in _sets(batch):
        together = [sets[k] for k in members.tolist()]
        g = G[:, np.concatenate(together)]
        W = _product(g, inverse.times(g))
        first = 0
        for columns in together:
            last = first + columns.size
            found.append(Candidates(columns, sparse.csr_array(W[first:last, first:last])))
            first = last
    return found


def _product(A: sparse.csc_array, B: sparse.csc_array) -> sparse.csr_array:
    """Return A^T B of matrices with few rows that are not empty."""
    rows = np.unique(np.concatenate([A.indices, B.indices]))
    few = [
        sparse.csc_array((X.data, np.searchsorted(rows, X.indices), X.indptr), shape=(rows.size, X.shape[1]))
        for X in (A, B)
    ]
    return sparse.csr_array(few[0].T @ few[1])


def _independent(inverse: InverseMass, G: sparse.csc_array) -> bool:
    """Return whether clearly no column of G nearly depends on others, in any order of elimination.

    This requires G^T M^-1 G, which is not formed if a body with very many joints would fill it.
    """
    coo = sparse.coo_array(G)
    together = np.bincount(np.unique(inverse.part[coo.row] * G.shape[1] + coo.col) // G.shape[1])
    if np.sum(together**2) > MOST_PER_COLUMN * G.shape[1]:
        return False
    W = _product(G, inverse.times(G))
    return bool(np.all(W.diagonal() > 0.0)) and _all_kept(_scaled(W), 10.0 * NEARLY, "MMD_AT_PLUS_A")


def _scaled(W: sparse.csr_array) -> sparse.csr_array:
    """Return W with ones on its diagonal, except for zeros."""
    scale = np.sqrt(W.diagonal())
    scale[scale == 0.0] = 1.0
    row = np.repeat(np.arange(scale.size), np.diff(W.indptr))
    return sparse.csr_array((W.data / (scale[row] * scale[W.indices]), W.indices, W.indptr), shape=W.shape)


def _in_order(W: sparse.csr_array, columns: IntArray, tolerance: float) -> list[Redundant]:
    """Eliminate W = G^T M^-1 G in order, leaving out columns whose pivot has cancelled."""
    if columns.size <= FEW:
        full = W.toarray()
        scale = np.sqrt(np.diag(full))
        scale[scale == 0.0] = 1.0
        full /= np.outer(scale, scale)
        return [] if _definite(full, tolerance) else _left_out(full, columns, tolerance)
    W = _scaled(W)
    return [] if _all_kept(W, tolerance) else _left_out(W.toarray(), columns, tolerance)


def _definite(W: Array, tolerance: float) -> bool:
    """Return whether no pivot of a full W cancels in its elimination in order."""
    try:
        return bool(np.all(np.diag(np.linalg.cholesky(W)) ** 2 > tolerance))
    except np.linalg.LinAlgError:
        return False


def _left_out(W: Array, columns: IntArray, tolerance: float) -> list[Redundant]:
    """Return the columns that ``_in_order`` leaves out; W has ones on its diagonal, or zeros."""
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


def _all_kept(W: sparse.csr_array, tolerance: float, order: Literal["NATURAL", "MMD_AT_PLUS_A"] = "NATURAL") -> bool:
    """Return whether no pivot of W cancels in its elimination in some order, with all columns kept."""
    try:
        options = {"SymmetricMode": True, "Equil": False}
        lu = splu(sparse.csc_matrix(W), permc_spec=order, diag_pivot_thresh=0.0, options=options)
    except RuntimeError:  # singular
        return False
    return bool(np.array_equal(lu.perm_r, lu.perm_c) and np.all(lu.U.diagonal() > tolerance))


def _circuits(M: sparse.csr_array, G: sparse.csc_array) -> list[IntArray]:
    """Return the sets of columns of G that contain all dependences, from the bordered matrix [[M, -G], [G^T, 0]].

    With small numbers on the diagonal one factorization shows all columns that are (nearly) combinations of columns
    eliminated before them. Without these the matrix is regular, and a solve for each gives its combination. A column
    that is in none of the combinations is independent, and sets without common columns are decoupled.
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
    label = connected(sparse.coo_array((np.ones(i.size), (i, j)), shape=(nj, nj)))
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
