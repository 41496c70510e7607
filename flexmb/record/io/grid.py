"""One state as a pyvista mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.checks.extras import require
from flexmb.record.io.frames import cell_values, cells_of, point_values, vtk_types
from flexmb.state import Array
from flexmb.system.layout import Layout

if TYPE_CHECKING:
    import pyvista


def grid_of(
    layout: Layout, vectors: dict[str, Array], on_cells: dict[str, Array], time: float, warp: bool
) -> pyvista.UnstructuredGrid:
    """Return the mesh of a layout with the vectors of one state, each (n, 3), at its points.

    Parameters
    ----------
    layout : Layout
    vectors : dict
        As ``PointMaps.frame`` gives them.
    on_cells : dict
        As ``PointMaps.cell_frame`` gives them.
    time : float
        That of the state, s.
    warp : bool
        Add the displacement to the reference positions.
    """
    require("view", "a mesh")
    import pyvista  # imported here, since the import takes a second

    cells = np.concatenate([np.insert(cells, 0, cells.shape[1], axis=1).ravel() for _, cells in cells_of(layout)])
    points = np.array(layout.points, dtype=np.float64) + (vectors["displacement"] if warp else 0.0)
    grid = pyvista.UnstructuredGrid(cells.astype(np.int64), vtk_types(layout), points)
    for name, values in (point_values(layout) | vectors).items():
        grid.point_data[name] = values
    for name, numbers in (cell_values(layout) | on_cells).items():
        grid.cell_data[name] = numbers
    grid.field_data["time"] = np.array([time])
    return grid
