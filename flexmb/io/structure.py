"""The tree of arrays a result is made of, written down once for memory and for disk.

/step /time                         sample numbers n and times t0 + n h
/signals/NAME                       (n+1,) or (n+1, k)
/contacts/NAME/{gap,velocity,impulse}   (n+1,) for one contact, (n+1, m) for a group
/energy/{kinetic, ...}              see record.ENERGY_COLUMNS
/state/{step,time,q,v,impulse}      at ``fields_every``
/layout/...                         where the unknowns live in space
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.io.planned_file import Rows
from flexmb.record import ENERGY_COLUMNS, Block, RunInfo
from flexmb.system import Layout

Tree = Mapping[str, Any]
"""Array-likes by path: numpy arrays, or HDF5 datasets that are read when sliced."""

UNITS = {
    "time": "s",
    "gap": "m",
    "velocity": "m/s",
    "impulse": "N s",
    "force": "N",
    "position": "m",
    "displacement": "m",
    "rotation": "rad",
    "angular_velocity": "rad/s",
}
"""Unit by the last word of a name; energies are in J."""


def unit(name: str) -> str:
    """Return the unit of a signal by its name, empty when it has none we know."""
    return UNITS.get(name.replace("/", ".").rsplit(".", 1)[-1], "")


def mean_force(impulse: np.ndarray, step: np.ndarray, h: float) -> np.ndarray:
    """Return the mean force since the sample before, N: the impulse, (n+1,) or (n+1, m), over that time."""
    dt = np.diff(step, prepend=step[0] - 1) * h
    return np.asarray(impulse / (dt if impulse.ndim == 1 else dt[:, None]))


def counts_of(run: RunInfo) -> dict[str, int]:
    """Return how many samples and fields a complete run has; the last step is always one of both."""
    return {"sample": _count(run.steps, run.every), "field": _count(run.steps, run.fields_every)}


def _count(steps: int, every: int) -> int:
    return steps // every + 1 + (steps % every != 0)


def sample_rows(run: RunInfo) -> dict[str, Rows]:
    """Return the datasets of a run that grow with time."""
    system = run.system
    rows = {"/step": Rows("sample", dtype=np.int64), "/time": Rows("sample")}
    for probe in system.probes:
        rows[f"/signals/{probe.name}"] = Rows("sample", _row(int(probe.offset.size)))
    start = system.contacts.start
    for j, name in enumerate(system.contacts.names):
        for what in ("gap", "velocity", "impulse"):
            rows[f"/contacts/{name}/{what}"] = Rows("sample", _row(int(start[j + 1] - start[j])))
    for column in ENERGY_COLUMNS:
        rows[f"/energy/{column}"] = Rows("sample")
    rows["/state/step"] = Rows("field", dtype=np.int64)
    rows["/state/time"] = Rows("field")
    rows["/state/q"] = Rows("field", (system.nv,))
    rows["/state/v"] = Rows("field", (system.nv,))
    rows["/state/impulse"] = Rows("field", (system.contacts.nc,))
    return rows


def _row(size: int) -> tuple[int, ...]:
    return () if size == 1 else (size,)


def split(run: RunInfo, block: Block) -> dict[str, np.ndarray]:
    """Return the rows of a block by path in the tree."""
    out: dict[str, np.ndarray] = {"/step": block.step, "/time": block.time}
    first = 0
    for probe in run.system.probes:
        size = int(probe.offset.size)
        out[f"/signals/{probe.name}"] = _columns(block.probes, first, size)
        first += size
    start = run.system.contacts.start
    for j, name in enumerate(run.system.contacts.names):
        for what in ("gap", "velocity", "impulse"):
            values = _columns(getattr(block, what), int(start[j]), int(start[j + 1] - start[j]))
            out[f"/contacts/{name}/{what}"] = values
    for k, column in enumerate(ENERGY_COLUMNS):
        out[f"/energy/{column}"] = block.energy[:, k]
    out["/state/step"] = block.field_step
    out["/state/time"] = run.t0 + block.field_step * run.h
    out["/state/q"] = block.field_q
    out["/state/v"] = block.field_v
    out["/state/impulse"] = block.field_impulse
    return out


def _columns(values: np.ndarray, first: int, size: int) -> np.ndarray:
    return values[:, first] if size == 1 else values[:, first : first + size]


def static_arrays(run: RunInfo) -> dict[str, np.ndarray]:
    """Return what does not change with time: the layout, and where contact impulses act."""
    layout, system = run.system.layout, run.system
    out: dict[str, np.ndarray] = {
        "/layout/points": layout.points,
        "/layout/cells": layout.cells,
        "/layout/vertices": layout.vertices,
        "/layout/body_of_point": layout.body_of_point,
        "/layout/radius_of_cell": layout.radius_of_cell,
        "/layout/bodies": np.array([name.encode() for name in layout.bodies], dtype="S"),
    }
    # the columns of `displacement` are unit vectors at the nodes, so D (G P) is the impulse vector on each point
    impulse = sparse.csr_array(layout.displacement @ system.contacts.G)
    for name, matrix in (("displacement", layout.displacement), ("rotation", layout.rotation), ("impulse", impulse)):
        out |= _csr_arrays(f"/layout/{name}", sparse.csr_array(matrix))
    return out


def _csr_arrays(name: str, matrix: sparse.csr_array) -> dict[str, np.ndarray]:
    return {
        f"{name}/data": np.asarray(matrix.data, dtype=np.float64),
        f"{name}/indices": np.asarray(matrix.indices, dtype=np.int64),
        f"{name}/indptr": np.asarray(matrix.indptr, dtype=np.int64),
        f"{name}/shape": np.asarray(matrix.shape, dtype=np.int64),
    }


def matrix_from(tree: Tree, name: str) -> sparse.csr_array:
    """Return the sparse matrix ``/layout/NAME`` of a tree."""
    data, indices, indptr, shape = (tree[f"/layout/{name}/{k}"][()] for k in ("data", "indices", "indptr", "shape"))
    return sparse.csr_array((data, indices, indptr), shape=(int(shape[0]), int(shape[1])))


def layout_from(tree: Tree) -> Layout:
    """Return the layout stored in a tree."""
    return Layout(
        points=tree["/layout/points"][()],
        cells=tree["/layout/cells"][()],
        vertices=tree["/layout/vertices"][()],
        body_of_point=tree["/layout/body_of_point"][()],
        bodies=tuple(name.decode() for name in tree["/layout/bodies"][()]),
        displacement=matrix_from(tree, "displacement"),
        rotation=matrix_from(tree, "rotation"),
        radius_of_cell=tree["/layout/radius_of_cell"][()],
    )
