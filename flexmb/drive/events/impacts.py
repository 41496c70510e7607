"""Instantaneous problems: impacts on all closed contacts, ends of accumulations, and which contacts stay closed.

Impact (joints bordered): W = J^T A J with A = M^-1 projected on the joints, J the normals and tangents of all closed
contacts; Newton's or Poisson's law with Coulomb's friction (``schemes.contact_stack``). Energy, exactly:

    dT = P . (U+ + U-) / 2 - g_t . P,      joints: Lam_J . (rates+ + rates-) / 2 - ..., zero unless a drive jumps

Acceleration level (planar friction; s sign of slip), on contacts with g = 0, U = 0:

    0 <= g'' = W lam + G^T A F + bias  perp  lam >= 0      no friction, or slipping: forces along G_N - mu s G_T
    U_T = 0:  lam_T = lam_R - mu lam_N,  lam_L = 2 mu lam_N - lam_R,  g''_T = a+ - a-,
              0 <= a+ perp lam_R >= 0,   0 <= a- perp lam_L >= 0

The latter is solved by Lemke's method in (lam_N, lam_R, a-).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import SimulationError
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.contact_stack import ContactTask, Stack
from flexmb.schemes.solve_contacts import solve_contacts
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_system import mass_factor
from flexmb.state import Array, IntArray, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.protocol import Solves

PAINLEVE = (
    "use moreau-jean or hybrid: friction has no unique answer (Painleve), W_NN - W_NT mu s of the slipping contacts "
    "is not a P-matrix"
)
MOST_MINORS = 8
"""Number of contacts up to which all principal minors are checked."""
TIE = 1e-9
"""Acceleration, relative to the largest one of the problem, up to which a contact without force stays closed."""


class NotUnique(SimulationError):
    """Forces of slipping contacts are not unique (Painleve)."""


@dataclass(frozen=True)
class Jump:
    """A jump of velocities: v after it, impulses of contacts (nc,), of tangents (nt,) and of joints (nj,)."""

    v: Array
    P: Array
    R: Array
    Lam: Array
    iterations: int = 0


class Instantly:
    """Effects of impulses and forces of contacts at an instant of the system, subject to the joints.

    ``free`` is the phase of the system without closed contacts; M, its mass matrix bordered by the joints, is that of
    another instant at the same positions if it is given.
    """

    def __init__(self, free: Phase, here: Any, solver: ContactSolver, M: Solves | None = None) -> None:
        self.free_phase, self.system, self.here, self.solver = free, free.system, here, solver
        self.M = mass_factor(free, here) if M is None else M

    def directions(self, rows: IntArray) -> Array:
        """Return directions of rows over normals and then tangents, (nv, n)."""
        return self.free_phase.directions(self.here, rows)

    def impact(self, contacts: IntArray) -> Jump:
        """Return the jump of an impact on contacts (nk,): all that are closed."""
        system, here = self.system, self.here
        nj, blocks = system.nj, system.contacts.blocks
        rates = np.concatenate([here.U, here.U_T])
        free, Lam_0 = self.M.solve_both(np.zeros(system.nv), -here.joint_rates) if nj else (np.zeros(system.nv), None)
        stack = Stack.of(blocks, contacts)
        J = self.directions(stack.rows)
        X = self.M.solve(J) if contacts.size else np.zeros((system.nv, 0))
        W, before = J.T @ X, rates[stack.rows]
        b = before + J.T @ free
        P, R = np.zeros(blocks.nc), np.zeros(blocks.nt)
        count = 0
        z = np.zeros(stack.rows.size)
        if contacts.size:
            if blocks.normals_only:
                e = system.contacts.e[contacts]
                z, count = solve_contacts(W, b + e * before, contacts, system, self.solver, here.t)
            else:
                task = ContactTask(system.contacts, np.ascontiguousarray(blocks.friction[:, 0]), self.solver, here.t)
                z, count = task.impact(W, b, before, stack, np.zeros(z.size))
            normal = stack.rows < blocks.nc
            P[stack.rows[normal]] = z[normal]
            R[stack.rows[~normal] - blocks.nc] = z[~normal]
        dv, Lam = self.M.solve_both(J @ z, np.zeros(nj))
        return Jump(here.v + free + dv, P, R, Lam if Lam_0 is None else Lam + Lam_0, count)

    def close(self, contacts: IntArray) -> Jump:
        """Return the jump that ends the relative velocities of contacts at once, least in the kinetic energy norm."""
        system, here = self.system, self.here
        P = np.zeros(system.contacts.nc)
        J = self.directions(contacts)
        X = self.M.solve(J)
        P[contacts] = np.linalg.lstsq(J.T @ X, -here.U[contacts], rcond=1e-11)[0]
        dv, Lam = self.M.solve_both(J @ P[contacts], np.zeros(system.nj))
        return Jump(here.v + dv, P, np.zeros(system.contacts.blocks.nt), Lam)

    def bends(self, contacts: IntArray, held: IntArray) -> Array:
        """Return the second derivatives of the gaps of contacts, with others kept closed by their forces, (nk,)."""
        if not contacts.size:
            return np.zeros(0)
        a = self.free
        if held.size:
            J = self.directions(held)
            X = self.M.solve(J)
            b = J.T @ a + self.here.bias[held]
            lam, _ = solve_contacts(J.T @ X, b, held, self.system, self.solver, self.here.t)
            a = a + X @ lam
        return np.asarray(self.directions(contacts).T @ a + self.here.bias[contacts])

    def depend(self, contacts: IntArray) -> bool:
        """Return whether forces of contacts are not unique: their rows depend on each other, or on the joints."""
        if contacts.size < 2 and not (contacts.size and self.system.nj):
            return False
        J = self.directions(contacts)
        W = J.T @ self.M.solve(J)
        own = np.sqrt(np.maximum(np.sum(J * J, axis=0) * np.abs(W).max(), np.finfo(float).tiny))
        d = 1.0 / np.where(np.diag(W) > 1e-11 * np.abs(W).max(), np.sqrt(np.abs(np.diag(W))), own)
        values = np.linalg.svd(d[:, None] * W * d, compute_uv=False)
        return bool(values[-1] < 1e-11 * values[0])

    @property
    def free(self) -> Array:
        """Accelerations without contacts, (nv,)."""
        here = self.here
        return np.asarray(self.M.solve_both(here.F.sum(axis=0) - here.momentum_rate, -here.joint_bias)[0])

    def stay(self, contacts: IntArray, slip: Array, tangent_bias: Array) -> tuple[Array, Array, Array]:
        """Solve the problem at acceleration level.

        Parameters
        ----------
        contacts : (nk,) int array
            Those with closed gaps at rest.
        slip : (nk,) array
            Signs of their slip velocities; 0 where there is none.
        tangent_bias : (nt,) array

        Returns
        -------
        stays : (nk,) bool array
        slip : (nk,) array
            Signs of slip from now on; 0 for sticking or frictionless contacts.
        lam : (nk,) array
            Normal forces.
        """
        blocks = self.system.contacts.blocks
        mu = blocks.friction[contacts, 0] * (blocks.slides[contacts] > 0)
        stuck = np.flatnonzero((mu > 0.0) & (slip == 0.0))
        N = self.directions(contacts)
        a, bias = self.free, self.here.bias[contacts]
        push = self.pushes(contacts, slip)
        X = self.M.solve(push) if contacts.size else push
        b = N.T @ a + bias
        require_unique(self.system, self.here.t, contacts, N.T @ X, (slip != 0.0) & (mu > 0.0))
        if not stuck.size:
            W = N.T @ X
            symmetric = not (slip != 0.0).any()
            solver = self.solver if symmetric else ContactSolver("lemke")
            lam, _ = solve_contacts(W, b, contacts, self.system, solver, self.here.t)
            bend = W @ lam + b
            return self._kept(lam, bend, b), np.where(mu > 0.0, slip, 0.0), lam
        T = self.directions(self._tangent(contacts[stuck]))
        X_T = self.M.solve(T)
        b_T = T.T @ a + tangent_bias[self._tangent(contacts[stuck]) - blocks.nc]
        n, m, own = contacts.size, stuck.size, mu[stuck]
        # lam_T = lam_R - mu lam_N of those that may stick
        of_N = np.zeros((m, n))
        of_N[np.arange(m), stuck] = own
        W_NN, W_NT, W_TN, W_TT = N.T @ X, N.T @ X_T, T.T @ X, T.T @ X_T
        eye, zero = np.eye(m), np.zeros((m, m))
        A = np.block(
            [
                [W_NN - W_NT @ of_N, W_NT, np.zeros((n, m))],
                [W_TN - W_TT @ of_N, W_TT, eye],
                [2.0 * of_N, -eye, zero],
            ]
        )
        whole = np.concatenate([b, b_T, np.zeros(m)])
        z = ContactSolver("lemke").solve(ContactProblem(W=A, b=whole)).z
        w = A @ z + whole
        lam, a_T = z[:n], w[n : n + m] - z[n + m :]
        out = np.where(mu > 0.0, slip, 0.0)
        size = float(np.abs(whole).max(initial=0.0)) or 1.0
        out[stuck] = np.where(np.abs(a_T) > TIE * size, np.sign(a_T), 0.0)
        return self._kept(lam, w[:n], b), out, lam

    def pushes(self, contacts: IntArray, slip: Array) -> Array:
        """Return the directions of the forces of contacts, G_N - mu s G_T where they slip with the sign s, (nv, nk)."""
        blocks = self.system.contacts.blocks
        mu = blocks.friction[contacts, 0] * (blocks.slides[contacts] > 0)
        push = self.directions(contacts)
        for k in np.flatnonzero((mu > 0.0) & (slip != 0.0)):
            push[:, k] -= mu[k] * slip[k] * self.directions(self._tangent(contacts[[k]]))[:, 0]
        return push

    def _tangent(self, contacts: IntArray) -> IntArray:
        """Return the rows of the tangents of contacts, over normals and then tangents."""
        blocks = self.system.contacts.blocks
        return np.asarray(blocks.nc + blocks.start[:-1][contacts])

    @staticmethod
    def _kept(lam: Array, bend: Array, b: Array) -> Array:
        """Return which contacts stay closed: those with force, and those within the tolerance."""
        size = float(np.abs(b).max(initial=0.0)) or 1.0
        return np.asarray((lam > 0.0) | (bend <= TIE * size))

    def _along(self, v: Array) -> tuple[Array, Array]:
        """Return the rates of the joints without their drives, and those of normals and tangents, at velocities v."""
        here, nj = self.here, self.system.nj
        surface = np.concatenate([here.g_t, here.H_t])
        if self.free_phase.few:
            rates = here.dense_directions.T @ v
            return rates[:nj], rates[nj:] + surface
        return np.asarray(here.G_J.T @ v), np.concatenate([here.G.T @ v, here.H.T @ v]) + surface

    def report(self, jump: Jump, drives: bool = False) -> StepReport:
        """Return the works of a jump; ``drives`` is true if the speed of a driven joint has jumped."""
        system, here = self.system, self.here
        mean = 0.5 * (here.v + jump.v)
        of_joints, U = self._along(mean)
        nc, blocks = system.contacts.nc, system.contacts.blocks
        surface = -blocks.by_contact(np.concatenate([here.g_t * jump.P, here.H_t * jump.R]))
        drive = float(surface.sum())
        joints = float(of_joints @ jump.Lam) if system.nj else 0.0
        sliding = np.bincount(blocks.owner, weights=U[nc:] * jump.R, minlength=nc) if blocks.nt else np.zeros(0)
        own = 0.0
        if drives:
            drive += joints
        elif system.nj:  # work of a drive, g_t . Lam; the rest is due to constraint violations
            given = -float(here.joint_g_t @ jump.Lam)
            drive, own = drive + given, joints - given
        return StepReport(
            P=jump.P,
            external=0.0,
            drive=drive,
            damping=0.0,
            contact=U[:nc] * jump.P,
            numerical=own,
            iterations=jump.iterations,
            Lam=jump.Lam,
            R=jump.R,
            sliding=np.asarray(sliding, dtype=np.float64),
            surface=surface,
        )


def require_unique(
    system: LinearSystem | MultibodySystem, t: float, contacts: IntArray, W: Array, slides: NDArray[np.bool_]
) -> None:
    """Raise NotUnique if slip has no unique solution (Painleve): W_NN - W_NT mu s is not a P-matrix."""
    if not slides.any():
        return
    bad = np.flatnonzero(slides & (np.diag(W) <= 0.0))
    sizes = range(2, contacts.size + 1) if contacts.size <= MOST_MINORS else ()
    if not bad.size and any(
        np.linalg.det(W[np.ix_(rows, rows)]) < -1e-14 * float(np.prod(np.abs(np.diag(W))[list(rows)]))
        for n in sizes
        for rows in combinations(range(contacts.size), n)
    ):
        bad = np.flatnonzero(slides)
    if bad.size:
        label = system.contacts.labels[int(contacts[bad[0]])]
        raise NotUnique(PAINLEVE, time=t, step=-1, contact=label)
