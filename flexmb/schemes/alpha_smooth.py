"""The alpha family on smooth motion between events: the step of ``alpha_family`` on a phase, whose rows are joints.

Closed contacts are enforced like joints: by positions (index3), velocities (index2) or both (ggl). The filtered
forces and accelerations belong to a step of some length: where the next one has another, what they are off the true
ones is scaled with it. A new phase begins with the true ones. The local error is that of the position formula,

    l = h^2 (beta + (alpha_m - alpha_f)/2 - 1/6) (a_{n+1} - a_n),      of order h^3

Dense output is the cubic of Hermite: accelerations at the ends contain the fast modes that a step does not resolve.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmb.errors import NotConverged
from flexmb.kernels.geometry.tables import CLASSES
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.alpha_family import ITERATIONS, Alpha, forces_in_space
from flexmb.schemes.alpha_newton import AlphaTrial
from flexmb.schemes.scheme import Memory, Responses, has_settled, largest
from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.dense import Hermite
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.phase_system import PhaseSystem
from flexmb.smooth.smooth_step import SmoothState, SmoothStep, SmoothWorks
from flexmb.state import Array, StepReport


@dataclass(frozen=True)
class AlphaSmooth(SmoothScheme):
    """A member of the alpha family as an integrator of smooth motion; ``scheme`` is the member."""

    scheme: Alpha
    solver: ContactSolver = field(default_factory=ContactSolver)

    name: ClassVar[str] = ""
    memory_size: ClassVar[tuple[int, int, int]] = (1 + CLASSES, 1, 1)
    """Filtered acceleration and forces of all classes; filtered forces of the rows; the step size they belong to."""

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return self.scheme.order

    @property
    def error_power(self) -> int:
        """Power of h in the error estimate."""
        return 3

    @property
    def drifts(self) -> tuple[bool, bool]:
        """With index3 velocities are those of the method, and are not projected."""
        return True, self.scheme.joint_level != "index3"

    def begin(self, phase: Phase, t: float, q: Array, v: Array) -> SmoothState:
        """Return the initial state of a phase, in which filtered quantities equal the true ones."""
        state = phase.begin(t, q, v)
        forces = forces_in_space(state.here, state.lam)  # type: ignore[arg-type]
        memory = (np.concatenate([state.a[None, :], forces]), state.lam[None, :].copy(), np.zeros(1))
        return SmoothState(t, q, v, state.a, state.lam, state.here, memory)

    def _carried(self, state: SmoothState, h: float) -> tuple[Memory, Array]:
        """Return the memory of the family for a step of length h, and the forces at the start."""
        vectors, rows, (last,) = state.memory
        forces = forces_in_space(state.here, state.lam)  # type: ignore[arg-type]
        true = np.concatenate([state.a[None, :], forces])
        ratio = h / last if last > 0.0 else 1.0
        loads = np.stack([state.lam, state.lam + ratio * (rows[0] - state.lam)])
        none = np.zeros((3, 0))
        return Memory(true + ratio * (vectors - true), none, loads, np.zeros(1)), forces

    def smooth_step(self, phase: Phase, state: SmoothState, h: float) -> SmoothStep:
        """Advance from t to t + h."""
        system, scheme, c = PhaseSystem(phase), self.scheme, self.scheme.coefficients
        memory, forces = self._carried(state, h)
        start = state.here
        fixed = Responses(np.zeros(0))
        trial = AlphaTrial(scheme, system, start, h, memory, fixed, self.solver, forces)  # type: ignore[arg-type]
        size, last, scale = np.inf, np.inf, largest(state.v)
        noise = np.finfo(float).eps * largest(state.q) / trial.d1
        count = 0
        for _ in range(ITERATIONS):
            last, size = size, trial.correct()
            count += 1
            scale = max(scale, largest(trial.v))
            if system.linear or has_settled(size, last, scale, noise):
                break
        else:
            raise NotConverged("Newton's method does not converge", time=state.t + h, step=-1, residual=size)
        at: PhaseInstant = trial.place()  # type: ignore[assignment]
        none = np.zeros(0)
        after = scheme._carried(start, at, trial, memory, forces, none)  # type: ignore[arg-type]
        report = scheme._report(system, start, at, trial, memory, after, none, none)  # type: ignore[arg-type]
        a, lam = phase.index_one(at)
        kept = (after.vectors, after.loads[1:2], np.array([h]))
        end = SmoothState(at.t, at.q, at.v, a, lam, at, kept)
        mean = c.at_gamma(after.loads[1], memory.loads[1])
        off = h * h * (c.beta + 0.5 * (c.alpha_m - c.alpha_f) - 1.0 / 6.0) * (after.vectors[0] - memory.vectors[0])
        return SmoothStep(
            state,
            end,
            trial.increment,
            h * mean,
            self._works(phase, report, start, at, h * mean),
            errors=((off, np.zeros(0)),),
            lam_inside=after.loads[:1],
            lam_end=after.loads[0],
            evaluations=count + 1,
            solves=count + 1,
            inside=Hermite(h, trial.increment, np.stack([state.v, phase.system.toward(trial.increment, at.v)])),
        )

    def _works(
        self, phase: Phase, report: StepReport, start: PhaseInstant, end: PhaseInstant, impulse: Array
    ) -> SmoothWorks:
        """Return the works of a step; that of friction, which is one of the rows for the family, on the mean slip.

        For the family tangents have no prescribed motion: what surfaces do along them is added.
        """
        system, moved = PhaseSystem(phase), 0.5 * (start.here.H_t + end.here.H_t)
        sliding, given = np.zeros(phase.system.contacts.nc), np.zeros(phase.nr)
        given[phase.ties] = moved[phase.tangents]
        if phase.sliding.size:
            columns, force = phase.slide_columns, impulse[phase.nj + phase.sliding]
            slip = 0.5 * (start.here.U_T + end.here.U_T)[columns]
            sliding[phase.closed[phase.sliding]] = -phase.drag * slip * force
            given[phase.nj + phase.sliding] = -phase.drag * moved[columns]
        drive = -float(given @ impulse)
        own = report.numerical - float(sliding.sum()) - drive
        rows = impulse / (end.t - start.t) * (system.prescribed(end.t) - system.prescribed(start.t)) - given * impulse
        rows -= 0.5 * report.Lam * (start.surface + end.surface)
        surface = phase.by_contact(rows)
        works = report.external, report.drive + drive, report.damping, report.cross
        return SmoothWorks(*works, own, sliding, surface, report.spin)
