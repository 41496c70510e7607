"""Stormer-Verlet's scheme with Moreau's impact law: explicit, symplectic, for systems without joints.

With q (+) dq the increment of positions, p = M(q) v the momentum in space, and (.)_m in the middle of the step,

    q_m     = q_k (+) (h/2) v_k
    p_{k+1} - p_k = h F(t_m, q_m, (v_k + v_{k+1})/2) + G(q_m) P
    q_{k+1} = q_m (+) (h/2) v_{k+1}
    where g(t_m, q_m) <= 0:  0 <= U_{k+1} + e U_k  perp  P >= 0,  U = G(q_m)^T v + g_t(t_m);   P = 0 elsewhere
    (with friction: the rows beside the normals, too, and the laws of ``schemes.contact_stack``)

(Hairer, Lubich, Wanner 2003, eq 1.7; Moreau 1988, his midpoint rule). Only forces of velocities are implicit, with the
matrix S = M + (h/2) C. A mass that depends on the position, of bodies that turn, makes p_{k+1} implicit, too: then the
equation is iterated. The scheme is symmetric in time, hence of order 2, and stable while h times the highest frequency
is below 2; longer steps are refused.

Turning by (h/2) omega leaves the components of omega as they are, so v_k and v_{k+1} have the same components along the
axes in the middle, where everything below is written. Energy: with v = (v_k + v_{k+1})/2 and classes c of forces,

    dT = v . (p_{k+1} - p_k) + (v_{k+1} . p_k - v_k . p_{k+1})/2
    dE = h v . (F_external + F_drive + F_cross + F_damping) + (G^T v + g_t) . P - g_t . P
         + dV + h v . (F_conservative + F_inertia) + (v_{k+1} . p_k - v_k . p_{k+1})/2                       numerical

For a constant system the last line is (h^2/8) (|v_{k+1}|_K^2 - |v_k|_K^2), the change of something bounded: the energy
oscillates and does not drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.linalg.frequencies import highest_frequency
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.frictional import StepContacts, directions, no_laws, surface_rates
from flexmb.schemes.scheme import ALL_LAWS, Memory, Responses, Scheme, forecast_closes
from flexmb.state import Array, State, StepReport
from flexmb.system.protocol import System

ITERATIONS = 60
"""Maximum number of iterations for the momentum of rotating bodies; each gains a factor of about h omega."""
CLOSE = 1e-14
"""Relative size of a correction, in the norm of the kinetic energy, that is round-off."""


@dataclass(frozen=True)
class StormerVerlet(Scheme):
    """Stormer-Verlet's explicit, symplectic scheme with Moreau's impacts; stable for h < 2 / omega_max."""

    name: ClassVar[str] = "stormer-verlet"
    any_system: ClassVar[bool] = True
    stability: ClassVar[float] = 2.0
    carries: ClassVar[frozenset[str]] = ALL_LAWS

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 2

    def check(self, system: System) -> None:
        """Raise InputError for joints."""
        if system.jointed:
            message = f"is for systems without joints; not supported: joints {', '.join(map(repr, system.jointed))}"
            raise InputError(f"{message}; use e.g. generalized-alpha", where="scheme", key="name", value=self.name)

    def prepare(self, system: System, h: float) -> Responses:
        """Refuse steps beyond the stability limit; return the responses of contacts at the start."""
        here = system.instant(0.0, system.start, system.v0)
        M, _, K = system.matrices(here)
        omega, shape = highest_frequency(M, K)
        if h * omega >= self.stability:
            part = system.dof_names[int(np.argmax(np.abs(shape)))].partition(".")[0] if system.dof_names else "system"
            message = (
                f"must be below {self.stability / omega:.6g} s for '{self.name}', which is explicit: '{part}' vibrates "
                f"with up to {omega:.6g} rad/s; take a smaller step, or an implicit scheme such as generalized-alpha"
            )
            raise InputError(message, where="time", key="step", value=h)
        return Responses.of(system.factor(here, 1.0, 0.5 * h, 0.0), here.G)

    def start(self, system: System, state: State, h: float, fixed: Responses, solver: ContactSolver) -> Memory:
        """Return the memory: momentum in space, impulses of the previous step, potential energy."""
        here = system.instant(state.t, state.q, state.v)
        p, V = here.to_space(here.p), np.array([here.potential])
        return Memory(p[None, :], np.zeros((1, system.contacts.nc)), np.zeros((1, 0)), V, **no_laws(system, state))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Responses, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_k to t_k + h."""
        t_m, t_1, v_0 = state.t + 0.5 * h, state.t + h, state.v
        middle = system.instant(t_m, system.advance(state.q, 0.5 * h * v_0), v_0)
        p_0 = middle.to_axes(memory.vectors[0])
        active = forecast_closes(middle, 0.0, memory.contacts[0], fixed.response, h, system.contacts.blocks)
        g_0 = middle.g - 0.5 * h * middle.U
        contacts = StepContacts.begin(system, middle, active, memory, fixed, solver, h, t_1, 0.5, g_0)
        S, surfaces = system.factor(middle, 1.0, 0.5 * h, 0.0), surface_rates(middle)
        J, rows = directions(middle), contacts.rows
        X = S.solve(J[:, rows].toarray()) if rows.size else np.zeros((system.nv, 0))
        W = J[:, rows].T @ X
        z, c, v_1, count, size, mean = contacts.none, contacts.none, v_0, 0, np.inf, middle
        for iteration in range(ITERATIONS):
            p_1 = p_0
            if iteration:  # initially v_1 = v_0, and p_1 differs from p_0 only by the rotation of bodies
                mean = system.instant(t_m, middle.q, 0.5 * (v_0 + v_1))
            if iteration or not system.linear:
                end = system.instant(t_1, system.advance(middle.q, 0.5 * h * v_1), v_1)
                p_1 = middle.to_axes(end.to_space(end.p))
            R = p_1 - p_0 - h * mean.F.sum(axis=0) - J @ (z + c)
            dv = -S.solve(R)
            size = abs(float(dv @ R))
            if contacts.busy:
                before = z + c
                z, c, more = contacts.solve(middle, S, J.T @ (v_1 + dv) + surfaces, z, c, W)
                dv, count = dv + X @ (z + c - before)[rows], count + more
            v_1 = v_1 + dv
            if system.linear or size <= CLOSE**2 * abs(float(v_1 @ p_1)):
                break
        else:
            raise NotConverged("the momentum equation does not converge", time=t_1, step=-1, residual=size**0.5)
        q_1 = system.advance(middle.q, 0.5 * h * v_1)
        end, mean = system.instant(t_1, q_1, v_1), system.instant(t_m, middle.q, 0.5 * (v_0 + v_1))
        U, p_1 = J.T @ mean.v + surfaces, end.to_space(end.p)
        after = memory.with_(vectors=p_1[None, :], scalars=np.array([end.potential]), **contacts.remember(z, U, end))
        own = end.potential - memory.scalars[0] + 0.5 * float(v_1 @ p_0 - v_0 @ middle.to_axes(p_1))
        work = h * (mean.F @ mean.v)
        booked = contacts.works(U, z, c, surfaces)
        report = StepReport(
            external=float(work[EXTERNAL]),
            drive=float(work[DRIVE]) + float(booked["surface"].sum()),
            spin=float(work[DRIVE]),
            damping=float(work[DAMPING]),
            numerical=float(own + work[CONSERVATIVE] + work[INERTIA]),
            iterations=count,
            cross=float(work[CROSS]),
            laws=after.laws,
            **booked,
        )
        return State(t_1, q_1, v_1), after, report

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v)."""
        half = np.array([1.0, 0.5])  # q_m
        v = (np.array([0.0, 1.0 - 0.5 * c]) - k * half) / (1.0 + 0.5 * c)
        return np.stack([half + 0.5 * v, v])
