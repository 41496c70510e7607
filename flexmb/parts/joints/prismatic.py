"""Prismatic joint: one body slides along an axis of the other without rotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BLOCK, RAIL, Glyph
from flexmb.kernels.geometry.tables import ALONG
from flexmb.parts.joints.axes import axes_along, check_across, unit_axis
from flexmb.parts.joints.joint import Vector
from flexmb.parts.joints.joint_friction import FrictionKeys
from flexmb.parts.joints.joint_rows import Row, Z, hold, on_line, unturned, upright
from flexmb.parts.time_functions import Function, time_function


@dataclass(frozen=True, kw_only=True)
class Prismatic(FrictionKeys):
    """The follower slides along an axis of the base (see ``Joint``) without relative rotation.

    Friction (``FrictionKeys``) acts along the axis; its normal force is the transverse force.

    Parameters
    ----------
    axis : (3,) array_like
        Direction of sliding, a unit vector: initial direction in space.
    drive : time function, table or number, optional
        Prescribed displacement along the axis since the start: drive(t) - drive(start), m.
    """

    kind: ClassVar[str] = "prismatic"

    axis: Vector
    drive: Function | Mapping[str, Any] | float | Callable[[float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_axis(self.axis, "axis", self.where)
        if self.drive is not None:
            time_function(self.drive, f"{self.where}.drive")

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        return [Glyph(kind, self.name, self.drawn_base, self.drawn_mover) for kind in (RAIL, BLOCK)]

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        base, mover = self.base_and_mover(builder)
        z = unit_axis(self.axis, "axis", self.where)
        check_across(z, self.where, base, mover)
        A, B = builder.marker(base, axes_along(z)), builder.marker(mover, axes_along(z))
        rows = [*on_line(A, B), *upright(A, B), unturned(A, B)]
        if self.drive is not None:
            drive = time_function(self.drive, f"{self.where}.drive")
            c = float(z @ (mover.position - base.position)) - float(drive.value(builder.t0))
            rows.append(Row(ALONG, (A, B, A), "displacement", a=Z, c=c, drive=drive))
        group = hold(builder, self.name, self.where, rows)
        self.add_friction(builder, group, (A, B), [np.array(Z)], None)
