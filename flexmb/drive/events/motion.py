"""Motion with events: smooth steps of a phase, transitions at its end, the next phase.

A step of the integrator; the first event on its dense output; landing there by a real step; what happens in that
instant (``settle``): impacts on all closed contacts, the end of an accumulation of impacts, which contacts stay closed
and how they slip; projection on the rows that are held; a new start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from flexmb.drive.events.compiled_march import SLIVER
from flexmb.drive.events.impacts import require_unique
from flexmb.drive.events.landing import Landing, land
from flexmb.drive.events.undecided import Undecided
from flexmb.drive.events.watch import CLOSING, EDGE, FLIP, RELEASE, STICKING, Event, Watch
from flexmb.smooth.smooth_step import SmoothStep

EPS = float(np.finfo(float).eps)


class Motion(Undecided):
    """A system on its way, with events: steps, their events, and landing there."""

    def start(self) -> None:
        """Deal with what is closed at the start."""
        self._settle(np.zeros(0, dtype=np.int64), {}, jumps=False)
        if self.tolerance:
            self.wanted = self.norm.first_step(self.state, self.h)

    def advance_to(self, t: float) -> None:
        """Advance exactly to a time on the grid."""
        kinks, early, passed = self.kinks
        for k in np.flatnonzero((passed > self.state.t) & (early < t)):
            if early[k] > self.state.t:
                self._go(float(early[k]))
            if passed[k] <= t:
                self._cross(min(float(kinks[k]), t))
        self._go(t)

    def _cross(self, kink: float) -> None:
        """Pass a kink of a load or drive: what is left up to it is far below round-off of the step."""
        self._slip_to(kink)
        self.counts.event(kink, "kink")
        self._settle(np.zeros(0, dtype=np.int64), {}, jumps=True)

    def _slip_to(self, t: float) -> None:
        """Cover the remaining time to t, whose square is negligible."""
        state, rest = self.state, t - self.state.t
        q, v = self.system.advance(state.q, rest * (state.v + 0.5 * rest * state.a)), state.v + rest * state.a
        before = state.here.kinetic + state.here.potential
        self.state = replace(state, t=t, q=q, v=v, here=self.phase.at(t, q, v))
        self._book_change(self.state.here.kinetic + self.state.here.potential - before)

    def _go(self, t: float) -> None:
        while self.state.t < t:
            self.between()
            if self.march is None or not self.march.go(self, t):
                self._step_toward(t)

    # -- one step, with what ends it

    def _step_toward(self, t: float) -> None:
        """Take a step that ends at t at the latest."""
        state, rest = self.state, t - self.state.t
        h = rest
        if self.tolerance:
            h = min(rest, self.wanted)
            if 0.0 < rest - h < h:
                h = 0.5 * rest
        h = min(h, self.limit)
        if rest <= SLIVER * self.h:
            self._slip_to(t)
            return
        if h <= 16.0 * np.finfo(float).eps * abs(t):
            self._fail("the step has become too small: the motion has a singularity here, or it is too stiff")
        step = self._decided_by_step(h) if self.undecided.any() else self._take(h)
        if step is None:
            return
        holds = self._holds if self._dependent else None
        watch = Watch(self.phase, step, self.thresholds, holds, self.edges, self.undecided != 0)
        event = watch.first()
        at_once = event is not None and event.s * h <= 4.0 * np.finfo(float).eps * max(abs(state.t), h)
        if event is not None and at_once and (event.contact >= 0 or event.s == 0.0):
            self._count_event(self._contact_of(event))
            self._at_once(event)
            return
        if event is None:
            if self._pulls(step):
                return
            if h == rest:
                step = self._on_time(step, t)
            self._accept(step)
            self.look_around()
            if self.undecided.any():
                self._decide()
            return
        self._count_event(self._contact_of(event))
        self._meet(watch, event, step, t)

    def _meet(self, watch: Watch, event: Event, step: SmoothStep, t: float) -> None:
        """Deal with an event inside a step that ends at t at the latest."""
        of_one = event.kind == RELEASE and event.contact >= 0  # not of contacts that depend on each other
        if of_one and step.lam_end is not None and self._unresolved(event, step):
            self.undecided[event.contact] = 1
            return
        landing = self._land(watch, event, step.h)
        if landing is None:  # it only came near
            self._accept(self._on_time(step, t) if abs(step.end.t - t) <= 4.0 * EPS * abs(t) else step)
            self.look_around()
            return
        step = landing.step
        if abs(step.end.t - t) <= 4.0 * EPS * abs(t):
            step = self._on_time(step, t)
        self._accept(step)
        self._after(event, step)

    def _beyond(self, s: float, h: float) -> Landing:
        """Return a step of about s, at most h, that ends where contacts no longer hold each other."""
        least = 16.0 * EPS * abs(self.state.t)
        s, more = min(max(s, least), h), max(FLIP * h, least)
        tries = 1
        while self._holds((step := self._tried_step(s)).end.here) and s < h:  # a step and its dense output differ
            s, more, tries = min(s + more, h), 2.0 * more, tries + 1
        return Landing(step, s, 0.0, tries)

    def _land(self, watch: Watch, event: Event, h: float) -> Landing | None:
        """Return the step that ends at an event; None where it only comes near."""
        function = (event.kind, event.contact)
        state, here = self.state, self.state.here.here
        if event.contact < 0:  # no function, only yes and no: the dense output says when
            return self._beyond(event.s * h, h)

        def value(step: SmoothStep) -> float:
            return watch.value(function, step.end.here, step.end.lam)

        slope, first_slope = None, 0.0
        if event.kind == CLOSING:
            close, loose = (float(x(here)[event.contact]) for x in (self.thresholds.landed, self.thresholds.closed))
            slope = lambda step: float(step.end.here.here.U[event.contact])  # noqa: E731
        else:
            d = min(1e-3, 0.5 * event.s)
            low, high = (watch.value(function, watch.at(x)) for x in (event.s - d, min(1.0, event.s + d)))
            first_slope = (high - low) / ((min(1.0, event.s + d) - event.s + d) * h)
            size = float(np.abs(state.lam[self.phase.normals]).max(initial=0.0))
            if event.kind == STICKING:
                size = float(np.abs(state.v).max(initial=0.0))
            size = max(size, abs(first_slope) * h)
            close, loose = 1e-13 * size, 1e-8 * size
            if event.kind == EDGE:
                close, loose = 1e-15 * self.edges.size, 1e-12 * self.edges.size
        landing = land(self._tried_step, value, slope, event.s * h, h * (1.0 + 1e-3), close, first_slope)
        if abs(landing.value) <= loose:
            return landing
        end = self._smooth(h)
        if not (landing.value > 0.0 and value(end) > 0.0):
            self._not_located(event, landing, h)
        return None

    def _not_located(self, event: Event, landing: Landing, h: float) -> NoReturn:
        self._fail(
            f"the event ({event.kind}) was not located: {landing.tries} steps between 0 and {h:.6g} s were tried, the "
            f"nearest has {landing.value:.3g}",
            self._contact_of(event),
        )

    def _accept(self, step: SmoothStep) -> None:
        """Book a step, take over its end, and bring it back to the rows."""
        self.state = step.end
        self.counts.add("steps")
        self.book(self._report(step), self.state)
        self.forget_events()
        if self.phase.sliding.size:
            at, normals = self.state.here, self.phase.normals
            W = at.G[:, normals].T @ self.phase.mass.solver(at.here)(at.D[:, normals])
            if not self.phase.nj:  # with joints what happens at events says more
                require_unique(self.system, self.state.t, self.phase.closed, W, self.phase.slip != 0.0)
        self._project()
