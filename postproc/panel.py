"""A scene in a part of a window: moving meshes, planes, arrows and the board around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv
from vtkmodules.vtkRenderingCore import vtkRenderer

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.board import Box
from flexmb.postproc.camera import Camera
from flexmb.postproc.chart_ends import ChartEnds
from flexmb.postproc.glyphs import LOOKS, Part
from flexmb.postproc.impulses import Arrows
from flexmb.postproc.overlay import Overlay
from flexmb.postproc.scene import Scene
from flexmb.postproc.style import FIELD_MAP, SIGNED_MAP, VERMILLION
from flexmb.postproc.triad import Triad

SHADE = {"ambient": 0.45, "diffuse": 0.6, "specular": 0.1, "show_scalar_bar": False, "reset_camera": False}
NOTHING = "#bdbdbd"
"""Color where a field has no value."""


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
        Text at the bottom of the board.
    ends : ChartEnds, optional
        Axis ends of the charts, if there are neighbouring ones.
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
        ends: ChartEnds | None = None,
    ) -> None:
        self.plotter, self.index, self.scene, self.box, self.limits, self.camera = (
            plotter,
            index,
            scene,
            box,
            limits,
            camera,
        )
        self.keys, self.ends, self.k = keys, ends, -1
        self.arrows = Arrows(scene, scene.arrows)
        self.overlay = Overlay(plotter, plotter.renderers[index], self._board(), box)
        self._meshes = self._first_meshes()
        self._arrows = [pv.PolyData(np.zeros((1, 3))) for _ in range(2)]
        self.front = self._front_renderer()
        self.triad = Triad(plotter, self.renderer, self.overlay.board.dpi)
        self._slabs = {
            plane.name: (pv.PolyData(np.zeros((1, 3))), pv.PolyData(np.zeros((1, 3)))) for plane in scene.planes
        }
        rest = scene.marks.rest
        self._marks = {look: _mesh_of(part, rest) for look, part in scene.marks.parts.items()}
        self._add()
        self.tell()

    @property
    def renderer(self) -> Any:
        """The renderer of the scene."""
        return self.plotter.renderers[self.index]

    @property
    def bodies(self) -> Any:
        """The mesh of lines and particles as shown."""
        return self._meshes["bodies"]

    def _board(self) -> Any:
        width, height = self.plotter.window_size
        size = (round(self.box[2] * width), round(self.box[3] * height))
        board = self.scene.board(size, self.keys, self.limits, self.camera.aspect)
        if self.ends is not None:
            board.share(self.ends)
        return board

    def _first_meshes(self) -> dict[str, Any]:
        shapes, points, out = self.scene.shapes, self.scene.reference, {}
        if len(shapes.coloured):
            out["bodies"] = shapes.mesh(points)
        solids = shapes.solids(points)
        return out if solids is None else out | {"solids": solids}

    def _add(self) -> None:
        """Add everything to the renderer; later updates only move it."""
        self.plotter.subplot(0, self.index)
        tag, add = f"{self.index} ", self.plotter.add_mesh
        self.marks: list[Any] = []
        ghost = self.scene.shapes.ghost(self.scene.reference)
        self.ghost = _smooth(add(ghost, color="#9a9a9a", opacity=0.18, name=tag + "reference", **SHADE))
        _put_back(self.ghost)
        self._colour(self.scene.frame(self.scene.finite(0)))
        self._add_coloured()
        for look, mesh in self._marks.items():
            colour, opacity = LOOKS[look]
            how = {"color": colour, "opacity": opacity, "line_width": self.overlay.board.dpi / 65.0, **SHADE}
            self.marks.append(add(mesh, name=tag + look, **how))
        for name, (slab, edges) in self._slabs.items():
            add(slab, color="#8fa1b8", opacity=0.4, name=f"{tag}plane {name}", reset_camera=False)
            width = self.overlay.board.dpi / 130.0
            add(edges, color="#66758a", line_width=width, name=f"{tag}edges {name}", reset_camera=False)
        self._flashes = [_arrow_actor(mesh, opacity) for mesh, opacity in zip(self._arrows, (1.0, 0.25), strict=True)]
        for actor in self._flashes:
            self.front.AddViewProp(actor)

    def _front_renderer(self) -> Any:
        """Return a renderer in front of that of the scene, since arrows between two bodies would be hidden."""
        front = vtkRenderer()
        front.SetInteractive(False)
        front.SetLayer(2)
        window = self.plotter.render_window
        window.SetNumberOfLayers(max(3, window.GetNumberOfLayers()))
        window.AddRenderer(front)
        front.SetViewport(self.renderer.GetViewport())
        return front

    @property
    def corners(self) -> Any:
        """Corners of the bounding boxes of everything shown, (k, 3), m."""
        boxes = [self.renderer.ComputeVisiblePropBounds(), self.front.ComputeVisiblePropBounds()]
        some = [np.reshape(box, (3, 2)) for box in boxes if box[0] <= box[1]]
        return np.array([[box[i, k >> i & 1] for i in range(3)] for box in some for k in range(8)]).reshape(-1, 3)

    def _add_coloured(self) -> None:
        """Add the parts coloured by the field to the renderer, replacing previous ones."""
        self.plotter.subplot(0, self.index)
        colours = SIGNED_MAP if self.scene.signed else FIELD_MAP
        by_value = {"cmap": colours, "clim": self.limits, "nan_color": NOTHING, "scalars": "value"}
        preference = "cell" if self.scene.on_lines else "point"
        for name, mesh in self._meshes.items():
            own = name == "solids" and not self.scene.on_solids
            how = {"scalars": "colour", "rgb": True} if own else by_value | {"preference": preference}
            _smooth(self.plotter.add_mesh(mesh, name=f"{self.index} {name}", **how, **SHADE))

    def _colour(self, frame: dict[str, Any]) -> None:
        """Set the colour values of the meshes to those of a state."""
        values, shapes = self.scene.values(frame), self.scene.shapes
        if "solids" in self._meshes and self.scene.on_solids:
            self._meshes["solids"].point_data["value"] = values[shapes.solid.point_data["point"]]
        if "bodies" not in self._meshes:
            return
        if self.scene.on_lines:
            of_face = shapes.surface.cell_of_face
            self.bodies.cell_data["value"] = np.where(of_face >= 0, np.append(values, np.nan)[of_face], np.nan)
        else:
            self.bodies.point_data["value"] = values[shapes.surface.point_of_corner]
        self.bodies.set_active_scalars("value", preference="cell" if self.scene.on_lines else "point")

    def show(self, k: int, passing: bool = False) -> None:
        """Set bodies, planes, arrows, cursors and the time to state ``k``.

        Parameters
        ----------
        k : int
        passing : bool
            See ``Stage.show``.
        """
        scene = self.scene
        t, frame = float(scene.times[k]), scene.frame(k)
        points, surface = scene.positions(frame), np.zeros((0, 3))
        if "bodies" in self._meshes:
            sides = scene.fields.maps.sides(scene.rotations(frame))
            surface = scene.shapes.surface.update(self.bodies, points, sides)
        if "solids" in self._meshes:
            scene.shapes.move_solids(self._meshes["solids"], points)
        self._colour(frame)
        frames = scene.mark_frames(frame)
        for look, mesh in self._marks.items():
            mesh.points = scene.marks.parts[look].corners(frames).astype(np.float32)
        for plane in scene.planes:
            slab, edges = self._slabs[plane.name]
            slab.copy_from(scene.slab(plane, t, frame))
            edges.copy_from(slab.extract_all_edges())
        drawn = self.arrows.at(self.k, k, passing, points, surface)
        for mesh, actor, arrows in zip(self._arrows, self._flashes, drawn, strict=True):
            actor.SetVisibility(arrows is not None and self.arrows.on)
            if arrows is not None:
                mesh.copy_from(arrows)
        self.k = k
        self.overlay.show(t)

    def tell(self) -> None:
        """Write below the scene the meaning of grey parts and of arrows that are shown."""
        meanings = ("gray: reference position", self.ghost.GetVisibility()), (self.arrows.scale.words, self.arrows.on)
        self.overlay.caption.SetInput(";   ".join(words for words, there in meanings if words and there))

    def recolour(self, limits: tuple[float, float]) -> None:
        """Apply another field of the scene, or another scale, and redraw the board."""
        self.limits = limits
        for mesh in self._meshes.values():
            for data in (mesh.point_data, mesh.cell_data):
                if "value" in data:
                    del data["value"]
        self._colour(self.scene.frame(max(self.k, 0)))
        self._add_coloured()
        self.fit()

    def fit(self) -> None:
        """Redraw the board for the current size of the window."""
        self.overlay.use(self._board())
        self.front.SetViewport(self.renderer.GetViewport())

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
        self.renderer.camera_set = True


def _mesh_of(part: Part, frames: Any) -> Any:
    """Return the mesh of the parts with one look."""
    faces, lines = (
        np.concatenate([np.array([], dtype=np.int64), *(np.insert(own, 0, len(own)) for own in cells)])
        for cells in (part.faces, part.lines)
    )
    how: Any = {key: cells for key, cells in (("faces", faces), ("lines", lines)) if len(cells)}
    return pv.PolyData(part.corners(frames).astype(np.float32), **how)


def _arrow_actor(mesh: Any, opacity: float) -> Any:
    """Return an actor of arrows with colours per arrow."""
    mapper = pv.DataSetMapper(mesh)
    mapper.SetScalarModeToUseCellFieldData()
    mapper.SelectColorArray("colour")
    mapper.SetColorModeToDirectScalars()
    actor = pv.Actor(mapper=mapper)
    actor.prop.color, actor.prop.opacity = VERMILLION, opacity
    actor.prop.ambient, actor.prop.diffuse, actor.prop.specular = SHADE["ambient"], SHADE["diffuse"], SHADE["specular"]
    return actor


def _put_back(actor: Any) -> None:
    """Draw a surface slightly farther away, so that coincident parts hide it."""
    mapper = actor.GetMapper()
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(2.0, 20.0)


def _smooth(actor: Any) -> Any:
    """Use the normals of the mesh for shading."""
    actor.prop.interpolation = "Gouraud"
    return actor
