"""``fields.vtkhdf``: the motion for ParaView and pyvista, in VTK's own HDF5 layout (UnstructuredGrid with Steps).

The mesh is stored once, at its reference position; ``displacement`` warps it. All offsets of the Steps group refer
to that mesh, and only the values of points and cells advance by one block per step. Values have an attribute
``unit``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmb.record.io.frames import PointMaps, cell_values, cells_of, point_values, vtk_types
from flexmb.record.io.planned_file import PlannedFile, Rows
from flexmb.record.io.structure import UNITS, Tree
from flexmb.record.samples import Block, RunInfo
from flexmb.state import Array
from flexmb.system.layout import Layout

ROOT = "/VTKHDF"


class FieldsWriter:
    """Streams stored states into a VTKHDF file.

    Parameters
    ----------
    path : Path
        File to write.
    maps : PointMaps
    count : int
        Planned number of states.
    """

    def __init__(self, path: Path, maps: PointMaps, count: int) -> None:
        self.maps = maps
        self.fields = 0
        n = len(maps.layout.points)
        rows = {f"{ROOT}/PointData/{name}": Rows("field", (3,), per=n) for name in maps.names}
        cells = _cell_count(maps.layout)
        for name in maps.cell_names:
            rows[f"{ROOT}/CellData/{name}"] = Rows("field", (3,) if name == "bending_moment" else (), per=cells)
        rows[f"{ROOT}/Steps/Values"] = Rows("field")
        self.out = PlannedFile(path, rows, {"field": count})

    def begin(self, fields: int | None = None) -> None:
        """Create the file, or reopen it after ``fields`` states."""
        if fields is None:
            count = self.out.counts["field"]
            self.out.create(_mesh(self.maps.layout) | _offsets(self.maps, count), _attrs(self.maps, count))
        else:
            self.fields = fields
            self.out.reopen()

    def append(self, time: Array, q: Array, v: Array, impulse: Array) -> None:
        """Write k states: time is (k,), q is (k, nq), v is (k, nv)."""
        if not time.size:
            return
        for name, values in self.maps.vectors(q, v, impulse).items():
            self.out.write(f"{ROOT}/PointData/{name}", self.fields, values)
        for name, values in self.maps.cell_frames(q).items():
            self.out.write(f"{ROOT}/CellData/{name}", self.fields, values)
        self.out.write(f"{ROOT}/Steps/Values", self.fields, time)
        self.fields += int(time.size)

    def append_block(self, run: RunInfo, block: Block) -> None:
        """Write the states of a block."""
        time = np.asarray(run.t0 + block.field_step * run.h, dtype=np.float64)
        self.append(time, block.field_q, block.field_v, block.field_impulse)

    def flush(self) -> None:
        """Flush everything written so far to disk."""
        self.out.flush()

    def finish(self) -> None:
        """Close the file with the states written so far."""
        self.out.shorten({"field": self.fields}, {f"{ROOT}/Steps": {"NSteps": self.fields}})


def write_fields(tree: Tree, path: Path) -> None:
    """Write all stored states of a result."""
    times = tree["/state/time"][()]
    writer = FieldsWriter(path, PointMaps.from_tree(tree), len(times))
    try:
        writer.begin()
        for k in range(len(times)):
            one = slice(k, k + 1)
            writer.append(times[one], tree["/state/q"][one], tree["/state/v"][one], tree["/state/impulse"][one])
        writer.finish()
    finally:
        writer.out.close()


def planned_bytes(maps: PointMaps, count: int) -> int:
    """Return the size of the values at points and cells, bytes."""
    per_cell = 40 if maps.cell_names else 0
    return count * (len(maps.names) * len(maps.layout.points) * 24 + per_cell * _cell_count(maps.layout))


def _attrs(maps: PointMaps, count: int) -> dict[str, dict[str, Any]]:
    units = {f"{ROOT}/PointData/{name}": UNITS[name] for name in maps.names}
    units |= {f"{ROOT}/CellData/{name}": UNITS[name] for name in (*maps.cell_names, "radius")}
    return {path: {"unit": unit} for path, unit in units.items()} | {
        ROOT: {"Version": np.array([2, 1], dtype=np.int64), "Type": np.bytes_("UnstructuredGrid")},
        f"{ROOT}/Steps": {"NSteps": count},
    }


def _mesh(layout: Layout) -> dict[str, np.ndarray]:
    blocks = cells_of(layout)
    counts = [len(cells) for _, cells in blocks]
    ids = np.concatenate([cells.ravel() for _, cells in blocks]).astype(np.int64)
    sizes = np.repeat([cells.shape[1] for _, cells in blocks], counts)
    out: dict[str, np.ndarray] = {
        f"{ROOT}/Points": layout.points,
        f"{ROOT}/Connectivity": ids,
        f"{ROOT}/Offsets": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        f"{ROOT}/Types": vtk_types(layout),
        f"{ROOT}/NumberOfPoints": np.array([len(layout.points)]),
        f"{ROOT}/NumberOfCells": np.array([len(sizes)]),
        f"{ROOT}/NumberOfConnectivityIds": np.array([len(ids)]),
    }
    out |= {f"{ROOT}/PointData/{name}": values for name, values in point_values(layout).items()}
    return out | {f"{ROOT}/CellData/{name}": values for name, values in cell_values(layout).items()}


def _offsets(maps: PointMaps, count: int) -> dict[str, np.ndarray]:
    zero = np.zeros(count, dtype=np.int64)
    steps = f"{ROOT}/Steps"
    out = {
        f"{steps}/PartOffsets": zero,
        f"{steps}/NumberOfParts": np.ones(count, dtype=np.int64),
        f"{steps}/PointOffsets": zero,
        f"{steps}/CellOffsets": zero.reshape(-1, 1),
        f"{steps}/ConnectivityIdOffsets": zero.reshape(-1, 1),
    }
    out |= {f"{steps}/PointDataOffsets/{name}": zero for name in point_values(maps.layout)}
    moving = np.arange(count, dtype=np.int64) * len(maps.layout.points)
    out |= {f"{steps}/PointDataOffsets/{name}": moving for name in maps.names}
    along = np.arange(count, dtype=np.int64) * _cell_count(maps.layout)
    out |= {f"{steps}/CellDataOffsets/{name}": along for name in maps.cell_names}
    return out | {f"{steps}/CellDataOffsets/{name}": zero for name in cell_values(maps.layout)}


def _cell_count(layout: Layout) -> int:
    return sum(len(cells) for _, cells in cells_of(layout))
