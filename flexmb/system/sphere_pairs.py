"""Spheres in contact all against all: close pairs, and a system with rows for them.

With N spheres there are N (N - 1) / 2 pairs, of which few are relevant at a time. A search finds those whose gap is at
most a margin; no other pair can close until a sphere has moved by half of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # loads its subpackages when they are used

from flexmb.assembly.rows_beside import RowBeside
from flexmb.kernels.geometry import tables as tab
from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array, IntArray
from flexmb.system.layout import Carriers

AT_START = 0.1
"""Initial search margin, over the smallest radius."""


class SphereGroup(NamedTuple):
    """The spheres of a contact.

    Parameters
    ----------
    name : str
    labels : tuple of str
        Of the bodies.
    markers : (n,) int array
        Their centres.
    radii : (n,) array
        m.
    law : ContactLaw
    first : int
        Row of the first sphere among what is recorded of contacts.
    carriers : Carriers
        What the centres stand on.
    beside : tuple of RowBeside
        Rows beside the normal of each pair; arms are radii.
    """

    name: str
    labels: tuple[str, ...]
    markers: IntArray
    radii: Array
    law: ContactLaw
    first: int
    carriers: Carriers
    beside: tuple[RowBeside, ...] = ()

    def centers(self, q: Array) -> Array:
        """Return the centres at a state q (nq,), (n, 3), m."""
        return np.asarray(self.carriers.positions(q[None])[0])

    def near(self, x: Array, margin: float) -> IntArray:
        """Return the pairs (i < j) with gaps up to a margin, where centres are at x (n, 3); in rising order, (m, 2)."""
        tree = scipy.spatial.cKDTree(x)
        pairs = tree.query_pairs(2.0 * float(self.radii.max()) + margin, output_type="ndarray").astype(np.int64)
        i, j = pairs.reshape(-1, 2).T
        gap = np.linalg.norm(x[j] - x[i], axis=1) - self.radii[i] - self.radii[j]
        i, j = i[gap <= margin], j[gap <= margin]
        order = np.lexsort((j, i))
        return np.column_stack([i[order], j[order]])

    def nearest(self, x: Array) -> tuple[Array, IntArray]:
        """Return the gap of each sphere to its nearest neighbour, (n,), m, and the index of the neighbour."""
        tree = scipy.spatial.cKDTree(x)
        distance, index = (np.asarray(found) for found in tree.query(x, k=2))
        own = np.arange(len(x))
        other = np.where(index[:, 0] == own, index[:, 1], index[:, 0])  # where centres coincide, either may come first
        gap = np.where(index[:, 0] == own, distance[:, 1], distance[:, 0]) - self.radii - self.radii[other]
        if np.ptp(self.radii) > 0.0:  # a larger sphere may be nearer although its centre is not
            reach = np.maximum(gap, 0.0) + self.radii + float(self.radii.max())
            for i, found in enumerate(tree.query_ball_point(x, reach)):
                j = np.array([k for k in found if k != i], dtype=np.int64)
                gaps = np.linalg.norm(x[j] - x[i], axis=1) - self.radii[i] - self.radii[j]
                if gaps.size:
                    other[i], gap[i] = j[int(np.argmin(gaps))], gaps.min()
        return gap, other.astype(np.int64)


def pair_tables(
    tables: tab.System, spheres: Sequence[SphereGroup], old: Sequence[IntArray], pairs: Sequence[IntArray]
) -> tab.System:
    """Return the tables with rows for the pairs instead of those of the ``old`` ones.

    Normals of pairs come after those of all other contacts, rows beside them after those beside others.
    """
    rows, laws, nr = tables.rows, tables.pairs, tables.rows.kind.size
    gone = sum(len(p) for p in old)
    fixed, normals = tables.joints + tables.contacts - gone, tables.joints + tables.contacts
    others = normals + int(np.sum(rows.angle[normals:, 0] < fixed))
    known = laws.first.size - 4 * gone
    A, B = (np.concatenate([g.markers[p[:, k]] for g, p in zip(spheres, pairs, strict=True)]) for k in (0, 1))
    sizes = [g.radii[p[:, 0]] + g.radii[p[:, 1]] for g, p in zip(spheres, pairs, strict=True)]
    m = A.size
    more = [_some_rows(rows, 0, fixed), _pair_rows(tab.DISTANCE, A, B, c=np.concatenate(sizes), pair=known)]
    more.append(_some_rows(rows, normals, others))
    if any(g.beside for g in spheres):
        more.append(_beside(spheres, pairs, fixed))
    both = tab.Pairs(
        np.append(laws.first[:known], np.column_stack([A, A, B, B]).ravel()),
        np.append(laws.second[:known], np.column_stack([A, B, A, B]).ravel()),
    )
    assert others <= nr
    return tables._replace(rows=_joined_rows(more), pairs=both, contacts=tables.contacts - gone + m)


def _some_rows(rows: tab.Rows, first: int, last: int) -> tab.Rows:
    """Return the rows from one to another; ``ptr`` counts slots from their own first."""
    parts = {name: getattr(rows, name)[first:last] for name in tab.Rows._fields if name not in ("ptr", "marker")}
    a, b = int(rows.ptr[first]), int(rows.ptr[last])
    return tab.Rows(ptr=rows.ptr[first : last + 1] - a, marker=rows.marker[a:b], **parts)


def _pair_rows(kind: int, A: IntArray, B: IntArray, **given: object) -> tab.Rows:
    """Return rows between markers; missing data are zero, or none."""
    m = A.size
    none, zero, vectors = np.full(m, -1, dtype=np.int64), np.zeros(m), np.zeros((m, 3))
    pair = given.pop("pair", None)
    parts = {"angle": np.column_stack([none, none]), "a": vectors, "b": vectors, "c": zero, "cf": zero, **given}
    return tab.Rows(
        kind=np.full(m, kind, dtype=np.int64),
        ptr=2 * np.arange(m + 1),
        marker=np.column_stack([A, B]).ravel(),
        function=none,
        pair=np.zeros(m, dtype=np.int64) if pair is None else pair + 4 * np.arange(m),  # type: ignore[operator]
        **parts,  # type: ignore[arg-type]
    )


def _beside(spheres: Sequence[SphereGroup], pairs: Sequence[IntArray], first: int) -> tab.Rows:
    """Return the rows beside the normals of pairs, contact by contact; ``first`` is the row of the first normal."""
    parts = []
    for g, p in zip(spheres, pairs, strict=True):
        k, m = len(g.beside), len(p)
        normal, own = first + np.repeat(np.arange(m), k), np.tile(np.arange(k), m)
        kind, which, slide, a = (
            np.array([getattr(row, name) for row in g.beside]) for name in ("kind", "which", "arm", "a")
        )
        if k:
            A, B = (np.repeat(g.markers[p[:, end]], k) for end in (0, 1))
            arm = np.where(slide[own] > 0.0, np.repeat(g.radii[p[:, 1]], k), 0.0)
            rows = _pair_rows(0, A, B, angle=np.column_stack([normal, which[own]]), a=a[own], c=arm)
            parts.append(rows._replace(kind=kind[own].astype(np.int64)))
        first += m
    return _joined_rows(parts)


def _joined_rows(parts: Sequence[tab.Rows]) -> tab.Rows:
    """Return rows joined in sequence."""
    slots = np.cumsum([0, *(p.marker.size for p in parts)])
    ptr = [np.zeros(1, dtype=np.int64), *(p.ptr[1:] + at for p, at in zip(parts, slots[:-1], strict=True))]
    joined = {f: np.concatenate([getattr(p, f) for p in parts]) for f in tab.Rows._fields if f != "ptr"}
    return tab.Rows(ptr=np.concatenate(ptr).astype(np.int64), **joined)


def _keys(group: SphereGroup, pairs: IntArray) -> IntArray:
    """Return a number for each pair."""
    return np.asarray(pairs[:, 0] * len(group.radii) + pairs[:, 1])


def misses(group: SphereGroup, old: IntArray, new: IntArray) -> bool:
    """Return whether some of the new pairs are not among the old ones."""
    return not bool(np.all(np.isin(_keys(group, new), _keys(group, old))))


def common(group: SphereGroup, was: IntArray, now: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the pairs that stay were, and where they are."""
    _, there, here = np.intersect1d(_keys(group, was), _keys(group, now), assume_unique=True, return_indices=True)
    return there, here


def nearest_gaps(group: SphereGroup, x: Array, v: Array) -> tuple[Array, Array]:
    """Return the gap of each sphere to the nearest one, m, and its rate, m/s, for centres x (n, 3) that move at v."""
    gap, other = group.nearest(x)
    d = x[other] - x
    length = np.maximum(np.linalg.norm(d, axis=1), np.finfo(float).tiny)
    return gap, np.asarray(np.sum(d * (v[other] - v), axis=1) / length)
