"""One or several scenes side by side in a window: one time, one camera, one range of colours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyvista as pv

from flexmb.postproc.arrays import Array, Plotter
from flexmb.postproc.camera import Camera, look_at
from flexmb.postproc.panel import Panel
from flexmb.postproc.scene import Scene


class Stage:
    """Scenes that are looked at together.

    Parameters
    ----------
    scenes : sequence of Scene
    """

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self.scenes = list(scenes)
        self.panels: list[Panel] = []
        for scene in self.scenes if len(self.scenes) > 1 else []:
            scene.label = scene.name

    @cached_property
    def times(self) -> Array:
        """Times to step through: those of all scenes, each once, s."""
        return np.unique(np.concatenate([scene.times for scene in self.scenes]))

    @property
    def limits(self) -> tuple[float, float]:
        """Values at the ends of the colour map, the same for all."""
        ends = [scene.limits for scene in self.scenes]
        return min(low for low, _ in ends), max(high for _, high in ends)

    @cached_property
    def camera(self) -> Camera:
        """A camera that sees all of every scene."""
        content = np.concatenate([scene.content for scene in self.scenes])
        normals = [plane.normal for scene in self.scenes for plane in scene.planes]
        return look_at(content, self.scenes[0].up, normals, self.scenes[0].square)

    @property
    def available(self) -> list[str]:
        """The fields that all scenes have."""
        first, *rest = (scene.available for scene in self.scenes)
        return [name for name in first if all(name in other for other in rest)]

    @property
    def field(self) -> str:
        """What the colours mean."""
        return self.scenes[0].look.field

    @property
    def scale(self) -> float:
        """Factor on displacements."""
        return self.scenes[0].look.scale

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know; of several results with the name of the folder."""
        if len(self.scenes) == 1:
            return self.scenes[0].notes
        return tuple(f"{scene.name}: {note}" for scene in self.scenes for note in scene.notes)

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
        """Put all scenes into a plotter of their own number of renderers, at time t."""
        n, limits = len(self.scenes), self.limits
        self.panels = [
            Panel(plotter, i, scene, (i / n, 0.0, 1.0 / n, 1.0), limits, self.camera, keys if i == 0 else "")
            for i, scene in enumerate(self.scenes)
        ]
        plotter.subplot(0, 0)
        for panel in self.panels[1:]:
            panel.renderer.camera = self.panels[0].renderer.camera
        self.aim()
        self.show(t)

    def show(self, t: float) -> None:
        """Show every scene in its state nearest to time t."""
        self.time = t
        for panel in self.panels:
            panel.show(panel.scene.nearest(t))
            panel.renderer.reset_camera_clipping_range()

    def states(self, t: float) -> tuple[int, ...]:
        """Return which states time t shows."""
        return tuple(scene.nearest(t) for scene in self.scenes)

    def aim(self) -> None:
        """Look from where one looked at first."""
        self.panels[0].aim()

    def recolour(self, field: str) -> None:
        """Colour by another field."""
        for scene in self.scenes:
            scene.recolour(field)
        self._renew()

    def rescale(self, scale: float) -> None:
        """Draw displacements larger or smaller."""
        for scene in self.scenes:
            scene.rescale(scale)
        self._renew()

    def _renew(self) -> None:
        limits = self.limits
        for panel in self.panels:
            panel.recolour(limits)
        self.show(self.time)

    def fit(self) -> None:
        """Draw the boards for the size the window has now."""
        for panel in self.panels:
            panel.fit()
        self.show(self.time)

    def flip(self, what: str) -> None:
        """Show or hide the ``reference`` or the ``impulses``."""
        for panel in self.panels:
            if what == "reference":
                panel.ghost.SetVisibility(not panel.ghost.GetVisibility())
            else:
                panel.impulses.on = not panel.impulses.on
        self.show(self.time)


def draw(stage: Stage, t: float, size: tuple[int, int]) -> Any:
    """Return a plotter without a window that shows time t."""
    plotter = stage.plotter(size, off_screen=True)
    plotter.render_window.SetMultiSamples(0)
    stage.add_to(plotter, t)
    return plotter
