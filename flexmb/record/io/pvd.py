"""PVD export: one ``.vtu`` per stored state and a ``.pvd`` that lists their times."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from flexmb.record.io.frames import PointMaps, cell_values, cells_of, point_values
from flexmb.record.io.structure import Tree


def write_pvd(tree: Tree, folder: Path) -> list[Path]:
    """Write ``fields.pvd`` and ``fields_00000.vtu`` ... into ``folder``; return the .pvd."""
    import meshio  # slow import

    maps = PointMaps.from_tree(tree)
    layout = maps.layout
    cells = cells_of(layout)
    lines = []
    for k, t in enumerate(tree["/state/time"][()]):
        name = f"fields_{k:05d}.vtu"
        point_data = point_values(layout) | maps.frame(tree, k)
        values = cell_values(layout) | maps.cell_frame(tree, k)
        cell_data = {name: split_by_cells(numbers, cells) for name, numbers in values.items()}
        meshio.Mesh(layout.points, cells, point_data=point_data, cell_data=cell_data).write(folder / name)
        lines.append(f'    <DataSet timestep="{float(t)!r}" group="" part="0" file={quoteattr(name)}/>')
    path = folder / "fields.pvd"
    head = (
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n  <Collection>\n'
    )
    path.write_text(head + "\n".join(lines) + "\n  </Collection>\n</VTKFile>\n", encoding="utf-8")
    return [path]


def split_by_cells(values: np.ndarray, cells: list[tuple[str, np.ndarray]]) -> list[np.ndarray]:
    """Return ``values`` cut into one array per block of cells, as required by meshio."""
    return np.split(values, np.cumsum([len(block) for _, block in cells])[:-1])
