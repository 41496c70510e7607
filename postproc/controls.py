"""The operations of a viewer, by keys or other controls, for the window and for the web page."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from flexmb.errors import InputError
from flexmb.postproc.player import Player
from flexmb.postproc.stage import Stage
from flexmb.postproc.view import check_scale


class Controls(ABC):
    """Scenes, the current time, and the operations on them.

    Parameters
    ----------
    stage : Stage
        Of scenes made for all states, see ``Look``.
    t : float
        The time to begin with, s.
    speed : float, optional
        Seconds of the result per second.
    """

    def __init__(self, stage: Stage, t: float, speed: float | None = None) -> None:
        self.stage, self.player = stage, Player(stage.times, t, speed)
        self._clock = 0.0

    @abstractmethod
    def refresh(self) -> None:
        """Update the picture and the controls."""

    @abstractmethod
    def start(self) -> None:
        """Start calling ``tick`` periodically."""

    @abstractmethod
    def stop(self) -> None:
        """Stop calling ``tick``."""

    @abstractmethod
    def show_keys(self) -> None:
        """Show or hide the list of keys."""

    def press(self, key: str) -> None:
        """Execute the action of a key, named as in browsers; other keys are ignored."""
        if key in ACTIONS:
            ACTIONS[key](self)

    def go(self, t: float, passing: bool = False) -> None:
        """Show the states nearest to time t; ``passing`` means continuous playback, not a jump."""
        self.stage.show(self.player.go(t), passing)
        self.refresh()

    def step(self, by: int) -> None:
        """Go forward or back by a number of states."""
        self.go(self.player.step(by))

    def play(self) -> None:
        """Play, or pause."""
        if self.player.flip():
            self._clock = time.monotonic()
            self.start()
        else:
            self.stop()
        self.refresh()

    def tick(self) -> None:
        """Advance by the elapsed time: slow machines skip states instead of playing more slowly."""
        if self.player.playing:
            now = time.monotonic()
            self.go(self.player.tick(now - self._clock), passing=True)
            self._clock = now

    def faster(self, factor: float) -> None:
        """Multiply the playback speed by ``factor``."""
        self.player.faster(factor)
        self.refresh()

    def recolour(self, field: str) -> None:
        """Colour by another field."""
        self.stage.recolour(field)
        self.refresh()

    def next_field(self) -> None:
        """Colour by the next available field."""
        names, name = self.stage.available, self.stage.field.partition(".")[0]
        self.recolour(names[(names.index(name) + 1) % len(names)])

    def rescale(self, scale: object) -> None:
        """Magnify displacements by ``scale``; InputError if it is out of range."""
        self.stage.rescale(check_scale(scale))
        self.refresh()

    def grow(self, factor: float) -> None:
        """Multiply the magnification of displacements by ``factor``, within its limits."""
        try:
            scale = check_scale(factor * self.stage.scale)
        except InputError:
            return
        self.rescale(scale)

    def flip(self, what: str) -> None:
        """Show or hide the ``reference`` or the ``impulses``."""
        self.stage.flip(what)
        self.refresh()

    def reset_camera(self) -> None:
        """Reset the direction of view, and fit everything at its present magnification."""
        self.stage.aim()
        self.refresh()


Action = Callable[[Controls], None]


@dataclass(frozen=True)
class Keys:
    """Keys with a common purpose.

    Parameters
    ----------
    names : str
        Labels of the keys.
    what : str
        Description of the actions.
    actions : dict
        Actions by the browser names of the keys.
    """

    names: str
    what: str
    actions: dict[str, Action]


KEYS = (
    Keys("space", "play, pause", {" ": lambda c: c.play()}),
    Keys("← →", "one state back, on", {"ArrowLeft": lambda c: c.step(-1), "ArrowRight": lambda c: c.step(1)}),
    Keys("PgUp PgDn", "ten states back, on", {"PageUp": lambda c: c.step(-10), "PageDown": lambda c: c.step(10)}),
    Keys(
        "Home End", "first, last state", {"Home": lambda c: c.go(c.player.first), "End": lambda c: c.go(c.player.last)}
    ),
    Keys(
        "+ −",
        "play faster, slower",
        {"+": lambda c: c.faster(2.0), "=": lambda c: c.faster(2.0), "-": lambda c: c.faster(0.5)},
    ),
    Keys("f", "next field to color by", {"f": lambda c: c.next_field()}),
    Keys(
        "] [",
        "displacements larger, smaller",
        {"]": lambda c: c.grow(2.0), "[": lambda c: c.grow(0.5)},
    ),
    Keys("a", "arrows of contact impulses on, off", {"a": lambda c: c.flip("impulses")}),
    Keys("r", "reference position on, off", {"r": lambda c: c.flip("reference")}),
    Keys("c", "reset the camera, all in view", {"c": lambda c: c.reset_camera()}),
    Keys("?", "these keys on, off", {"?": lambda c: c.show_keys()}),
)
"""Keyboard controls of the window and the web page."""
ACTIONS = {key: action for keys in KEYS for key, action in keys.actions.items()}
