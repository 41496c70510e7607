"""The compiled loop for systems in large motion."""

from __future__ import annotations

import numpy as np

from flexmb.engines.base import Plan, not_finite, tally_of, truncate
from flexmb.errors import InputError, NotConverged, SimulationError
from flexmb.kernels.arrays import Judge
from flexmb.kernels.evaluate import evaluate, forces_in_space, momentum, to_space
from flexmb.kernels.multibody import (
    CONTACT_FAILED,
    DIVERGED,
    KINETIC,
    LAST_STEP,
    MODEL,
    NEXT_STEP,
    NOT_A_NUMBER,
    NOT_PROJECTED,
    SINGULAR,
    T_P,
    T_V,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    Samples,
    V,
)
from flexmb.kernels.multibody_ledger import carry_state
from flexmb.kernels.multibody_march import march_multibody, take_sample
from flexmb.kernels.multibody_step import start_motion
from flexmb.multibody_system import MultibodySystem
from flexmb.record import Block, Tally
from flexmb.schemes.multibody import scheme_numbers
from flexmb.state import Array


class MultibodyEngine:
    """Runs the implicit schemes on a system in large motion."""

    name = "compiled"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system = plan.system
        assert isinstance(system, MultibodySystem)
        self.system = system
        numbers = scheme_numbers(plan.scheme, eps=system.eps, error=plan.tolerance)
        solver = plan.solver
        judge = Judge(solver.method, solver.max_iterations, float(solver.tolerance))
        self.room = system.machine(numbers, judge)
        self.room.machine.trial.scale[MODEL] = system.size
        self.motion = self.room.machine.motion
        self._begin()

    def _begin(self) -> None:
        """Fill the motion with accelerations, multipliers, forces and energies of the start."""
        plan, m, at = self.plan, self.motion, self.room.at
        trial, point = self.room.machine.trial, self.room.machine.point
        m.numbers[TIME] = m.numbers[TIME_BEFORE] = plan.t0
        m.numbers[LAST_STEP] = plan.h
        m.numbers[NEXT_STEP] = min(plan.h, 1e-3 * plan.h * plan.steps) if plan.tolerance else plan.h
        bad = start_motion(at, plan.t0)
        if bad >= 0:
            raise InputError(self._singular(bad), where="joints")
        unknowns = self.system.tables.unknowns
        forces_in_space(unknowns, point.F, point.A, m.F)
        m.P[:] = m.F
        trial.q[:] = m.q
        trial.vec[T_V] = m.vec[V]
        momentum(at, m.q, m.vec[V], trial.vec[T_P])
        m.numbers[KINETIC] = 0.5 * float(trial.vec[T_P] @ m.vec[V])
        to_space(unknowns, point.A, trial.vec[T_P])
        carry_state(at)

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        out = self._samples(block)
        take_sample(self.room.at, out, 0)
        out.field_q[0], out.field_v[0] = self.motion.q, self.motion.vec[0]
        self._fill(block, out)
        self.advance(0)  # compiles the loop, or loads it from numba's cache, before the clock starts
        return block

    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        plan = self.plan
        n0, n1 = self.step, min(self.step + n, plan.steps)
        block = plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1))
        out = self._samples(block)
        reached, samples, fields, status, where, residual = march_multibody(
            self.room.at,
            out,
            plan.t0,
            plan.h,
            n0,
            n1,
            plan.time(plan.steps),
            block.step,
            block.field_step,
        )
        self.step = int(reached)
        if status:
            self.failure = self._failure(int(status), int(where), float(residual))
        block = truncate(block, int(samples), int(fields))
        self._fill(block, out)
        return block

    def _samples(self, block: Block) -> Samples:
        s, k = self.system, block.step.size
        nr = s.tables.rows.kind.size
        return Samples(
            q=np.zeros((k, s.nq)),
            v=np.zeros((k, s.nv)),
            lam=np.zeros((k, s.nj)),
            g=np.zeros((k, nr)),
            rate=np.zeros((k, nr)),
            theta=np.zeros((k, s.tables.angles.A.size)),
            impulse=block.impulse,
            energy=block.energy,
            field_q=block.field_q,
            field_v=block.field_v,
            field_impulse=block.field_impulse,
        )

    def _fill(self, block: Block, out: Samples) -> None:
        """Write the signals, gaps and joints of a block from its sampled states."""
        nj, k = self.system.nj, block.step.size
        g, rate, lam = out.g[:k], out.rate[:k], out.lam[:k]
        block.gap[:], block.velocity[:] = g[:, nj:], rate[:, nj:]
        block.multiplier, block.joint_g, block.joint_gdot = lam, g[:, :nj], rate[:, :nj]
        if k and self.system.probes:
            values = [p.evaluate(block.time, out.q[:k], out.v[:k], lam, out.theta[:k]) for p in self.system.probes]
            block.probes[:] = np.concatenate([x.reshape(k, -1) for x in values], axis=1)

    def _failure(self, status: int, where: int, residual: float) -> SimulationError:
        plan, n = self.plan, self.step + 1
        t = float(self.motion.numbers[TIME])
        if status == NOT_A_NUMBER:
            return not_finite(plan, n)
        if status == CONTACT_FAILED:
            return NotConverged(
                f"solver '{plan.solver.name}' left the contact problem above its tolerance {plan.solver.tolerance:g}",
                time=t,
                step=n,
                contact=self.system.contacts.labels[where],
                residual=residual,
            )
        if status == SINGULAR:
            return NotConverged(self._singular(where), time=t, step=n, residual=residual)
        if status == NOT_PROJECTED:
            message = (
                f"the position cannot be brought back onto joint '{self.system.joints.labels[where - self.system.nv]}'"
            )
            return NotConverged(message, time=t, step=n)
        if status == TOO_SMALL:
            message = f"the local error stays above the tolerance {plan.tolerance:g} however small the step"
            return NotConverged(message, time=t, step=n, residual=residual * plan.tolerance)
        assert status == DIVERGED
        joint = f", joint '{self.system.joints.labels[where]}'" if where >= 0 else ""
        message = f"Newton's method does not converge, also with steps 4096 times smaller{joint}"
        return NotConverged(message, time=t, step=n, residual=residual)

    def _singular(self, row: int) -> str:
        """Say what a bad pivot means."""
        nv = self.system.nv
        if row < nv:
            name = self.system.dof_names[row] if row < len(self.system.dof_names) else f"unknown {row}"
            return f"the step matrix is singular at '{name}': a mass or inertia is zero there, or the step is too large"
        label = self.system.joints.labels[row - nv]
        return f"joint '{label}' depends on others here (a dead point, or joints that hold the same motion)"

    def snapshot(self) -> dict[str, Array]:
        """Return copies of all that changes from step to step."""
        return {name: np.array(value) for name, value in self.motion._asdict().items()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``."""
        for name, value in arrays.items():
            getattr(self.motion, name)[...] = value
        self.step = step
        self.room.machine.trial.q[:] = self.motion.q
        evaluate(self.room.at, float(self.motion.numbers[TIME]), self.motion.q, self.motion.vec[V])

    def tally(self) -> Tally:
        """Return the figures every step contributed to."""
        return tally_of(self.motion.ledger[0], self.step)
