"""Lines of any shape from a mesh file: arches, frames, trusses, with the named groups of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from flexmb.errors import InputError
from flexmb.fem.mesh import STRAIGHT, chain_of, lines_of, read_file
from flexmb.state import Array, IntArray

FLAT = 1e-6
"""Distance of the nodes from a plane, relative to the size of the mesh, that counts as zero."""
SHORT = 1e-9
"""Length of an element, relative to the size of the mesh, that counts as zero."""
LINES = ("line", "line3")


@dataclass(frozen=True)
class NetworkMesh:
    """Lines between points, connected in any way.

    Parameters
    ----------
    points : (n, 3) array
        m. An open chain is numbered along itself, from the end for which the largest component of the vector to the
        other end is positive; other meshes in the order of the file. Nodes that no line uses are left out.
    lines : (m, 2) int array
        End nodes; between branches all lines of a chain point the same way.
    nodes_of : mapping of str to int array
        Nodes of each group, of points or of lines.
    lines_of : mapping of str to int array
        Lines of each group of lines.
    file_node : (n,) int array
        Numbers of the nodes in the file, from 0.
    open_chain : bool
        Whether the lines are one chain with two ends.
    """

    points: Array
    lines: IntArray
    nodes_of: Mapping[str, IntArray]
    lines_of: Mapping[str, IntArray]
    file_node: IntArray
    open_chain: bool

    @property
    def length(self) -> Array:
        """Lengths of the lines, (m,), m."""
        return np.asarray(np.linalg.norm(np.diff(self.points[self.lines], axis=1)[:, 0], axis=1))

    @property
    def along(self) -> Array:
        """Unit vectors along the lines, (m, 3)."""
        return np.asarray(np.diff(self.points[self.lines], axis=1)[:, 0] / self.length[:, None])

    @cached_property
    def straight(self) -> bool:
        """Whether the lines are one straight chain."""
        if not self.open_chain:
            return False
        span = self.points[-1] - self.points[0]
        arm = self.points - self.points[0]
        off = arm - np.outer(arm @ span, span) / max(float(span @ span), 1e-300)
        return bool(np.linalg.norm(off, axis=1).max() <= STRAIGHT * np.linalg.norm(span))

    @cached_property
    def normal(self) -> Array | None:
        """Unit normal of the plane of all nodes, its largest component positive; None in space or on a line."""
        arm = self.points - self.points.mean(axis=0)
        _, size, axes = np.linalg.svd(arm, full_matrices=False)
        if size[2] > FLAT * size[0] or size[1] <= FLAT * size[0]:
            return None
        n = np.where(np.abs(axes[2]) < 1e-12, 0.0, axes[2])
        return np.asarray(n * np.sign(n[np.argmax(np.abs(n))]))

    def line_name(self, line: int) -> str:
        """Return the description of a line: its number, its group and its position."""
        group = next((name for name, own in self.lines_of.items() if line in own), "")
        a, b = self.points[self.lines[line]]
        words = " and ".join(f"({p[0]:.6g}, {p[1]:.6g}, {p[2]:.6g})" for p in (a, b))
        return f"element {line}{f' of group {group!r}' if group else ''}, between {words}"


def read_network(path: str | Path, where: str) -> NetworkMesh:
    """Read lines and groups; gmsh's physical groups, or the sets of other formats, are the groups.

    Raises
    ------
    InputError
        If there are no lines, additional solids or surfaces, lines of zero length, duplicate lines, or several pieces.
    """

    def wrong(message: str) -> InputError:
        return InputError(message, where=where, key="mesh", value=str(path))

    mesh = read_file(Path(path), wrong)
    points, lines = lines_of(mesh, wrong)
    used, local = np.unique(lines, return_inverse=True)
    local = local.reshape(-1, 2).astype(np.int64)
    _check_lines(points[used], local, used, wrong)
    by_line, by_point = _groups(mesh, wrong)
    order = chain_of(lines) if _is_chain(local) else used
    if order is not used:
        span = points[order[-1]] - points[order[0]]
        order = order[::-1] if span[np.argmax(np.abs(span))] < 0.0 else order
    place = np.full(len(points), -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    own = place[lines]
    nodes = {name: np.unique(own[at]) for name, at in by_line.items()}
    for name, at in by_point.items():
        if (lost := at[place[at] < 0]).size:
            raise wrong(f"group '{name}' holds node {lost[0]} of the file, which no line ends at")
        nodes[name] = np.unique(place[at])
    return NetworkMesh(points[order], _ordered(own, order.size), nodes, by_line, order, order is not used)


def _check_lines(points: Array, lines: IntArray, number: IntArray, wrong: Any) -> None:
    size = float(np.ptp(points, axis=0).max())
    length = np.linalg.norm(np.diff(points[lines], axis=1)[:, 0], axis=1)
    short = int(np.argmin(length))
    if length[short] <= SHORT * size:
        a, b = number[lines[short]]
        raise wrong(f"element {short}, between nodes {a} and {b} of the file, has the length {length[short]:.6g} m")
    pairs, first = np.unique(np.sort(lines, axis=1), axis=0, return_index=True)
    if len(pairs) < len(lines):
        twice = int(np.setdiff1d(np.arange(len(lines)), first)[0])
        a, b = number[lines[twice]]
        raise wrong(f"element {twice}, between nodes {a} and {b} of the file, is a duplicate")
    pieces, of = csgraph.connected_components(_graph(lines, len(points)), directed=False)
    if pieces > 1:
        other = int(np.flatnonzero(of != of[0])[0])
        at = ", ".join(f"{x:.6g}" for x in points[other])
        message = f"node {number[other]} of the file, at ({at}), is not connected with node {number[0]}"
        raise wrong(f"the lines form {pieces} separate pieces: {message} (are coinciding nodes merged?)")


def _graph(lines: IntArray, nodes: int) -> sparse.csr_array:
    return sparse.coo_array((np.ones(len(lines)), (lines[:, 0], lines[:, 1])), shape=(nodes, nodes)).tocsr()


def _is_chain(lines: IntArray) -> bool:
    degree = np.bincount(lines.ravel())
    return bool(degree.max() <= 2 and np.count_nonzero(degree == 1) == 2)


def _groups(mesh: Any, wrong: Any) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
    """Return the groups of lines (numbers among all lines) and of points (numbers of nodes in the file)."""
    kinds = [block.type for block in mesh.cells]
    solids = sorted({kind for kind in kinds if kind not in (*LINES, "vertex")})
    if solids:
        message = "a line body needs lines only (gmsh: define physical groups of curves only)"
        raise wrong(f"the mesh file contains {', '.join(solids)} cells in addition to its lines: {message}")
    firsts = np.cumsum([0, *(len(b.data) if b.type in LINES else 0 for b in mesh.cells)])
    lines: dict[str, list[IntArray]] = {}
    points: dict[str, list[IntArray]] = {}
    for name, block, rows in _named_cells(mesh):
        rows = np.asarray(rows, dtype=np.int64)
        if kinds[block] == "vertex":
            points.setdefault(name, []).append(np.asarray(mesh.cells[block].data, dtype=np.int64)[rows, 0])
        else:
            lines.setdefault(name, []).append(firsts[block] + rows)
    for name, nodes in mesh.point_sets.items():
        points.setdefault(name, []).append(np.asarray(nodes, dtype=np.int64))
    both = sorted(set(lines) & set(points))
    if both:
        raise wrong(f"the name '{both[0]}' is used for a group of points and for a group of lines")
    return {k: np.unique(np.concatenate(v)) for k, v in lines.items()}, {
        k: np.unique(np.concatenate(v)) for k, v in points.items()
    }


def _named_cells(mesh: Any) -> list[tuple[str, int, Array]]:
    """Return name, block and rows of the cells of each group, empty ones left out."""
    found = []
    for name, blocks in mesh.cell_sets.items():
        if not name.startswith("gmsh:"):
            found += [(name, i, rows) for i, rows in enumerate(blocks) if rows is not None and len(rows)]
    names = {(int(tag), int(dim)): name for name, (tag, dim) in mesh.field_data.items()}
    for i, tags in enumerate(mesh.cell_data.get("gmsh:physical", []) if not found else []):
        dim = 0 if mesh.cells[i].type == "vertex" else 1
        for tag in np.unique(tags).tolist():
            name = names.get((int(tag), dim))
            if name is not None:
                found.append((name, i, np.flatnonzero(tags == tag)))
    return found


def _ordered(lines: IntArray, nodes: int) -> IntArray:
    """Return the lines oriented so that those of a chain between branches or ends point the same way.

    A chain begins at the end with the lower number, a ring at its lowest node, towards its neighbour of lower number.
    """
    ends: list[list[int]] = [[] for _ in range(nodes)]
    for k, (a, b) in enumerate(lines.tolist()):
        ends[a].append(k)
        ends[b].append(k)
    out, done = lines.copy(), np.zeros(len(lines), dtype=np.bool_)
    starts = [i for i in range(nodes) if len(ends[i]) != 2] + [i for i in range(nodes) if len(ends[i]) == 2]
    for start in starts:
        for k in sorted(ends[start], key=lambda k: int(lines[k].sum()) - start):
            node = start
            while not done[k]:
                done[k] = True
                other = int(lines[k].sum()) - node
                out[k] = node, other
                node = other
                if len(ends[node]) == 2:
                    k = next(j for j in ends[node] if j != k)
    return out
