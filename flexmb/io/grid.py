"""One state as a pyvista mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.io.frames import cell_values
from flexmb.state import Array
from flexmb.system import Layout

if TYPE_CHECKING:
    import pyvista


def grid_of(layout: Layout, vectors: dict[str, Array], time: float, warp: bool) -> pyvista.UnstructuredGrid:
    """Return the mesh of a layout with the vectors of one state, each (n, 3), at its points.

    Parameters
    ----------
    layout : Layout
    vectors : dict
        As ``PointMaps.frame`` gives them.
    time : float
        That of the state, s.
    warp : bool
        Add the displacement to the reference positions.
    """
    import pyvista  # here, because it takes a second to import

    lines = np.column_stack([np.full(len(layout.cells), 2), layout.cells]).ravel()
    lone = np.column_stack([np.ones(len(layout.vertices), dtype=np.int64), layout.vertices]).ravel()
    types = [pyvista.CellType.LINE] * len(layout.cells) + [pyvista.CellType.VERTEX] * len(layout.vertices)
    points = np.array(layout.points, dtype=np.float64) + (vectors["displacement"] if warp else 0.0)
    grid = pyvista.UnstructuredGrid(np.concatenate([lines, lone]).astype(np.int64), np.array(types, np.uint8), points)
    for name, values in vectors.items():
        grid.point_data[name] = values
    for name, numbers in cell_values(layout).items():
        grid.cell_data[name] = numbers
    grid.field_data["time"] = np.array([time])
    return grid
