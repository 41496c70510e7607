"""Spherical joint: two points coincide, all rotations are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BALL, Glyph
from flexmb.parts.joints.joint_friction import BearingKeys
from flexmb.parts.joints.joint_rows import hold, together


@dataclass(frozen=True, kw_only=True)
class Spherical(BearingKeys):
    """Two points coincide; all rotations are free.

    Parameters: name, a, b, point (see ``Joint``), friction, friction_radius (``BearingKeys``).
    """

    kind: ClassVar[str] = "spherical"

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(BALL, self.name, self.drawn_base, self.drawn_mover)]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        a, b = self.ends(builder)
        if self.b == "ground":  # as in all joints, the force is the one on the mover
            a, b = b, a
        ends = builder.marker(a), builder.marker(b)
        group = hold(builder, self.name, self.where, together(*ends))
        self.add_friction(builder, group, ends, list(np.eye(3)), self.friction_radius)
