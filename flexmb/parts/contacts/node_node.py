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
from flexmb.assembly.rows_beside import beside_plane, checked, require_sliding
from flexmb.checks.values import check_name, finite, unit
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import ALONG
from flexmb.parts.contacts.beside_rows import rows_beside
from flexmb.parts.contacts.contact_rows import ContactRows, movable, moves_along
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class NodeNode(LawKeys):
    """Two nodes keep their order along a fixed direction: g = d.(x_node - x_node2) - offset >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node, node2 : NodeRef or str
        Nodes of different bodies.
    direction : (3,) array_like, optional
        d, from ``node2`` to ``node``; any length. By default the line between them in the undeformed configuration.
    offset : float
        Smallest distance along d, e.g. the sum of two radii, m.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "node-node"
    large_motion: ClassVar[bool] = False

    name: str = field(kw_only=False)
    node: NodeRef | str
    node2: NodeRef | str
    direction: Sequence[float] | Array | None = None
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        if self.direction is not None:
            unit(self.direction, "direction", self.where)
        self.law  # noqa: B018  (checks its keys)
        finite(self.offset, "offset", self.where)
        first, second = NodeRef.parse(self.node, self.where), NodeRef.parse(self.node2, self.where, "node2")
        if first.body == second.body:
            message = f"contact between a body and itself: '{first}' and '{second}' both belong to '{first.body}'"
            raise InputError(message, where=self.where, key="node2", value=str(self.node2))

    def _along(self, span: Array) -> Array:
        """Return the unit vector d; ``span`` leads from ``node2`` to ``node`` in the reference position."""
        if self.direction is None and not np.any(span):
            raise InputError("the nodes coincide: give a direction", where=self.where, key="direction")
        return unit(span if self.direction is None else self.direction, "direction", self.where)

    def _require(self, *, movable: bool) -> None:
        if not movable:
            raise InputError("neither node can move along the direction", where=self.where, key="direction")

    def rows(self, nodes: Kinematics, t0: float) -> ContactRows:
        """Return the single row of this contact."""
        a, b = nodes.one(self.node, self.where), nodes.one(self.node2, self.where, "node2")
        span = nodes.points[a] - nodes.points[b]
        d = self._along(span)
        G = sparse.csc_array(nodes.columns([a], d) - nodes.columns([b], d))
        self._require(movable=bool(movable(G).all()))
        g0 = np.array([float(span @ d) - self.offset])
        beside = None
        if not self.law.normals_only:

            def slide(t: Array) -> sparse.csc_array:
                axis = np.cross(d, t)  # the contact is in the middle of the offset, with a lever arm for rotations
                by_turning = nodes.moment_columns([a], axis) + nodes.moment_columns([b], axis)
                return sparse.csc_array(nodes.columns([a], t) - nodes.columns([b], t) - 0.5 * self.offset * by_turning)

            def turn(t: Array) -> sparse.csc_array:
                return sparse.csc_array(nodes.moment_columns([a], t) - nodes.moment_columns([b], t))

            beside = rows_beside(self.law, d, nodes.labels([a]), slide, turn, self.where)
        points = np.array([a], dtype=np.int64)
        none = np.zeros(0 if beside is None else beside.sliding.size)
        return ContactRows([self.name], points, g0, G, self.law, beside=beside, slide_coef=none, drift=none, other=b)

    def add_to(self, builder: Builder) -> None:
        """Add the one row of this contact to a multibody system; d stays fixed in space."""
        first, second = builder.place(self.node, self.where), builder.place(self.node2, self.where, "node2")
        d = self._along(first.position - second.position)
        self._require(movable=moves_along(first, d) or moves_along(second, d))
        A, B = builder.marker(second), builder.marker(first)
        group = builder.begin_contact(self.name, self.law)
        builder.add_row(group, ALONG, (A, B, 0), self.name, a=d, c=self.offset)
        group.points.append((B, A))
        if not self.law.normals_only:
            arm, places = 0.5 * self.offset, (second, first)  # the contact is in the middle
            arms = (first.position - arm * d - second.position, -arm * d)
            rows = beside_plane(self.law, d, places, arms, arm, np.zeros(3), (-1, d))
            require_sliding(rows, self.law, self.where)
            builder.add_beside(checked(rows, self.law, self.where, first.label))
