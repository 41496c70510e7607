"""What is drawn of a rigid body: its shapes and its surface mesh, or a point."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.assembly.markers import Picture
from flexmb.errors import InputError
from flexmb.fem.surface_mesh import read_surface_mesh
from flexmb.parts.bodies.shapes import Shape, placed_surface
from flexmb.state import Array, IntArray

Surface = tuple[Array, IntArray]


def body_surface(shapes: Sequence[Shape], mesh: object, where: str) -> Surface:
    """Return points from the reference point in body axes, (n, 3), and triangles, (m, 3)."""
    pieces = []
    for shape in shapes:
        points, triangles = shape.surface()
        pieces.append((points + np.asarray(shape.center, dtype=np.float64), triangles))
    if mesh is not None:
        if not isinstance(mesh, str | Path):
            raise InputError("must be the path of a mesh file", where=where, key="mesh", value=mesh)
        pieces.append(read_surface_mesh(mesh, where))
    return placed_surface(pieces)


def rigid_picture(surface: Surface, kind: int, iq: int, iv: int, origin: Array) -> Picture:
    """Return the picture of a body whose frame's origin, s = 0, is at ``origin`` from the reference point."""
    points, triangles = surface
    vertices = np.zeros(0, dtype=np.int64)
    if not len(points):
        points, vertices = np.zeros((1, 3)), np.zeros(1, dtype=np.int64)
    n = len(points)
    return Picture(
        kind=np.full(n, kind, dtype=np.int64),
        iq=np.full(n, iq, dtype=np.int64),
        iv=np.full(n, iv, dtype=np.int64),
        local=points - origin,
        triangles=triangles,
        vertices=vertices,
    )
