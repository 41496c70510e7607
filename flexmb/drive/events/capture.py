"""Higher order event capturing (RR-7151, algorithm 1): a step of Moreau's scheme of a critical length over each impact.

Smooth motion is integrated with order p. Where a contact closes, a smooth step ends shortly before the impact, so that

    g + (h_c / 2) U = 0   to within h_c |U| / 16,

and one step of Moreau's scheme (theta = 1/2, gamma = 1) of the critical length h_c goes over it. Its local errors are
O(h_c) in positions and velocities, where the impact is the one that is forecast, so with h_c = C h^(p+1) / T^p (T: the
time of the run) the order p is kept through impacts. With a tolerance h_c is that of which a step and two of half the
length differ by the tolerance in the positions: there the scheme is of order 0 (RR 5.3, eqs 67-70), so the error goes
with h_c.

What algorithm 1 lacks: steps without an event are accepted; contacts that separate (U > 0) are open after the critical
step, whatever their gap; a rebound shorter than h* (``short_flights``) ends the sequence of impacts. Forces of contacts
are continuous where they vanish, so releases need no critical step: they are located.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.drive.events.impacts import Instantly
from flexmb.drive.events.landing import land
from flexmb.drive.events.motion import Motion
from flexmb.drive.events.stepping import Stepping
from flexmb.drive.events.watch import CLOSING, Event, Watch
from flexmb.schemes.implicit_runge_kutta import ImplicitRungeKutta
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.state import Array

AIMED = 1.0 / 16.0
"""Largest distance of the impact from the middle of the critical step, over its length."""
SHORTEST = 1e-9
"""Smallest critical length, over h: shorter ones would be lost in round-off."""
ROUNDS = 12
"""Maximum number of lengths of a critical step that are tried for a tolerance."""


class Capturing(Motion):
    """A motion whose impacts are captured by critical steps.

    Parameters
    ----------
    *given
        As for ``Motion``; the scheme is an ``ImplicitRungeKutta``.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        assert isinstance(self.scheme, ImplicitRungeKutta)
        self.stepping = Stepping(self.system, self.solver, self._count_evaluations)
        p, h, span, critical = self.scheme.order, self.h, self.span, self.scheme.critical
        self.length = self.tolerance * span if self.tolerance else max(critical * h * (h / span) ** p, SHORTEST * h)

    def _meet(self, watch: Watch, event: Event, step: SmoothStep, t: float) -> None:
        """Handle an event inside a step that ends at t at the latest."""
        if event.kind != CLOSING:
            super()._meet(watch, event, step, t)
            return
        before = self._sized(event.contact, event.s * step.h, step.h, t)
        if before is not None:
            self._accept(before)
        self._capture(event.contact, t)

    def _sized(self, contact: int, root: float, h: float, t: float) -> SmoothStep | None:
        """Choose the critical length, and return the step that ends before the impact; None if it is close enough."""
        for _ in range(ROUNDS):
            before = self._before(contact, root, h, t)
            state = self.state if before is None else before.end
            if not self.tolerance:
                break
            length = min(self.length, t - state.t)
            err = self._error(state, length)
            self.length = length * min(5.0, max(0.1, 0.9 * self.tolerance / err)) if err > 0.0 else 5.0 * length
            if err <= self.tolerance:
                break
        return before

    def _error(self, state: SmoothState, length: float) -> float:
        """Return the difference of positions after a critical step, and after two of half its length."""
        self.stepping.begin(state, length)
        whole = self.stepping.step(state.t, state.q, state.v, length)[0]
        half = 0.5 * length
        self.stepping.begin(state, half)
        middle = self.stepping.step(state.t, state.q, state.v, half)[0]
        end = self.stepping.step(middle.t, middle.q, middle.v, half)[0]
        moved = 0.5 * half * (state.v + 2.0 * middle.v + end.v) - half * (state.v + whole.v)
        return self.norm.norm(state, moved, np.zeros(0))

    def _before(self, contact: int, root: float, h: float, t: float) -> SmoothStep | None:
        """Return the step that ends half a critical step before an impact; None if the impact is earlier than that."""
        state = self.state
        half, longest = 0.5 * self.length, t - state.t - self.length
        if root <= half or longest <= 0.0:
            return None

        def value(step: SmoothStep) -> float:
            here = step.end.here.here
            return float(here.g[contact] + half * here.U[contact])

        def slope(step: SmoothStep) -> float:
            return float(step.end.here.here.U[contact])

        if root - half >= longest:
            return self._tried_step(longest)
        speed = abs(slope(self._tried_step(root - half)))
        return land(
            self._tried_step, value, slope, root - half, min(h, longest), AIMED * self.length * speed, -speed
        ).step

    def _capture(self, contact: int, t: float) -> None:
        """Take a critical step over an impact, and start the next phase after it."""
        state, closed = self.state, self.phase.closed
        length = min(self.length, t - state.t)
        self.stepping.begin(state, length)
        new, report = self.stepping.step(state.t, state.q, state.v, length)
        time = t if t - new.t <= 1e-3 * length else new.t
        self.state = replace(state, t=time, q=new.q, v=new.v, here=self.phase.at(time, new.q, new.v))
        self.counts.add("critical_steps")
        self.book(replace(report, lam=state.lam[: self.phase.nj]), self.state)
        struck = np.setdiff1d(np.flatnonzero(report.P), closed)
        for i in struck:
            self.counts.event(time, "impact", int(i))
        touching = np.union1d(closed, struck).astype(np.int64)
        now = Instantly(self.free, self.state.here.here, self.solver)
        tau_1 = self.thresholds.rest(now.here, self._bends(now, touching))
        now = self._end_accumulation(now, touching, tau_1)
        self._regroup(now, touching, tau_1, np.zeros(0, dtype=np.int64), {}, shocked=True)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a snapshot."""
        return {**super().arrays(), "critical_length": np.array([self.length])}

    def restore(self, arrays: dict[str, Array], t: float) -> None:
        """Continue from a snapshot."""
        super().restore(arrays, t)
        self.length = float(arrays["critical_length"][0])
