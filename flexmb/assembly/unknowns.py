"""The unknowns of a ``Builder`` as arrays: positions, angles, and displacements of mass per unit."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmb.assembly.markers import Marker
from flexmb.kernels.geometry import tables as tab
from flexmb.state import Array, IntArray

if TYPE_CHECKING:
    from flexmb.assembly.builder import Builder


def unknowns_of(b: Builder) -> tab.Unknowns:
    """Return the unknowns of all parts added."""
    nv = len(b.v0)
    turn_v = np.array(sorted(b.turning), dtype=np.int64)
    turns = np.zeros(nv, dtype=np.bool_)
    turns[turn_v] = True
    reach = _reach(b, turns)
    frame_q, frame_v = columns(b.frames, 2)
    plain_q, plain_v = columns([*b.plain, *b.spins], 2)
    flight, share = _flight(b, nv)
    unit = np.where(turns, 1.0, reach)
    return tab.Unknowns(frame_q, frame_v, plain_q, plain_v, turn_v, reach[turn_v], unit, flight, share)


def _reach(b: Builder, turns: NDArray[np.bool_]) -> Array:
    """Return the displacement of mass per unit of each unknown, m: from the ratio of inertia to mass.

    The mass is that of the frame, or the largest one of a displacement of the same body.
    """
    nv = turns.size
    inertia = summed(b.matrices["M"], nv).diagonal()
    mass = np.full(nv, inertia[~turns].max(initial=0.0))
    for info in b.bodies.values():
        own = np.asarray(info.unknowns, dtype=np.int64)
        mass[own] = inertia[own[~turns[own]]].max(initial=0.0)
    for _, iv in b.frames:
        mass[iv : iv + 6] = inertia[iv : iv + 3].max()
    modes = np.zeros(nv, dtype=np.bool_)
    data: list[dict[str, Any]] = list(b.floating)
    for body in data:
        m, iv, first = int(body["modes"]), int(body["frame_v"]), int(body["mode_v"])
        rigid = np.diag(np.asarray(body["rr0"], dtype=np.float64).reshape(6, 6))
        inertia[iv : iv + 6] = rigid
        inertia[first : first + m] = np.diag(np.asarray(body["ff"], dtype=np.float64).reshape(m, m))
        mass[iv : iv + 6] = mass[first : first + m] = rigid[:3].max()
        modes[first : first + m] = True
    known = (inertia > 0.0) & (mass > 0.0)
    reach = np.sqrt(np.where(known, inertia, 1.0) / np.where(known, mass, 1.0))
    return np.where(turns | modes, reach, 1.0)


def _flight(b: Builder, nv: int) -> tuple[IntArray, Array]:
    """Return the index of the mean velocity of each unknown, and 1 over the number of unknowns of each mean.

    Frames, planar bodies and particles that nothing but each other holds, pulls or may touch have three together; the
    rest have the first three, which are zero.
    """
    carriers = _carriers(b, nv)
    number = {first: k for k, first in enumerate(carriers)}
    ground = len(number)
    carrier = np.array([number.get(_first(place), ground) for place, _ in b.markers], dtype=np.int64)
    rows: list[dict[str, Any]] = [*b.rows["joints"], *b.rows["contacts"]]
    ties = [r["markers"][:2] for r in rows if r["kind"] not in (tab.DOT, tab.ANGLE)]
    for group in b.contacts:
        if group.spheres is not None:  # any two of them may come into contact
            ties += list(itertools.pairwise([marker for marker, _ in group.points]))
    laws: list[dict[str, Any]] = [*b.springs, *b.beams]
    first, second = columns([*ties, *((law["A"], law["B"]) for law in laws)], 2)
    held = np.zeros(nv, dtype=np.bool_)
    held[np.concatenate([np.zeros(0, dtype=np.int64), *(r for k in "CK" for r, _, _ in b.matrices[k])])] = True
    on_ground = [k for k, moves in enumerate(carriers.values()) if held[list(moves)].any()]
    i = np.concatenate([carrier[first], on_ground]).astype(np.int64)
    j = np.concatenate([carrier[second], np.full(len(on_ground), ground)]).astype(np.int64)
    graph = sparse.coo_array((np.ones(i.size), (i, j)), shape=(ground + 1, ground + 1))
    label = connected_components(graph, directed=False)[1]
    free = {int(k): n for n, k in enumerate(np.unique(label[label != label[ground]]), start=1)}
    flight = np.zeros(nv, dtype=np.int64)
    for k, moves in enumerate(carriers.values()):
        for iv, axis in moves.items():
            flight[iv] = 3 * free[int(label[k])] + axis if int(label[k]) in free else 0
    share = 1.0 / np.maximum(np.bincount(flight, minlength=3 * len(free) + 3), 1)
    share[:3] = 0.0
    return flight, share


def _first(place: Marker) -> int:
    """Return the first unknown of the carrier of a place, -1 for the ground."""
    return place.iv if place.kind != tab.NODE else int(place.dof[0]) if place.dof.size else -1


def _carriers(b: Builder, nv: int) -> dict[int, dict[int, int]]:
    """Return the unknowns that move a frame, planar body or particle along an axis of space, by its first unknown."""
    found = {iv: {iv + k: k for k in range(3)} for _, iv in b.frames}
    for place in [place for place, _ in b.markers] + [place for info in b.bodies.values() for place in info.nodes]:
        if place.kind == tab.PLANAR and place.iv < nv:
            found[place.iv] = {place.iv + k: k for k in range(2)}
    for info in b.bodies.values():
        if info.single and len(info.nodes) == 1 and info.nodes[0].kind == tab.NODE:
            place = info.nodes[0]
            axes = np.abs(place.D[:, :3]).argmax(axis=1)
            if place.dof.size == len(info.unknowns) and np.array_equal(place.D[:, :3], np.eye(3)[axes]):
                found[_first(place)] = dict(zip(place.dof.tolist(), axes.tolist(), strict=True))
    return found


def summed(blocks: Sequence[tuple[IntArray, IntArray, Array]], nv: int) -> sparse.csr_array:
    """Return the sum of blocks of entries (rows, columns, values) over v."""
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(r for r, _, _ in blocks)])
    cols = np.concatenate([np.zeros(0, dtype=np.int64), *(c for _, c, _ in blocks)])
    data = np.concatenate([np.zeros(0), *(d for _, _, d in blocks)])
    A = sparse.csr_array(sparse.coo_array((data, (rows, cols)), shape=(nv, nv)))
    A.sum_duplicates()
    A.eliminate_zeros()
    A.sort_indices()
    return A


def columns(rows: Sequence[tuple[int, ...]], k: int) -> list[IntArray]:
    """Return the k columns of a table of integers."""
    table = np.array(rows, dtype=np.int64).reshape(-1, k)
    return [np.ascontiguousarray(table[:, j]) for j in range(k)]
