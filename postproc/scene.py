"""A result as a pyvista scene that can be set to any of its kept states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array, Plotter
from flexmb.postproc.board import Board, Labels
from flexmb.postproc.camera import Camera, look_at, plane_of, upright
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.overlay import Overlay
from flexmb.postproc.planes import ContactPlane, contact_planes, contact_radii
from flexmb.postproc.structure import Shapes
from flexmb.postproc.style import FIELD_MAP

UNITS = {"displacement": "m", "velocity": "m/s"}
"""The fields to colour by, with their units; ``.x`` ``.y`` ``.z`` picks a component."""
SWEEP = 60
"""At most so many states are looked at to find the room a motion takes."""


@dataclass(frozen=True)
class Look:
    """How to look at a result.

    Parameters
    ----------
    field : str
        A name in ``UNITS``, with or without a component.
    scale : float
        Factor on displacements.
    states : (k,) int array
        The states that will be shown: they set the room to be seen and the range of the colours.
    """

    field: str
    scale: float
    states: Any


class Scene:
    """Bodies, planes and charts of one result in a plotter.

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

    def values(self, frame: dict[str, Array]) -> Array:
        """Return what the points are coloured by, (n,): a magnitude, or a component with its sign."""
        name, _, component = self.look.field.partition(".")
        vectors = frame[name]
        return vectors[:, "xyz".index(component)] if component else np.asarray(np.linalg.norm(vectors, axis=1))

    def positions(self, frame: dict[str, Array]) -> Array:
        """Return where the points are drawn, (n, 3), m."""
        return np.asarray(self.reference + self.look.scale * frame["displacement"])

    @property
    def reference(self) -> Array:
        """Positions at rest, (n, 3), m."""
        return np.asarray(self.fields.maps.layout.points)

    @cached_property
    def frames(self) -> list[tuple[float, dict[str, Array]]]:
        """The states that set room and colours, with their times; at most ``SWEEP`` of them."""
        states = self.look.states
        some = np.unique(np.linspace(0, len(states) - 1, min(SWEEP, len(states))).astype(np.int64))
        return [(float(self.times[states[k]]), self.fields.frame(int(states[k]))) for k in some]

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
        size = float(np.linalg.norm(self.swept.max(axis=0) - self.swept.min(axis=0)))
        return Shapes(self.fields.maps, size if size > 0.0 else 1.0, contact_radii(self.opened))

    @cached_property
    def camera(self) -> Camera:
        """From where to look."""
        gravity = self.opened.case.get("gravity", {}).get("acceleration")
        normals = [plane.normal for plane in self.planes]
        ways = np.concatenate([self._ways(), *(n[None] * self.shapes.size for n in normals)])
        up = upright(None if gravity is None else np.asarray(gravity, dtype=float), ways)
        slabs = [np.asarray(self._slab(p, *self.frames[k]).points) for p in self.planes for k in (0, -1)]
        layout = self.fields.maps.layout
        radius = np.array([self.shapes.radius(int(b)) for b in range(len(layout.bodies))])
        around = [self.swept + sign * radius.max() * up for sign in (1, -1)]
        square = plane_of(ways, up) if layout.carriers is not None else None
        return look_at(np.concatenate([*around, *slabs]), up, normals, square)

    def _ways(self) -> Array:
        """Return in which directions things happen, (k, 3): a thick mechanism that moves in a plane is flat."""
        if self.fields.maps.layout.carriers is not None:
            moved = np.concatenate([frame[name] for name in UNITS for _, frame in self.frames])
            if np.any(moved):
                return moved
        return np.asarray(self.swept - self.swept.mean(axis=0))

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Values at the ends of the colour map; a field that is the same everywhere gets zero as its other end."""
        values = np.concatenate([self.values(frame)[self.shapes.coloured] for _, frame in self.frames])
        if not len(values):
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        if high - low > 1e-6 * max(abs(low), abs(high)):
            return low, high
        return (min(low, 0.0), max(high, 0.0)) if max(abs(low), abs(high)) > 0.0 else (0.0, 1.0)

    def board(self, size: tuple[int, int], keys: str = "") -> Board:
        """Return title, colour bar, charts and the keys of a window of this size."""
        name, _, component = self.look.field.partition(".")
        field = f"{name}, {component or 'magnitude'} [{UNITS[name]}]" if len(self.shapes.coloured) else ""
        return Board(self.opened, Labels(field, self.limits, self.notes, keys), size, self.camera.aspect)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know to trust the picture."""
        drawn = []
        if self.look.scale != 1.0:
            drawn.append(f"displacements drawn × {self.look.scale:g}")
        if len(self.fields.maps.layout.cells) and abs(self.shapes.enlarged - 1.0) > 1e-9:
            drawn.append(f"sections drawn × {self.shapes.enlarged:.3g}")
        return (*self.opened.notes, *self.plane_notes, *drawn)

    def add_to(self, plotter: Plotter, k: int, keys: str = "") -> Overlay:
        """Put everything into a plotter, at state ``k``; return what is drawn around it."""
        board = self.board((plotter.window_size[0], plotter.window_size[1]), keys)
        overlay = Overlay(plotter, board)
        ghost = self.shapes.ghost(self.reference)
        plotter.add_mesh(ghost, color="#9a9a9a", opacity=0.18, show_scalar_bar=False, name="reference")
        colouring = {"bodies": {"scalars": "value", "cmap": FIELD_MAP, "clim": self.limits}}
        colouring["solids"] = {"scalars": "colour", "rgb": True}
        for name, mesh in self._meshes(self.fields.frame(k)).items():
            plotter.add_mesh(
                mesh,
                **colouring[name],
                show_scalar_bar=False,
                smooth_shading=True,
                split_sharp_edges=True,
                ambient=0.45,
                diffuse=0.6,
                specular=0.1,
                name=name,
            )
        self.aim(plotter, board)
        self.show(plotter, overlay, k)
        return overlay

    def show(self, plotter: Plotter, overlay: Overlay, k: int) -> None:
        """Set bodies, planes, cursors and the time to state ``k``."""
        t, frame = float(self.times[k]), self.fields.frame(k)
        # kept here, because pyvista's mapper does not
        self.shown = {
            name: mesh.compute_normals(split_vertices=True, cell_normals=False)
            for name, mesh in self._meshes(frame).items()
        }
        for name, mesh in self.shown.items():
            plotter.actors[name].mapper.dataset = mesh
        for plane in self.planes:
            slab, name = self._slab(plane, t, frame), f"plane {plane.name}"
            plotter.add_mesh(slab, color="#8fa1b8", opacity=0.4, name=name, reset_camera=False)
            edges, width = slab.extract_all_edges(), overlay.board.dpi / 130.0
            plotter.add_mesh(edges, color="#66758a", line_width=width, name=f"{name} edges", reset_camera=False)
        overlay.show(t)

    @property
    def drawn(self) -> Any:
        """The lines and particles as they were shown last."""
        return self.shown["bodies"]

    def _meshes(self, frame: dict[str, Array]) -> dict[str, Any]:
        """Return what there is of lines and particles, coloured by the field, and of solids, a colour each."""
        points, out = self.positions(frame), {}
        if len(self.shapes.coloured):
            out["bodies"] = self.shapes.mesh(points, self.values(frame))
        solids = self.shapes.solids(points)
        return out if solids is None else out | {"solids": solids}

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

    def _slab(self, plane: ContactPlane, t: float, frame: dict[str, Array]) -> Any:
        offset = plane.offset(t, self.reference, frame["displacement"], self.look.scale)
        return self.shapes.slab(plane, offset, self._feet(plane, t, frame))

    def aim(self, plotter: Plotter, board: Board) -> None:
        """Set the camera."""
        width, height = board.scene[2] * board.size[0], board.scene[3] * board.size[1]
        camera, far = self.camera, 10.0 * self.shapes.size
        plotter.camera.focal_point = tuple(camera.centre)
        plotter.camera.position = tuple(camera.centre + far * camera.out)
        plotter.camera.up = tuple(camera.up)
        plotter.camera.enable_parallel_projection()
        plotter.camera.parallel_scale = camera.parallel_scale(width / height)
        plotter.renderer.reset_camera_clipping_range()
        plotter.camera_set = True
