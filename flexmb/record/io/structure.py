"""The tree of arrays of a result, defined once for memory and disk.

/step /time                         sample numbers n and times t0 + n h
/signals/NAME                       (n+1,) or (n+1, k)
/contacts/NAME/{gap,velocity,impulse}   (n+1,) for one contact, (n+1, m) for a group
/contacts/NAME/{status,work,work_friction,work_surface}   the same, where a contact of the system has friction
/contacts/NAME/{work_rolling,work_cohesion}   the same, where contacts of the group have that law
/contacts/NAME/{slip,tangential_impulse}   along its tangents, (n+1,) for one, else side by side, contact by contact
/contacts/NAME/{rolling_rate,rolling_impulse}   along its axes of rolling, then about its normal, likewise
/joints/NAME/force                  multipliers: forces and torques along its rows, (n+1,) or (n+1, m)
/joints/NAME/impulse                impulses along its rows since the sample before, (n+1,) or (n+1, m)
/joints/NAME/{position_error,velocity_error}   (n+1,), largest |g| and |g'| of its rows
/energy/{kinetic, ...}              see record.ENERGY_COLUMNS
/state/{step,time,q,v,impulse}      at ``fields_every``
/layout/...                         where the unknowns live in space; /layout/carriers/... in large motion
/layout/sections/...                stiffness and outline of the lines' cross-sections
/layout/marks/...                   disks, bearings, supports, springs, dampers and rings, to be drawn
/layout/contacts                    names of the contacts in the order of /state/impulse
/layout/laws/...                    rows beside the normals and numbers of the laws, see system.contact_blocks.Blocks
/layout/digest                      a checksum of the layout, and of names, types and widths of all arrays
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.assembly.glyphs import Glyphs
from flexmb.fem.line_sections import LineSections
from flexmb.record.io.friction_rows import friction_rows_of, law_arrays, split_friction
from flexmb.record.io.planned_file import Rows
from flexmb.record.samples import ENERGY_COLUMNS, EVENT_WORKS, FRICTION_PARTS, SPIN_WORKS, Block, RunInfo, count_kept
from flexmb.record.section_forces import UNITS as SECTION_UNITS
from flexmb.system.layout import Carriers, Layout

Tree = Mapping[str, Any]
"""Array-likes by path: numpy arrays, or HDF5 datasets that are read when sliced."""

UNITS = {
    "time": "s",
    "gap": "m",
    "velocity": "m/s",
    "impulse": "N s",
    "slip": "m/s",
    "tangential_impulse": "N s",
    "slip_speed": "m/s",
    "friction_impulse": "N s",
    "rolling_rate": "rad/s",
    "rolling_impulse": "N m s",
    "work": "J",
    "work_friction": "J",
    "work_rolling": "J",
    "work_cohesion": "J",
    "work_surface": "J",
    "force": "N",
    "position": "m",
    "displacement": "m",
    "rotation": "rad",
    "angular_velocity": "rad/s",
    "angle": "rad",
    "angle_rate": "rad/s",
    "spin_angle": "rad",
    "spin_speed": "rad/s",
    "tangential_velocity": "m/s",
    "momentum": "kg m/s",
    "angular_momentum": "kg m^2/s",
    "center_of_mass": "m",
    "kinetic_energy": "J",
    "contact_impulse": "N s",
    "radius": "m",
} | SECTION_UNITS
"""Unit by the last word of a name; energies are in J, and joints have their own units."""
JOINT_UNITS = {
    "force": "N or N m",
    "impulse": "N s or N m s",
    "position_error": "m or rad",
    "velocity_error": "m/s or rad/s",
}
"""Quantities recorded for a joint: some of its rows constrain positions, others angles."""
ROW_UNITS = {"force": ("N", "N m"), "impulse": ("N s", "N m s")}
"""Units of single rows of joints: those that constrain positions, and those that constrain angles."""
ANGULAR = ("tilt", "turn", "angle")
"""Beginnings of the labels of rows that constrain angles."""

CARRIER_ARRAYS, CARRIER_MAPS = ("kind", "iq", "iv", "local", "q0"), ("Dq", "Dv")
"""Fields of ``Carriers``: arrays and sparse maps."""
DIGEST = "/layout/digest"


def unit(name: str) -> str:
    """Return the unit of a signal by its name or its path in the tree, empty if unknown."""
    words = name.lstrip("/").replace("/", ".").split(".")
    if words[0] == "energy":
        return "J"
    own = JOINT_UNITS if words[0] == "joints" else {}
    return own.get(words[-1]) or UNITS.get(words[-1], "")


def row_unit(word: str, row: str) -> str:
    """Return the unit of a ``force`` or ``impulse`` of a joint's row, e.g. ``tilt about x``; empty for other words."""
    return ROW_UNITS[word][row.startswith(ANGULAR)] if word in ROW_UNITS else ""


def mean_force(impulse: np.ndarray, step: np.ndarray, h: float) -> np.ndarray:
    """Return the mean force since the previous sample, N: the impulse, (n+1,) or (n+1, m), over that time.

    The first interval is taken equal to the second: at the start of a run the first impulse is zero, and inside a run
    samples are evenly spaced.
    """
    dt = np.diff(step, prepend=2 * step[0] - step[1] if len(step) > 1 else step[0] - 1) * h
    return np.asarray(impulse / (dt if impulse.ndim == 1 else dt[:, None]))


def counts_of(run: RunInfo) -> dict[str, int]:
    """Return the numbers of samples and stored states of a complete run; the last step is always included."""
    every = {"sample": run.every, "field": run.fields_every}
    return {kind: count_kept(run.steps, n, run.steps) for kind, n in every.items()}


def sample_rows(run: RunInfo) -> dict[str, Rows]:
    """Return the datasets of a run that grow with time."""
    system = run.system
    rows = {"/step": Rows("sample", dtype=np.int64), "/time": Rows("sample")}
    for probe in system.probes:
        rows[f"/signals/{probe.name}"] = Rows("sample", _row(probe.size))
    start = system.contacts.start
    for j, name in enumerate(system.contacts.names):
        for what in ("gap", "velocity", "impulse"):
            rows[f"/contacts/{name}/{what}"] = Rows("sample", _row(int(start[j + 1] - start[j])))
        rows |= friction_rows_of(system.contacts, j)
    for name, own in _joint_rows(run).items():
        rows |= {f"/joints/{name}/{what}": Rows("sample", _row(own.stop - own.start)) for what in ("force", "impulse")}
        rows |= {f"/joints/{name}/{what}": Rows("sample") for what in ("position_error", "velocity_error")}
    for column in energy_columns(run):
        rows[f"/energy/{column}"] = Rows("sample")
    rows["/state/step"] = Rows("field", dtype=np.int64)
    rows["/state/time"] = Rows("field")
    rows["/state/q"] = Rows("field", (system.nq,))
    rows["/state/v"] = Rows("field", (system.nv,))
    rows["/state/impulse"] = Rows("field", (system.impulse_map.shape[1],))
    return rows


def energy_columns(run: RunInfo) -> list[str]:
    """Return the recorded energies; parts of friction only with tangential rows, those of spins only with rotors."""
    absent: tuple[str, ...] = FRICTION_PARTS if run.system.contacts.blocks.normals_only else ()
    absent += () if run.with_events else EVENT_WORKS
    absent += () if run.system.spins else SPIN_WORKS
    return [name for name in ENERGY_COLUMNS if name not in absent]


def _joint_rows(run: RunInfo) -> dict[str, slice]:
    """Return the rows of each joint."""
    joints = run.system.joints
    if joints is None:
        return {}
    return {name: slice(int(joints.start[j]), int(joints.start[j + 1])) for j, name in enumerate(joints.names)}


def _row(size: int) -> tuple[int, ...]:
    return () if size == 1 else (size,)


def split(run: RunInfo, block: Block) -> dict[str, np.ndarray]:
    """Return the rows of a block by path in the tree."""
    out: dict[str, np.ndarray] = {"/step": block.step, "/time": block.time}
    first = 0
    for probe in run.system.probes:
        out[f"/signals/{probe.name}"] = _columns(block.probes, first, probe.size)
        first += probe.size
    start = run.system.contacts.start
    for j, name in enumerate(run.system.contacts.names):
        for what in ("gap", "velocity", "impulse"):
            values = _columns(getattr(block, what), int(start[j]), int(start[j + 1] - start[j]))
            out[f"/contacts/{name}/{what}"] = values
        out |= split_friction(run.system.contacts, j, block)
    out |= _split_joints(run, block)
    for column in energy_columns(run):
        out[f"/energy/{column}"] = block.energy[:, ENERGY_COLUMNS.index(column)]
    out["/state/step"] = block.field_step
    out["/state/time"] = run.t0 + block.field_step * run.h
    out["/state/q"] = block.field_q
    out["/state/v"] = block.field_v
    out["/state/impulse"] = block.field_impulse
    return out


def _split_joints(run: RunInfo, block: Block) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {}
    for name, own in _joint_rows(run).items():
        for what, values in (("force", block.multiplier), ("impulse", block.joint_impulse)):
            assert values is not None, "a system with joints records their multipliers"
            out[f"/joints/{name}/{what}"] = _columns(values, own.start, own.stop - own.start)
        for what, values in (("position_error", block.joint_g), ("velocity_error", block.joint_gdot)):
            assert values is not None, "a system with joints records their residuals"
            out[f"/joints/{name}/{what}"] = np.abs(values[:, own]).max(axis=1, initial=0.0)
    return out


def _columns(values: np.ndarray, first: int, size: int) -> np.ndarray:
    return values[:, first] if size == 1 else values[:, first : first + size]


def static_arrays(run: RunInfo) -> dict[str, np.ndarray]:
    """Return the arrays that do not depend on time: the layout, and the points where contact impulses act."""
    layout, system = run.system.layout, run.system
    out: dict[str, np.ndarray] = {
        "/layout/points": layout.points,
        "/layout/cells": layout.cells,
        "/layout/vertices": layout.vertices,
        "/layout/body_of_point": layout.body_of_point,
        "/layout/radius_of_cell": layout.radius_of_cell,
        "/layout/bodies": _bytes(layout.bodies),
    }
    maps = {"displacement": layout.displacement, "rotation": layout.rotation, "impulse": system.impulse_map}
    if len(layout.triangles):
        out["/layout/triangles"] = layout.triangles
    if layout.radius_of_vertex.any():
        out["/layout/radius_of_vertex"] = layout.radius_of_vertex
    if layout.carriers is not None:
        for name in CARRIER_ARRAYS:
            out[f"/layout/carriers/{name}"] = getattr(layout.carriers, name)
        maps |= {f"carriers/{name}": getattr(layout.carriers, name) for name in CARRIER_MAPS}
    if layout.sections is not None:
        for f in fields(LineSections):
            out[f"/layout/sections/{f.name}"] = getattr(layout.sections, f.name)
    out |= law_arrays(system.contacts.blocks)
    if system.contacts.names:
        out["/layout/contacts"] = _bytes(system.contacts.names)
    if len(layout.marks):
        out |= {f"/layout/marks/{f.name}": getattr(layout.marks, f.name) for f in fields(Glyphs)}
    for name, matrix in maps.items():
        out |= _csr_arrays(f"/layout/{name}", sparse.csr_array(matrix))
    rows: dict[str, np.ndarray] = {name: np.empty((0, *row.shape), row.dtype) for name, row in sample_rows(run).items()}
    return out | {DIGEST: np.array([digest_of(out | rows).encode()])}


def digest_of(tree: Tree) -> str:
    """Return a checksum of the arrays that a run writes at its start and never changes.

    These are the layout bit by bit, and names, types and widths of all arrays, whose number of rows grows.
    """
    out = hashlib.blake2b(digest_size=32)
    for name in sorted(name for name in tree if name != DIGEST):
        values, fixed = tree[name], name.startswith("/layout/")
        out.update(repr((name, values.dtype.str, values.shape[0 if fixed else 1 :])).encode())
        if fixed:
            out.update(np.ascontiguousarray(values[()]).tobytes())
    return out.hexdigest()


def _bytes(names: Sequence[str]) -> np.ndarray:
    return np.array([name.encode() for name in names], dtype="S")


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
        bodies=tuple(name.decode(errors="replace") for name in tree["/layout/bodies"][()]),
        displacement=matrix_from(tree, "displacement"),
        rotation=matrix_from(tree, "rotation"),
        radius_of_cell=tree["/layout/radius_of_cell"][()],
        triangles=_array_from(tree, "triangles", np.zeros((0, 3), dtype=np.int64)),
        radius_of_vertex=_array_from(tree, "radius_of_vertex", np.zeros(0)),
        carriers=_carriers_from(tree),
        sections=sections_from(tree),
        marks=marks_from(tree),
    )


def _array_from(tree: Tree, name: str, otherwise: np.ndarray) -> np.ndarray:
    """Return the array ``/layout/NAME``; results of small motion lack some of them."""
    path = f"/layout/{name}"
    return np.asarray(tree[path][()]) if path in tree else otherwise


def sections_from(tree: Tree) -> LineSections | None:
    """Return the cross-sections stored in a tree, None in older results."""
    if "/layout/sections/stiffness" not in tree:
        return None
    paths = {f.name: f"/layout/sections/{f.name}" for f in fields(LineSections)}
    parts = {name: np.asarray(tree[path][()]) for name, path in paths.items() if path in tree or name != "other"}
    parts.setdefault("other", np.zeros(len(parts["length"]), dtype=np.int64))  # missing in older results
    return LineSections(**parts)


def marks_from(tree: Tree) -> Glyphs:
    """Return the glyphs stored in a tree, if any."""
    if "/layout/marks/kind" not in tree:
        return Glyphs()
    return Glyphs(**{f.name: np.asarray(tree[f"/layout/marks/{f.name}"][()]) for f in fields(Glyphs)})


def _carriers_from(tree: Tree) -> Carriers | None:
    if "/layout/carriers/kind" not in tree:
        return None
    parts: dict[str, Any] = {name: np.asarray(tree[f"/layout/carriers/{name}"][()]) for name in CARRIER_ARRAYS}
    parts |= {name: matrix_from(tree, f"carriers/{name}") for name in CARRIER_MAPS}
    return Carriers(**parts)
