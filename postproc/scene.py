"""A result as a scene: positions, colours and camera in any of its kept states."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.board import Board, Labels
from flexmb.postproc.camera import Camera, look_at, plane_of, upright
from flexmb.postproc.deformation import deformation, held_points
from flexmb.postproc.extent import Extent
from flexmb.postproc.field_range import coloured_values, field_range, round_off
from flexmb.postproc.fields import AT_POINTS, ON_LINES, ON_SOLIDS, VECTORS, signed
from flexmb.postproc.finite_states import LateCheck
from flexmb.postproc.glyphs import MOST as MOST_MARKS
from flexmb.postproc.glyphs import DrawnMarks
from flexmb.postproc.impulses import HEAD, LONGEST, ArrowScale, Impulses
from flexmb.postproc.instant import nearest
from flexmb.postproc.look import Look as Look
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.outline import outermost
from flexmb.postproc.planes import ContactPlane, contact_planes, contact_radii, points_under
from flexmb.postproc.slipping import Slipping
from flexmb.postproc.structure import Shapes
from flexmb.postproc.thickness import Thickness
from flexmb.record.io.glyph_ends import NOWHERE, glyph_ends, with_first_glyphs
from flexmb.record.io.structure import unit


class Scene:
    """Bodies, planes and charts of one result.

    Parameters
    ----------
    opened : Opened
    look : Look
    """

    def __init__(self, opened: Opened, look: Look) -> None:
        self.opened, self.result, self.fields = opened, opened.result, opened.result.fields
        self._checked = LateCheck(self.fields.q, self.fields.v)
        one = len(look.states) == 1  # for a picture of another state if this one cannot be drawn
        self.look = replace(look, states=np.array([self.finite(int(look.states[0]))])) if one else look
        self.times = self.fields.times
        self.planes, self.plane_notes = contact_planes(opened)
        self.room = Extent(self.fields, self.result.summary.get("status") == "complete", int(self.look.states[0]))
        self.label = ""
        self.common_arrows: ArrowScale | None = None
        self._first_field = look.field
        self._require(look.field)

    def _require(self, field: str) -> None:
        name = field.partition(".")[0]
        if name in ON_LINES and name not in self.fields.maps.cell_names:
            message = f"the result has no {name}: it has no bars or beams with sections"
            where = "" if self.result.folder is None else f"'{self.result.folder}'"
            raise InputError(f"{message}; allowed: {', '.join(AT_POINTS)}", where=where, key="field", value=field)

    @property
    def available(self) -> list[str]:
        """Names of the fields this result has, without components."""
        return [*AT_POINTS, *self.fields.maps.cell_names]

    def recolour(self, field: str) -> None:
        """Colour by another field."""
        self._require(field)
        self.look = replace(self.look, field=field)
        self.__dict__.pop("_range", None)

    def rescale(self, scale: float) -> None:
        """Magnify displacements by ``scale``; sections and symbols keep their size."""
        _ = self.thickness
        self.look = replace(self.look, scale=scale)
        for known in ("frames", "swept", "content"):
            self.__dict__.pop(known, None)

    def nearest(self, t: float) -> int:
        """Return the number of the drawable state nearest to a time."""
        return self.finite(nearest(self.times, t))

    def finite(self, k: int) -> int:
        """Return state k, or a neighbouring one if it is not finite."""
        return self._checked.finite(k)

    def frame(self, k: int) -> dict[str, Array]:
        """Return the vectors at the points in state k and, if needed for colours, the values of the lines."""
        frame = self.fields.frame(k)
        if not all(np.isfinite(values).all() for values in frame.values()):
            at = f"the state at t = {self.times[k]:.6g} s"
            raise InputError(f"{at} has values that are not finite: the run or its file is damaged")
        if not self.on_lines:
            return frame
        lines = len(self.fields.maps.layout.cells)
        return frame | {name: values[:lines] for name, values in self.fields.cell_frame(k).items()}

    @property
    def on_lines(self) -> bool:
        """Whether the colours are values on lines, not at points."""
        return self.look.field.partition(".")[0] in ON_LINES

    def values(self, frame: dict[str, Array]) -> Array:
        """Return the values for the colours of points or lines: a magnitude, or a signed number."""
        return coloured_values(self.look.field, frame[self.look.field.partition(".")[0]])

    @property
    def small(self) -> Any:
        """Which points have small displacements, which are magnified as a whole, (n,) bool.

        Of bodies that move far only the deformation is drawn larger.
        """
        return self.room.small

    def positions(self, frame: dict[str, Array]) -> Array:
        """Return the drawn positions of the points, (n, 3), m."""
        moved, scale, small = frame["displacement"], self.look.scale, self.small
        out = np.asarray(self.reference + np.where(small[:, None], scale * moved, moved))
        if scale != 1.0 and not small.all():
            body = self.fields.maps.layout.body_of_point[~small]
            held = held_points(self.fields.maps)[~small]
            out[~small] += (scale - 1.0) * deformation(self.reference[~small], out[~small], body, held)
        return out

    def rotations(self, frame: dict[str, Array]) -> Array | None:
        """Return the drawn rotation vectors of the sections; magnified only if small."""
        turns = frame.get("rotation")
        return turns if turns is None else np.where(self.small[:, None], self.look.scale * turns, turns)

    def surface(self, frame: dict[str, Array]) -> Array:
        """Return the drawn corners of lines and particles, (j, 3), m."""
        return self.shapes.surface.corners(self.positions(frame), self.fields.maps.sides(self.rotations(frame)))[0]

    @property
    def reference(self) -> Array:
        """Positions at rest, (n, 3), m."""
        return np.asarray(self.fields.maps.layout.points)

    @cached_property
    def frames(self) -> list[tuple[float, dict[str, Array]]]:
        """The states that determine the region, with their times: a selection, and those of extreme displacements."""
        states = sorted({self.finite(int(k)) for k in self.room.telling(self.look.scale)})
        return [(float(self.times[k]), self.frame(k)) for k in states]

    @cached_property
    def swept(self) -> Array:
        """Corners of the region of all bodies, planes and symbols, (k, 3), m."""
        clouds = [outermost(self.reference), *(outermost(self.positions(frame)) for _, frame in self.frames)]
        for plane in self.planes:
            clouds += [self._feet(plane, t, frame) for t, frame in self.frames]
        return np.concatenate([*clouds, *(self._ends_of_marks(frame) for _, frame in self.frames)])

    def _ends_of_marks(self, frame: dict[str, Array]) -> Array:
        """Return the ends of springs, joints, supports and other symbols in a state, (k, 3), m."""
        layout = with_first_glyphs(self.fields.maps.layout, MOST_MARKS)
        scale = np.where(self._grow(layout.marks.point), self.look.scale, 1.0)[:, None, None]
        rest, now = glyph_ends(layout), glyph_ends(layout, frame["displacement"], frame.get("rotation"))
        return np.asarray((rest + scale * (now - rest))[layout.marks.point != NOWHERE])

    @cached_property
    def shapes(self) -> Shapes:
        """Layout of the bodies."""
        return Shapes(self.fields.maps, self.thickness, self.marks.carried, self.marks.rims)

    @cached_property
    def thickness(self) -> Thickness:
        """Drawn thickness of the bodies."""
        size = float(np.linalg.norm(self.swept.max(axis=0) - self.swept.min(axis=0)))
        return Thickness(self.fields.maps.layout, size if size > 0.0 else 1.0, contact_radii(self.opened))

    @cached_property
    def marks(self) -> DrawnMarks:
        """Symbols drawn in addition to the bodies."""
        states = [(frame["displacement"], frame.get("rotation")) for _, frame in self.frames]
        return DrawnMarks(self.fields.maps.layout, self.thickness, self.up, states=states)

    def mark_frames(self, frame: dict[str, Array]) -> Array:
        """Return the positions of the marks in a state, see ``DrawnMarks.frames``."""
        scale = np.where(self.growing(self.marks), self.look.scale, 1.0)
        return self.marks.frames(frame["displacement"], frame.get("rotation"), scale)

    def growing(self, marks: DrawnMarks) -> Any:
        """Return which marks have magnified displacements, (m,) bool: those of such points or of the ground."""
        return self._grow(marks.point)

    def _grow(self, points: Any) -> Any:
        ends = np.append(self.small, True)[np.maximum(points, -1)]  # the last is the ground
        return ends.all(axis=1)

    @property
    def camera(self) -> Camera:
        """The camera of the scene."""
        return look_at(self.content, self.up, [plane.normal for plane in self.planes], self.square)

    @cached_property
    def up(self) -> Array:
        """The vertical direction of the picture."""
        gravity = self.opened.case.get("gravity", {}).get("acceleration")
        return upright(None if gravity is None else np.asarray(gravity, dtype=float), self.ways)

    @property
    def square(self) -> Array | None:
        """The viewing direction if everything moves in a plane, else None."""
        rotors = any(body.get("kind") == "rotor" for body in self.opened.case.get("bodies", {}).values())
        if (
            self.fields.maps.layout.carriers is None or rotors
        ):  # a shaft whirls across its axis, and is seen from the side
            return None
        return plane_of(self.ways, self.up)

    @cached_property
    def ways(self) -> Array:
        """Directions of motions and normals of planes, (k, 3)."""
        return np.concatenate([self._ways(), *(p.normal[None] * self.thickness.size for p in self.planes)])

    @cached_property
    def content(self) -> Array:
        """Points that must be visible, (k, 3), m."""
        slabs = [np.asarray(self.slab(p, t, frame).points) for p in self.planes for t, frame in self.frames]
        layout = self.fields.maps.layout
        radius = np.array([self.shapes.radius(int(b)) for b in range(len(layout.bodies))])
        around = [outermost(self.swept) + sign * radius.max() * self.up for sign in (1, -1)]
        balls = self.shapes.vertices
        places = [self.reference, *(self.positions(frame) for _, frame in self.frames)] if len(balls) else []
        for at in places:
            sizes = radius[layout.body_of_point[balls]]
            for size in np.unique(sizes):
                out = outermost(at[balls[sizes == size]])
                around += [out + sign * size * axis for axis in np.eye(3) for sign in (1, -1)]
        if self.impulses.largest > 0.0:
            # arrows are behind the planes, and outside rings
            longest = LONGEST * self.arrows.size
            slabs.append(self.marks.beyond_rings(longest))
            for plane in self.planes:
                feet = outermost(np.concatenate([self._feet(plane, t, frame) for t, frame in self.frames]))
                tails = feet - (longest + self.reach[plane.name]) * plane.normal
                slabs += [tails + sign * HEAD * longest * axis for axis in np.eye(3) for sign in (1, -1)]
        parts = self.marks.parts.values() if len(self.marks) else []
        places_of_marks = [self.mark_frames(frame) for _, frame in self.frames] if parts else []
        marks = [part.corners(places) for part in parts for places in places_of_marks]
        return np.concatenate([*around, *slabs, *marks])

    def _ways(self) -> Array:
        """Return the directions of all motion, (k, 3): a thick mechanism in planar motion counts as planar.

        The directions of lines are included: a shaft whirls in planes normal to it, but is not planar.
        """
        layout = self.fields.maps.layout
        if layout.carriers is not None:
            moved = np.concatenate([outermost(frame[name]) for name in AT_POINTS for _, frame in self.frames])
            if np.any(moved):
                return np.concatenate([moved, np.diff(self.reference[layout.cells], axis=1)[:, 0]])
        return np.asarray(self.swept - self.swept.mean(axis=0))

    @property
    def on_solids(self) -> bool:
        """Whether bodies with surfaces are coloured by the field; else each has its own colour."""
        return self.look.field.partition(".")[0] in ON_SOLIDS

    @property
    def coloured(self) -> Any:
        """Numbers of the points that are coloured by the field, (k,)."""
        solid = np.unique(self.fields.maps.layout.triangles) if self.on_solids else np.zeros(0, dtype=np.int64)
        return np.union1d(self.shapes.coloured, solid)

    @cached_property
    def _range(self) -> tuple[float, float, int]:
        return field_range(self.fields, self.look.field, self.look.states, self.coloured)

    @property
    def signed(self) -> bool:
        """Whether the field is signed, with a colour map centred at zero; not if other ends are requested."""
        ends = self.look.ends if self._ends_given else None
        return signed(self.look.field) and (ends is None or ends[0] == -ends[1])

    @property
    def _ends_given(self) -> bool:
        """Whether the ends of the colours were requested, which are those of the requested field."""
        return self.look.ends is not None and self.look.field == self._first_field

    @property
    def limits(self) -> tuple[float, float]:
        """Values at the ends of the colour map; for a constant field zero is the other end."""
        if self._ends_given:
            assert self.look.ends is not None
            return self.look.ends
        low, high, _ = self._range
        if low > high:
            return 0.0, 1.0
        if self.signed:  # zero is the centre of the colours
            noise = round_off(self.fields, self.look.field, self.coloured)
            most = max(abs(low), abs(high), noise) or 1.0
            return -most, most
        if high - low > 1e-6 * max(abs(low), abs(high)):
            return low, high
        return (min(low, 0.0), max(high, 0.0)) if max(abs(low), abs(high)) > 0.0 else (0.0, 1.0)

    @cached_property
    def impulses(self) -> Impulses:
        """Impulses of contacts on the points."""
        return Impulses(self.fields)

    @property
    def arrows(self) -> ArrowScale:
        """Scale of arrows: common to neighbouring scenes."""
        return self.common_arrows or ArrowScale(
            self.impulses.largest, self.impulses.room(self.thickness.size), self.slipping.any
        )

    @cached_property
    def slipping(self) -> Slipping:
        """Which of the points that contacts push slip."""
        return Slipping(self.result, self.impulses.points)

    def board(
        self, size: tuple[int, int], keys: str = "", limits: tuple[float, float] | None = None, aspect: float = 0.0
    ) -> Board:
        """Return title, colour bar, charts and the keys of a window of this size; by default with its own limits."""
        name, _, component = self.look.field.partition(".")
        plain = name.replace("_", " ")
        words = f"{plain}, {component}" if component else f"|{plain}|" if name in VECTORS else plain
        field = f"{words} [{unit(name)}]" if len(self.coloured) else ""
        limits = self.limits if limits is None else limits
        labels = Labels(field, limits, self.notes, keys, name=self.label, signed=self.signed)
        return Board(self.opened, labels, size, aspect or self.camera.aspect)

    @property
    def enlarged(self) -> str:
        """Description of the quantity that the factor magnifies."""
        both = "small displacements and deformations" if self.small.any() else "deformations"
        return "displacements" if self.small.all() else both

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the limits of the picture."""
        drawn = []
        if self.look.scale != 1.0:
            drawn.append(f"{self.enlarged} drawn × {self.look.scale:g}")
        if len(self.fields.maps.layout.cells) and abs(self.thickness.enlarged - 1.0) > 1e-9:
            drawn.append(f"sections drawn × {self.thickness.enlarged:.3g}")
        drawn += self.room.notes
        if bad := len(self._checked.left_out):
            drawn.append(f"{bad} states are not finite; adjacent ones are shown instead")
        every = len(self.look.states)
        if not self._ends_given and (looked_at := self._range[2]) < every:
            drawn.append(f"colors span {looked_at} of {every} states")
        return (*self.opened.notes, *self.plane_notes, *self.marks.notes, *drawn)

    def _feet(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> Array:
        """Return the projections of a plane's points on it, (k, 3), m; for a solid of all its points, drawn or not."""
        own = outermost(self.positions(frame)[self._under[plane.name]])
        offset = self._offset(plane, t, frame)
        return np.asarray(own - np.outer(own @ plane.normal - offset, plane.normal))

    def _offset(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> float:
        """Return n.x of a plane at a time, m; it moves with magnified displacements of the bodies that touch it."""
        scale = self.look.scale if self.small[plane.points[0]] else 1.0
        return plane.offset(t, self.reference, frame["displacement"], scale)

    @cached_property
    def reach(self) -> dict[str, float]:
        """Distance by which bodies in contact extend beyond their nodes towards a plane, m, by the plane's name.

        Contacts are at nodes, on the centre line. The plane is drawn this much further away, so that what touches
        is the surface: nothing for a bar that meets a wall head-on, half the height for a beam along a floor, the
        radius for a ball; nothing either for a body of surfaces, and where the contact itself knows of a radius.
        The point nearest to the plane in the whole run determines it, so that the drawn plane does not move.
        """
        out = {}
        for plane in self.planes:
            t, i = plane.closest
            frame = self.frame(self.nearest(t))
            places, surface = self.positions(frame), self.surface(frame)
            solid = i not in self.shapes.coloured or plane.radius > 0.0
            out[plane.name] = 0.0 if solid else self.shapes.stand_out(i, plane.normal, places, surface)
        return out

    @cached_property
    def _under(self) -> dict[str, Any]:
        return points_under(self.planes, self.fields.maps.layout)

    def slab(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> Any:
        """Return the slab of a plane at a time."""
        offset = self._offset(plane, t, frame) - self.reach[plane.name]
        feet = self._feet(plane, t, frame) if plane.rest is None else self._way[plane.name]
        return self.shapes.slab(plane, offset, feet)

    @cached_property
    def _way(self) -> dict[str, Array]:
        """Projections on fixed planes of their points at all times, (k, 3), m: such a plane does not follow them."""
        still = [plane for plane in self.planes if plane.rest is not None]
        return {
            plane.name: outermost(np.concatenate([self._feet(plane, t, frame) for t, frame in self.frames]))
            for plane in still
        }
