"""A scene in a part of a window: its meshes, which move in place, its planes, its arrows and the board around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.board import Box
from flexmb.postproc.camera import Camera
from flexmb.postproc.impulses import Impulses
from flexmb.postproc.marks import LOOKS, Part
from flexmb.postproc.overlay import Overlay
from flexmb.postproc.scene import Scene
from flexmb.postproc.style import FIELD_MAP, VERMILLION

SHADE = {"ambient": 0.45, "diffuse": 0.6, "specular": 0.1, "show_scalar_bar": False, "reset_camera": False}
NOTHING = "#bdbdbd"
"""Colour where a field has no value."""


class Panel:
    """A scene drawn by one renderer of a plotter.

    Parameters
    ----------
    plotter : pyvista.Plotter
    index : int
        Number of the renderer.
    scene : Scene
    box : Box
        The part of the window that belongs to it.
    limits : tuple of float
        Values at the ends of the colour map.
    camera : Camera
    keys : str
        What stands at the bottom of the board.
    """

    def __init__(
        self,
        plotter: Plotter,
        index: int,
        scene: Scene,
        box: Box,
        limits: tuple[float, float],
        camera: Camera,
        keys: str = "",
    ) -> None:
        self.plotter, self.index, self.scene, self.box, self.limits, self.camera = (
            plotter,
            index,
            scene,
            box,
            limits,
            camera,
        )
        self.keys, self.k = keys, -1
        self.impulses = Impulses(scene)
        self.overlay = Overlay(plotter, plotter.renderers[index], self._board(), box)
        self._meshes = self._first_meshes()
        self._arrows = [pv.PolyData(np.zeros((1, 3))) for _ in range(2)]
        self._slabs = {
            plane.name: (pv.PolyData(np.zeros((1, 3))), pv.PolyData(np.zeros((1, 3)))) for plane in scene.planes
        }
        rest = scene.marks.rest
        self._marks = {look: _mesh_of(part, rest) for look, part in scene.marks.parts.items()}
        self._add()

    @property
    def renderer(self) -> Any:
        """The renderer of the scene."""
        return self.plotter.renderers[self.index]

    @property
    def bodies(self) -> Any:
        """The mesh of lines and particles as it is shown."""
        return self._meshes["bodies"]

    def _board(self) -> Any:
        width, height = self.plotter.window_size
        size = (round(self.box[2] * width), round(self.box[3] * height))
        return self.scene.board(size, self.keys, self.limits, self.camera.aspect)

    def _first_meshes(self) -> dict[str, Any]:
        shapes, points, out = self.scene.shapes, self.scene.reference, {}
        if len(shapes.coloured):
            out["bodies"] = shapes.mesh(points)
        solids = shapes.solids(points)
        return out if solids is None else out | {"solids": solids}

    def _add(self) -> None:
        """Put everything into the renderer; what follows only moves it."""
        self.plotter.subplot(0, self.index)
        tag, add = f"{self.index} ", self.plotter.add_mesh
        self.marks: list[Any] = []
        ghost = self.scene.shapes.ghost(self.scene.reference)
        self.ghost = _smooth(add(ghost, color="#9a9a9a", opacity=0.18, name=tag + "reference", **SHADE))
        if "solids" in self._meshes:
            _smooth(add(self._meshes["solids"], scalars="colour", rgb=True, name=tag + "solids", **SHADE))
        if "bodies" in self._meshes:
            self._colour(self._meshes["bodies"], self.scene.frame(0))
            self._add_bodies()
        for look, mesh in self._marks.items():
            colour, opacity = LOOKS[look]
            how = {"color": colour, "opacity": opacity, "line_width": self.overlay.board.dpi / 65.0, **SHADE}
            self.marks.append(add(mesh, name=tag + look, **how))
        for name, (slab, edges) in self._slabs.items():
            add(slab, color="#8fa1b8", opacity=0.4, name=f"{tag}plane {name}", reset_camera=False)
            width = self.overlay.board.dpi / 130.0
            add(edges, color="#66758a", line_width=width, name=f"{tag}edges {name}", reset_camera=False)
        self._flashes = [
            add(mesh, color=VERMILLION, opacity=opacity, name=f"{tag}impulses {opacity}", **SHADE)
            for mesh, opacity in zip(self._arrows, (1.0, 0.25), strict=True)
        ]

    def _add_bodies(self) -> None:
        self.plotter.subplot(0, self.index)
        how = {"cmap": FIELD_MAP, "clim": self.limits, "nan_color": NOTHING, "scalars": "value"}
        preference = "cell" if self.scene.on_lines else "point"
        name = f"{self.index} bodies"
        _smooth(self.plotter.add_mesh(self.bodies, name=name, preference=preference, **how, **SHADE))

    def _colour(self, mesh: Any, frame: dict[str, Any]) -> None:
        values, surface = self.scene.values(frame), self.scene.shapes.surface
        if self.scene.on_lines:
            of_face = surface.cell_of_face
            mesh.cell_data["value"] = np.where(of_face >= 0, np.append(values, np.nan)[of_face], np.nan)
        else:
            mesh.point_data["value"] = values[surface.point_of_corner]
        mesh.set_active_scalars("value", preference="cell" if self.scene.on_lines else "point")

    def show(self, k: int) -> None:
        """Set bodies, planes, arrows, cursors and the time to state ``k``."""
        scene = self.scene
        t, frame = float(scene.times[k]), scene.frame(k)
        points = scene.positions(frame)
        if "bodies" in self._meshes:
            scene.shapes.surface.update(self.bodies, points, scene.fields.maps.sides(scene.rotations(frame)))
            self._colour(self.bodies, frame)
        if "solids" in self._meshes:
            scene.shapes.move_solids(self._meshes["solids"], points)
        frames = scene.mark_frames(frame)
        for look, mesh in self._marks.items():
            mesh.points = scene.marks.parts[look].corners(frames).astype(np.float32)
        for plane in scene.planes:
            slab, edges = self._slabs[plane.name]
            slab.copy_from(scene.slab(plane, t, frame))
            edges.copy_from(slab.extract_all_edges())
        for mesh, actor, arrows in zip(
            self._arrows, self._flashes, self.impulses.arrows(self.k, k, points), strict=True
        ):
            actor.SetVisibility(arrows is not None and self.impulses.on)
            if arrows is not None:
                mesh.copy_from(arrows)
        self.k = k
        self.overlay.show(t)

    def recolour(self, limits: tuple[float, float]) -> None:
        """Take over another field of the scene, or another scale, and draw the board anew."""
        self.limits = limits
        if "bodies" in self._meshes:
            for data in (self.bodies.point_data, self.bodies.cell_data):
                if "value" in data:
                    del data["value"]
            self._colour(self.bodies, self.scene.frame(max(self.k, 0)))
            self._add_bodies()
        self.fit()

    def fit(self) -> None:
        """Draw the board for the size the window has now."""
        self.overlay.use(self._board())

    def aim(self) -> None:
        """Set the camera."""
        board, camera = self.overlay.board, self.camera
        width, height = board.scene[2] * board.size[0], board.scene[3] * board.size[1]
        eye = self.renderer.camera
        eye.focal_point = tuple(camera.centre)
        eye.position = tuple(camera.centre + 10.0 * self.scene.shapes.size * camera.out)
        eye.up = tuple(camera.up)
        eye.enable_parallel_projection()
        eye.parallel_scale = camera.parallel_scale(width / height)
        self.renderer.reset_camera_clipping_range()
        self.renderer.camera_set = True


def _mesh_of(part: Part, frames: Any) -> Any:
    """Return the mesh of what is drawn with one look."""
    faces, lines = (
        np.concatenate([np.array([], dtype=np.int64), *(np.insert(own, 0, len(own)) for own in cells)])
        for cells in (part.faces, part.lines)
    )
    how: Any = {key: cells for key, cells in (("faces", faces), ("lines", lines)) if len(cells)}
    return pv.PolyData(part.corners(frames).astype(np.float32), **how)


def _smooth(actor: Any) -> Any:
    """Let light follow the normals the mesh brings along."""
    actor.prop.interpolation = "Gouraud"
    return actor
