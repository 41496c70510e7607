"""Stable equilibrium of a system under its loads at one time, with joints, and contacts without friction.

    f(q) + G_J(q) lam + G_N(q) P = 0,    g_J(q) = 0,    0 <= g_N(q)  perpendicular to  P >= 0

by steps of Levenberg and Marquardt with the inertia as metric: each minimizes

    dq . (K + mu M) dq / 2 - f . dq    subject to    G_J^T dq = 0,    g_N + G_N^T dq >= 0

and is projected onto the joints. It is accepted if the work of the loads is close to that of this model, so the energy
decreases in every step; mu decreases after good steps, which become Newton steps, and increases after bad ones. From an
unstable position the search continues along its unstable motion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmb.analysis.linearized import RANK
from flexmb.errors import InputError
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

ITERATIONS = 600
TOLERANCE = 1e-10
"""Residual force, over the largest force, that counts as zero."""
ROUNDING = 4.0 * np.finfo(np.float64).eps
"""Tolerance of positions, over the size of the system."""
FAR = 0.2
"""Largest rotation (rad), or displacement over the size of the system, of one step."""
LEAST = 1e-6
"""Smallest mu, over its initial value."""
GOOD, FAIR = 0.75, 0.1
"""Work done, over that of the model, above which mu falls, and a step is accepted."""
NEAR = 1e5
"""Residual, over its tolerance, below which rounding hides the work: there the residual itself must fall."""
RUNAWAY = 50.0
"""Distance, relative to the size of the system, at which the motion counts as unbounded."""
DENSE_LIMIT = 1200
"""Number of unknowns up to which the stability of the equilibrium is examined."""
UNSTABLE, ROUND_OFF = 1e-9, 1e-12
"""Negative stiffness per unit mass that counts: over that of the weights and sizes, and over the largest."""
ESCAPES = 8

AnySystem = LinearSystem | MultibodySystem


class Rest(NamedTuple):
    """Equilibrium: positions ``q`` (nq,), forces ``lam`` (nj,) of the joints' rows and ``normal`` (nc,) of contacts.

    ``normal`` is empty if contacts are ignored. ``stable``: whether every small motion that joints and closed contacts
    allow needs energy; None if the system is too large for this check. ``iterations``: number of steps.
    """

    q: Array
    lam: Array
    iterations: int
    normal: Array
    stable: bool | None


class _Here(NamedTuple):
    """Quantities at a position: forces without joints and contacts, directions, violations and gaps."""

    q: Array
    f: Array
    G: sparse.csc_array
    joint_g: Array
    N: sparse.csc_array
    gap: Array


class _Step(NamedTuple):
    """A step with its multipliers."""

    dq: Array
    lam: Array
    P: Array


def equilibrium(system: AnySystem, t: float = 0.0, *, contacts: bool = True) -> Rest:
    """Return the stable equilibrium that is reached from the start, with the loads at time t, s.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
    t : float
        s.
    contacts : bool
        Whether contacts act, without friction and adhesion; otherwise they are ignored.

    Raises
    ------
    InputError
        If the motion is unbounded because the system is unsupported, or if no equilibrium is found.
    """
    search = _Search(system, t, contacts)
    for escape in range(ESCAPES + 1):
        here, lam, P = search.descend()
        way = search.unstable_motion(here, lam, P)
        if way is None or not way.any() or escape == ESCAPES:
            break
        if not search.leave(here, way):
            break
    stable = None if way is None else not way.any()
    return Rest(here.q, lam, search.count, P, stable)


class _Search:
    """The search for one equilibrium."""

    def __init__(self, system: AnySystem, t: float, contacts: bool) -> None:
        self.system, self.t, self.contacts, self.count = system, t, contacts, 0
        self.size = max(float(np.ptp(system.layout.points, axis=0).max(initial=0.0)), system.extent, 1e-12)
        start = np.array(system.q0, dtype=np.float64)
        self.here = self.look(start)
        self.M = self.tangents(self.here, np.zeros(system.nj))[0]
        self.metric = float(self.M.diagonal().max(initial=0.0)) or 1.0
        self.here = self.projected(start) or self.here
        self.scale = max(float(np.abs(self.here.f).max(initial=0.0)), 1e-12)

    def look(self, q: Array) -> _Here:
        """Return the quantities at q."""
        at = self.system.instant(self.t, q, np.zeros(self.system.nv))
        f = np.asarray(at.F.sum(axis=0))
        N, gap = (at.G, at.g) if self.contacts else (sparse.csc_array((f.size, 0)), np.zeros(0))
        return _Here(q, f, sparse.csc_array(at.G_J), np.array(at.joint_g), sparse.csc_array(N), np.array(gap))

    def tangents(self, here: _Here, lam: Array) -> tuple[sparse.csc_array, sparse.csc_array]:
        """Return M and K = -d(f + G lam)/dq."""
        system, rest = self.system, np.zeros(self.system.nv)
        if isinstance(system, MultibodySystem):
            M, _, K = system.tangents(self.t, here.q, rest, lam)
        else:
            M, _, K = system.matrices(None)
        return sparse.csc_array(M), sparse.csc_array(K)

    def projected(self, q: Array) -> _Here | None:
        """Return the position on the joints nearest to q in the mass metric; None if there is none nearby."""
        here = self.look(q)
        for _ in range(12):
            if np.abs(here.joint_g).max(initial=0.0) <= ROUNDING * self.size:
                return here
            nothing = here._replace(f=np.zeros_like(here.f), N=here.N[:, :0], gap=here.gap[:0])
            step = _solved(self.M, nothing)
            if step is None or not np.isfinite(step.dq).all():
                return None
            before = float(np.abs(here.joint_g).max())
            here = self.look(self.system.advance(here.q, step.dq))
            if float(np.abs(here.joint_g).max()) > 0.5 * before and before < 1e-9 * self.size:
                return here  # round-off
        return here if np.abs(here.joint_g).max(initial=0.0) < 1e-9 * self.size else None

    def descend(self) -> tuple[_Here, Array, Array]:
        """Decrease the energy until all forces are balanced; return the position and the multipliers."""
        here, system = self.here, self.system
        held = _solved(self.M, here)  # accelerations at rest, and the resulting forces
        if held is None:
            raise InputError("the mass matrix is singular, or joints are inconsistent", where="bodies")
        lam, P = held.lam, held.P
        first = max(float(np.abs(held.dq).max(initial=0.0)) / (FAR * self.size), self.scale / (self.size * self.metric))
        mu = 1e-3 * first
        M, K = self.tangents(here, lam)
        left = self.left(here, lam, P, K)
        while left > 1.0 and self.count < ITERATIONS:
            self.count += 1
            step = _solved(sparse.csc_array(K + mu * M), here)
            if step is None or not np.isfinite(step.dq).all():
                mu = max(4.0 * mu, LEAST * first)
                continue
            longest = float(np.abs(step.dq).max(initial=0.0)) / (FAR * max(1.0, self.size))
            dq = step.dq / max(1.0, longest)
            there = self.projected(system.advance(here.q, dq))
            if there is None:
                mu = max(4.0 * mu, LEAST * first)
                continue
            after = self.left(there, step.lam, step.P, K)
            curved = float(dq @ (K @ dq + mu * (M @ dq))) > 0.0  # towards a minimum, not a saddle
            good = self.quality(here, there, dq, K, step)
            if good < FAIR and not (curved and after < 0.5 * left < NEAR):
                mu = max(4.0 * mu, LEAST * first)
                continue
            if longest <= 1.0 and good > GOOD:
                mu = max(0.2 * mu, LEAST * first)
            here, lam, P = there, step.lam, step.P
            M, K = self.tangents(here, lam)
            left = self.left(here, lam, P, K)
            self.check_runaway(here)
        if left > 1.0:
            force = here.f + here.G @ lam + here.N @ P
            worst = int(np.argmax(np.abs(force)))
            message = (
                f"no equilibrium was found in {ITERATIONS} steps: {self.named(worst)} still has {force[worst]:.3g}"
            )
            raise InputError(f"{message} (N or N m); a run with damping may find one", where="bodies")
        return here, lam, P

    def quality(self, here: _Here, there: _Here, dq: Array, K: sparse.csc_array, step: _Step) -> float:
        """Return the decrease of energy, relative to that of the model; violated contacts add a penalty."""
        penalty = 2.0 * float(np.abs(step.P).max(initial=0.0))
        inside = penalty * (np.maximum(-here.gap, 0.0).sum() - np.maximum(-there.gap, 0.0).sum())
        model = float((here.f + here.G @ step.lam) @ dq - 0.5 * dq @ (K @ dq))
        model += penalty * float(np.maximum(-here.gap, 0.0).sum())
        middle = self.look(self.system.advance(here.q, dq))
        work = 0.5 * float((here.f + middle.f) @ dq)
        work += self.work_of_projection(middle, there)
        return (work + inside) / model if model > 0.0 else -1.0

    def work_of_projection(self, middle: _Here, there: _Here) -> float:
        """Return the work of the forces between the end of a step and its projection onto the joints."""
        if not there.joint_g.size:
            return 0.0
        step = _solved(self.M, middle._replace(f=np.zeros_like(middle.f), N=middle.N[:, :0], gap=middle.gap[:0]))
        return 0.0 if step is None else 0.5 * float((middle.f + there.f) @ step.dq)

    def left(self, here: _Here, lam: Array, P: Array, K: sparse.csc_array) -> float:
        """Return the residual of the equilibrium, relative to its tolerance."""
        force = here.f + here.G @ lam + here.N @ P
        scale = max(self.scale, float(np.abs(P).max(initial=0.0)))
        noise = ROUNDING * float(np.abs(K.diagonal()).max(initial=0.0)) * self.size / scale
        open_ = np.where(P > 0.0, np.abs(here.gap), np.maximum(-here.gap, 0.0))
        return max(
            float(np.abs(force).max(initial=0.0)) / scale / max(TOLERANCE, noise),
            float(np.abs(here.joint_g).max(initial=0.0)) / self.size / TOLERANCE,
            float(open_.max(initial=0.0)) / self.size / TOLERANCE,
        )

    def check_runaway(self, here: _Here) -> None:
        """Raise if the motion is unbounded because the system is unsupported."""
        layout = self.system.layout
        gone = np.abs(layout.displacements(here.q[None])[0]).max(axis=1, initial=0.0)
        far = int(np.argmax(gone))
        if gone[far] > RUNAWAY * self.size:
            body = layout.bodies[int(layout.body_of_point[far])]
            words = (
                f"no support or joint holds '{body}': its motion under the loads is unbounded, so there is no "
                "equilibrium"
            )
            raise InputError(f"{words}; add supports, joints, springs or stops", where="bodies", key=body)

    def named(self, unknown: int) -> str:
        names = self.system.dof_names
        return f"'{names[unknown]}'" if names else f"unknown {unknown}"

    def unstable_motion(self, here: _Here, lam: Array, P: Array) -> Array | None:
        """Return the motion of least stiffness if that is negative, zeros if there is none, None if unknown.

        It satisfies joints and closed contacts; the curvature of contacts is neglected.
        """
        if here.f.size > DENSE_LIMIT:
            return None
        M, K = (A.toarray() for A in self.tangents(here, lam))
        least = 1e-9 * max(self.scale, float(P.max(initial=0.0)))
        closed = least < P
        held = sparse.hstack([here.G, here.N[:, closed]]).toarray()
        Z = linalg.null_space(held.T, rcond=RANK) if held.shape[1] else np.eye(here.f.size)
        if not Z.shape[1]:
            return np.zeros(here.f.size)
        values, Y = linalg.eigh(Z.T @ (0.5 * (K + K.T)) @ Z, Z.T @ M @ Z)
        negative = max(ROUND_OFF * float(np.abs(values).max()), UNSTABLE * self.scale / (self.size * self.metric))
        if values[0] > -negative:
            return np.zeros(here.f.size)
        return np.asarray(Z @ Y[:, 0])

    def leave(self, here: _Here, way: Array) -> bool:
        """Restart beside an unstable position, on the side admissible for contacts; False if there is none."""
        way = way * (0.5 * FAR * min(1.0, self.size) / float(np.abs(way).max()))
        sides = [self.projected(self.system.advance(here.q, sign * way)) for sign in (1.0, -1.0)]
        able = [side for side in sides if side is not None]
        if able:
            self.here = max(able, key=lambda side: float(side.gap.min(initial=0.0)))
        return bool(able)


def _solved(S: sparse.csc_array, here: _Here) -> _Step | None:
    """Return the step for the matrix S; None if S is singular or the step is not a minimum."""
    lu = _bordered(S, here.G)
    if lu is None:
        return None
    nv = here.f.size
    both = lu.solve(np.concatenate([here.f, -here.joint_g]))
    P = np.zeros(here.gap.size)
    if P.size:
        N = here.N.toarray()
        answer = lu.solve(np.vstack([N, np.zeros((here.G.shape[1], P.size))]))
        found = _contact_forces(N.T @ answer[:nv], here.gap + N.T @ both[:nv])
        if found is None:
            return None
        P = found
        both = both + answer @ P
    return _Step(both[:nv], both[nv:], P)


def _bordered(S: sparse.csc_array, G: sparse.csc_array) -> SuperLU | None:
    """Factor S bordered by joints; a small compliance of the joints distributes forces among redundant ones."""
    A = S
    if G.shape[1]:
        soft = 1e-11 * float(abs(G).max() ** 2 / max(np.abs(S.diagonal()).max(), 1e-300))
        blocks: Any = [[S, -G], [G.T, soft * sparse.eye_array(G.shape[1])]]
        A = sparse.csc_array(sparse.block_array(blocks))
    try:
        return splu(A)
    except RuntimeError:  # singular
        return None


def _contact_forces(W: Array, b: Array) -> Array | None:
    """Return P with 0 <= W P + b perpendicular to P >= 0, by the active sets of Lawson and Hanson; None if W < 0."""
    if (b >= 0.0).all():
        return np.zeros(b.size)
    W = 0.5 * (W + W.T)
    diagonal = W.diagonal()
    if not (diagonal > 0.0).all():
        return None
    try:
        L = linalg.cholesky(W + 1e-13 * np.diag(diagonal), lower=True)
    except linalg.LinAlgError:
        return None
    return np.asarray(optimize.nnls(L.T, linalg.solve_triangular(L, -b, lower=True))[0])
