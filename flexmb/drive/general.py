"""The interpreted loop: calls ``scheme.step`` once per step, on any system.

It only uses ``system.protocol``, so a scheme written for that protocol runs on bars, on rotors in a clearance and on
mechanisms alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from flexmb.drive.engine import Engine, Plan, not_finite, require_fitting, tally_of, truncate
from flexmb.drive.step_records import StepRecords
from flexmb.errors import NotConverged, SimulationError
from flexmb.record.samples import Block, Tally
from flexmb.schemes.scheme import Memory, Responses
from flexmb.state import Array, State, StepReport
from flexmb.system.multibody_system import MultibodySystem

Step: TypeAlias = tuple[State, Memory, StepReport]
"""Result of a step of a scheme."""


class GeneralEngine(Engine):
    """Runs any scheme on any system, step by step in Python."""

    name = "general"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system = plan.system
        if isinstance(system, MultibodySystem):  # a separate machine, in which angles are continued from step to step
            system = replace(system)
        self.system = system
        self.state = system.initial_state(plan.t0)
        self.theta = np.zeros(0)
        if isinstance(system, MultibodySystem):
            self.state = State(plan.t0, system.start, system.v0.copy())
            self.theta = np.zeros(system.tables.angles.A.size)
            system.begin(plan.t0, self.theta)
        self.fixed = plan.scheme.prepare(system, plan.h)
        self.memory = plan.scheme.start(system, self.state, plan.h, self.fixed, plan.solver)
        self.records = StepRecords(system, np.array(self.fixed.response), plan.h, self._tangent_response())
        self._arrive()

    def _tangent_response(self) -> Array | None:
        """Return the mean velocity of the tangents of contacts per unit of their impulse, (nc,), by the masses alone.

        None where no friction depends on the slip speed.
        """
        blocks, s = self.system.contacts.blocks, self.state
        if not blocks.friction[:, 1].any():
            return None
        here = self.system.instant(s.t, s.q, s.v)
        own = Responses.of(self.system.factor(here, 1.0, 0.0, 0.0), here.H).response
        tangents = np.bincount(blocks.owner, weights=blocks.tangent, minlength=blocks.nc)
        return np.bincount(blocks.owner, weights=own * blocks.tangent, minlength=blocks.nc) / np.maximum(tangents, 1.0)

    def _arrive(self) -> None:
        """Evaluate the system at the current state, and continue its angles from there."""
        system, s = self.system, self.state
        if isinstance(system, MultibodySystem):
            system.follow(self.theta)
        now = system.instant(s.t, s.q, s.v)
        self.theta = now.theta
        self.records.arrive(now)

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        self.records.sample(block, 0)
        self.records.field(block, 0)
        return block

    @np.errstate(over="ignore", invalid="ignore")  # a diverging motion overflows and is reported below
    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        plan = self.plan
        n0, n1 = self.step, min(self.step + n, plan.steps)
        block = plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1))
        samples, fields = 0, 0
        while self.step < n1:
            self.failure = self._go()
            if self.failure is not None:
                break
            self.step += 1
            if samples < block.step.size and block.step[samples] == self.step:
                self.records.sample(block, samples)
                samples += 1
            if fields < block.field_step.size and block.field_step[fields] == self.step:
                self.records.field(block, fields)
                fields += 1
        return truncate(block, samples, fields)

    def _go(self) -> SimulationError | None:
        """Advance to the next point of the grid; return the reason if the run ends before it."""
        # the loop defines the grid: times are t0 + n h, not sums of steps
        plan, t_1 = self.plan, self.plan.time(self.step + 1)
        state = State(plan.time(self.step), self.state.q, self.state.v)
        step = self._step(state, plan.h, self.memory, self.fixed)
        if isinstance(step, SimulationError):
            step.step, step.time = self.step + 1, t_1
            return step
        new, memory, report = step
        self._accept(State(t_1, new.q, new.v), memory, report)
        return None

    def _step(self, state: State, h: float, memory: Memory, fixed: Any) -> Step | SimulationError:
        """Return a step from a state, or the reason why it fails."""
        try:
            new, after, report = self.plan.scheme.step(self.system, state, h, memory, fixed, self.plan.solver)
        except NotConverged as failure:
            return failure
        if not np.isfinite(new.v).all():
            return not_finite(self.plan, self.step + 1)
        outside = self.system.outside(new.v) if isinstance(self.system, MultibodySystem) else ""
        if outside:
            return SimulationError(outside, time=new.t, step=self.step + 1)
        return new, after, report

    def _accept(self, state: State, memory: Memory, report: StepReport) -> None:
        """Make the end of a step the current state, and record the step."""
        self.state, self.memory = state, memory
        self._arrive()
        self.records.book(report, self.state.t)

    def snapshot(self) -> dict[str, Array]:
        """Return copies of the complete state of the engine."""
        m = self.memory
        arrays = {
            "q": self.state.q,
            "v": self.state.v,
            "vectors": m.vectors,
            "contacts": m.contacts,
            "loads": m.loads,
            "scalars": m.scalars,
            "rows": m.rows,
            "law_state": m.laws,
            "theta": self.theta,
            **self.records.arrays(),
        }
        return {key: value.copy() for key, value in arrays.items()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError if it does not fit this run."""
        require_fitting(arrays, self.snapshot())
        self.step = step
        self.state = State(self.plan.time(step), arrays["q"].copy(), arrays["v"].copy())
        names = ("vectors", "contacts", "loads", "scalars", "rows", "law_state")
        self.memory = Memory(*(arrays[name].copy() for name in names))
        self.theta = arrays["theta"].copy()
        self.records.restore(arrays)
        self._arrive()

    def tally(self) -> Tally:
        """Return the statistics of all steps."""
        return tally_of(self.records.ledger, self.step, self.system.contacts.labels)
