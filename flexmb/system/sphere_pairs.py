"""Spheres in contact all against all: which pairs are near, and a system with the rows of those.

With N spheres there are N (N - 1) / 2 pairs, of which few matter at a time. A search finds those whose gap is at most
a margin; no other pair can close until a sphere has moved by half of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from flexmb.kernels import tables as tab
from flexmb.state import Array, IntArray
from flexmb.system.layout import Carriers

AT_START = 0.1
"""Margin of the search at the start, over the smallest radius."""


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
    e : float
        Restitution.
    first : int
        Row of the first sphere among what is recorded of contacts.
    carriers : Carriers
        What the centres stand on.
    """

    name: str
    labels: tuple[str, ...]
    markers: IntArray
    radii: Array
    e: float
    first: int
    carriers: Carriers

    def centers(self, q: Array) -> Array:
        """Return the centres at a state q (nq,), (n, 3), m."""
        return np.asarray(self.carriers.positions(q[None])[0])

    def near(self, x: Array, margin: float) -> IntArray:
        """Return the pairs (i < j) with gaps up to a margin, where centres are at x (n, 3); in rising order, (m, 2)."""
        tree = cKDTree(x)
        pairs = tree.query_pairs(2.0 * float(self.radii.max()) + margin, output_type="ndarray").astype(np.int64)
        i, j = pairs.reshape(-1, 2).T
        gap = np.linalg.norm(x[j] - x[i], axis=1) - self.radii[i] - self.radii[j]
        i, j = i[gap <= margin], j[gap <= margin]
        order = np.lexsort((j, i))
        return np.column_stack([i[order], j[order]])

    def nearest(self, x: Array) -> tuple[Array, IntArray]:
        """Return the gap of each sphere to that which is nearest to it, (n,), m, and which this is."""
        tree = cKDTree(x)
        distance, index = (np.asarray(found) for found in tree.query(x, k=2))
        own = np.arange(len(x))
        other = np.where(index[:, 0] == own, index[:, 1], index[:, 0])  # where centres coincide, either may come first
        gap = np.where(index[:, 0] == own, distance[:, 1], distance[:, 0]) - self.radii - self.radii[other]
        if np.ptp(self.radii) > 0.0:  # one that is larger may be nearer though its centre is not
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
    """Return the tables with a row for each of the pairs in place of the rows of the ``old`` ones, which stand last."""
    rows, laws = tables.rows, tables.pairs
    keep = rows.kind.size - sum(len(p) for p in old)
    slots = int(rows.ptr[keep])
    known = laws.first.size - 4 * (rows.kind.size - keep)
    A, B = (np.concatenate([g.markers[p[:, k]] for g, p in zip(spheres, pairs, strict=True)]) for k in (0, 1))
    sizes = [g.radii[p[:, 0]] + g.radii[p[:, 1]] for g, p in zip(spheres, pairs, strict=True)]
    m = A.size
    none, zero = np.full(m, -1, dtype=np.int64), np.zeros(m)
    more = tab.Rows(
        kind=np.append(rows.kind[:keep], np.full(m, tab.DISTANCE)),
        ptr=np.append(rows.ptr[: keep + 1], slots + 2 * np.arange(1, m + 1)),
        marker=np.append(rows.marker[:slots], np.column_stack([A, B]).ravel()),
        angle=np.concatenate([rows.angle[:keep], np.column_stack([none, none])]),
        a=np.concatenate([rows.a[:keep], np.zeros((m, 3))]),
        b=np.concatenate([rows.b[:keep], np.zeros((m, 3))]),
        c=np.append(rows.c[:keep], np.concatenate(sizes)),
        function=np.append(rows.function[:keep], none),
        cf=np.append(rows.cf[:keep], zero),
        pair=np.append(rows.pair[:keep], known + 4 * np.arange(m)),
    )
    both = tab.Pairs(
        np.append(laws.first[:known], np.column_stack([A, A, B, B]).ravel()),
        np.append(laws.second[:known], np.column_stack([A, B, A, B]).ravel()),
    )
    return tables._replace(rows=more, pairs=both)
