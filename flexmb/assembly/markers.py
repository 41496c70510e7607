"""Places on bodies for joints, loads, contacts and signals, and the drawn shape of a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from flexmb.assembly.node_ref import NodeRef, no_such_body
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.fem.line_sections import LineSections
from flexmb.kernels.geometry.tables import FRAME, GROUND
from flexmb.state import Array, IntArray

NOTHING: IntArray = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Marker:
    """A point carried by a body, see ``kernels.geometry.tables.Markers`` for the meaning of the fields.

    Parameters
    ----------
    kind : int
        GROUND, FRAME, PLANAR, NODE or FLOATING.
    position : (3,) array
        Initial position in space, m.
    axes : (3, 3) array
        Axes of the carrier at the start, as columns in space (identity for ground and nodes of small displacement).
    local : (3,) array
        s of the marker.
    iq, iv : int
        First number of its frame or planar body in q and v.
    dof, qdof : (k,) int arrays
        Its unknowns in v and q (-1 in ``qdof`` for rotations of frames).
    D : (k, 6) array
        Displacement and rotation per unit of each unknown, for NODE and modes of FLOATING.
    turns : bool
        Whether it has axes of its own; a node of a bar has a position only.
    label : str
        Name in the notation of users.
    """

    kind: int
    position: Array
    axes: Array
    local: Array
    iq: int = -1
    iv: int = -1
    dof: IntArray = field(default_factory=lambda: NOTHING)
    qdof: IntArray = field(default_factory=lambda: NOTHING)
    D: Array = field(default_factory=lambda: np.zeros((0, 6)))
    turns: bool = True
    label: str = ""


def ground(position: Array) -> Marker:
    """Return a point of the ground."""
    x = np.asarray(position, dtype=np.float64)
    return Marker(GROUND, x, np.eye(3), x, label="ground")


def on_frame(iq: int, iv: int, x: Array, A: Array, local: Array, label: str) -> Marker:
    """Return the point ``local`` (in the frame's axes) of a frame that starts at x with axes A."""
    dof = iv + np.arange(6, dtype=np.int64)
    qdof = np.concatenate([iq + np.arange(3), -np.ones(3)]).astype(np.int64)
    position = np.asarray(x + A @ local, dtype=np.float64)
    return Marker(FRAME, position, A, np.asarray(local, float), iq, iv, dof, qdof, np.zeros((6, 6)), True, label)


@dataclass(frozen=True)
class Picture:
    """The drawn shape of a body; n points, each with its own carrier.

    Parameters
    ----------
    kind, iq, iv : (n,) int arrays
        As for places; GROUND points are fixed.
    local : (n, 3) array
        s; for NODE and GROUND the reference position in space, m.
    lines, triangles, vertices : (m, 2), (m, 3), (m,) int arrays
        Cells over the points.
    radius : float
        Drawn radius of lines and vertices, m.
    row, vdof, qdof, value : (e,) arrays
        Displacement (rows 6 i .. 6 i + 2) and rotation (6 i + 3 .. 6 i + 5) of point i per unit of plain unknowns, for
        NODE and FLOATING points.
    sections : LineSections or None
        Sections of the lines; None if unknown.
    """

    kind: IntArray
    iq: IntArray
    iv: IntArray
    local: Array
    lines: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    triangles: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    vertices: IntArray = field(default_factory=lambda: NOTHING)
    radius: float = 0.0
    row: IntArray = field(default_factory=lambda: NOTHING)
    vdof: IntArray = field(default_factory=lambda: NOTHING)
    qdof: IntArray = field(default_factory=lambda: NOTHING)
    value: Array = field(default_factory=lambda: np.zeros(0))
    sections: LineSections | None = None


class Turning(Protocol):
    """An angle as a function of time."""

    def value(self, t: Array | float) -> Array:
        """Return the angle, rad."""
        ...

    def rate(self, t: Array | float) -> Array:
        """Return the speed, rad/s."""
        ...


@dataclass(frozen=True)
class SpinInfo:
    """Spin of a body: its axis and angle.

    Parameters
    ----------
    axis : (3,) array
        Unit vector, in space.
    angle : Turning or None
        The angle, if prescribed.
    iq, iv : int
        Its indices in q and v if it is free, else -1.
    """

    axis: Array
    angle: Turning | None
    iq: int = -1
    iv: int = -1


@dataclass(frozen=True)
class BodyInfo:
    """A body as seen by the other parts of the model.

    Parameters
    ----------
    name : str
    nodes : list of Place
        Its nodes; a rigid body has one, its reference point.
    named : mapping of str to Place
        Named points and ``first``, ``mid``, ``last`` where there are such.
    single : bool
        Whether the name of the body denotes a place (rigid bodies, particles).
    mass : float
        kg.
    momentum_rows : (k, 3) int array
        Rows of p = M v that add up to the linear momentum along x, y, z (-1 for none); see ``momentum_map``.
    momentum_map : (3, nv_body) array, optional
        v of the body's own unknowns -> momentum, for bodies of small displacement, over ``unknowns``.
    unknowns : (nv_body,) int array
        The body's unknowns in v.
    picture : Picture or None
    rigid : bool
        Whether any point in space can be attached to it (rigid bodies).
    attach : Place or None
        For rigid bodies: the place of its frame's origin, to which other points refer.
    center : (3,) array or None
        Centre of mass at q = 0, m, for bodies of small displacement (that of the others follows from their frames).
    spin : SpinInfo or None
        For rotors.
    ball : (float, (3,) array) or None
        Radius and centre at the start, in space, m, of a rigid body whose shape is one sphere.
    groups : mapping of str to list of Marker
        Names of several nodes at once.
    """

    name: str
    nodes: list[Marker]
    named: Mapping[str, Marker]
    single: bool
    mass: float
    unknowns: IntArray
    picture: Picture | None = None
    momentum_rows: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    momentum_map: Array | None = None
    rigid: bool = False
    attach: Marker | None = None
    center: Array | None = None
    spin: SpinInfo | None = None
    ball: tuple[float, Array] | None = None
    groups: Mapping[str, list[Marker]] = field(default_factory=dict)


def find_markers(bodies: Mapping[str, BodyInfo], ref: object, where: str, key: str = "node") -> list[Marker]:
    """Return the places of a reference: "ground", "BODY", "BODY.POINT", "BODY.node(3)", "BODY.all"."""
    if isinstance(ref, str) and ref == "ground":
        return [ground(np.zeros(3))]
    node_ref = NodeRef.parse(ref, where, key)
    info = bodies.get(node_ref.body)
    if info is None:
        known = {name: [*body.named, *body.groups] for name, body in bodies.items()} | {"ground": []}
        raise InputError(no_such_body(node_ref, known), where=where, key=key, value=str(ref))
    node = node_ref.node
    if node == "all":
        return list(info.nodes)
    if isinstance(node, str) and node in info.groups:
        return list(info.groups[node])
    if isinstance(node, str) and node in info.named:
        return [info.named[node]]
    if info.single and node in (0, "", "first", None):
        return [info.nodes[0]]
    if not isinstance(node, str) and node is not None and 0 <= int(node) < len(info.nodes):
        return [info.nodes[int(node)]]
    hint = nearest(node, [*info.named, *info.groups]) if isinstance(node, str) else ""
    points = dict.fromkeys((*info.named, *info.groups))
    choices = ", ".join([*points, *([] if info.single else [f"node(0) ... node({len(info.nodes) - 1})"])])
    message = f"body '{info.name}' has no such point{hint}; it has {choices or 'none'}"
    raise InputError(message, where=where, key=key, value=str(ref))
