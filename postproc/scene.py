"""A result as a scene: where things are, what colours they have and from where to look, in any of its kept states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.io.structure import unit
from flexmb.postproc.arrays import Array
from flexmb.postproc.board import Board, Labels
from flexmb.postproc.camera import Camera, look_at, plane_of, upright
from flexmb.postproc.fields import AT_POINTS, ON_LINES, VECTORS
from flexmb.postproc.impulses import LONGEST, Impulses
from flexmb.postproc.marks import DrawnMarks
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.planes import ContactPlane, contact_planes, contact_radii
from flexmb.postproc.structure import Shapes
from flexmb.postproc.thickness import Thickness

SWEEP = 60
"""At most so many states are looked at to find the room a motion takes."""


@dataclass(frozen=True)
class Look:
    """How to look at a result.

    Parameters
    ----------
    field : str
        One of ``FIELDS``.
    scale : float
        Factor on displacements.
    states : (k,) int array
        The states that will be shown: they set the room to be seen and the range of the colours.
    """

    field: str
    scale: float
    states: Any


class Scene:
    """Bodies, planes and charts of one result.

    Parameters
    ----------
    opened : Opened
    look : Look
    """

    def __init__(self, opened: Opened, look: Look) -> None:
        self.opened, self.look = opened, look
        self.result, self.fields = opened.result, opened.result.fields
        self.times = self.fields.times
        self.planes, self.plane_notes = contact_planes(opened)
        self.label = ""
        self._require(look.field)

    @property
    def name(self) -> str:
        """Name of the folder."""
        return "" if self.result.folder is None else self.result.folder.name

    def _require(self, field: str) -> None:
        name = field.partition(".")[0]
        if name in ON_LINES and name not in self.fields.maps.cell_names:
            message = f"the result has no {name}: it has no bars or beams, or was written before these were kept"
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
        self.__dict__.pop("frames", None)
        self.__dict__.pop("limits", None)

    def rescale(self, scale: float) -> None:
        """Draw displacements ``scale`` times as large; the camera stays."""
        self.look = replace(self.look, scale=scale)

    def nearest(self, t: float) -> int:
        """Return the number of the state nearest to a time."""
        k = int(np.searchsorted(self.times, t))
        near = [i for i in (k - 1, k) if 0 <= i < len(self.times)]
        return min(near, key=lambda i: abs(float(self.times[i]) - t))

    def frame(self, k: int) -> dict[str, Array]:
        """Return the vectors at the points in state k and, when the colours need them, the values of the lines."""
        frame = self.fields.frame(k)
        if not all(np.isfinite(values).all() for values in frame.values()):
            at = f"the state at t = {self.times[k]:.6g} s"
            raise InputError(f"{at} has values that are no finite numbers: the run or its file is damaged")
        if not self.on_lines:
            return frame
        lines = len(self.fields.maps.layout.cells)
        return frame | {name: values[:lines] for name, values in self.fields.cell_frame(k).items()}

    @property
    def on_lines(self) -> bool:
        """Whether the colours belong to lines, not to points."""
        return self.look.field.partition(".")[0] in ON_LINES

    def values(self, frame: dict[str, Array]) -> Array:
        """Return what points or lines are coloured by: a magnitude, or a number with its sign."""
        name, _, component = self.look.field.partition(".")
        values = frame[name]
        if values.ndim == 1:
            return values
        return values[:, "xyz".index(component)] if component else np.asarray(np.linalg.norm(values, axis=1))

    def positions(self, frame: dict[str, Array]) -> Array:
        """Return where the points are drawn, (n, 3), m."""
        return np.asarray(self.reference + self.look.scale * frame["displacement"])

    def rotations(self, frame: dict[str, Array]) -> Array | None:
        """Return the rotation vectors the sections are drawn with; enlarged only where they are small."""
        turns = frame.get("rotation")
        small = self.fields.maps.layout.carriers is None
        return turns if turns is None or not small else self.look.scale * turns

    @property
    def reference(self) -> Array:
        """Positions at rest, (n, 3), m."""
        return np.asarray(self.fields.maps.layout.points)

    @cached_property
    def frames(self) -> list[tuple[float, dict[str, Array]]]:
        """The states that set room and colours, with their times; at most ``SWEEP`` of them."""
        states = self.look.states
        some = np.unique(np.linspace(0, len(states) - 1, min(SWEEP, len(states))).astype(np.int64))
        return [(float(self.times[states[k]]), self.frame(int(states[k]))) for k in some]

    @cached_property
    def swept(self) -> Array:
        """Corners of all that bodies and planes reach, (k, 3), m."""
        clouds = [self.reference, *(self.positions(frame) for _, frame in self.frames)]
        for plane in self.planes:
            clouds += [self._feet(plane, t, frame) for t, frame in self.frames]
        return np.concatenate(clouds)

    @cached_property
    def shapes(self) -> Shapes:
        """How the bodies are drawn."""
        return Shapes(self.fields.maps, self.thickness, self.marks.carried, self.marks.rims)

    @cached_property
    def thickness(self) -> Thickness:
        """How thick the bodies are drawn."""
        size = float(np.linalg.norm(self.swept.max(axis=0) - self.swept.min(axis=0)))
        return Thickness(self.fields.maps.layout, size if size > 0.0 else 1.0, contact_radii(self.opened))

    @cached_property
    def marks(self) -> DrawnMarks:
        """What is drawn beside the bodies."""
        return DrawnMarks(self.fields.maps.layout, self.thickness, self.up)

    def mark_frames(self, frame: dict[str, Array]) -> Array:
        """Return where the marks are in a state, see ``DrawnMarks.frames``."""
        return self.marks.frames(frame["displacement"], frame.get("rotation"), self.look.scale)

    @property
    def camera(self) -> Camera:
        """From where to look."""
        return look_at(self.content, self.up, [plane.normal for plane in self.planes], self.square)

    @cached_property
    def up(self) -> Array:
        """What is up in the picture."""
        gravity = self.opened.case.get("gravity", {}).get("acceleration")
        return upright(None if gravity is None else np.asarray(gravity, dtype=float), self.ways)

    @property
    def square(self) -> Array | None:
        """The direction to look against when everything moves in a plane, else None."""
        rotors = any(body.get("kind") == "rotor" for body in self.opened.case.get("bodies", {}).values())
        if (
            self.fields.maps.layout.carriers is None or rotors
        ):  # a shaft whirls across its axis, and is seen from the side
            return None
        return plane_of(self.ways, self.up)

    @cached_property
    def ways(self) -> Array:
        """Directions in which things happen: motions, and the normals of planes, (k, 3)."""
        return np.concatenate([self._ways(), *(p.normal[None] * self.thickness.size for p in self.planes)])

    @cached_property
    def content(self) -> Array:
        """Points that must be seen, (k, 3), m."""
        slabs = [np.asarray(self.slab(p, *self.frames[k]).points) for p in self.planes for k in (0, -1)]
        layout = self.fields.maps.layout
        radius = np.array([self.shapes.radius(int(b)) for b in range(len(layout.bodies))])
        around = [self.swept + sign * radius.max() * self.up for sign in (1, -1)]
        if Impulses(self).largest > 0.0:
            # arrows stand behind the planes, and outside rings
            slabs.append(self.marks.beyond_rings(LONGEST * self.shapes.size))
            slabs += [self._feet(p, *self.frames[-1]) - LONGEST * self.shapes.size * p.normal for p in self.planes]
        parts = self.marks.parts.values() if len(self.marks) else []
        marks = [part.corners(self.mark_frames(frame)) for part in parts for _, frame in self.frames]
        return np.concatenate([*around, *slabs, *marks])

    def _ways(self) -> Array:
        """Return in which directions things happen, (k, 3): a thick mechanism that moves in a plane is flat."""
        if self.fields.maps.layout.carriers is not None:
            moved = np.concatenate([frame[name] for name in AT_POINTS for _, frame in self.frames])
            if np.any(moved):
                return moved
        return np.asarray(self.swept - self.swept.mean(axis=0))

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Values at the ends of the colour map; a field that is the same everywhere gets zero as its other end."""
        own = slice(None) if self.on_lines else self.shapes.coloured
        values = np.concatenate([self.values(frame)[own] for _, frame in self.frames])
        values = values[np.isfinite(values)]
        if not len(values):
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        if high - low > 1e-6 * max(abs(low), abs(high)):
            return low, high
        return (min(low, 0.0), max(high, 0.0)) if max(abs(low), abs(high)) > 0.0 else (0.0, 1.0)

    def board(
        self, size: tuple[int, int], keys: str = "", limits: tuple[float, float] | None = None, aspect: float = 0.0
    ) -> Board:
        """Return title, colour bar, charts and the keys of a window of this size; its own limits unless given."""
        name, _, component = self.look.field.partition(".")
        plain = name.replace("_", " ")
        words = f"{plain}, {component}" if component else f"|{plain}|" if name in VECTORS else plain
        field = f"{words} [{unit(name)}]" if len(self.shapes.coloured) else ""
        labels = Labels(field, self.limits if limits is None else limits, self.notes, keys, name=self.label)
        return Board(self.opened, labels, size, aspect or self.camera.aspect)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know to trust the picture."""
        drawn = []
        if self.look.scale != 1.0:
            drawn.append(f"displacements drawn × {self.look.scale:g}")
        if len(self.fields.maps.layout.cells) and abs(self.thickness.enlarged - 1.0) > 1e-9:
            drawn.append(f"sections drawn × {self.thickness.enlarged:.3g}")
        return (*self.opened.notes, *self.plane_notes, *self.marks.notes, *drawn)

    def _feet(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> Array:
        """Return the feet of a plane's points on it, (k, 3), m; of all a solid has, whose points need not be drawn."""
        own = self.positions(frame)[self._under(plane)]
        offset = plane.offset(t, self.reference, frame["displacement"], self.look.scale)
        return np.asarray(own - np.outer(own @ plane.normal - offset, plane.normal))

    def _under(self, plane: ContactPlane) -> Any:
        """Return the numbers of the points that a plane should reach under."""
        layout = self.fields.maps.layout
        on_solids = np.intersect1d(plane.points, layout.triangles)
        solids = np.isin(layout.body_of_point, layout.body_of_point[on_solids])
        return np.union1d(plane.points, np.flatnonzero(solids))

    def slab(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> Any:
        """Return the slab of a plane at a time."""
        offset = plane.offset(t, self.reference, frame["displacement"], self.look.scale)
        return self.shapes.slab(plane, offset, self._feet(plane, t, frame))
