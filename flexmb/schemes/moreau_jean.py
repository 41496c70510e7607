"""Moreau-Jean's time stepping and its always-dissipative variant (Acary 2019, eqs 50-55 and 96).

Both are one scheme with two weights: theta for positions and forces, vartheta for velocities. With
x_{k+theta} = theta x_{k+1} + (1 - theta) x_k,

    M (v_{k+1} - v_k) + h (K + N) q_{k+theta} + h (C + Y) v_{k+vartheta} - h F_{k+theta} = G P
    q_{k+1} = q_k + h v_{k+vartheta}
    active:  g(q_k) + gamma h U_k <= 0
    0 <= U_{k+1} + e U_k  perp  P >= 0   on the active set, P = 0 elsewhere
    (with friction: the rows beside the normals, too, and the laws of ``schemes.contact_stack``)

In large motion M(q) v is the momentum p in space, q_k + dq an increment q_k (+) dq with dq = h v_{k+vartheta}, and

    p_{k+1} - p_k = h F_{k+theta} + G(q_{k+1}) P + G_J(q_{k+vartheta}) Lam,      G_J(q_{k+1})^T v_{k+1} + g_t = 0

with vartheta for forces of velocities (damping, inertia): joints act inside the step (eq 68), and velocities hold at
its end. This is one equation with the one above, and one source; for constant matrices Newton's method ends after one
iteration.

Here Y and N are the skew matrices ``gyro`` and ``cross`` of rotors. `moreau-jean` has vartheta = theta,
`moreau-jean-dissipative` vartheta = 1/2. The linear step is

    S = M + h vartheta (C + Y) + h^2 theta vartheta (K + N)
    v_free = v_k + S^-1 [ -h (K + N) (q_k + h theta v_k) - h (C + Y) v_k + h F_{k+theta} ],      W = G^T S^-1 G

and the energy identity (eqs 93 and 97, the latter corrected for C != 0)

    dE = h v_vartheta^T F_theta - h |v_vartheta|_C^2 + v_vartheta^T G P - dq^T N q_k
         + (1/2 - vartheta) |dv|_M^2 + (1/2 - theta) |dq|_K^2.

The gyroscopic work -h v_vartheta^T Y v_vartheta is zero because Y is skew, and the work of cross-coupling,
-dq^T N q_theta with q_theta = q_k + theta dq, is -dq^T N q_k because N is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.kernels.compilation.stages import SchemeStages
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.kernels.multibody.multibody import WHOLE
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.compiled.formulas import increment, mean
from flexmb.schemes.compiled.moreau_jean import MoreauJeanStep
from flexmb.schemes.frictional import StepContacts, directions, no_laws, surface_rates
from flexmb.schemes.scheme import (
    ALL_LAWS,
    Memory,
    Responses,
    Scheme,
    StepFixed,
    check_flag,
    check_range,
    forecast_closes,
    has_settled,
    largest,
)
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Instant, System

ITERATIONS = 40
"""Maximum number of Newton iterations."""


def class_weights(theta: float, vartheta: float) -> list[float]:
    """Return the weight of the end of the step of each class of forces: vartheta for those of velocities."""
    return [vartheta if c in (DAMPING, INERTIA) else theta for c in range(CLASSES)]


def weighed(F: Array, theta: float, vartheta: float) -> Array:
    """Return the sum of the classes of F (CLASSES, nv) with their weights, (nv,)."""
    return np.asarray(class_weights(theta, vartheta) @ F)


@dataclass(frozen=True)
class MoreauJean(Scheme):
    """Theta-scheme on velocities and impulses (Jean and Moreau 1987); impacts by Newton's law.

    Parameters
    ----------
    theta : float
        Weight of the end of the step, in [0, 1]; 1/2 conserves energy in flight (with joints up to O(h^2)),
        1 damps most.
    gamma : float
        Prediction time that activates a contact, in steps; in [0, 1].
    projection : bool
        Project positions onto the joints after each step (joints are enforced on velocities, so that positions drift).
    """

    theta: float = 0.5
    gamma: float = 0.5
    projection: bool = False

    name: ClassVar[str] = "moreau-jean"
    any_system: ClassVar[bool] = True
    large_motion: ClassVar[str] = "all"
    error_known: ClassVar[str] = "with theta = 1/2"
    carries: ClassVar[frozenset[str]] = ALL_LAWS

    def __post_init__(self) -> None:
        check_range(self.name, "theta", self.theta, 0.0, 1.0)
        check_range(self.name, "gamma", self.gamma, 0.0, 1.0)
        check_flag("projection", self.projection)

    @property
    def order(self) -> int:
        """Order on smooth motion, with joints too."""
        return 2 if self.theta == 0.5 else 1

    @property
    def vartheta(self) -> float:
        """Weight of the end velocity in the position update."""
        return self.theta

    def prepare(self, system: System, h: float) -> StepFixed | Responses:
        """Factor S at the start."""
        if self.projection and system.nj:
            message = "needs the compiled engine for systems with joints"
            raise InputError(message, where="scheme", key="projection", value=self.projection)
        here = system.instant(0.0, system.start, system.v0)
        if isinstance(system, LinearSystem):
            return StepFixed(system.factor(here, *self._weights(h)), system)
        return Responses.of(system.factor(here, *self._weights(h)), here.G)

    def _weights(self, h: float) -> tuple[float, float, float]:
        """Return (c_M, c_C, c_K) of S."""
        return 1.0, h * self.vartheta, h * h * self.theta * self.vartheta

    def start(self, system: System, state: State, h: float, fixed: object, solver: ContactSolver) -> Memory:
        """Return the memory: the impulses of the previous step, of contacts and (in ``loads``) of joints; none yet."""
        nothing = np.zeros((0, system.nv))
        contacts, joints = np.zeros((1, system.contacts.nc)), np.zeros((1, system.nj))
        return Memory(nothing, contacts, joints, np.zeros(1), **no_laws(system, state))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_k to t_k + h: Newton's method on the momentum equation, once for a constant system."""
        th, vt, t1, v_k = self.theta, self.vartheta, state.t + h, state.v
        start = system.instant(state.t, state.q, v_k)
        active = forecast_closes(start, self.gamma * h, memory.contacts[0], fixed.response, h, system.contacts.blocks)
        contacts = StepContacts.begin(system, start, active, memory, fixed, solver, h, t1, vt)
        given = start.to_space(start.p + h * weighed(start.F, 1.0 - th, 1.0 - vt))
        z, c, v, Lam, count, last, scale = contacts.none, contacts.none, v_k, memory.loads[0], 0, np.inf, largest(v_k)
        evaluations = 2  # at both ends, and in each iteration
        for _ in range(ITERATIONS):
            evaluations += 1
            dq = increment(h, vt, v_k, v - v_k)
            end = system.instant(t1, system.advance(state.q, dq), v)
            inside, J = end.directions_inside(-(1.0 - vt) * dq, t1 - (1.0 - vt) * h), directions(end)
            R = end.p - end.to_axes(given) - h * weighed(end.F, th, vt) - J @ (z + c) - inside @ Lam
            S = system.factor(end, *self._weights(h), inside)
            dv, dLam = S.solve_both(-R, -end.joint_rates)
            scale = max(scale, largest(v + dv))  # also if impulses stop all motion
            if contacts.busy:
                before = z + c
                z, c, more = contacts.solve(end, S, J.T @ (v + dv) + surface_rates(end), z, c)
                count += more
                if (before != z + c).any():
                    by_impulse, joints_answer = S.solve_both(J @ (z + c - before), np.zeros(system.nj))
                    dv, dLam = dv + by_impulse, dLam + joints_answer
            v, Lam, size = v + dv, Lam + dLam, largest(dv)
            if system.linear or has_settled(size, last, scale):
                break
            last = size
        else:
            raise NotConverged("Newton's method does not converge", time=t1, step=-1, residual=size)
        dq = increment(h, vt, v_k, v - v_k)
        end = system.instant(t1, system.advance(state.q, dq), v)
        surfaces = mean(vt, surface_rates(end), surface_rates(start))
        U = directions(end).T @ (dq / h) + surfaces
        report = self._report(system, start, end, dq, h, Lam, contacts.works(U, z, c, surfaces))
        after = memory.with_(loads=Lam[None, :], **contacts.remember(z, U, end))
        report = replace(report, iterations=count, laws=after.laws, evaluations=evaluations)
        return State(t1, end.q, v), after, report

    def _report(
        self,
        system: System,
        start: Instant,
        end: Instant,
        dq: Array,
        h: float,
        Lam: Array,
        contacts: dict[str, Any],
    ) -> StepReport:
        """Return the works of the step, all taken in space, on the velocity dq / h."""
        th, vt = self.theta, self.vartheta
        moved, v_0, v_1 = end.to_space(dq), start.to_space(start.v), end.to_space(end.v)
        p_0, p_1 = start.to_space(start.p), end.to_space(end.p)
        works = np.array(
            [
                moved @ mean(w, end.to_space(F_1), start.to_space(F_0))
                for F_0, F_1, w in zip(start.F, end.F, class_weights(th, vt), strict=True)
            ]
        )
        inside = end.directions_inside(-(1.0 - vt) * dq, end.t - (1.0 - vt) * h)
        drives = float(Lam @ (system.prescribed(end.t) - system.prescribed(start.t))) / h
        numerical = end.potential - start.potential + works[CONSERVATIVE] + works[INERTIA]
        numerical += 0.5 * (v_1 @ p_0 - v_0 @ p_1) + (0.5 * (v_0 + v_1) - moved / h) @ (p_1 - p_0)
        numerical += float((inside @ Lam) @ dq) / h - drives
        return StepReport(
            external=float(works[EXTERNAL]),
            drive=float(works[DRIVE]) + drives + float(contacts["surface"].sum()),
            spin=float(works[DRIVE]),
            damping=float(works[DAMPING]),
            numerical=float(numerical),
            iterations=0,
            cross=float(works[CROSS]),
            Lam=Lam,
            **contacts,
        )

    def compiled_step(self, h: float) -> MoreauJeanStep:
        """Return the weights and the forecast."""
        return MoreauJeanStep(h, float(self.theta), float(self.vartheta), float(self.gamma))

    @property
    def has_error_estimate(self) -> bool:
        """For theta = 1/2, which without contact is the trapezoidal rule."""
        return self.order == 2 and self.vartheta == 0.5

    def position_error(
        self, system: System, before: State, after: State, memory: Memory, memory_after: Memory, h: float
    ) -> Array:
        """Return (h^2 / 12)(a_{k+1} - a_k), the error of the trapezoidal rule, with the joints held at both ends."""
        ends = [system.instant(s.t, s.q, s.v) for s in (before, after)]
        a_0, a_1 = (
            system.factor(at, 1.0, 0.0, 0.0).solve_both(at.F.sum(axis=0) - at.momentum_rate, -at.joint_bias)[0]
            for at in ends
        )
        return np.asarray(h * h / 12.0 * (a_1 - a_0))

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        th, vt = self.theta, self.vartheta
        S = 1.0 + vt * c + th * vt * k
        v = np.array([-k / S, 1.0 - (th * k + c) / S])
        return np.stack([np.array([1.0, 1.0 - vt]) + vt * v, v])

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the weights, the forecast and whether positions are projected; the step is implicit there."""
        if self.theta <= 0.0:
            message = "must be greater than 0 for systems with joints or large motion (the step is implicit)"
            raise InputError(message, where="scheme", key="theta", value=self.theta)
        weights = {"theta": float(self.theta), "vartheta": float(self.vartheta)}
        return {"form": WHOLE, **weights, "forecast": float(self.gamma), "projection": int(self.projection)}

    @classmethod
    def large_motion_stages(cls) -> SchemeStages:
        """Return the stages of ``compiled.moreau_jean_large``."""
        from flexmb.schemes.compiled.moreau_jean_large import STAGES

        return STAGES


@dataclass(frozen=True)
class MoreauJeanDissipative(MoreauJean):
    """Moreau-Jean with v at the midpoint: never gains energy for theta >= 1/2 and e <= 1 (Acary 2019, eq 96).

    Parameters
    ----------
    theta : float
        Weight of the end position in the forces, in [0, 1].
    gamma : float
        Prediction time that activates a contact, in steps; in [0, 1].
    projection : bool
        Project positions onto the joints after each step (joints are enforced on velocities, so that positions drift).
    """

    theta: float = 0.6

    name: ClassVar[str] = "moreau-jean-dissipative"

    @property
    def vartheta(self) -> float:
        """Weight of the end velocity in the position update: the midpoint."""
        return 0.5
