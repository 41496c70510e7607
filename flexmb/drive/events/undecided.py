"""Contacts whose state is ambiguous at an instant: the step decides, by the signs of its impulse and its gap.

Forces in an instant are those of all modes of a model. Where a step does not resolve the fastest of them, these forces
can say that a contact leaves, while in every step, however short, its gap falls: the event would come back at the same
time for ever. Such a contact is undecided. Over the next step it is open or closed, whichever is consistent,

    closed:  P >= 0,  |P_T| <= mu P where it sticks,  s U_T >= 0 where it slips,       open:  g >= 0 at the end,

found by changing one contact at a time, the first that is not (Murty's rule: finite where the step has one answer).
It is decided again once the instant agrees: closed with a force above zero, or apart.
"""

from __future__ import annotations

import numpy as np

from flexmb.drive.events.impacts import Instantly
from flexmb.drive.events.trial_steps import TrialSteps
from flexmb.drive.events.watch import Event
from flexmb.errors import SimulationError
from flexmb.smooth.smooth_step import SmoothStep
from flexmb.state import Array, IntArray

ROUNDS = 64
"""Maximum number of combinations of open and closed contacts that are tried in a step."""

RESOLVED = 0.25
"""Force at a located release, relative to its change in an implicit step, above which the step does not resolve it."""


class Undecided(TrialSteps):
    """A motion whose steps decide on ambiguous contacts."""

    _seen: tuple[float, set[tuple[bytes, bytes, float]]] = (np.nan, set())

    def _key(self) -> tuple[bytes, bytes, float]:
        """Return what an event at the start of a step must change, so that the next step differs."""
        jumps = sum(self.counts.get(what) for what in ("impacts", "closings", "edges"))
        return self.phase.closed.tobytes(), self.phase.slip.tobytes(), jumps

    def _at_once(self, event: Event) -> None:
        """Handle an event at the start of a step; its contact becomes undecided if it recurs at the same time."""
        if self._seen[0] != self.state.t:
            self._seen = (self.state.t, {self._key()})
        self._after(event, None)
        key, contact = self._key(), self._contact_of(event)
        if key in self._seen[1] and contact >= 0 and not self._dependent:
            U, tau_1 = self._at_rest(np.array([contact]))
            if np.abs(U[0]) <= tau_1[0]:
                self.undecided[contact] = 1 if contact in self.phase.closed else -1
        self._seen[1].add(key)

    def _pulls(self, step: SmoothStep) -> bool:
        """Mark contacts as undecided that are in tension in an implicit step, though in compression at its instants."""
        phase = self.phase
        if step.lam_end is None or self._dependent:
            return False
        tau = step.h * max(self.thresholds.no_force(phase, x) for x in (step.start, step.end))
        pulled = phase.closed[step.impulse[phase.normals] < -tau]
        pulled = pulled[self.undecided[pulled] == 0]
        self.undecided[pulled] = 1
        return bool(pulled.size)

    def _unresolved(self, event: Event, step: SmoothStep) -> bool:
        """Return whether the force of a contact at a shorter step differs strongly from linear interpolation."""
        row = self.phase.nj + int(np.searchsorted(self.phase.closed, event.contact))
        there = float(self._tried_step(event.s * step.h).end.lam[row])
        return abs(there) > RESOLVED * abs(float(step.end.lam[row] - step.start.lam[row]))

    def _at_rest(self, contacts: IntArray) -> tuple[Array, Array]:
        """Return the normal velocities of contacts, and their thresholds of rest."""
        here = self.state.here.here
        tau_1 = self.thresholds.rest(here, self._bends(Instantly(self.free, here, self.solver), contacts))
        return here.U[contacts], tau_1[contacts]

    def _decided_by_step(self, h: float) -> SmoothStep | None:
        """Return a step of length h whose signs agree with its phase; None if a shorter one is required."""
        for _ in range(ROUNDS):
            step = self._take(h)
            change = None if step is None else self._inconsistent(step)
            if change is None:
                return step
            contact, closed, sign = change
            slips = dict(zip(self.phase.closed.tolist(), self.phase.slip.tolist(), strict=True))
            slips.pop(contact, None)
            if closed:
                slips[contact] = sign
            held = np.array(sorted(slips), dtype=np.int64)
            now = Instantly(self.free, self.state.here.here, self.solver)
            self._begin(now, held, np.array([slips[i] for i in held.tolist()]))
        raise self._no_answer(h)

    def _no_answer(self, h: float) -> SimulationError:
        words = (
            f"contacts open at this instant and close in every step: none of {ROUNDS} combinations of open and closed "
            f"contacts is consistent over a step of {h:.6g} s; take a shorter step, or a scheme without events"
        )
        contact = self.system.contacts.labels[int(np.flatnonzero(self.undecided)[0])]
        return SimulationError(words, time=self.state.t, step=-1, contact=contact)

    def _inconsistent(self, step: SmoothStep) -> tuple[int, bool, float] | None:
        """Return the first undecided contact whose signs in a step are wrong, whether to close it, and how it slips."""
        phase, end = self.phase, step.end.here.here
        tau_0 = self.thresholds.closed(end)
        for i in np.flatnonzero(self.undecided).tolist():
            place = int(np.searchsorted(phase.closed, i))
            if place == phase.closed.size or phase.closed[place] != i:
                if end.g[i] < -tau_0[i]:
                    return i, True, float(self._slips(np.array([i]))[0])
                continue
            P = float(step.impulse[phase.nj + place])
            if P < 0.0:
                return i, False, 0.0
            if not phase.rough[place]:
                continue
            slip = float(phase.slip[place])
            if slip == 0.0:
                P_T = float(step.impulse[phase.ties.start + int(np.searchsorted(phase.stuck, i))])
                if abs(P_T) > phase.mu[place] * P * (1.0 + 1e-9):
                    return i, True, -float(np.sign(P_T))
            elif slip * float(end.U_T[self.system.contacts.blocks.start[i]]) < 0.0:
                return i, True, 0.0
        return None

    def _decide(self) -> None:
        """Decide contacts for which the current state confirms the result of the step."""
        phase, state, here = self.phase, self.state, self.state.here.here
        contacts = np.flatnonzero(self.undecided)
        U, tau_1 = self._at_rest(contacts)
        tau_0, tau_lam = self.thresholds.closed(here), self.thresholds.no_force(phase, state)
        for i, speed, still in zip(contacts.tolist(), U, tau_1, strict=True):
            place = int(np.searchsorted(phase.closed, i))
            closed = place < phase.closed.size and phase.closed[place] == i
            if closed and state.lam[phase.nj + place] <= tau_lam:
                continue
            if not closed and here.g[i] <= tau_0[i] and speed <= still:
                continue
            if closed != (self.undecided[i] > 0):
                self.counts.event(state.t, "contact" if closed else "release", i)
            if not closed:
                self.flights[i] = state.t
            self.undecided[i] = 0
