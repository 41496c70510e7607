"""Pattern of the bordered matrices of a system, and the positions of all contributions in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.assembly.contact_sets import pairs_of_contacts
from flexmb.kernels.algebra.sparse_lu import Symbolic
from flexmb.kernels.geometry.tables import FLOATING, FRAME, Markers, Matrix, Rotors, System
from flexmb.kernels.multibody.multibody import Scatter
from flexmb.kernels.multibody.spin import PHI_V
from flexmb.linalg.bordered import analyze, positions
from flexmb.state import Array, IntArray


class Pattern(NamedTuple):
    """Data shared by the machines of a system, independent of their state: it is never written.

    Parameters
    ----------
    sym : Symbolic
        Order of elimination and pattern of the factors.
    scatter : Scatter
        Positions of all entries in it.
    """

    sym: Symbolic
    scatter: Scatter


def pattern_of(system: System, nv: int, groups: Sequence[IntArray], joint_groups: Sequence[IntArray]) -> Pattern:
    """Return the pattern of the bordered matrices, and the positions of all entries in it.

    Parameters
    ----------
    system : System
    nv : int
        Number of velocities.
    groups, joint_groups : lists of int arrays
        Unknowns, and rows of joints (counted from nv), that belong together: for the order of elimination.
    """
    maps = _Maps(system, nv)
    rows, cols = np.concatenate([r for r, _ in maps.all]), np.concatenate([c for _, c in maps.all])
    sym = analyze(nv, system.joints, groups, joint_groups, rows, cols)
    where = positions(sym, rows, cols)
    parts = np.split(where, np.cumsum([r.size for r, _ in maps.all])[:-1])
    unique, own, M, C, K, frames, floating, rotors, spins, column, row, diagonal = parts
    scatter = Scatter(
        unique=maps.inverse,
        first=maps.first,
        second=maps.second,
        pair_ptr=maps.pair_ptr,
        pair_pos=unique,
        own_ptr=maps.own_ptr,
        own_pos=own,
        M_pos=M,
        C_pos=C,
        K_pos=K,
        frame_pos=np.ascontiguousarray(frames.reshape(-1, 9)),
        frame_J=maps.frame_J,
        floating_ptr=maps.floating_ptr,
        floating_pos=floating,
        rotor_pos=np.ascontiguousarray(rotors.reshape(-1, 4)),
        spin_pos=spins,
        border_ptr=maps.border_ptr,
        column_pos=column,
        row_pos=row,
        diagonal_pos=diagonal,
        frame_of=_frame_of(system),
        unit_v=np.zeros(0, dtype=np.int64),
        unit_of=np.full(nv, -1, dtype=np.int64),
    )
    return Pattern(sym, scatter)


class _Maps:
    """Rows and columns of all entries, part by part, in the order in which the kernels add them."""

    def __init__(self, system: System, nv: int) -> None:
        mk, pairs = system.markers, system.pairs
        keys = pairs.first * mk.kind.size + pairs.second
        # contacts have no stiffness: their pairs are replaced by that of the ground with itself, which has no unknowns
        keys[pairs_of_contacts(system)] = 0
        found, inverse = np.unique(keys, return_inverse=True)
        self.inverse = np.asarray(inverse, dtype=np.int64).reshape(-1)
        self.first, self.second = (found // mk.kind.size).astype(np.int64), (found % mk.kind.size).astype(np.int64)
        markers = np.arange(mk.kind.size)
        unique, self.pair_ptr = _products(mk, self.first, self.second)
        own, self.own_ptr = _products(mk, markers, markers)
        linear = [_entries(A, nv) for A in (system.linear.M, system.linear.C, system.linear.K)]
        turns = system.unknowns.frame_v[:, None] + 3 + np.arange(3)
        frames = (np.repeat(turns, 3, axis=1).ravel(), np.tile(turns, (1, 3)).ravel())
        self.frame_J = _blocks(system.linear.M, system.unknowns.frame_v, nv)
        floating, self.floating_ptr = _floating(system)
        column, self.border_ptr = _border(system, nv)
        diagonal = np.arange(nv, nv + system.joints, dtype=np.int64)
        spins = np.maximum(system.rotors.who[:, PHI_V], 0)
        rotors = [_rotors(system.rotors), (spins, spins)]
        self.all = [unique, own, *linear, frames, floating, *rotors, column, column[::-1], (diagonal, diagonal)]


def _products(mk: Markers, first: IntArray, second: IntArray) -> tuple[tuple[IntArray, IntArray], IntArray]:
    """Return the entries (unknown of first, unknown of second) of pairs of markers, and the start of each pair."""
    counts = np.diff(mk.ptr)
    wide, count = counts[second], counts[first] * counts[second]
    pair = np.repeat(np.arange(first.size), count)
    within = _within(count)
    rows = mk.dof[mk.ptr[first][pair] + within // np.maximum(wide[pair], 1)]
    cols = mk.dof[mk.ptr[second][pair] + within % np.maximum(wide[pair], 1)]
    return (rows, cols), _ends(count)


def _within(count: IntArray) -> IntArray:
    """Return 0 .. count[0] - 1, 0 .. count[1] - 1, ..."""
    return np.arange(int(count.sum()), dtype=np.int64) - np.repeat(np.cumsum(count) - count, count)


def _ends(count: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(count)]).astype(np.int64)


def _entries(A: Matrix, nv: int) -> tuple[IntArray, IntArray]:
    return np.repeat(np.arange(nv, dtype=np.int64), np.diff(A.ptr)), A.col


def _blocks(M: Matrix, first: IntArray, nv: int) -> Array:
    """Return the inertia of the frames' rotations, (nf, 3, 3)."""
    out = np.zeros((first.size, 3, 3))
    place = np.full(nv, -1, dtype=np.int64)
    place[(first[:, None] + 3 + np.arange(3)).ravel()] = np.arange(3 * first.size)
    row, col = (place[index] for index in _entries(M, nv))
    own = (row >= 0) & (col >= 0) & (row // 3 == col // 3)
    out[row[own] // 3, row[own] % 3, col[own] % 3] = M.val[own]
    return out


def _floating(system: System) -> tuple[tuple[IntArray, IntArray], IntArray]:
    fl = system.floating
    rows, cols, ptr = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [0]
    for b in range(fl.modes.size):
        index = np.concatenate([fl.frame_v[b] + np.arange(6), fl.mode_v[b] + np.arange(fl.modes[b])]).astype(np.int64)
        rows.append(np.repeat(index, index.size))
        cols.append(np.tile(index, index.size))
        ptr.append(ptr[-1] + index.size**2)
    return (np.concatenate(rows), np.concatenate(cols)), np.array(ptr, dtype=np.int64)


def _rotors(rotors: Rotors) -> tuple[IntArray, IntArray]:
    """Return the entries of ``Scatter.rotor_pos``; unused ones are replaced by an existing entry."""
    phi = rotors.who[:, PHI_V]
    of_entry = np.repeat(phi, np.diff(rotors.entry_ptr))
    of_table = np.repeat(np.repeat(phi, np.diff(rotors.table_ptr)), rotors.table[:, 3])
    rows, cols = [np.zeros((0, 4), np.int64)], [np.zeros((0, 4), np.int64)]
    for (i, j), spin in ((rotors.entry.T, of_entry), (rotors.table_entry.T, of_table)):
        k = np.where(spin < 0, i, spin)
        rows.append(np.column_stack([i, i, k, k]))
        cols.append(np.column_stack([j, k, i, j]))
    spin, (a, b) = np.repeat(phi, np.diff(rotors.turning_ptr)), rotors.turning.T
    ends = [(np.where(i < 0, np.maximum(spin, 0), i), np.where(spin < 0, np.maximum(i, 0), spin)) for i in (a, b)]
    (a, ka), (b, kb) = ends
    rows.append(np.column_stack([a, ka, b, kb]))
    cols.append(np.column_stack([ka, a, kb, b]))
    return np.concatenate(rows).ravel(), np.concatenate(cols).ravel()


def _border(system: System, nv: int) -> tuple[tuple[IntArray, IntArray], IntArray]:
    """Return the entries (unknown, multiplier) of the joints' rows, by slots."""
    mk, ptr = system.markers, system.rows.ptr[: system.joints + 1]
    marker = system.rows.marker[: ptr[-1]]
    count = np.diff(mk.ptr)[marker]
    unknown = mk.dof[np.repeat(mk.ptr[marker], count) + _within(count)]
    multiplier = np.repeat(nv + np.repeat(np.arange(system.joints, dtype=np.int64), np.diff(ptr)), count)
    return (unknown, multiplier), _ends(count)


def _frame_of(system: System) -> IntArray:
    """Return the frame of each marker, -1 for those without one."""
    number = {int(iv): f for f, iv in enumerate(system.unknowns.frame_v)}
    on_frame = np.isin(system.markers.kind, (FRAME, FLOATING))
    pairs = zip(system.markers.iv, on_frame, strict=True)
    return np.array([number[int(iv)] if on else -1 for iv, on in pairs], dtype=np.int64)
