"""Linear spring of fixed direction between two nodes, or a node and the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.marks import SPRING, Mark
from flexmb.errors import InputError
from flexmb.fem.checks import check_name, finite, nonnegative
from flexmb.fem.kinematics import Kinematics
from flexmb.fem.node_ref import NodeRef
from flexmb.fem.part import Part
from flexmb.loads.link import check_ends, link, link_mark, placed_link
from flexmb.loads.terms import LoadTerms
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class Spring(Part):
    """Spring with energy k delta^2 / 2, delta the elongation along a fixed direction.

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    node : NodeRef or str
        One end.
    node2 : NodeRef or str, optional
        The other end; without it the spring goes to the ground.
    anchor : (3,) array_like, optional
        Its end on the ground, m. Without anchor and node2, ``direction`` is needed and the spring is unstretched in
        the reference position.
    stiffness : float
        k, N/m.
    length : float, optional
        Length at which it is unstretched, m; by default that of the reference position. Measured along the direction.
    direction : (3,) array_like, optional
        From the other end to ``node``; by default the line joining them in the reference position.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "spring"

    node: NodeRef | str
    node2: NodeRef | str | None = None
    anchor: Sequence[float] | Array | None = None
    stiffness: float
    length: float | None = None
    direction: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        nonnegative(self.stiffness, "stiffness", self.where)
        check_ends(self.node, self.node2, self.anchor, self.direction, self.where)
        if self.length is not None:
            finite(self.length, "length", self.where)
            if self.node2 is None and self.anchor is None:
                message = "has no meaning without an anchor or node2 to measure from"
                raise InputError(message, where=self.where, key="length", value=self.length)

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return direction, stiffness and elongation at q = 0."""
        line = link(nodes, self.node, self.node2, self.anchor, self.direction, self.where)
        stretch = 0.0 if self.length is None or line.length is None else line.length - self.length
        return LoadTerms(line.column, stiffness=float(self.stiffness), stretch=stretch)

    def marks(self) -> list[Mark]:
        """Return it, to be drawn."""
        return [link_mark(SPRING, self.name, (self.node, self.node2, self.anchor), self.direction, self.where)]

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system, along the same fixed direction."""
        line = placed_link(builder, self.node, self.node2, self.anchor, self.direction, self.where)
        length = line.length if self.length is None else float(self.length)
        builder.add_spring(line.A, line.B, k=float(self.stiffness), length=length, n=line.n)
