"""Linear spring of fixed direction between two nodes, or a node and the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import SPRING
from flexmb.assembly.kinematics import Kinematics
from flexmb.checks.values import finite, nonnegative
from flexmb.errors import InputError
from flexmb.parts.loads.link import LinkLoad
from flexmb.parts.loads.terms import LoadTerms


@dataclass(frozen=True, kw_only=True)
class Spring(LinkLoad):
    """Spring with energy k delta^2 / 2, delta the elongation along a fixed direction; ends as in ``LinkLoad``.

    Parameters
    ----------
    stiffness : float
        k, N/m.
    length : float, optional
        Unstretched length along the direction, m; by default that of the undeformed configuration.
    """

    kind: ClassVar[str] = "spring"
    mark: ClassVar[str] = SPRING

    stiffness: float
    length: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative(self.stiffness, "stiffness", self.where)
        if self.length is not None:
            finite(self.length, "length", self.where)
            if self.node2 is None and self.anchor is None:
                message = "has no effect without an anchor or node2"
                raise InputError(message, where=self.where, key="length", value=self.length)

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return direction, stiffness and elongation at q = 0."""
        line = self._line(nodes)
        stretch = 0.0 if self.length is None or line.length is None else line.length - self.length
        return LoadTerms(line.column, stiffness=float(self.stiffness), stretch=stretch)

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system, along the same fixed direction."""
        line = self._placed(builder)
        length = line.length if self.length is None else float(self.length)
        builder.add_spring(line.A, line.B, k=float(self.stiffness), length=length, n=line.n)
