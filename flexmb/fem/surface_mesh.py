"""Surface meshes read with meshio: the drawn shape of a rigid body."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmb.errors import InputError
from flexmb.fem.mesh import read_file
from flexmb.state import Array, IntArray

CORNERS = {"triangle": 3, "triangle6": 3, "triangle7": 3, "quad": 4, "quad8": 4, "quad9": 4}
"""Supported cells, and number of their corner nodes; other nodes are ignored."""


def read_surface_mesh(path: str | Path, where: str = "") -> tuple[Array, IntArray]:
    """Return the points, (n, 3), and triangles, (m, 3), of a surface; quadrilaterals are cut in two."""

    def wrong(message: str) -> InputError:
        return InputError(message, where=where, key="mesh", value=str(path))

    try:
        mesh = read_file(Path(path), wrong)
    except (OSError, ValueError) as err:  # an invalid path
        raise wrong(f"cannot be read: {getattr(err, 'strerror', None) or err}") from err
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    if not np.all(np.isfinite(points)):
        raise wrong("the mesh file contains coordinates that are not finite")
    triangles = [np.zeros((0, 3), dtype=np.int64)]
    for block in mesh.cells:
        corners = np.asarray(block.data, dtype=np.int64)[:, : CORNERS.get(block.type, 0)]
        for k in range(1, corners.shape[1] - 1):
            triangles.append(corners[:, [0, k, k + 1]])
    cells = np.concatenate(triangles)
    if not len(cells):
        found = ", ".join(sorted({block.type for block in mesh.cells})) or "none"
        raise wrong(f"the mesh file contains no triangles or quadrilaterals (cells found: {found})")
    used, local = np.unique(cells, return_inverse=True)
    return points[used], local.reshape(-1, 3).astype(np.int64)
