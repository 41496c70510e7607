"""Universal joint: two points coincide, and an axis of one body stays perpendicular to an axis of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import CROSS, Glyph
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import DOT
from flexmb.parts.joints.axes import NOT_UNIT, unit_axis
from flexmb.parts.joints.joint import Joint, Vector
from flexmb.parts.joints.joint_rows import Row, hold, together
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class Universal(Joint):
    """Two points coincide, and ``axis`` of ``a`` stays perpendicular to ``axis2`` of ``b``.

    Parameters
    ----------
    axis, axis2 : (3,) array_like
        The axes of the cross, perpendicular unit vectors, initial directions in space: ``axis`` is fixed to ``a``,
        ``axis2`` to ``b``.
    """

    kind: ClassVar[str] = "universal"

    axis: Vector
    axis2: Vector

    def __post_init__(self) -> None:
        super().__post_init__()
        self._axes()

    def _axes(self) -> tuple[Array, Array]:
        m, k = unit_axis(self.axis, "axis", self.where), unit_axis(self.axis2, "axis2", self.where)
        cosine = float(m @ k)
        if abs(cosine) > NOT_UNIT:
            angle = np.degrees(np.arctan2(np.linalg.norm(np.cross(m, k)), cosine))  # exact if they are parallel
            message = f"must be perpendicular to axis, but they are at {angle:.6g} degrees"
            raise InputError(message, where=self.where, key="axis2", value=self.axis2)
        return m, np.asarray((k - cosine * m) / np.linalg.norm(k - cosine * m))

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        a, b = self.drawn_base, self.drawn_mover
        if self.b == "ground":
            a, b = b, a
        pairs = zip(self._axes(), ((a, b), (b, a)), strict=True)
        return [Glyph(CROSS, self.name, *ends, axis=axis) for axis, ends in pairs]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        a, b = self.ends(builder)
        self.needs_axes(a, "a")
        self.needs_axes(b, "b")
        A, B = builder.marker(a, np.eye(3)), builder.marker(b, np.eye(3))
        m, k = self._axes()
        cross = Row(DOT, (A, B), "rotate about both axes", a=m, b=k)
        # as in all joints, the force is the one on the mover
        ends = together(B, A) if self.b == "ground" else together(A, B)
        hold(builder, self.name, self.where, [*ends, cross])
