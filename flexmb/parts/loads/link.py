"""The line between two nodes, or a node and the ground, along which springs and dampers act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import End, Glyph
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.markers import ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, unit, vector
from flexmb.errors import InputError
from flexmb.parts.loads.ends import FORCE, acts
from flexmb.parts.part import Part
from flexmb.state import Array


class Link(NamedTuple):
    """``column``: (nv, 1), elongation = column^T q + constant; ``length``: at q = 0 along the direction, m, or None
    for an end fixed to the ground without a known place.
    """  # noqa: D205

    column: sparse.csc_array
    length: float | None


@dataclass(frozen=True, kw_only=True)
class LinkLoad(Part):
    """A spring or damper along a link of fixed direction.

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    node : NodeRef or str
        One end.
    node2 : NodeRef or str, optional
        The other end; without it the link goes to the ground.
    anchor : (3,) array_like, optional
        Its end on the ground, m. Without anchor and node2, ``direction`` is required and the length has no effect.
    direction : (3,) array_like, optional
        From the other end to ``node``; by default the line between them in the undeformed configuration.
    """

    role: ClassVar[str] = "loads"
    mark: ClassVar[str]

    node: NodeRef | str
    node2: NodeRef | str | None = None
    anchor: Sequence[float] | Array | None = None
    direction: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        check_ends(self.node, self.node2, self.anchor, self.direction, self.where)

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [link_mark(self.mark, self.name, (self.node, self.node2, self.anchor), self.direction, self.where)]

    def _line(self, nodes: Kinematics) -> Link:
        return link(nodes, self.node, self.node2, self.anchor, self.direction, self.where)

    def _placed(self, builder: Builder) -> PlacedLink:
        return placed_link(builder, self.node, self.node2, self.anchor, self.direction, self.where)


def check_ends(node: object, node2: object, anchor: object, direction: object, where: str) -> None:
    """Check the keys of the ends, before nodes are known."""
    NodeRef.parse(node, where)
    if node2 is not None:
        NodeRef.parse(node2, where, "node2")
        if anchor is not None:
            message = "give either node2 or anchor (a point of the ground), not both"
            raise InputError(message, where=where, key="anchor", value=anchor)
    elif anchor is None and direction is None:
        raise InputError("needs node2, anchor (a point of the ground) or direction", where=where, key="node2")
    if anchor is not None:
        vector(anchor, "anchor", where)
    if direction is not None:
        unit(direction, "direction", where)


def link(nodes: Kinematics, node: object, node2: object, anchor: object, direction: object, where: str) -> Link:
    """Return the link between the ends; positive elongation moves ``node`` away from the other end.

    The direction is constant: that of the reference position, from the other end to ``node``, unless given.
    """
    at = nodes.one(node, where)
    other = None if node2 is None else nodes.one(node2, where, "node2")
    if other == at:
        raise InputError("both ends are the same node", where=where, key="node2", value=str(node2))
    span = None
    if other is not None:
        span = nodes.points[at] - nodes.points[other]
    elif anchor is not None:
        span = nodes.points[at] - vector(anchor, "anchor", where)
    d = _direction(span, direction, where)
    column = nodes.columns([at], d)
    if other is not None:
        column = sparse.csc_array(column - nodes.columns([other], d))
    if not np.any(np.abs(column.data) > 1e-12):
        raise _unmoved(d, node, where)
    return Link(column, None if span is None else float(span @ d))


class PlacedLink(NamedTuple):
    """Markers of the ends (``B`` is ``node``), direction ``n`` and ``length`` along it in the reference position."""

    A: int
    B: int
    n: Array
    length: float


def placed_link(
    builder: Builder, node: object, node2: object, anchor: object, direction: object, where: str
) -> PlacedLink:
    """Return the same link between markers; without node2 and anchor the other end is where ``node`` starts."""
    at = builder.place(node, where)
    if node2 is not None:
        other = builder.place(node2, where, "node2")
    else:
        other = ground(at.position if anchor is None else vector(anchor, "anchor", where))
    A, B = builder.marker(other), builder.marker(at)
    if A == B:
        raise InputError("both ends are the same node", where=where, key="node2", value=str(node2))
    span = at.position - other.position
    n = _direction(span, direction, where)
    if not (acts(at, n, FORCE) or acts(other, n, FORCE)):
        raise _unmoved(n, node, where)
    return PlacedLink(A, B, n, float(span @ n))


def link_mark(kind: str, name: str, ends: tuple[object, object, object], direction: object, where: str) -> Glyph:
    """Return the link to be drawn; ``ends`` are node, node2 and anchor."""
    node, node2, anchor = ends
    other = End(node2) if node2 is not None else None
    if anchor is not None:
        other = End(point=vector(anchor, "anchor", where))
    # without a direction the line between the ends is drawn, and its axis is not needed
    axis = np.array([1.0, 0.0, 0.0]) if direction is None else unit(direction, "direction", where)
    return Glyph(kind, name, End(node), other, axis)


def _direction(span: Array | None, direction: object, where: str) -> Array:
    """Return the direction given, or that of the span."""
    if direction is not None:
        return unit(direction, "direction", where)
    assert span is not None
    if not np.any(span):
        raise InputError("the ends coincide at the start: give a direction", where=where, key="direction")
    return unit(span, "direction", where)


def _unmoved(d: Array, node: object, where: str) -> InputError:
    message = "no unknown moves along the direction " + ", ".join(f"{c:.6g}" for c in d)
    return InputError(message, where=where, key="node", value=str(node))
