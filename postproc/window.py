"""The window of ``flexmb view``: the scenes, their charts, a time slider and keys."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vtkmodules.vtkInteractionWidgets import vtkSliderRepresentation2D, vtkSliderWidget
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkTextActor

from flexmb.postproc.arrays import Plotter
from flexmb.postproc.overlay import use_font
from flexmb.postproc.player import Player
from flexmb.postproc.stage import Stage

HINT = "space  play, pause      ?  keys"
KEYS = (
    ("space", "play, pause"),
    ("← →", "one state back, on"),
    ("PgUp PgDn", "ten states"),
    ("Home End", "first, last state"),
    ("+ −", "play faster, slower"),
    ("f", "next field to colour by"),
    ("] [", "displacements larger, smaller"),
    ("a", "arrows of contact impulses on, off"),
    ("r", "reference position on, off"),
    ("c", "camera as at first"),
    ("?", "these keys on, off"),
    ("q", "close"),
)
"""The keys and what they do."""
TICK = 33
"""Milliseconds between two pictures while playing."""
STEPS = {"Left": -1, "Right": 1, "Prior": -10, "Next": 10}


class Window:
    """Scenes with controls.

    Parameters
    ----------
    plotter : pyvista.Plotter
        With as many renderers as there are scenes.
    stage : Stage
        Of scenes made for all states, see ``Look``.
    t : float
        The time to begin with, s.
    speed : float, optional
        Seconds of the result per second.
    """

    def __init__(self, plotter: Plotter, stage: Stage, t: float, speed: float | None = None) -> None:
        self.plotter, self.stage = plotter, stage
        self.player = Player(stage.times, t, speed)
        stage.add_to(plotter, t, HINT)
        self.slider = self._slider()
        self.help = _help(plotter)
        for keys, action in self._actions().items():
            for key in keys.split():
                plotter.add_key_event(key, action)
        plotter.render_window.AddObserver("WindowResizeEvent", self._resized)
        plotter.iren.interactor.AddObserver("TimerEvent", self._ticked)
        self._timer: int | None = None
        self._clock = 0.0

    def _actions(self) -> dict[str, Callable[[], object]]:
        """Return what keys do, by their names (several in one word)."""
        steps: dict[str, Callable[[], object]] = {key: self._stepper(by) for key, by in STEPS.items()}
        return steps | {
            "Home": lambda: self.go(self.player.first),
            "End": lambda: self.go(self.player.last),
            "space": self.play,
            "plus equal": lambda: self.player.faster(2.0),
            "minus": lambda: self.player.faster(0.5),
            "f": self.next_field,
            "bracketright": lambda: self.rescale(2.0),
            "bracketleft": lambda: self.rescale(0.5),
            "a": lambda: self._flip("impulses"),
            "r": lambda: self._flip("reference"),
            "c": self.reset_camera,
            "question": self.show_keys,
        }

    def go(self, t: float) -> None:
        """Show the states nearest to time t."""
        self.stage.show(self.player.go(t))
        self.slider.GetRepresentation().SetValue(self.player.t)
        self.plotter.render()

    def play(self) -> None:
        """Play, or pause."""
        interactor = self.plotter.iren.interactor
        if self.player.flip():
            self._clock = time.monotonic()
            self._timer = interactor.CreateRepeatingTimer(TICK)
        elif self._timer is not None:
            interactor.DestroyTimer(self._timer)
            self._timer = None

    def _ticked(self, *_: object) -> None:
        """Go on by the time that has passed: slow machines leave states out, they do not play slower."""
        if self.player.playing:
            now = time.monotonic()
            self.go(self.player.tick(now - self._clock))
            self._clock = now

    def next_field(self) -> None:
        """Colour by the next field there is."""
        names = self.stage.available
        name = self.stage.field.partition(".")[0]
        self.stage.recolour(names[(names.index(name) + 1) % len(names)])
        self.plotter.render()

    def rescale(self, factor: float) -> None:
        """Draw displacements larger or smaller by a factor."""
        self.stage.rescale(self.stage.scale * factor)
        self.plotter.render()

    def reset_camera(self) -> None:
        """Look from where the window looked at first."""
        self.stage.aim()
        self.plotter.render()

    def show_keys(self) -> None:
        """List the keys, or take the list away."""
        self.help.SetVisibility(not self.help.GetVisibility())
        self.plotter.render()

    def _flip(self, what: str) -> None:
        self.stage.flip(what)
        self.plotter.render()

    def _stepper(self, by: int) -> Callable[[], object]:
        return lambda: self.go(self.player.step(by))

    def _slid(self, slider: Any, _: str) -> None:
        self.go(slider.GetRepresentation().GetValue())

    def _resized(self, *_: object) -> None:
        """Draw the boards anew for the new size; text keeps its proportions."""
        size = tuple(self.plotter.render_window.GetSize())
        first = self.stage.panels[0]
        known = (round(first.overlay.board.size[0] / first.box[2]), first.overlay.board.size[1])
        if max(abs(a - b) for a, b in zip(size, known, strict=True)) > 1 and min(size) > 100:
            self.stage.fit()
            self._place(self.slider.GetRepresentation())

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
        widget.SetCurrentRenderer(self.stage.panels[0].overlay.back)  # the scene's renderer has but a part of it
        widget.AddObserver("InteractionEvent", self._slid)
        widget.EnabledOn()
        return widget

    def _place(self, shape: vtkSliderRepresentation2D) -> None:
        first = self.stage.panels[0]
        x, y, width, _ = first.overlay.board.scene
        ends = (shape.GetPoint1Coordinate(), x + 0.28 * width), (shape.GetPoint2Coordinate(), x + 0.98 * width)
        for end, along in ends:
            end.SetCoordinateSystemToNormalizedDisplay()
            end.SetValue(first.box[0] + along * first.box[2], y - 0.025)


def _help(plotter: Plotter) -> Any:
    """Return the list of keys, hidden, in front of everything."""
    front = vtkRenderer()
    front.SetInteractive(False)
    window = plotter.render_window
    window.SetNumberOfLayers(3)
    front.SetLayer(2)
    window.AddRenderer(front)
    words = vtkTextActor()
    names, longest = (max(len(row[k]) for row in KEYS) for k in (0, 1))
    lines = [f" {keys:<{names}}   {what:<{longest}} " for keys, what in KEYS]
    words.SetInput("\n".join(lines).replace(" ", "\u00a0"))  # VTK would take spaces off the ends, and columns apart
    words.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    words.GetPositionCoordinate().SetValue(0.5, 0.55)
    look = words.GetTextProperty()
    use_font(look, "DejaVu Sans Mono", max(10, round(0.018 * plotter.window_size[1])))
    look.SetJustificationToCentered()
    look.SetVerticalJustificationToCentered()
    look.SetLineSpacing(1.4)
    look.SetColor(1.0, 1.0, 1.0)
    look.SetBackgroundColor(0.13, 0.13, 0.13)
    look.SetBackgroundOpacity(0.9)
    words.SetVisibility(False)
    front.AddViewProp(words)
    return words


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
    """Let Ctrl-C in the terminal end the program: while VTK waits for events, Python would not hear of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
