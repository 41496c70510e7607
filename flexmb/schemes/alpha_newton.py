"""A step of the alpha family during Newton's method on its momentum equation, with joints and contacts.

The unknowns are v~, the multipliers lam of the joints, and the jumps that impacts and GGL make (``alpha_family``); one
iteration solves a linear system. The matrix is S = M + c1 C + c1 d1 K at the trial's end, bordered by the joints: what
turning axes and joint forces add to it is left out, so bodies that turn take some iterations more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.alpha_contacts import AlphaFixed, blocks_of, solve_ggl, solve_levels
from flexmb.schemes.alpha_friction import friction_matrix, solve_both_levels
from flexmb.schemes.contact_stack import Stack
from flexmb.schemes.frictional import StepContacts, directions, surface_rates
from flexmb.schemes.scheme import Memory, forecast_closes, largest, no_contacts
from flexmb.schemes.solve_contacts import solve_contacts, solve_velocity
from flexmb.state import Array
from flexmb.system.protocol import Instant, Solves, System

if TYPE_CHECKING:
    from flexmb.schemes.alpha_family import Alpha


@dataclass(frozen=True)
class Jumps:
    """Impulses of a step and their effects.

    ``nu`` (nc,) are those of the positions, ``z`` (nc + nt,) those of the velocities, Lam of the normals and then of
    the rows beside them; ``lam`` (nc,) are the forces of the naive scheme; dq and w (nv,) the jumps they make, and
    ``Lam_J`` (nj,) the impulses of the joints that answer to z.
    """

    nu: Array
    z: Array
    lam: Array
    dq: Array
    w: Array
    Lam_J: Array

    @property
    def Lam(self) -> Array:
        """Impulses of the normals, (nc,)."""
        return self.z[: self.nu.size]

    @classmethod
    def none(cls, system: System) -> Jumps:
        """Return no jumps."""
        none, rest = no_contacts(system), np.zeros(system.nv)
        return cls(none, np.zeros(none.size + system.contacts.blocks.nt), none, rest, rest, np.zeros(system.nj))


class AlphaTrial:
    """The unknowns of a step, and the current quantities at its end.

    Parameters
    ----------
    scheme : Alpha
    system : System
    start : Instant
    h : float
    memory : Memory
        ``Alpha`` says what is in it.
    fixed : AlphaFixed or Responses
    solver : ContactSolver
    forces : (CLASSES, nv) array
        Forces at the start by class, in space.
    """

    def __init__(
        self,
        scheme: Alpha,
        system: System,
        start: Instant,
        h: float,
        memory: Memory,
        fixed: Any,
        solver: ContactSolver,
        forces: Array,
    ) -> None:
        c = scheme.coefficients
        self.scheme, self.system, self.start, self.h, self.fixed, self.solver = scheme, system, start, h, fixed, solver
        self.c, self.t1, self.c1, self.d1 = c, start.t + h, c.c1(h), c.d1(h)
        a, P = memory.vectors[0], memory.vectors[1:]
        ratio = c.beta / c.gamma
        self.d0 = h * (1.0 - ratio) * start.v + h * h * (0.5 - ratio) * a
        before, carried = P.sum(axis=0), (c.alpha_f * forces - c.alpha_m * P).sum(axis=0) / (1.0 - c.alpha_m)
        if scheme.naive:
            of = start.G @ memory.contacts[1:].T
            before = before + of[:, 1]
            carried = carried + (c.alpha_f * of[:, 0] - c.alpha_m * of[:, 1]) / (1.0 - c.alpha_m)
        self.given = start.to_space(start.p) + h * (1.0 - c.gamma) * before + h * c.gamma * carried
        self.v, self.lam = start.v + h * a, memory.loads[0]
        self.z, self.nu_J = np.zeros(system.nv), np.zeros(system.nj)  # of joints with GGL: M z = G_J nu_J
        self.dq_J, self.jumps = np.zeros(system.nv), Jumps.none(system)
        self.P_before, self.count = memory.contacts[0], 0
        self.near, self.z_before = self.P_before > 0.0, np.concatenate([self.P_before, memory.rows[0]])
        self.active = np.arange(system.contacts.nc)
        if scheme.contact_level in ("velocity", "naive-velocity"):
            self.active = forecast_closes(start, 0.5 * h, self.P_before, fixed.response, h, system.contacts.blocks)
        self.contacts = StepContacts.begin(system, start, self.active, memory, fixed, solver, h, self.t1, 0.5)

    @property
    def increment(self) -> Array:
        """The increment of the step, (nv,)."""
        return np.asarray(self.d0 + self.d1 * self.v + self.jumps.dq + self.dq_J)

    def place(self) -> Instant:
        """Return the end of the step for the current unknowns."""
        q = self.system.advance(self.start.q, self.increment)
        return self.system.instant(self.t1, q, self.v + self.jumps.w if self.jumps.w.any() else self.v)

    def correct(self) -> float:
        """Correct the unknowns once; return the largest change of a velocity, or of a position over d1."""
        end, scheme, system, c1, d1 = self.place(), self.scheme, self.system, self.c1, self.d1
        S = system.factor(end, *self.c.weights(self.h))
        force = end.F.sum(axis=0) + end.G_J @ self.lam
        R = end.momentum(self.v if self.jumps.w.any() else end.v) - end.to_axes(self.given) - c1 * force
        rho = end.joint_g / d1 if scheme.joint_level == "index3" else end.joint_rates
        x, Lam = S.solve_both(-R, -rho)
        y, size = self._joints(end, rho), 0.0
        if system.contacts.nc:
            more, Lam_more, size = self._contacts(end, S, x, y)
            x, Lam = x + more, Lam + Lam_more
        self.v, self.lam, self.z = self.v + x, self.lam + Lam / c1, self.z + y
        if y.any():
            self.dq_J = system.toward(self.increment, self.z)
        return max(size, largest(x), largest(y) / d1)

    def _joints(self, end: Instant, rho: Array) -> Array:
        """Return the change of z that restores the joints with GGL, if v~ takes off the rates rho (nj,) of their rows.

        The rows along which rates are taken need not be G_J: a contact that slips has friction in its force direction.
        """
        if self.scheme.joint_level != "ggl" or not self.system.nj:
            return np.zeros(self.system.nv)
        M, r = self.system.factor(end, 1.0, 0.0, 0.0), end.momentum(self.z) - end.G_J @ self.nu_J
        y, nu = M.solve_both(-r, self.d1 * rho - end.joint_g)
        self.nu_J = self.nu_J + nu
        return y

    def _contacts(self, end: Instant, S: Solves, x: Array, y: Array) -> tuple[Array, Array, float]:
        """Compute the response of the contacts to the changes x of v~ and y of q.

        Returns what that changes in v~ and in the joints' multipliers, and the largest change of a jump.
        """
        was, system, G, J, v = self.jumps, self.system, end.G, directions(end), self.v + x
        if system.linear:  # the gaps of the motion without impulses, without round-off of a linearization
            free = system.instant(self.t1, system.advance(self.start.q, self.d0 + self.d1 * v), v)
            g, rates = free.g, np.concatenate([free.U, free.U_T])
        else:
            g, rates = end.g + G.T @ (self.d1 * x + y), J.T @ (end.v + x) + surface_rates(end)
        nu, z = self._impulses(end, S, g, rates)
        nothing = np.zeros(system.nj)
        if self.scheme.naive:
            self.jumps = replace(was, lam=z)
            return self.c1 * S.solve(G @ z), nothing, 0.0
        if not (nu.any() or z.any() or was.nu.any() or was.z.any()):
            return np.zeros(system.nv), nothing, 0.0
        M = system.factor(end, 1.0, 0.0, 0.0)
        w, Lam_J = M.solve_both(J @ z, nothing)
        dq = 0.5 * self.h * w
        if self.scheme.contact_level == "ggl":
            dq = M.solve(G @ nu + 0.5 * self.h * (end.H @ z[g.size :]))
        self.jumps = Jumps(nu, z, was.lam, dq, w, Lam_J)
        more = end.restoring(dq - was.dq) + end.resisting(w - was.w)
        return *S.solve_both(-self.c1 * more, nothing), max(largest(w - was.w), largest(dq - was.dq) / self.d1)

    def _impulses(self, end: Instant, S: Solves, g: Array, rates: Array) -> tuple[Array, Array]:
        """Return nu and z, or the naive scheme's force, for gaps and rates of all rows with the current impulses."""
        contacts = self.system.contacts
        if not contacts.blocks.normals_only:
            return self._frictional(end, S, g, rates)
        b = rates + contacts.e * end.velocity_before(self.start)
        return self._kept(g, b) if isinstance(self.fixed, AlphaFixed) else self._few(end, S, g, b)

    def _frictional(self, end: Instant, S: Solves, g: Array, rates: Array) -> tuple[Array, Array]:
        """Return nu and z of contacts with rows beside their normals."""
        nc, blocks, was, contacts = g.size, self.system.contacts.blocks, self.jumps, self.contacts
        ggl, nu, z = self.scheme.contact_level == "ggl", np.zeros(g.size), np.zeros(rates.size)
        cand = self.active
        if ggl:
            self.near = self.near | (g <= 0.0) | (was.nu > 0.0) | (was.z[:nc] > 0.0)
            cand = np.flatnonzero(self.near)
        if not cand.size:
            return nu, z
        stack = Stack.of(blocks, cand)
        rows, both = stack.rows, np.concatenate([stack.rows, nc + blocks.nt + cand]) if ggl else stack.rows
        if isinstance(self.fixed, AlphaFixed):
            W = self.fixed.W_rows[np.ix_(both, both)]
        else:
            M, none = self.system.factor(end, 1.0, 0.0, 0.0), sparse.csc_array((self.system.nv, 0))
            J, G = directions(end)[:, rows], end.G[:, cand] if ggl else none
            W = friction_matrix(self.c, self.h, end, S, M, J, rows < nc, G)
        if not ggl:
            z, _, more = contacts.solve(end, S, rates, was.z, contacts.none, W)
            self.count += more
            return nu, z
        e = stack.restitution(self.system.contacts.e, blocks.e_T)
        before = np.concatenate([end.velocity_before(self.start), end.H.T @ self.start.v + self.start.H_t])[rows]
        of_impulses = (
            np.zeros(both.size) if self.system.linear else W @ np.concatenate([was.z[rows], was.nu[cand] / self.h])
        )
        g_free, b = g[cand] - self.h * of_impulses[rows.size :], rates[rows] + e * before - of_impulses[: rows.size]
        guess = was.z[rows] if was.z.any() else self.z_before[rows]
        nu[cand], z[rows], more = solve_both_levels(W, g_free, b, self.h, cand, contacts.task, guess)
        self.count += more
        return nu, z

    def _kept(self, g: Array, b: Array) -> tuple[Array, Array]:
        """Return nu and Lam (the naive scheme's force) for a constant system, with the prepared data."""
        nothing, fixed, t, solver = np.zeros(g.size), self.fixed, self.t1, self.solver
        if fixed.level == "ggl":
            if not (g <= 0.0).any():
                return nothing, nothing
            nu, Lam, self.count = solve_levels(fixed, g, b, self.P_before, solver, t)
            return nu, Lam
        b = g / self.h if fixed.level == "naive-position" else b
        if not (b[self.active] < 0.0).any():
            return nothing, nothing
        Lam, self.count = solve_velocity(fixed, b, self.active, self.P_before, solver, t)
        return nothing, Lam

    def _few(self, end: Instant, S: Solves, g: Array, b: Array) -> tuple[Array, Array]:
        """Return nu and Lam from a dense problem of the contacts that may be active."""
        was, ggl = self.jumps, self.scheme.contact_level == "ggl"
        nu, Lam, rows = np.zeros(g.size), np.zeros(g.size), self.active
        if ggl:
            self.near = self.near | (g <= 0.0) | (was.nu > 0.0) | (was.z > 0.0)
            rows = np.flatnonzero(self.near)
        if not rows.size:
            return nu, Lam
        W = blocks_of(self.c, self.h, ggl, end, S, self.system.factor(end, 1.0, 0.0, 0.0), end.G[:, rows])
        b_free = b[rows] - W.W_v_Lam @ was.z[rows]
        if not ggl:
            Lam[rows], more = solve_contacts(W.W_v_Lam, b_free, rows, self.system, self.solver, self.t1)
        else:
            g_free = g[rows] - W.W_q_nu @ was.nu[rows] - W.W_q_Lam @ was.z[rows]
            b_free -= W.W_v_nu @ was.nu[rows]
            problem = (W, g_free, b_free, self.h, rows, self.system, self.solver, self.t1)
            nu[rows], Lam[rows], more = solve_ggl(*problem)
        self.count += more
        return nu, Lam
