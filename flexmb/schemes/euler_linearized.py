"""Linearized implicit Euler with contacts at velocity level and position recovery: Chrono's DVI step (Tasora 2017).

With directions of contacts (A) and joints (G_J) at q_k, Phi = g(t_k, q_k) the gaps and C = -dF/dv, K = -dF/dq,

    [M + h C + h^2 K] v_{k+1} = (M + h C) v_k + h F(t_k, q_k, v_k) + A P + G_J Lam
    q_{k+1} = q_k (+) h v_{k+1}
    G_J^T v_{k+1} + g_t + g_J / h = 0
    K* contains (U_N + max(Phi / h, -recovery_speed) + mu |U_T|, U_T)  perp  P in K,     U = A^T v_{k+1} + (g_t, H_t)

(eqs 107-123, 160; the right side of 148 has (M + h C) v: with the whole matrix there it would not damp at all). One
problem, no iteration: F and momenta that are not linear are taken at q_k (+) h v_k, v_k. ``cones = "convex"`` drops
mu |U_T| (eqs 120-122): a contact that slides then also opens, with U_N = mu |U_T|, floats at Phi = h mu |U_T| in steady
sliding, and hops when it begins to slide. There is no restitution. Order 1.

Energy, with classes of forces at (t_k, q_{k+1}, v_{k+1}), momenta p along the axes at q_k, r what is not linear,

    dE = h v_{k+1} . (F_external + F_drive + F_cross + F_damping) + U_T . P_T + (U_N + s) P_N - s P_N - (g_t, H_t) . P
         - g_t . Lam - (g_J / h) . Lam + dV + h v_{k+1} . (F_conservative + F_inertia)
         + v_{k+1} . p_k - v_{k+1} . p_{k+1} / 2 - v_k . p_k / 2 + v_{k+1} . r,        s = max(Phi / h, -recovery_speed)

For a constant system the numerical part is -|dv|_M^2 / 2 - |dq|_K^2 / 2 <= 0. Friction never adds energy, normals do no
work but -s P_N, which is booked apart (``projection``): positive where a penetration is pushed back. With convex cones
(U_N + s) P_N >= 0 is energy that the relaxation gives back of what friction took.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from flexmb.errors import InputError, NotConverged
from flexmb.nonsmooth.convex_cones import ConvexCones
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.block_rows import BlockRows, refuse_tangential_restitution
from flexmb.schemes.contact_stack import ContactTask
from flexmb.schemes.frictional import coefficients, laws_after, no_laws
from flexmb.schemes.scheme import ALL_LAWS, Memory, Responses, Scheme, check_choice, check_range
from flexmb.schemes.step_works import StepWorks
from flexmb.state import Array, State, StepReport
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import Instant, Solves, System

ROUNDS = 30
"""Maximum number of additions of closing contacts to the problem."""


@dataclass(frozen=True)
class EulerLinearized(Scheme):
    """Linearized implicit Euler with position stabilization, one contact problem per step (Chrono's DVI scheme).

    Parameters
    ----------
    recovery_speed : float
        Largest speed at which penetrations are corrected, m/s, in [0, 1000]; 0: no correction.
    cones : str
        "coulomb": Coulomb's law; "convex": its convex relaxation, in which sliding contacts separate.
    """

    recovery_speed: float = 0.01
    cones: str = "coulomb"

    name: ClassVar[str] = "euler-linearized"
    any_system: ClassVar[bool] = True
    restitutes: ClassVar[bool] = False
    carries: ClassVar[frozenset[str]] = ALL_LAWS - {"cohesion"}

    def __post_init__(self) -> None:
        check_range(self.name, "recovery_speed", self.recovery_speed, 0.0, 1000.0)
        check_choice("cones", self.cones, ("coulomb", "convex"))

    @property
    def order(self) -> int:
        """Order on smooth motion."""
        return 1

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        """Return a note on convex cones."""
        if self.cones != "convex":
            return ()
        words = (
            "sliding contacts also open, with mu times their slip speed, and have a gap of h mu |v_T| in steady sliding"
        )
        return (f"scheme.cones = 'convex' is a relaxation of Coulomb's law: {words}; 'coulomb' is the law itself",)

    def check_laws(self, system: System) -> None:
        """Raise InputError for restitution, which the step does not have, and for laws it does not carry."""
        super().check_laws(system)
        refuse_tangential_restitution(self.name, system)
        found = np.flatnonzero(system.contacts.e)
        if found.size:
            i = int(found[0])
            message = (
                f"must be 0 with the scheme '{self.name}', which has no restitution; take e.g. moreau-jean or potra"
            )
            where = f"contacts.{system.contacts.labels[i]}"
            raise InputError(message, where=where, key="restitution", value=float(system.contacts.e[i]))

    def prepare(self, system: System, h: float) -> Responses:
        """Return the responses of contacts at the start."""
        here = system.instant(0.0, system.start, system.v0)
        return Responses.of(system.factor(here, 1.0, h, h * h), here.G)

    def start(self, system: System, state: State, h: float, fixed: Responses, solver: ContactSolver) -> Memory:
        """Return the memory: the impulses of the previous step; none yet."""
        impulses = np.zeros((1, system.contacts.nc))
        return Memory(np.zeros((0, system.nv)), impulses, np.zeros((1, 0)), np.zeros(0), **no_laws(system))

    def step(
        self, system: System, state: State, h: float, memory: Memory, fixed: Responses, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_k to t_k + h."""
        here, blocks, t, v = system.instant(state.t, state.q, state.v), system.contacts.blocks, state.t, state.v
        ahead = system.instant(t, system.advance(state.q, h * v), v)
        slip = blocks.slip(here.U_T)
        works = StepWorks(system, coefficients(blocks, slip, memory.laws))
        S = system.factor(here, 1.0, h, h * h)
        R = here.to_axes(ahead.to_space(ahead.p - h * ahead.F.sum(axis=0))) - here.p
        dv, Lam = S.solve_both(-R, -here.joint_rates - here.joint_g / h)
        back = np.maximum(here.g / h, -self.recovery_speed)
        rows, P = self._contacts(system, here, S, v + dv, back, memory, works, solver)
        A, A_J = rows.directions(here), here.G_J.toarray()
        more, answer = S.solve_both(A @ P, np.zeros(system.nj))
        v_1, Lam = v + dv + more, Lam + answer
        end = system.instant(t + h, system.advance(state.q, h * v_1), v_1)
        F = here.to_axes(end.to_space(system.instant(t, end.q, v_1).F.T))
        p_1 = here.to_axes(end.to_space(end.p))
        works.add_forces(h * (v_1 @ F), end.potential - here.potential)
        works.numerical += float(v_1 @ here.p - 0.5 * v_1 @ p_1 - 0.5 * v @ here.p)
        if not system.linear:
            works.numerical += float(v_1 @ (p_1 - here.p - h * F.sum(axis=1) - A @ P - A_J @ Lam))
        given, s = rows.given(here), np.zeros(P.size)
        s[rows.stack.first] = back[rows.which]
        works.add_contacts(rows, P, A.T @ v_1 + given + s, given)
        moved = here.joint_g_t
        works.add_joints(Lam, A_J.T @ v_1 + moved, moved)
        impulses, beside = rows.spread(P)
        after = memory.with_(contacts=impulses[None, :], rows=beside[None, :])
        if blocks.friction[:, 1].any():
            after = after.with_(laws=laws_after(blocks, memory.laws, slip, h, end.g, np.zeros(blocks.nt)))
        return State(t + h, end.q, v_1), after, replace(works.report(), projection=-float(s @ P))

    def _contacts(
        self, system: System, here: Instant, S: Solves, free: Array, back: Array, memory: Memory, works: StepWorks,
        solver: ContactSolver,
    ) -> tuple[BlockRows, Array]:  # fmt: skip
        """Return the rows of the contacts that the motion ``free`` (nv,) would close, and their impulses."""
        blocks, v, P = system.contacts.blocks, free, np.zeros(0)
        closing = np.zeros(blocks.nc, dtype=bool)
        rows, known = BlockRows(blocks, np.flatnonzero(closing), works.mu), (memory.contacts[0], memory.rows[0])
        for _ in range(ROUNDS):
            more = ~closing & (self._normal_rates(here, v, blocks, works.mu) + back < 0.0)
            if not more.any():
                return rows, P
            closing |= more
            rows = BlockRows(blocks, np.flatnonzero(closing), works.mu)
            A = rows.directions(here)
            X, first = S.solve(A), rows.stack.first
            b = A.T @ free + rows.given(here)
            b[first] += back[rows.which]
            guess = np.concatenate(known)[rows.stack.rows]
            P, count = self._solve(system, A.T @ X, b, rows, guess, works, solver, here.t)
            works.iterations += count
            known, v = rows.spread(P), free + X @ P
        raise NotConverged("the closed contacts are not found", time=here.t, step=-1)

    def _normal_rates(self, here: Instant, v: Array, blocks: Blocks, mu: Array) -> Array:
        """Return the quantities that must not fall below the recovery term for a contact to remain open, (nc,)."""
        rates = np.asarray(here.G.T @ v + here.g_t)
        if self.cones == "coulomb" or not blocks.nt:
            return rates
        beside = here.H.T @ v + here.H_t  # K* of the convex law: U_N >= mu |U_T| + roll |omega_T| + spin |omega_N|
        place, owner = np.arange(blocks.nt) - blocks.start[blocks.owner], blocks.owner
        disc = (place >= blocks.slides[owner]).astype(int) + (place >= (blocks.slides + blocks.turns)[owner])
        squares = np.zeros((3, blocks.nc))
        np.add.at(squares, (disc, owner), beside**2)
        return np.asarray(rates - (np.stack([mu, blocks.roll, blocks.spin]) * np.sqrt(squares)).sum(axis=0))

    def _solve(
        self, system: System, W: Array, b: Array, rows: BlockRows, guess: Array, works: StepWorks,
        solver: ContactSolver, t: float,
    ) -> tuple[Array, int]:  # fmt: skip
        """Return the impulses of the rows by the law ``cones``, and the number of iterations."""
        if self.cones == "coulomb":
            return ContactTask(system.contacts, works.mu, solver, t).solve(W, b, rows.stack, guess)
        try:
            return ConvexCones(rows.stack.shape, rows.law).solve(W, b, guess, solver.tolerance)
        except NotConverged as failure:
            failure.time, failure.contact = t, system.contacts.labels[int(rows.which[0])]
            raise

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of (q, h v): that of implicit Euler."""
        v = np.array([-k, 1.0]) / (1.0 + c + k)
        return np.stack([np.array([1.0, 0.0]) + v, v])
