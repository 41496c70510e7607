"""The line between two nodes, or a node and the ground, along which springs and dampers act."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.fem.checks import unit, vector
from flexmb.fem.kinematics import Kinematics
from flexmb.fem.node_ref import NodeRef


class Link(NamedTuple):
    """``column``: (nv, 1), elongation = column^T q + constant; ``length``: at q = 0 along the direction, m, or None
    for an end fixed to the ground without a known place.
    """  # noqa: D205

    column: sparse.csc_array
    length: float | None


def check_ends(node: object, node2: object, anchor: object, direction: object, where: str) -> None:
    """Check the keys of the ends, before any node is known."""
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

    The direction stays what it is in the reference position: from the other end to ``node`` unless given.
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
    if direction is not None:
        d = unit(direction, "direction", where)
    else:
        assert span is not None
        if not np.any(span):
            raise InputError("the ends coincide at the start: give a direction", where=where, key="direction")
        d = unit(span, "direction", where)
    column = nodes.columns([at], d)
    if other is not None:
        column = sparse.csc_array(column - nodes.columns([other], d))
    if not np.any(np.abs(column.data) > 1e-12):
        message = "no unknown moves along the direction " + ", ".join(f"{c:.6g}" for c in d)
        raise InputError(message, where=where, key="node", value=str(node))
    return Link(column, None if span is None else float(span @ d))
