"""The motion of a run for ``viewer.js``, in few frames: the objects of the viewer scene as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.camera import Camera
from flexmb.postproc.deformation import deformation, held_points
from flexmb.postproc.extent import last_tame
from flexmb.postproc.field_range import coloured_values
from flexmb.postproc.fields import ON_LINES, ON_SOLIDS, VECTORS
from flexmb.postproc.finite_states import SomeStates
from flexmb.postproc.glyphs import LOOKS, DrawnMarks, Part
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.planes import ContactPlane, tangents
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.scene import Look, Scene
from flexmb.record.io.structure import unit
from flexmb.record.result import Result

MOST_FRAMES = 300
MOST_BYTES = 3_000_000
"""Maximum size of the frames of all runs of a page, before base64 encoding."""
POINT_BYTES, GROWN_BYTES, LINE_BYTES, SIDE_BYTES, MARK_BYTES = 10, 6, 6, 6, 24
"""Of a point in a frame: three coordinates and two fields, two bytes each; what of them grows when it is drawn larger;
of a line: three fields; how a rectangle is turned; of a mark: four vectors."""
SIDES = 24
"""Number of corners of a drawn circle."""


@dataclass(frozen=True)
class Motion:
    """The objects that are drawn.

    Parameters
    ----------
    scene : Scene
    states : (f,) int array
        The kept states that are shown.
    frames : list of dict
        Vectors at the points in these states.
    notes : tuple of str
        Omissions.
    """

    scene: Scene
    states: IntArray
    frames: list[dict[str, Array]]
    notes: tuple[str, ...] = ()

    @property
    def layout(self) -> Any:
        """Positions of the points at the start."""
        return self.scene.fields.maps.layout

    @property
    def times(self) -> Array:
        """Times of the frames, s."""
        return np.asarray(self.scene.times[self.states])

    @cached_property
    def displacement(self) -> Array:
        """Displacements of the points, (f, n, 3), m."""
        return np.array([frame["displacement"] for frame in self.frames])

    @cached_property
    def grown(self) -> Array:
        """Magnified part of the displacements, (f, n, 3), m: of bodies in large motion only their deformation."""
        far = ~self.scene.small
        out = self.displacement.copy()
        held = held_points(self.scene.fields.maps)[far]
        for moved in out if far.any() else []:
            own = self.layout.points[far]
            moved[far] = deformation(own, own + moved[far], self.layout.body_of_point[far], held)
        size = self.scene.thickness.size
        return np.where(np.abs(out).max(axis=(0, 2), initial=0.0)[:, None] > 1e-9 * size, out, 0.0)

    @cached_property
    def drawn(self) -> DrawnMarks:
        """Symbols drawn in addition to the bodies."""
        states = [(frame["displacement"], frame.get("rotation")) for frame in self.frames]
        return DrawnMarks(self.layout, self.scene.thickness, self.scene.up, SIDES, states)

    def spec(
        self, numbers: Numbers, label: str, camera: Camera, limits: Mapping[str, tuple[float, float]]
    ) -> dict[str, Any]:
        """Return the data for the page.

        Parameters
        ----------
        numbers : Numbers
        label : str
        camera : Camera
        limits : mapping of str to tuple of float
            The fields to colour by, with the values at the ends of the colours.
        """
        layout, scene = self.layout, self.scene
        balls = scene.shapes.vertices
        far = not scene.small.all()
        return {
            "label": label,
            "times": numbers.add(self.times),
            "points": numbers.add_single(layout.points),
            "moved": numbers.add_coarse(self.displacement),
            "grown": numbers.add_coarse(self.grown) if far and self.grown.any() else None,
            "fields": [self._field(name, limits[name], numbers) for name in limits],
            "marks": self._marks(numbers),
            "lines": numbers.add_whole(layout.cells),
            **self._outlines(numbers),
            "balls": numbers.add_whole(balls),
            "radii": numbers.add_single([scene.thickness.radius(int(b)) for b in layout.body_of_point[balls]]),
            "triangles": numbers.add_whole(layout.triangles),
            "bodies": numbers.add_whole(layout.body_of_point),
            "planes": [self._plane(plane, numbers) for plane in scene.planes],
            "impulse": self._impulses(numbers),
            "camera": _camera_spec(camera) | {"upright": scene.up.tolist()},
            "scalable": bool(self.grown.any()),
            "enlarged": scene.enlarged,
        }

    def _field(self, name: str, limits: tuple[float, float], numbers: Numbers) -> dict[str, Any]:
        """Return the data of a field for colours: a magnitude at the points, or a quantity on lines."""
        self.scene.recolour(name)
        words = name.replace("_", " ")
        sized = f"|{words}|" if name in VECTORS else words
        out: dict[str, Any] = {"name": words, "label": f"{sized} [{unit(name)}]"}
        out |= {"limits": list(limits), "lines": name in ON_LINES, "solids": name in ON_SOLIDS}
        out |= {"coloured": len(self.scene.coloured) > 0}
        if name not in ON_LINES:
            return out | {"values": numbers.add_coarse(np.linalg.norm([f[name] for f in self.frames], axis=2))}
        values = coloured_values(name, np.array([own[name][: len(self.layout.cells)] for own in self._on_lines]))
        known = np.isfinite(values).all(axis=0)
        return out | {"values": numbers.add_coarse(np.where(known, values, limits[0])), "known": known.tolist()}

    @cached_property
    def _on_lines(self) -> list[dict[str, Array]]:
        return [self.scene.fields.cell_frame(int(k)) for k in self.states]

    def _outlines(self, numbers: Numbers) -> dict[str, Any]:
        """Return the sections of lines as drawn, and the rotations of rectangles in every frame."""
        is_round, size = self.scene.shapes.outlines
        sides = [self.scene.fields.maps.sides(frame.get("rotation")).mean(axis=1) for frame in self.frames]
        return {
            "round": is_round.tolist(),
            "sizes": numbers.add_single(size),
            "sides": None if is_round.all() else numbers.add_coarse(np.array(sides)),
        }

    def _marks(self, numbers: Numbers) -> dict[str, Any]:
        """Return disks, bearings, supports, springs and rings: their shapes, and their motion from rest."""
        drawn = self.drawn
        moved = [drawn.frames(frame["displacement"], frame.get("rotation")) - drawn.rest for frame in self.frames]
        return {
            "count": len(drawn),
            "rest": numbers.add_single(drawn.rest),
            "moved": numbers.add_coarse(np.array(moved)),
            "grow": self.scene.growing(drawn).tolist(),
            "parts": [_part_spec(look, part, numbers) for look, part in drawn.parts.items()],
        }

    def _plane(self, plane: ContactPlane, numbers: Numbers) -> dict[str, Any]:
        """Return a part of a plane that extends under everything moving near it, and its position in every frame."""
        a, b = tangents(plane.normal)
        points, size = self.layout.points, self.scene.thickness.size
        around = (points + self.displacement)[:, plane.points].reshape(-1, 3)
        foot = np.stack([around @ a, around @ b])
        low, high = foot.min(axis=1) - 0.12 * size, foot.max(axis=1) + 0.12 * size
        corners = ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
        pairs = zip(self.times, self.displacement, strict=True)
        return {
            "name": plane.name,
            "normal": plane.normal.tolist(),
            "spans": [(p * a + q * b).tolist() for p, q in corners],
            "offsets": numbers.add_single([plane.offset(float(t), points, moved, 1.0) for t, moved in pairs]),
            "foot": float(plane.normal @ points[plane.points[0]]) - plane.radius,
            "grows": bool(self.scene.small[plane.points[0]]),
            "reach": self.scene.reach[plane.name],
        }

    def _impulses(self, numbers: Numbers) -> dict[str, Any]:
        """Return the arrows: largest impulses since the previous frame, their lengths and offsets from the points."""
        scene, found = self.scene, []
        for f, (first, last) in enumerate(zip([-1, *self.states[:-1]], self.states, strict=True)):
            vectors = scene.impulses.strongest(int(first) + 1, int(last))
            size = np.linalg.norm(vectors, axis=1)
            acting = np.flatnonzero(size > 1e-9 * scene.arrows.largest)
            if not len(acting):
                continue
            slips = scene.slipping.between(int(first) + 1, int(last))
            places, surface = scene.positions(self.frames[f]), scene.surface(self.frames[f])
            for j in acting:
                i, direction = int(scene.impulses.points[j]), vectors[j] / size[j]
                stand_out = scene.shapes.stand_out(i, direction, places, surface)
                found.append((f, i, vectors[j], scene.arrows.length(float(size[j])), stand_out, int(slips[j])))
        frame, point, vector, length, out, slip = zip(*found, strict=True) if found else ((), (), (), (), (), ())
        return {
            "frame": numbers.add_whole(frame),
            "point": numbers.add_whole(point),
            "vector": numbers.add_single(vector),
            "length": numbers.add_single(length),
            "out": numbers.add_single(out),
            "slips": numbers.add_whole(slip),
        }


def motion_of(opened: Opened, room: int) -> Motion:
    """Return the motion of a result in as many frames as are available, requested, and fit into the size limit.

    Parameters
    ----------
    opened : Opened
    room : int
        Bytes.
    """
    opened, notes = _within_bounds(opened)
    fields = opened.result.fields
    layout = fields.maps.layout
    size = POINT_BYTES * len(layout.points) + MARK_BYTES * len(layout.marks)
    size += GROWN_BYTES * len(layout.points) * (layout.carriers is not None)
    size += (LINE_BYTES * bool(fields.maps.cell_names) + SIDE_BYTES * (layout.sections is not None)) * len(layout.cells)
    states = _spread(len(fields), max(2, min(MOST_FRAMES, room // max(1, size))))
    scene = Scene(opened, Look("displacement", 1.0, states))
    return Motion(scene, states, [scene.frame(int(k)) for k in states], notes)


def _within_bounds(opened: Opened) -> tuple[Opened, tuple[str, ...]]:
    """Return a diverged result without the states that are too large to draw, and a note about it."""
    result = opened.result
    if result.summary.get("status") == "complete":
        return opened, ()
    fields = result.fields
    last = last_tame(fields)
    if last == len(fields) - 1:
        return opened, ()
    tree = SomeStates(result.tree, np.arange(len(fields)) <= last)
    note = f"the motion is drawn up to t = {fields.times[last]:.4g} s: after that it is too large"
    return replace(opened, result=Result(tree, result.summary, result.case_text, result.folder)), (note,)


def _spread(count: int, most: int) -> IntArray:
    """Return at most a given number of the first states, evenly distributed."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _part_spec(look: str, part: Part, numbers: Numbers) -> dict[str, Any]:
    """Return the shapes of one look; polygons and lines are numbers of points with their counts before them."""
    faces, lines = (
        numbers.add_whole(np.concatenate([np.zeros(0), *(np.insert(own, 0, len(own)) for own in cells)]))
        for cells in (part.faces, part.lines)
    )
    where = {"points": numbers.add_single(part.points), "owner": numbers.add_whole(part.owner)}
    return {"look": look, "opacity": LOOKS[look][1], "faces": faces, "lines": lines, **where}


def _camera_spec(camera: Camera) -> dict[str, Any]:
    vectors = {name: getattr(camera, name).tolist() for name in ("right", "up", "out", "centre")}
    return vectors | {"half": camera.half.tolist()}
