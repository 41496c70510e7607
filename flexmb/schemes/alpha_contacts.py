"""Contacts of the alpha family: the Delassus blocks of its levels, and the problem that joins them (GGL)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmb.linalg import Factor
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.many_contacts import Level, StepNumbers
from flexmb.schemes.scheme import PreparedContacts, StepMatrix, require_solved, solve_contacts
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem


@dataclass(frozen=True)
class AlphaStep:
    """The numbers of one member of the family."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @property
    def r(self) -> float:
        """(1 - alpha_f) / (1 - alpha_m)."""
        return (1.0 - self.alpha_f) / (1.0 - self.alpha_m)

    def filtered(self, x_1: Array, x: Array, x_hat: Array) -> Array:
        """Return X^_{n+1} from X_{n+1}, X_n and X^_n."""
        return ((1.0 - self.alpha_f) * x_1 + self.alpha_f * x - self.alpha_m * x_hat) / (1.0 - self.alpha_m)

    def at_gamma(self, x_1: Array, x: Array) -> Array:
        """Return gamma X_{n+1} + (1 - gamma) X_n."""
        return self.gamma * x_1 + (1.0 - self.gamma) * x


@dataclass(frozen=True)
class AlphaBlocks:
    """The Delassus blocks: row q or v, column nu or Lam.

    ``W_q_nu`` is the change of the gap per unit nu, ``W_q_Lam`` per unit Lam, and so on; without GGL only
    ``W_v_Lam`` is used; for the naive scheme the unknown is the force lam.
    """

    W_q_nu: Array
    W_q_Lam: Array
    W_v_nu: Array
    W_v_Lam: Array


@dataclass(frozen=True)
class AlphaFixed(PreparedContacts):
    """Factorizations of S and M, and the Delassus blocks once they are asked for.

    ``c`` are the numbers of the scheme, ``level`` its contact level (``Alpha.contact_level``), ``h`` the step.
    """

    S: StepMatrix
    M: Factor
    system: LinearSystem
    c: AlphaStep
    level: str
    h: float

    @property
    def naive(self) -> bool:
        """Whether contact forces are part of the smooth motion."""
        return self.level.startswith("naive")

    @property
    def numbers(self) -> StepNumbers:
        """Those of S; the naive scheme's unknown is a force, and its rows are gaps over h, or velocities."""
        c, S = self.c, self.S
        if not self.naive:
            rows = Level.BOTH if self.level == "ggl" else Level.VELOCITY
            return StepNumbers(rows, S.c_C, S.c_K, S.refine, 1.0, self.h, c.r, c.beta, c.gamma)
        scale = self.h * c.r * (c.beta if self.level == "naive-position" else c.gamma)
        return StepNumbers(Level.ONE, S.c_C, S.c_K, S.refine, scale)

    @property
    def gain(self) -> float:  # type: ignore[override]
        """Velocity per W_ii and impulse; an impulse of the naive scheme is h times its force."""
        return self.c.gamma * self.c.r / self.numbers.scale if self.naive else 1.0

    @cached_property
    def blocks(self) -> AlphaBlocks:
        """The Delassus blocks."""
        return delassus_blocks(self)

    @property
    def row_matrix(self) -> Array:
        """The Delassus matrix of velocity rows; of gaps over h for the naive scheme on positions."""
        return self.blocks.W_q_nu / self.h if self.level == "naive-position" else self.blocks.W_v_Lam

    @property
    def dense_response(self) -> Array:
        """The diagonal of the velocity rows' matrix, per unit impulse."""
        own = np.diag(self.blocks.W_v_Lam)
        return own / self.h if self.naive else own


def delassus_blocks(fixed: AlphaFixed) -> AlphaBlocks:
    """Form the Delassus blocks that the scheme's contact level needs."""
    system, S, M, h = fixed.system, fixed.S, fixed.M, fixed.h
    c, G, nothing = fixed.c, system.contacts.G, np.zeros((0, 0))
    if fixed.naive:
        W = c.r * delassus(S.solve, G)
        return AlphaBlocks(h * h * c.beta * W, nothing, nothing, h * c.gamma * W)

    def respond(to_dq: float, to_w: float, q_or_v: str) -> Array:
        """Return G^T times the change of q or v when dq = to_dq M^-1 G and w = to_w M^-1 G."""

        def columns(g: Array) -> Array:
            X = M.solve(g)
            da = -c.r * S.solve(system.restoring(to_dq * X) + system.resisting(to_w * X))
            return to_dq * X + h * h * c.beta * da if q_or_v == "q" else to_w * X + h * c.gamma * da

        return delassus(columns, G)

    if fixed.level == "ggl":
        return AlphaBlocks(*(respond(*unit, row) for row in "qv" for unit in ((1.0, 0.0), (0.0, 1.0))))
    return AlphaBlocks(nothing, nothing, nothing, respond(0.5 * h, 1.0, "v"))


def solve_levels(
    fixed: AlphaFixed, g_free: Array, b_v: Array, P_before: Array, solver: ContactSolver, t: float
) -> tuple[Array, Array, int]:
    """Solve the joint problem of both levels; return nu, Lam and the iterations taken."""
    many, h, nc = fixed.many_for(solver), fixed.h, g_free.size
    if many is None:
        return solve_ggl(fixed.blocks, g_free, b_v, h, fixed.system, solver, t)
    b, closed = np.concatenate([g_free / h, b_v]), g_free <= 0.0
    asked = np.concatenate([np.ones(nc, dtype=bool), closed])
    answer = many.solve(b, asked, np.tile(P_before, 2), closed, solver.tolerance)
    require_solved(answer, fixed.system, solver, t)
    return h * answer.z[:nc], answer.z[nc:], answer.iterations


def solve_ggl(
    W_of: AlphaBlocks, g_free: Array, b_v: Array, h: float, system: LinearSystem, solver: ContactSolver, t: float
) -> tuple[Array, Array, int]:
    """Solve the joint problem in (nu / h, Lam) on a growing working set of contacts.

    ``near`` are the contacts whose position row is looked at; it starts from those whose gap would be <= 0 without
    impulses and only grows. ``closed`` are those that also have a velocity row: nu > 0 or a free gap <= 0 *of the
    solution*; should it not settle in as many rounds as there are contacts, it only grows from there, so the loop ends.
    """
    near = g_free <= 0.0
    closed = near.copy()
    iterations = 0
    rounds = 0
    while True:
        i, j = np.flatnonzero(near), np.flatnonzero(closed)
        W = np.block(
            [
                [W_of.W_q_nu[np.ix_(i, i)], W_of.W_q_Lam[np.ix_(i, j)] / h],
                [W_of.W_v_nu[np.ix_(j, i)] * h, W_of.W_v_Lam[np.ix_(j, j)]],
            ]
        )
        z, its = solve_contacts(W, np.concatenate([g_free[i] / h, b_v[j]]), np.concatenate([i, j]), system, solver, t)
        iterations += its
        nu, Lam = np.zeros(g_free.size), np.zeros(g_free.size)
        nu[i], Lam[j] = h * z[: i.size], z[i.size :]
        g = g_free + W_of.W_q_nu @ nu + W_of.W_q_Lam @ Lam
        violated = (g < 0.0) & ~near
        wanted = (g_free <= 0.0) | (nu > 0.0)
        if rounds >= g_free.size:
            wanted |= closed
        if not violated.any() and (wanted == closed).all():
            return nu, Lam, iterations
        near |= violated
        closed = wanted
        rounds += 1
