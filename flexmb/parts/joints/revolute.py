"""Revolute joint: one body rotates about an axis of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder, Group
from flexmb.assembly.glyphs import HINGE, Glyph
from flexmb.parts.joints.hinge import Hinge
from flexmb.parts.joints.joint_friction import BearingKeys
from flexmb.parts.joints.joint_rows import Row, Z, together, upright


@dataclass(frozen=True, kw_only=True)
class Revolute(Hinge, BearingKeys):
    """Two points coincide; the bodies rotate relative to each other about one axis.

    Parameters: name, a, b, point (``Joint``), axis, drive (``Hinge``), friction, friction_radius (``BearingKeys``).
    """

    kind: ClassVar[str] = "revolute"

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(HINGE, self.name, self.drawn_base, self.drawn_mover)]

    def held(self, A: int, B: int) -> list[Row]:
        """Return the rows between base A and mover B, whose z axes are the axis."""
        return [*together(A, B), *upright(A, B)]

    def add_losses(self, builder: Builder, group: Group, ends: tuple[int, int]) -> None:
        """Add the friction about the axis."""
        self.add_friction(builder, group, ends, [np.array(Z)], self.friction_radius)
