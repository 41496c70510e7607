"""The motion of a run for ``viewer.js``: points, lines, surfaces, planes and impulses, in few frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.io.structure import unit
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.camera import Camera, look_at, upright
from flexmb.postproc.fields import ON_LINES, VECTORS
from flexmb.postproc.marks import LOOKS, DrawnMarks, Part
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.planes import ContactPlane, contact_planes, contact_radii, tangents
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.thickness import Thickness
from flexmb.result import Fields

MOST_FRAMES = 300
MOST_BYTES = 3_000_000
"""What the frames of all runs of a page may take, before base64."""
POINT_BYTES, LINE_BYTES, MARK_BYTES = 10, 6, 24
"""Of a point in a frame: three coordinates and two fields, two bytes each; of a line: three fields; of a mark: four
vectors."""
SIDES = 24
"""Corners of a drawn circle."""


@dataclass(frozen=True)
class Motion:
    """What is drawn.

    Parameters
    ----------
    opened : Opened
    states : (f,) int array
        The kept states that are shown.
    displacement, velocity : (f, n, 3) arrays
        m and m/s.
    impulse : (f, n, 3) array
        Contact impulses since the state shown before, N s.
    on_lines : mapping of str to (f, m) array
        What the colours of lines may mean, nan where it is not known.
    marks : (f, k, 4, 3) array
        Where disks, bearings, supports, springs and rings are, see ``DrawnMarks``.
    drawn : DrawnMarks
    """

    opened: Opened
    states: IntArray
    displacement: Array
    velocity: Array
    impulse: Array
    on_lines: dict[str, Array]
    marks: Array
    drawn: DrawnMarks

    @property
    def layout(self) -> Any:
        """Where the points are at the start."""
        return self.opened.result.layout

    @property
    def times(self) -> Array:
        """Of the frames, s."""
        return np.asarray(self.opened.result.fields.times[self.states])

    def spec(self, numbers: Numbers, label: str) -> dict[str, Any]:
        """Return what the page needs."""
        layout = self.layout
        positions = layout.points + self.displacement
        planes, notes = contact_planes(self.opened)
        quads = [self._quad(plane, positions, numbers) for plane in planes]
        normals = [plane.normal for plane in planes]
        up = self.drawn.up
        around = [part.corners(frames) for part in self.drawn.parts.values() for frames in self.marks]
        corners = [_box(np.concatenate([positions.reshape(-1, 3), *around])), *(quad["corners"] for quad in quads)]
        content = np.concatenate(corners)
        camera = look_at(content, up, normals)
        frame, point, vector = self._impulses()
        return {
            "label": label,
            "times": numbers.add(self.times),
            "points": numbers.add(layout.points),
            "moved": numbers.add_coarse(self.displacement),
            "fields": self._fields(numbers),
            "marks": self._marks(numbers),
            "lines": numbers.add_whole(layout.cells),
            "widths": numbers.add(layout.radius_of_cell),
            "balls": numbers.add_whole(self._balls()),
            "radii": numbers.add(self._radii()),
            "triangles": numbers.add_whole(layout.triangles),
            "bodies": numbers.add_whole(layout.body_of_point),
            "planes": [{key: value for key, value in quad.items() if key != "corners"} for quad in quads],
            "impulse": {
                "frame": numbers.add_whole(frame),
                "point": numbers.add_whole(point),
                "vector": numbers.add(vector),
                "rim": [self.drawn.rims.get(int(i), 0.0) for i in point],
            },
            "camera": _camera_spec(camera) | {"upright": up.tolist()},
            "scalable": self._small(),
            "coloured": len(layout.cells) + len(layout.vertices) > 0,
            "notes": [*notes, *self.drawn.notes],
        }

    def _small(self) -> bool:
        """Tell whether displacements are small, so that it makes sense to draw them larger."""
        size = float(np.linalg.norm(np.ptp(self.layout.points, axis=0)))
        return self.layout.carriers is None or float(np.abs(self.displacement).max()) < 0.1 * size

    def _fields(self, numbers: Numbers) -> list[dict[str, Any]]:
        """Return what colours may mean: magnitudes at the points, and what lines feel."""
        at_points = {"displacement": self.displacement, "velocity": self.velocity}
        out = [
            {"name": name, "values": numbers.add_coarse(np.linalg.norm(values, axis=2)), "lines": False}
            for name, values in at_points.items()
        ]
        for name, values in self.on_lines.items():
            known = np.isfinite(values).all(axis=0)
            # unknown values must not widen the range
            filled = np.where(known, values, values[:, known].min() if known.any() else 0.0)
            out.append({"name": name, "values": numbers.add_coarse(filled), "lines": True, "known": known.tolist()})
        for field in out:
            name = str(field["name"])
            words = name.replace("_", " ")
            field |= {"label": f"|{words}| [{unit(name)}]" if name in VECTORS else f"{words} [{unit(name)}]"}
            field |= {"name": words, "unit": unit(name)}
        return out

    def _marks(self, numbers: Numbers) -> dict[str, Any]:
        """Return disks, bearings, supports, springs and rings: their shapes, and how they move from where they rest."""
        count = len(self.drawn)
        return {
            "count": count,
            "rest": numbers.add(self.drawn.rest),
            "moved": numbers.add_coarse(self.marks - self.drawn.rest),
            "parts": [_part_spec(look, part, numbers) for look, part in self.drawn.parts.items()],
        }

    def _balls(self) -> IntArray:
        """Return the particles that nothing else stands for."""
        return np.array([i for i in self.layout.vertices.tolist() if i not in self.drawn.carried], dtype=np.int64)

    def _radii(self) -> Array:
        """Return the radii of particles, m; zero where none is known."""
        layout, known = self.layout, contact_radii(self.opened)
        own = dict(zip(layout.vertices.tolist(), layout.radius_of_vertex.tolist(), strict=False))
        named = {i: known.get(layout.bodies[layout.body_of_point[i]], 0.0) for i in layout.vertices.tolist()}
        return np.array([own.get(i, 0.0) or named[i] for i in self._balls().tolist()], dtype=np.float64)

    def _quad(self, plane: ContactPlane, positions: Array, numbers: Numbers) -> dict[str, Any]:
        """Return a piece of a plane that reaches under all that moves near it, and where it stands in every frame."""
        a, b = tangents(plane.normal)
        around = positions[:, plane.points].reshape(-1, 3)
        size = float(np.linalg.norm(np.ptp(positions.reshape(-1, 3), axis=0))) or 1.0
        foot = np.stack([around @ a, around @ b])
        low, high = foot.min(axis=1) - 0.12 * size, foot.max(axis=1) + 0.12 * size
        points = self.layout.points
        offsets = [
            plane.offset(float(t), points, moved, 1.0) for t, moved in zip(self.times, self.displacement, strict=True)
        ]
        spans = [p * a + q * b for p, q in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
        corners = [span + offset * plane.normal for span in spans for offset in (min(offsets), max(offsets))]
        return {
            "name": plane.name,
            "normal": plane.normal.tolist(),
            "spans": np.array(spans).tolist(),
            "offsets": numbers.add(np.array(offsets)),
            "foot": float(plane.normal @ points[plane.points[0]]) - plane.radius,
            "corners": np.array(corners),
        }

    def _impulses(self) -> tuple[Any, Any, Array]:
        """Return frame, point and vector of all impulses that are not zero."""
        frame, point = np.nonzero(np.any(self.impulse != 0.0, axis=2))
        return frame, point, self.impulse[frame, point]


def motion_of(opened: Opened, room: int) -> Motion:
    """Return the motion of a result in as many frames as there are, as are asked for, and as have room.

    Parameters
    ----------
    opened : Opened
    room : int
        Bytes.
    """
    fields = opened.result.fields
    count = len(fields)
    layout, forces = fields.maps.layout, bool(fields.maps.cell_names)
    size = POINT_BYTES * len(layout.points) + LINE_BYTES * len(layout.cells) * forces + MARK_BYTES * len(layout.marks)
    most = max(2, min(MOST_FRAMES, room // max(1, size)))
    states = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
    frames = [fields.frame(int(k)) for k in states]
    moved = np.array([frame["displacement"] for frame in frames])
    if not np.isfinite(moved).all():
        raise InputError("the motion is not a finite number")
    drawn = _drawn(opened, moved)
    return Motion(
        opened,
        states,
        moved,
        np.array([frame["velocity"] for frame in frames]),
        _impulse(fields, states),
        _on_lines(fields, states),
        np.array([drawn.frames(frame["displacement"], frame.get("rotation")) for frame in frames]),
        drawn,
    )


def _drawn(opened: Opened, moved: Array) -> DrawnMarks:
    """Return what is drawn beside bodies that move so, (f, n, 3)."""
    layout = opened.result.layout
    positions = (layout.points + moved).reshape(-1, 3)
    spread = np.ptp(positions, axis=0)
    normals = [plane.normal[None] for plane in contact_planes(opened)[0]]
    gravity = opened.case.get("gravity", {}).get("acceleration")
    up = upright(
        None if gravity is None else np.asarray(gravity, dtype=float), np.concatenate([spread[None], *normals])
    )
    thickness = Thickness(layout, float(np.linalg.norm(spread)) or 1.0, contact_radii(opened))
    return DrawnMarks(layout, thickness, up, SIDES)


def _on_lines(fields: Fields, states: IntArray) -> dict[str, Array]:
    """Return what lines feel in the states that are shown, (f, m) each: magnitudes of vectors."""
    names, m = [name for name in ON_LINES if name in fields.maps.cell_names], len(fields.maps.layout.cells)
    frames = [fields.cell_frame(int(k)) for k in states] if names else []
    out = {name: np.array([frame[name][:m] for frame in frames]) for name in names}
    return {name: np.linalg.norm(values, axis=2) if values.ndim > 2 else values for name, values in out.items()}


def _part_spec(look: str, part: Part, numbers: Numbers) -> dict[str, Any]:
    """Return the shapes of one look; polygons and lines are numbers of points with their counts before them."""
    faces, lines = (
        numbers.add_whole(np.concatenate([np.zeros(0), *(np.insert(own, 0, len(own)) for own in cells)]))
        for cells in (part.faces, part.lines)
    )
    where = {"points": numbers.add(part.points), "owner": numbers.add_whole(part.owner)}
    return {"look": look, "opacity": LOOKS[look][1], "faces": faces, "lines": lines, **where}


def _impulse(fields: Fields, states: IntArray) -> Array:
    """Return the impulses between the states that are shown, (f, n, 3); those of states left out are added."""
    n, width = len(fields.maps.layout.points), fields.maps.impulse.shape[1]
    if not width:
        return np.zeros((len(states), n, 3))
    sums = np.zeros((len(states), width))
    for row, (first, last) in enumerate(zip(np.concatenate([[-1], states[:-1]]), states, strict=True)):
        sums[row] = np.asarray(fields.impulse[first + 1 : last + 1]).sum(axis=0)
    return np.asarray(fields.maps.impulse @ sums.T).T.reshape(len(states), n, 3)


def _box(points: Array) -> Array:
    """Return the corners of the box around points, or the points themselves when they are few."""
    if len(points) <= 8:
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])


def _camera_spec(camera: Camera) -> dict[str, Any]:
    vectors = {name: getattr(camera, name).tolist() for name in ("right", "up", "out", "centre")}
    return vectors | {"half": camera.half.tolist()}
