"""Contact impulses as arrows that flash when they act."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Array

if TYPE_CHECKING:
    from flexmb.postproc.scene import Scene

LONGEST, SHORTEST = 0.13, 0.045
"""Lengths of the arrows of the largest impulse and of very small ones, in parts of the size of the scene."""
MOST_TOGETHER = 1000
"""At most so many states are added up when time leaps forward; a longer leap shows its last state only."""
BLOCK = 4096


class Impulses:
    """The arrows of one scene.

    Parameters
    ----------
    scene : Scene
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.on = scene, True
        self._before: Any = None

    def arrows(self, last: int, k: int, points: Array) -> tuple[Any, Any]:
        """Return the arrows of state k and those that were shown before it, as meshes; None where there are none.

        Parameters
        ----------
        last : int
            The state shown before; impulses since then are added up, so that none is lost when states are left out.
        k : int
        points : (n, 3) array
            Where the points are drawn, m.
        """
        first = last + 1 if last < k <= last + MOST_TOGETHER else k
        before = self._before if last < k else None
        now = self._mesh(self.vectors(first, k), points)
        if k != last:
            self._before = now
        return now, before

    def vectors(self, first: int, last: int) -> Array:
        """Return the impulses on the points in states first .. last together, (n, 3), N s."""
        maps = self.scene.fields.maps.impulse
        if not maps.shape[1]:
            return np.zeros((maps.shape[0] // 3, 3))
        total = np.asarray(self.scene.fields.impulse[max(first, 0) : last + 1]).sum(axis=0)
        return np.asarray(maps @ total).reshape(-1, 3)

    @cached_property
    def largest(self) -> float:
        """The largest impulse of any kept state, N s."""
        rows, most = self.scene.fields.impulse, 0.0
        for k in range(0, len(self.scene.times), BLOCK):
            block = np.asarray(rows[k : min(k + BLOCK, len(self.scene.times))])
            most = max(most, float(np.abs(block).max(initial=0.0)))
        return most

    def _mesh(self, vectors: Array, points: Array) -> Any:
        size = np.linalg.norm(vectors, axis=1)
        some = np.flatnonzero(size > 1e-9 * self.largest).tolist() if self.largest else []
        parts = [self._arrow(i, points[i], vectors[i] / size[i], float(size[i])) for i in some]
        return pv.merge(parts) if len(parts) > 1 else parts[0] if parts else None

    def _arrow(self, i: int, point: Array, direction: Array, size: float) -> Any:
        """Return an arrow that ends where it pushes: at the surface around a point."""
        shapes = self.scene.shapes
        share = min(1.0, size / self.largest) ** 0.5
        length = (SHORTEST + (LONGEST - SHORTEST) * share) * shapes.size
        tip = point - shapes.stand_out(i, direction) * direction
        thick = 0.22 * LONGEST / (SHORTEST + (LONGEST - SHORTEST) * share)
        return pv.Arrow(
            start=tip - length * direction,
            direction=direction,
            scale=length,
            tip_length=min(0.5, 1.6 * thick),
            tip_radius=0.5 * thick,
            shaft_radius=0.18 * thick,
            tip_resolution=24,
            shaft_resolution=24,
        )
