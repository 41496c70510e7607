"""Parts of a step of Potra's scheme: a smooth motion with closed contacts, and Poisson's impact (``schemes.potra``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import NOT_FINITE, NotConverged
from flexmb.nonsmooth.pyramid import Pyramids
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.block_rows import BlockRows
from flexmb.schemes.step_works import StepWorks
from flexmb.state import Array
from flexmb.system.protocol import Instant, System

PASSES = 2
"""Number of linear problems per step for nonlinear forces or momenta: a single one would give order 1."""


@dataclass(frozen=True)
class Piece:
    """A smooth motion of length ``s`` from ``start`` over ``middle`` to ``end``.

    ``P`` (n,) are the impulses of ``rows``, whose directions are the columns of ``A`` (nv, n), ``given`` (n,) what
    prescribed motions have of their rates; ``Lam`` (nj,) those of the joints along ``A_J``.
    """

    system: System
    start: Instant
    middle: Instant
    end: Instant
    s: float
    rows: BlockRows
    A: Array
    given: Array
    P: Array
    A_J: Array
    Lam: Array
    iterations: int

    def book(self, works: StepWorks) -> None:
        """Add the works, on the mean velocity, along the axes in the middle."""
        start, middle, end = self.start, self.middle, self.end
        v = 0.5 * (start.v + end.v)
        p_0, p_1 = turned(start, middle, start.p), turned(end, middle, end.p)
        F = 0.5 * (turned(start, middle, start.F.T) + turned(end, middle, end.F.T))
        works.add_forces(self.s * (v @ F), end.potential - start.potential)
        works.numerical += 0.5 * float(end.v @ p_0 - start.v @ p_1)
        works.add_contacts(self.rows, self.P, self.A.T @ v + self.given, self.given)
        if self.Lam.size:
            moved = middle.joint_g_t
            works.add_joints(self.Lam, self.A_J.T @ v + moved, moved)
        if not self.system.linear:
            r = p_1 - p_0 - self.s * F.sum(axis=1) - self.A @ self.P - self.A_J @ self.Lam
            works.numerical += float(v @ r)
        works.iterations += self.iterations


def turned(at: Instant, middle: Instant, x: Array) -> Array:
    """Return forces or momenta x (nv,) or (nv, k) of an instant along the axes of another."""
    return middle.to_axes(at.to_space(x))


def smooth_piece(
    system: System,
    start: Instant,
    s: float,
    rows: BlockRows,
    guess: Array,
    mean: bool,
    facets: int,
    solver: ContactSolver,
) -> Piece:
    """Return the motion of length s with closed contacts, by their ``mean`` rates or by those at its end."""
    v_0, t_1 = start.v, start.t + s
    q_m = system.advance(start.q, 0.5 * s * v_0)
    middle = system.instant(start.t + 0.5 * s, q_m, v_0)
    S = system.factor(middle, 1.0, 0.5 * s, 0.25 * s * s)
    A, A_J = rows.directions(middle), middle.G_J.toarray()
    along, asked, given = A, 2.0 * rows.rates(middle), rows.given(middle)
    if not mean and rows.size:  # predicted rates at the end of the step
        late = system.instant(t_1, system.advance(q_m, 0.5 * s * v_0), v_0)
        along, asked = rows.directions(late), rows.rates(late)
        given = 0.5 * (rows.given(start) + rows.given(late))
    p_0, F_0 = turned(start, middle, start.p), turned(start, middle, start.F.sum(axis=0))
    X, X_J = S.solve_both(A, np.zeros((system.nj, rows.size))) if rows.size else (A, np.zeros((system.nj, 0)))
    W, pyramids = along.T @ X, Pyramids(rows.stack.shape, rows.law, facets)
    v_1, P, Lam, count = v_0, guess[rows.stack.rows], np.zeros(system.nj), 0
    for _ in range(1 if system.linear else PASSES):
        end = system.instant(t_1, system.advance(q_m, 0.5 * s * v_1), v_1)
        R = turned(end, middle, end.p) - p_0 - 0.5 * s * (F_0 + turned(end, middle, end.F.sum(axis=0)))
        dv, Lam = S.solve_both(-R, -2.0 * middle.joint_rates - A_J.T @ (v_1 - v_0))
        v_1 = v_1 + dv
        if rows.size:
            P, more = solve_rows(pyramids, W, asked + along.T @ (v_1 - v_0), system, rows, solver, t_1, guess=P)
            v_1, Lam, count = v_1 + X @ P, Lam + X_J @ P, count + more
    end = system.instant(t_1, system.advance(q_m, 0.5 * s * v_1), v_1)
    return Piece(system, start, middle, end, s, rows, A, given, P, A_J, Lam, count)


class PoissonImpact:
    """An impact on closed contacts of an instant, with restitution e (nc,) of the normal impulses.

    Compression ends where nothing approaches; decompression adds e times its normal impulses, and more where contacts
    would be pressed together. Friction has Coulomb's law in either phase, joints act in both.
    """

    def __init__(
        self, system: System, before: Instant, rows: BlockRows, e: Array, facets: int, solver: ContactSolver
    ) -> None:
        self.before, self.rows = before, rows
        self.A, S = self.rows.directions(before), system.factor(before, 1.0, 0.0, 0.0)
        self.A_J = before.G_J.toarray()
        dv, self.Lam = S.solve_both(np.zeros(system.nv), -before.joint_rates)
        X, X_J = S.solve_both(self.A, np.zeros((system.nj, self.rows.size)))
        W, b = self.A.T @ X, self.rows.rates(before) + self.A.T @ dv
        pyramids = Pyramids(rows.stack.shape, rows.law, facets)
        self.P, self.iterations = solve_rows(pyramids, W, b, system, rows, solver, before.t)
        restored = e[rows.which] * self.P[pyramids.normal]
        if restored.any():
            more = solve_rows(pyramids, W, b + W @ self.P, system, rows, solver, before.t, restored)
            self.P, self.iterations = self.P + more[0], self.iterations + more[1]
        self.Lam = self.Lam + X_J @ self.P
        self.after = system.instant(before.t, before.q, before.v + dv + X @ self.P)

    @property
    def pushed(self) -> Array:
        """Which contacts have an impulse, (nc,)."""
        return np.asarray(self.rows.spread(self.P)[0] > 0.0)

    def book(self, works: StepWorks) -> None:
        """Add the works, on the mean of the velocities before and after."""
        v, given = 0.5 * (self.before.v + self.after.v), self.rows.given(self.before)
        works.add_contacts(self.rows, self.P, self.A.T @ v + given, given)
        if self.Lam.size:
            moved = self.before.joint_g_t
            works.add_joints(self.Lam, self.A_J.T @ v + moved, moved)
        works.iterations += self.iterations


def solve_rows(
    pyramids: Pyramids, W: Array, b: Array, system: System, rows: BlockRows, solver: ContactSolver, t: float,
    given: Array | None = None,
    guess: Array | None = None,
) -> tuple[Array, int]:  # fmt: skip
    """Return the impulses of the rows, and the iterations; NotConverged names the time."""
    label = system.contacts.labels[int(rows.which[0])]
    if not np.isfinite(b).all():
        raise NotConverged(NOT_FINITE, time=t, step=-1, contact=label)
    try:
        return pyramids.solve(W, b, solver, given, guess)
    except NotConverged as failure:
        failure.time, failure.contact = t, label
        raise
