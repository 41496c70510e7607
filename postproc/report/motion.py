"""The motion of a run for ``viewer.js``: points, lines, surfaces, planes and impulses, in few frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.camera import Camera, look_at, upright
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.planes import ContactPlane, contact_planes, contact_radii, tangents
from flexmb.postproc.report.numbers import Numbers
from flexmb.result import Fields

MOST_FRAMES = 300
MOST_BYTES = 3_000_000
"""What the frames of all runs of a page may take, before base64."""
BYTES = 10
"""Of a point in a frame: three coordinates and two fields, two bytes each."""


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
    """

    opened: Opened
    states: IntArray
    displacement: Array
    velocity: Array
    impulse: Array

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
        up = self._up(positions, normals)
        content = np.concatenate([_box(positions.reshape(-1, 3)), *(quad["corners"] for quad in quads)])
        camera = look_at(content, up, normals)
        fields = [("displacement", "m", self.displacement), ("velocity", "m/s", self.velocity)]
        frame, point, vector = self._impulses()
        return {
            "label": label,
            "times": numbers.add(self.times),
            "points": numbers.add(layout.points),
            "moved": numbers.add_coarse(self.displacement),
            "fields": [
                {"name": name, "unit": unit, "values": numbers.add_coarse(np.linalg.norm(values, axis=2))}
                for name, unit, values in fields
            ],
            "lines": numbers.add_whole(layout.cells),
            "widths": numbers.add(layout.radius_of_cell),
            "balls": numbers.add_whole(layout.vertices),
            "radii": numbers.add(self._radii()),
            "triangles": numbers.add_whole(layout.triangles),
            "bodies": numbers.add_whole(layout.body_of_point),
            "planes": [{key: value for key, value in quad.items() if key != "corners"} for quad in quads],
            "impulse": {
                "frame": numbers.add_whole(frame),
                "point": numbers.add_whole(point),
                "vector": numbers.add(vector),
            },
            "camera": _camera_spec(camera) | {"upright": up.tolist()},
            "scalable": self._small(),
            "coloured": len(layout.cells) + len(layout.vertices) > 0,
            "notes": notes,
        }

    def _small(self) -> bool:
        """Tell whether displacements are small, so that it makes sense to draw them larger."""
        size = float(np.linalg.norm(np.ptp(self.layout.points, axis=0)))
        return self.layout.carriers is None or float(np.abs(self.displacement).max()) < 0.1 * size

    def _radii(self) -> Array:
        """Return the radii of particles, m; zero where none is known."""
        layout, known = self.layout, contact_radii(self.opened)
        own = layout.radius_of_vertex if len(layout.radius_of_vertex) else np.zeros(len(layout.vertices))
        named = [known.get(layout.bodies[layout.body_of_point[i]], 0.0) for i in layout.vertices]
        return np.where(own > 0.0, own, np.asarray(named, dtype=np.float64).reshape(len(own)))

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

    def _up(self, positions: Array, normals: list[Array]) -> Array:
        gravity = self.opened.case.get("gravity", {}).get("acceleration")
        directions = np.concatenate([np.ptp(positions.reshape(-1, 3), axis=0)[None], *(n[None] for n in normals)])
        return upright(None if gravity is None else np.asarray(gravity, dtype=float), directions)

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
    most = max(2, min(MOST_FRAMES, room // (BYTES * max(1, len(fields.maps.layout.points)))))
    states = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
    moved, speed = [], []
    for k in states:
        frame = fields.frame(int(k))
        moved.append(frame["displacement"])
        speed.append(frame["velocity"])
    motion = Motion(opened, states, np.array(moved), np.array(speed), _impulse(fields, states))
    if not np.isfinite(motion.displacement).all():
        raise InputError("the motion is not a finite number")
    return motion


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
