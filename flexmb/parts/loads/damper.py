"""Linear viscous damper of fixed direction between two nodes, or a node and the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import DAMPER
from flexmb.assembly.kinematics import Kinematics
from flexmb.checks.values import nonnegative
from flexmb.parts.loads.link import LinkLoad
from flexmb.parts.loads.terms import LoadTerms


@dataclass(frozen=True, kw_only=True)
class Damper(LinkLoad):
    """Damper with the force c d(delta)/dt against the rate of the elongation delta; ends as in ``LinkLoad``.

    Parameters
    ----------
    coefficient : float
        c, N s/m.
    """

    kind: ClassVar[str] = "damper"
    mark: ClassVar[str] = DAMPER

    coefficient: float

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative(self.coefficient, "coefficient", self.where)

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return direction and damping coefficient."""
        return LoadTerms(self._line(nodes).column, damping=float(self.coefficient))

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system, along the same fixed direction."""
        line = self._placed(builder)
        builder.add_spring(line.A, line.B, c=float(self.coefficient), length=line.length, n=line.n)
