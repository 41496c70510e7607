"""Step size control for constant systems: steps are the interval between samples, halved k times.

So there are few step sizes, whose factorizations are kept, and every sample is the end of a step. A step is rejected,
and halved, if

* its local error (``Scheme.position_error``: of places over the size of the system, of rotations in rad) is above the
  tolerance;
* a contact closes in it whose impulses change velocities by w, and h |w| is above the tolerance: the impact may have
  happened anywhere in the step, so this is how far positions may be off. Halving finds the impact as bisection does;
* a contact ends it deeper than the tolerance, or was deeper inside it by the cubic of its gaps and rates.

An impact itself is a jump that no smaller step makes smaller, so velocities in the step that holds it are not judged. A
step whose error is an eighth of the tolerance is followed by one of twice the length, where that one would end at a
sample or before.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.drive.engine import Plan
from flexmb.drive.general import GeneralEngine, Step
from flexmb.errors import NotConverged, SimulationError
from flexmb.record.samples import Tally
from flexmb.schemes.scheme import Memory
from flexmb.state import Array, State
from flexmb.system.linear_instant import LinearInstant
from flexmb.system.linear_system import LinearSystem

MOST_HALVINGS = 40
"""Maximum number of halvings of an interval between samples, unless limited earlier by the round-off of time."""
SAFETY = 0.9
"""Safety factor on the step size given by the error estimate."""
LEVEL, LENGTH, TAKEN = 0, 1, 2
"""Entries of ``AdaptiveEngine.pace``: number of halvings of the interval, length of the last step, number of steps."""


class AdaptiveEngine(GeneralEngine):
    """Runs a scheme with an error estimate on a constant system, step by step in Python."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.linear: LinearSystem = plan.linear
        self.prepared = {0: self.fixed}
        self.pace = np.array([0.0, plan.h, 0.0])
        self.pressed = np.zeros(plan.system.contacts.nc)
        latest = max(abs(plan.t0), abs(plan.time(plan.steps)))
        self.most = min(MOST_HALVINGS, max(0, math.floor(math.log2(plan.h / (1e-13 * latest + 1e-300)))))

    def _go(self) -> SimulationError | None:
        """Advance to the next sample in as many steps as the tolerance requires."""
        plan, done, held = self.plan, 0.0, 0.0
        while done < 1.0:
            level = int(self.pace[LEVEL])
            length = 0.5**level
            t_0, t_1 = (plan.t0 + (self.step + part) * plan.h for part in (done, done + length))
            before = State(t_0, self.state.q, self.state.v)
            memory = plan.scheme.resized(self.system, before, self.memory, float(self.pace[LENGTH]), plan.h * length)
            step = self._step(before, plan.h * length, memory, self._prepared(level))
            smooth, jump = math.inf, 0.0
            if not isinstance(step, SimulationError):
                smooth, jump = self._error(before, memory, step, plan.h * length)
            if max(smooth, jump) > 1.0 and level < self.most:
                more = math.log2(smooth) / 3.0 - math.log2(SAFETY) if 1.0 < smooth < math.inf and jump <= 1.0 else 1.0
                self.pace[LEVEL] = min(level + max(1, math.ceil(more)), self.most)
                held = done + length if jump > 1.0 else held  # this step contains the impact: no longer ones before
                continue
            if isinstance(step, SimulationError):
                step.time = t_1
                return step
            if smooth > 1.0:
                return NotConverged(
                    f"the local error remains above the tolerance {plan.tolerance:g} at any step size",
                    time=t_1,
                    step=self.step + 1,
                    residual=smooth * plan.tolerance,
                )
            done += length
            self._accept(State(plan.t0 + (self.step + done) * plan.h, step[0].q, step[0].v), step[1], step[2])
            held = 0.0 if (step[2].P > 0.0)[self.pressed == 0.0].any() else held
            self.pressed = step[2].P
            self.pace[LENGTH], self.pace[TAKEN] = plan.h * length, self.pace[TAKEN] + 1.0
            even = level > 0 and (done / length) % 2.0 == 0.0
            if even and done >= held and SAFETY * max(smooth, 1e-30) ** (-1.0 / 3.0) >= 2.0:
                self.pace[LEVEL] = level - 1
        return None

    def _prepared(self, level: int) -> Any:
        """Return the prepared data of the scheme for steps of an interval halved ``level`` times."""
        if level not in self.prepared:
            self.prepared[level] = self.plan.scheme.prepare(self.system, self.plan.h * 0.5**level)
        return self.prepared[level]

    def _error(self, before: State, memory: Memory, step: Step, h: float) -> tuple[float, float]:
        """Return the errors of a step over the tolerance: of its smooth motion, and of the time of closing contacts."""
        new, after, report = step
        tolerance, size = self.plan.tolerance, self.linear.extent or 1.0
        smooth = self._measure(self.plan.scheme.position_error(self.system, before, new, memory, after, h))
        closing = np.where(self.pressed == 0.0, report.P, 0.0)
        jump = 0.0
        if closing.any():
            end = self.linear.instant(new.t, new.q, new.v)
            jump = h * self._measure(self.linear.factor(end, 1.0, 0.0, 0.0).solve(end.G @ closing))
        if self.pressed.size:
            assert isinstance(self.records.now, LinearInstant)
            end = self.linear.instant(new.t, new.q, new.v)
            lowest = _lowest(self.records.now.g, h * self.records.now.U, end.g, h * end.U)
            depth = float((np.minimum(self.records.now.g, 0.0) - lowest).max(initial=0.0))
            jump = max(jump, depth / size)
        return smooth / tolerance, jump / tolerance

    def _measure(self, x: Array) -> float:
        """Return the largest entry of a vector of unknowns: displacements over the system size, rotations in rad."""
        over = np.where(self.linear.turning, 1.0, self.linear.extent or 1.0)
        return float((np.abs(x) / over).max(initial=0.0))

    def snapshot(self) -> dict[str, Array]:
        """Return copies of the complete state of the engine."""
        return {**super().snapshot(), "pace": self.pace.copy(), "pressed": self.pressed.copy()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError if it does not fit this run."""
        super().restore(arrays, step)
        self.pace, self.pressed = arrays["pace"].copy(), arrays["pressed"].copy()

    def tally(self) -> Tally:
        """Return the statistics of all steps."""
        tally = super().tally()
        tally.steps_taken = int(self.pace[TAKEN])
        return tally


def _lowest(g_0: Array, d_0: Array, g_1: Array, d_1: Array) -> Array:
    """Return the least values on [0, 1] of the cubics with values g and slopes d at both ends, (n,)."""
    lowest = np.minimum(g_0, g_1)
    a, b = 2.0 * (g_0 - g_1) + d_0 + d_1, 3.0 * (g_1 - g_0) - 2.0 * d_0 - d_1
    root = np.sqrt(np.maximum(b * b - 3.0 * a * d_0, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(b > 0.0, -d_0 / (b + root), (root - b) / (3.0 * a))  # where the slope becomes positive
    inside = np.isfinite(s) & (s > 0.0) & (s < 1.0) & (d_0 < 0.0) & (d_1 > 0.0)
    s = np.where(inside, s, 0.0)
    return np.asarray(np.where(inside, np.minimum(lowest, ((a * s + b) * s + d_0) * s + g_0), lowest))
