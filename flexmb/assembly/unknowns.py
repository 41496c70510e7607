"""The unknowns of a ``Builder`` as arrays: where they are, which are angles, and how far they move mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmb.kernels import tables as tab
from flexmb.state import Array, IntArray

if TYPE_CHECKING:
    from flexmb.assembly.builder import Builder


def unknowns_of(b: Builder) -> tab.Unknowns:
    """Return the unknowns of everything that was added."""
    nv = len(b.v0)
    turn_v = np.array(sorted(b.turning), dtype=np.int64)
    turns = np.zeros(nv, dtype=np.bool_)
    turns[turn_v] = True
    reach = _reach(b, turns)
    return tab.Unknowns(  # type: ignore[call-arg]
        *columns(b.frames, 2),
        *columns([*b.plain, *b.spins], 2),
        turn_v,
        reach[turn_v],
        np.where(turns, 1.0, reach),
        *_flight(b, nv),
    )


def _reach(b: Builder, turns: NDArray[np.bool_]) -> Array:
    """Return how far a unit of each unknown moves mass, m: from the inertia of an angle or mode over a mass it turns.

    The mass is that of the frame, or the largest one that goes with a displacement of the same body.
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
    """Return to which mean velocity each translation belongs, -1 for none, and 1 over the number of each mean.

    Frames and planar bodies that nothing but each other holds, pulls or may touch have one together.
    """
    places = [place for place, _ in b.markers] + [place for info in b.bodies.values() for place in info.nodes]
    axes = {place.iv: 2 for place in places if place.kind == tab.PLANAR} | {iv: 3 for _, iv in b.frames}
    number = {iv: k for k, iv in enumerate(axes)}
    ground = len(number)
    carrier = np.array([number.get(place.iv, ground) for place, _ in b.markers], dtype=np.int64)
    rows: list[dict[str, Any]] = [*b.rows["joints"], *b.rows["contacts"]]
    ties = [r["markers"][:2] for r in rows if r["kind"] not in (tab.DOT, tab.ANGLE)]
    laws: list[dict[str, Any]] = [*b.springs, *b.beams]
    first, second = columns([*ties, *((law["A"], law["B"]) for law in laws)], 2)
    held = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(r for k in "CK" for r, _, _ in b.matrices[k])]))
    on_ground = [k for iv, k in number.items() if np.isin(iv + np.arange(axes[iv]), held).any()]
    i = np.concatenate([carrier[first], on_ground]).astype(np.int64)
    j = np.concatenate([carrier[second], np.full(len(on_ground), ground)]).astype(np.int64)
    graph = sparse.coo_array((np.ones(i.size), (i, j)), shape=(ground + 1, ground + 1))
    label = connected_components(graph, directed=False)[1]
    free = {int(k): n for n, k in enumerate(np.unique(label[label != label[ground]]))}
    flight = np.full(nv, -1, dtype=np.int64)
    for iv, k in number.items():
        if int(label[k]) in free:
            flight[iv : iv + axes[iv]] = 3 * free[int(label[k])] + np.arange(axes[iv])
    count = np.bincount(flight[flight >= 0], minlength=3 * len(free))
    return flight, 1.0 / np.maximum(count, 1)


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
    """Return the k columns of a table of whole numbers."""
    table = np.array(rows, dtype=np.int64).reshape(-1, k)
    return [np.ascontiguousarray(table[:, j]) for j in range(k)]
