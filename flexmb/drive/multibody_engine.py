"""The compiled loop for systems in large motion."""

from __future__ import annotations

import numpy as np

from flexmb.drive.dependent_joints import near_words, passed_words
from flexmb.drive.drive_corners import corner_times
from flexmb.drive.engine import Engine, Plan, not_finite, require_fitting, tally_of, truncate
from flexmb.drive.failed_contacts import FailedContacts
from flexmb.drive.sparse_cones import SparseCones
from flexmb.drive.stiff_damping import stiff_damping, thrown_off
from flexmb.errors import InputError, NotConverged, SimulationError
from flexmb.kernels.compilation.stages import raise_failed
from flexmb.kernels.laws.friction_record import SLIP_RATE
from flexmb.kernels.lcp.lcp_others import solver_settings
from flexmb.kernels.multibody.evaluate import evaluate_at
from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody.multibody import (
    CENTRED,
    CONE_METHOD,
    CONTACT_FAILED,
    CONVERGED,
    DIVERGED,
    EPS_NEAR,
    GAINED,
    ITERATIONS,
    KINETIC,
    LAST_STEP,
    LEFT_TABLE,
    LENGTH,
    MODEL,
    NEXT_STEP,
    NOT_A_NUMBER,
    NOT_CLOSED,
    NOT_PROJECTED,
    SINGULAR,
    SPLIT,
    STEPS,
    T_FIRST,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    Samples,
    V,
)
from flexmb.kernels.multibody.redundancy import REGULARIZED
from flexmb.kernels.multibody_contacts.multibody_contact import contact_stage
from flexmb.kernels.multibody_steps.multibody_begin import begin_motion
from flexmb.kernels.multibody_steps.multibody_march import CUTS, MOST_TURN, march_multibody
from flexmb.nonsmooth.methods.registry import KERNELS
from flexmb.record.samples import Block, Tally
from flexmb.schemes.compiled_numbers import scheme_numbers
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem


class MultibodyEngine(Engine):
    """Runs the implicit schemes on a system in large motion."""

    name = "compiled"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system = plan.system
        assert isinstance(system, MultibodySystem)
        self.system = system
        self.workspace = self._new_room()
        self.motion = self.workspace.machine.motion
        self.corners = corner_times(system, plan.t0, plan.time(plan.steps), plan.h)
        self.bent = np.zeros((len(system.bends), 2))  # largest deflection relative to the length, and its time
        self._begin()

    def _new_room(self) -> MachineWorkspace:
        """Return a machine for the system at its start."""
        plan, system, solver = self.plan, self.system, self.plan.solver
        numbers = scheme_numbers(plan.scheme, eps=system.eps, error=plan.tolerance)
        settings = solver_settings(solver.method, solver.max_iterations, solver.tolerance)
        workspace = system.machine(numbers, settings, plan.scheme.large_motion_stages())
        workspace.machine.step[CONE_METHOD] = KERNELS.get(solver.name, KERNELS["auto"])
        extent = plan.system.extent
        workspace.machine.trial.scale[MODEL] = extent
        workspace.machine.trial.scale[LENGTH] = extent or 1.0
        workspace.machine.step[EPS_NEAR] = REGULARIZED * system.response
        workspace.machine.step[T_FIRST] = plan.t0
        self.sparse_cones = SparseCones(workspace)
        return workspace

    def _begin(self) -> None:
        """Initialize the motion with accelerations, multipliers, forces and energies at the start."""
        plan, m, at = self.plan, self.motion, self.workspace.at
        m.numbers[TIME] = m.numbers[TIME_BEFORE] = plan.t0
        m.numbers[LAST_STEP] = plan.h
        m.numbers[NEXT_STEP] = min(plan.h, 1e-3 * plan.h * plan.steps) if plan.tolerance else plan.h
        bad = begin_motion(at, plan.t0)
        if bad >= 0:
            raise InputError(self._singular(bad), where="joints")
        start = plan.scheme.large_motion_stages().start
        if start is not None:
            status, where, residual = start(at, plan.h)
            if status != CONVERGED:
                self.failure = self._failure(int(status), int(where), float(residual))

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        block.field_q[0], block.field_v[0] = self.motion.q[: self.system.nq], self.motion.vec[0]
        # the loop and the stages of every step are compiled, or loaded, before the clock starts
        if self.system.contacts.nc:
            contact_stage.compile()
        self.plan.scheme.large_motion_stages().account.compile()
        block, out = self._fill_states(block, self.step, self.step, begin=True)
        self._fill(block, out)
        return block

    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        block, out = self._march(n)
        self._fill(block, out)
        return block

    def _march(self, n: int) -> tuple[Block, Samples]:
        """Take up to n steps; return a block of the results without signals, and the sampled states."""
        plan = self.plan
        n0 = self.step
        n1 = n0 if self.failure is not None else min(n0 + n, plan.steps)
        return self._fill_states(plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1)), n0, n1)

    def _fill_states(self, block: Block, n0: int, n1: int, begin: bool = False) -> tuple[Block, Samples]:
        """Advance from grid point n0 to n1; with ``begin``, the first sample is the state at n0."""
        plan, out = self.plan, self._samples(block)
        self.workspace.put(out=out)
        reached, samples, fields, status, where, residual = march_multibody(
            self.workspace.at,
            plan.t0,
            plan.h,
            n0,
            n1,
            plan.time(plan.steps),
            self.corners,
            block.step,
            block.field_step,
            begin,
        )
        raise_failed()
        if self.sparse_cones.failed is not None:
            raise self.sparse_cones.failed
        self.step = int(reached)
        if status:
            self.failure = self._failure(int(status), int(where), float(residual))
        return truncate(block, int(samples), int(fields)), out

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
            joint_impulse=np.zeros((k, s.nj)),
            energy=block.energy,
            field_q=block.field_q,
            field_v=block.field_v,
            field_impulse=block.field_impulse,
            beside=block.beside,
            laws=block.laws,
        )

    def _fill(self, block: Block, out: Samples) -> None:
        """Write the signals, gaps and joints of a block from its sampled states."""
        nj, k = self.system.nj, block.step.size
        g, rate, lam = out.g[:k], out.rate[:k], out.lam[:k]
        self._fill_contacts(block, out)
        block.multiplier, block.joint_g, block.joint_gdot = lam, g[:, :nj], rate[:, :nj]
        block.joint_impulse = out.joint_impulse[:k]
        for bend, most in zip(self.system.bends, self.bent, strict=True):
            shares = bend.shares(out.q[:k])
            if k and shares.max() > most[0]:
                most[:] = shares.max(), block.time[int(np.argmax(shares))]
        if k and self.system.probes:
            values = [p.evaluate(block.time, out.q[:k], out.v[:k], lam, out.theta[:k]) for p in self.system.probes]
            block.probes[:] = np.concatenate([x.reshape(k, -1) for x in values], axis=1)

    def _fill_contacts(self, block: Block, out: Samples) -> None:
        """Write the recorded quantities of the contacts; impulses are already in the block."""
        nj, nc, k = self.system.nj, self.system.contacts.nc, block.step.size
        block.gap[:], block.velocity[:] = out.g[:k, nj : nj + nc], out.rate[:k, nj : nj + nc]
        block.beside[:, SLIP_RATE] = out.rate[:k, nj + nc :]

    def _failure(self, status: int, where: int, residual: float) -> SimulationError:
        plan, n = self.plan, self.step + 1
        t = float(self.motion.numbers[TIME])
        smaller = f", also with steps {2**CUTS} times smaller"
        if self.workspace.machine.numbers.form == CENTRED:
            smaller = f" ({plan.scheme.name} has steps of one size; take a smaller time.step)"
        if status == NOT_A_NUMBER:
            return not_finite(plan, n)
        if status in (CONTACT_FAILED, DIVERGED, GAINED, SINGULAR) and (stiff := self._stiff()):
            return NotConverged(stiff, time=t, step=n, residual=residual)
        contacts = FailedContacts(self.system, self.workspace, plan.solver, plan.h)
        if status == CONTACT_FAILED:
            return contacts.unsolved(where, t, n, residual)
        if status in (DIVERGED, SINGULAR) and (pressed := contacts.pressed()) >= 0:
            label = self.system.gaps.labels[pressed]
            return NotConverged(contacts.jammed(pressed), time=t, step=n, contact=label, residual=residual)
        if status == GAINED:
            kinetic = float(self.motion.numbers[KINETIC])
            message = (
                f"the step converges to a motion that has gained {residual:.3g} J without a source (kinetic energy "
                f"before: {kinetic:.3g} J){smaller}: a spurious solution; "
                "take a smaller time.step, so that the motion before it is resolved as well"
            )
            return SimulationError(message, time=t, step=n)
        if status == NOT_CLOSED:
            return SimulationError(f"{self._open(residual)}{smaller}{self._turns()}", time=t, step=n)
        if status == SINGULAR:
            return NotConverged(self._singular(where), time=t, step=n, residual=residual)
        if status == NOT_PROJECTED and where < self.system.nv:
            return NotConverged(self._singular(where), time=t, step=n)
        if status == NOT_PROJECTED:
            message = (
                f"the position cannot be projected onto joint '{self.system.joints.labels[where - self.system.nv]}'"
            )
            return NotConverged(message, time=t, step=n)
        if status == LEFT_TABLE:
            return SimulationError(self.system.outside(self.motion.vec[V]), time=t, step=n)
        if status == TOO_SMALL:
            message = f"the local error remains above the tolerance {plan.tolerance:g} at any step size"
            return NotConverged(message, time=t, step=n, residual=residual * plan.tolerance)
        assert status == DIVERGED
        joint = f", joint '{self.system.joints.labels[where]}'" if where >= 0 else ""
        message = f"Newton's method does not converge{smaller}{joint}{near_words(self.system, self.workspace)}"
        message += contacts.rough_joints()
        return NotConverged(message, time=t, step=n, residual=residual)

    def _open(self, residual: float) -> str:
        """Return the message for a step whose energy balance does not close."""
        kinetic = float(self.motion.numbers[KINETIC])
        return (
            f"the energy balance of the step does not close: {residual:.3g} J are unaccounted for (kinetic energy "
            f"before: "
            f"{kinetic:.3g} J), so Newton's method has not solved it"
        )

    def _turns(self) -> str:
        """Return the body that rotates too far in a step, and a suitable step; empty if there is none."""
        frames = self.system.tables.unknowns.frame_v
        speeds = [float(np.linalg.norm(self.motion.vec[V][i + 3 : i + 6])) for i in frames]
        if not speeds or max(speeds) * self.plan.h <= MOST_TURN:
            return "; take a smaller time.step"
        fastest = int(np.argmax(speeds))
        name = self.system.dof_names[frames[fastest]].split(".")[0]
        return (
            f"; body '{name}' rotates by {speeds[fastest] * self.plan.h:.3g} rad in a step of {self.plan.h:g} s: "
            f"choose time.step below {MOST_TURN / speeds[fastest]:.3g}"
        )

    def _stiff(self) -> str:
        """Return the message for damping that is too stiff for the step, if it is."""
        numbers, t, m = self.workspace.machine.numbers, float(self.motion.numbers[TIME]), self.motion
        if numbers.form != SPLIT:
            return ""
        evaluate_at(self.workspace.at, t, m.q, m.vec[V])
        off = thrown_off(numbers.beta, numbers.gamma)
        return stiff_damping(self.system, t, m.q, m.vec[V], self.workspace.machine.point.F, self.plan.h, off)

    def _singular(self, row: int) -> str:
        """Return the message for a zero pivot."""
        nv = self.system.nv
        if row < nv:
            name = self.system.dof_names[row] if row < len(self.system.dof_names) else f"unknown {row}"
            if not self.system.tangents(self.plan.t0, self.system.q0, self.system.v0)[0].diagonal()[row] > 0.0:
                return f"the step matrix is singular at '{name}': a mass or inertia is zero there"
            return (
                f"the step matrix is singular at '{name}': it has mass, so a part was deformed or rotated too far in "
                f"one step, or the motion has diverged before; take a smaller time.step"
            )
        label = self.system.joints.labels[row - nv]
        return (
            f"joint '{label}' depends on others here (a dead point, or joints that constrain the same motion)"
            f"{near_words(self.system, self.workspace)}"
        )

    def _state(self) -> dict[str, Array]:
        """Return all state arrays, without copies."""
        return {"bent": self.bent, **self.motion._asdict()}

    def snapshot(self) -> dict[str, Array]:
        """Return copies of the complete state of the engine."""
        return {name: np.array(value) for name, value in self._state().items()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError if it does not fit this run."""
        self.make_room_for(arrays)
        own = self._state()
        require_fitting(arrays, own)
        for name, value in arrays.items():
            own[name][...] = value
        self.step = step
        self.workspace.machine.trial.q[:] = self.motion.q
        evaluate_at(self.workspace.at, float(self.motion.numbers[TIME]), self.motion.q, self.motion.vec[V])

    @property
    def bending(self) -> tuple[tuple[str, float, float], ...]:
        """Bending of each floating beam at the samples, relative to its length, and its time."""
        return tuple(
            (b.name, float(share), float(time)) for b, (share, time) in zip(self.system.bends, self.bent, strict=True)
        )

    def tally(self) -> Tally:
        """Return the statistics of all steps."""
        tally, numbers = tally_of(self.motion.ledger[0], self.step, self.system.gaps.labels), self.motion.numbers
        tally.newton_iterations, tally.steps_taken = int(numbers[ITERATIONS]), int(numbers[STEPS])
        tally.notes, tally.bending = self.notes(), self.bending
        return tally

    def notes(self) -> tuple[str, ...]:
        """Return the notes of the steps: singular positions."""
        return passed_words(self.system, self.workspace)
