"""Schatzman-Paoli's position-level scheme (Acary 2019, eqs 56-57; RR-7151, eq 22).

It runs on systems whose unknowns are plain numbers: no joints, no frames that turn. It is stepped
in the half-step velocity u_k = (q_k - q_{k-1}) / h, which avoids the cancellation of second differences.
With v_k = (u_k + u_{k+1}) / 2, q_{k+1/2} = q_k + (h/2) u_{k+1} and the momentum p_{k+1/2} = p(q_{k+1/2}, u_{k+1}), in
which M may depend on q,

    p_{k+1/2} - p_{k-1/2} = h F_w + G P,     F_w = w0 F(t_{k-1}, q_{k-1}, v_k) + w1 F(t_k, q_k, v_k)
                                                   + w2 F(t_{k+1}, q_{k+1}, v_k)
    0 <= [ g(t_{k+1}, q_{k+1}) + e g(t_{k-1}, q_{k-1}) ] / h   perp   P >= 0,       G at q_{k+1}

with (w0, w1, w2) = (1/4, 1/2, 1/4), symmetric and conservative, or (0, 1 - theta, theta), the printed form (first
order and strongly damping). For constant matrices this is the printed recursion

    M (q_{k+1} - 2 q_k + q_{k-1}) + h^2 [ (K + N) q_w + (C + Y) (q_{k+1} - q_{k-1}) / 2h - F_w ] = h G P

and one iteration of Newton's method with S = M + (h/2) (C + Y) + h^2 w2 (K + N) solves it. The impulse P acts at t_k,
and v_k belongs to t_k: to report the state at t_k the scheme is one position ahead. Start: u_0 = v_0 - (h/2) a_0, and a
step centred at t_0, whose impulses wait for the first report. With e > 0 the discrete positions do penetrate, by O(h).

Energy: with T_{k+1/2} = u_{k+1} . p_{k+1/2} / 2, V_{k+1/2} = V(q_{k+1/2}) and E'_k = T_{k+1/2} + V_{k+1/2},

    E'_k - E'_{k-1} = h v_k . F_w + v_k . G P + (u_{k+1} . p_{k-1/2} - u_k . p_{k+1/2})/2 + V_{k+1/2} - V_{k-1/2}

E'_k - E(q_k, v_k) is algorithmic energy; its change is numerical, and so are the work of inertia, the second term from
the right and the quadrature of the potential (the last ones with h v_k . F_w of its forces). For constant matrices and
symmetric weights they vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.kernels.compilation.stages import SchemeStages
from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.kernels.multibody.multibody import CENTRED
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.compiled.schatzman_paoli import SchatzmanPaoliStep
from flexmb.schemes.scheme import (
    EVERYWHERE,
    Memory,
    Responses,
    Scheme,
    StepFixed,
    check_choice,
    check_range,
    has_settled,
    largest,
    no_contacts,
)
from flexmb.schemes.solve_contacts import solve_contacts, solve_velocity
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Instant, System

ITERATIONS = 40
"""Maximum number of Newton iterations."""


@dataclass(frozen=True)
class Stage:
    """The equation at t_k, solved: u_k, u_{k+1}, P, F_w by class, the system half a step before and ahead."""

    u: Array
    u_1: Array
    P: Array
    F: Array
    half_before: Instant
    half: Instant
    end: Instant
    iterations: int

    @property
    def v(self) -> Array:
        """Velocity v_k at t_k."""
        return 0.5 * (self.u + self.u_1)

    @property
    def half_energy(self) -> float:
        """Algorithmic energy E'_k."""
        return 0.5 * float(self.u_1 @ self.half.p) + self.half.potential

    def contact_works(self, g_t: Array) -> tuple[Array, float]:
        """Return the works of the contacts on v_k, (nc,), and that of moving planes; g_t (nc,) is their rate at t_k."""
        return (self.end.G.T @ self.v + g_t) * self.P, -float(g_t @ self.P)


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
    any_system: ClassVar[bool] = True
    large_motion: ClassVar[str] = "where there are no joints and large rotations"

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

    def prepare(self, system: System, h: float) -> StepFixed | Responses:
        """Factor S at the start."""
        here = system.instant(0.0, system.start, system.v0)
        if isinstance(system, LinearSystem):
            return StepFixed(system.factor(here, *self._factors(h)), system)
        return Responses.of(system.factor(here, *self._factors(h)), here.G)

    def _factors(self, h: float) -> tuple[float, float, float]:
        """Return (c_M, c_C, c_K) of S."""
        return 1.0, 0.5 * h, h * h * self.weights[2]

    def start(self, system: System, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Advance the position once: the memory is u_1 = (q_1 - q_0) / h, impulses and works at t_0, and E' - E."""
        here = system.instant(state.t, state.q, state.v)
        a, _ = system.factor(here, 1.0, 0.0, 0.0).solve_both(here.F.sum(axis=0) - here.momentum_rate, -here.joint_bias)
        u_0 = state.v - 0.5 * h * a
        before = system.advance(state.q, -h * u_0)
        stage = self._stage(system, state.t, before, state.q, u_0, h, no_contacts(system), fixed, solver)
        # an impulse at t_0 itself (a start in contact) is reported with the first step, and so is its work
        work, drive = stage.contact_works(here.g_t)
        ahead = stage.half_energy - here.kinetic - here.potential
        scalars = np.array([ahead - work.sum() - drive, drive])
        return Memory(stage.u_1[None, :], np.stack([stage.P, work]), np.zeros((1, 0)), scalars)

    def compiled_memory(
        self, system: LinearSystem, state: State, h: float, fixed: StepFixed, solver: ContactSolver
    ) -> Memory:
        """Return the memory of the compiled step: q_1 and u_1."""
        memory = self.start(system, state, h, fixed, solver)
        u_1 = memory.vectors[0]
        return memory.with_(vectors=np.stack([state.q + h * u_1, u_1]), loads=np.zeros((1, len(system.loads))))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Report the state at t_{n+1} by advancing the position to t_{n+2}."""
        t, u = state.t + h, memory.vectors[0]
        q = system.advance(state.q, h * u)
        stage = self._stage(system, t, state.q, q, u, h, memory.contacts[0], fixed, solver)
        here = system.instant(t, q, stage.v)
        work, drive = stage.contact_works(here.g_t)
        ahead = stage.half_energy - here.kinetic - here.potential
        works = h * (stage.F @ stage.v)
        gain = stage.half.potential - stage.half_before.potential + works[CONSERVATIVE] + works[INERTIA]
        gain += 0.5 * float(stage.u_1 @ stage.half_before.p - u @ stage.half.p)
        report = StepReport(
            P=stage.P + memory.contacts[0],
            external=float(works[EXTERNAL]),
            drive=float(works[DRIVE]) + float(memory.scalars[1]) + drive,
            spin=float(works[DRIVE]),
            damping=float(works[DAMPING]),
            contact=work + memory.contacts[1],
            numerical=float(gain) - (ahead - float(memory.scalars[0])),
            iterations=stage.iterations,
            cross=float(works[CROSS]),
        )
        after = memory.with_(
            vectors=stage.u_1[None, :], contacts=np.zeros_like(memory.contacts), scalars=np.array([ahead, 0.0])
        )
        return State(t, q, stage.v), after, report

    def _stage(
        self,
        system: System,
        t: float,
        q_before: Array,
        q: Array,
        u: Array,
        h: float,
        guess: Array,
        fixed: Any,
        solver: ContactSolver,
    ) -> Stage:
        """Solve the equation centred at t = t_k for u_{k+1} and P_k: Newton's method, once for a linear system."""
        e, P, u_1, count, last, scale = system.contacts.e, no_contacts(system), u, 0, np.inf, largest(u)
        half_before = system.instant(t - 0.5 * h, system.advance(q, -0.5 * h * u), u)
        g_before = system.instant(t - h, q_before, u).g
        for _ in range(ITERATIONS):
            F, end, half = self._forces(system, t, q_before, q, u, u_1, h)
            S = system.factor(end, *self._factors(h))
            du = S.solve(half_before.p - half.p + h * F.sum(axis=0) + end.G @ P)
            # (1 + e)/h times the gap of (57): same units as a velocity, so W is the ordinary Delassus matrix
            b = (end.g + e * g_before) / h + end.G.T @ du
            if (b < 0.0).any() or P.any():
                was = P
                P, more = self._impulses(system, S, end, b, was, fixed, solver, t)
                du, count = du + S.solve(end.G @ (P - was)), count + more
            u_1, size = u_1 + du, largest(du)
            scale = max(scale, largest(u_1))
            if system.linear or has_settled(size, last, scale, np.finfo(float).eps * largest(q) / h):
                break
            last = size
        else:
            raise NotConverged("Newton's method does not converge", time=t, step=-1, residual=size)
        F, end, half = self._forces(system, t, q_before, q, u, u_1, h)
        return Stage(u, u_1, P, F, half_before, half, end, count)

    def _forces(
        self, system: System, t: float, q_before: Array, q: Array, u: Array, u_1: Array, h: float
    ) -> tuple[Array, Instant, Instant]:
        """Return F_w by class, the system at the end and half a step ahead."""
        v, ahead = 0.5 * (u + u_1), system.advance(q, h * u_1)
        places = ((t - h, q_before), (t, q), (t + h, ahead))
        weighed = [(w, system.instant(*place, v)) for w, place in zip(self.weights, places, strict=True) if w != 0.0]
        F = np.sum([w * instant.F for w, instant in weighed], axis=0)
        half = system.instant(t + 0.5 * h, system.advance(q, 0.5 * h * u_1), u_1)
        return F, system.instant(t + h, ahead, v), half

    @staticmethod
    def _impulses(
        system: System, S: Any, end: Instant, b: Array, was: Array, fixed: Any, solver: ContactSolver, t: float
    ) -> tuple[Array, int]:
        """Solve 0 <= W (P - was) + b perp P >= 0; return P and the iterations taken."""
        rows = np.arange(was.size)
        if isinstance(fixed, StepFixed):
            return solve_velocity(fixed, b, rows, was, solver, t)  # was = 0: one iteration
        W = delassus(S.solve, end.G)
        return solve_contacts(W, b - W @ was, rows, system, solver, t)

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q_k, h u_k)."""
        w0, _, w2 = self.weights
        S = 1.0 + 0.5 * c + w2 * k
        u = np.array([-k / S, 1.0 - ((w2 - w0) * k + c) / S])
        return np.stack([np.array([1.0, 0.0]) + u, u])

    def compiled_step(self, h: float) -> SchatzmanPaoliStep:
        """Return the weights of the positions."""
        return SchatzmanPaoliStep(h, *(float(w) for w in self.weights))

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the weights of the forces."""
        w0, _, w2 = self.weights
        return {"form": CENTRED, "w0": float(w0), "w2": float(w2)}

    @classmethod
    def large_motion_stages(cls) -> SchemeStages:
        """Return the stages of ``compiled.schatzman_paoli_large``."""
        from flexmb.schemes.compiled.schatzman_paoli_large import STAGES

        return STAGES

    def check(self, system: System) -> None:
        """Raise InputError for joints and large rotations."""
        turning = dict.fromkeys(name.split(".")[0] for name in system.frames)
        in_the_way = [("joints", system.jointed), ("bodies with large rotations", tuple(turning))]
        found = [f"{word} {', '.join(map(repr, names))}" for word, names in in_the_way if names]
        if found:
            message = (
                "is for systems without joints and without large rotations (rotors of any spin, particles, bodies of "
                f"small displacement); not supported: {' and '.join(found)}; use one of {EVERYWHERE}"
            )
            raise InputError(message, where="scheme", key="name", value=self.name)
