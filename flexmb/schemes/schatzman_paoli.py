"""Schatzman-Paoli's position-level scheme (Acary 2019, eqs 56-57; RR-7151, eq 22).

    M (q_{k+1} - 2 q_k + q_{k-1}) + h^2 [ (K + N) q_w + (C + Y) (q_{k+1} - q_{k-1}) / 2h - F_w ] = h G P
    0 <= g((q_{k+1} + e q_{k-1}) / (1 + e))  perp  P >= 0
    x_w = w0 x_{k-1} + w1 x_k + w2 x_{k+1}

with (w0, w1, w2) = (1/4, 1/2, 1/4), symmetric and conservative, or (0, 1 - theta, theta), the printed form (first
order and strongly damping); Y and N are the skew matrices ``gyro`` and ``cross`` of rotors. It is stepped in the
half-step velocity u_k = (q_k - q_{k-1}) / h, which avoids the cancellation of second differences:

    S = M + (h/2) (C + Y) + h^2 w2 (K + N)
    S (u_{k+1} - u_k) = h [ F_w - (K + N) (q_k + (w2 - w0) h u_k) - (C + Y) u_k ] + G P
    q_{k+1} = q_k + h u_{k+1}

The impulse P acts at t_k, and v_k = (u_k + u_{k+1}) / 2 belongs to t_k: to report the state at t_k the scheme is one
position ahead. Start: u_0 = v_0 - (h/2) M^-1 f_0. With e > 0 the discrete positions do penetrate, by O(h).

Energy: with E' = |u_{k+1}|_M^2 / 2 + V((q_k + q_{k+1}) / 2), the energy at t_{k+1/2},

    dE' = h v_k^T F_w - h |v_k|_C^2 - h v_k^T N q_w + v_k^T G P - h v_k^T K (q_w - q_sym)

where q_sym is the symmetric weighting; the gyroscopic work -h v_k^T Y v_k is zero. The ledger shows E(q_k, v_k);
E' - E is algorithmic energy and its change is part of ``numerical``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.multibody import SCHATZMAN
from flexmb.linalg import factor
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.scheme import (
    EVERYWHERE,
    Memory,
    Scheme,
    StepFixed,
    StepMatrix,
    check_choice,
    check_range,
    load_works,
    no_contacts,
    quad,
    solve_velocity,
)
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import System


@dataclass(frozen=True)
class SchatzmanPaoli(Scheme):
    """Position-level impacts by a three-term recursion (Schatzman and Paoli 2002).

    Parameters
    ----------
    weighting : str
        "symmetric" (1/4, 1/2, 1/4), conservative and second order, or "theta" (0, 1 - theta, theta), as printed.
    theta : float
        Weight of the new position in the "theta" weighting, in [0, 1].
    """

    weighting: str = "symmetric"
    theta: float = 0.5

    name: ClassVar[str] = "schatzman-paoli"

    def __post_init__(self) -> None:
        check_choice("weighting", self.weighting, ("symmetric", "theta"))
        check_range(self.name, "theta", self.theta, 0.0, 1.0)

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 2 if self.weighting == "symmetric" else 1

    @property
    def weights(self) -> tuple[float, float, float]:
        """(w0, w1, w2) on (k-1, k, k+1)."""
        return (0.25, 0.5, 0.25) if self.weighting == "symmetric" else (0.0, 1.0 - self.theta, self.theta)

    def prepare(self, system: LinearSystem, h: float) -> StepFixed:
        """Factor S."""
        S = StepMatrix(system, c_C=0.5 * h, c_K=h * h * self.weights[2])
        return StepFixed(S, system)

    def start(self, system: LinearSystem, state: State, h: float, fixed: StepFixed, solver: ContactSolver) -> Memory:
        """Advance the position once, so that the memory is (q_1, u_1 = (q_1 - q_0) / h) and E' - E."""
        f_0 = system.F(state.t) - system.restoring(state.q) - system.resisting(state.v)
        u_0 = state.v - 0.5 * h * factor(system.M).solve(f_0)
        u_1, P, _ = self._stage(system, state.t, state.q, u_0, h, fixed, solver)
        # an impulse at t_0 itself (a start in contact) is reported with the first step, and so is its work
        v = 0.5 * (u_0 + u_1)
        work, drive = system.contacts.U(state.t, v) * P, -float(system.contacts.g_t(state.t) @ P)
        ahead = self._half_energy(system, state.q, u_1, h) - system.kinetic(state.v) - system.potential(state.q)
        return Memory(
            np.stack([state.q + h * u_1, u_1]),
            np.stack([P, work]),
            np.zeros((1, len(system.loads))),
            np.array([ahead - work.sum() - drive, drive]),
        )

    def step(
        self,
        system: LinearSystem,
        state: State,
        h: float,
        memory: Memory,
        fixed: StepFixed,
        solver: ContactSolver,
    ) -> tuple[State, Memory, StepReport]:
        """Report the state at t_{n+1} by advancing the position to t_{n+2}."""
        t, con = state.t + h, system.contacts
        q, u = memory.vectors
        u_1, P, iterations = self._stage(system, t, q, u, h, fixed, solver)
        v = 0.5 * (u + u_1)
        w0, w1, w2 = self.weights
        q_w = q + w2 * h * u_1 - w0 * h * u
        q_off = (w2 - 0.25) * (q + h * u_1) + (w1 - 0.5) * q + (w0 - 0.25) * (q - h * u)
        ahead = self._half_energy(system, q, u_1, h) - system.kinetic(v) - system.potential(q)
        numerical = -h * float(v @ (system.elastic(q_off))) - (ahead - float(memory.scalars[0]))
        g_t = con.g_t(t)
        external, drive = load_works(system, h * v, self._weighted(system.amplitudes, t, h))
        report = StepReport(
            P=P + memory.contacts[0],
            external=external,
            drive=drive + float(memory.scalars[1]) - float(g_t @ P),
            damping=-h * quad(system.C, v),
            contact=con.U(t, v) * P + memory.contacts[1],
            numerical=numerical,
            iterations=iterations,
            cross=-h * float(v @ (system.cross @ q_w)),
        )
        after = memory.with_(
            vectors=np.stack([q + h * u_1, u_1]),
            contacts=np.zeros_like(memory.contacts),
            scalars=np.array([ahead, 0.0]),
        )
        return State(t, q, v), after, report

    def _stage(
        self, system: LinearSystem, t: float, q: Array, u: Array, h: float, fixed: StepFixed, solver: ContactSolver
    ) -> tuple[Array, Array, int]:
        """Return u_{k+1}, P_k and the iterations, for the equation centred at t = t_k."""
        w0, _, w2 = self.weights
        con = system.contacts
        loads = self._weighted(system.F_loads, t, h)
        force = system.F0 + loads - system.restoring(q + (w2 - w0) * h * u) - system.resisting(u)
        u_free = u + fixed.S.solve(h * force)
        # (1 + e)/h times the gap of (57): same units as a velocity, so W is the ordinary Delassus matrix
        b = (con.g(t + h, q + h * u_free) + con.e * con.g(t - h, q - h * u)) / h
        P = no_contacts(system)
        iterations = 0
        if (b < 0.0).any():
            P, iterations = solve_velocity(fixed, b, np.arange(con.nc), P, solver, t)
            u_free = u_free + fixed.S.solve(con.G @ P)
        return u_free, P, iterations

    def _weighted(self, function: Callable[[float], Array], t: float, h: float) -> Array:
        w0, w1, w2 = self.weights
        return w0 * function(t - h) + w1 * function(t) + w2 * function(t + h)

    @staticmethod
    def _half_energy(system: LinearSystem, q: Array, u_1: Array, h: float) -> float:
        return system.kinetic(u_1) + system.potential(q + 0.5 * h * u_1)

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q_k, h u_k)."""
        w0, _, w2 = self.weights
        S = 1.0 + 0.5 * c + w2 * k
        u = np.array([-k / S, 1.0 - ((w2 - w0) * k + c) / S])
        return np.stack([np.array([1.0, 0.0]) + u, u])

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the weights of the forces."""
        w0, _, w2 = self.weights
        return {"family": SCHATZMAN, "w0": float(w0), "w2": float(w2)}

    def check(self, system: System) -> None:
        """Raise InputError for joints and large rotations."""
        turning = dict.fromkeys(name.split(".")[0] for name in system.frames)
        in_the_way = [("joints", system.jointed), ("bodies with large rotations", tuple(turning))]
        found = [f"{word} {', '.join(map(repr, names))}" for word, names in in_the_way if names]
        if found:
            message = (
                "is for systems without joints and without large rotations (rotors of any spin, particles, bodies of "
                f"small displacement); in the way: {' and '.join(found)}; use one of {EVERYWHERE}"
            )
            raise InputError(message, where="scheme", key="name", value=self.name)
