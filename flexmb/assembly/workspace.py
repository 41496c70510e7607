"""Room for the compiled loops: pattern and places of the bordered matrices, and all working arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.kernels.arrays import Judge
from flexmb.kernels.evaluate import evaluate_stage
from flexmb.kernels.features import beams_stage, floating_stage, rotors_stage
from flexmb.kernels.lcp_others import judge_of
from flexmb.kernels.ledger import LEDGER_SIZE, TERMS_SIZE, empty_ledger
from flexmb.kernels.machine import Machine, MachineRoom
from flexmb.kernels.multibody import (
    LOWEST,
    MOTION_ROWS,
    NUMBERS,
    SCHATZMAN,
    TRIAL_ROWS,
    WEAK,
    WEAK_MASS,
    Between,
    Matrices,
    Motion,
    Samples,
    Scatter,
    SchemeNumbers,
    TangentWork,
    Trial,
)
from flexmb.kernels.multibody_contact import contact_stage
from flexmb.kernels.multibody_corner import corner_stage
from flexmb.kernels.multibody_ledger import account_stage
from flexmb.kernels.multibody_newton import assemble_stage, place_stage
from flexmb.kernels.multibody_samples import between_stage
from flexmb.kernels.multibody_schatzman import account_ahead_stage
from flexmb.kernels.sparse_lu import Symbolic
from flexmb.kernels.spin import PHI_V
from flexmb.kernels.stages import doors_of
from flexmb.kernels.tables import (
    CLASSES,
    FLOATING,
    FRAME,
    AngleState,
    Blocks,
    Markers,
    MarkerState,
    Matrix,
    Point,
    Rotors,
    RowState,
    System,
)
from flexmb.kernels.tangents import tangents_stage
from flexmb.linalg.bordered import analyze, positions
from flexmb.state import Array, IntArray


def point_of(system: System, nv: int) -> Point:
    """Return room for one evaluation of the system."""
    nm, nr = system.markers.kind.size, system.rows.kind.size
    na = system.angles.A.size
    return Point(
        markers=MarkerState(
            np.zeros((nm, 3)),
            np.zeros((nm, 3, 3)),
            np.zeros((system.markers.dof.size, 6)),
            np.zeros((nm, 6)),
            np.zeros((nm, 6)),
            np.zeros((CLASSES, nm, 6)),
            np.zeros((nm, 3)),
        ),
        angles=AngleState(np.zeros(na), np.zeros((na, 3)), np.zeros(na), np.zeros(na)),
        rows=RowState(np.zeros(nr), np.zeros(nr), np.zeros((system.rows.marker.size, 6))),
        F=np.zeros((CLASSES, nv)),
        A=np.zeros((system.unknowns.frame_q.size, 3, 3)),
        A_floating=np.zeros((system.floating.frame_q.size, 3, 3)),
        potential=np.zeros(1),
    )


def scratch_of(system: System) -> Array:
    """Return the scratch of the kernels of the parts."""
    m = int(system.floating.modes.max(initial=0))
    return np.zeros(512 + 40 * m + 8 * (6 + m) ** 2 + CLASSES)


def motion_of(system: System, q: Array, v: Array, null: Array) -> Motion:
    """Return room for a motion that starts at (q, v), q with its rests, and the redundant directions ``null`` there."""
    nv, nj = v.size, system.joints
    nr = system.rows.kind.size
    nc = nr - nj
    vec = np.zeros((MOTION_ROWS, nv))
    vec[0] = v
    ledger = np.zeros((2, LEDGER_SIZE))
    ledger[:] = empty_ledger()
    return Motion(
        q=q.copy(),
        q_before=q.copy(),
        vec=vec,
        F=np.zeros((CLASSES, nv)),
        P=np.zeros((CLASSES, nv)),
        joint=np.zeros((4, nj)),
        contact=np.zeros((4, nc)),
        rows=np.zeros((3, nr)),
        turn=np.zeros(system.angles.A.size),
        A=np.zeros((system.unknowns.frame_q.size, 3, 3)),
        numbers=_numbers(),
        since_field=np.zeros(3 * nc),
        ledger=ledger,
        terms=np.zeros(TERMS_SIZE),
        null=_directions(null, nj),
    )


def _directions(null: Array, nj: int) -> Array:
    """Return redundant directions as ``Motion.null`` has them, with room for those of singular positions."""
    known = np.column_stack([null, np.ones(null.shape[0])])
    return np.concatenate([known, np.zeros((min(nj, MORE_DIRECTIONS), nj + 1))])


def _numbers() -> Array:
    """Return ``Motion.numbers`` before the start."""
    numbers = np.zeros(NUMBERS)
    numbers[LOWEST] = np.inf
    return numbers


def between_of(system: System) -> Between:
    """Return room for the joints inside a step."""
    nm, nd, nf = system.markers.kind.size, system.markers.dof.size, system.unknowns.frame_q.size
    point = point_of(system, 0)
    return Between(
        markers=point.markers,
        angles=point.angles,
        rows=point.rows,
        wrench=np.zeros((nm, 6)),
        B=np.zeros((nf, 3, 3)),
        X=np.zeros((nf, 3, 3)),
        J_force=np.zeros((nd, 6)),
        J_move=np.zeros((nd, 6)),
    )


def trial_of(system: System, size: int, nv: int) -> Trial:
    """Return room for a step in the making; ``size`` is that of q with its rests."""
    nj = system.joints
    nc = system.rows.kind.size - nj
    big = np.zeros((7, nv + nj))
    big[[WEAK, WEAK_MASS]] = 1.0  # nothing is known to be weak before the first factorization
    return Trial(
        q=np.zeros(size),
        q_half=np.zeros(size),
        between=between_of(system),
        F=np.zeros((CLASSES, nv)),
        vec=np.zeros((TRIAL_ROWS, nv)),
        joint=np.zeros((4, nj)),
        contact=np.zeros((6, nc)),
        big=big,
        response=np.zeros((3, nc, nv + nj)),
        scale=np.ones(6),
        drift=np.zeros(system.unknowns.share.size),
        report=np.zeros(4),
    )


MORE_DIRECTIONS = 12
"""Room for directions that become redundant on the way."""

NO_SCHEME = SchemeNumbers(0, 0, 0, 0.0, 0.0, 0.25, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0, 1e-10, 40, 0.0, 0.0)
"""The numbers of a machine that is only asked about its system."""


def machine_of(
    system: System,
    q: Array,
    v: Array,
    groups: Sequence[IntArray],
    joint_groups: Sequence[IntArray],
    e: Array,
    numbers: SchemeNumbers = NO_SCHEME,
    judge: Judge | None = None,
    null: Array | None = None,
) -> MachineRoom:
    """Return all a run needs, at the state (q, v).

    Parameters
    ----------
    system : System
    q, v : (2 nq,), (nv,) arrays
    groups, joint_groups : lists of int arrays
        Unknowns, and rows of joints (counted from nv), that belong together: for the order of elimination.
    e : (nc,) array
        Restitution of the contacts.
    numbers : SchemeNumbers
    judge : Judge
        How contact problems are solved.
    null : (k, nj) array
        Orthonormal combinations of the rows of joints that make no force at (q, v).
    """
    sym, scatter, mats, work = _tools(system, v.size, groups, joint_groups)
    account = account_ahead_stage if numbers.family == SCHATZMAN else account_stage
    return MachineRoom(
        Machine(
            system=system,
            point=point_of(system, v.size),
            sym=sym,
            scatter=scatter,
            mats=mats,
            work=work,
            motion=motion_of(system, q, v, np.zeros((0, system.joints)) if null is None else null),
            trial=trial_of(system, q.size, v.size),
            numbers=numbers,
            judge=judge_of() if judge is None else judge,
            e=np.array(e, dtype=np.float64),
            step=np.array([0.0, 0.0, 0.0, 0.0, 0.0, -np.inf, 0.0, numbers.joint_level, numbers.eps, 0.0]),
            scratch=scratch_of(system),
            stages=doors_of(place_stage, assemble_stage, contact_stage, account),
            rare=doors_of(
                floating_stage, beams_stage, rotors_stage, corner_stage, between_stage, evaluate_stage, tangents_stage
            ),
            out=Samples(*(np.zeros((1, 1)) for _ in Samples._fields)),
            answer=np.zeros(2),
        )
    )


def _tools(
    system: System, nv: int, groups: Sequence[IntArray], joint_groups: Sequence[IntArray]
) -> tuple[Symbolic, Scatter, Matrices, TangentWork]:
    """Return the pattern of the bordered matrices, the places of all entries in it, and room for their values."""
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
    )
    nnz, npairs, nu = sym.col.size, system.pairs.first.size, maps.first.size
    most = max(6, int(np.diff(system.markers.ptr).max(initial=0)), 6 + int(system.floating.modes.max(initial=0)))
    work = TangentWork(
        blocks=Blocks(np.zeros((npairs, 6, 6)), np.zeros((npairs, 6, 6))),
        K6=np.zeros((nu, 6, 6)),
        C6=np.zeros((nu, 6, 6)),
        Z=np.zeros((system.markers.kind.size, 6, 6)),
        local=np.zeros((4, most, most)),
        half=np.zeros((6, most)),
        h=np.zeros((4, 6)),
        turned=np.zeros((system.unknowns.frame_v.size, 3, 3)),
        small=scratch_of(system),
    )
    return sym, scatter, Matrices(*(np.zeros(nnz) for _ in range(5))), work


class _Maps:
    """Rows and columns of all entries, part by part, in the order the kernels go through them."""

    def __init__(self, system: System, nv: int) -> None:
        mk, pairs = system.markers, system.pairs
        keys = pairs.first * mk.kind.size + pairs.second
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
    """Return the entries (unknown of first, unknown of second) of pairs of markers, and where each pair begins."""
    rows, cols, ptr = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [0]
    for f, s in zip(first, second, strict=True):
        a, b = mk.dof[mk.ptr[f] : mk.ptr[f + 1]], mk.dof[mk.ptr[s] : mk.ptr[s + 1]]
        rows.append(np.repeat(a, b.size))
        cols.append(np.tile(b, a.size))
        ptr.append(ptr[-1] + a.size * b.size)
    return (np.concatenate(rows), np.concatenate(cols)), np.array(ptr, dtype=np.int64)


def _entries(A: Matrix, nv: int) -> tuple[IntArray, IntArray]:
    return np.repeat(np.arange(nv, dtype=np.int64), np.diff(A.ptr)), A.col


def _blocks(M: Matrix, first: IntArray, nv: int) -> Array:
    """Return the inertia of the frames' rotations, (nf, 3, 3)."""
    out = np.zeros((first.size, 3, 3))
    for f, i in enumerate(first):
        for a in range(3):
            for k in range(M.ptr[i + 3 + a], M.ptr[i + 4 + a]):
                b = int(M.col[k]) - int(i) - 3
                if 0 <= b < 3:
                    out[f, a, b] = M.val[k]
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
    """Return the entries of ``Scatter.rotor_pos``; where one is not needed, one that is there anyway stands for it."""
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
    """Return the entries (unknown, multiplier) of the joints' rows, slot by slot."""
    mk, rows = system.markers, system.rows
    unknown, multiplier, ptr = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [0]
    for r in range(system.joints):
        for m in rows.marker[rows.ptr[r] : rows.ptr[r + 1]]:
            dof = mk.dof[mk.ptr[m] : mk.ptr[m + 1]]
            unknown.append(dof)
            multiplier.append(np.full(dof.size, nv + r, dtype=np.int64))
            ptr.append(ptr[-1] + dof.size)
    return (np.concatenate(unknown), np.concatenate(multiplier)), np.array(ptr, dtype=np.int64)


def _frame_of(system: System) -> IntArray:
    """Return the frame of each marker, -1 for those that are on none."""
    number = {int(iv): f for f, iv in enumerate(system.unknowns.frame_v)}
    on_frame = np.isin(system.markers.kind, (FRAME, FLOATING))
    pairs = zip(system.markers.iv, on_frame, strict=True)
    return np.array([number[int(iv)] if on else -1 for iv, on in pairs], dtype=np.int64)
