"""Contact between two nodes of different bodies, along a fixed direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, finite, unit
from flexmb.errors import InputError
from flexmb.kernels.tables import ALONG
from flexmb.parts.contacts.contact_rows import ContactRows, check_restitution, movable, moves_along
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class NodeNode:
    """Two nodes keep their order along a direction: g = d.(x_node - x_node2) - offset >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node, node2 : NodeRef or str
        Nodes of different bodies.
    direction : (3,) array_like, optional
        d, from ``node2`` to ``node``; any length. By default the line joining them in the reference position.
    restitution : float
        Newton's coefficient, 0 to 1.
    offset : float
        Least distance along d (the sum of two radii, say), m.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "node-node"
    large_motion: ClassVar[bool] = False

    name: str = field(kw_only=False)
    node: NodeRef | str
    node2: NodeRef | str
    direction: Sequence[float] | Array | None = None
    restitution: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        if self.direction is not None:
            unit(self.direction, "direction", self.where)
        check_restitution(self.restitution, self.where)
        finite(self.offset, "offset", self.where)
        first, second = NodeRef.parse(self.node, self.where), NodeRef.parse(self.node2, self.where, "node2")
        if first.body == second.body:
            message = f"contact between a body and itself: '{first}' and '{second}' both belong to '{first.body}'"
            raise InputError(message, where=self.where, key="node2", value=str(self.node2))

    @property
    def where(self) -> str:
        """Where this contact stands in a case file."""
        return f"contacts.{self.name}"

    def _along(self, span: Array) -> Array:
        """Return the unit vector d; ``span`` leads from ``node2`` to ``node`` in the reference position."""
        if self.direction is None and not np.any(span):
            raise InputError("the nodes coincide: give a direction", where=self.where, key="direction")
        return unit(span if self.direction is None else self.direction, "direction", self.where)

    def _require(self, *, movable: bool) -> None:
        if not movable:
            raise InputError("neither node can move along the direction", where=self.where, key="direction")

    def rows(self, nodes: Kinematics, t0: float) -> ContactRows:
        """Return the one row of this contact."""
        a, b = nodes.one(self.node, self.where), nodes.one(self.node2, self.where, "node2")
        span = nodes.points[a] - nodes.points[b]
        d = self._along(span)
        G = sparse.csc_array(nodes.columns([a], d) - nodes.columns([b], d))
        self._require(movable=bool(movable(G).all()))
        g0 = np.array([float(span @ d) - self.offset])
        return ContactRows([self.name], np.array([a], dtype=np.int64), g0, G, float(self.restitution))

    def add_to(self, builder: Builder) -> None:
        """Add the one row of this contact to a multibody system; d stays fixed in space."""
        first, second = builder.place(self.node, self.where), builder.place(self.node2, self.where, "node2")
        d = self._along(first.position - second.position)
        self._require(movable=moves_along(first, d) or moves_along(second, d))
        A, B = builder.marker(second), builder.marker(first)
        group = builder.begin_contact(self.name, float(self.restitution))
        builder.add_row(group, ALONG, (A, B, 0), self.name, a=d, c=self.offset)
        group.points.append((B, A))
