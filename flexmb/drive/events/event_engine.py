"""The engine with events: fulfils ``drive.engine.Engine`` over a ``Motion``.

The grid of the plan is that of the samples, and steps end on it exactly: a sample is a state, never an interpolation,
and the ledger closes there. Between them steps are of one size (the plan's), or chosen by the tolerance.
"""

from __future__ import annotations

import time as clock

import numpy as np

from flexmb.drive.engine import Engine, Plan, require_fitting, tally_of, truncate
from flexmb.drive.events.capture import Capturing
from flexmb.drive.events.compiled_march import compiled_march
from flexmb.drive.events.edges import with_own_pieces
from flexmb.drive.events.hybrid_motion import HybridMotion, switch_notes
from flexmb.drive.events.integrators import integrator_of
from flexmb.drive.events.kinks import kink_times
from flexmb.drive.events.motion import Motion
from flexmb.drive.events.stiffness import cause_of_growth
from flexmb.drive.step_records import StepRecords
from flexmb.errors import SimulationError
from flexmb.record.samples import EVENTS_ENGINE, Block, Tally
from flexmb.schemes.hybrid import Hybrid
from flexmb.schemes.implicit_runge_kutta import ImplicitRungeKutta
from flexmb.schemes.scheme import Responses, Scheme
from flexmb.smooth.smooth_step import SmoothState
from flexmb.state import Array, StepReport
from flexmb.system.multibody_system import MultibodySystem

SECONDS = 0.2
"""Time between two calls of the progress within an interval between samples, s."""


class EventEngine(Engine):
    """Runs integrators of smooth motion between events."""

    name = EVENTS_ENGINE

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system = plan.system
        if isinstance(system, MultibodySystem):  # a machine of its own: angles are continued from step to step in it
            system = with_own_pieces(system)
            system.begin(plan.t0, np.zeros(system.tables.angles.A.size))
        self.system = system
        here = system.instant(plan.t0, system.start, system.v0)
        response = Responses.of(system.factor(here, 1.0, 0.0, 0.0), here.G).response
        self.records = StepRecords(system, response, plan.h)
        end = plan.time(plan.steps)
        self.motion = motion_of(plan.scheme)(
            system,
            integrator_of(plan.scheme),
            plan.solver,
            self._book,
            plan.t0,
            plan.h,
            plan.tolerance,
            kink_times(system, plan.t0, end, plan.h),
            end - plan.t0,
        )
        self.motion.march = compiled_march(self.motion, self.records)
        self.motion.between = self._between_steps  # type: ignore[method-assign]
        self._handed, self._told = 0, 0.0
        self.note = plan.stability_note
        self._arrive(self.motion.state)

    def _arrive(self, state: SmoothState) -> None:
        now = state.here.here
        if isinstance(self.system, MultibodySystem):
            self.system.follow(now.theta)
        self.records.arrive(now)

    def _book(self, report: StepReport, state: SmoothState) -> None:
        self._arrive(state)
        self.records.book(report, state.t)

    def _between_steps(self) -> None:
        """Tell the progress of the blocks before within an interval that takes long; it may end the run there."""
        now = clock.perf_counter()
        if self.progress is not None and self._handed and now - self._told > SECONDS:
            self._told = now
            self.progress(self._handed, self.plan.steps)

    def start(self) -> Block:
        """Return the block with the sample at the start: as it is given, before what is closed there is dealt with."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        self.records.sample(block, 0)
        self.records.field(block, 0)
        return block

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a motion that overflows is found and said
    def advance(self, n: int) -> Block:
        """Take up to n intervals; on failure return what was reached and set ``failure``."""
        plan = self.plan
        n0, n1 = self.step, min(self.step + n, plan.steps)
        block = plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1))
        samples, fields = 0, 0
        self._handed = n0
        while self.step < n1:
            self._told = clock.perf_counter()
            try:
                if self.step == 0:
                    self.motion.start()
                self.motion.advance_to(plan.time(self.step + 1))
                self._check()
            except SimulationError as failure:
                failure.step = self.step + 1
                if failure.time != failure.time:
                    failure.time = self.motion.state.t
                self.failure = failure
                break
            self.step += 1
            self._arrive(self.motion.state)
            if samples < block.step.size and block.step[samples] == self.step:
                self.records.sample(block, samples)
                samples += 1
            if fields < block.field_step.size and block.field_step[fields] == self.step:
                self.records.field(block, fields)
                fields += 1
        return truncate(block, samples, fields)

    def _check(self) -> None:
        outside = self.system.outside(self.motion.state.v) if isinstance(self.system, MultibodySystem) else ""
        if outside:
            raise SimulationError(outside, time=self.motion.state.t, step=self.step + 1)

    def cause_of_growth(self) -> str:
        """Return which vibration steps of one size let grow at the state that was reached; empty if none."""
        plan, state = self.plan, self.motion.state
        if plan.tolerance:
            return ""
        return cause_of_growth(plan.scheme, self.system, state.t, state.q, state.v, plan.h)

    def snapshot(self) -> dict[str, Array]:
        """Return copies of all that changes from step to step."""
        arrays = {**self.motion.arrays(), **self.records.arrays()}
        return {key: value.copy() for key, value in arrays.items()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError when it is not one of this run."""
        require_fitting(arrays, self.snapshot())
        self.step = step
        if isinstance(self.system, MultibodySystem):
            self.system.follow(arrays["theta"].copy())
        self.motion.restore(arrays, self.plan.time(step))
        self.records.restore(arrays)
        self._arrive(self.motion.state)

    def tally(self) -> Tally:
        """Return the figures every step contributed to."""
        labels = self.system.contacts.labels
        tally = tally_of(self.records.ledger, self.step, labels)
        counts = self.motion.counts
        tally.steps_taken = int(counts.get("steps"))
        tally.events = counts.figures()
        tally.notes = (self.note,) if self.note else ()
        tally.event_list = tuple(counts.events(labels))
        if isinstance(self.motion, HybridMotion):
            tally.switches = tuple(self.motion.switches())
            tally.notes = (*tally.notes, *switch_notes(tally.switches))
        return tally


def motion_of(scheme: Scheme) -> type[Motion]:
    """Return the motion for a scheme: impacts located, captured, or combined with time stepping."""
    if isinstance(scheme, Hybrid):
        return HybridMotion
    captured = isinstance(scheme, ImplicitRungeKutta) and scheme.impacts == "captured"
    return Capturing if captured else Motion
