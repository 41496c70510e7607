"""One or several scenes side by side in a window, with common time, camera, range of colours and scale of charts."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Array, Plotter
from flexmb.postproc.camera import Camera, look_at
from flexmb.postproc.chart_ends import common_ends
from flexmb.postproc.folder_labels import folder_labels
from flexmb.postproc.impulses import ArrowScale
from flexmb.postproc.panel import Panel
from flexmb.postproc.scene import Scene


class Stage:
    """Scenes that are shown together.

    Parameters
    ----------
    scenes : sequence of Scene
    """

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self.scenes = list(scenes)
        self.panels: list[Panel] = []
        labels = folder_labels([scene.result.folder or Path() for scene in self.scenes])
        for scene, label in zip(self.scenes, labels, strict=True):
            scene.label = label if len(labels) > 1 else ""
        scales = [scene.arrows for scene in self.scenes]
        together = ArrowScale(
            max(own.largest for own in scales), max(own.size for own in scales), any(own.rough for own in scales)
        )
        for scene in self.scenes:
            scene.common_arrows = together

    @cached_property
    def times(self) -> Array:
        """Times of the states of all scenes, each once, s."""
        return np.unique(np.concatenate([scene.times for scene in self.scenes]))

    @property
    def limits(self) -> tuple[float, float]:
        """Values at the ends of the colour map, common to all scenes."""
        ends = [scene.limits for scene in self.scenes]
        return min(low for low, _ in ends), max(high for _, high in ends)

    @cached_property
    def camera(self) -> Camera:
        """A camera that shows all of every scene at its present magnification."""
        content = np.concatenate([scene.content for scene in self.scenes])
        normals = [plane.normal for scene in self.scenes for plane in scene.planes]
        return look_at(content, self.scenes[0].up, normals, self.scenes[0].square)

    @property
    def available(self) -> list[str]:
        """The fields available in all scenes."""
        first, *rest = (scene.available for scene in self.scenes)
        return [name for name in first if all(name in other for other in rest)]

    @property
    def field(self) -> str:
        """Quantity shown by colours."""
        return self.scenes[0].look.field

    @property
    def scale(self) -> float:
        """Factor on displacements."""
        return self.scenes[0].look.scale

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader; with the name of the folder for several results."""
        if len(self.scenes) == 1:
            return self.scenes[0].notes
        return tuple(f"{scene.label}: {note}" for scene in self.scenes for note in scene.notes)

    def plotter(self, size: tuple[int, int], *, off_screen: bool) -> Plotter:
        """Return a plotter with a renderer for each scene."""
        return pv.Plotter(
            shape=(1, len(self.scenes)),
            border=False,
            off_screen=off_screen,
            window_size=list(size),
            title="flexmb",
            lighting="light kit",
        )

    def add_to(self, plotter: Plotter, t: float, keys: str = "") -> None:
        """Add all scenes to a plotter with the right number of renderers, at time t."""
        n, limits, ends = len(self.scenes), self.limits, common_ends([scene.result for scene in self.scenes])
        self.panels = [
            Panel(plotter, i, scene, (i / n, 0.0, 1.0 / n, 1.0), limits, self.camera, keys if i == 0 else "", ends)
            for i, scene in enumerate(self.scenes)
        ]
        plotter.subplot(0, 0)
        for panel in self.panels[1:]:
            panel.renderer.camera = self.panels[0].renderer.camera
        clip = weakref.WeakMethod(self.clip)
        for panel in self.panels:
            # rotating the camera would otherwise clip for the panel under the pointer only
            panel.renderer.AddObserver("ResetCameraClippingRangeEvent", lambda *_: _call(clip))
            panel.front.SetActiveCamera(self.panels[0].renderer.camera)
        self.aim()
        self.show(t)

    def show(self, t: float, passing: bool = False) -> None:
        """Show the state of every scene nearest to time t.

        Parameters
        ----------
        t : float
            s.
        passing : bool
            Whether time passes continuously, as in a movie: then impulses since the previously shown state are
            included; after a jump only those of the state itself.
        """
        self.time = t
        for panel in self.panels:
            panel.show(panel.scene.nearest(t), passing)
        self.clip()

    def clip(self) -> None:
        """Set the clipping range of the common camera so that everything in any panel is visible."""
        eye = self.panels[0].renderer.camera
        corners = np.concatenate([panel.corners for panel in self.panels])
        position, focus = np.array(eye.position), np.array(eye.focal_point)
        ahead = (focus - position) / np.linalg.norm(focus - position)
        depth = (corners - position) @ ahead
        room = 0.05 * float(np.ptp(corners, axis=0).max()) + 1e-300
        if depth.min() < room:  # with parallel projection the distance of the viewpoint is irrelevant
            back = 2.0 * room - float(depth.min())
            eye.position = tuple(position - back * ahead)
            depth = depth + back
        eye.clipping_range = (float(depth.min()) - room, float(depth.max()) + room)

    def states(self, t: float) -> tuple[int, ...]:
        """Return the states shown at time t."""
        return tuple(scene.nearest(t) for scene in self.scenes)

    def aim(self) -> None:
        """Reset the direction of view, and fit everything at its present magnification."""
        if self.panels[0].camera is not self.camera:
            for panel in self.panels:
                panel.camera = self.camera
            self.fit()
        self.panels[0].aim()
        eye, camera = self._eye, self.camera
        if eye.distance < 2.0 * camera.depth:  # strongly magnified objects would extend behind the viewpoint
            eye.position = tuple(camera.centre + 2.0 * camera.depth * camera.out)
        self._whole = eye.parallel_scale

    @property
    def _eye(self) -> Any:
        """Camera of all scenes."""
        return self.panels[0].renderer.camera

    def recolour(self, field: str) -> None:
        """Colour by another field."""
        for scene in self.scenes:
            scene.recolour(field)
        self._renew()

    def rescale(self, scale: float) -> None:
        """Draw displacements larger or smaller."""
        for scene in self.scenes:
            scene.rescale(scale)
        self.__dict__.pop("camera", None)
        self._renew()

    def _renew(self) -> None:
        limits = self.limits
        for panel in self.panels:
            panel.recolour(limits)
        self.show(self.time)

    @property
    def fits(self) -> bool:
        """Whether the boards match the current size of the window, or it is too small for any."""
        first = self.panels[0]
        size, known, share = first.plotter.render_window.GetSize(), first.overlay.board.size, first.box[2:]
        return min(size) <= 100 or all(abs(k - s * n) <= 1 for k, s, n in zip(known, share, size, strict=True))

    def fit(self) -> None:
        """Redraw the boards for the current size of the window, and keep the visible part of the scenes.

        The viewer's own turn and zoom stay.
        """
        for panel in self.panels:
            panel.fit()
        first = self.panels[0]
        whole = first.camera.parallel_scale(first.renderer.GetTiledAspectRatio())
        self._eye.parallel_scale *= whole / self._whole
        self._whole = whole
        self.show(self.time)

    def flip(self, what: str) -> None:
        """Show or hide the ``reference`` or the ``impulses``."""
        for panel in self.panels:
            if what == "reference":
                panel.ghost.SetVisibility(not panel.ghost.GetVisibility())
            else:
                panel.arrows.on = not panel.arrows.on
            panel.tell()
        self.show(self.time)


def _call(method: weakref.WeakMethod[Any]) -> None:
    """Call a method of an object that may have been deleted."""
    own = method()
    if own is not None:
        own()


def draw(stage: Stage, t: float, size: tuple[int, int]) -> Any:
    """Return an off-screen plotter that shows time t."""
    plotter = stage.plotter(size, off_screen=True)
    plotter.render_window.SetMultiSamples(0)
    stage.add_to(plotter, t)
    return plotter
