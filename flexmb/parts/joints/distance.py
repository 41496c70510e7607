"""Distance joint: a massless rod between two points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BALL, ROD, Glyph
from flexmb.assembly.markers import Marker
from flexmb.checks.values import positive, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import DISTANCE
from flexmb.parts.joints.joint import Joint, anywhere
from flexmb.parts.joints.joint_rows import Row, hold
from flexmb.parts.time_functions import Function, time_function

COINCIDE = 1e-12
"""Distance, relative to the size of the coordinates, that counts as zero."""


@dataclass(frozen=True, kw_only=True)
class Distance(Joint):
    """Two points keep their distance, or follow a prescribed one; a rigid body is attached at its reference point.

    Parameters
    ----------
    point : (3,) array_like, optional
        Its end on the ground (required there), or on the rigid body ``b``: initial position in space, m.
    length : float, optional
        m; by default the initial distance.
    drive : time function, table or number, optional
        Length as a function of time, m.
    """

    kind: ClassVar[str] = "distance"

    length: float | None = None
    drive: Function | Mapping[str, Any] | float | Callable[[float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            positive(self.length, "length", self.where)
        if self.drive is not None:
            time_function(self.drive, f"{self.where}.drive")
            if self.length is not None:
                message = "follows from the drive; give one or the other"
                raise InputError(message, where=self.where, key="length", value=self.length)
        if self.point is None and "ground" in (self.a, self.b):
            raise InputError("is needed for the end on the ground", where=self.where, key="point")

    def ends(self, builder: Builder) -> tuple[Marker, Marker]:
        """Return the places of ``a`` and ``b``."""
        if self.point is None:
            return builder.place(self.a, self.where, "a"), builder.place(self.b, self.where, "b")
        point = vector(self.point, "point", self.where)
        if self.a == "ground":
            return builder.place(self.a, self.where, "a", point), builder.place(self.b, self.where, "b")
        a, b = builder.place(self.a, self.where, "a"), builder.place(self.b, self.where, "b", point)
        if not anywhere(builder, self.b):
            message = f"has no effect here: '{self.b}' is a node or a named point, which has a position already"
            raise InputError(message, where=self.where, key="point", value=tuple(point.tolist()))
        return a, b

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        a, b = self.drawn_base, self.drawn_mover
        held = [Glyph(BALL, self.name, end) for ref, end in ((self.a, a), (self.b, b)) if ref == "ground"]
        return [Glyph(ROD, self.name, a, b), *held]

    def add_to(self, builder: Builder) -> None:
        """Add its row to a multibody system; bodies are added before."""
        a, b = self.ends(builder)
        start = float(np.linalg.norm(b.position - a.position))
        if start <= COINCIDE * float(np.abs([a.position, b.position]).max()):
            raise InputError("the ends coincide at the start, so the rod has no direction", where=self.where, key="b")
        markers = (builder.marker(a), builder.marker(b))
        if self.drive is not None:
            row = Row(DISTANCE, markers, "length", drive=time_function(self.drive, f"{self.where}.drive"))
        else:
            row = Row(DISTANCE, markers, "length", c=start if self.length is None else float(self.length))
        hold(builder, self.name, self.where, [row])
