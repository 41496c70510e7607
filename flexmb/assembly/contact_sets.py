"""Working arrays for many contacts: their couplings, and the pattern of their problem."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.kernels.geometry.tables import System
from flexmb.kernels.index_sets.sparse_sets import SparseProblem
from flexmb.kernels.lcp.lcp import NEWTON
from flexmb.kernels.multibody.multibody import ContactSets
from flexmb.linalg.bordered import analyze, positions
from flexmb.state import IntArray

FEW = 30
"""Number of contacts up to which the problem is solved with a dense matrix."""

FEW_WITH_FRICTION = 200
"""The same for contacts with friction, for which the sparse solver converges more slowly."""

FULL = 4_000_000
"""Fill of the matrix of coupled contacts above which it is not treated as sparse."""


def friction_sets(system: System, sym: Symbolic) -> ContactSets:
    """Return the couplings of contacts with friction, if they are many; without arrays for their problem."""
    n, nc = sym.perm.size, system.contacts
    if nc <= FEW_WITH_FRICTION:
        return _room(n, 1)
    row_ptr, rows, acts, length = _parts_of(system, sym)
    sets = _room(n, 1, None, row_ptr, rows, acts, length)
    return sets._replace(dense=np.zeros((3, n)), response=np.zeros((3, 0)))


def contact_sets(system: System, sym: Symbolic, levels: int, method: int) -> ContactSets:
    """Return the arrays for the problem of all contacts; none if they are few, or nothing is sparse.

    Parameters
    ----------
    system : System
    sym : Symbolic
        Pattern of the bordered matrices.
    levels : int
        2 with GGL, else 1.
    method : int
        Solver of contact problems: methods other than ``NEWTON`` require the full matrix.
    """
    nc, n = system.contacts, sym.perm.size
    if nc <= FEW or method != NEWTON:
        return _room(n, levels)
    row_ptr, rows, acts, length = _parts_of(system, sym)
    near = sparse.csr_array(acts @ acts.T)
    if near.nnz * levels**2 > FULL:
        return _room(n, levels)
    near.sort_indices()
    return _room(n, levels, near, row_ptr, rows, acts, length)


def _parts_of(system: System, sym: Symbolic) -> tuple[IntArray, IntArray, sparse.csr_array, IntArray]:
    """Return the first row of each part, these rows, the parts on which contacts act, and the number of those rows."""
    label = _parts(sym)
    acts = _acted_on(system, label)
    rows = np.argsort(label[sym.perm], kind="stable").astype(np.int64)
    row_ptr = np.concatenate([[0], np.cumsum(np.bincount(label[sym.perm]))]).astype(np.int64)
    return row_ptr, rows, acts, np.asarray(acts @ np.diff(row_ptr), dtype=np.int64)


def pairs_of_contacts(system: System) -> IntArray:
    """Return the pairs of markers that belong to rows of contacts."""
    rows, first = system.rows, np.arange(system.joints, system.joints + system.contacts)
    counts = np.diff(rows.ptr)[first] ** 2
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(rows.pair[first], counts) + inside, dtype=np.int64)


def _parts(sym: Symbolic) -> IntArray:
    """Return the part (connected unknowns and joints) that each unknown or multiplier belongs to."""
    n = sym.perm.size
    graph: sparse.csr_array = sparse.csr_array((np.ones(sym.col.size), sym.col.astype(np.int64), sym.ptr), shape=(n, n))
    label = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
    return label[sym.inverse]


def _acted_on(system: System, label: IntArray) -> sparse.csr_array:
    """Return which parts each contact acts on, (nc, parts), ones and zeros."""
    rows, mk, nj = system.rows, system.markers, system.joints
    nc = system.contacts
    slots = rows.marker[rows.ptr[nj] :]
    contacts = np.append(np.arange(nc), rows.angle[nj + nc :, 0] - nj)
    contact = np.repeat(contacts, np.diff(rows.ptr)[nj:])
    counts = np.diff(mk.ptr)[slots]
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    dof = mk.dof[np.repeat(mk.ptr[slots], counts) + inside]
    shape = (nc, int(label.max(initial=-1)) + 1)
    found = sparse.csr_array((np.ones(dof.size), (np.repeat(contact, counts), label[dof])), shape=shape)
    found.sum_duplicates()
    found.data[:] = 1.0
    return found


def _room(
    n: int,
    levels: int,
    near: sparse.csr_array | None = None,
    row_ptr: IntArray | None = None,
    rows: IntArray | None = None,
    acts: sparse.csr_array | None = None,
    length: IntArray | None = None,
) -> ContactSets:
    """Return the arrays, empty ones without contacts."""
    none, start = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    near = sparse.csr_array((0, 0)) if near is None else near
    acts = sparse.csr_array((0, 0)) if acts is None else acts
    ptr = np.concatenate([start, np.cumsum(none if length is None else length)]).astype(np.int64)
    nc = near.shape[0]
    return ContactSets(
        problem=_problem(near, levels),
        row_ptr=start if row_ptr is None else row_ptr,
        row=none if rows is None else rows,
        part_ptr=acts.indptr.astype(np.int64),
        parts=acts.indices.astype(np.int64),
        ptr=ptr,
        response=np.zeros((3, int(ptr[-1]))),
        dense=np.zeros((3, n if nc else 0)),
        free=np.zeros(nc),
    )


def _problem(near: sparse.csr_array, levels: int) -> SparseProblem:
    """Return arrays for the problem of contacts that are coupled where ``near`` (nc, nc) has entries."""
    nc = near.shape[0]
    m, level = levels * nc, np.arange(levels)
    of_row = np.repeat(np.arange(nc), np.diff(near.indptr))
    entries = (of_row.size, levels, levels)
    rows = np.broadcast_to(levels * of_row[:, None, None] + level[:, None], entries).ravel().astype(np.int64)
    cols = np.broadcast_to(levels * near.indices[:, None, None] + level, entries).ravel().astype(np.int64)
    groups = list(np.arange(m, dtype=np.int64).reshape(nc, levels))
    order = analyze(m, 0, groups, [], rows, cols)
    size = order.col.size
    return SparseProblem(
        levels=levels,
        order=order,
        near_ptr=near.indptr.astype(np.int64),
        near=near.indices.astype(np.int64),
        pos=positions(order, rows, cols),
        W=np.zeros(size),
        factors=np.zeros(size),
        b=np.zeros(m),
        z=np.zeros(m),
        w=np.zeros(m),
        size=np.zeros(m),
        work=np.zeros(m),
        state=np.zeros(m, dtype=np.int64),
        may=np.zeros(m, dtype=np.int64),
    )
