"""A rope: the distance of two points is at most its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BALL, ROD, End, Glyph
from flexmb.assembly.markers import Marker, ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, positive, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import DISTANCE
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.state import Array

Ref = NodeRef | str


@dataclass(frozen=True, kw_only=True)
class Rope(LawKeys):
    """An inextensible massless rope: g = length - |x_b - x_a| >= 0; it carries tension only.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    a : NodeRef or str
        One end: a particle, a node, or a point of a rigid body.
    b : NodeRef or str
        The other end, of another body, or the ground.
    point : (3,) array_like, optional
        Attachment point on the ground, m; required there.
    length : float
        m.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "rope"
    large_motion: ClassVar[bool] = True

    name: str = field(kw_only=False)
    a: Ref
    b: Ref = "ground"
    point: Sequence[float] | Array | None = None
    length: float

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        positive(self.length, "length", self.where)
        self.refuse_laws("a rope has no friction, rolling resistance or cohesion")
        first = NodeRef.parse(self.a, self.where, "a")
        if not self.on_ground and first.body == (second := NodeRef.parse(self.b, self.where, "b")).body:
            message = f"a rope between a body and itself: '{first}' and '{second}' both belong to '{first.body}'"
            raise InputError(message, where=self.where, key="b", value=str(self.b))
        if self.on_ground != (self.point is not None):
            message = "is needed for the end on the ground" if self.on_ground else "has no effect without the ground"
            raise InputError(message, where=self.where, key="point", value=self.point)
        if self.point is not None:
            vector(self.point, "point", self.where)

    @property
    def on_ground(self) -> bool:
        """Whether it is attached to the ground."""
        return isinstance(self.b, str) and self.b == "ground"

    def marks(self) -> list[Glyph]:
        """Return it, to be drawn."""
        if self.point is None:
            return [Glyph(ROD, self.name, End(self.b), End(self.a), np.array([1.0, 0.0, 0.0]))]
        tied = End("ground", point=vector(self.point, "point", self.where))
        axis = np.array([1.0, 0.0, 0.0])
        return [Glyph(ROD, self.name, tied, End(self.a), axis), Glyph(BALL, self.name, tied, None, axis)]

    def add_to(self, builder: Builder) -> None:
        """Add its row to a multibody system."""
        first, second = builder.place(self.a, self.where, "a"), self._other(builder)
        if not first.dof.size + second.dof.size:
            raise InputError(f"neither '{first.label}' nor '{second.label}' can move", where=self.where, key="a")
        A, B = builder.marker(second), builder.marker(first)
        group = builder.begin_contact(self.name, self.law)
        builder.add_row(group, DISTANCE, (A, B), self.name, b=(-1.0, 0.0, 0.0), c=-float(self.length))
        group.points.append((B, A))

    def _other(self, builder: Builder) -> Marker:
        if self.point is not None:
            return ground(vector(self.point, "point", self.where))
        return builder.place(self.b, self.where, "b")
