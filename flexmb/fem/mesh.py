"""Line meshes: uniform, graded, or read with meshio from any file with one straight chain of lines."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from flexmb.state import Array, IntArray

STRAIGHT = 1e-6
"""Allowed distance of a node from the straight line, and of a midside node from the middle, relative to the length."""


@dataclass(frozen=True)
class LineMesh:
    """A straight chain of elements.

    Parameters
    ----------
    x : (n,) array
        Positions of the vertices along the axis, from 0 at the first, increasing, m.
    origin : (3,) array
        Position of the first vertex in the file, m.
    direction : (3,) array
        Unit vector from the first to the last vertex. The first end of a chain does not depend on the node order of
        the file: the largest component of the direction is positive.
    """

    x: Array
    origin: Array
    direction: Array

    def reversed(self) -> LineMesh:
        """Return the same chain counted from its other end."""
        end = self.origin + self.x[-1] * self.direction
        return LineMesh(self.x[-1] - self.x[::-1], end, -self.direction)


def spaced(length: float, elements: int, grading: float = 1.0) -> Array:
    """Return the vertices of a line of ``elements``, (elements + 1,), m.

    Element lengths form a geometric series; ``grading`` is the last length over the first (1: uniform).
    """
    if grading == 1.0 or elements == 1:
        return np.asarray(length * np.arange(elements + 1) / elements)
    sizes = grading ** (np.arange(elements) / (elements - 1))
    x = np.concatenate(([0.0], np.cumsum(sizes)))
    return np.asarray(x * (length / x[-1]))


def read_file(path: Path, wrong: Any) -> Any:
    """Return the content of a file read by meshio; ``wrong(message)`` creates the error if it fails."""
    import meshio  # imported here, since the import takes a third of a second

    if not path.is_file():
        raise wrong("there is no such mesh file")
    if path.suffix == ".geo":
        raise wrong(f"is the geometry, not a mesh: `gmsh -1 {path.name}` writes {path.stem}.msh")
    said = io.StringIO()
    try:
        # meshio prints its error messages and may call sys.exit
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return meshio.read(path)
    except (Exception, SystemExit) as error:
        reason = str(error) if isinstance(error, meshio.ReadError) else said.getvalue().strip() or repr(error)
        raise wrong(f"meshio cannot read this mesh file: {' '.join(reason.split())}") from error


def lines_of(mesh: Any, wrong: Any) -> tuple[Array, IntArray]:
    """Return the points, (n, 3), and the end nodes of all line cells, (m, 2).

    Of ``line3`` cells the end nodes are used, and the midside node must be in the middle.
    """
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    if not np.all(np.isfinite(points)):
        raise wrong("the mesh file contains coordinates that are not finite")
    blocks = [np.asarray(block.data, dtype=np.int64) for block in mesh.cells if block.type in ("line", "line3")]
    if not sum(len(block) for block in blocks):
        found = ", ".join(sorted({block.type for block in mesh.cells})) or "none"
        raise wrong(f"the mesh file contains no line cells (cells found: {found})")
    for block in blocks:
        if block.shape[1] == 3:
            ends = points[block[:, :2]]
            off = np.linalg.norm(points[block[:, 2]] - ends.mean(axis=1), axis=1)
            worst = int(np.argmax(off / np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))
            if off[worst] > STRAIGHT * np.linalg.norm(ends[worst, 1] - ends[worst, 0]):
                node = int(block[worst, 2])
                raise wrong(f"midside node {node} is {off[worst]:.3g} m away from the middle of its element")
    return points, np.concatenate([block[:, :2] for block in blocks])


def chain_of(lines: IntArray) -> IntArray:
    """Return the nodes of one open chain in its order, (m + 1,), from one of its ends."""
    used, local = np.unique(lines, return_inverse=True)
    local = local.reshape(-1, 2)
    ends = np.flatnonzero(np.bincount(local.ravel()) == 1)
    graph = sparse.coo_array((np.ones(len(local)), (local[:, 0], local[:, 1])), shape=(used.size, used.size)).tocsr()
    # on a path, breadth first from an end is the order along it
    walk = csgraph.breadth_first_order(graph, int(ends[0]), directed=False, return_predecessors=False)
    return np.asarray(used[walk], dtype=np.int64)


def straight_line(points: Array, order: IntArray, wrong: Any, number: IntArray | None = None) -> LineMesh:
    """Return the chain of nodes ``order`` if it is straight; ``number`` are the nodes' numbers in the file."""
    chain = points[order]
    order = order if number is None else number[order]
    span = chain[-1] - chain[0]
    length = float(np.linalg.norm(span))
    if length == 0.0:
        raise wrong("the chain is closed")
    direction = span / length
    if direction[np.argmax(np.abs(direction))] < 0.0:
        chain, order, direction = chain[::-1], order[::-1], 0.0 - direction
    x = (chain - chain[0]) @ direction
    off = np.linalg.norm(chain - chain[0] - x[:, None] * direction, axis=1)
    worst = int(np.argmax(off))
    if off[worst] > STRAIGHT * length:
        place = f"node {order[worst]} of the file, {_at(chain[worst])}"
        raise wrong(f"the chain is not straight: {place}, is off the line between its ends by {off[worst]:.6g} m")
    back = np.flatnonzero(np.diff(x) <= 0.0)
    if back.size:
        raise wrong(f"the chain folds back on itself at node {order[back[0] + 1]} of the file")
    return LineMesh(x, chain[0].copy(), direction)


def _at(point: Array) -> str:
    return f"at ({point[0]:.6g}, {point[1]:.6g}, {point[2]:.6g})"
