"""Linear viscous damper of fixed direction between two nodes, or a node and the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.marks import DAMPER, Mark
from flexmb.fem.checks import check_name, nonnegative
from flexmb.fem.kinematics import Kinematics
from flexmb.fem.node_ref import NodeRef
from flexmb.fem.part import Part
from flexmb.loads.link import check_ends, link, link_mark, placed_link
from flexmb.loads.terms import LoadTerms
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class Damper(Part):
    """Damper with force c d(delta)/dt against the elongation delta along a fixed direction.

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    node : NodeRef or str
        One end.
    node2 : NodeRef or str, optional
        The other end; without it the damper goes to the ground.
    anchor : (3,) array_like, optional
        Its end on the ground, m; not needed when ``direction`` is given.
    coefficient : float
        c, N s/m.
    direction : (3,) array_like, optional
        By default the line joining the ends in the reference position.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "damper"

    node: NodeRef | str
    node2: NodeRef | str | None = None
    anchor: Sequence[float] | Array | None = None
    coefficient: float
    direction: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        nonnegative(self.coefficient, "coefficient", self.where)
        check_ends(self.node, self.node2, self.anchor, self.direction, self.where)

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return direction and damping coefficient."""
        line = link(nodes, self.node, self.node2, self.anchor, self.direction, self.where)
        return LoadTerms(line.column, damping=float(self.coefficient))

    def marks(self) -> list[Mark]:
        """Return it, to be drawn."""
        return [link_mark(DAMPER, self.name, (self.node, self.node2, self.anchor), self.direction, self.where)]

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system, along the same fixed direction."""
        line = placed_link(builder, self.node, self.node2, self.anchor, self.direction, self.where)
        builder.add_spring(line.A, line.B, c=float(self.coefficient), length=line.length, n=line.n)
