"""Whether a rotor is unstable by itself at the speeds it runs at: self-excited whirl, reported before a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.model import Model
from flexmb.rotating import HasModel, RotatingSystem, rotating_system
from flexmb.rotor_analysis.modes import rotor_modes

SPEEDS = 7
"""At how many speeds a range is looked at."""
MODES = 12
"""How many of the lowest modes are looked at."""


@dataclass(frozen=True)
class Instability:
    """A mode that grows.

    Parameters
    ----------
    speed : float
        rad/s.
    mode : int
        Its number at this speed, from 1, as ``flexmb modes`` prints it.
    eigenvalue : complex
        1/s.
    whirl : str
    """

    speed: float
    mode: int
    eigenvalue: complex
    whirl: str

    @property
    def growth(self) -> float:
        """Growth rate, 1/s."""
        return self.eigenvalue.real

    @property
    def frequency(self) -> float:
        """Hz."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    def __str__(self) -> str:
        rpm = self.speed * 30.0 / np.pi
        return (
            f"unstable at {self.speed:.6g} rad/s ({rpm:.6g} rpm): mode {self.mode} ({self.whirl}, "
            f"{self.frequency:.6g} Hz) grows by {self.growth:.4g} 1/s, {1.0 / self.growth:.3g} s for a factor of e"
        )


def instability(model: Model | HasModel | RotatingSystem, speed: float | None = None) -> Instability | None:
    """Return the mode that grows fastest at a speed, None when all modes are stable.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speed : float, optional
        rad/s; by default speeds over the range the model gives are looked at, from the lowest on, and the first
        unstable one is reported.
    """
    system = rotating_system(model)
    low, high = system.span
    speeds = [speed] if speed is not None else [low] if low == high else np.linspace(low, high, SPEEDS).tolist()
    for W in speeds:
        found = rotor_modes(system, float(W), min(MODES, system.nv))
        if not found.stable:
            k = int(np.argmax(np.where(found.unstable, found.eigenvalues.real, -np.inf)))
            return Instability(float(W), k + 1, complex(found.eigenvalues[k]), found.whirl[k])
    return None
