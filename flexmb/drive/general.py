"""The readable loop: calls ``scheme.step`` once per step, on any system.

It asks systems for nothing but the words of ``system.protocol``, so a scheme that is written over them runs on bars, on
rotors in a clearance and on mechanisms alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.drive.engine import Plan, not_finite, require_fitting, tally_of, truncate
from flexmb.errors import NotConverged, SimulationError
from flexmb.kernels.friction_record import (
    COHESION,
    R_T,
    RATE_T,
    ROLLING,
    SLIDING,
    STATUS,
    add_up_friction,
    friction_rows,
    take_friction,
)
from flexmb.kernels.friction_status import write_status
from flexmb.kernels.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_ITERATIONS,
    T_NUMERICAL,
    T_PROJECTION,
    TERMS_SIZE,
    add_to_ledger,
    balance,
    empty_ledger,
)
from flexmb.record.samples import Block, Tally
from flexmb.schemes.scheme import Memory
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_instant import LinearInstant
from flexmb.system.linear_system import Probe
from flexmb.system.multibody_instant import MultibodyInstant
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.probes import MultibodyProbe


class GeneralEngine:
    """Runs any scheme on any system, step by step in Python."""

    name = "general"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system = plan.system
        if isinstance(system, MultibodySystem):  # a machine of its own: angles are continued from step to step in it
            system = replace(system)
        self.system = system
        self.state = system.initial_state(plan.t0)
        self.theta = np.zeros(0)
        if isinstance(system, MultibodySystem):
            self.state = State(plan.t0, system.start, system.v0.copy())
            self.theta = np.zeros(system.tables.angles.A.size)
            system.begin(plan.t0, self.theta)
        self.fixed = plan.scheme.prepare(system, plan.h)
        self.response = np.array(self.fixed.response)
        self.memory = plan.scheme.start(system, self.state, plan.h, self.fixed, plan.solver)
        self.ledger = empty_ledger()
        self.since, blocks = np.zeros(system.contacts.nc), system.contacts.blocks
        self.beside, self.laws = friction_rows(blocks.nc, blocks.nt, blocks.normals_only)
        self.since_field = np.zeros(system.impulse_map.shape[1])
        self.joints = np.zeros(
            (2, system.nj)
        )  # their forces at the end of the last step, impulses since the last sample
        self._arrive()

    def _arrive(self) -> None:
        """Evaluate the system in the state that was reached, and continue its angles from there."""
        system, s = self.system, self.state
        if isinstance(system, MultibodySystem):
            system.follow(self.theta)
        self.now: LinearInstant | MultibodyInstant = system.instant(s.t, s.q, s.v)
        self.theta = self.now.theta
        if self.beside.size:
            self.beside[RATE_T] = self.now.U_T

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        self._sample(block, 0)
        self._field(block, 0)
        return block

    @np.errstate(over="ignore", invalid="ignore")  # a motion that overflows is found and said below
    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        plan = self.plan
        n0, n1 = self.step, min(self.step + n, plan.steps)
        block = plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1))
        samples, fields = 0, 0
        while self.step < n1:
            # the grid belongs to the loop: times are t0 + n h, not sums of steps
            state = State(plan.time(self.step), self.state.q, self.state.v)
            try:
                new, memory, report = plan.scheme.step(self.system, state, plan.h, self.memory, self.fixed, plan.solver)
            except NotConverged as failure:
                failure.step, failure.time = self.step + 1, plan.time(self.step + 1)
                self.failure = failure
                break
            if not np.isfinite(new.v).all():
                self.failure = not_finite(plan, self.step + 1)
                break
            outside = self.system.outside(new.v) if isinstance(self.system, MultibodySystem) else ""
            if outside:
                self.failure = SimulationError(outside, time=plan.time(self.step + 1), step=self.step + 1)
                break
            self.step += 1
            self.state, self.memory = State(plan.time(self.step), new.q, new.v), memory
            self._arrive()
            self._book(report)
            if samples < block.step.size and block.step[samples] == self.step:
                self._sample(block, samples)
                samples += 1
            if fields < block.field_step.size and block.field_step[fields] == self.step:
                self._field(block, fields)
                fields += 1
        return truncate(block, samples, fields)

    def _book(self, report: StepReport) -> None:
        terms = np.zeros(TERMS_SIZE)
        terms[T_EXTERNAL], terms[T_DRIVE], terms[T_DAMPING] = report.external, report.drive, report.damping
        terms[T_NUMERICAL], terms[T_PROJECTION] = report.numerical, report.projection
        terms[T_ITERATIONS], terms[T_CROSS] = report.iterations, report.cross
        self.since += report.P
        if report.Lam.size:
            self.joints[0] = report.lam if report.lam.size else report.Lam / self.plan.h
            self.joints[1] += report.Lam
        if report.P.any() or report.R.any():
            self.since_field += self.now.impulse_vectors(report.P, report.R)
        self._book_friction(report)
        add_to_ledger(self.ledger, terms, report.P, report.contact, self.laws, self.response, self.now.g, self.state.t)

    def _book_friction(self, report: StepReport) -> None:
        """Keep what a step says of friction, and the status of the contacts."""
        if not self.laws.size:
            return
        blocks = self.system.contacts.blocks
        for row, values in ((SLIDING, report.sliding), (ROLLING, report.rolling), (COHESION, report.cohesion)):
            self.laws[row] = values if values.size else 0.0
        self.beside[R_T] = report.R if report.R.size else 0.0
        mu = report.mu if report.mu.size else np.ascontiguousarray(blocks.friction[:, 0])
        P, R = report.P, self.beside[R_T]
        if report.bonds.size:  # what a bond pulls with says nothing of friction
            P, R = P - report.bonds[: P.size], R - report.bonds[P.size :]
        write_status(P, R, blocks.start, blocks.slides, mu, self.laws[STATUS])
        add_up_friction(self.beside, self.laws, report.contact)

    def _sample(self, block: Block, k: int) -> None:
        now, width = self.now, 0
        for probe in self.plan.system.probes:
            block.probes[k, width : width + probe.size] = _signal(probe, now)
            width += probe.size
        block.gap[k], block.velocity[k], block.impulse[k] = now.g, now.U, self.since
        self.since[:] = 0.0
        if self.laws.size:
            take_friction(self.beside, self.laws, block.beside[k], block.laws[k])
        if isinstance(now, MultibodyInstant) and block.multiplier is not None:
            assert block.joint_g is not None
            assert block.joint_gdot is not None
            assert block.joint_impulse is not None
            block.multiplier[k], block.joint_impulse[k] = self.joints
            block.joint_g[k], block.joint_gdot[k] = now.joint_g, now.joint_rates
            self.joints[1] = 0.0
        balance(self.ledger, now.kinetic, now.potential, block.energy[k])

    def _field(self, block: Block, k: int) -> None:
        block.field_q[k] = self.state.q[: self.plan.system.nq]
        block.field_v[k] = self.state.v
        block.field_impulse[k] = self.since_field
        self.since_field[:] = 0.0

    def snapshot(self) -> dict[str, Array]:
        """Return copies of all that changes from step to step."""
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
            "ledger": self.ledger,
            "since": self.since,
            "since_field": self.since_field,
            "theta": self.theta,
            "joints": self.joints,
            "beside": self.beside,
            "laws": self.laws,
        }
        return {key: value.copy() for key, value in arrays.items()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError when it is not one of this run."""
        require_fitting(arrays, self.snapshot())
        self.step = step
        self.state = State(self.plan.time(step), arrays["q"].copy(), arrays["v"].copy())
        names = ("vectors", "contacts", "loads", "scalars", "rows", "law_state")
        self.memory = Memory(*(arrays[name].copy() for name in names))
        self.ledger = arrays["ledger"].copy()
        self.since, self.since_field = arrays["since"].copy(), arrays["since_field"].copy()
        self.theta, self.joints = arrays["theta"].copy(), arrays["joints"].copy()
        self.beside, self.laws = arrays["beside"].copy(), arrays["laws"].copy()
        self._arrive()

    def tally(self) -> Tally:
        """Return the figures every step contributed to."""
        return tally_of(self.ledger, self.step, self.system.contacts.labels)


def _signal(probe: Probe | MultibodyProbe, now: LinearInstant | MultibodyInstant) -> Array:
    """Return a signal in an instant, (size,)."""
    if isinstance(probe, Probe):
        return np.asarray(probe.offset + probe.B @ (now.v if probe.of == "v" else now.q))
    q = now.q[None, : now.system.nq]
    return np.asarray(probe.evaluate(np.array([now.t]), q, now.v[None, :], np.zeros((1, 0)), now.theta[None, :])[0])
