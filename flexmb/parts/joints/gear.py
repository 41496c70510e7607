"""Gear: the angles of two joints have a fixed ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.builder import Builder
from flexmb.checks.values import check_name, finite, nearest
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import ANGLE
from flexmb.parts.joints.joint_rows import Row, hold
from flexmb.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Gear(Part):
    """Couples the angles of two revolute or cylindrical joints: angle_1 + ratio angle_2 = 0, both initially zero.

    Parameters
    ----------
    name : str
        Name, unique among the joints.
    joint1, joint2 : str
        Names of the joints.
    ratio : float
        Not zero; r2/r1 for external gears of radii r1 and r2 about parallel axes.
    """

    role: ClassVar[str] = "joints"
    kind: ClassVar[str] = "gear"
    large_motion: ClassVar[bool] = True
    couples: ClassVar[bool] = True

    joint1: str
    joint2: str
    ratio: float

    def __post_init__(self) -> None:
        check_name(self.name, "joints")
        if finite(self.ratio, "ratio", self.where) == 0.0:
            raise InputError("must not be zero: joint2 would be free", where=self.where, key="ratio", value=self.ratio)
        for key in ("joint1", "joint2"):
            if not isinstance(getattr(self, key), str):
                raise InputError("must be the name of a joint", where=self.where, key=key, value=getattr(self, key))
        if self.joint1 == self.joint2:
            raise InputError("must differ from joint1", where=self.where, key="joint2", value=self.joint2)

    def add_to(self, builder: Builder) -> None:
        """Add its row to a multibody system; the coupled joints are added before."""
        one, two = self._angle(builder, "joint1"), self._angle(builder, "joint2")
        markers = (*builder.angles[one], *builder.angles[two])
        row = Row(ANGLE, markers, "angles", b=(1.0, float(self.ratio), 0.0), angle=(one, two))
        hold(builder, self.name, self.where, [row])

    def _angle(self, builder: Builder, key: str) -> int:
        name = getattr(self, key)
        angles = {group.name: group.angle for group in builder.joints}
        able = [joint for joint, angle in angles.items() if angle >= 0]
        if name not in able:
            what = "this joint has no angle" if name in angles else f"there is no such joint{nearest(name, able)}"
            message = f"{what}; joints with an angle: {', '.join(able) or 'none'}"
            raise InputError(message, where=self.where, key=key, value=name)
        return angles[name]
