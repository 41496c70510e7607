"""XDMF export by meshio's time series; the numbers go into the ``.h5`` beside the ``.xdmf``.

XDMF readers disagree about how a mix of lines and points is written, so a particle beside lines becomes a line from
its point to itself; there is one kind of cell in the file, and every reader takes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.io.frames import PointMaps, cell_values
from flexmb.io.structure import Tree
from flexmb.system import Layout


def write_xdmf(tree: Tree, folder: Path) -> list[Path]:
    """Write ``fields.xdmf`` and ``fields.h5`` into ``folder`` and return them."""
    maps = PointMaps.from_tree(tree)
    cell_data = {name: [values] for name, values in cell_values(maps.layout).items()}
    path, numbers = folder / "fields.xdmf", folder / "fields.h5"
    with _writer(path, numbers) as writer:
        writer.write_points_cells(maps.layout.points, _cells(maps.layout))
        for k, t in enumerate(tree["/state/time"][()]):
            writer.write_data(float(t), point_data=maps.frame(tree, k), cell_data=cell_data)
    return [path, numbers]


def _cells(layout: Layout) -> list[tuple[str, np.ndarray]]:
    if not len(layout.cells):
        return [("vertex", layout.vertices.reshape(-1, 1))]
    return [("line", np.concatenate([layout.cells, np.column_stack([layout.vertices, layout.vertices])]))]


def _writer(path: Path, numbers: Path) -> Any:
    import meshio  # slow to import

    class Beside(meshio.xdmf.TimeSeriesWriter):  # type: ignore[misc]
        """As meshio's, but the .h5 stands beside the .xdmf (not in the current folder), and lines have two ends."""

        def __enter__(self) -> Beside:
            self.h5_filename = numbers.name
            self.h5_file = h5py.File(numbers, "w")
            return self

        def cells(self, cells: list[tuple[str, np.ndarray]], grid: Any) -> None:
            super().cells(cells, grid)
            grid.find("Topology").set("NodesPerElement", str(cells[0][1].shape[1]))

    return Beside(path)
