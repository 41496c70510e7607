"""Contact impulses as arrows, shown when they act, in front of everything."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyvista as pv
from scipy import sparse

from flexmb.postproc.arrays import Array
from flexmb.postproc.contact_status import COLOURS

if TYPE_CHECKING:
    from flexmb.postproc.scene import Scene
    from flexmb.record.result import Fields

LONGEST, SHORTEST = 0.13, 0.045
"""Lengths of the arrows of the largest and of very small impulses, relative to the size of the scene."""
MANY = 50
"""Number of points with contacts beyond which arrows become shorter, so that they do not hide the bodies."""
HEAD = 0.11
"""Radius of the head of an arrow, relative to the longest arrow."""
BLOCK = 4096
"""Number of states read at a time."""


@dataclass(frozen=True)
class ArrowScale:
    """The lengths of arrows; the same for all scenes side by side.

    Parameters
    ----------
    largest : float
        The impulse of the longest arrow, N s.
    size : float
        That lengths refer to: of the scenes, or smaller if there are many arrows, m.
    rough : bool
        Whether contacts have friction: then arrows of slipping contacts have another colour.
    """

    largest: float
    size: float
    rough: bool = False

    def length(self, impulse: float) -> float:
        """Return the length of an arrow, m, proportional to the root of the impulse, so that small ones are visible."""
        return (SHORTEST + (LONGEST - SHORTEST) * math.sqrt(impulse / self.largest)) * self.size

    @property
    def words(self) -> str:
        """Note on the arrows for the reader, empty without arrows."""
        longest = f"arrows: contact impulses since the previous state, the longest {self.largest:.3g} N s"
        slips = ", purple where it slips" if self.rough else ""
        return longest + slips if self.largest > 0.0 else ""


class Impulses:
    """The impulses on the points of a result.

    Parameters
    ----------
    fields : Fields
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def room(self, size: float) -> float:
        """Return the size, m, that lengths of arrows refer to in a scene of a size."""
        return size * min(1.0, math.sqrt(MANY / max(len(self.points), 1)))

    @cached_property
    def points(self) -> Any:
        """Numbers of the points that contacts act on, (t,)."""
        return np.unique(sparse.coo_array(self.fields.maps.impulse).row // 3).astype(np.int64)

    @cached_property
    def _maps(self) -> Any:
        """Map from contact impulses to those on ``points``, (3 t, nc)."""
        rows = (3 * self.points[:, None] + np.arange(3)).ravel()
        return sparse.csr_array(self.fields.maps.impulse)[rows]

    def strongest(self, first: int, last: int) -> Array:
        """Return the largest impulse on each of ``points`` in the states first .. last, (t, 3), N s.

        It is not their sum: impulses of a whirling rotor would cancel each other, and long intervals would show large
        sums.
        """
        best, most = np.zeros((len(self.points), 3)), np.zeros(len(self.points))
        for k in range(first, last + 1, BLOCK) if len(self.points) else []:
            rows = np.asarray(self.fields.impulse[k : min(k + BLOCK, last + 1)])
            acting = np.flatnonzero(rows.any(axis=1))
            if not len(acting):
                continue
            vectors = np.asarray(self._maps @ rows[acting].T).T.reshape(len(acting), -1, 3)
            size = np.linalg.norm(vectors, axis=2)
            when, own = np.argmax(size, axis=0), np.arange(len(self.points))
            stronger = size[when, own] > most
            best[stronger], most[stronger] = vectors[when, own][stronger], size[when, own][stronger]
        return best

    @cached_property
    def largest(self) -> float:
        """The largest impulse on a point in any kept state, N s."""
        every = self.strongest(0, len(self.fields) - 1)
        return float(np.linalg.norm(every, axis=1).max(initial=0.0))


def _rgb(colour: str) -> Any:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.uint8)


class Arrows:
    """The arrows of one panel.

    Parameters
    ----------
    scene : Scene
    scale : ArrowScale
    """

    def __init__(self, scene: Scene, scale: ArrowScale) -> None:
        self.scene, self.scale, self.on = scene, scale, True
        self._before: Any = None

    def at(self, last: int, k: int, passing: bool, places: Array, surface: Array) -> tuple[Any, Any]:
        """Return the arrows of state k and of the state shown before as meshes; None without arrows.

        Parameters
        ----------
        last : int
            The state shown before, -1 when there was none.
        k : int
        passing : bool
            Whether time passes continuously: then impulses since the last state are included, so that none is lost
            if states are skipped. After a jump in time only those of k are shown.
        places : (n, 3) array
            Where the points are drawn, m.
        surface : (j, 3) array
            Where the corners of lines and particles are drawn, m.
        """
        on = 0 <= last < k and (passing or k == last + 1)
        before = self._before if on else None
        first = last + 1 if on else k
        now = self._mesh(
            self.scene.impulses.strongest(first, k), self.scene.slipping.between(first, k), places, surface
        )
        if k != last:
            self._before = now
        return now, before

    def _mesh(self, vectors: Array, slips: Any, places: Array, surface: Array) -> Any:
        size = np.linalg.norm(vectors, axis=1)
        some = np.flatnonzero(size > 1e-9 * self.scale.largest).tolist()
        points = self.scene.impulses.points
        parts = [self._arrow(int(points[j]), vectors[j] / size[j], float(size[j]), places, surface) for j in some]
        for part, j in zip(parts, some, strict=True):
            part.cell_data["colour"] = np.tile(_rgb(COLOURS["slip" if slips[j] else "stick"]), (part.n_cells, 1))
        return pv.merge(parts) if len(parts) > 1 else parts[0] if parts else None

    def _arrow(self, i: int, direction: Array, size: float, places: Array, surface: Array) -> Any:
        """Return an arrow that ends at the surface around a point, where the impulse acts."""
        length = self.scale.length(size)
        tip = places[i] - self.scene.shapes.stand_out(i, direction, places, surface) * direction
        head = HEAD * LONGEST * self.scale.size / length
        return pv.Arrow(
            start=tip - length * direction,
            direction=direction,
            scale=length,
            tip_length=min(0.5, 3.2 * head),
            tip_radius=head,
            shaft_radius=0.36 * head,
            tip_resolution=24,
            shaft_resolution=24,
        )
