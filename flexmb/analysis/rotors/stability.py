"""Instability of a rotor in its range of speeds: self-excited whirl, reported with a run.

A mode grows where Re lam > ``GROWS`` |lam|; rigid motions (lam = 0) never do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.analysis.rotors.eigenpairs import Matrices
from flexmb.analysis.rotors.growth import Growing, fastest
from flexmb.analysis.rotors.speed_path import SpeedPath
from flexmb.analysis.rotors.speeds import speed_words
from flexmb.analysis.rotors.whirl import Motions
from flexmb.state import Array
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, rotating_system

CLOSE = 0.01
"""Relative accuracy of the onset speed."""
HALVINGS = 12
"""Maximum number of bisections to find the onset."""


@dataclass(frozen=True)
class Instability:
    """A mode that grows.

    Parameters
    ----------
    speed : float
        Of the first rotor, rad/s.
    eigenvalue : complex
        1/s.
    whirl : str
    """

    speed: float
    eigenvalue: complex
    whirl: str

    @property
    def growth(self) -> float:
        """Growth rate, 1/s."""
        return self.eigenvalue.real

    @property
    def frequency(self) -> float:
        """Frequency of the mode, Hz."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def motion(self) -> str:
        """Description of the mode."""
        return f"a mode ({self.whirl}, {self.frequency:.6g} Hz)"

    @property
    def rate(self) -> str:
        """Description of its growth."""
        return f"grows by {self.growth:.4g} 1/s, {1.0 / self.growth:.3g} s for a factor of e"

    def __str__(self) -> str:
        return f"unstable at {speed_words(self.speed)}: {self.motion} {self.rate}"


@dataclass(frozen=True)
class SelfExcited:
    """Instability of a rotor along a path of speeds.

    Parameters
    ----------
    onset : Instability
        Onset of instability, to 1 % of the speed.
    worst : Instability
        Largest growth of all evaluated speeds.
    time : float
        Time of the first onset, s; nan on a path without times.
    at_start : bool
        Whether it is unstable from the start.
    span : (float, float)
        Range of speeds of the first rotor, rad/s.
    """

    onset: Instability
    worst: Instability
    time: float
    at_start: bool
    span: tuple[float, float]

    def __str__(self) -> str:
        if self.span[0] == self.span[1]:
            return str(self.worst)
        begins = "unstable from the start, " if self.at_start else "unstable from "
        when = "" if self.at_start or np.isnan(self.time) else f" on, passed at {self.time:.4g} s"
        first = f"{begins}{speed_words(self.onset.speed)}{when}: {self.onset.motion}"
        return f"{first}; fastest at {speed_words(self.worst.speed)}: {self.worst.motion} {self.worst.rate}"


def instability(model: Model | HasModel | RotatingSystem, speed: float | None = None) -> Instability | None:
    """Return the mode with the largest growth rate at a speed, None if all modes are stable.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speed : float, optional
        rad/s; by default the speed range of the model is searched upward, and the onset is returned.
    """
    system = rotating_system(model)
    if speed is not None:
        return _at(system, [rotor.ratio * speed for rotor in system.rotors])
    found = self_excited(system, SpeedPath.through(system, *system.span))
    return None if found is None else found.onset


def self_excited(model: Model | HasModel | RotatingSystem, path: SpeedPath) -> SelfExcited | None:
    """Return where a rotor becomes unstable along a path of speeds, None if it is stable.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    path : SpeedPath
        The path, evaluated at ``SpeedPath.places``; between the last stable and the first unstable one the onset is
        found by bisection.
    """
    system = rotating_system(model)
    stable, found = np.nan, {}
    for t in path.places(system).tolist():
        if (unstable := _at(system, path.at(t))) is not None:
            found[t] = unstable
        elif not found:
            stable = t
    if not found:
        return None
    time = next(iter(found))
    onset = found[time]
    if not np.isnan(stable):
        time, onset = _onset(system, path, stable, time, onset)
    worst = max(found.values(), key=lambda one: one.growth)
    return SelfExcited(onset, worst, time if path.timed else np.nan, bool(np.isnan(stable)), path.span)


def _onset(
    system: RotatingSystem, path: SpeedPath, stable: float, unstable: float, found: Instability
) -> tuple[float, Instability]:
    """Return the time of onset between a stable and an unstable one, and the mode that begins to grow."""
    for _ in range(HALVINGS):
        a, b = path.at(stable), path.at(unstable)
        if (np.abs(b - a) <= CLOSE * np.maximum(np.abs(a), np.abs(b))).all():
            break
        middle = 0.5 * (stable + unstable)
        if (grown := _at(system, path.at(middle))) is None:
            stable = middle
        else:
            unstable, found = middle, grown
    return unstable, found


def _at(system: RotatingSystem, speeds: Sequence[float] | Array) -> Instability | None:
    """Return the mode with the largest growth rate at these speeds of the rotors."""
    speed = float(speeds[0])
    found: Growing | None = fastest(Matrices(*system.at_each(speeds)), float(np.max(np.abs(speeds))))
    if found is None:
        return None
    word = Motions(system).word(found.eigenvalue, found.shape, speed)
    return Instability(speed, found.eigenvalue, word)
