"""Contact of nodes, or spheres around them, with a plane: fixed, moving as prescribed, or carried by a rigid body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.markers import Marker, ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.assembly.rows_beside import RowBeside, beside_plane, checked, require_sliding
from flexmb.checks.values import check_name, matching, nonnegative, unit, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import ALONG
from flexmb.parts.contacts.beside_rows import BesideRows, rows_beside
from flexmb.parts.contacts.contact_rows import (
    ContactRows,
    Motion,
    compiled,
    largest_position,
    movable,
    moves_along,
)
from flexmb.parts.contacts.law_keys import LawKeys
from flexmb.parts.time_functions import time_function
from flexmb.state import Array, IntArray

Ref = NodeRef | str
T = TypeVar("T")
STILL = 1e-15
"""Fraction of the motion of a plane along its normal that counts as round-off."""


@dataclass(frozen=True, kw_only=True)
class NodePlane(LawKeys):
    """Nodes stay on the allowed side of a plane: g = n.(x - p) - radius - (n.d) s(t) >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node : NodeRef or str, optional
        One node, particle or point of a rigid body; or
    nodes : NodeRef, str or sequence of them, optional
        several, e.g. ``"rod.all"``, or of many bodies by a pattern, ``"ball*"``, ``"rod?.last"``. Of several, nodes
        that cannot move along the normal (supported, or of a bar perpendicular to it) are an error if they start
        inside. Otherwise they are omitted if the plane is at rest; if it moves they are monitored, and the run fails
        when the plane reaches one.
    point : (3,) array_like
        p, a point of the plane, m.
    normal : (3,) array_like
        n, points to the allowed side; any length.
    motion : time function, table or number, optional
        s(t), displacement of the plane, m; must be continuous.
    motion_direction : (3,) array_like, optional
        d, direction of s; by default the normal.
    radius : float
        Of a sphere around each node, m.
    body : str, optional
        The rigid body that carries the plane; by default the ground. ``point``, ``normal`` and ``motion_direction``
        are initial values in space, and move with the body.
    surface_velocity : (3,) array_like, optional
        Constant velocity of the surface within the plane (a belt), m/s; for contacts with friction.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "node-plane"

    name: str = field(kw_only=False)
    node: Ref | None = None
    nodes: Ref | Sequence[Ref] | None = None
    point: Sequence[float] | Array = (0.0, 0.0, 0.0)
    normal: Sequence[float] | Array
    motion: Motion | Mapping[str, Any] | float | Callable[[float], Any] | None = None
    motion_direction: Sequence[float] | Array | None = None
    radius: float = 0.0
    body: str | None = None
    surface_velocity: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        if (self.node is None) == (self.nodes is None):
            raise InputError("needs either node or nodes", where=self.where, key="node", value=self.node)
        if is_pattern(self.node):
            message = "means the nodes of several bodies; give it with the key nodes"
            raise InputError(message, where=self.where, key="node", value=self.node)
        vector(self.point, "point", self.where)
        unit(self.normal, "normal", self.where)
        self.law  # noqa: B018  (checks its keys)
        nonnegative(self.radius, "radius", self.where)
        for key, ref in self._refs():
            if not is_pattern(ref) and NodeRef.parse(ref, self.where, key).body == self._carrier:
                message = f"contact between a body and itself: the plane is carried by '{self._carrier}' too"
                raise InputError(message, where=self.where, key=key, value=str(ref))
        self._motion  # noqa: B018  (checks its keys)
        if self.motion_direction is not None:
            unit(self.motion_direction, "motion_direction", self.where)
            if self.motion is None:
                message = "has no effect without motion"
                raise InputError(message, where=self.where, key="motion_direction", value=self.motion_direction)
        self._belt  # noqa: B018  (checks it)

    @property
    def large_motion(self) -> bool:
        """Whether only a multibody system can treat it."""
        return self._carrier is not None

    @cached_property
    def _carrier(self) -> str | None:
        """Name of the body that carries the plane, None for the ground."""
        if self.body is None or self.body == "ground":
            return None
        if not isinstance(self.body, str) or "." in self.body:
            raise InputError("must be the name of a rigid body", where=self.where, key="body", value=self.body)
        return NodeRef.parse(self.body, self.where, "body").body

    @cached_property
    def _motion(self) -> Motion | None:
        """The motion as a function, for any form of input."""
        given = self.motion
        if given is None or (callable(getattr(given, "value", None)) and callable(getattr(given, "rate", None))):
            return cast("Motion | None", given)
        return time_function(given, f"{self.where}.motion")

    @cached_property
    def _belt(self) -> Array:
        """Constant velocity of the surface, (3,), m/s."""
        if self.surface_velocity is None:
            return np.zeros(3)
        w = vector(self.surface_velocity, "surface_velocity", self.where)
        wrong = ""
        if not self.law.slides:
            wrong = "has no effect without friction"
        elif abs(float(w @ unit(self.normal, "normal", self.where))) > 1e-9 * float(np.linalg.norm(w)):
            wrong = "must lie within the plane; its displacement along the normal is the key motion"
        if wrong:
            raise InputError(wrong, where=self.where, key="surface_velocity", value=self.surface_velocity)
        return w

    def _refs(self) -> list[tuple[str, object]]:
        """Return the references to nodes, as given, by their keys."""
        return [("node", self.node)] if self.node is not None else self._many()

    def _found(self, bodies: Iterable[str], find: Callable[[Any, str, str], T]) -> list[T]:
        """Return what references denote; a pattern stands for those of all bodies that it matches but the carrier."""
        others = [name for name in bodies if name != self._carrier]
        what = "body" if self._carrier is None else f"body besides '{self._carrier}', which carries the plane"
        found = []
        for key, given in self._refs():
            if not is_pattern(given):
                found.append(find(given, self.where, key))
                continue
            body, dot, node = str(given).partition(".")
            try:
                for name in matching(body, others, what, self.where, key):
                    found.append(find(f"{name}{dot}{node}", self.where, key))
            except InputError as err:
                raise InputError(err.message, where=err.where, key=err.key, value=given) from None
        return found

    def _many(self) -> list[tuple[str, object]]:
        if isinstance(self.nodes, Sequence) and not isinstance(self.nodes, str):
            if not self.nodes:
                raise InputError("must name at least one node", where=self.where, key="nodes", value=self.nodes)
            return [("nodes", ref) for ref in self.nodes]
        return [("nodes", self.nodes)]

    def _points(self, nodes: Kinematics) -> IntArray:
        found = np.concatenate(self._found(nodes.bodies, nodes.resolve))
        if self.node is not None and found.size != 1:
            message = f"denotes {found.size} nodes; give several with the key nodes"
            raise InputError(message, where=self.where, key="node", value=str(self.node))
        values, counts = np.unique(found, return_counts=True)
        if counts.max() > 1:
            twice = nodes.labels([int(values[counts.argmax()])])[0]
            raise InputError(f"node {twice} is named twice", where=self.where, key="nodes")
        return found

    def _factor(self, n: Array) -> float:
        """Return n.d, by which the motion of the plane lessens the gap; 0 without motion."""
        return 0.0 if self.motion is None else float(n @ self._along(n))

    def _along(self, n: Array) -> Array:
        """Return d, the direction of the motion, (3,)."""
        return n if self.motion_direction is None else unit(self.motion_direction, "motion_direction", self.where)

    def _labels(self, nodes: list[str]) -> list[str]:
        return [self.name] if self.node is not None else [f"{self.name}[{label}]" for label in nodes]

    def rows(self, nodes: Kinematics, t0: float) -> ContactRows:
        """Return one row per node; ``t0`` is the start time of the run."""
        assert not self.large_motion, "a plane carried by a body is not possible in a linear system"
        n, p = unit(self.normal, "normal", self.where), vector(self.point, "point", self.where)
        motion, coef = self._motion, -self._factor(n)
        points = self._points(nodes)
        g0 = (nodes.points[points] - p) @ n - self.radius
        G = nodes.columns(points, n)
        moves = movable(G)
        if not moves.all():
            start = g0 + (coef * float(motion.value(t0)) if motion is not None else 0.0)
            ways = [nodes.displacement[3 * i : 3 * i + 3].toarray() for i in points[~moves].tolist()]
            self._refuse(nodes.labels(points), moves, start, float(np.abs(nodes.points).max()), ways)
            if abs(coef) <= STILL:  # no motion, or none along the normal: the gap of such a node never changes
                points, g0, G = points[moves], g0[moves], sparse.csc_array(G[:, np.flatnonzero(moves)])
            else:  # exactly zero: a direction of round-off size would require a huge impulse to move the node
                G = sparse.csc_array(G @ sparse.diags_array(moves.astype(np.float64)))
                G.eliminate_zeros()
            moves = movable(G)
        labels = nodes.labels(points)
        found = ContactRows(self._labels(labels), points, g0, G, self.law, motion, coef)
        if self.law.normals_only:
            return found
        beside = self._beside(nodes, points, n, moves)
        d = np.zeros(3) if motion is None else self._along(n)
        return replace(found, beside=beside, slide_coef=beside.rate_of(d), drift=beside.rate_of(self._belt))

    def _beside(self, nodes: Kinematics, points: IntArray, n: Array, moves: np.ndarray) -> BesideRows:
        """Return the rows beside the normals; tangents are those of the sphere's surface where the node can turn."""

        def slide(t: Array) -> sparse.csc_array:
            by_turning = nodes.moment_columns(points, np.cross(n, t))
            return sparse.csc_array(nodes.columns(points, t) - self.radius * by_turning)

        def turn(axis: Array) -> sparse.csc_array:
            return nodes.moment_columns(points, axis)

        surface = [self._belt] if self._belt.any() else []
        if self._motion is not None:
            d = self._along(n)
            across = d - (n @ d) * n
            surface += [across] if np.linalg.norm(across) > STILL else []
        return rows_beside(self.law, n, nodes.labels(points), slide, turn, self.where, surface, ~moves)

    def add_to(self, builder: Builder) -> None:
        """Add one row per node to a multibody system."""
        n, p = unit(self.normal, "normal", self.where), vector(self.point, "point", self.where)
        plane, factor = self._plane(builder, p), self._factor(n)
        motion = None if abs(factor) <= STILL else compiled(self._motion, self.where)
        places = self._places(builder)
        moves = np.array([moves_along(place, n) or moves_along(plane, n) for place in places])
        if not moves.all():
            shift = factor * float(self._motion.value(builder.t0)) if self._motion is not None else 0.0
            start = np.array([n @ (place.position - p) for place in places]) - self.radius - shift
            ways = [place.D[:, :3].T for place, free in zip(places, moves, strict=True) if not free]
            self._refuse([place.label for place in places], moves, start, largest_position(builder), ways)
        A = builder.marker(plane)
        C = A if self.large_motion else 0
        group = builder.begin_contact(self.name, self.law)
        labels = self._labels([place.label for place in places])
        beside: list[RowBeside] = []
        for place, label, free in zip(places, labels, moves, strict=True):
            if not free and motion is None:  # its gap never changes
                continue
            B = builder.marker(place)
            # a node that cannot move along the normal is treated exactly as a point of the ground
            touching = B if free else builder.marker(ground(place.position))
            builder.add_row(
                group, ALONG, (A, touching, C), label, a=plane.axes.T @ n, c=self.radius, function=motion, cf=factor
            )
            group.points.append((B, A))
            if not self.law.normals_only:
                beside += self._add_beside(builder, (plane, place if free else ground(place.position)), n)
        require_sliding(beside, self.law, self.where)

    def _add_beside(self, builder: Builder, places: tuple[Marker, Marker], n: Array) -> list[RowBeside]:
        """Add the rows beside the normal that was added last, of the plane and a node, and return them."""
        moving, point = (-1, np.zeros(3)), places[1].position - self.radius * n
        if self.law.slides and self._motion is not None:
            moving = (builder.function(compiled(self._motion, self.where)), self._along(n))
        arms = (point - places[0].position, -self.radius * n)
        rows = beside_plane(self.law, n, places, arms, self.radius, self._belt, moving)
        builder.add_beside(checked(rows, self.law, self.where, places[1].label))
        return rows

    def _plane(self, builder: Builder, p: Array) -> Marker:
        """Return the place of the plane's point."""
        if self._carrier is None:
            return ground(p)
        place = builder.place(self._carrier, self.where, "body", point=p)
        if not builder.bodies[self._carrier].rigid:
            rigid = [name for name, info in builder.bodies.items() if info.rigid]
            message = f"a plane needs a rigid body to carry it; rigid bodies: {', '.join(rigid) or 'none'}"
            raise InputError(message, where=self.where, key="body", value=self.body)
        return place

    def _places(self, builder: Builder) -> list[Marker]:
        found = [place for places in self._found(builder.bodies, builder.places) for place in places]
        if self.node is not None and len(found) != 1:
            message = f"denotes {len(found)} nodes; give several with the key nodes"
            raise InputError(message, where=self.where, key="node", value=str(self.node))
        seen: set[int] = set()
        for place in found:
            if (marker := builder.marker(place)) in seen:
                raise InputError(f"node {place.label} is named twice", where=self.where, key="nodes")
            seen.add(marker)
        return found

    def _refuse(self, labels: list[str], moves: np.ndarray, start: Array, scale: float, ways: list[Array]) -> None:
        """Raise unless the nodes that cannot move along the normal start on the admissible side, together with others.

        ``ways`` are the displacements that the unknowns give to each of these nodes, (3, k).
        """
        stuck = np.flatnonzero(~moves)
        inside = stuck[start[stuck] < -1e-12 * max(1e-300, scale)]
        if self.node is not None or stuck.size == len(labels):
            own, label = str(self._refs()[0][1]) if self.node is not None else "", labels[stuck[0]]
            called = own if own and own != label else label
            words = f"node {called}{f' ({label})' if called != label else ''} cannot move along the normal"
            message = f"{words}: {_why_stuck(ways[0], unit(self.normal, 'normal', self.where))}"
            raise InputError(message, where=self.where, key="node" if self.node is not None else "nodes")
        if inside.size:
            i = int(inside[0])
            message = f"node {labels[i]} is {-start[i]:.6g} m inside the obstacle and cannot move along the normal"
            raise InputError(message, where=self.where, key="nodes")


def is_pattern(ref: object) -> bool:
    """Return whether a reference to nodes names bodies by a pattern."""
    return isinstance(ref, str) and any(sign in ref.partition(".")[0] for sign in "*?")


def _why_stuck(ways: Array, n: Array) -> str:
    """Return why a node cannot move along n, from its possible displacements (3, k), and a suggestion."""
    size = np.linalg.svd(ways, compute_uv=False) if ways.size else np.zeros(1)
    free = int(np.count_nonzero(size > 1e-9 * max(float(size.max(initial=0.0)), 1e-300))) if ways.any() else 0
    if free == 0:
        return "a support holds it"
    if free == 1:
        return "it moves along one direction only, as the nodes of a bar do, and that is perpendicular to the normal"
    value = ", ".join(f"{x:.6g}" for x in n)
    return (
        "it moves in a plane perpendicular to the normal, as the nodes of a planar beam or a particle with two axes do "
        f"(or a support holds it); orientation = [{value}] of the beam makes it bend along the normal, "
        'bending = "spatial" any way; axes of the particle must include the normal'
    )
