"""Torsional spring and damper on the angle of a joint, or between two bodies about an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import TORSION, End, Glyph
from flexmb.assembly.markers import Marker
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, finite, nearest, nonnegative, unit
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import GROUND
from flexmb.parts.loads.ends import MOMENT, acts
from flexmb.parts.part import Part
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class TorsionSpring(Part):
    """Torque k (theta - rest) + c theta' that opposes the relative angle theta of two bodies.

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    joint : str, optional
        A joint with an angle (revolute, cylindrical); theta is that angle. Or
    a, b : NodeRef or str
        the two bodies or nodes, or "ground" (the default of ``b``), and
    axis : (3,) array_like
        the axis, initial direction in space; any length. theta is the rotation about it since the start, as in joints:
        of ``b`` relative to ``a``, or of ``a`` relative to the ground if ``b`` is the ground, to which the axis is
        then fixed.
    stiffness : float
        k, N m/rad.
    damping : float
        c, N m s/rad.
    rest : float
        Angle without torque, rad.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "torsion-spring"
    large_motion: ClassVar[bool] = True

    joint: str | None = None
    a: NodeRef | str | None = None
    b: NodeRef | str = "ground"
    axis: Sequence[float] | Array | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        self._check_ends()
        size = nonnegative(self.stiffness, "stiffness", self.where) + nonnegative(self.damping, "damping", self.where)
        if size == 0.0:
            raise InputError("needs stiffness or damping", where=self.where, key="stiffness", value=0.0)
        finite(self.rest, "rest", self.where)

    def _check_ends(self) -> None:
        given = {"a": self.a, "b": None if self.b == "ground" else self.b, "axis": self.axis}
        if self.joint is not None:
            if not isinstance(self.joint, str):
                raise InputError("must be the name of a joint", where=self.where, key="joint", value=self.joint)
            for key, value in given.items():
                if value is not None:
                    message = "follows from the joint; give one or the other"
                    raise InputError(message, where=self.where, key=key, value=value)
            return
        for key in ("a", "axis"):
            if given[key] is None:
                raise InputError("is missing (give joint, or a, b and axis)", where=self.where, key=key)
        NodeRef.parse(self.a, self.where, "a")
        NodeRef.parse(self.b, self.where, "b")
        unit(self.axis, "axis", self.where)

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        if self.joint is not None:
            return [Glyph(TORSION, self.name, End(f"joints.{self.joint}"))]
        return [Glyph(TORSION, self.name, End(self.a), axis=unit(self.axis, "axis", self.where))]

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system; joints are added before."""
        angle = self._joint_angle(builder) if self.joint is not None else self._own_angle(builder)
        builder.add_torsion(angle, k=float(self.stiffness), c=float(self.damping), rest=float(self.rest))

    def _joint_angle(self, builder: Builder) -> int:
        angles = {group.name: group.angle for group in builder.joints}
        if self.joint not in angles:
            names = list(angles)
            message = f"there is no such joint{nearest(self.joint, names)}; joints: {', '.join(names) or 'none'}"
            raise InputError(message, where=self.where, key="joint", value=self.joint)
        if angles[self.joint] < 0:
            able = ", ".join(name for name, angle in angles.items() if angle >= 0)
            message = f"this joint has no angle; joints with one: {able or 'none'}"
            raise InputError(message, where=self.where, key="joint", value=self.joint)
        return angles[self.joint]

    def _own_angle(self, builder: Builder) -> int:
        z = unit(self.axis, "axis", self.where)
        a, b = self._side(builder, "a"), self._side(builder, "b")
        if not (acts(a, z, MOMENT) or acts(b, z, MOMENT)):
            message = f"neither '{self.a}' nor '{self.b}' has an unknown that rotates about this axis"
            raise InputError(message, where=self.where, key="axis", value=tuple(z.tolist()))
        # x is any direction perpendicular to z, the same for both, so that the angle starts from zero
        x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
        x /= np.linalg.norm(x)
        axes = np.column_stack([x, np.cross(z, x), z])
        base, mover = (b, a) if b.kind == GROUND else (a, b)
        A, B = builder.marker(base, axes), builder.marker(mover, axes)
        if A == B:
            raise InputError("both ends are the same", where=self.where, key="b", value=str(self.b))
        return builder.angle(A, B)

    def _side(self, builder: Builder, key: str) -> Marker:
        ref = getattr(self, key)
        place = builder.place(ref, self.where, key)
        if place.kind != GROUND and not place.turns:
            message = "has no rotation on which a torque acts"
            raise InputError(message, where=self.where, key=key, value=str(ref))
        return place
