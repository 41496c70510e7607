"""Notes on bars and beams of small motion whose computed motion is far from small."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.geometry.tables import NODE
from flexmb.record.io.structure import Tree
from flexmb.record.samples import RunInfo
from flexmb.state import Array, IntArray
from flexmb.system.layout import Layout

LIMITS = {"rotated": (0.5, " rad"), "strained": (1.0, "")}
"""Rotation and strain of an element in linear theory above which a note is given, with their units."""
EXAMINED = 200
"""Number of stored states that are examined, evenly spaced."""


def small_motion_notes(tree: Tree, run: RunInfo) -> list[str]:
    """Return a note for each body whose elements rotate or stretch far beyond what linear theory describes."""
    layout: Layout = run.system.layout
    cells = _small_cells(layout)
    if not cells.size or "/state/q" not in tree:
        return []
    stored = tree["/state/q"].shape[0]
    every = max(1, stored // EXAMINED)
    first = (stored - 1) % every  # the last one is examined
    time = np.asarray(tree["/state/time"][first::every])
    found = _rotation_and_strain(layout, np.asarray(tree["/state/q"][first::every]), cells)
    notes = []
    for b, name in enumerate(layout.bodies):
        own = layout.body_of_point[cells[:, 0]] == b
        for (how, (limit, unit)), values in zip(LIMITS.items(), found, strict=True):
            largest = values[:, own].max(axis=1, initial=0.0)
            k = int(largest.argmax())
            if largest[k] > limit:
                instead = ' kind = "exact-beam" is for large rotations' if how == "rotated" else ""
                notes.append(
                    f"bodies.{name}: an element of it was {how} by {largest[k]:.3g}{unit} at t = {time[k]:.6g} s, but "
                    "small motion describes values far below 1 only; are young (Pa), density, loads and velocities in "
                    f"SI units?{instead}"
                )
                break
    return notes


def _small_cells(layout: Layout) -> IntArray:
    """Return the elements of small displacement, (m, 2); lines drawn in a body given by matrices have no section."""
    lines = layout.cells
    kept = (layout.radius_of_cell > 0.0) & np.any(layout.points[lines[:, 0]] != layout.points[lines[:, 1]], axis=1)
    if layout.carriers is not None:
        kept &= np.all(layout.carriers.kind[lines] == NODE, axis=1)
    return np.asarray(lines[kept])


def _rotation_and_strain(layout: Layout, q: Array, cells: IntArray) -> tuple[Array, Array]:
    """Return rotations and strains of lines in k states q, (k, m): (u_B - u_A) / l across and along them."""
    a, b = cells.T
    line = layout.points[b] - layout.points[a]
    length = np.linalg.norm(line, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # a diverging motion overflows
        u = layout.displacements(q) if layout.carriers is None else layout.carriers.elastic(q)[..., :3]
        gradient = np.nan_to_num((u[:, b] - u[:, a]) / length[:, None])
        along = np.sum(gradient * (line / length[:, None]), axis=-1)
        across = np.linalg.norm(gradient - along[..., None] * (line / length[:, None]), axis=-1)
    return across, np.abs(along)
