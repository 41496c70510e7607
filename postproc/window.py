"""The window of ``flexmb view``: the scenes, their charts, a time slider and keys."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vtkmodules.vtkInteractionWidgets import vtkSliderRepresentation2D, vtkSliderWidget
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkTextActor

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.controls import KEYS, Controls
from flexmb.postproc.overlay import use_font
from flexmb.postproc.player import pace
from flexmb.postproc.stage import Stage

HINT = "space  play, pause      ?  keys"
CLOSE = ("q", "close")
TICK = 33
"""Milliseconds between two frames during playback."""
NAMES = {
    "space": " ",
    "Left": "ArrowLeft",
    "Right": "ArrowRight",
    "Prior": "PageUp",
    "Next": "PageDown",
    "plus": "+",
    "KP_Add": "+",
    "equal": "=",
    "minus": "-",
    "KP_Subtract": "-",
    "bracketright": "]",
    "bracketleft": "[",
    "question": "?",
}
"""VTK names of keys and browser names, where they differ."""


class Window(Controls):
    """Scenes with controls.

    Parameters
    ----------
    plotter : pyvista.Plotter
        Plotter with one renderer per scene.
    stage : Stage
        Of scenes made for all states, see ``Look``.
    t : float
        The time to begin with, s.
    speed : float, optional
        Seconds of the result per second.
    """

    def __init__(self, plotter: Plotter, stage: Stage, t: float, speed: float | None = None) -> None:
        super().__init__(stage, t, speed)
        self.plotter = plotter
        stage.add_to(plotter, t, HINT)
        self._tell_pace()
        self.slider = self._slider()
        self.help = _help(plotter)
        self._take_keys()
        plotter.render_window.AddObserver("WindowResizeEvent", self._resized)
        plotter.iren.interactor.AddObserver("TimerEvent", lambda *_: self.tick())
        self._timer: int | None = None

    def _take_keys(self) -> None:
        """Disable the keys of pyvista and of VTK's style and slider."""
        interactor = self.plotter.iren.interactor
        self.plotter.iren.clear_key_event_callbacks()

        def typed(*_: object) -> None:
            interactor.GetCommand(tag).AbortFlagOn()

        tag = interactor.AddObserver("CharEvent", typed, 1.0)

        def pressed(*_: object) -> None:
            key = interactor.GetKeySym()
            self.press(NAMES.get(key, key))

        interactor.AddObserver("KeyPressEvent", pressed)

    def press(self, key: str) -> None:
        """Execute the action of a key; one key also closes the window."""
        if key == CLOSE[0]:
            self.close()
        super().press(key)

    def close(self) -> None:
        """Close the window."""
        self.plotter.iren.interactor.ExitCallback()

    def refresh(self) -> None:
        """Move the slider, display the speed and render the picture."""
        shape = self.slider.GetRepresentation()
        shape.SetValue(self.player.t)
        self._place(shape)
        self._tell_pace()
        self.plotter.render()

    def _tell_pace(self) -> None:
        self.stage.panels[0].overlay.pace.SetInput(f"speed {pace(self.player.speed)}")

    def start(self) -> None:
        """Start the playback timer."""
        self._timer = self.plotter.iren.interactor.CreateRepeatingTimer(TICK)

    def stop(self) -> None:
        """Stop the playback timer."""
        if self._timer is not None:
            self.plotter.iren.interactor.DestroyTimer(self._timer)
            self._timer = None

    def show_keys(self) -> None:
        """List the keys, or take the list away."""
        self.help.SetVisibility(not self.help.GetVisibility())
        self.refresh()

    def _slid(self, slider: Any, _: str) -> None:
        self.go(slider.GetRepresentation().GetValue())

    def _resized(self, *_: object) -> None:
        """Redraw everything for the new size; text keeps its proportions."""
        if not self.stage.fits:
            self.stage.fit()
            self._place(self.slider.GetRepresentation())
            _size_help(self.help, self.plotter)

    def _slider(self) -> Any:
        shape = vtkSliderRepresentation2D()
        shape.SetMinimumValue(self.player.first)
        shape.SetMaximumValue(max(self.player.last, self.player.first + 1e-30))
        shape.SetValue(self.player.t)
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
        widget.SetCurrentRenderer(self.stage.panels[0].overlay.back)  # the scene's renderer covers only a part of it
        widget.AddObserver("InteractionEvent", self._slid)
        widget.EnabledOn()
        return widget

    def _place(self, shape: vtkSliderRepresentation2D) -> None:
        first = self.stage.panels[0]
        x, y, width, _ = first.overlay.board.scene
        ends = (shape.GetPoint1Coordinate(), x + 0.01 * width), (shape.GetPoint2Coordinate(), x + 0.98 * width)
        for end, along in ends:
            end.SetCoordinateSystemToNormalizedDisplay()
            end.SetValue(first.box[0] + along * first.box[2], y - 0.047)


def _help(plotter: Plotter) -> Any:
    """Return the hidden list of keys, in front of everything."""
    front = vtkRenderer()
    front.SetInteractive(False)
    window = plotter.render_window
    window.SetNumberOfLayers(3)
    front.SetLayer(2)
    window.AddRenderer(front)
    words = vtkTextActor()
    rows = [*((keys.names, keys.what) for keys in KEYS), CLOSE]
    names, longest = (max(len(row[k]) for row in rows) for k in (0, 1))
    lines = [f" {keys:<{names}}   {what:<{longest}} " for keys, what in rows]
    lines = [" " * len(lines[0]), *lines, " " * len(lines[0])]  # text would extend beyond its background
    words.SetInput("\n".join(lines).replace(" ", "\u00a0"))  # VTK would strip trailing spaces and misalign columns
    words.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    words.GetPositionCoordinate().SetValue(0.5, 0.55)
    look = words.GetTextProperty()
    _size_help(words, plotter)
    look.SetJustificationToCentered()
    look.SetVerticalJustificationToCentered()
    look.SetLineSpacing(1.4)
    look.SetColor(1.0, 1.0, 1.0)
    look.SetBackgroundColor(0.13, 0.13, 0.13)
    look.SetBackgroundOpacity(0.9)
    words.SetVisibility(False)
    front.AddViewProp(words)
    return words


def _size_help(words: Any, plotter: Plotter) -> None:
    """Adapt the text size of the list of keys to the window."""
    width, height = plotter.window_size
    columns = words.GetInput().index("\n")
    size = min(max(10.0, 0.018 * height), 1.4 * width / columns)  # a character is 0.6 of it wide
    use_font(words.GetTextProperty(), "DejaVu Sans Mono", int(size))


def open_window(stage: Stage, t: float, size: tuple[int, int], speed: float | None = None) -> None:
    """Open a window and wait until it is closed."""
    plotter = stage.plotter(size, off_screen=False)
    plotter.render_window.SetMultiSamples(8)
    window = Window(plotter, stage, t, speed)
    with _ctrl_c_closes():
        plotter.show(auto_close=True)
    window.slider.EnabledOff()


@contextmanager
def _ctrl_c_closes() -> Iterator[None]:
    """Make Ctrl-C in the terminal end the program: Python would not receive it while VTK waits for events."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
