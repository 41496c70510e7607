"""Events of a tracked mode between two speeds: intersection with a multiple of the speed, onset of instability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.analysis.rotors.eigenpairs import ComplexArray, Matrices, refine
from flexmb.analysis.rotors.rates import GROWS, damping_ratio, log_decrement
from flexmb.analysis.rotors.tracking import Followed
from flexmb.analysis.rotors.whirl import Motions
from flexmb.system.rotating import RotatingSystem

CLOSE = 1e-12
"""Relative accuracy of speeds."""


@dataclass(frozen=True)
class CriticalSpeed:
    """A speed at which a frequency is ``order`` times the speed.

    Parameters
    ----------
    speed : float
        rad/s.
    order : float
    eigenvalue : complex
        Of the mode there, 1/s.
    whirl : str
    line : int
        The line of the Campbell map it lies on, from 0; -1 where there is none.
    """

    speed: float
    order: float
    eigenvalue: complex
    whirl: str
    line: int = -1

    @property
    def damping_ratio(self) -> float:
        """Damping ratio of the mode."""
        return float(damping_ratio(np.array([self.eigenvalue]))[0])

    @property
    def log_decrement(self) -> float:
        """Logarithmic decrement of the mode."""
        return float(log_decrement(np.array([self.eigenvalue]))[0])


@dataclass(frozen=True)
class Onset:
    """A speed at which a mode begins to grow (``grows``) or, at higher speed, to decay again.

    ``speed`` is in rad/s, ``eigenvalue`` that of the mode there (its real part is zero), ``line`` as in CriticalSpeed.
    """

    speed: float
    eigenvalue: complex
    whirl: str
    grows: bool
    line: int


def line_crossings(system: RotatingSystem, lines: Sequence[Followed], order: float) -> list[CriticalSpeed]:
    """Return the intersections of the lines with ``order`` times the speed, in the order of speed."""
    found = []
    for root, j in _roots(system, lines, lambda speed, lam: lam.imag - order * abs(speed)):
        if root.speed != 0.0:
            found.append(CriticalSpeed(root.speed, order, complex(root.lam), root.word, j))
    return sorted(found, key=lambda c: c.speed)


def line_onsets(system: RotatingSystem, lines: Sequence[Followed]) -> list[Onset]:
    """Return where lines become unstable or stable, in the order of speed."""
    found = []
    for root, j in _roots(system, lines, lambda speed, lam: lam.real, GROWS):
        found.append(Onset(root.speed, complex(root.lam), root.word, root.rises, j))
    return sorted(found, key=lambda c: c.speed)


@dataclass(frozen=True)
class _Root:
    speed: float
    lam: complex
    word: str
    rises: bool


Condition = Callable[[float, complex], float]


def _roots(
    system: RotatingSystem, lines: Sequence[Followed], condition: Condition, noise: float = 0.0
) -> Iterator[tuple[_Root, int]]:
    """Yield the zeros of a condition on (speed, lam) along the lines; values below noise |lam| have no sign."""
    motions = Motions(system)
    for a, b in zip(lines[:-1], lines[1:], strict=True):
        for j in range(a.lam.size):
            if not (np.isfinite(a.lam[j]) and np.isfinite(b.lam[j])):
                continue
            fa, fb = (condition(at.speed, complex(at.lam[j])) for at in (a, b))
            small = noise * abs(a.lam[j])
            # a zero at the first of all speeds is a root, at the others it is the end of an interval already treated
            if fa * fb < 0.0 and max(abs(fa), abs(fb)) > small or (fb == 0.0 and abs(fa) > small):
                speed, lam, x = _root(system, a, b, j, condition)
                yield _Root(speed, lam, motions.word(lam, x, speed), fb > fa), j


def _root(
    system: RotatingSystem, a: Followed, b: Followed, j: int, condition: Condition
) -> tuple[float, complex, ComplexArray]:
    """Return speed and mode where the condition is zero between two speeds.

    The mode at a trial speed is found by Newton's method from the nearest mode known, so that it stays on its line.
    """
    from scipy.optimize import brentq

    known = {at.speed: (complex(at.lam[j]), at.X[:, j]) for at in (a, b)}

    def value(speed: float) -> float:
        if speed not in known:
            below, above = max(v for v in known if v < speed), min(v for v in known if v > speed)
            part = (speed - below) / (above - below)
            guess = (1.0 - part) * known[below][0] + part * known[above][0]
            known[speed] = refine(Matrices(*system.at(speed)), guess, known[below if part < 0.5 else above][1])
        return condition(speed, known[speed][0])

    speed = float(brentq(value, a.speed, b.speed, xtol=CLOSE * max(abs(a.speed), abs(b.speed)), rtol=CLOSE))
    value(speed)
    return speed, *known[speed]
