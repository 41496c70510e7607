"""The region covered by a run: the extremes of its points over all kept states, and the states in which they occur."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.finite_states import LARGE
from flexmb.postproc.sampling import blocks, rows_of, some_of
from flexmb.record.io.frames import NODE
from flexmb.record.result import Fields

MOST = 6_000_000
MOST_LARGE = 1_500_000
"""Maximum number of evaluated positions (states times points); fewer for large motion, which takes longer."""
SWEEP = 60
"""Number of states, distributed over the run, that determine the extent of the motion together with extreme states;
fewer if so many have more than ``MOST_LARGE`` points."""
MOST_GROUPS = 6
"""Number of bodies up to which each is treated separately."""
LITTLE = 0.1
"""Nodal displacement, over the total extent, below which it is small."""
PROBES = 300
BLOWN, BOUND = 1e6, 10.0
"""Multiple of the extent of its first tenth at which a run has diverged; the view allows for this multiple."""


_DIAGONALS = [
    *((0, 1, 1), (0, 1, -1), (1, 0, 1), (1, 0, -1), (1, 1, 0), (1, -1, 0)),
    *((1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)),
]
DIRECTIONS = np.concatenate([np.eye(3), [np.array(d) / np.linalg.norm(d) for d in _DIAGONALS]])
"""The axes and the diagonals between them: circular motion is measured along diagonals as well."""


@dataclass(frozen=True)
class Reach:
    """The extreme displacements of the points.

    Parameters
    ----------
    ends : (2, n, 13) array
        Least and largest displacement of every point along ``DIRECTIONS``, m.
    when : (2, n, 13) int array
        The states in which it has them.
    way : (n,) array
        Largest displacement, m.
    """

    ends: Array
    when: IntArray
    way: Array

    def box(self, reference: Array) -> Array:
        """Return the corners of the box that all points stay in, (2, 3), m."""
        places = reference + self.ends[:, :, :3]
        return np.stack([places[0].min(axis=0), places[1].max(axis=0)])

    def farthest(self, reference: Array, scale: Array, group: IntArray) -> IntArray:
        """Return the states in which a group of points is extreme in any of the directions.

        Parameters
        ----------
        reference : (n, 3) array
            Places at rest, m.
        scale : (n,) array
            Magnification of drawn displacements.
        group : (n,) int array
        """
        places = reference @ DIRECTIONS.T + scale[:, None] * self.ends
        found = []
        for one in np.unique(group):
            own = np.flatnonzero(group == one)
            for side, pick in ((0, np.argmin), (1, np.argmax)):
                which = own[pick(places[side, own], axis=0)]
                found.append(self.when[side, which, np.arange(len(DIRECTIONS))])
        return np.unique(np.concatenate(found))


def reach_of(fields: Fields, states: IntArray) -> Reach:
    """Return the extreme displacements in some states; if there are too many, in a selection of them.

    Parameters
    ----------
    fields : Fields
    states : (k,) int array
        Ascending.
    """
    layout = fields.maps.layout
    n, d = len(layout.points), len(DIRECTIONS)
    most = max(2, (MOST if layout.carriers is None else MOST_LARGE) // max(n, 1))
    ends = np.stack([np.full((n, d), np.inf), np.full((n, d), -np.inf)])
    when, way = np.zeros((2, n, d), dtype=np.int64), np.zeros(n)
    for some in blocks(some_of(states, most), d * n):
        q = rows_of(fields.q, some)
        good = (np.abs(q) < LARGE).all(axis=1)  # also excludes nan
        if not good.any():
            continue
        moved, some = layout.displacements(q[good]), some[good]
        np.maximum(way, np.linalg.norm(moved, axis=2).max(axis=0), out=way)
        along = moved @ DIRECTIONS.T
        for side, pick, better in ((0, np.argmin, np.less), (1, np.argmax, np.greater)):
            k = pick(along, axis=0)
            value = np.take_along_axis(along, k[None], axis=0)[0]
            new = better(value, ends[side])
            ends[side][new], when[side][new] = value[new], some[k[new]]
    ends[~np.isfinite(ends)] = 0.0
    return Reach(ends, when, way)


class Extent:
    """The region that the picture of a run must show.

    Parameters
    ----------
    fields : Fields
    complete : bool
        Whether the run was completed; others may have diverged, and their diverged states are left out.
    first : int
        The first state to be shown; if the run has diverged before it, the region includes all states.
    """

    def __init__(self, fields: Fields, complete: bool, first: int) -> None:
        self.fields, self.layout = fields, fields.maps.layout
        self._complete, self._first = complete, first

    @cached_property
    def states(self) -> IntArray:
        """The states included in the region: all, unless the run diverges."""
        every = np.arange(len(self.fields))
        if self._complete:
            return every
        last = last_tame(self.fields)
        return every if self._first > last else every[: last + 1]

    @cached_property
    def reach(self) -> Reach:
        """The extreme displacements of the points."""
        return reach_of(self.fields, self.states)

    @cached_property
    def small(self) -> Any:
        """Which points have small displacements, (n,) bool."""
        carriers, body = self.layout.carriers, self.layout.body_of_point
        if carriers is None:
            return np.full(len(self.layout.points), True)
        size = float(np.linalg.norm(np.ptp(self.reach.box(self.layout.points), axis=0)))
        way = np.zeros(len(self.layout.bodies))
        np.maximum.at(way, body, self.reach.way)
        return (carriers.kind == NODE) & (way[body] < LITTLE * size)

    def telling(self, scale: float) -> IntArray:
        """Return the states that determine the region for a magnification: a selection, and the extreme ones."""
        body = self.layout.body_of_point
        group = body if len(self.layout.bodies) <= MOST_GROUPS else np.zeros_like(body)
        far = self.reach.farthest(self.layout.points, np.where(self.small, scale, 1.0), group)
        return np.union1d(far, some_of(self.states, min(SWEEP, 2 + MOST_LARGE // max(len(body), 1))))

    @property
    def notes(self) -> list[str]:
        """Notes on parts outside of the picture."""
        if len(self.states) == len(self.fields):
            return []
        t = self.fields.times[self.states[-1]]
        return [f"the view covers the motion up to t = {t:.4g} s; after that it is too large"]


def last_tame(fields: Fields) -> int:
    """Return the last state before a run diverges, or the last state of all."""
    some, layout = some_of(np.arange(len(fields)), PROBES), fields.maps.layout
    with np.errstate(over="ignore", invalid="ignore"):
        each = (layout.displacements(rows_of(fields.q, some[k : k + 1])) for k in range(len(some)))
        moved = np.array([np.abs(own).max(initial=0.0) for own in each])
    moved = np.where(np.isfinite(moved), moved, np.inf)
    size = float(np.linalg.norm(np.ptp(layout.points, axis=0)))
    usual = max(size, float(moved[: max(2, len(moved) // 10)].max()))
    if usual == 0.0 or not moved.max() > BLOWN * usual:
        return int(some[-1])
    return int(some[max(int(np.argmax(moved > BOUND * usual)) - 1, 0)])
