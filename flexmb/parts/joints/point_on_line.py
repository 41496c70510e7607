"""Point on line: a point slides along a line of the other body; all rotations are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BEAD, RAIL, Glyph
from flexmb.checks.values import choice
from flexmb.parts.joints.axes import axes_along, check_across, unit_axis
from flexmb.parts.joints.joint import Joint, Vector
from flexmb.parts.joints.joint_rows import hold, on_line


@dataclass(frozen=True, kw_only=True)
class PointOnLine(Joint):
    """A point of one body stays on a line through a point of the other, fixed to that body.

    Parameters
    ----------
    axis : (3,) array_like
        Direction of the line, a unit vector: initial direction in space.
    line : "a" or "b", optional
        The end that carries the line; by default the ground, or ``a`` if neither is the ground.
    """

    kind: ClassVar[str] = "point-on-line"

    axis: Vector
    line: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_axis(self.axis, "axis", self.where)
        if self.line is not None:
            choice(self.line, "line", self.where, ("a", "b"))

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(kind, self.name, self.drawn_base, self.drawn_mover) for kind in (RAIL, BEAD)]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        a, b = self.ends(builder)
        line = self.line or ("b" if self.b == "ground" else "a")
        carrier, point = (a, b) if line == "a" else (b, a)
        self.needs_axes(carrier, line)
        z = unit_axis(self.axis, "axis", self.where)
        check_across(z, self.where, carrier, point)
        A, B = builder.marker(carrier, axes_along(z)), builder.marker(point)
        hold(builder, self.name, self.where, on_line(A, B))
