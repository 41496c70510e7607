"""The window of ``flexmb view``: the scene, its charts, a time slider and some keys."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyvista as pv
from vtkmodules.vtkInteractionWidgets import vtkSliderRepresentation2D, vtkSliderWidget

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.scene import Scene

KEYS = "← →  one state    PgUp PgDn  ten    Home End  first, last    c  camera as at first    q  close"


class Window:
    """A scene with controls.

    Parameters
    ----------
    plotter : pyvista.Plotter
    scene : Scene
        Made for all states, see ``Look``.
    k : int
        The state to begin with.
    """

    def __init__(self, plotter: Plotter, scene: Scene, k: int) -> None:
        self.plotter, self.scene, self.k = plotter, scene, k
        self.overlay = scene.add_to(plotter, k, KEYS)
        self.slider = self._slider()
        for key, by in (("Left", -1), ("Right", 1), ("Prior", -10), ("Next", 10)):
            plotter.add_key_event(key, self._mover(by))
        plotter.add_key_event("Home", lambda: self.go(0))
        plotter.add_key_event("End", lambda: self.go(len(scene.times) - 1))
        plotter.add_key_event("c", self.reset_camera)
        plotter.render_window.AddObserver("WindowResizeEvent", self._resized)

    def go(self, k: int) -> None:
        """Show state ``k``, or the nearest there is."""
        self.k = min(max(k, 0), len(self.scene.times) - 1)
        self.scene.show(self.plotter, self.overlay, self.k)
        self.slider.GetRepresentation().SetValue(float(self.scene.times[self.k]))
        self.plotter.render()

    def reset_camera(self) -> None:
        """Look from where the window looked at first."""
        self.scene.aim(self.plotter, self.overlay.board)
        self.plotter.render()

    def _mover(self, by: int) -> Any:
        return lambda: self.go(self.k + by)

    def _slid(self, slider: Any, _: str) -> None:
        t = slider.GetRepresentation().GetValue()
        self.go(int(np.argmin(np.abs(self.scene.times - t))))

    def _resized(self, *_: object) -> None:
        """Draw the board anew for the new size; text keeps its proportions."""
        size = tuple(self.plotter.render_window.GetSize())
        if size != self.overlay.board.size and min(size) > 100:
            self.overlay.use(self.scene.board(size, KEYS))
            self.overlay.show(float(self.scene.times[self.k]))
            self._place(self.slider.GetRepresentation())

    def _slider(self) -> Any:
        shape = vtkSliderRepresentation2D()
        shape.SetMinimumValue(float(self.scene.times[0]))
        shape.SetMaximumValue(max(float(self.scene.times[-1]), float(self.scene.times[0]) + 1e-30))
        shape.SetValue(float(self.scene.times[self.k]))
        shape.SetShowSliderLabel(False)
        shape.SetTubeWidth(0.004)
        shape.SetSliderWidth(0.02)
        shape.SetSliderLength(0.01)
        shape.SetEndCapLength(0.0)
        for part in (shape.GetTubeProperty(), shape.GetCapProperty()):
            part.SetColor(0.8, 0.8, 0.8)
        shape.GetSliderProperty().SetColor(0.0, 0.45, 0.7)
        self._place(shape)
        widget: Any = vtkSliderWidget()
        widget.SetInteractor(self.plotter.iren.interactor)
        widget.SetRepresentation(shape)
        widget.SetAnimationModeToJump()
        widget.SetCurrentRenderer(self.overlay.back)  # the scene's renderer has but a part of the window
        widget.AddObserver("InteractionEvent", self._slid)
        widget.EnabledOn()
        return widget

    def _place(self, shape: vtkSliderRepresentation2D) -> None:
        x, y, width, _ = self.overlay.board.scene
        ends = (shape.GetPoint1Coordinate(), x + 0.28 * width), (shape.GetPoint2Coordinate(), x + 0.98 * width)
        for end, along in ends:
            end.SetCoordinateSystemToNormalizedDisplay()
            end.SetValue(along, y - 0.025)


def open_window(scene: Scene, k: int, size: tuple[int, int]) -> None:
    """Open a window and wait until it is closed."""
    plotter: Plotter = pv.Plotter(off_screen=False, window_size=list(size), title="flexmb", lighting="light kit")
    plotter.render_window.SetMultiSamples(8)
    window = Window(plotter, scene, k)
    with _ctrl_c_closes():
        plotter.show(auto_close=True)
    window.slider.EnabledOff()


@contextmanager
def _ctrl_c_closes() -> Iterator[None]:
    """Let Ctrl-C in the terminal end the program: while VTK waits for events, Python would not hear of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
