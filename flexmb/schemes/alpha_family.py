"""Nonsmooth Newmark, HHT and generalized-alpha, with or without GGL stabilization (Acary 2019, eqs 73-81).

The smooth motion is split from the impacts. With f = F - (C + Y) v - (K + N) q, Y and N the skew matrices ``gyro`` and
``cross`` of rotors, and r = (1 - alpha_f) / (1 - alpha_m),

    M vdot_{n+1} = f(q_{n+1}, v_{n+1}, t_{n+1})                                       no contact force
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) vdot_{n+1} + alpha_f vdot_n           (80e)
    q_{n+1} = q_n + h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1} + dq                      (80a, b)
    v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1} + w,          M w = G Lam             (80c, d)

ggl = false:  dq = (h/2) w;  active where g(q_n) + (h/2) U_n <= 0:  0 <= U_{n+1} + e U_n perp Lam >= 0.
ggl = true:   M dq = G nu,   0 <= g(q_{n+1}) perp nu >= 0;  on the contacts that close at position level (nu > 0, or
              the gap of the step without impulses <= 0):  0 <= U_{n+1} + e U_n perp Lam >= 0, Lam = 0 elsewhere (79).

Eliminating a_{n+1}:  S = M + r h gamma (C + Y) + r h^2 beta (K + N), and a unit of (nu, Lam) changes a by
-r S^-1 ((K + N) dq + (C + Y) w). So (nu, Lam) solve *one* complementarity problem whose blocks couple as soon as
C + Y != 0; it is solved whole, in the unknowns (nu / h, Lam), which have the same unit.

Energy. Let X^ be X filtered like a, (1 - alpha_m) X^_{n+1} + alpha_m X^_n = (1 - alpha_f) X_{n+1} + alpha_f X_n with
X^_0 = X_0; then M a = F^ - (C + Y) v^ - (K + N) q^ exactly. With z = q - q^ and
X_gamma = gamma X_{n+1} + (1 - gamma) X_n,

    dE = dq_tot^T F^_gamma - dq_tot^T C v^_gamma - dq_tot^T N q^_gamma                 external, damping, cross
         + U_{1/2}^T Lam - (nu - (h/2) Lam)^T G^T a_gamma                              contact
         - (gamma - 1/2) |dq_tot|_K^2 + dq_tot^T K z_gamma
         - h^2 (beta - gamma/2) [ d|a|_M^2 / 2 + (gamma - 1/2) |da|_M^2 ]
         - dq_tot^T Y v^_gamma                                                         numerical

z follows (1 - alpha_m) z_{n+1} + alpha_m z_n = (alpha_f - alpha_m) dq_tot from z_0 = 0, for every member of the family
and through impacts; it stays zero where alpha_f = alpha_m. The gyroscopic work -dq_tot^T Y v^_gamma is a part of
`numerical`, for gyroscopic forces do no work: it vanishes with h. For alpha_m = alpha_f and gamma = 1/2, beta = 1/4 it
is zero in flight, dq_tot being h v_{1/2}.

The second contact term, with ggl only, is the work of the position-level multiplier. For rho_inf = 1 an impact of the
end node of a bar then takes exactly what the semi-discrete theory says, and `numerical` is zero. In flight, when
gamma = 1/2 + alpha_f - alpha_m =: 1/2 + kappa, z is kappa dq_tot filtered by (1 - alpha_m) z_{n+1} + alpha_m z_n =
kappa dq_tot, and the numerical part is -dA - D with

    A = (h^2/2)(beta - gamma/2) |a|_M^2 + (1/2 - alpha_f)/(2 kappa) |z|_K^2
    D = h^2 (beta - gamma/2) kappa |da|_M^2 + (1/2 - alpha_f)(1/2 - alpha_m)/kappa |dz|_K^2  >= 0 :

E + A never grows between impacts. For alpha_m = 0 this is Acary's HHT identity (110), for alpha_f = 0 Newmark's (103).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.multibody import ALPHA, BOTH, INDEX2, INDEX3
from flexmb.linalg import factor
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.alpha_contacts import AlphaFixed, AlphaStep, solve_levels
from flexmb.schemes.scheme import (
    ELSEWHERE,
    Memory,
    Scheme,
    StepMatrix,
    forecast_closes,
    load_works,
    no_contacts,
    solve_velocity,
)
from flexmb.state import Array, State, StepReport
from flexmb.system.linear_system import LinearSystem

JOINT_CODES = {"index3": INDEX3, "index2": INDEX2, "ggl": BOTH}
"""Levels on which joints are held, as the compiled loop of large motion numbers them."""


@dataclass(frozen=True)
class Alpha(Scheme):
    """The alpha family; its members below differ in how (alpha_m, alpha_f, beta, gamma) are chosen.

    Memory vectors: a, p = M a, f (all smooth forces), z = q - q^, v^; loads: filtered amplitudes; contacts: impulses of
    the step before, lam and lam^ (the latter two for the naive scheme).
    """

    name: ClassVar[str] = ""

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
        """How contacts enter: "ggl", "velocity", "naive-position" or "naive-velocity"."""
        return "ggl" if getattr(self, "ggl", False) else "velocity"

    @property
    def joint_level(self) -> str:
        """How joints are held: "index3" (positions), "index2" (velocities) or "ggl" (both)."""
        chosen = getattr(self, "constraints", "auto")
        return ("ggl" if getattr(self, "ggl", False) else "index3") if chosen == "auto" else str(chosen)

    def prepare(self, system: LinearSystem, h: float) -> AlphaFixed:
        """Factor S and M."""
        c = self.coefficients
        S = StepMatrix(system, c_C=c.r * h * c.gamma, c_K=c.r * h * h * c.beta)
        return AlphaFixed(S, factor(system.M), system, c, self.contact_level, h)

    def start(self, system: LinearSystem, state: State, h: float, fixed: AlphaFixed, solver: ContactSolver) -> Memory:
        """Return a_0 = M^-1 f_0 (no contact force in it) and the filters at rest."""
        f = system.F(state.t) - system.restoring(state.q) - system.resisting(state.v)
        a = fixed.M.solve(f)
        return Memory(
            np.stack([a, f, f, np.zeros(system.nv), state.v]),
            np.zeros((3, system.contacts.nc)),
            system.amplitudes(state.t)[None, :],
            np.zeros(1),
        )

    def step(
        self, system: LinearSystem, state: State, h: float, memory: Memory, fixed: AlphaFixed, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Go from t_n to t_n + h."""
        c = self.coefficients
        a_n, p_n, f_n, z_n, vhat_n = memory.vectors
        t1, q_n, v_n = state.t + h, state.q, state.v
        F = system.F(t1)
        q = q_n + h * v_n + h * h * (0.5 - c.beta) * a_n
        v = v_n + h * (1.0 - c.gamma) * a_n
        carried = (c.alpha_f * f_n - c.alpha_m * p_n) / (1.0 - c.alpha_m)
        a = fixed.S.solve(c.r * (F - system.restoring(q) - system.resisting(v)) + carried)
        free = State(t1, q + h * h * c.beta * a, v + h * c.gamma * a)

        nu, Lam, lam, iterations = self._impulses(system, state, free, h, fixed, solver, memory.contacts[0])
        q, v, a = self._apply(system, free, a, nu, Lam, lam, h, fixed)

        f = F - system.restoring(q) - system.resisting(v) + system.contacts.G @ lam
        p = c.r * f + carried
        phi, phi_n = system.amplitudes(t1), system.amplitudes(state.t)
        kappa = c.alpha_f - c.alpha_m
        after = Memory(
            np.stack([a, p, f, (kappa * (q - q_n) - c.alpha_m * z_n) / (1.0 - c.alpha_m), c.filtered(v, v_n, vhat_n)]),
            np.stack([Lam + h * lam, lam, c.filtered(lam, memory.contacts[1], memory.contacts[2])]),
            c.filtered(phi, phi_n, memory.loads[0])[None, :],
            memory.scalars,
        )
        new = State(t1, q, v)
        return new, after, self._report(system, state, new, h, memory, after, nu, Lam, iterations)

    def _impulses(
        self,
        system: LinearSystem,
        state: State,
        free: State,
        h: float,
        fixed: AlphaFixed,
        solver: ContactSolver,
        P_before: Array,
    ) -> tuple[Array, Array, Array, int]:
        """Return (nu, Lam, lam, iterations): position and velocity impulses, and the naive scheme's force."""
        con = system.contacts
        nu, Lam, lam = no_contacts(system), no_contacts(system), no_contacts(system)
        U_n = con.U(state.t, state.v)
        if self.contact_level == "ggl":
            g_free = con.g(free.t, free.q)
            if (g_free <= 0.0).any():
                b_v = con.U(free.t, free.v) + con.e * U_n
                nu, Lam, iterations = solve_levels(fixed, g_free, b_v, P_before, solver, free.t)
                return nu, Lam, lam, iterations
            return nu, Lam, lam, 0
        if self.contact_level == "naive-position":
            b = con.g(free.t, free.q) / h
            rows = np.arange(con.nc)
        else:
            rows = forecast_closes(
                system.instant(state.t, state.q, state.v), 0.5 * h, P_before, fixed.response, h, system.contacts.blocks
            )
            b = con.U(free.t, free.v) + con.e * U_n
        if not (b[rows] < 0.0).any():
            return nu, Lam, lam, 0
        found, iterations = solve_velocity(fixed, b, rows, P_before, solver, free.t)
        return (nu, found, lam, iterations) if self.contact_level == "velocity" else (nu, Lam, found, iterations)

    def _apply(
        self,
        system: LinearSystem,
        free: State,
        a: Array,
        nu: Array,
        Lam: Array,
        lam: Array,
        h: float,
        fixed: AlphaFixed,
    ) -> tuple[Array, Array, Array]:
        """Return q, v, a after the impulses."""
        c, G = self.coefficients, system.contacts.G
        if lam.any():
            da = c.r * fixed.S.solve(G @ lam)
            return free.q + h * h * c.beta * da, free.v + h * c.gamma * da, a + da
        if not (nu.any() or Lam.any()):
            return free.q, free.v, a
        w = fixed.M.solve(G @ Lam)
        dq = fixed.M.solve(G @ nu) if self.contact_level == "ggl" else 0.5 * h * w
        da = -c.r * fixed.S.solve(system.restoring(dq) + system.resisting(w))
        return free.q + dq + h * h * c.beta * da, free.v + w + h * c.gamma * da, a + da

    def _report(
        self,
        system: LinearSystem,
        old: State,
        new: State,
        h: float,
        before: Memory,
        after: Memory,
        nu: Array,
        Lam: Array,
        iterations: int,
    ) -> StepReport:
        c, con = self.coefficients, system.contacts
        a_n, p_n, _, z_n, vhat_n = before.vectors
        a, p, _, z, vhat = after.vectors
        dq = new.q - old.q
        K_dq = system.elastic(dq)
        external, drive = load_works(system, dq, c.at_gamma(after.loads[0], before.loads[0]))
        vhat_g = c.at_gamma(vhat, vhat_n)
        numerical = (
            -(c.gamma - 0.5) * float(dq @ K_dq)
            + float(K_dq @ c.at_gamma(z, z_n))
            - h * h * (c.beta - 0.5 * c.gamma) * float((a - a_n) @ c.at_gamma(p, p_n))
            - float(dq @ (system.gyro @ vhat_g))
        )
        projection = 0.0
        if self.contact_level.startswith("naive"):
            lam_g = c.at_gamma(after.contacts[2], before.contacts[2])
            moved = con.offset(new.t) - con.offset(old.t)
            contact = (con.G.T @ dq + moved) * lam_g
            drive -= float(moved @ lam_g)
        else:
            g_t = 0.5 * (con.g_t(new.t) + con.g_t(old.t))
            contact = (0.5 * (con.G.T @ (new.v + old.v)) + g_t) * Lam
            drive -= float(g_t @ Lam)
            if self.contact_level == "ggl":
                projection = -float((nu - 0.5 * h * Lam) @ (con.G.T @ c.at_gamma(a, a_n)))
        return StepReport(
            P=after.contacts[0],
            external=external,
            drive=drive,
            damping=-float(dq @ (system.C @ vhat_g)),
            contact=contact,
            numerical=numerical,
            projection=projection,
            iterations=iterations,
            cross=-float(dq @ (system.cross @ c.at_gamma(new.q - z, old.q - z_n))),
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

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the coefficients, and the levels on which joints and contacts are held."""
        if self.contact_level.startswith("naive"):
            message = "is a demonstration for small motion, inconsistent on purpose (impacts treated like other forces)"
            raise InputError(f"{message}; {ELSEWHERE}", where="scheme", key="name", value=self.name)
        c = self.coefficients
        own: dict[str, Any] = {name: float(getattr(c, name)) for name in ("alpha_m", "alpha_f", "beta", "gamma")}
        own |= {"joint_level": JOINT_CODES[self.joint_level], "contact_ggl": int(self.contact_level == "ggl")}
        return {"family": ALPHA, **own}

    @property
    def has_error_estimate(self) -> bool:
        """The position formula misses the Taylor series by a known multiple of a_{n+1} - a_n (in large motion)."""
        return not self.contact_level.startswith("naive")

    def notes(self, jointed: bool) -> tuple[str, ...]:
        """Return a note on joints held by positions alone without dissipation (rho_inf = 1)."""
        if not (jointed and self.joint_level == "index3" and self.coefficients.gamma <= 0.5):
            return ()
        return (
            "joints held by positions alone (index3) with a scheme that damps nothing: their forces oscillate from "
            'step to step; take some dissipation (rho_inf <= 0.9), or constraints = "ggl"',
        )
