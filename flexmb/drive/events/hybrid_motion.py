"""Motion with events that falls back to Moreau's time stepping, and comes back (Haddouni 2015, chapter 4).

Time stepping takes over where

    clustered    more than ``most_events`` events come within 10 h*: several contacts accumulate together
    unsolved     the problem of an impact, or that of the forces, has no solution that is found, or a step fails
    Painleve     the forces of contacts that slip are not unique: W_NN - W_NT mu s is no P-matrix
    space        a contact with friction in space is closed: stick and slip are not located there
    edge         both sides of a concave corner of a curve are touched, or a passage from one piece of a curve to the
                 next was not solved

It begins at the last state that was reached by a step; nothing that failed is booked. Steps are h_TS = max(h (h/T)^p,
``shortest``), T the time of the run, or max(tolerance T, ``shortest``) with a tolerance, and never longer than h, the
step of the run or its interval between samples; ``shortest`` is T/1e5 unless given.

The condition for the return: three steps without a change of the contacts under load, these at rest, and no other
contact that closes within h* (the second condition of the thesis would never be met once a contact opens). Positions
and velocities are then projected on the closed contacts, which the ledger records as numerical work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.drive.events.impacts import Instantly, NotUnique
from flexmb.drive.events.motion import Motion
from flexmb.drive.events.stepping import Stepping
from flexmb.drive.events.watch import EDGE, Event, Watch
from flexmb.errors import SimulationError
from flexmb.schemes.hybrid import Hybrid
from flexmb.smooth.smooth_step import SmoothStep
from flexmb.state import Array, IntArray

REASONS = ("back", "clustered", "unsolved", "painleve", "space", "edge")
WORDS = {
    "back": "contacts are at rest or open: located events again",
    "clustered": "impacts accumulate at several contacts: time stepping",
    "unsolved": "the problem of the contacts was not solved: time stepping",
    "painleve": "forces of sliding contacts are not unique (Painleve): time stepping",
    "space": "a contact with friction in space is closed: time stepping",
    "edge": "contact on both sides of an edge, or its passage was not solved: time stepping",
}
"""Reasons for a change of the driver."""
LISTED = 1000
"""Maximum length of the list of changes."""
WINDOW = 10.0
"""Time, in units of h*, within which events are counted."""
CALM, LOOK = 3, 8
"""Steps without a change after which a return to located events is tried, and the interval of further attempts."""


class Switch(Exception):
    """A reason to switch to time stepping."""

    def __init__(self, reason: str, contact: int = -1) -> None:
        super().__init__(reason)
        self.reason, self.contact = reason, contact


def switch_notes(switches: Sequence[tuple[float, str, str]]) -> tuple[str, ...]:
    """Return the notes of a run on changes of its driver: one for each reason, with the first time."""
    found: dict[str, list[tuple[float, str]]] = {}
    for t, reason, contact in switches:
        found.setdefault(reason, []).append((t, contact))
    notes = []
    for reason, places in found.items():
        if reason == "back":
            continue
        t, contact = places[0]
        at, often = f" (contact '{contact}')" if contact else "", f", {len(places)} times" if len(places) > 1 else ""
        notes.append(f"hybrid: {WORDS[reason]}, first at t = {t:.6g} s{at}{often}; all changes are in the summary")
    return tuple(notes)


class HybridMotion(Motion):
    """Motion with events, and with time stepping where events fail.

    Parameters
    ----------
    *given
        As for ``Motion``; the scheme is a ``Hybrid``.
    """

    def __init__(self, *given: Any) -> None:
        self._pending: list[tuple[Any, Any]] = []
        super().__init__(*given)
        scheme = self.scheme
        assert isinstance(scheme, Hybrid)
        self._booked, self.book = self.book, self._hold
        self.hybrid = scheme
        self.stepping = Stepping(self.system, self.solver, self._count_evaluations, scheme.theta, scheme.gamma)
        self.h_steps = scheme.time_step(self.h, self.span, self.tolerance)
        self.times = np.full(scheme.most_events + 1, -np.inf)
        self.changes = np.full((LISTED, 3), np.nan)
        self.changed, self.time_stepping, self._at_edge, self._returns = 0, False, False, False
        self.pressed, self.calm = np.zeros(self.system.contacts.nc, dtype=bool), 0
        self._marched = False

    # -- the record, and how it is undone

    def _hold(self, report: Any, state: Any) -> None:
        self._pending.append((report, state))

    def _flush(self) -> None:
        """Record the results so far, and store the current state."""
        for report, state in self._pending:
            self._booked(report, state)
        self._pending.clear()
        numbers = self.counts.numbers.copy(), self.counts.listed.copy()
        self._kept = (self.state, self.phase, self.flights.copy(), self._dependent, self.edges.held, *numbers)

    def _take_back(self) -> None:
        """Return to the stored state."""
        self._pending.clear()
        self.state, self.phase, flights, self._dependent, pieces, numbers, listed = self._kept
        self.edges.restore(pieces)
        self.flights, self.counts.numbers, self.counts.listed = flights.copy(), numbers.copy(), listed.copy()

    def start(self) -> None:
        """Handle contacts that are closed at the start."""
        self._flush()
        self._tried(super().start)

    def advance_to(self, t: float) -> None:
        """Advance exactly to a time on the grid."""
        self._flush()
        super().advance_to(t)
        self._flush()

    def _tried(self, act: Any, *given: Any) -> None:
        """Execute an operation that may fail; if it does, switch to time stepping."""
        self._at_edge = False
        try:
            act(*given)
            self._flush()
        except Switch as switch:
            self._take_back()
            self._change(switch.reason, switch.contact)
        except SimulationError as failure:
            self._take_back()
            labels = self.system.contacts.labels
            contact = labels.index(failure.contact) if failure.contact in labels else -1
            reason = "painleve" if isinstance(failure, NotUnique) else "edge" if self._at_edge else "unsolved"
            self._change(reason, contact)

    def _change(self, reason: str, contact: int = -1) -> None:
        """Record a change of the driver."""
        if self.changed < LISTED:
            self.changes[self.changed] = self.state.t, REASONS.index(reason), contact
        self.changed += 1
        self.time_stepping = reason != "back"
        self.pressed[:], self.calm = False, 0
        if self.time_stepping:
            self.times[:] = -np.inf
            self.recent.clear()
            self.undecided[:] = 0
            self.edges.restore(np.full(self.edges.held.size, -1.0))  # the nearest piece of every curve is active
            self.phase = self.phase.with_(np.zeros(0, dtype=np.int64))
            s = self.state
            self.state = self.phase.begin(s.t, s.q, s.v)

    # -- steps

    def _go(self, t: float) -> None:
        while self.state.t < t:
            self.between()
            self._marched = False
            if self.march is not None and not self.time_stepping:
                self._tried(self._march_toward, t)
            if not self._marched and self.state.t < t:
                self._step_toward(t)

    def _march_toward(self, t: float) -> None:
        """Let the compiled loop go on, if there is one; it records its steps at once, which are never undone."""
        assert self.march is not None
        self._marched = self.march.go(self, t)

    def look_around(self) -> None:
        """Look for contacts that come near; what fails here leads back to the end of the steps."""
        self._flush()
        super().look_around()

    def _step_toward(self, t: float) -> None:
        if self.time_stepping:
            self._steps_toward(t)
        else:
            self._tried(super()._step_toward, t)

    def _cross(self, kink: float) -> None:
        if not self.time_stepping:
            self._tried(super()._cross, kink)
        if self.state.t < kink:  # not passed with events
            self._steps_toward(kink)

    def _meet(self, watch: Watch, event: Event, step: SmoothStep, t: float) -> None:
        self._at_edge = event.kind == EDGE
        super()._meet(watch, event, step, t)

    def _accept(self, step: SmoothStep) -> None:
        super()._accept(step)
        self._flush()  # failures from here on start at the end of this step

    def _count_event(self, contact: int) -> None:
        super()._count_event(contact)
        self.times = np.append(self.times[1:], self.state.t)
        here = self.state.here.here
        bend = np.asarray(here.G[:, [contact]].T @ self.state.a + here.bias[contact]) if contact >= 0 else np.ones(1)
        if self.state.t - self.times[0] < WINDOW * float(self.short.times(self.state, bend)[0]):
            raise Switch("clustered", contact)

    def _stay(self, now: Instantly, resting: IntArray, told: dict[int, float]) -> tuple[IntArray, Array]:
        blocks = self.system.contacts.blocks
        space = resting[(blocks.slides[resting] > 1) & (blocks.friction[resting, 0] > 0.0)]
        if space.size:
            raise Switch("space", int(space[0]))
        closed, slip = super()._stay(now, resting, told)
        self._check_corners(closed)
        return closed, slip

    def _check_corners(self, closed: IntArray) -> None:
        """Switch to time stepping if contacts begin to touch both sides of a corner."""
        if self._returns:
            return
        was = set(self.phase.closed.tolist())
        for pair in self.edges.both_sides(closed):
            if not was.issuperset(pair):
                raise Switch("edge", next(contact for contact in pair if contact not in was))

    def _steps_toward(self, t: float) -> None:
        """Take steps of Moreau's scheme until t, or until events can be located again."""
        rest = t - self.state.t
        n = max(1, int(np.ceil(rest / self.h_steps * (1.0 - 1e-9))))
        h, t_0 = rest / n, self.state.t
        self.stepping.begin(self.state, h)
        self._flush()
        for k in range(1, n + 1):
            self.between()
            s = self.state
            new, report = self.stepping.step(s.t, s.q, s.v, h)
            time = t if k == n else t_0 + k * h
            at = self.phase.at(time, new.q, new.v)
            self.state = replace(s, t=time, q=new.q, v=new.v, here=at, lam=report.Lam / h)
            self.counts.add("time_steps")
            self._booked(report, self.state)  # immediately: such steps are never undone
            pressed = report.P > 0.0
            self.calm = self.calm + 1 if np.array_equal(self.pressed, pressed) else 0
            self.pressed = pressed
            if self.calm >= CALM and (self.calm - CALM) % LOOK == 0 and self._calm(np.flatnonzero(pressed)):
                self._flush()
                self._back(np.flatnonzero(pressed))
                if not self.time_stepping:
                    return
        self._flush()

    def _calm(self, pressed: IntArray) -> bool:
        """Return whether pressed contacts are at rest, and no other one closes within h*."""
        here, blocks = self.state.here.here, self.system.contacts.blocks
        if (blocks.slides[pressed] > 1).any() and (blocks.friction[pressed, 0] > 0.0).any():
            return False
        now = Instantly(self.free, here, self.solver)
        tau_1 = self.thresholds.rest(here, self._bends(now, pressed))
        if (np.abs(here.U[pressed]) > tau_1[pressed]).any():
            return False
        others = np.setdiff1d(np.arange(here.g.size), pressed)
        g, U, bend = np.maximum(here.g[others], 0.0), here.U[others], now.bends(others, pressed)
        inside = np.maximum(U * U - 2.0 * bend * g, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            falls = np.where(bend < 0.0, (U + np.sqrt(inside)) / -bend, np.where(U < 0.0, g / -U, np.inf))
        return bool((falls > self.short.times(self.state, bend)).all())

    def _back(self, pressed: IntArray) -> None:
        """Start a phase with the pressed contacts closed, if possible."""
        try:
            now = Instantly(self.free, self.state.here.here, self.solver)
            tau_1 = self.thresholds.rest(now.here, self._bends(now, pressed))
            self._returns = True
            self._regroup(now, pressed, tau_1, np.zeros(0, dtype=np.int64), {}, shocked=True)
            self._change("back")
            self._flush()
        except (Switch, SimulationError):
            self._take_back()
        finally:
            self._returns = False

    # -- results and snapshots

    def switches(self) -> list[tuple[float, str, str]]:
        """Return the changes of the driver: time, reason, contact."""
        labels, rows = self.system.contacts.labels, self.changes[: min(self.changed, LISTED)]
        return [(float(t), REASONS[int(r)], labels[int(c)] if c >= 0 else "") for t, r, c in rows]

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a snapshot."""
        mode = np.array([float(self.changed), float(self.time_stepping), float(self.calm)])
        pressed = self.pressed.astype(np.float64)
        own = {"event_times": self.times, "changes": self.changes, "mode": mode, "pressed": pressed}
        return {**super().arrays(), **own}

    def restore(self, arrays: dict[str, Array], t: float) -> None:
        """Continue from a snapshot."""
        super().restore(arrays, t)
        self.times, self.changes = arrays["event_times"].copy(), arrays["changes"].copy()
        self.changed, self.time_stepping = int(arrays["mode"][0]), bool(arrays["mode"][1])
        self.calm, self.pressed = int(arrays["mode"][2]), arrays["pressed"] > 0.0
        self._flush()
