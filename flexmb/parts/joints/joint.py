"""Common base of all joints between two points: their ends, their positions, and their base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.assembly.attached import Attached
from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import End
from flexmb.assembly.markers import Marker
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, vector
from flexmb.errors import InputError
from flexmb.parts.part import Part
from flexmb.state import Array

Ref = NodeRef | str
Vector = Sequence[float] | Array

AT_POINT = 1e-9
"""Distance, relative to the size of the coordinates, that counts as zero."""

ONLY_PLACE = "spherical, distance, and point-on-line as the point"
"""Joints that are possible at a node without rotation."""


@dataclass(frozen=True, kw_only=True)
class Joint(Part):
    """A joint between two points ``a`` and ``b``; the parameters that all joints except the gear have.

    Motions (angle, displacement) are those of the *follower* relative to the *base*: of ``b`` relative to ``a``, or of
    ``a`` relative to the ground if ``b`` is the ground.

    Parameters
    ----------
    name : str
        Name, unique among the joints.
    a, b : NodeRef or str
        Its ends: "ground", a rigid body ("BODY"), a named point ("BODY.POINT") or a node ("BODY.node(3)").
    point : (3,) array_like, optional
        Initial position of the joint in space, m: its location on rigid bodies and on the ground. Default: the position
        of the other end (a named point, a node, or the reference point of a body joined to the ground).
    """

    role: ClassVar[str] = "joints"
    kind: ClassVar[str]
    large_motion: ClassVar[bool] = True

    a: Ref
    b: Ref = "ground"
    point: Vector | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "joints")
        for key in ("a", "b"):
            NodeRef.parse(getattr(self, key), self.where, key)
        if str(self.a) == str(self.b):
            raise InputError("connects a point to itself", where=self.where, key="b", value=str(self.b))
        if self.point is not None:
            vector(self.point, "point", self.where)

    @property
    def drawn_mover(self) -> End:
        """Reference of marks on its mover."""
        return End(self.where)

    @property
    def drawn_base(self) -> End:
        """Reference of marks on its base."""
        return End(f"{self.where}.base")

    def add_to(self, builder: Builder) -> None:
        """Add its rows to a multibody system; bodies are added before."""
        raise TypeError(f"{type(self).__name__} is not a joint")

    def ends(self, builder: Builder) -> tuple[Marker, Marker]:
        """Return the places of ``a`` and ``b``."""
        free = {key: anywhere(builder, getattr(self, key)) for key in ("a", "b")}
        if self.point is not None:
            point = vector(self.point, "point", self.where)
            if not any(free.values()):
                message = "has no effect if both ends are nodes or named points, which have positions"
                raise InputError(message, where=self.where, key="point", value=tuple(point.tolist()))
        else:
            point = self._shared_place(builder, free)
            self._note_attached(builder, free, point)
        a, b = (builder.place(getattr(self, key), self.where, key, point) for key in ("a", "b"))
        return a, b

    def _shared_place(self, builder: Builder, free: dict[str, bool]) -> Array:
        """Return the position of the joint if ``point`` is not given."""
        if free["a"] and free["b"] and "ground" not in (self.a, self.b):
            message = f"is needed: '{self.a}' and '{self.b}' can be connected at any point (or name points of them)"
            raise InputError(message, where=self.where, key="point")
        key = "b" if self.a == "ground" or free["a"] and not free["b"] else "a"
        return builder.place(getattr(self, key), self.where, key).position

    def _note_attached(self, builder: Builder, free: dict[str, bool], point: Array) -> None:
        """Record a rigid body that was attached without a named point, unless it is at its own reference point."""
        for key in ("a", "b"):
            body = str(getattr(self, key))
            if not free[key] or body == "ground":
                continue
            there = builder.place(body, self.where, key).position
            off = float(np.linalg.norm(point - there))
            if off > AT_POINT * float(np.abs([point, there]).max()):
                builder.attached.append(Attached(self.where, key, body, point, off))

    def base_and_mover(self, builder: Builder) -> tuple[Marker, Marker]:
        """Return the ends as base and mover, both with axes."""
        a, b = self.ends(builder)
        self.needs_axes(a, "a")
        self.needs_axes(b, "b")
        return (b, a) if self.b == "ground" else (a, b)

    def needs_axes(self, place: Marker, key: str) -> None:
        """Raise if a place has no rotation."""
        if not place.turns:
            message = (
                f"'{place.label}' has no slope or rotation that a {self.kind} joint could constrain (nodes of bars and "
                f"particles have a position only); possible joints: {ONLY_PLACE}"
            )
            raise InputError(message, where=self.where, key=key, value=str(getattr(self, key)))


def anywhere(builder: Builder, ref: Ref) -> bool:
    """Return whether any point in space can be a point of the referenced body."""
    info = builder.bodies.get(str(ref))
    return ref == "ground" or (info is not None and info.rigid)
