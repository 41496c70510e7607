"""The unknowns of a ``Builder`` as arrays: where they are, which are angles, and how far they move mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
    return tab.Unknowns(
        *columns(b.frames, 2),
        *columns([*b.plain, *b.spins], 2),
        turn_v,
        radius=reach[turn_v],
        unit=np.where(turns, 1.0, reach),
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
