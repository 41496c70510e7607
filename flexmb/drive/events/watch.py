"""Event functions on the dense output of a step, and the first of their roots.

    CLOSING   g of an open contact; g / (t - t_open) after a release at g = 0, which has no root there
    RELEASE   lam_N of a closed one; where rows depend on each other: whether the contacts can hold each other at all
    SLIPPING  mu lam_N - |lam_T| of one that sticks
    STICKING  s U_T of one that slips
    EDGE      way to the end of the piece of a curve (``edges``)

They are looked at in 8 parts of the step, so that hops shorter than the step are seen, where a first look at its ends
does not rule an event out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # loads its subpackages when they are used
from numpy.typing import NDArray

from flexmb.drive.events.edges import Edges
from flexmb.drive.events.thresholds import Thresholds
from flexmb.smooth.dense import inside_of, velocity_of
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothStep
from flexmb.state import Array, IntArray

CLOSING, RELEASE, SLIPPING, STICKING, EDGE = "closing", "release", "slip", "stick", "edge"
POINTS = 8
"""Number of parts of a step in which the sign of an event function is checked, so that short flights are found."""
FAR = 2.0
"""Factor on the largest change of a gap in a step, in the first check."""
STEADY = 0.2
"""Fraction of its largest value in a step above which a force counts as nonzero."""
FLIP = 1e-13
"""Accuracy, relative to the step, to which the loss of solvability of the contact problem is located."""


@dataclass(frozen=True)
class Event:
    """The first event in a step: kind, contact (row of ``Edges``), and its s in [0, 1]."""

    kind: str
    contact: int
    s: float


class Watch:
    """The event functions of one step."""

    def __init__(
        self,
        phase: Phase,
        step: SmoothStep,
        thresholds: Thresholds,
        holds: Callable[[PhaseInstant], bool] | None = None,
        edges: Edges | None = None,
        quiet: NDArray[np.bool_] | None = None,
    ) -> None:
        self.phase, self.step, self.holds = phase, step, holds
        self.edges = Edges(phase.system) if edges is None else edges
        self.inside = inside_of(phase.system, step)
        self.functions: list[tuple[str, int]] = []
        start, end = step.start.here, step.end.here
        self.tau_0 = thresholds.closed(start.here)
        self.tau_lam = max(thresholds.no_force(phase, step.start), thresholds.no_force(phase, step.end))
        for i in self._near():
            self.functions.append((CLOSING, int(i)))
        if phase.closed.size:
            self._watch_forces(start, end)
        if quiet is not None:  # contacts on which the signs of the step decide
            self.functions = [f for f in self.functions if f[1] < 0 or not quiet[f[1]]]
        self.functions += [(EDGE, k) for k in self.edges.watched()]

    def _near(self) -> IntArray:
        """Return the open contacts that may close in the step."""
        phase, h = self.phase, self.step.h
        g_0, g_1 = self.step.start.here.here.g, self.step.end.here.here.g
        U_0, U_1 = self.step.start.here.here.U, self.step.end.here.here.U
        speed = np.maximum(np.abs(U_0), np.abs(U_1)) + np.abs(U_1 - U_0)
        near = (g_1 <= 0.0) | (g_0 + g_1 <= FAR * h * speed)
        near[phase.closed] = False
        return np.flatnonzero(near)

    def _watch_forces(self, start: PhaseInstant, end: PhaseInstant) -> None:
        phase, step, nj = self.phase, self.step, self.phase.nj
        seen = np.concatenate([step.start.lam[None], step.lam_inside.reshape(-1, phase.nr), step.end.lam[None]])
        if self.holds is not None:
            self.functions.append((RELEASE, -1))
        else:
            normal = seen[:, phase.normals]
            largest = np.abs(normal).max(axis=0)
            for k in np.flatnonzero(normal.min(axis=0) <= STEADY * largest):
                if not self._surely(step, nj + int(k)):
                    self.functions.append((RELEASE, int(phase.closed[k])))
        for tie, contact in enumerate(phase.stuck.tolist()):
            place = int(np.flatnonzero(phase.closed == contact)[0])
            limit = phase.mu[place] * seen[:, nj + place]
            if (limit - np.abs(seen[:, phase.ties.start + tie]) <= STEADY * np.abs(limit).max()).any():
                self.functions.append((SLIPPING, int(contact)))
        for k in phase.sliding:
            self.functions.append((STICKING, int(phase.closed[k])))

    def _surely(self, step: SmoothStep, row: int) -> bool:
        """Return whether an implicit step presses a row, at its end and on average: instantaneous signs are noise."""
        return step.lam_end is not None and step.lam_end[row] > self.tau_lam and step.impulse[row] > 0.0

    def forces(self, s: float, at: PhaseInstant) -> Array:
        """Return the forces of the rows at s: instantaneous ones, or linear ones if the step is implicit."""
        start, end = self.step.start.lam, self.step.end.lam
        if s >= 1.0:
            return end
        return self.phase.index_one(at)[1] if self.step.lam_end is None else start + s * (end - start)

    def at(self, s: float) -> PhaseInstant:
        """Return the phase at s."""
        if s >= 1.0:
            return self.step.end.here
        x, rate = self.inside.at(s)
        system, start = self.phase.system, self.step.start
        return self.phase.at(start.t + s * self.step.h, system.advance(start.q, x), velocity_of(system, x, rate))

    def value(self, function: tuple[str, int], at: PhaseInstant, lam: Array | None = None) -> float:
        """Return an event function at an instant; ``lam`` are the forces of the rows, if known."""
        kind, contact = function
        phase = self.phase
        if kind == CLOSING:
            return float(at.here.g[contact])
        if kind == EDGE:
            return self.edges.value(contact, at.here)
        place = int(np.searchsorted(phase.closed, contact))
        if kind == STICKING:
            column = phase.system.contacts.blocks.start[contact]
            return float(phase.slip[place] * at.here.U_T[column])
        if contact < 0:
            assert self.holds is not None
            return 1.0 if self.holds(at) else -1.0
        lam = phase.index_one(at)[1] if lam is None else lam
        normal = float(lam[phase.nj + place])
        if kind == RELEASE:
            return normal
        tie = phase.ties.start + int(np.searchsorted(phase.stuck, contact))
        return float(phase.mu[place]) * normal - abs(float(lam[tie]))

    def first(self) -> Event | None:
        """Return the first event, None if there is none."""
        if not self.functions:
            return None
        if self.holds is not None and not self.holds(self.step.start.here):
            return Event(RELEASE, -1, 0.0)
        before = [self._start_value(f) for f in self.functions]
        fresh = [self._fresh(f) for f in self.functions]
        # a contact after an impact may be slightly below zero, due to projections on joints or a captured impact
        floor = [min(0.0, self.value(f, self.step.start.here, self.step.start.lam)) for f in self.functions]
        last = 0.0
        force = any(f[0] in (RELEASE, SLIPPING) and f[1] >= 0 for f in self.functions)
        for s in np.linspace(0.0, 1.0, POINTS + 1)[1:]:
            at = self.at(float(s))
            lam = self.forces(float(s), at) if force else None
            found: list[Event] = []
            for k, f in enumerate(self.functions):
                value = self.value(f, at, lam)
                below = value < floor[k] - self._margin(f) if fresh[k] else value <= 0.0
                if before[k] > 0.0 and below:
                    found.append(Event(*f, self._root(f, last, float(s), fresh[k])))
                if value > self._margin(f):
                    fresh[k] = False
                before[k] = value if not fresh[k] else 1.0
            if found:
                return min(found, key=lambda event: event.s)
            last = float(s)
        return None

    def _margin(self, function: tuple[str, int]) -> float:
        kind, contact = function
        if kind == CLOSING:
            return float(self.tau_0[contact])
        if kind == EDGE:
            return 1e-12 * self.edges.size
        if kind == STICKING:
            return 1e-12 * (float(np.abs(self.step.start.v).max(initial=0.0)) + 1e-3)
        return self.tau_lam if contact >= 0 else 0.0

    def _start_value(self, function: tuple[str, int]) -> float:
        start = self.step.start
        return 1.0 if self._fresh(function) else self.value(function, start.here, start.lam)

    def _fresh(self, function: tuple[str, int]) -> bool:
        """Return whether a function is zero at the start, where its event has just been handled."""
        start = self.step.start
        return self.value(function, start.here, start.lam) <= self._margin(function)

    def _root(self, function: tuple[str, int], a: float, b: float, fresh: bool) -> float:
        """Return the root of a function in (a, b]; that of f / s if it starts at zero."""
        force = function[0] in (RELEASE, SLIPPING) and function[1] >= 0

        def along(s: float) -> float:
            at = self.at(s)
            return self.value(function, at, self.forces(s, at) if force else None)

        if function == (RELEASE, -1):  # Boolean function: the first point where it is false
            while b - a > FLIP:
                a, b = (0.5 * (a + b), b) if along(0.5 * (a + b)) > 0.0 else (a, 0.5 * (a + b))
            return b
        if fresh and a == 0.0:
            low = b
            for _ in range(40):  # where it is still positive: it increased from zero, or the start is the only root
                low *= 0.5
                if along(low) > 0.0:
                    return float(scipy.optimize.brentq(along, low, b, xtol=1e-15))
                if low < 1e-9:
                    break
            return 0.0
        if along(b) == 0.0:
            return b
        if fresh and along(a) <= 0.0:  # it was zero until now
            return a
        return float(scipy.optimize.brentq(along, a, b, xtol=1e-15))
