"""Spring and damper along the line between two points, for any motion of the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import DAMPER, SPRING, SPRING_DAMPER, End, Glyph
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, finite, nonnegative, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import GROUND
from flexmb.parts.loads.ends import end
from flexmb.parts.part import Part
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Part):
    """Spring and damper between two points at the distance l; attraction k (l - length) - preload + c l'.

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    a, b : NodeRef or str
        The ends: a node, a named point, a body, or "ground" (its origin).
    point_a, point_b : (3,) array_like, optional
        Initial position of the end in space, m; for ends on rigid bodies and on the ground.
    stiffness : float
        k, N/m.
    damping : float
        c, N s/m.
    length : float, optional
        Unstretched length, m; by default the initial distance.
    preload : float
        Force that repels the ends when the spring is unstretched, N.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "spring-damper"
    large_motion: ClassVar[bool] = True

    a: NodeRef | str
    b: NodeRef | str
    point_a: Sequence[float] | Array | None = None
    point_b: Sequence[float] | Array | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | None = None
    preload: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        for key in ("a", "b"):
            NodeRef.parse(getattr(self, key), self.where, key)
            if getattr(self, f"point_{key}") is not None:
                vector(getattr(self, f"point_{key}"), f"point_{key}", self.where)
        size = nonnegative(self.stiffness, "stiffness", self.where) + nonnegative(self.damping, "damping", self.where)
        if size + abs(finite(self.preload, "preload", self.where)) == 0.0:
            raise InputError("needs stiffness, damping or preload", where=self.where, key="stiffness", value=0.0)
        if self.length is not None:
            nonnegative(self.length, "length", self.where)

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        kind = SPRING if not self.damping else DAMPER if not self.stiffness else SPRING_DAMPER
        ends = [
            End(ref, None if point is None else vector(point, "point", self.where))
            for ref, point in ((self.a, self.point_a), (self.b, self.point_b))
        ]
        return [Glyph(kind, self.name, ends[0], ends[1], np.array([1.0, 0.0, 0.0]))]

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system."""
        a = end(builder, self.a, self.point_a, self.where, "a")
        b = end(builder, self.b, self.point_b, self.where, "b")
        distance = float(np.linalg.norm(b.position - a.position))
        if distance == 0.0:
            message = "the ends coincide at the start, so the direction is not defined"
            raise InputError(message, where=self.where, key="b", value=str(self.b))
        if a.kind == b.kind == GROUND:
            raise InputError("both ends are on the ground", where=self.where, key="b", value=str(self.b))
        builder.add_spring(
            builder.marker(a),
            builder.marker(b),
            k=float(self.stiffness),
            c=float(self.damping),
            length=distance if self.length is None else float(self.length),
            preload=float(self.preload),
        )
