"""Shapes of bodies: lines with their sections, particles as spheres, surfaces as solids, contact planes as slabs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Array
from flexmb.postproc.planes import ContactPlane, tangents
from flexmb.postproc.style import CYCLE
from flexmb.postproc.sweep import Ball, Sweep, runs_of
from flexmb.postproc.thickness import Thickness
from flexmb.record.io.frames import ROUND, PointMaps

SLAB = 0.02
"""Thickness of a slab, relative to the size of the picture."""
MOST_STOPS = 4
"""Maximum number of points of a body with individual stops; more share one floor."""


@dataclass(frozen=True)
class Shapes:
    """The shapes of the bodies of a result.

    Parameters
    ----------
    maps : PointMaps
        Positions and connections of the points.
    thickness : Thickness
        Drawn thickness.
    bare : set of int
        Particles that are not drawn as balls, since another symbol represents them.
    rims : mapping of int to float
        Points on which contacts act at a distance, m, see ``DrawnMarks``.
    """

    maps: PointMaps
    thickness: Thickness
    bare: frozenset[int] = frozenset()
    rims: Mapping[int, float] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Diagonal of the bounding box, m."""
        return self.thickness.size

    @property
    def vertices(self) -> Any:
        """Numbers of the points drawn as balls, (k,)."""
        return np.array([i for i in self.maps.layout.vertices.tolist() if i not in self.bare], dtype=np.int64)

    def radius(self, body: int) -> float:
        """Return the drawn radius of lines or particles of a body, m; zero for a body with surfaces only."""
        return self.thickness.radius(body)

    @property
    def coloured(self) -> Any:
        """Numbers of the points coloured by a field, (k,): those of lines and particles."""
        layout = self.maps.layout
        return np.unique(np.concatenate([layout.cells.ravel(), self.vertices])).astype(np.int64)

    @cached_property
    def outlines(self) -> tuple[Any, Array]:
        """Which lines are round, (m,) bool, and their drawn sizes, (m, 2), m, as in ``Outline``."""
        layout = self.maps.layout
        body = layout.body_of_point[layout.cells[:, 0]]
        drawn = np.array([self.radius(b) for b in range(len(layout.bodies))])[body] if len(body) else np.zeros(0)
        is_round, size = np.ones(len(body), dtype=bool), np.column_stack([drawn, np.zeros(len(body))])
        if layout.sections is not None:
            is_round = layout.sections.outline == ROUND
            widest = np.zeros(len(layout.bodies))
            np.maximum.at(widest, body, layout.radius_of_cell)
            known = widest[body] > 0.0
            factor = drawn[known] / widest[body][known]
            size[known] = factor[:, None] * layout.sections.size[known]
        return is_round, size

    @cached_property
    def surface(self) -> Sweep:
        """The surfaces of all lines and particles."""
        layout = self.maps.layout
        balls = [Ball(int(i), self.radius(int(layout.body_of_point[i]))) for i in self.vertices]
        return Sweep(runs_of(layout.cells, *self.outlines), balls)

    def mesh(self, points: Array, rotation: Array | None = None) -> Any:
        """Return a new mesh of the surfaces of all lines and particles; there must be one.

        Parameters
        ----------
        points : (n, 3) array
            Positions, m.
        rotation : (n, 3) array, optional
            Rotation vectors of the points, rad.
        """
        mesh = self.surface.mesh.copy()
        self.surface.update(mesh, points, self.maps.sides(rotation))
        return mesh

    @cached_property
    def solid(self) -> Any:
        """The bodies with surfaces at rest, one colour each (cell data ``colour``); None if there are none.

        Corners are doubled along sharp edges; point data ``point`` says which point each is.
        """
        layout = self.maps.layout
        if not len(layout.triangles):
            return None
        used, local = np.unique(layout.triangles, return_inverse=True)
        local = local.reshape(-1, 3)
        mesh = pv.PolyData(layout.points[used], faces=np.insert(local, 0, 3, axis=1).ravel())
        mesh.point_data["point"] = used
        palette = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in CYCLE], dtype=np.uint8)
        _, number = np.unique(layout.body_of_point[used], return_inverse=True)
        mesh.cell_data["colour"] = palette[number[local[:, 0]] % len(CYCLE)]
        return mesh.compute_normals(split_vertices=True, cell_normals=False)

    def solids(self, points: Array) -> Any:
        """Return the bodies with surfaces, with their points at ``points``, (n, 3), m; None if there are none."""
        if self.solid is None:
            return None
        mesh = self.solid.copy()
        self.move_solids(mesh, points)
        return mesh

    def move_solids(self, mesh: Any, points: Array) -> None:
        """Move a mesh made by ``solids``; its normals are recomputed."""
        mesh.points = points[self.solid.point_data["point"]].astype(np.float32)
        fresh = mesh.compute_normals(split_vertices=False, cell_normals=False, consistent_normals=False)
        mesh.point_data["Normals"] = fresh.point_data["Normals"]

    def ghost(self, points: Array) -> Any:
        """Return all bodies without colours."""
        parts = [] if (solids := self.solids(points)) is None else [solids]
        if len(self.coloured):
            parts.append(self.mesh(points))
        for part in parts:
            part.clear_cell_data()
        return pv.merge(parts) if len(parts) > 1 else parts[0]

    def stand_out(self, i: int, direction: Array, places: Array, surface: Array) -> float:
        """Return by how much the shape at point i extends in a direction, m.

        Parameters
        ----------
        i : int
        direction : (3,) array
            Unit vector.
        places, surface : (n, 3), (j, 3) arrays
            Drawn positions of the points and of the corners of ``surface``, m.
        """
        if i in self.rims:
            return self.rims[i]
        layout = self.maps.layout
        own = np.flatnonzero(self.surface.point_of_corner == i)
        if len(own):
            return float(np.max((places[i] - surface[own]) @ direction))
        inside = i not in layout.triangles  # of a body with surfaces
        return self.thickness.contact_radii.get(layout.bodies[layout.body_of_point[i]], 0.0) if inside else 0.0

    def slab(self, plane: ContactPlane, offset: float, around: Array) -> Any:
        """Return a slab with the plane as its upper side.

        Parameters
        ----------
        plane : ContactPlane
        offset : float
            n.x of its upper side, m.
        around : (k, 3) array
            Points under which it should extend, with a margin.
        """
        bodies = np.unique(self.maps.layout.body_of_point[plane.points])
        room = max(0.1 * self.size, 2.5 * max(self.radius(int(body)) for body in bodies))
        stops = self._stops(plane, room)
        parts = [self._one_slab(plane.normal, offset, around[own] if stops else around, room) for own in stops or [()]]
        return pv.merge(parts, merge_points=False) if len(parts) > 1 else parts[0]

    def _stops(self, plane: ContactPlane, room: float) -> list[Any]:
        """Return which of a plane's points have individual stops: a few distant ones of a bar or beam; else none.

        A beam that two of its nodes may rest on stands on two stops, not on a table.
        """
        layout, points = self.maps.layout, np.unique(plane.points)
        one_body = np.unique(layout.body_of_point[points]).size == 1
        if not one_body or not 2 <= len(points) <= MOST_STOPS or not np.isin(points, layout.cells).all():
            return []
        apart = np.linalg.norm(layout.points[points][:, None] - layout.points[points][None], axis=2)
        near = np.min(apart[~np.eye(len(points), dtype=bool)])
        return [np.array([k]) for k in range(len(points))] if near > 2.5 * room else []

    def _one_slab(self, n: Array, offset: float, around: Array, room: float) -> Any:
        a, b = tangents(n)
        foot = np.stack([around @ a, around @ b])
        low, high = foot.min(axis=1), foot.max(axis=1)
        middle, half = 0.5 * (low + high), 0.5 * (high - low) + room
        origin = offset * n
        corners = [
            origin + (middle[0] + p * half[0]) * a + (middle[1] + q * half[1]) * b - d * SLAB * self.size * n
            for d in (0, 1)
            for p, q in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        sides = [[0, 1, 2, 3], [7, 6, 5, 4], *([k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k] for k in range(4))]
        return pv.PolyData(np.array(corners), faces=np.array([[4, *side] for side in sides]).ravel())
