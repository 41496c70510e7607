"""Trial steps of the integrator of a motion, with and without error control."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from flexmb.drive.events.settling import Settling
from flexmb.drive.events.step_control import factor
from flexmb.errors import NOT_FINITE, NotConverged
from flexmb.smooth.smooth_step import SmoothStep

if TYPE_CHECKING:
    from flexmb.drive.events.compiled_march import CompiledMarch


class TrialSteps(Settling):
    """A motion that takes trial steps from the current state; none of them is recorded."""

    march: CompiledMarch | None = None
    """The compiled loop that takes steps where no event occurs, if there is one."""

    def between(self) -> None:
        """Do nothing between two steps; engines replace it."""

    def _smooth(self, h: float) -> SmoothStep:
        """Return a step of the integrator from the current state."""
        found = self.march.step(self, h) if self.march is not None else None
        return self.scheme.smooth_step(self.phase, self.state, h) if found is None else found

    def _on_time(self, step: SmoothStep, t: float) -> SmoothStep:
        """Return a step with its end exactly at a time of the grid, which sums of steps miss by round-off."""
        end = step.end
        if end.t == t:
            return step
        return replace(step, end=replace(end, t=t, here=self.phase.at(t, end.q, end.v)))

    def _take(self, h: float) -> SmoothStep | None:
        """Return a step of length h; None if its error is too large and a shorter one is required."""
        try:
            step = self._smooth(h)
        except NotConverged:
            self.counts.add("rejected")
            self.limit = 0.5 * h
            if self.limit < 1e-6 * self.h:
                raise
            return None
        if self.limit < float("inf"):
            self.limit = float("inf") if 4.0 * h >= self.h else 2.0 * h
        self.counts.add("evaluations", step.evaluations)
        self.counts.add("solves", step.solves)
        finite = bool(np.isfinite(step.end.v).all())
        if not self.tolerance:
            if not finite:
                self._fail(NOT_FINITE)
            return step
        err = self.scheme.local_error(self.norm.of(step)) if finite else float("inf")
        grown = factor(err, self.tolerance, self.scheme.error_power)
        if not err <= self.tolerance:
            self.counts.add("rejected")
            self.wanted = h * min(grown, 0.9)
            return None
        self.wanted = max(h * grown, self.wanted if h < 0.9 * self.wanted else 0.0)
        return step

    def _tried_step(self, h: float) -> SmoothStep:
        step = self._smooth(h)
        self.counts.add("evaluations", step.evaluations)
        self.counts.add("solves", step.solves)
        return step
