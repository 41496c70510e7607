"""Nonsmooth Newmark, HHT and generalized-alpha, with or without GGL stabilization (Acary 2019, eqs 73-81).

The smooth motion is split from the impacts. With r = (1 - alpha_f) / (1 - alpha_m), forces F of all classes, those of
the joints G_J lam among them, and F^ filtered like a,

    (1 - alpha_m) F^_{n+1} + alpha_m F^_n = (1 - alpha_f) F_{n+1} + alpha_f F_n,        F^_0 = F_0           (80e)
    p(q_{n+1}, v~) - p_n = h F^_gamma,         X_gamma = gamma X_{n+1} + (1 - gamma) X_n                    (80c)
    v~ = v_n + h a_gamma,                      v_{n+1} = v~ + w                                             (80c, d)
    q_{n+1} = q_n (+) [ h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1} + dq ]                              (80a, b)

No contact force is in F. p = M(q) v is the momentum in space, so that nothing but applied torques changes the angular
momentum; a is what v~ says it is. For constant matrices M a = F^, and this is Acary's M vdot = f filtered. F_{n+1} is
that of (t, q, v)_{n+1}, jumps included:

    M w = G Lam + G_J Lam_J,   G_J^T w = 0
    ggl = false:  dq = (h/2) w;  active where g(q_n) + (h/2) U_n <= 0:  0 <= U_{n+1} + e U_n perp Lam >= 0.
    ggl = true:   M dq = G nu,   0 <= g(q_{n+1}) perp nu >= 0;  on the contacts that close at position level (nu > 0, or
                  the gap of the step without impulses <= 0):  0 <= U_{n+1} + e U_n perp Lam >= 0, 0 elsewhere (79).
    joints:       index3: g_J(q_{n+1}) = 0;   index2: G_J^T v_{n+1} + g_t = 0;   ggl: both, with an increment dq_J that
                  moves the end of the step by z, M z = G_J nu_J.

Eliminating a_{n+1} the matrix is S = M + c1 C + c1 d1 K, c1 = r h gamma, d1 = h beta / gamma, C = -dF/dv, K = -dF/dq,
and (nu, Lam) solve *one* complementarity problem whose blocks couple as soon as C != 0 (``alpha_contacts``); it is
solved whole, in the unknowns (nu / h, Lam), which have the same unit. The naive scheme has G lam among the forces.

Energy. With v the mean of v_n and v_{n+1} in space, Dq the increment of positions, classes c of forces,

    dE = Dq . F^_{c,gamma}   of loads, drives, cross-coupling and damping             external, drive, cross, damping
         + (G^T v + g_t) . Lam - g_t . Lam                                            contact, drive
         + Dp . lam^_gamma - g_t . Lam_J         (Dp: how far joints are driven)       drive
         + ((h/2) w - dq) . F^_gamma             (of contacts)                         projection
         + dV + Dq . F^_{conservative,gamma}                                          numerical: the quadrature of V,
         + (h (v_n + v~)/2 - Dq + dq) . F^_gamma                                        the position formula,
         + (v_{n+1} . p_n - v_n . p_{n+1})/2 + Dq . F^_{inertia,gamma}                  inertia,
         + what joints do beyond their drive                                          and the curvature of joints.

For constant matrices, with the position z = q - q^ that filtering leaves behind, the numerical part is

    - (gamma - 1/2) |Dq|_K^2 + Dq^T K z_gamma - h^2 (beta - gamma/2) [ d|a|_M^2 / 2 + (gamma - 1/2) |da|_M^2 ]

and the work of gyroscopic forces, which vanishes with h. `projection`, with ggl only, is the work of the position-level
multiplier: for rho_inf = 1 an impact of the end node of a bar then takes exactly what the semi-discrete theory says,
and `numerical` is zero. In flight, when gamma = 1/2 + alpha_f - alpha_m =: 1/2 + kappa, z is kappa Dq filtered by
(1 - alpha_m) z_{n+1} + alpha_m z_n = kappa Dq, and the numerical part is -dA - D with

    A = (h^2/2)(beta - gamma/2) |a|_M^2 + (1/2 - alpha_f)/(2 kappa) |z|_K^2
    D = h^2 (beta - gamma/2) kappa |da|_M^2 + (1/2 - alpha_f)(1/2 - alpha_m)/kappa |dz|_K^2  >= 0 :

E + A never grows between impacts. For alpha_m = 0 this is Acary's HHT identity (110), for alpha_f = 0 Newmark's (103).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.kernels.compilation.stages import SchemeStages
from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA, JOINT
from flexmb.kernels.multibody.multibody import BOTH, INDEX2, INDEX3, SPLIT
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.alpha_contacts import AlphaFixed, AlphaStep
from flexmb.schemes.alpha_newton import AlphaTrial
from flexmb.schemes.compiled.alpha import LEVELS, AlphaFamilyStep
from flexmb.schemes.frictional import directions, no_laws, surface_rates
from flexmb.schemes.scheme import IN_LARGE_MOTION, Memory, Responses, Scheme, has_settled, largest
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Instant, System

ITERATIONS = 60
"""Maximum number of Newton iterations."""
JOINT_CODES = {"index3": INDEX3, "index2": INDEX2, "ggl": BOTH}
"""Levels on which joints are enforced, as numbered in the compiled loop of large motion."""


@dataclass(frozen=True)
class Alpha(Scheme):
    """The alpha family; its members below differ in how (alpha_m, alpha_f, beta, gamma) are chosen.

    Memory vectors: a, then the filtered forces by class, in space; contacts: impulses of the step before, lam and lam^
    (the latter two for the naive scheme); loads: multipliers of the joints, and filtered.
    """

    name: ClassVar[str] = ""
    any_system: ClassVar[bool] = True
    large_motion: ClassVar[str] = "all"
    error_known: ClassVar[str] = "always"
    error_in_large_motion: ClassVar[bool] = True

    @property
    def coefficients(self) -> AlphaStep:
        """(alpha_m, alpha_f, beta, gamma)."""
        raise InputError("the alpha family is abstract: choose newmark, hht or generalized-alpha", where="scheme")

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        c = self.coefficients
        return 2 if abs(c.gamma - 0.5 - c.alpha_f + c.alpha_m) < 1e-14 else 1

    @property
    def contact_level(self) -> str:
        """Level of contacts: "ggl", "velocity", "naive-position" or "naive-velocity"."""
        return "ggl" if getattr(self, "ggl", False) else "velocity"

    @property
    def joint_level(self) -> str:
        """Level at which joints are enforced: "index3" (positions), "index2" (velocities) or "ggl" (both)."""
        chosen = getattr(self, "constraints", "auto")
        return ("ggl" if getattr(self, "ggl", False) else "index3") if chosen == "auto" else str(chosen)

    @property
    def naive(self) -> bool:
        """Whether contact forces are treated like other forces."""
        return self.contact_level.startswith("naive")

    def prepare(self, system: System, h: float) -> AlphaFixed | Responses:
        """Factor S and M as they are at the start."""
        c, here = self.coefficients, system.instant(0.0, system.start, system.v0)
        if isinstance(system, LinearSystem):
            S, M = system.factor(here, *c.weights(h)), system.factor(here, 1.0, 0.0, 0.0)
            return AlphaFixed(S, M, system, here, c, self.contact_level, h)
        return Responses.of(system.factor(here, 1.0, 0.0, 0.0), here.G)

    def start(self, system: System, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Return the accelerations and the forces of the joints at the start, without contacts; filters at rest."""
        here = system.instant(state.t, state.q, state.v)
        M = system.factor(here, 1.0, 0.0, 0.0)
        a, lam = M.solve_both(here.F.sum(axis=0) - here.momentum_rate, -here.joint_bias)
        vectors = np.concatenate([a[None, :], forces_in_space(here, lam)])
        contacts = np.zeros((3, system.contacts.nc))
        return Memory(vectors, contacts, np.stack([lam, lam]), np.zeros(1), **no_laws(system))

    def compiled_memory(
        self, system: LinearSystem, state: State, h: float, fixed: AlphaFixed, solver: ContactSolver
    ) -> Memory:
        """Return the memory of the compiled step: a, M a, all smooth forces, z = q - q^ and v^; loads filtered."""
        here = system.instant(state.t, state.q, state.v)
        f = here.F.sum(axis=0)
        vectors = np.stack([fixed.M.solve(f), f, f, np.zeros(system.nv), state.v])
        return Memory(vectors, np.zeros((3, system.contacts.nc)), system.amplitudes(state.t)[None, :], np.zeros(1))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_n to t_n + h: Newton's method on the momentum equation, one iteration for a linear system."""
        start = system.instant(state.t, state.q, state.v)
        forces = forces_in_space(start, memory.loads[0])
        trial = AlphaTrial(self, system, start, h, memory, fixed, solver, forces)
        size, last, scale = np.inf, np.inf, largest(state.v)
        noise = np.finfo(float).eps * largest(state.q) / trial.d1
        for _ in range(ITERATIONS):
            last, size = size, trial.correct()
            scale = max(scale, largest(trial.v))
            if system.linear or has_settled(size, last, scale, noise):
                break
        else:
            raise NotConverged("Newton's method does not converge", time=trial.t1, step=-1, residual=size)
        end = trial.place()
        mean = end.to_axes(0.5 * (start.to_space(start.v) + end.to_space(end.v)))
        surfaces = 0.5 * (surface_rates(start) + surface_rates(end))
        U = directions(end).T @ mean + surfaces
        after = self._carried(start, end, trial, memory, forces, U)
        report = self._report(system, start, end, trial, memory, after, U, surfaces)
        return State(end.t, end.q, end.v), after, report

    def _carried(
        self, start: Instant, end: Instant, trial: AlphaTrial, memory: Memory, forces: Array, U: Array
    ) -> Memory:
        """Return the memory for the next step; U (nc + nt,) are the mean rates of the contacts' rows."""
        c, h, jumps = self.coefficients, trial.h, trial.jumps
        a = (trial.v - start.v - h * (1.0 - c.gamma) * memory.vectors[0]) / (h * c.gamma)
        P = c.filtered(forces_in_space(end, trial.lam), forces, memory.vectors[1:])
        lam_hat = c.filtered(jumps.lam, memory.contacts[1], memory.contacts[2])
        laws = trial.contacts.remember(jumps.z, U, end)
        return memory.with_(
            vectors=np.concatenate([a[None, :], P]),
            loads=np.stack([trial.lam, c.filtered(trial.lam, memory.loads[0], memory.loads[1])]),
            **laws | {"contacts": np.stack([jumps.Lam + h * jumps.lam, jumps.lam, lam_hat])},
        )

    def _report(
        self,
        system: System,
        start: Instant,
        end: Instant,
        trial: AlphaTrial,
        before: Memory,
        after: Memory,
        U: Array,
        surfaces: Array,
    ) -> StepReport:
        """Return the works of the step, all taken in space, on the mean velocity; U and ``surfaces`` are mean rates."""
        c, h, jumps = self.coefficients, trial.h, trial.jumps
        moved, v_0, v_1 = end.to_space(trial.increment), start.to_space(start.v), end.to_space(end.v)
        p_0, p_1 = start.to_space(start.p), end.to_space(end.p)
        F = c.at_gamma(after.vectors[1:], before.vectors[1:])
        works, total = F @ moved, F.sum(axis=0)
        contacts = trial.contacts.works(U, jumps.z, trial.contacts.none, surfaces)
        if self.naive:  # forces, on how far the contacts move
            lam = c.at_gamma(after.contacts[2], before.contacts[2])
            total, along = total + end.G @ lam, end.G.T @ trial.increment
            contacts = {"contact": (end.g - start.g) * lam, "surface": -(end.g - start.g - along) * lam}
        drives = c.at_gamma(after.loads[1], before.loads[1]) @ (system.prescribed(end.t) - system.prescribed(start.t))
        drives -= 0.5 * float(jumps.Lam_J @ (start.joint_g_t + end.joint_g_t))
        numerical = end.potential - start.potential + works[CONSERVATIVE] + works[INERTIA] + works[JOINT]
        numerical += 0.5 * (v_1 @ p_0 - v_0 @ p_1)
        numerical += (0.5 * h * v_0 + end.to_space(0.5 * h * trial.v - trial.increment + jumps.dq)) @ total
        numerical += float(jumps.Lam_J @ (end.G_J.T @ end.to_axes(0.5 * (v_0 + v_1)))) - drives
        return StepReport(
            external=float(works[EXTERNAL]),
            drive=float(works[DRIVE] + drives + contacts["surface"].sum()),
            spin=float(works[DRIVE]),
            damping=float(works[DAMPING]),
            numerical=float(numerical),
            projection=float(end.to_space(0.5 * h * jumps.w - jumps.dq) @ total),
            iterations=trial.count,
            cross=float(works[CROSS]),
            Lam=jumps.Lam_J,
            lam=trial.lam,
            laws=after.laws,
            **contacts | {"P": after.contacts[0]},
        )

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v, h^2 a)."""
        n = self.coefficients
        q = np.array([1.0, 1.0, 0.5 - n.beta])  # without the part of the new acceleration
        v = np.array([0.0, 1.0, 1.0 - n.gamma])
        old = np.array([-k, -c, 0.0])
        rest = (1.0 - n.alpha_f) * (-k * q - c * v) + n.alpha_f * old - n.alpha_m * np.array([0.0, 0.0, 1.0])
        a = rest / (1.0 - n.alpha_m + (1.0 - n.alpha_f) * (n.beta * k + n.gamma * c))
        return np.stack([q + n.beta * a, v + n.gamma * a, a])

    def compiled_step(self, h: float) -> AlphaFamilyStep:
        """Return the coefficients, and the level at which contacts are enforced."""
        c = self.coefficients
        level = LEVELS[self.contact_level]
        return AlphaFamilyStep(h, float(c.alpha_m), float(c.alpha_f), float(c.beta), float(c.gamma), level)

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the coefficients, and the levels at which joints and contacts are enforced."""
        if self.naive:
            message = "is a demonstration for small motion, inconsistent on purpose (impacts treated like other forces)"
            raise InputError(
                f"{message}; here use one of {IN_LARGE_MOTION}", where="scheme", key="name", value=self.name
            )
        c = self.coefficients
        own: dict[str, Any] = {name: float(getattr(c, name)) for name in ("alpha_m", "alpha_f", "beta", "gamma")}
        own |= {"joint_level": JOINT_CODES[self.joint_level], "contact_ggl": int(self.contact_level == "ggl")}
        return {"form": SPLIT, "error_weight": float(c.error_weight), **own}

    @classmethod
    def large_motion_stages(cls) -> SchemeStages:
        """Return the stages of ``compiled.alpha_large``."""
        from flexmb.schemes.compiled.alpha_large import STAGES

        return STAGES

    @property
    def has_error_estimate(self) -> bool:
        """The position formula misses the Taylor series by a known multiple of a_{n+1} - a_n."""
        return not self.naive

    def position_error(
        self, system: System, before: State, after: State, memory: Memory, memory_after: Memory, h: float
    ) -> Array:
        """Return h^2 (beta + (alpha_m - alpha_f)/2 - 1/6) (a_{n+1} - a_n)."""
        return np.asarray(h * h * self.coefficients.error_weight * (memory_after.vectors[0] - memory.vectors[0]))

    def resized(self, system: System, state: State, memory: Memory, h: float, h_next: float) -> Memory:
        """Shift filtered quantities to the new time: F^ <- F + (h_next / h)(F^ - F), also a; else the order is 1."""
        ratio = h_next / h
        if ratio == 1.0:
            return memory
        here = system.instant(state.t, state.q, state.v)
        M = system.factor(here, 1.0, 0.0, 0.0)
        a, _ = M.solve_both(here.F.sum(axis=0) - here.momentum_rate, -here.joint_bias)
        now = np.concatenate([a[None, :], forces_in_space(here, memory.loads[0])])
        lam, lam_hat = memory.loads
        return memory.with_(
            vectors=now + ratio * (memory.vectors - now), loads=np.stack([lam, lam + ratio * (lam_hat - lam)])
        )

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        """Return a note on joints enforced at position level only without dissipation (rho_inf = 1)."""
        if not (jointed and self.joint_level == "index3" and self.coefficients.gamma <= 0.5):
            return ()
        return (
            "joints at position level only (index3) with a scheme without numerical damping: their forces oscillate "
            "from "
            'step to step; use numerical dissipation (rho_inf <= 0.9), or constraints = "ggl"',
        )


def forces_in_space(at: Instant, lam: Array) -> Array:
    """Return the forces by class, (CLASSES, nv), with those of the joints, torques in space."""
    F = at.F.copy()
    if lam.size:
        F[JOINT] = at.G_J @ lam
    return np.asarray(at.to_space(F.T).T)
