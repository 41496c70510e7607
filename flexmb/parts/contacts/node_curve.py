"""Contact of nodes, or balls around them, with a planar curve made of pieces; or a slot along such a curve."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import EDGE, End, Glyph
from flexmb.assembly.markers import Marker, ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.assembly.rows_beside import beside_ring, checked
from flexmb.checks.values import check_name, choice, nonnegative, unit, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import CURVE
from flexmb.parts.contacts.contact_rows import moves_across
from flexmb.parts.contacts.curve import Curve, joined
from flexmb.parts.contacts.curve_pieces import Piece, read_pieces
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.state import Array

Ref = NodeRef | str

SQUARE = 1e-9
"""Cosine of the angle between the axes of the plane that is accepted as a right angle."""


@dataclass(frozen=True, kw_only=True)
class NodeCurve(LawKeys):
    """Nodes stay on the free side of a planar curve: g = side (distance from the curve) - radius >= 0.

    Along the normal of its plane the curve is infinite. At a convex corner the normal rotates about the corner,
    at a concave one both pieces act.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node : NodeRef, str or sequence of them
        Node, particle or point of a rigid body; several, or ``"rod.all"``, have separate contacts.
    pieces : sequence of tables
        Pieces one after the other: ``{ kind = "segment", start = [x, y], end = [x, y] }``, ``arc`` with ``center`` and
        ``clockwise``, ``parabola`` with ``control`` (where its end tangents meet), ``spline`` with ``through`` and,
        optionally, ``start_tangent`` and ``end_tangent``; coordinates in the plane of the curve, m. ``start`` is
        required for the first piece only. A curve that ends where it starts is closed.
    side : str
        The free side, "left" or "right", seen along the curve.
    slot : bool
        The nodes stay on the curve, which constrains them from both sides and is recorded as a joint.
    ends : str, optional
        Beyond the ends of an open curve: "open" (no surface; the default), or "straight" (along its tangents; the
        default and only choice for a slot).
    radius : float
        Of a ball around the node, m.
    point : (3,) array_like
        Origin of the plane, in space, m.
    x_axis, y_axis : (3,) array_like
        Its axes, in space; perpendicular, of any length.
    body : str, optional
        The rigid body that carries the curve; by default the ground. Origin and axes are initial values in space.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "node-curve"
    large_motion: ClassVar[bool] = True

    name: str = field(kw_only=False)
    node: Ref | Sequence[Ref]
    pieces: Sequence[Mapping[str, Any] | Piece]
    side: str = "left"
    slot: bool = False
    ends: str | None = None
    radius: float = 0.0
    point: Sequence[float] | Array = (0.0, 0.0, 0.0)
    x_axis: Sequence[float] | Array = (1.0, 0.0, 0.0)
    y_axis: Sequence[float] | Array = (0.0, 1.0, 0.0)
    body: str | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        self.law  # noqa: B018  (checks its keys)
        choice(self.side, "side", self.where, ("left", "right"))
        if not isinstance(self.slot, bool):
            raise InputError("must be true or false", where=self.where, key="slot", value=self.slot)
        nonnegative(self.radius, "radius", self.where)
        vector(self.point, "point", self.where)
        self.axes  # noqa: B018  (checks them)
        if self.ends is not None:
            choice(self.ends, "ends", self.where, ("open", "straight"))
        if self.slot:
            self._check_slot()
        self._check_nodes()
        self._check_fit()

    def _check_slot(self) -> None:
        if self.ends == "open":
            message = 'a slot holds its nodes beyond its ends, too: "straight", or a closed curve'
            raise InputError(message, where=self.where, key="ends", value=self.ends)
        if self.radius:
            raise InputError("has no effect for a slot", where=self.where, key="radius", value=self.radius)
        self.refuse_laws("a slot has smooth walls")
        if self.restitution:
            message = "has no effect for a slot, which its nodes never leave"
            raise InputError(message, where=self.where, key="restitution", value=self.restitution)

    def _check_nodes(self) -> None:
        if not self.refs():
            raise InputError("must name at least one node", where=self.where, key="node", value=self.node)
        for ref in self.refs():
            if NodeRef.parse(ref, self.where, "node").body == self._carrier:
                message = f"contact between a body and itself: the curve is carried by '{self._carrier}' too"
                raise InputError(message, where=self.where, key="node", value=str(ref))

    def _check_fit(self) -> None:
        kappa, k = self.curve.tightest(self._sense)
        if self.radius * kappa >= 1.0:
            message = f"is too large for the curve: piece {k + 1} bends with a radius of {1.0 / kappa:.6g} m"
            raise InputError(message, where=self.where, key="radius", value=self.radius)

    @property
    def _sense(self) -> float:
        return 1.0 if self.side == "left" else -1.0

    @cached_property
    def axes(self) -> Array:
        """Axes of the plane and its normal as columns, (3, 3)."""
        x, y = unit(self.x_axis, "x_axis", self.where), unit(self.y_axis, "y_axis", self.where)
        if abs(float(x @ y)) > SQUARE:
            message = f"must be at right angles to x_axis; the cosine between them is {float(x @ y):.3g}"
            raise InputError(message, where=self.where, key="y_axis", value=self.y_axis)
        z = np.cross(x, y)
        z /= np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)

    @cached_property
    def curve(self) -> Curve:
        """The curve, joined."""
        pieces = read_pieces(self.pieces, self.where)
        straight = self.slot or self.ends == "straight"
        return joined(pieces, self._sense, self.slot, straight, self.where, ball=bool(self.radius))

    @cached_property
    def _carrier(self) -> str | None:
        """Name of the body that carries the curve, None for the ground."""
        if self.body is None or self.body == "ground":
            return None
        if not isinstance(self.body, str) or "." in self.body:
            raise InputError("must be the name of a rigid body", where=self.where, key="body", value=self.body)
        return NodeRef.parse(self.body, self.where, "body").body

    def refs(self) -> list[object]:
        """Return the nodes as named by the user."""
        if isinstance(self.node, Sequence) and not isinstance(self.node, str):
            return list(self.node)
        return [self.node]

    def marks(self) -> list[Glyph]:
        """Return the curve, to be drawn."""
        p, on, axis = vector(self.point, "point", self.where), self._carrier or "ground", self.axes[:, 2]
        places = [End(on, point=p + self.axes[:, :2] @ x) for x in self.curve.drawn()]
        return [Glyph(EDGE, self.name, a, b, axis) for a, b in itertools.pairwise(places)]

    def add_to(self, builder: Builder) -> None:
        """Add one row per node and chain of pieces to a multibody system."""
        plane = self._plane(builder)
        places = [place for ref in self.refs() for place in builder.places(ref, self.where, "node")]
        A = builder.marker(plane, self.axes)
        group = self._group(builder)
        seen: set[int] = set()
        for place in places:
            B = builder.marker(place)
            if B in seen:
                raise InputError(f"node {place.label} is named twice", where=self.where, key="node")
            seen.add(B)
            if not (moves_across(place, self.axes[:, 2]) or moves_across(plane, self.axes[:, 2])):
                message = f"node {place.label} cannot move in the plane of the curve (supported, or a bar normal to it)"
                raise InputError(message, where=self.where, key="node", value=place.label)
            chains = builder.add_curve(self.curve.pieces, self.curve.chains, self._sense)
            for k, chain in enumerate(chains):
                label = self._label(place.label if len(places) > 1 else "", k)
                builder.add_row(group, CURVE, (A, B, A), label, c=float(self.radius), angle=(chain, -1))
                if not self.slot:
                    group.points.append((B, A))
                    self._add_beside(builder, plane, place)
            if self.slot and not group.points:
                group.points.append((B, A))

    def _group(self, builder: Builder) -> Any:
        if not self.slot:
            return builder.begin_contact(self.name, self.law)
        if any(joint.name == self.name for joint in builder.joints):
            message = "there is a joint of this name already: a slot is recorded as a joint"
            raise InputError(message, where=self.where)
        group = builder.begin_joint(self.name)
        group.where = self.where
        return group

    def _label(self, node: str, chain: int) -> str:
        """Return the name of a row: the node, if there are several, and the pieces, if corners divide them."""
        chains = len(self.curve.chains)
        words = [*([node] if node else []), *([f"piece {self.curve.label(chain)}"] if chains > 1 else [])]
        if self.slot:
            return node or "slot"
        return f"{self.name}[{', '.join(words)}]" if words else self.name

    def _add_beside(self, builder: Builder, plane: Marker, place: Marker) -> None:
        """Add the rows beside the normal that was added last."""
        if not self.law.normals_only:
            rows = beside_ring(self.law, self.axes[:, 2], (plane, place), float(self.radius), -1, (-1, 0.0))
            builder.add_beside(checked(rows, self.law, self.where, place.label))

    def _plane(self, builder: Builder) -> Marker:
        """Return the place of the plane's origin."""
        p = vector(self.point, "point", self.where)
        if self._carrier is None:
            return ground(p)
        place = builder.place(self._carrier, self.where, "body", point=p)
        if not builder.bodies[self._carrier].rigid:
            rigid = [name for name, info in builder.bodies.items() if info.rigid]
            message = f"a curve needs a rigid body to carry it; rigid bodies: {', '.join(rigid) or 'none'}"
            raise InputError(message, where=self.where, key="body", value=self.body)
        return place
