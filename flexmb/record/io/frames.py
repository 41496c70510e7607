"""Point and cell values of the mesh from the stored states, common to all field formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.fem.line_sections import ROUND as ROUND
from flexmb.kernels.geometry.tables import NODE as NODE
from flexmb.linalg.quaternions import from_vector, turned
from flexmb.record.io.structure import Tree, layout_from, matrix_from
from flexmb.record.samples import RecordedSystem
from flexmb.record.section_forces import UNITS, SectionForces
from flexmb.state import Array, IntArray
from flexmb.system.layout import Layout as Layout


@dataclass(frozen=True)
class PointMaps:
    """Maps from unknowns to vectors at the points.

    Parameters
    ----------
    layout : Layout
    impulse : (3 n, nc) or (3 n, 3 nc) sparse array
        Contact impulses (numbers, or vectors in space in large motion) -> impulse vector on each point.
    """

    layout: Layout
    impulse: sparse.csr_array

    @classmethod
    def of(cls, system: RecordedSystem) -> PointMaps:
        """Return the maps of an assembled system."""
        return cls(system.layout, sparse.csr_array(system.impulse_map))

    @classmethod
    def from_tree(cls, tree: Tree) -> PointMaps:
        """Return the maps stored with a result."""
        return cls(layout_from(tree), matrix_from(tree, "impulse"))

    @property
    def names(self) -> list[str]:
        """Names of the available vectors."""
        extra = ["rotation"] if self.layout.turns else []
        return ["displacement", "velocity", *extra, *(["contact_impulse"] if self.impulse.shape[1] else [])]

    def vectors(self, q: Array, v: Array, impulse: Array) -> dict[str, Array]:
        """Return the vectors at all n points, each (k n, 3), state below state; q is (k, nq), v is (k, nv)."""
        all_of: dict[str, Callable[[], Array]] = {
            "displacement": lambda: self.layout.displacements(q),
            "velocity": lambda: self.layout.velocities(q, v),
            "rotation": lambda: self.layout.rotations(q),
            "contact_impulse": lambda: np.asarray(self.impulse @ impulse.T).T,
        }
        return {name: all_of[name]().reshape(-1, 3) for name in self.names}

    def frame(self, tree: Tree, k: int) -> dict[str, Array]:
        """Return the vectors of the k-th stored state of a result, each (n, 3)."""
        return self.vectors(tree["/state/q"][k][None], tree["/state/v"][k][None], tree["/state/impulse"][k][None])

    @cached_property
    def forces(self) -> SectionForces | None:
        """Section forces of lines; None if there are no lines or their stiffness is unknown."""
        sections = self.layout.sections
        known = sections is not None and bool(np.isfinite(sections.stiffness).any())
        return SectionForces(self.layout) if known else None

    @property
    def cell_names(self) -> list[str]:
        """Names of the available cell values of lines."""
        return [] if self.forces is None else list(UNITS)

    def cell_frames(self, q: Array) -> dict[str, Array]:
        """Return the values on all m cells in the order of ``cells_of``, (k m,) or (k m, 3); nan except on lines."""
        if self.forces is None:
            return {}
        others = len(self.layout.vertices) + len(self.layout.triangles)
        out = {}
        for name, values in self.forces.values(q).items():
            rest = np.full((len(q), others, *values.shape[2:]), np.nan)
            out[name] = np.concatenate([values, rest], axis=1).reshape(-1, *values.shape[2:])
        return out

    def sides(self, rotation: Array | None) -> Array:
        """Return the y axes of the lines' sections at their two ends, (m, 2, 3), unit vectors in space.

        Parameters
        ----------
        rotation : (n, 3) array or None
            Rotation vectors of the points since the start, rad.
        """
        layout = self.layout
        m, ends = len(layout.cells), layout.cells.ravel()
        if layout.sections is None:
            return np.zeros((m, 2, 3))
        start = np.repeat(layout.sections.axes[:, :, 1], 2, axis=0)
        if layout.carriers is not None:
            start = turned(layout.carriers.frames(layout.carriers.q0[None])[0, ends], start)
        now = start if rotation is None else turned(from_vector(rotation[ends]), start)
        return np.asarray(now).reshape(m, 2, 3)

    def cell_frame(self, tree: Tree, k: int) -> dict[str, Array]:
        """Return the values on the cells in the k-th stored state, (m,) or (m, 3)."""
        return self.cell_frames(tree["/state/q"][k][None])


VTK_TYPES = {"vertex": 1, "line": 3, "triangle": 5}
"""VTK cell types of the kinds of cells that ``cells_of`` names."""


def cells_of(layout: Layout) -> list[tuple[str, IntArray]]:
    """Return the cells with meshio's names: lines, then vertices of particles, then triangles of surfaces."""
    blocks = [("line", layout.cells), ("vertex", layout.vertices.reshape(-1, 1)), ("triangle", layout.triangles)]
    return [(name, cells) for name, cells in blocks if len(cells)]


def vtk_types(layout: Layout) -> np.ndarray:
    """Return the VTK type of every cell in the order of ``cells_of``."""
    blocks = cells_of(layout)
    kinds = np.array([VTK_TYPES[name] for name, _ in blocks], dtype=np.uint8)
    return np.repeat(kinds, [len(cells) for _, cells in blocks])


def point_values(layout: Layout) -> dict[str, IntArray]:
    """Return the constant values at the points: index of the body."""
    return {"body": layout.body_of_point.astype(np.int64)}


def line_radii(layout: Layout) -> Array:
    """Return the radius of every line, (m,), m: the outer one of round sections, else of a circle of equal size."""
    sections = layout.sections
    if sections is None:
        return layout.radius_of_cell
    own = (sections.outline == ROUND) & (sections.size[:, 0] > 0.0)
    return np.where(own, sections.size[:, 0], layout.radius_of_cell)


def cell_values(layout: Layout) -> dict[str, Array]:
    """Return the values on the cells in the order of ``cells_of``: radius (m) and index of the body."""
    lone = layout.radius_of_vertex if len(layout.radius_of_vertex) else np.zeros(len(layout.vertices))
    radius = np.concatenate([line_radii(layout), lone, np.zeros(len(layout.triangles))])
    firsts = np.concatenate([np.zeros(0, dtype=np.int64), *(cells[:, 0] for _, cells in cells_of(layout))])
    return {"radius": radius, "body": layout.body_of_point[firsts].astype(np.int64)}
