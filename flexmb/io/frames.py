"""Values at the points of the mesh, from the kept states; what every field format writes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.io.structure import Tree, layout_from, matrix_from
from flexmb.state import Array, IntArray
from flexmb.system import Layout, LinearSystem


@dataclass(frozen=True)
class PointMaps:
    """Maps from unknowns to vectors at the points.

    Parameters
    ----------
    layout : Layout
    impulse : (3 n, nc) sparse array
        Contact impulses -> impulse vector on each point.
    """

    layout: Layout
    impulse: sparse.csr_array

    @classmethod
    def of(cls, system: LinearSystem) -> PointMaps:
        """Return the maps of an assembled system."""
        return cls(system.layout, sparse.csr_array(system.layout.displacement @ system.contacts.G))

    @classmethod
    def from_tree(cls, tree: Tree) -> PointMaps:
        """Return the maps stored with a result."""
        return cls(layout_from(tree), matrix_from(tree, "impulse"))

    @property
    def names(self) -> list[str]:
        """Names of the vectors there are."""
        extra = ["rotation"] if self.layout.rotation.nnz else []
        return ["displacement", "velocity", *extra, *(["contact_impulse"] if self.impulse.shape[1] else [])]

    def vectors(self, q: Array, v: Array, impulse: Array) -> dict[str, Array]:
        """Return the vectors at all n points, each (k n, 3), state below state; q and v are (k, nv)."""
        D = self.layout.displacement
        all_of = {
            "displacement": lambda: D @ q.T,
            "velocity": lambda: D @ v.T,
            "rotation": lambda: self.layout.rotation @ q.T,
            "contact_impulse": lambda: self.impulse @ impulse.T,
        }
        return {name: np.asarray(all_of[name]()).T.reshape(-1, 3) for name in self.names}

    def frame(self, tree: Tree, k: int) -> dict[str, Array]:
        """Return the vectors of the k-th kept state of a result, each (n, 3)."""
        return self.vectors(tree["/state/q"][k][None], tree["/state/v"][k][None], tree["/state/impulse"][k][None])


def cells_of(layout: Layout) -> list[tuple[str, IntArray]]:
    """Return the cells as meshio names them: lines, then vertices of particles."""
    blocks = [("line", layout.cells), ("vertex", layout.vertices.reshape(-1, 1))]
    return [(name, cells) for name, cells in blocks if len(cells)]


def cell_values(layout: Layout) -> dict[str, Array]:
    """Return the values on the cells, lines first, then vertices: radius (m) and index of the body."""
    lone = np.zeros(len(layout.vertices))
    ends = layout.cells[:, 0] if len(layout.cells) else np.zeros(0, dtype=np.int64)
    bodies = np.concatenate([layout.body_of_point[ends], layout.body_of_point[layout.vertices]])
    return {"radius": np.concatenate([layout.radius_of_cell, lone]), "body": bodies.astype(np.int64)}
