"""Fixed joint: no relative motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import WELD, Glyph
from flexmb.kernels.geometry.tables import DOT
from flexmb.parts.joints.joint import Joint
from flexmb.parts.joints.joint_rows import Row, X, Y, Z, hold, together


@dataclass(frozen=True, kw_only=True)
class Fixed(Joint):
    """No relative translation and no relative rotation. Parameters: name, a, b, point (see ``Joint``)."""

    kind: ClassVar[str] = "fixed"

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(WELD, self.name, self.drawn_base, self.drawn_mover)]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        base, mover = self.base_and_mover(builder)
        A, B = builder.marker(base, np.eye(3)), builder.marker(mover, np.eye(3))
        turns = [
            Row(DOT, (A, B), f"turn about {label}", a=a, b=b) for label, a, b in (("x", Y, Z), ("y", Z, X), ("z", X, Y))
        ]
        hold(builder, self.name, self.where, [*together(A, B), *turns])
