"""The drawn shape of a rigid body: its shapes and its surface mesh, or links between its points, or a point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from flexmb.assembly.markers import Picture
from flexmb.errors import InputError
from flexmb.fem.surface_mesh import read_surface_mesh
from flexmb.parts.bodies.shapes import AROUND, Shape, placed_surface
from flexmb.state import Array, IntArray

Surface = tuple[Array, IntArray]
THIN = 0.02
"""Drawn radius of a link, relative to the longest link of its body."""


def body_surface(shapes: Sequence[Shape], mesh: object, where: str, around: int = AROUND) -> Surface:
    """Return points from the reference point in body axes, (n, 3), and triangles, (m, 3).

    Round shapes have ``around`` sides.
    """
    pieces = []
    for shape in shapes:
        points, triangles = shape.surface(around)
        pieces.append((points + np.asarray(shape.center, dtype=np.float64), triangles))
    if mesh is not None:
        if not isinstance(mesh, str | Path):
            raise InputError("must be the path of a mesh file", where=where, key="mesh", value=mesh)
        pieces.append(read_surface_mesh(mesh, where))
    return placed_surface(pieces)


def rigid_picture(surface: Surface, kind: int, iq: int, iv: int, origin: Array, named: Iterable[Array] = ()) -> Picture:
    """Return the picture of a body whose frame's origin, s = 0, is at ``origin`` from the reference point.

    A body without a surface is drawn as links from its reference point to its ``named`` points, or as a dot without
    any.
    """
    points, triangles = surface
    vertices, lines, radius = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), 0.0
    if not len(points):
        arms = [np.asarray(point, dtype=np.float64) for point in named if np.any(np.asarray(point) != 0.0)]
        points = np.array([np.zeros(3), *arms])
        vertices = np.zeros(0 if arms else 1, dtype=np.int64)
        lines = np.array([[0, k + 1] for k in range(len(arms))], dtype=np.int64).reshape(-1, 2)
        radius = THIN * max((float(np.linalg.norm(arm)) for arm in arms), default=0.0)
    n = len(points)
    return Picture(
        kind=np.full(n, kind, dtype=np.int64),
        iq=np.full(n, iq, dtype=np.int64),
        iv=np.full(n, iv, dtype=np.int64),
        local=points - origin,
        triangles=triangles,
        vertices=vertices,
        lines=lines,
        radius=radius,
    )
