"""The lines of one body as a chain, for plots over the length of a bar or a beam."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, IntArray
from flexmb.record.io.frames import ROUND, Layout


@dataclass(frozen=True)
class Chain:
    """Lines of a body in the order along it.

    Parameters
    ----------
    body : str
    cells : (m,) int array
        Numbers of the lines.
    nodes : (m + 1,) int array
        Numbers of the points.
    turned : (m,) array
        1 where a line points along the chain, else -1.
    x : (m + 1,) array
        Distance along the chain, m.
    """

    body: str
    cells: IntArray
    nodes: IntArray
    turned: Array
    x: Array


def bodies_with_lines(layout: Layout) -> list[str]:
    """Return the names of the bodies that have lines of known stiffness."""
    if layout.sections is None:
        return []
    known = np.isfinite(layout.sections.stiffness).any(axis=1)
    return [layout.bodies[b] for b in np.unique(layout.body_of_point[layout.cells[known, 0]])]


def lines_of_body(layout: Layout, body: str | None) -> tuple[str, IntArray]:
    """Return a body, by default the first with lines, and the numbers of its lines."""
    known = bodies_with_lines(layout)
    if not known:
        raise InputError("the result has no bars or beams with sections (bodies described by modes have none)")
    body = known[0] if body is None else body
    if body not in known:
        raise InputError(f"is not a bar or beam of this result; these are: {', '.join(known)}", key="body", value=body)
    owner = layout.body_of_point[layout.cells[:, 0]]
    return body, np.flatnonzero(owner == layout.bodies.index(body))


def chain_of_body(layout: Layout, body: str | None) -> Chain:
    """Return the lines of a body, which must be one chain with two ends."""
    body, own = lines_of_body(layout, body)
    ends: dict[int, list[int]] = {}
    for k in own.tolist():
        for node in layout.cells[k].tolist():
            ends.setdefault(node, []).append(k)
    single = [node for node, lines in ends.items() if len(lines) == 1]
    if len(single) != 2 or max(len(lines) for lines in ends.values()) > 2:
        message = "its lines branch, have hinges or close, and this figure needs one chain with two ends"
        raise InputError(message, key="body", value=body)
    # a chain starts at the start of its first line
    node = next((n for n in single if layout.cells[ends[n][0], 0] == n), single[0])
    nodes, turned = [node], []
    cells: list[int] = []
    while len(cells) < len(own):
        k = next(k for k in ends[node] if not cells or k != cells[-1])
        a, b = layout.cells[k].tolist()
        turned.append(1.0 if a == node else -1.0)
        node = b if a == node else a
        cells.append(k)
        nodes.append(node)
    points = layout.points[nodes]
    x = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return Chain(body, np.array(cells), np.array(nodes), np.array(turned), x)


def areas(layout: Layout, cells: IntArray) -> Array:
    """Return the areas of the sections of some lines, (m,), m^2."""
    assert layout.sections is not None
    size, is_round = layout.sections.size[cells], layout.sections.outline[cells] == ROUND
    return np.where(is_round, np.pi * (size[:, 0] ** 2 - size[:, 1] ** 2), size[:, 0] * size[:, 1])
