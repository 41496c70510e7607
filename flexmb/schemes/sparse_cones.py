"""Many contacts with friction as the arrays of ``index_sets.cone_sets``: no matrix over pairs of contacts is formed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmb.kernels.cones.cone_problem import Cones
from flexmb.kernels.cones.cone_residual import cone_scales
from flexmb.kernels.index_sets.cone_faces import Faces
from flexmb.kernels.index_sets.cone_many import SparseCones
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.nonsmooth.bordered_problem import bordered, factored, own_response, row_lengths
from flexmb.schemes.many_contacts import FEW, Level, StepNumbers, response_of, step_equations
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem


def stacked(system: LinearSystem) -> sparse.csc_array:
    """Return the directions of all rows of velocities as columns, block after block, (nv, nc + nt)."""
    con, blocks = system.contacts, system.contacts.blocks
    at = np.argsort(np.concatenate([np.arange(con.nc) - 0.5, blocks.owner]), kind="stable")
    return sparse.csc_array(sparse.csc_array(sparse.hstack([con.G, con.H]))[:, at])


def sparse_pays(system: LinearSystem) -> bool:
    """Return whether the contacts are many, and their bordered matrix narrow enough to be faster than a dense one."""
    if system.contacts.nc <= FEW or (system.contacts.blocks.slides > 2).any():
        return False
    perm = _order(system).perm
    first = np.concatenate([[0], np.cumsum(1 + system.contacts.blocks.sizes)])
    D = sparse.csr_array(stacked(system).T)[:, perm]
    D = _one_pattern(D, D, first)
    S = sparse.csr_array(abs(system.M) + abs(system.C) + abs(system.K) + abs(system.gyro) + abs(system.cross))
    lengths = row_lengths(S[perm][:, perm], D, D).astype(float)
    return bool(6.0 * float((lengths**2).sum()) <= float(D.shape[0]) ** 3)


def _order(system: LinearSystem) -> BandOrder:
    """Return an order in which the matrices of a step are narrow, and the unknowns of a contact near each other."""
    con, blocks = system.contacts, system.contacts.blocks
    of_contact = sparse.csr_array((np.ones(blocks.nt), (np.arange(blocks.nt), blocks.owner)), shape=(blocks.nt, con.nc))
    D = sparse.csr_array(abs(con.G) + abs(con.H) @ of_contact)
    return band_order(*system.patterns, sparse.csr_array(D @ D.T))


def _rows_and_columns(
    system: LinearSystem, order: BandOrder, a: StepNumbers, first: IntArray
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the rows of all multipliers and their columns over the unknowns of ``step_equations``, (m, n)."""
    D = sparse.csr_array(stacked(system).T)[:, order.perm]
    if a.level is Level.ONE:
        return a.scale * D, D
    of_q, of_v = sparse.kron(D, [[1.0, 0.0]], format="csr"), sparse.kron(D, [[0.0, 1.0]], format="csr")
    moves = np.full(D.shape[0], 0.5)  # impulses move positions by h/2; those of normals with GGL by nu alone
    if a.level is Level.VELOCITY:
        return of_v, sparse.csr_array(sparse.diags_array(moves) @ of_q + of_v)
    nc = system.contacts.nc
    normal = first[nc:-1] - nc
    moves[normal] = 0.0
    rows = sparse.vstack([of_q[normal], of_v])
    columns = sparse.vstack([of_q[normal], sparse.diags_array(moves) @ of_q + of_v])
    return sparse.csr_array(rows), sparse.csr_array(columns)


def _one_pattern(rows: sparse.csr_array, columns: sparse.csr_array, first: IntArray) -> sparse.csr_array:
    """Return ones wherever a row or a column of the same block has an entry, (m, n)."""
    m, nb = rows.shape[0], first.size - 1
    owner = np.repeat(np.arange(nb), np.diff(first))
    block = sparse.csr_array((np.ones(m), (owner, np.arange(m))), shape=(nb, m))
    union = sparse.csr_array(block @ (abs(rows) + abs(columns)))
    union.data[:] = 1.0
    return sparse.csr_array(union[owner])


def _values(A: sparse.csr_array, pattern: sparse.csr_array) -> Array:
    """Return the entries of A in the order of a pattern that contains it."""
    places = sparse.csr_array((np.arange(1.0, pattern.nnz + 1), pattern.indices, pattern.indptr), shape=pattern.shape)
    out = np.zeros(pattern.nnz)
    coo = sparse.coo_array(A)
    if coo.nnz:
        at = np.asarray(places[coo.row, coo.col]).ravel().astype(np.int64) - 1
        np.add.at(out, at, coo.data)
    return out


def sparse_cones(system: LinearSystem, numbers: StepNumbers, cones: Cones) -> SparseCones:
    """Return the arrays of the solver for a problem of a scheme with these numbers."""
    order, first = _order(system), cones.first
    rows, columns = _rows_and_columns(system, order, numbers, first)
    pattern = _one_pattern(rows, columns, first)
    pattern.sort_indices()
    B = bordered(step_equations(system, order, numbers), pattern, pattern)
    row_val, col_val = _values(rows, pattern), _values(columns, pattern)
    B.row_val[:], B.col_val[:] = row_val, col_val
    A = factored(B)
    B.own[:] = own_response(B, A)
    return SparseCones(cones, B, response_of(system, order, numbers, A), _faces(cones, B.own, row_val, col_val))


def _faces(cones: Cones, own: Array, row_val: Array, col_val: Array) -> Faces:
    m, nb = own.size, cones.asked.size
    largest = own.copy()
    for i in range(nb):
        at = int(cones.first[i]) + 1
        for rows in cones.shape[i]:
            largest[at : at + rows] = own[at : at + rows].max(initial=0.0)
            at += int(rows)
    along, across, b, w, r, dz, best, start, z_0, w_0, soft = (np.zeros(m) for _ in range(11))
    return Faces(
        row_val=row_val,
        col_val=col_val,
        scale=cone_scales(own, cones.shape, cones.first),
        own=np.where(largest > 0.0, largest, 1.0),
        closed=np.zeros(nb, dtype=np.int64),
        slips=np.zeros((nb, 3), dtype=np.int64),
        along=along,
        across=across,
        member=np.zeros(m, dtype=np.int64),
        b=b,
        w=w,
        r=r,
        dz=dz,
        best=best,
        start=start,
        z_0=z_0,
        w_0=w_0,
        soft=soft,
    )
