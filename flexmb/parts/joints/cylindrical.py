"""Cylindrical joint: one body rotates about and slides along an axis of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.glyphs import RAIL, SLEEVE, Glyph
from flexmb.parts.joints.hinge import Hinge
from flexmb.parts.joints.joint_rows import Row, on_line, upright


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Hinge):
    """Rotation about and sliding along a common axis.

    Parameters: name, a, b, point (``Joint``), axis, drive (``Hinge``).
    """

    kind: ClassVar[str] = "cylindrical"

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(kind, self.name, self.drawn_base, self.drawn_mover) for kind in (RAIL, SLEEVE)]

    def held(self, A: int, B: int) -> list[Row]:
        """Return the rows between base A and mover B, whose z axes are the axis."""
        return [*on_line(A, B), *upright(A, B)]
