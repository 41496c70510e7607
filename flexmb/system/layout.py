"""Positions of the unknowns in space: points of all bodies, their connections, and their motion.

In small motion displacements are linear maps of q. In large motion every point belongs to a *carrier* (see
``geometry.tables``): ground, a frame, a planar body, a node of small displacement, or a node of a floating body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.assembly.glyphs import Glyphs
from flexmb.assembly.markers import BodyInfo, Marker, Picture
from flexmb.fem.line_sections import LineSections, joined, unknown
from flexmb.kernels.geometry.tables import FLOATING, FRAME, NODE, PLANAR
from flexmb.linalg.quaternions import from_vector, inverse, product, spun, to_vector, turned
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class Carriers:
    """Carriers of n points; states are rows of q (k, nq) and v (k, nv), results are (k, n, ...).

    r = x + A (local + u), with x and A those of the point's frame or planar body (zero and one for the others), and
    u the elastic displacement D q of nodes. Its rotation is A exp(theta), theta the elastic rotation.

    Parameters
    ----------
    kind, iq, iv : (n,) int arrays
        Kind of carrier, and the first number of its frame or planar body in q and v.
    local : (n, 3) array
        Position of the point on its carrier, m; for ground and nodes of small displacement its position in space.
    Dq, Dv : (6 n, nq), (6 n, nv) sparse arrays
        Elastic displacement (rows 6 i .. 6 i + 2) and rotation (6 i + 3 .. 6 i + 5) of point i, and their rates.
    q0 : (nq,) array
        The start.
    """

    kind: IntArray
    iq: IntArray
    iv: IntArray
    local: Array
    Dq: sparse.csr_array
    Dv: sparse.csr_array
    q0: Array

    @cached_property
    def turns(self) -> bool:
        """Whether any of the points can rotate."""
        elastic = sparse.coo_array(self.Dq)
        framed = np.isin(self.kind, (FRAME, PLANAR, FLOATING))
        return bool(framed.any() or (elastic.row % 6 >= 3)[elastic.data != 0.0].any())

    @cached_property
    def _framed(self) -> IntArray:
        return np.flatnonzero((self.kind == FRAME) | (self.kind == FLOATING))

    @cached_property
    def _planar(self) -> IntArray:
        return np.flatnonzero(self.kind == PLANAR)

    def positions(self, q: Array) -> Array:
        """Return the positions of the points, (k, n, 3), m."""
        return np.asarray(self._origins(q) + turned(self.frames(q), self.local + self.elastic(q)[..., :3]))

    def velocities(self, q: Array, v: Array) -> Array:
        """Return the velocities of the points, (k, n, 3), m/s."""
        u, rate = self.elastic(q)[..., :3], self._spread(self.Dv, v)[..., :3]
        moving, omega = self._rates(v)
        return np.asarray(moving + turned(self.frames(q), np.cross(omega, self.local + u) + rate))

    def orientations(self, q: Array) -> Array:
        """Return the unit quaternions of the carriers' axes, (k, n, 4)."""
        return product(self.frames(q), from_vector(self.elastic(q)[..., 3:]))

    def rotations(self, q: Array) -> Array:
        """Return the rotation vectors since the start, in space, (k, n, 3), rad; of frames of length at most pi."""
        since = product(self.orientations(q), inverse(self.orientations(self.q0[None])))
        out = to_vector(since)
        angle = self.iq[self._planar] + 2
        out[:, self._planar, 2] = q[:, angle] - self.q0[angle]
        node = self.kind == NODE
        out[:, node] = (self.elastic(q) - self.elastic(self.q0[None]))[:, node, 3:]
        return out

    def angular_velocities(self, q: Array, v: Array) -> Array:
        """Return the angular velocities, in space, (k, n, 3), rad/s."""
        theta, rate = self.elastic(q)[..., 3:], self._spread(self.Dv, v)[..., 3:]
        return turned(self.frames(q), self._rates(v)[1] + spun(theta, rate))

    def elastic(self, q: Array) -> Array:
        """Return elastic displacement (m) and rotation (rad) in the carrier's axes, (k, n, 6)."""
        return self._spread(self.Dq, q)

    def _spread(self, D: sparse.csr_array, y: Array) -> Array:
        return np.asarray(D @ y.T).T.reshape(len(y), -1, 6)

    def _origins(self, q: Array) -> Array:
        """Return the positions of frames and planar bodies, (k, n, 3); zero for the others."""
        out = np.zeros((len(q), len(self.kind), 3))
        for k in range(3):
            out[:, self._framed, k] = q[:, self.iq[self._framed] + k]
        for k in range(2):
            out[:, self._planar, k] = q[:, self.iq[self._planar] + k]
        return out

    def frames(self, q: Array) -> Array:
        """Return the quaternions of frames and planar bodies, (k, n, 4); the identity for the others."""
        out = np.zeros((len(q), len(self.kind), 4))
        out[..., 0] = 1.0
        for k in range(4):
            out[:, self._framed, k] = q[:, self.iq[self._framed] + 3 + k]
        half = 0.5 * q[:, self.iq[self._planar] + 2]
        out[:, self._planar, 0], out[:, self._planar, 3] = np.cos(half), np.sin(half)
        return out

    def _rates(self, v: Array) -> tuple[Array, Array]:
        """Return velocities (in space) and angular velocities (in their axes) of frames and planar bodies."""
        moving, omega = np.zeros((2, len(v), len(self.kind), 3))
        for k in range(3):
            moving[:, self._framed, k] = v[:, self.iv[self._framed] + k]
            omega[:, self._framed, k] = v[:, self.iv[self._framed] + 3 + k]
        for k in range(2):
            moving[:, self._planar, k] = v[:, self.iv[self._planar] + k]
        omega[:, self._planar, 2] = v[:, self.iv[self._planar] + 2]
        return moving, omega


@dataclass(frozen=True)
class Layout:
    """Points, cells over them and their motion, the basis of fields and pictures.

    Parameters
    ----------
    points : (n, 3) array
        Reference positions of all nodes, m; in large motion those at the start.
    cells : (m, 2) int array
        Lines between points (particles have none).
    vertices : (k,) int array
        Points of particles, drawn as vertices.
    body_of_point : (n,) int array
        Index into ``bodies``.
    bodies : tuple of str
    displacement : (3 n, nv) sparse array
        q -> displacement of point i in rows 3 i .. 3 i + 2; unused where there are carriers.
    rotation : (3 n, nv) sparse array
        q -> small rotation vector of point i (zero rows where a node has none); unused where there are carriers.
    radius_of_cell : (m,) array
        A radius to draw the cell with, m.
    triangles : (j, 3) int array
        Surfaces of bodies.
    radius_of_vertex : (k,) array
        True radii of vertices, m; zero where there is none. Empty: none has.
    carriers : Carriers or None
        Carriers of the points in large motion.
    sections : LineSections or None
        Cross-sections of the cells; None in results that did not store them.
    marks : Marks
        Symbols drawn in addition to the bodies.
    """

    points: Array
    cells: IntArray
    vertices: IntArray
    body_of_point: IntArray
    bodies: tuple[str, ...]
    displacement: sparse.csr_array
    rotation: sparse.csr_array
    radius_of_cell: Array
    triangles: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    radius_of_vertex: Array = field(default_factory=lambda: np.zeros(0))
    carriers: Carriers | None = None
    sections: LineSections | None = None
    marks: Glyphs = field(default_factory=Glyphs)

    @property
    def turns(self) -> bool:
        """Whether any of the points has a rotation."""
        return bool(self.rotation.nnz) if self.carriers is None else self.carriers.turns

    def displacements(self, q: Array) -> Array:
        """Return the displacements from the reference positions in k states q (k, nq), (k, n, 3), m."""
        if self.carriers is None:
            return _mapped(self.displacement, q)
        return np.asarray(self.carriers.positions(q) - self.points)

    def velocities(self, q: Array, v: Array) -> Array:
        """Return the velocities in k states, (k, n, 3), m/s."""
        return _mapped(self.displacement, v) if self.carriers is None else self.carriers.velocities(q, v)

    def rotations(self, q: Array) -> Array:
        """Return the rotation vectors in k states, (k, n, 3), rad."""
        return _mapped(self.rotation, q) if self.carriers is None else self.carriers.rotations(q)


def _mapped(D: sparse.csr_array, y: Array) -> Array:
    return np.asarray(D @ y.T).T.reshape(len(y), -1, 3)


def layout_of(bodies: Mapping[str, BodyInfo], q0: Array) -> Layout:
    """Return the layout of bodies in large motion from their drawn shapes; a body without one is a dot.

    Parameters
    ----------
    bodies : mapping of str to BodyInfo
    q0 : (nq,) array
        The start; the points' reference positions are those they have there.
    """
    nv = 1 + max((int(info.unknowns.max(initial=-1)) for info in bodies.values()), default=-1)
    pictures = [picture_of(info) for info in bodies.values()]
    counts = [len(p.kind) for p in pictures]
    first = _firsts(pictures)
    carriers = _carriers(pictures, q0, nv)
    none = sparse.csr_array((3 * sum(counts), q0.size))
    return Layout(
        points=carriers.positions(q0[None])[0],
        cells=_joined(pictures, "lines", (2,), first),
        vertices=_joined(pictures, "vertices", (), first),
        body_of_point=np.repeat(np.arange(len(pictures)), counts).astype(np.int64),
        bodies=tuple(bodies),
        displacement=none,
        rotation=none,
        radius_of_cell=np.repeat([p.radius for p in pictures], [len(p.lines) for p in pictures]).astype(np.float64),
        triangles=_joined(pictures, "triangles", (3,), first),
        radius_of_vertex=np.repeat([p.radius for p in pictures], [len(p.vertices) for p in pictures]).astype(float),
        carriers=carriers,
        sections=joined([_sections(p) for p in pictures]),
    )


def _sections(picture: Picture) -> LineSections:
    return unknown(len(picture.lines), picture.radius) if picture.sections is None else picture.sections


def carriers_of(places: Sequence[Marker], q0: Array, nv: int) -> Carriers:
    """Return the carriers of places; nv is the number of velocities."""
    return _carriers([dots(places)], q0, nv)


def picture_of(info: BodyInfo) -> Picture:
    """Return the drawn shape of a body."""
    return dots(info.nodes[:1]) if info.picture is None else info.picture


def dots(places: Sequence[Marker]) -> Picture:
    """Return places as vertices to be drawn."""
    return Picture(
        kind=np.array([p.kind for p in places], dtype=np.int64),
        iq=np.array([p.iq for p in places], dtype=np.int64),
        iv=np.array([p.iv for p in places], dtype=np.int64),
        local=np.array([p.local for p in places], dtype=np.float64),
        vertices=np.arange(len(places)),
        row=np.concatenate([6 * i + np.tile(np.arange(6), p.dof.size) for i, p in enumerate(places)]),
        vdof=np.concatenate([np.repeat(p.dof, 6) for p in places]),
        qdof=np.concatenate([np.repeat(p.qdof, 6) for p in places]),
        value=np.concatenate([p.D.ravel() for p in places]),
    )


def _carriers(pictures: Sequence[Picture], q0: Array, nv: int) -> Carriers:
    value = _joined(pictures, "value")
    some = np.flatnonzero(value)
    row = _joined(pictures, "row", (), 6 * _firsts(pictures))[some]
    order = some[np.argsort(row, kind="stable")]
    ptr = np.searchsorted(np.sort(row), np.arange(6 * sum(len(p.kind) for p in pictures) + 1))
    maps = []
    for name, width in (("qdof", q0.size), ("vdof", nv)):
        entries = (value[order], _joined(pictures, name)[order], ptr)
        maps.append(sparse.csr_array(entries, shape=(ptr.size - 1, width)))
    return Carriers(
        kind=_joined(pictures, "kind"),
        iq=_joined(pictures, "iq"),
        iv=_joined(pictures, "iv"),
        local=_joined(pictures, "local", (3,)),
        Dq=maps[0],
        Dv=maps[1],
        q0=q0,
    )


def _firsts(pictures: Sequence[Picture]) -> IntArray:
    """Return the number of the first point of each shape, if all follow each other."""
    return np.concatenate([[0], np.cumsum([len(p.kind) for p in pictures])]).astype(np.int64)


def _joined(
    pictures: Sequence[Picture], name: str, row: tuple[int, ...] = (), shift: IntArray | None = None
) -> np.ndarray:
    """Return a field of all shapes, one below the other; ``shift`` is added to that of each shape."""
    parts = [np.asarray(getattr(p, name)).reshape(-1, *row) for p in pictures]
    if shift is not None:
        parts = [part + shift[i] for i, part in enumerate(parts)]
    like = np.float64 if name in ("local", "value") else np.int64
    return np.concatenate([np.zeros((0, *row)), *parts]).astype(like)
