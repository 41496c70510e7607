"""Bodies as shapes: lines with their sections, particles as spheres, surfaces as solids, contact planes as slabs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyvista as pv

from flexmb.io.frames import ROUND, PointMaps
from flexmb.postproc.arrays import Array
from flexmb.postproc.planes import ContactPlane, tangents
from flexmb.postproc.style import CYCLE
from flexmb.postproc.sweep import Ball, Sweep, runs_of
from flexmb.postproc.thickness import Thickness

SLAB = 0.02
"""Thickness of a slab in parts of the picture's size."""


@dataclass(frozen=True)
class Shapes:
    """How the bodies of a result are drawn.

    Parameters
    ----------
    maps : PointMaps
        Where the points are and how they hang together.
    thickness : Thickness
        How thick.
    bare : set of int
        Particles that are not drawn as balls, because something else stands for them.
    rims : mapping of int to float
        Points on which contacts act at a distance, m, see ``DrawnMarks``.
    """

    maps: PointMaps
    thickness: Thickness
    bare: frozenset[int] = frozenset()
    rims: Mapping[int, float] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Diagonal of the box that holds everything, m."""
        return self.thickness.size

    @property
    def vertices(self) -> Any:
        """Numbers of the points that are drawn as balls, (k,)."""
        return np.array([i for i in self.maps.layout.vertices.tolist() if i not in self.bare], dtype=np.int64)

    def radius(self, body: int) -> float:
        """Return the radius a body's lines or particles are drawn with, m; zero for a body of surfaces alone."""
        return self.thickness.radius(body)

    @property
    def coloured(self) -> Any:
        """Numbers of the points that are coloured by a field, (k,): those of lines and particles."""
        layout = self.maps.layout
        return np.unique(np.concatenate([layout.cells.ravel(), self.vertices])).astype(np.int64)

    @cached_property
    def surface(self) -> Sweep:
        """The surfaces of all lines and particles."""
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
        balls = [Ball(int(i), self.radius(int(layout.body_of_point[i]))) for i in self.vertices]
        return Sweep(runs_of(layout.cells, is_round, size), balls)

    def mesh(self, points: Array, rotation: Array | None = None, shrink: float = 1.0) -> Any:
        """Return a new mesh of the surfaces of all lines and particles; there must be one.

        Parameters
        ----------
        points : (n, 3) array
            Positions, m.
        rotation : (n, 3) array, optional
            Rotation vectors of the points, rad.
        shrink : float
            Factor on sections and balls.
        """
        mesh = self.surface.mesh.copy()
        self.surface.update(mesh, points, self.maps.sides(rotation), shrink)
        return mesh

    @cached_property
    def solid(self) -> Any:
        """The bodies with surfaces at rest, one colour each (cell data ``colour``); None when there are none.

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

    def solids(self, points: Array, shrink: float = 1.0) -> Any:
        """Return the bodies with surfaces; None when there are none.

        Parameters
        ----------
        points : (n, 3) array
            Positions, m.
        shrink : float
            Factor on their size, about their middles.
        """
        if self.solid is None:
            return None
        mesh = self.solid.copy()
        self.move_solids(mesh, points)
        body = self.maps.layout.body_of_point[self.solid.point_data["point"]]
        corners = np.array(mesh.points)
        for b in np.unique(body) if shrink != 1.0 else []:
            middle = corners[body == b].mean(axis=0)
            corners[body == b] = middle + shrink * (corners[body == b] - middle)
        mesh.points = corners
        return mesh

    def move_solids(self, mesh: Any, points: Array) -> None:
        """Move a mesh that ``solids`` made; its normals are worked out anew."""
        mesh.points = points[self.solid.point_data["point"]].astype(np.float32)
        fresh = mesh.compute_normals(split_vertices=False, cell_normals=False, consistent_normals=False)
        mesh.point_data["Normals"] = fresh.point_data["Normals"]

    def ghost(self, points: Array) -> Any:
        """Return all bodies a little smaller, without colours."""
        parts = [] if (solids := self.solids(points, 0.96)) is None else [solids]
        if len(self.coloured):
            parts.append(self.mesh(points, None, 0.96))
        for part in parts:
            part.clear_cell_data()
        return pv.merge(parts) if len(parts) > 1 else parts[0]

    def reach(self, plane: ContactPlane) -> float:
        """Return how far a body's surface stands out beyond its nodes towards a plane, m.

        Contacts are at nodes, on the centre line. The plane is drawn this much further away, so that what touches
        is the surface: nothing for a bar that meets a wall head-on, the radius for a beam along a floor or a ball;
        nothing either for a body of surfaces, and where the contact itself knows of a radius.
        """
        return 0.0 if plane.radius > 0.0 else self.stand_out(int(plane.points[0]), plane.normal)

    def stand_out(self, i: int, direction: Array) -> float:
        """Return how far the surface at point i stands out against a direction, a unit vector, m."""
        if i in self.rims:
            return self.rims[i]
        radius = self.radius(int(self.maps.layout.body_of_point[i]))
        cells = self.maps.layout.cells[np.any(self.maps.layout.cells == i, axis=1)]
        if not len(cells):
            return radius
        along = self.maps.layout.points[cells[0, 1]] - self.maps.layout.points[cells[0, 0]]
        cosine = float(along @ direction) / float(np.linalg.norm(along))
        return radius * float(np.sqrt(max(0.0, 1.0 - cosine**2)))

    def slab(self, plane: ContactPlane, offset: float, around: Array) -> Any:
        """Return a slab whose upper side is the plane.

        Parameters
        ----------
        plane : ContactPlane
        offset : float
            n.x of the plane, m.
        around : (k, 3) array
            Points it should reach under, with some room.
        """
        n = plane.normal
        a, b = tangents(n)
        foot = np.stack([around @ a, around @ b])
        low, high = foot.min(axis=1), foot.max(axis=1)
        bodies = np.unique(self.maps.layout.body_of_point[plane.points])
        room = max(0.1 * self.size, 2.5 * max(self.radius(int(body)) for body in bodies))
        middle, half = 0.5 * (low + high), 0.5 * (high - low) + room
        origin = (offset - self.reach(plane)) * n
        corners = [
            origin + (middle[0] + p * half[0]) * a + (middle[1] + q * half[1]) * b - d * SLAB * self.size * n
            for d in (0, 1)
            for p, q in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        sides = [[0, 1, 2, 3], [7, 6, 5, 4], *([k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k] for k in range(4))]
        return pv.PolyData(np.array(corners), faces=np.array([[4, *side] for side in sides]).ravel())
