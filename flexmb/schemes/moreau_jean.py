"""Moreau-Jean's time stepping and its always-dissipative variant (Acary 2019, eqs 50-55 and 96).

Both are one scheme with two weights: theta for positions and forces, vartheta for velocities. With
x_{k+theta} = theta x_{k+1} + (1 - theta) x_k,

    M (v_{k+1} - v_k) + h (K + N) q_{k+theta} + h (C + Y) v_{k+vartheta} - h F_{k+theta} = G P
    q_{k+1} = q_k + h v_{k+vartheta}
    active:  g(q_k) + gamma h U_k <= 0
    0 <= U_{k+1} + e U_k  perp  P >= 0   on the active set, P = 0 elsewhere

with Y and N the skew matrices ``gyro`` and ``cross`` of rotors. `moreau-jean` has vartheta = theta,
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

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.base import (
    Memory,
    StepFixed,
    StepMatrix,
    check_flag,
    check_range,
    forecast_closes,
    load_works,
    no_contacts,
    quad,
    solve_velocity,
)
from flexmb.state import State, StepReport
from flexmb.system import LinearSystem


@dataclass(frozen=True)
class MoreauJean:
    """Theta-scheme on velocities and impulses (Jean and Moreau 1987); impacts by Newton's law.

    Parameters
    ----------
    theta : float
        Weight of the end of the step, in [0, 1]; 1/2 conserves energy in flight (with joints up to O(h^2)),
        1 damps most.
    gamma : float
        Length of the forecast that activates a contact, in steps; in [0, 1].
    projection : bool
        Bring positions back onto the joints after each step (joints are held on the velocity level, so they drift).
    """

    theta: float = 0.5
    gamma: float = 0.5
    projection: bool = False

    name: ClassVar[str] = "moreau-jean"

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

    def prepare(self, system: LinearSystem, h: float) -> StepFixed:
        """Factor S."""
        th, vt = self.theta, self.vartheta
        S = StepMatrix(system, c_C=h * vt, c_K=h * h * th * vt)
        return StepFixed(S, system)

    def start(self, system: LinearSystem, state: State, h: float, fixed: object, solver: ContactSolver) -> Memory:
        """Return the memory: the impulses of the step before, none yet."""
        nothing = np.zeros((0, system.nv))
        return Memory(nothing, np.zeros((1, system.contacts.nc)), np.zeros((1, len(system.loads))), np.zeros(1))

    def step(
        self, system: LinearSystem, state: State, h: float, memory: Memory, fixed: StepFixed, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Go from t_k to t_k + h."""
        th, vt, con = self.theta, self.vartheta, system.contacts
        t, q_k, v_k, t1 = state.t, state.q, state.v, state.t + h
        F_th = th * system.F_loads(t1) + (1.0 - th) * system.F_loads(t)
        force = system.F0 + F_th - system.restoring(q_k + h * th * v_k) - system.resisting(v_k)
        v_free = v_k + fixed.S.solve(h * force)

        U_k = con.U(t, v_k)
        active = forecast_closes(system, state, self.gamma * h, memory.contacts[0], fixed.response, h)
        P = no_contacts(system)
        iterations = 0
        if active.size:
            b = con.U(t1, v_free) + con.e * U_k
            P, iterations = solve_velocity(fixed, b, active, memory.contacts[0], solver, t1)
        v = v_free + fixed.S.solve(con.G @ P) if P.any() else v_free
        v_vt = vt * v + (1.0 - vt) * v_k
        q = q_k + h * v_vt

        U_vt = vt * con.U(t1, v) + (1.0 - vt) * U_k
        g_t = vt * con.g_t(t1) + (1.0 - vt) * con.g_t(t)
        phi_th = th * system.amplitudes(t1) + (1.0 - th) * system.amplitudes(t)
        external, drive = load_works(system, h * v_vt, phi_th)
        report = StepReport(
            P=P,
            external=external,
            drive=drive - float(g_t @ P),
            damping=-h * quad(system.C, v_vt),
            contact=U_vt * P,
            numerical=(0.5 - vt) * quad(system.M, v - v_k) + (0.5 - th) * float((q - q_k) @ system.elastic(q - q_k)),
            iterations=iterations,
            cross=-float((q - q_k) @ (system.cross @ q_k)),
        )
        return State(t1, q, v), memory.with_(contacts=P[None, :]), report


@dataclass(frozen=True)
class MoreauJeanDissipative(MoreauJean):
    """Moreau-Jean with v at the midpoint: never gains energy for theta >= 1/2 and e <= 1 (Acary 2019, eq 96).

    Parameters
    ----------
    theta : float
        Weight of the end position in the forces, in [0, 1].
    gamma : float
        Length of the forecast that activates a contact, in steps; in [0, 1].
    projection : bool
        Bring positions back onto the joints after each step (joints are held on the velocity level, so they drift).
    """

    theta: float = 0.6

    name: ClassVar[str] = "moreau-jean-dissipative"

    @property
    def vartheta(self) -> float:
        """Weight of the end velocity in the position update: the midpoint."""
        return 0.5
