"""Common base of joints with a rotation axis: markers, angle, and drive of the angle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flexmb.assembly.builder import Builder, Group
from flexmb.parts.joints.axes import axes_along, check_normal, unit_axis
from flexmb.parts.joints.joint import Joint, Vector
from flexmb.parts.joints.joint_rows import Row, driven_angle, hold
from flexmb.parts.time_functions import Function, time_function


@dataclass(frozen=True, kw_only=True)
class Hinge(Joint):
    """A joint with an angle: that of the follower relative to the base about the axis (see ``Joint``), initially zero.

    Parameters
    ----------
    axis : (3,) array_like
        Unit vector: initial direction in space.
    drive : time function, table or number, optional
        Prescribed angle: angle(t) = drive(t) - drive(start), rad.
    """

    axis: Vector
    drive: Function | Mapping[str, Any] | float | Callable[[float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_axis(self.axis, "axis", self.where)
        if self.drive is not None:
            time_function(self.drive, f"{self.where}.drive")

    def held(self, A: int, B: int) -> list[Row]:
        """Return the rows between base A and mover B, whose z axes are the axis."""
        raise TypeError(f"{type(self).__name__} is not a joint")

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        base, mover = self.base_and_mover(builder)
        z = unit_axis(self.axis, "axis", self.where)
        check_normal(z, self.where, base, mover)
        axes = axes_along(z)
        A, B = builder.marker(base, axes), builder.marker(mover, axes)
        angle = builder.angle(A, B)
        rows = self.held(A, B)
        if self.drive is not None:
            rows.append(driven_angle(builder, angle, time_function(self.drive, f"{self.where}.drive")))
        group = hold(builder, self.name, self.where, rows)
        group.angle = angle
        self.add_losses(builder, group, (A, B))

    def add_losses(self, builder: Builder, group: Group, ends: tuple[int, int]) -> None:
        """Add resistance to the motion about the axis; none by default."""
