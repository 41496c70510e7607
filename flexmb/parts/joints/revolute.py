"""Revolute joint: one place turns about an axis of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.glyphs import HINGE, Glyph
from flexmb.parts.joints.hinge import Hinge
from flexmb.parts.joints.joint_rows import Row, together, upright


@dataclass(frozen=True, kw_only=True)
class Revolute(Hinge):
    """Two places stay together and turn about an axis; keys: name, a, b, point (``Joint``), axis, drive (``Hinge``)."""

    kind: ClassVar[str] = "revolute"

    def marks(self) -> list[Glyph]:
        """Return it, to be drawn."""
        return [Glyph(HINGE, self.name, self.drawn_base, self.drawn_mover)]

    def held(self, A: int, B: int) -> list[Row]:
        """Return the rows between base A and mover B, whose z axes are the axis."""
        return [*together(A, B), *upright(A, B)]
