"""Contacts of the alpha family: the Delassus blocks of its levels, and the coupled problem (GGL).

A unit of impulse along G makes X = M^-1 G, in w, in dq or in both, with the joints held. Through the forces it changes
v~ by Y_q = -c1 S^-1 K X per unit in dq and Y_v = -c1 S^-1 C X per unit in w, and so the gaps and their rates by

    W_q_nu = G^T (X + d1 Y_q),   W_q_Lam = d1 G^T Y_v,   W_v_nu = G^T Y_q,   W_v_Lam = G^T (X + Y_v)

with c1 = r h gamma and d1 = h beta / gamma. Without GGL an impulse Lam also makes dq = (h/2) w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.compiled.formulas import filtered, mean
from flexmb.schemes.many_contacts import Level, StepNumbers
from flexmb.schemes.scheme import PreparedContacts, StepMatrix
from flexmb.schemes.solve_contacts import require_solved, solve_contacts
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Instant, Solves, System


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

    def weights(self, h: float) -> tuple[float, float, float]:
        """Return (c_M, c_C, c_K) of the matrix of a step; c_K is c1 d1."""
        return 1.0, self.r * h * self.gamma, self.r * h * h * self.beta

    @property
    def error_weight(self) -> float:
        """Return the coefficient of h^2 (a_{n+1} - a_n) in the error of the position formula (Haddouni 2015, 2.125).

        Written with the filtered accelerations, a_n standing for the one at t_n + (alpha_m - alpha_f) h; the printed
        1/h must read h.
        """
        return self.beta + 0.5 * (self.alpha_m - self.alpha_f) - 1.0 / 6.0

    def c1(self, h: float) -> float:
        """Return the weight of the forces at the end of a step in the momentum, s."""
        return self.r * h * self.gamma

    def d1(self, h: float) -> float:
        """Return the weight of v~ in the position, s."""
        return h * self.beta / self.gamma

    def filtered(self, x_1: Array, x: Array, x_hat: Array) -> Array:
        """Return X^_{n+1} from X_{n+1}, X_n and X^_n."""
        return filtered(self.alpha_m, self.alpha_f, x_1, x, x_hat)

    def at_gamma(self, x_1: Array, x: Array) -> Array:
        """Return gamma X_{n+1} + (1 - gamma) X_n."""
        return mean(self.gamma, x_1, x)


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
    """Data of a constant system with constant directions: S and M factorized, the Delassus blocks on demand.

    ``here`` is the instant at the start, ``c`` are the numbers of the scheme, ``level`` is its contact level
    (``Alpha.contact_level``), ``h`` the step.
    """

    S: StepMatrix
    M: Solves
    system: LinearSystem
    here: Instant
    c: AlphaStep
    level: str
    h: float

    @property
    def naive(self) -> bool:
        """Whether contact forces are part of the smooth motion."""
        return self.level.startswith("naive")

    @property
    def numbers(self) -> StepNumbers:
        """Coefficients of S; the unknown of the naive scheme is a force, its rows are gaps over h, or velocities."""
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

    @cached_property
    def W_rows(self) -> Array:
        """The matrix of all rows of contacts with rows beside their normals, and with GGL of the gaps."""
        from flexmb.schemes.alpha_friction import friction_matrix

        contacts = self.system.contacts
        J = sparse.csc_array(sparse.hstack([contacts.G, contacts.H], format="csc"))
        G = contacts.G if self.level == "ggl" else contacts.G[:, :0]
        return friction_matrix(self.c, self.h, self.here, self.S, self.M, J, np.arange(J.shape[1]) < contacts.nc, G)

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
    c, h, G = fixed.c, fixed.h, fixed.system.contacts.G
    if fixed.naive:
        W, nothing = c.r * delassus(fixed.S.solve, G), np.zeros((0, 0))
        return AlphaBlocks(h * h * c.beta * W, nothing, nothing, h * c.gamma * W)
    return blocks_of(c, h, fixed.level == "ggl", fixed.here, fixed.S, fixed.M, G)


def blocks_of(
    c: AlphaStep, h: float, ggl: bool, end: Instant, S: Solves, M: Solves, G: sparse.csc_array
) -> AlphaBlocks:
    """Return the Delassus blocks of directions G at the end of a step, with S and M factorized there."""
    c1, d1 = c.c1(h), c.d1(h)

    def respond(to_dq: float, to_w: float, q_or_v: str) -> Array:
        """Return G^T times the change of q or v when dq = to_dq M^-1 G and w = to_w M^-1 G."""

        def columns(g: Array) -> Array:
            X = M.solve(g)
            Y = -c1 * S.solve(end.restoring(to_dq * X) + end.resisting(to_w * X))
            return to_dq * X + d1 * Y if q_or_v == "q" else to_w * X + Y

        return delassus(columns, G)

    if ggl:
        return AlphaBlocks(*(respond(*unit, row) for row in "qv" for unit in ((1.0, 0.0), (0.0, 1.0))))
    nothing = np.zeros((0, 0))
    return AlphaBlocks(nothing, nothing, nothing, respond(0.5 * h, 1.0, "v"))


def solve_levels(
    fixed: AlphaFixed, g_free: Array, b_v: Array, P_before: Array, solver: ContactSolver, t: float
) -> tuple[Array, Array, int]:
    """Solve the joint problem of both levels; return nu, Lam and the iterations taken."""
    many, h, nc = fixed.many_for(solver), fixed.h, g_free.size
    if many is None:
        return solve_ggl(fixed.blocks, g_free, b_v, h, np.arange(nc), fixed.system, solver, t)
    b, closed = np.concatenate([g_free / h, b_v]), g_free <= 0.0
    asked = np.concatenate([np.ones(nc, dtype=bool), closed])
    answer = many.solve(b, asked, np.tile(P_before, 2), closed, solver.tolerance)
    require_solved(answer, fixed.system, solver, t)
    return h * answer.z[:nc], answer.z[nc:], answer.iterations


def solve_ggl(
    W_of: AlphaBlocks,
    g_free: Array,
    b_v: Array,
    h: float,
    rows: IntArray,
    system: System,
    solver: ContactSolver,
    t: float,
) -> tuple[Array, Array, int]:
    """Solve the joint problem of the contacts ``rows`` in (nu / h, Lam) on a growing working set of them.

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
        both = rows[np.concatenate([i, j])]
        z, its = solve_contacts(W, np.concatenate([g_free[i] / h, b_v[j]]), both, system, solver, t)
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
