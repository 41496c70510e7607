"""XDMF export by meshio's time series; the data are in the ``.h5`` file next to the ``.xdmf``.

XDMF readers differ in how they read points among other cells, so a particle in a mesh with lines or triangles becomes a
line from its point to itself. Every reader supports lines, triangles, and a mix of these two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from flexmb.record.io.frames import PointMaps, cell_values, point_values
from flexmb.record.io.h5_file import NewFile, new_h5
from flexmb.record.io.pvd import split_by_cells
from flexmb.record.io.structure import Tree
from flexmb.system.layout import Layout


def write_xdmf(tree: Tree, folder: Path) -> list[Path]:
    """Write ``fields.xdmf`` and ``fields.h5`` into ``folder`` and return them."""
    maps = PointMaps.from_tree(tree)
    cells = _cells(maps.layout)
    path, numbers = folder / "fields.xdmf", folder / "fields.h5"
    with new_h5(numbers) as file, _writer(path, file, numbers.name) as writer:
        writer.write_points_cells(maps.layout.points, cells)
        for k, t in enumerate(tree["/state/time"][()]):
            values = cell_values(maps.layout) | maps.cell_frame(tree, k)
            cell_data = {name: split_by_cells(numbers, cells) for name, numbers in values.items()}
            point_data = point_values(maps.layout) | maps.frame(tree, k)
            writer.write_data(float(t), point_data=point_data, cell_data=cell_data)
            file.check()
    return [path, numbers]


def _cells(layout: Layout) -> list[tuple[str, np.ndarray]]:
    if not len(layout.cells) and not len(layout.triangles):
        return [("vertex", layout.vertices.reshape(-1, 1))]
    lines = np.concatenate([layout.cells, np.column_stack([layout.vertices, layout.vertices])])
    return [(name, cells) for name, cells in (("line", lines), ("triangle", layout.triangles)) if len(cells)]


def _writer(path: Path, file: NewFile, file_name: str) -> Any:
    import meshio  # slow import

    class Beside(meshio.xdmf.TimeSeriesWriter):  # type: ignore[misc]
        """As in meshio, but the .h5 is next to the .xdmf (not in the current folder), and lines have two end points."""

        def __enter__(self) -> Beside:
            self.h5_filename, self.h5_file = file_name, file
            return self

        def cells(self, cells: list[tuple[str, np.ndarray]], grid: Any) -> None:
            if len(cells) == 1:
                super().cells(cells, grid)
                grid.find("Topology").set("NodesPerElement", str(cells[0][1].shape[1]))
            else:
                self._mixed(cells, grid)

        def _mixed(self, cells: list[tuple[str, np.ndarray]], grid: Any) -> None:
            """Write lines and triangles, each preceded by its type number (lines also by their point count)."""
            heads = {"line": [2, 2], "triangle": [4]}
            rows = [np.column_stack([np.tile(heads[name], (len(c), 1)), c]).ravel() for name, c in cells]
            flat = np.concatenate(rows).astype(np.int64)
            count = str(sum(len(c) for _, c in cells))
            topology = ElementTree.SubElement(grid, "Topology", TopologyType="Mixed", NumberOfElements=count)
            how = {"DataType": "Int", "Precision": "8", "Dimensions": str(len(flat)), "Format": self.data_format}
            ElementTree.SubElement(topology, "DataItem", how).text = self.numpy_to_xml_string(flat)

    return Beside(path)
