"""Circular clearance: a node inside a ring (rub of a rotor, a bearing with play, a bumper ring)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, cast

import numpy as np

from flexmb.assembly.builder import Builder, Function
from flexmb.assembly.glyphs import RING, End, Glyph
from flexmb.assembly.markers import Marker, ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.assembly.rows_beside import beside_ring, checked
from flexmb.checks.values import check_name, nonnegative, positive, unit, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import CLEARANCE, NODE
from flexmb.parts.contacts.contact_rows import moves_across
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.state import Array

Ref = NodeRef | str


@dataclass(frozen=True, kw_only=True)
class Clearance(LawKeys):
    """Nodes stay within a circle perpendicular to an axis: g = gap - |P (x - x_stator - offset)| >= 0, P = 1 - a a^T.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node : NodeRef, str or sequence of them
        The node inside; several, or ``"rotor.all"``, have one ring each. Of several, those that cannot move
        perpendicular to the axis are omitted.
    gap : float
        Radial clearance, m.
    stator : str or NodeRef
        What carries the ring: ``"ground"`` (around the position of the node at rest), a particle, or a node of another
        body.
    axis : (3,) array_like, optional
        a, fixed in space; by default the spin axis of the body of the node.
    offset : (3,) array_like
        Of the center of the ring, in space, m.
    radius : float
        Of the rotating disk inside the ring, m: friction acts on its surface.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "clearance"
    large_motion: ClassVar[bool] = True

    name: str = field(kw_only=False)
    node: Ref | Sequence[Ref]
    gap: float
    stator: Ref = "ground"
    axis: Sequence[float] | Array | None = None
    offset: Sequence[float] | Array = (0.0, 0.0, 0.0)
    radius: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        positive(self.gap, "gap", self.where)
        self.law  # noqa: B018  (checks its keys)
        vector(self.offset, "offset", self.where)
        nonnegative(self.radius, "radius", self.where)
        if self.axis is not None:
            unit(self.axis, "axis", self.where)
        if not self.refs():
            raise InputError("must name at least one node", where=self.where, key="node", value=self.node)
        for ref in self.refs():
            body = NodeRef.parse(ref, self.where, "node").body
            if self.on_ground:
                continue
            if body == NodeRef.parse(self.stator, self.where, "stator").body:
                message = f"contact between a body and itself: '{ref}' belongs to '{body}' too"
                raise InputError(message, where=self.where, key="stator", value=str(self.stator))

    @property
    def on_ground(self) -> bool:
        """Whether the rings are fixed."""
        return isinstance(self.stator, str) and self.stator == "ground"

    def refs(self) -> list[object]:
        """Return the nodes as named by the user."""
        if isinstance(self.node, Sequence) and not isinstance(self.node, str):
            return list(self.node)
        return [self.node]

    def marks(self) -> list[Glyph]:
        """Return the rings, to be drawn."""
        axis = None if self.axis is None else unit(self.axis, "axis", self.where)
        other = End(None if self.on_ground else self.stator, shift=vector(self.offset, "offset", self.where))
        return [Glyph(RING, self.name, End(ref), other, axis, (float(self.gap), 0.0)) for ref in self.refs()]

    def add_to(self, builder: Builder) -> None:
        """Add one row per node to a multibody system."""
        found = [(ref, place) for ref in self.refs() for place in builder.places(ref, self.where, "node")]
        stator = None if self.on_ground else builder.place(self.stator, self.where, "stator")
        offset = vector(self.offset, "offset", self.where)
        group = builder.begin_contact(self.name, self.law)
        seen: set[int] = set()
        for ref, place in found:
            a = self._axis(builder, ref)
            ring = ground(place.position) if stator is None else stator
            if not (moves_across(place, a) or moves_across(ring, a)):
                if len(found) == 1:
                    message = f"node {place.label} cannot move normal to the axis (supported, or a bar along it)"
                    raise InputError(message, where=self.where, key="node", value=str(ref))
                continue
            self._check_start(place, ring, a, offset)
            A, B = builder.marker(ring), builder.marker(place)
            if B in seen:
                raise InputError(f"node {place.label} is named twice", where=self.where, key="node")
            seen.add(B)
            label = self.name if len(found) == 1 else f"{self.name}[{place.label}]"
            builder.add_row(group, CLEARANCE, (A, B), label, a=a, b=offset, c=-float(self.gap))
            group.points.append((B, A))
            if not self.law.normals_only:
                spin, turning = self._spin(builder, ref, place, a)
                rows = beside_ring(self.law, a, (ring, place), float(self.radius), spin, turning)
                builder.add_beside(checked(rows, self.law, self.where, place.label))
        if not seen:
            message = f"none of the {len(found)} nodes can move normal to the axis"
            raise InputError(message, where=self.where, key="node", value=str(self.node))

    def _spin(self, builder: Builder, ref: object, place: Marker, a: Array) -> tuple[int, tuple[int, float]]:
        """Return the marker of a free spin of the node's body, and function and sense about a of a prescribed one.

        -1 for none.
        """
        carrier = None if self.on_ground else builder.bodies[NodeRef.parse(self.stator, self.where, "stator").body]
        if carrier is not None and carrier.spin is not None:
            message = "spins: friction needs a ring on a body that does not"
            raise InputError(message, where=self.where, key="stator", value=str(self.stator))
        spin = builder.bodies[NodeRef.parse(ref, self.where, "node").body].spin
        if spin is None:
            return -1, (-1, 0.0)
        if not self.radius > 0.0:
            message = "must be greater than 0 with friction: the spin moves the rim of the disk"
            raise InputError(message, where=self.where, key="radius", value=self.radius)
        sense = float(spin.axis @ a)
        if not abs(sense) > 1.0 - 1e-9:
            message = "must be the axis that the body spins about, with friction"
            raise InputError(message, where=self.where, key="axis", value=self.axis)
        if spin.angle is not None:
            return -1, (builder.function(cast("Function", spin.angle)), sense)
        own, about = np.array([[spin.iv], [spin.iq]]), np.concatenate([np.zeros(3), spin.axis])[None]
        turn = Marker(NODE, place.position, np.eye(3), place.position, dof=own[0], qdof=own[1], D=about)
        return builder.marker(turn), (-1, 0.0)

    def _axis(self, builder: Builder, ref: object) -> Array:
        """Return the axis of the ring of a node."""
        if self.axis is not None:
            return unit(self.axis, "axis", self.where)
        spin = builder.bodies[NodeRef.parse(ref, self.where, "node").body].spin
        if spin is None:
            raise InputError("is missing: the body of the node does not spin", where=self.where, key="axis")
        return spin.axis

    def _check_start(self, place: Marker, ring: Marker, a: Array, offset: Array) -> None:
        """Raise if a node starts outside its ring."""
        d = place.position - ring.position - offset
        off = float(np.linalg.norm(d - (a @ d) * a))
        if off > self.gap * (1.0 + 1e-9):
            message = f"is smaller than the initial eccentricity of node {place.label}, {off:.6g} m"
            raise InputError(message, where=self.where, key="gap", value=self.gap)
