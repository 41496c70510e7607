"""Disks, bearings, supports, joints, rings and springs of a result: their shapes, and their positions in a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.postproc import glyph_shapes as shapes
from flexmb.postproc.arrays import Array
from flexmb.postproc.glyph_shapes import OUTER, Shape
from flexmb.postproc.joint_glyphs import AT_MOVER, SIZES, hinge_length, joint_shapes, travel
from flexmb.postproc.planes import tangents
from flexmb.postproc.style import FAINT, SKY
from flexmb.postproc.thickness import THIN, Thickness
from flexmb.record.io.frames import Layout
from flexmb.record.io.glyph_ends import (
    BALL,
    BEARING,
    BLOCK,
    CLAMP,
    DAMPER,
    DISK,
    EDGE,
    HINGE,
    NOWHERE,
    ON_GROUND,
    PIN,
    RAIL,
    RING,
    ROD,
    SHEET,
    SPRING,
    SPRING_DAMPER,
    TORSION,
    WELD,
    glyph_axes,
    glyph_ends,
    turned_with_glyphs,
    with_first_glyphs,
)

MOST = 400
"""Maximum number of glyphs; only the first ones are drawn."""
LINKS = (SPRING, DAMPER, SPRING_DAMPER, ROD, EDGE)
SQUARE = (WELD, BLOCK, SHEET)
"""Glyphs whose corners rotate with their first end; all others are round or upright."""
JOINT = 1.25
"""Radius of a joint, relative to that of the body it is attached to."""
COIL, LOOSE = 0.024, 0.12
"""Radius of a spring, and length of one without a second end point, relative to the size of the picture."""
SOLID, BLUEISH = "#8894a0", "#8fa1b8"
LOOKS = {
    "disks": (SOLID, 1.0),
    "supports": (FAINT, 0.75),
    "links": ("#3c4650", 1.0),
    "joints": ("#59636e", 1.0),
    "bearings": (SKY, 0.55),
    "rings": (BLUEISH, 0.4),
}
"""Color and opacity by style; transparent ones come last."""


@dataclass(frozen=True)
class Part:
    """The symbols with a common colour and opacity.

    Parameters
    ----------
    points : (k, 3) array
        t, y, z along the axes of their marks.
    owner : (k,) int array
        The mark each point belongs to.
    faces, lines : list of int arrays
        Numbers of points.
    """

    points: Array
    owner: Any
    faces: list[Any]
    lines: list[Any]

    def corners(self, frames: Array) -> Array:
        """Return the coordinates of the points, (k, 3), m, when the marks are at ``frames``, (m, 4, 3): O, T, Y, Z."""
        own = frames[self.owner]
        return np.asarray(own[:, 0] + np.einsum("kc,kcj->kj", self.points, own[:, 1:]))


class DrawnMarks:
    """The symbols drawn in addition to the bodies.

    Parameters
    ----------
    layout : Layout
    thickness : Thickness
        How thick bodies are drawn.
    up : (3,) array
        Upward direction: supports are on the other side.
    sides : int
        Corners of a circle.
    states : sequence of (displacement, rotation)
        Of all points in some states: rails cover the range of the sliding points.
    """

    def __init__(
        self,
        layout: Layout,
        thickness: Thickness,
        up: Array,
        sides: int = 40,
        states: Sequence[tuple[Array, Array | None]] = (),
    ) -> None:
        self.every, self.layout = len(layout.marks), with_first_glyphs(layout, MOST)
        self.thickness, self.up, self.sides, self.states = thickness, up, sides, states
        self.kinds = [kind.decode() for kind in self.layout.marks.kind.tolist()]
        self.point = self.layout.marks.point
        self._ends, self._axes = glyph_ends(self.layout), self._axes_now()

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def notes(self) -> list[str]:
        """Symbols that are not drawn."""
        words = f"of {self.every} disks, bearings, supports, joints, springs and rings the first {len(self)} are drawn"
        return [words] if self.every > len(self) else []

    @property
    def carried(self) -> frozenset[int]:
        """Points that carry a ring: particles there need no ball."""
        own = self.point[self._are(RING), 1]
        return frozenset(own[own >= 0].tolist())

    @property
    def rims(self) -> dict[int, float]:
        """Distances at which contacts of rings act, m: outward on the points inside, inward on the ring."""
        out: dict[int, float] = {}
        for i in np.flatnonzero(self._are(RING)):
            a, b = self.point[i].tolist()
            out |= {a: float(self._sizes[i, 1])} | ({b: -float(self._sizes[i, 1])} if b >= 0 else {})
        return out

    def beyond_rings(self, reach: float) -> Array:
        """Return the positions of arrows at points, (k, 3), m, shifted outside the rings."""
        rings = self.rest[self._are(RING)]
        ways = [sign * rings[:, k] for k in (2, 3) for sign in (1.0, -1.0)]
        return np.concatenate([np.zeros((0, 3)), *(rings[:, 0] + way + reach * _unit(way) for way in ways)])

    def _are(self, *kinds: str) -> Any:
        return np.array([kind in kinds for kind in self.kinds], dtype=bool)

    @cached_property
    def _body_radius(self) -> Array:
        """Radius of the body at each mark as drawn, m."""
        least, body = THIN * self.thickness.size, self.layout.body_of_point
        known = {int(b): self.thickness.radius(int(b)) or least for b in np.unique(body)}
        return np.array([known[int(body[i])] if i >= 0 else least for i in self.point[:, 0]])

    @cached_property
    def _joint_radius(self) -> Array:
        """Radius of joints as drawn, m: larger than that of the connected lines."""
        layout, least = self.layout, THIN * self.thickness.size
        lines = np.unique(layout.body_of_point[layout.cells])
        known = {int(b): self.thickness.radius(int(b)) for b in lines}
        of = [[known.get(int(layout.body_of_point[i]), 0.0) if i >= 0 else 0.0 for i in pair] for pair in self.point]
        return np.asarray(JOINT * np.maximum(np.array(of).reshape(-1, 2).max(axis=1), least))

    @cached_property
    def _sizes(self) -> Array:
        """Lengths of T and of Y and Z, (m, 2), m; the first is not used for links."""
        size, thick = self.layout.marks.size, self._body_radius
        out = np.column_stack([thick, thick])
        disks = self._are(DISK)
        out[disks, 1] = np.maximum(size[disks, 0], 1.3 * thick[disks])
        out[disks, 0] = np.maximum(size[disks, 1], 0.5 * thick[disks])
        for i in np.flatnonzero(self._are(RING)):
            on = np.flatnonzero(disks & (self.point[:, 0] == self.point[i, 0]))
            out[i] = [0.7 * out[on[0], 0], out[on[0], 1]] if len(on) else [1.6 * thick[i], thick[i]]
        out[self._are(BEARING)] *= [1.8, 1.06]
        out[self._are(TORSION)] = np.maximum(0.03 * self.thickness.size, 1.6 * thick[self._are(TORSION), None])
        for k, kind in enumerate(self.kinds):
            if kind in SIZES:
                out[k] = self._joint_radius[k] * np.array(SIZES[kind])
            if kind == HINGE:
                r = float(self._joint_radius[k]) / JOINT
                through = hinge_length(self.layout, self.point[k], self._ends[k], self._axes[k], r)
                out[k, 0] = max(out[k, 0], through)
            if kind == RAIL:
                out[k, 0] += float(self._travel[k, 1] - self._travel[k, 0])
        return out

    @cached_property
    def _travel(self) -> Array:
        return travel(self.layout, self.states)

    def _axes_now(self, rotation: Array | None = None) -> Array:
        """Return the axes in a state, (m, 3); a horizontal one for balls and welds on a foot, which have none."""
        footed = self._are(BALL, WELD) & (self.point[:, 0] == ON_GROUND)
        return np.where(footed[:, None], tangents(self.up)[0], glyph_axes(self.layout, rotation))

    @cached_property
    def _across(self) -> Array:
        """Unit vectors y normal to the axes, upward if possible, (m, 3)."""
        return _perpendicular(np.tile(self.up, (len(self), 1)), self._axes)

    @cached_property
    def rest(self) -> Array:
        """Positions and axes at rest, (m, 4, 3), without a clearance between rings and points inside."""
        return self._frames(self._ends, self._axes, self._across, 0.0)

    def frames(self, displacement: Array, rotation: Array | None, scale: Array | float = 1.0) -> Array:
        """Return positions and axes in a state, (m, 4, 3): O, T, Y, Z of each mark, m.

        Parameters
        ----------
        displacement, rotation : (n, 3) arrays
            Of all points.
        scale : (m,) array or float
            Displacements, and with them clearances, are drawn magnified by this factor.
        """
        turning = turned_with_glyphs(self.layout, self._across, rotation)
        across = np.where(self._are(*SQUARE)[:, None], turning, self._across)
        ends, axes = glyph_ends(self.layout, displacement, rotation), self._axes_now(rotation)
        now = self._frames(ends, axes, across, 1.0)
        larger = np.broadcast_to(np.asarray(scale, dtype=np.float64), len(self))[:, None, None]
        return np.where(larger == 1.0, now, self.rest + larger * (now - self.rest))

    def _frames(self, ends: Array, axes: Array, across: Array, part: float) -> Array:
        """Return the frames for ends, axes and normals; the fraction ``part`` of the clearances is drawn."""
        T, (wide, r), moved = axes, self._sizes.T, ends - self._ends
        at = ends[:, 0].copy()
        standing, rings, links = self._are(BEARING, CLAMP, PIN), self._are(RING), self._are(*LINKS)
        T = np.where((standing | rings)[:, None], self._axes * self._outward[:, None], T) * wide[:, None]
        at[standing] = self._ends[standing, 0] + moved[standing, 1]
        apart = ends[rings, 1] - self._ends[rings, 0]
        apart -= np.sum(apart * self._axes[rings], axis=1, keepdims=True) * self._axes[rings]
        at[rings] = self._ends[rings, 0] + part * apart
        at[links], T[links] = self._spans(ends[links], links, part)
        sliding, rails = self._are(*AT_MOVER), self._are(RAIL)
        at[sliding] = ends[sliding, 1]
        at[rails] += self._travel[rails].mean(axis=1)[:, None] * axes[rails]
        t = _unit(T)
        Y, edges = _perpendicular(across, t), self._are(EDGE)
        Y[edges] = _unit(np.cross(axes[edges], t[edges]))  # their strips are along the normal of their plane
        length = r + part * self._gaps
        length[links] = self._coil[links, 1]
        return np.stack([at, T, length[:, None] * Y, length[:, None] * np.cross(t, Y)], axis=1)

    def _spans(self, ends: Array, links: Any, part: float) -> tuple[Array, Array]:
        """Return the first end of the links and the vector to the other end; a link to a ring starts at its rim."""
        a, b = ends[:, 0], ends[:, 1].copy()
        of_pair = [[self._rim(int(p), part) for p in pair] for pair in self.point[links]]
        rim = np.array(of_pair).reshape(-1, 2)
        loose = self.point[links, 1] == NOWHERE
        at_rest = np.array([self._rim(int(p), 0.0) for p in self.point[links, 0][loose]])
        far = (LOOSE * self.thickness.size + at_rest)[:, None]
        b[loose] = self._ends[links, 0][loose] - far * self._axes[links][loose]
        d = _unit(b - a)
        a, b = a + rim[:, :1] * d, b - rim[:, 1:] * d
        return a, b - a

    def _rim(self, point: int, part: float) -> float:
        """Return the outer radius of the ring on a point, m; zero without a ring."""
        if point < 0:
            return 0.0
        rings = np.flatnonzero(self._are(RING) & (self.point[:, 1] == point))
        return OUTER * max((float(self._sizes[i, 1] + part * self._gaps[i]) for i in rings), default=0.0)

    @property
    def _gaps(self) -> Array:
        """Clearances of rings, m; zero for the others."""
        return np.where(self._are(RING), self.layout.marks.size[:, 0], 0.0)

    @cached_property
    def _coil(self) -> Array:
        """Lengths and radii of links at rest, (m, 2), m; zero for the others."""
        links, out = self._are(*LINKS), np.zeros((len(self), 2))
        out[links, 0] = np.linalg.norm(self._spans(self._ends[links], links, 0.0)[1], axis=1)
        length, r = out[links, 0], COIL * self.thickness.size
        out[links, 1] = np.minimum(r, np.where(length > 0.0, 0.2 * length, r))
        out[self._are(EDGE), 1] = r
        return out

    @cached_property
    def _outward(self) -> Array:
        """Signs that direct the axes of clamps at the ends of a line away from it, (m,)."""
        out, cells, x = np.ones(len(self)), self.layout.cells, self.layout.points
        for k in np.flatnonzero(self._are(CLAMP)):
            i = self.point[k, 0]
            ways = [x[c[1]] - x[c[0]] if c[0] == i else x[c[0]] - x[c[1]] for c in cells[(cells == i).any(axis=1)]]
            if ways and self._axes[k] @ ways[0] > 0.0:
                out[k] = -1.0
        return out

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Drawn symbols, by colour and opacity."""
        found: dict[str, list[tuple[int, Shape]]] = {look: [] for look in LOOKS}
        for k in range(len(self)):
            for look, shape in self._shapes(k):
                found[look].append((k, shape))
        return {look: _part(own) for look, own in found.items() if own}

    def _shapes(self, k: int) -> list[tuple[str, Shape]]:
        """Return the shapes of mark k."""
        kind, sides, other = self.kinds[k], self.sides, self.point[k, 1]
        if kind in LINKS:
            if kind == EDGE:
                return [("links", shapes.rod()), ("rings", shapes.strip())]
            length, r = self._coil[k]
            wound = shapes.coil(int(np.clip(0.33 * length / r, 5, 16)))
            both = [wound, shapes.dashpot(16)]
            lines = {DAMPER: both[1:], SPRING: both[:1], SPRING_DAMPER: both, ROD: [shapes.rod()]}[kind]
            footed = other in (ON_GROUND, NOWHERE) and kind != ROD
            foot = [("supports", shapes.plate(1.0, 1.012, 1.25))] if footed else []
            return [*(("links", line) for line in lines), *foot]
        if kind == BEARING:
            feet = [shapes.pedestal()] if other == ON_GROUND else []
            return [("bearings", shapes.joined(shapes.ring(sides, 1.0, 1.75), *feet))]
        return {
            DISK: [("disks", shapes.disk(sides))],
            RING: [("rings", shapes.ring(sides))],
            CLAMP: [("supports", shapes.plate(0.0, 0.6))],
            PIN: [("supports", shapes.cone(sides // 2))],
            TORSION: [("links", shapes.spiral(sides // 2))],
        }.get(kind, joint_shapes(kind, self.point[k, 0] == ON_GROUND, sides))


def _part(own: list[tuple[int, Shape]]) -> Part:
    whole = shapes.joined(*(shape for _, shape in own))
    owner = np.repeat([k for k, _ in own], [len(shape.points) for _, shape in own])
    return Part(whole.points, owner, whole.faces, whole.lines)


def _perpendicular(y: Array, t: Array) -> Array:
    """Return unit vectors nearest to y and perpendicular to unit vectors t; arbitrary ones if y is parallel to t."""
    out = y - np.sum(y * t, axis=1, keepdims=True) * t
    for k in np.flatnonzero(np.linalg.norm(out, axis=1) < 1e-6):
        out[k] = tangents(t[k] if np.any(t[k]) else np.array([1.0, 0.0, 0.0]))[0]
    return _unit(out)


def _unit(vectors: Array) -> Array:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0.0, size, 1.0))
