"""Planar joint: one body moves in a plane of the other and rotates about its normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import SHEET, Glyph
from flexmb.kernels.geometry.tables import ALONG
from flexmb.parts.joints.axes import axes_along, unit_axis
from flexmb.parts.joints.joint import Joint, Vector
from flexmb.parts.joints.joint_rows import Row, Z, hold, upright


@dataclass(frozen=True, kw_only=True)
class Planar(Joint):
    """The follower moves in a plane of the base (see ``Joint``) and rotates about its normal only.

    Parameters
    ----------
    axis : (3,) array_like
        Normal of the plane, a unit vector: initial direction in space.
    """

    kind: ClassVar[str] = "planar"

    axis: Vector

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_axis(self.axis, "axis", self.where)

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(SHEET, self.name, self.drawn_base, self.drawn_mover)]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        base, mover = self.base_and_mover(builder)
        axes = axes_along(unit_axis(self.axis, "axis", self.where))
        A, B = builder.marker(base, axes), builder.marker(mover, axes)
        hold(builder, self.name, self.where, [Row(ALONG, (A, B, A), "z", a=Z), *upright(A, B)])
