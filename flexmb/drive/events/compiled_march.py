"""Steps of explicit methods where no contact is closed and none comes near, taken by the compiled loop.

The loop (``kernels.smooth.smooth_march``) does what ``Motion`` does step by step, and leaves to it every step in which
something may happen. It is for mechanisms whose mass matrix never changes along the axes of their bodies and whose
joints are independent; all else goes step by step in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from flexmb.drive.events.thresholds import GAP
from flexmb.kernels.geometry.tables import CLASSES, Matrix
from flexmb.kernels.laws.friction_record import NO_LAWS
from flexmb.kernels.small_motion.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_NUMERICAL,
    T_SPIN,
    TERMS_SIZE,
)
from flexmb.kernels.smooth import smooth_arrays as sm
from flexmb.kernels.smooth.smooth_arrays import Method, Scratch, Seen, Smooth, SmoothRoom, SmoothRun, Stages
from flexmb.kernels.smooth.smooth_march import march_stage
from flexmb.schemes.explicit_runge_kutta import ExplicitRungeKutta
from flexmb.schemes.hybrid import Hybrid
from flexmb.smooth import explicit_steps as explicit
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep, SmoothWorks
from flexmb.smooth.works import defect_matrix
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.user_functions import user_functions

if TYPE_CHECKING:
    from flexmb.drive.events.motion import Motion
    from flexmb.drive.events.trial_steps import TrialSteps
    from flexmb.drive.step_records import StepRecords

MOST = 120
"""Largest number of velocities, and of rows of joints, that the loop is for: its matrices of rows are dense."""
SLIVER = 1e-6
"""Fraction of an interval between samples below which a Taylor series replaces a step."""


def compiled_march(motion: Motion, records: StepRecords) -> CompiledMarch | None:
    """Return the compiled loop of a motion at its start; None if it is not one for it."""
    system, scheme = motion.system, motion.scheme
    if isinstance(scheme, Hybrid):
        scheme = scheme.inner
    if not isinstance(system, MultibodySystem) or not isinstance(scheme, ExplicitRungeKutta):
        return None
    fits = 0 < system.nv <= MOST and system.nj <= MOST and system.constant_mass
    if not fits or any(not f["compiled"] for f in user_functions(system)):
        return None
    free = motion.phase.with_(np.zeros(0, dtype=np.int64))
    if free.depends(free.at(motion.state.t, motion.state.q, motion.state.v)):
        return None
    return CompiledMarch(system, scheme, free, records, motion)


class CompiledMarch:
    """The compiled loop and its arrays."""

    def __init__(
        self, system: MultibodySystem, scheme: ExplicitRungeKutta, free: Phase, records: StepRecords, motion: Motion
    ) -> None:
        self.system, self.scheme, self.records = system, scheme, records
        run = run_of(scheme, free, motion.state, records)
        n, (positions, velocities) = run.numbers, scheme.drifts
        n[sm.TOLERANCE], n[sm.LENGTH], n[sm.SHORTEST] = motion.tolerance, motion.thresholds.length, SLIVER * motion.h
        n[sm.POWER], n[sm.SECOND], n[sm.CARRIES] = scheme.error_power, scheme.table.second, scheme.table.carries
        n[sm.POSITIONS], n[sm.VELOCITIES] = positions, velocities
        self.room = SmoothRoom(run)

    @staticmethod
    def _fits(motion: TrialSteps) -> bool:
        """Return whether the phase of a motion is one for the loop."""
        return not (motion.phase.closed.size or motion.undecided.any() or motion.edges.watched())

    def _begin(self, state: SmoothState) -> SmoothRun:
        """Return the arrays of the loop with a state as the one to start from."""
        run = self.room.run
        run.now.q[:], run.now.v[:], run.now.a[:], run.now.lam[:] = state.q, state.v, state.a, state.lam
        run.numbers[sm.T] = state.t
        run.counts[:] = 0.0
        return run

    def step(self, motion: TrialSteps, h: float) -> SmoothStep | None:
        """Return a step of length h, as ``smooth_step`` of the scheme does; None where the loop does not take it."""
        if not self._fits(motion):
            return None
        phase, state = motion.phase, motion.state
        run = self._begin(state)
        if march_stage(self.system.workspace.at, 1, 0.0, h, self.room.at, 0, 0) != sm.REACHED:
            return None
        method, terms, none = run.method, run.stages.terms, np.zeros(self.system.contacts.nc)
        K, A, lam = run.stages.K.copy(), run.stages.A.copy(), run.stages.lam.copy()
        q, v, a, dq = run.end.q.copy(), run.end.v.copy(), run.end.a.copy(), run.dq.copy()
        t = state.t + h
        end = SmoothState(t, q, v, a, run.end.lam.copy(), phase.at(t, q, v))
        stages = explicit.Stages([], [], K[:-1], A[:-1], lam)
        return SmoothStep(
            state,
            end,
            dq,
            h * (method.b @ lam),
            SmoothWorks(
                terms[T_EXTERNAL],
                terms[T_DRIVE],
                terms[T_DAMPING],
                terms[T_CROSS],
                terms[T_NUMERICAL],
                none,
                none,
                terms[T_SPIN],
            ),
            errors=tuple((h * (w @ K), h * (w @ A)) for w in method.errors),
            lam_inside=lam,
            evaluations=int(run.counts[sm.EVALUATIONS]),
            solves=int(run.counts[sm.SOLVES]),
            inside=self.scheme.inside(phase, state, end, dq, stages),
        )

    def go(self, motion: Motion, t: float) -> bool:
        """Take steps to t; return False where the next one is one for the driver."""
        if motion.limit < float("inf") or not self._fits(motion):
            return False
        room, state = self.room, motion.state
        if room.run.ledger is not self.records.ledger:
            room.put(ledger=self.records.ledger)
        run = self._begin(state)
        run.numbers[[sm.WANTED, sm.END]] = motion.wanted, t
        run.close[:] = 4.0 * GAP * motion.thresholds.reach(state.here.here)  # the driver looks again, more closely
        answer = march_stage(self.system.workspace.at, 0, 0.0, 0.0, room.at, 0, 0)
        motion.wanted = float(run.numbers[sm.WANTED])
        for name, place in COUNTED.items():
            motion.counts.add(name, float(run.counts[place]))
        if run.counts[sm.STEPS]:
            self._take_over(motion, answer == sm.AFRESH)
        if answer == sm.LOOK_AROUND:
            motion.look_around()
        return answer in (sm.REACHED, sm.LOOK_AROUND, sm.PAUSE, sm.AFRESH)

    def _take_over(self, motion: Motion, afresh: bool) -> None:
        """Make the end of the steps the state of the motion."""
        now, phase, t = self.room.run.now, motion.phase, float(self.room.run.numbers[sm.T])
        q, v = now.q.copy(), now.v.copy()
        if afresh:
            motion.state = phase.begin(t, q, v)
        else:
            motion.state = SmoothState(t, q, v, now.a.copy(), now.lam.copy(), phase.at(t, q, v))
        motion.forget_events()
        self.records.flew(motion.state.here.here, motion.state.lam[: phase.nj])


COUNTED = {
    "steps": sm.STEPS,
    "rejected": sm.REJECTED,
    "evaluations": sm.EVALUATIONS,
    "solves": sm.SOLVES,
    "projections": sm.PROJECTIONS,
    "projection_work": sm.PROJECTION_WORK,
}
"""Numbers of a run by their place in the counts of the loop."""


def run_of(scheme: ExplicitRungeKutta, free: Phase, state: SmoothState, records: StepRecords) -> SmoothRun:
    """Return the arrays of the loop for a phase without closed contacts."""
    system, table, nj = free.system, scheme.table, free.nj
    assert isinstance(system, MultibodySystem)
    nv, nc, s = system.nv, system.contacts.nc, table.b.size
    here = free.at(state.t, state.q, state.v)
    return SmoothRun(
        method=Method(table.A, table.b, table.c, table.bar, table.bar_c, defect_matrix(table.A, table.b), table.errors),
        M=_matrix(sparse.csr_array(system.matrices(here.here)[0])),
        inverse=_matrix(sparse.csr_array(free.mass.solver(here.here)(np.eye(nv)))),
        numbers=np.zeros(sm.NUMBERS),
        counts=np.zeros(sm.COUNTS),
        now=_smooth(system.nq, nv, nj),
        end=_smooth(system.nq, nv, nj),
        start=_seen(nv, nj, nc),
        stage=_seen(nv, nj, nc),
        final=_seen(nv, nj, nc),
        stages=Stages(
            np.zeros((s + 1, nv)), np.zeros((s + 1, nv)), np.zeros((s, nj)), np.zeros(TERMS_SIZE), np.zeros(1)
        ),
        scratch=Scratch(
            q=np.zeros(2 * system.nq),
            x=np.zeros(nv),
            V=np.zeros(nv),
            known=np.zeros(nv),
            rho=np.zeros(nj),
            X=np.zeros((nj, nv)),
            W=np.zeros((nj, nj)),
            T=np.zeros((3, 3)),
        ),
        dq=np.zeros(nv),
        close=np.zeros(nc),
        ledger=records.ledger,
        none=np.zeros(nc),
        laws=NO_LAWS,
        response=records.response,
    )


def _smooth(nq: int, nv: int, nj: int) -> Smooth:
    return Smooth(q=np.zeros(2 * nq), v=np.zeros(nv), a=np.zeros(nv), lam=np.zeros(nj))


def _seen(nv: int, nj: int, nc: int) -> Seen:
    load, p = np.zeros((2, nv))
    rates, surface, bias = np.zeros((3, nj))
    g, U = np.zeros((2, nc))
    arrays = (load, p, np.zeros((nj, nv)), rates, surface, bias, np.zeros(CLASSES), np.zeros(2), g, U)
    return Seen(*(np.ascontiguousarray(x) for x in arrays))


def _matrix(A: sparse.csr_array) -> Matrix:
    return Matrix(A.indptr.astype(np.int64), A.indices.astype(np.int64), np.asarray(A.data, dtype=np.float64))
