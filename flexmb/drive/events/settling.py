"""Instantaneous transitions: impacts, ends of accumulations, contacts that stay closed, the next phase."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from flexmb.drive.events.edges import glocker
from flexmb.drive.events.impacts import Instantly, Jump
from flexmb.drive.events.motion_state import MotionState
from flexmb.drive.events.watch import CLOSING, EDGE, RELEASE, SLIPPING, STICKING, Event
from flexmb.kernels.geometry.curves import KINK, SMOOTH
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothStep
from flexmb.state import Array, IntArray, StepReport

STANDSTILL = 1e-9
"""Time of the second half of many events, over the time of the run, below which there is no progress."""


class Settling(MotionState):
    """A motion with the handling of events."""

    def _count_event(self, contact: int) -> None:
        """Count an event on the way; fail where many of them accumulate without an end that is seen."""
        self.recent.add(self.state.t)
        if not self.recent.full:
            return
        if self._clustered(contact):
            self._fail(
                f"{self.recent.most} events within {self.recent.span:.3g} s: no accumulation was seen (flights do "
                "not become short, or several contacts bounce against each other); take hybrid (for stiff models with "
                "integrator = 'radau-iia-5'), or a time-stepping scheme (moreau-jean, generalized-alpha "
                "without events)",
                contact,
            )
        self.recent.clear()

    def _clustered(self, contact: int) -> bool:
        """Tell whether the last events come ever faster, or closer than flights that are resolved.

        A contact that rattles for a long time does neither, with or without calm periods.
        """
        second = self.recent.second_half
        if second.sum() <= STANDSTILL * self.span or (not self.tolerance and self.recent.span <= self.h):
            return True
        if self.recent.shrink():
            return True
        here = self.state.here.here
        bends = np.abs(here.G.T @ self.state.a + here.bias)
        bend = float(bends[contact]) if contact >= 0 else float(bends.max(initial=0.0))
        shortest = float(self.short.times(self.state, np.array([bend]))[0]) if bend > 0.0 else 0.0
        return bool(second.mean() < 0.5 * shortest)

    def forget_events(self) -> None:
        """Restart the count of events after a step of fixed size with few of them."""
        if not self.tolerance and self.state.t > self.recent.times[0] + self.h:
            self.recent.clear()

    def _contact_of(self, event: Event) -> int:
        """Return the contact of an event, -1 for none."""
        return int(self.edges.contact[event.contact]) if event.kind == EDGE else event.contact

    def look_around(self) -> None:
        """Find open contacts that are closed on a grid point, without an event in the step."""
        here = self.state.here.here
        near = here.g <= self.thresholds.closed(here)
        near[self.phase.closed] = False
        near &= self.flights < self.state.t
        if not near.any():
            return
        tau_1 = self.thresholds.rest(here, here.G.T @ self.state.a + here.bias)
        if (near & (-tau_1 > here.U)).any():
            self._settle(np.zeros(0, dtype=np.int64), {}, jumps=False)

    def _after(self, event: Event, step: SmoothStep | None) -> None:
        """Handle an event at the current state."""
        phase, state, none = self.phase, self.state, np.zeros(0, dtype=np.int64)
        if event.kind == CLOSING:
            self._settle(none, {}, jumps=False, landed=event.contact)
        elif event.kind == RELEASE:
            released = none
            if event.contact >= 0:
                lam, tau = state.lam[phase.normals], self.thresholds.no_force(phase, state)
                falls = np.ones(lam.size, dtype=bool)
                if step is not None:  # where all forces vanish together their scale is that before it
                    falls = lam < step.start.lam[phase.normals]
                    tau = max(tau, self.thresholds.no_force(phase, step.start))
                released = phase.closed[(lam <= tau) & falls]
                released = np.union1d(released, [event.contact]).astype(np.int64)
            self._settle(released, {}, jumps=False)
        elif event.kind == SLIPPING:
            place = int(np.searchsorted(phase.stuck, event.contact))
            tie = float(state.lam[phase.ties.start + place])
            self.counts.event(state.t, "slip", event.contact)
            self._settle(none, {event.contact: -float(np.sign(tie))}, jumps=False)
        elif event.kind == STICKING:
            self.counts.event(state.t, "stick", event.contact)
            self._settle(none, {event.contact: 0.0}, jumps=False)
        elif event.kind == EDGE:
            self._pass_edge(event.contact)

    def _pass_edge(self, k: int) -> None:
        """Continue after the end of a piece of a curve."""
        s, here, edges = self.state, self.state.here.here, self.edges
        contact, what = int(edges.contact[k]), edges.at_end(k, here)
        self.counts.event(s.t, "edge", contact)
        if what not in (SMOOTH, KINK):
            self._settle(np.array([contact], dtype=np.int64), {}, jumps=False)
            return
        edges.turn(k, here)
        self.state = replace(s, here=self.phase.at(s.t, s.q, s.v))
        if what == KINK:
            v, Lam = glocker(self.phase, here, self.state.here.here, int(edges.rows[k]))
            self.state = replace(self.state, v=v, here=self.phase.at(s.t, s.q, v))
            none = np.zeros(self.system.contacts.nc)
            change = self.state.here.kinetic - here.kinetic
            report = StepReport(none, 0.0, 0.0, 0.0, none, change, 0, Lam=Lam, lam=s.lam[: self.phase.nj])
            self.book(report, self.state)
        self._settle(np.zeros(0, dtype=np.int64), {}, jumps=False)

    def _settle(self, released: IntArray, told: dict[int, float], jumps: bool, landed: int = -1) -> None:
        """Determine the next phase at the current state: impacts, closings, contacts that stay closed, and slip.

        Parameters
        ----------
        released : int array
            Contacts that have lost their force, and leave.
        told : dict of int to float
            Signs of slip that an event has decided: of those that begin to slip, 0 of those that have come to rest.
        jumps : bool
            Whether speeds of drives may have jumped.
        landed : int
            The contact at which a step has landed.
        """
        system = self.system
        if not (jumps or self.scheme.drifts[1]):  # the velocities of index3 violate the rows, which is not an impact
            self._project(always=True)
        now = Instantly(self.free, self.state.here.here, self.solver)
        here = now.here
        closed = here.g <= self.thresholds.closed(here)
        closed[self.phase.closed] = True
        if landed >= 0:
            closed[landed] = True
        touching = np.flatnonzero(closed)
        tau_1 = self.thresholds.rest(here, self._bends(now, touching))
        shocked = bool((here.U[touching] < -tau_1[touching]).any())
        driven = jumps and system.nj and bool(np.abs(here.joint_rates).max() > 1e-10 * (1.0 + np.abs(here.v).max()))
        if shocked or driven:
            now = self._impact(now, touching, tau_1, bool(driven))
        self._regroup(now, touching, tau_1, released, told, shocked)

    def _regroup(
        self,
        now: Instantly,
        touching: IntArray,
        tau_1: Array,
        released: IntArray,
        told: dict[int, float],
        shocked: bool,
    ) -> None:
        """Start the next phase: determine which of the touching contacts stay closed, and their slip."""
        here, was = now.here, set(self.phase.closed.tolist())
        resting = touching[np.abs(here.U[touching]) <= tau_1[touching]]
        resting = np.setdiff1d(resting, released)
        closed_now, slip = self._stay(now, resting, told)
        left = np.array(sorted(was - set(closed_now.tolist())), dtype=np.int64)
        for i in left:
            self.flights[i] = self.state.t
            if not shocked:
                self.counts.event(self.state.t, "release", int(i))
        for i in sorted(set(closed_now.tolist()) - was):
            if not shocked:
                self.counts.event(self.state.t, "contact", i)
        self.flights[np.setdiff1d(touching, closed_now)] = self.state.t
        self.undecided[:] = 0
        self._begin(now, closed_now, slip)

    def _begin(self, now: Instantly, closed: IntArray, slip: Array) -> None:
        """Start the phase of a set of closed contacts."""
        self.phase = self.phase.with_(closed, slip)
        self.edges.hold(now.here, closed)
        s = self.state
        self.state = self.scheme.begin(self.phase, s.t, s.q, s.v)
        self._dependent = now.depend(self.phase.closed)
        self._project(always=True)

    def _bends(self, now: Instantly, contacts: IntArray) -> Array:
        """Return magnitudes of the second derivatives of the gaps, zero except for some contacts, (nc,)."""
        out = np.zeros(self.system.contacts.nc)
        if contacts.size:
            out[contacts] = now.bends(contacts, np.zeros(0, dtype=np.int64))
        return out

    def _impact(self, now: Instantly, touching: IntArray, tau_1: Array, driven: bool) -> Instantly:
        """Solve the impact of all closed contacts, end accumulations; return the instant after it."""
        jump = now.impact(touching)
        now = self._jumped(now, jump, driven)
        for i in np.flatnonzero(jump.P):
            self.counts.event(self.state.t, "impact", int(i))
        return self._end_accumulation(now, touching, tau_1)

    def _end_accumulation(self, now: Instantly, touching: IntArray, tau_1: Array) -> Instantly:
        """End the velocities of contacts that would fly for less than h*; return the instant after that."""
        here = now.here
        rests = touching[np.abs(here.U[touching]) <= tau_1[touching]]
        flies = touching[here.U[touching] > tau_1[touching]]
        if not flies.size:
            return now
        bend = now.bends(flies, rests)
        short = flies[(bend < 0.0) & (2.0 * here.U[flies] < self.short.times(self.state, bend) * np.abs(bend))]
        if not short.size:
            return now
        jump = now.close(np.union1d(rests, short).astype(np.int64))
        for i in short:
            self.counts.event(self.state.t, "closing", int(i))
        return self._jumped(now, jump, False, closes=True)

    def _jumped(self, now: Instantly, jump: Jump, driven: bool, closes: bool = False) -> Instantly:
        """Record a jump of velocities, and return the instant after it; ``closes``: it ends an accumulation."""
        report = now.report(jump, driven)
        if closes:
            report = replace(report, contact=np.zeros(jump.P.size), closing=float(report.contact.sum()))
            self.counts.add("closing_work", report.closing)
        s, v = self.state, jump.v
        self.state = replace(s, v=v, here=self.phase.at(s.t, s.q, v))
        report = replace(report, lam=s.lam[: self.phase.nj])
        self.book(report, self.state)
        return Instantly(self.free, self.state.here.here, self.solver, now.M)  # M depends on positions only

    def _stay(self, now: Instantly, resting: IntArray, told: dict[int, float]) -> tuple[IntArray, Array]:
        """Return the contacts that stay closed, and the signs of their slip."""
        if not resting.size:
            return resting, np.zeros(0)
        slip, bias = self._slips(resting), np.zeros(self.system.contacts.blocks.nt)
        for k, i in enumerate(resting):
            slip[k] = told.get(int(i), slip[k])
        if self._rough(resting).any():
            bias = self.state.here.tangent_bias
        stays, slip, _ = now.stay(resting, slip, bias)
        return resting[stays], slip[stays]

    def _rough(self, contacts: IntArray) -> NDArray[np.bool_]:
        """Return which of some contacts have friction."""
        blocks = self.system.contacts.blocks
        return np.asarray((blocks.friction[contacts, 0] > 0.0) & (blocks.slides[contacts] > 0))

    def _slips(self, contacts: IntArray) -> Array:
        """Return the signs of slip of contacts, 0 for sticking or frictionless ones."""
        blocks, here, rough = self.system.contacts.blocks, self.state.here.here, self._rough(contacts)
        speed = 1e-9 * float(np.abs(here.v).max(initial=0.0)) + 1e-12
        slip, U_T = np.zeros(contacts.size), here.U_T[blocks.start[:-1][contacts[rough]]]
        slip[rough] = np.where(np.abs(U_T) > speed, np.sign(U_T), 0.0)
        return slip

    def _holds(self, at: PhaseInstant) -> bool:
        """Return whether all closed contacts can stay closed, if their forces are not unique."""
        now = Instantly(self.free, at.here, self.solver)
        bias = at.tangent_bias if self.phase.stuck.size else np.zeros(self.system.contacts.blocks.nt)
        stays, _, _ = now.stay(self.phase.closed, self.phase.slip, bias)
        return bool(stays.all())
