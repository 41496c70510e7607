"""Contacts of one step over the protocol: active contacts, their impulses by their laws, their works and states.

Shared by the interpreted schemes. ``StepContacts.begin`` looks at the start of a step; ``solve`` finds the impulses for
a state at its end; ``works`` and ``remember`` say what they did. Impulses and rates are vectors over the normals and
then the rows beside them, (nc + nt,); impulses have two parts:

    z in the cones of the laws,      c of bonds (``schemes.bonds``)

For contacts that are nothing but normals everything is as without friction, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.bonds import Bonds
from flexmb.schemes.contact_stack import ContactTask, Stack
from flexmb.schemes.law_state import coefficients as coefficients
from flexmb.schemes.law_state import laws_after as laws_after
from flexmb.schemes.law_state import no_laws as no_laws
from flexmb.schemes.scheme import Memory, StepFixed
from flexmb.schemes.solve_contacts import solve_contacts, solve_velocity
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import Instant, Solves, System


def directions(at: Instant) -> sparse.csc_array:
    """Return the force directions of all contact rows: normals, then the rows beside them, (nv, nc + nt)."""
    return at.G if not at.H.shape[1] else sparse.csc_array(sparse.hstack([at.G, at.H], format="csc"))


def surface_rates(at: Instant) -> Array:
    """Return the contributions of prescribed motions to the rates of all rows, (nc + nt,)."""
    return np.concatenate([at.g_t, at.H_t])


@dataclass(frozen=True, eq=False)
class StepContacts:
    """The contacts of one step.

    Parameters
    ----------
    system : System
    start : Instant
        At its start.
    active : (na,) int array
        Contacts that may have impulses.
    task : ContactTask
    stack : Stack
        The active contacts as blocks.
    bonds : Bonds
        Cohesion.
    rows : (n,) int array
        Rows of the active contacts, as in ``stack``, and then those of other bonds.
    memory : Memory
    fixed : object
        What the scheme prepared.
    h : float
    """

    system: System
    start: Instant
    active: IntArray
    task: ContactTask
    stack: Stack
    bonds: Bonds
    rows: IntArray
    memory: Memory
    fixed: Any
    h: float

    @classmethod
    def begin(
        cls,
        system: System,
        start: Instant,
        active: IntArray,
        memory: Memory,
        fixed: Any,
        solver: ContactSolver,
        h: float,
        t: float,
        weight: float,
        g: Array | None = None,
    ) -> StepContacts:
        """Return the contacts of a step from ``start`` to time t.

        ``weight`` is that of its end in displacements, ``g`` are the gaps at its start where ``start`` is not there.
        """
        blocks, none = system.contacts.blocks, np.zeros(0)
        stack, mu, bonds = Stack.of(blocks, active), np.zeros(blocks.nc), Bonds(active[:0], none, none)
        if not blocks.normals_only:
            mu = coefficients(blocks, blocks.slip(start.U_T), memory.laws)
            bonds = Bonds.of(blocks, memory.laws, h, weight, start.g if g is None else g, start.U, start.U_T)
        rows = np.concatenate([stack.rows, np.setdiff1d(bonds.rows, stack.rows)])
        task = ContactTask(system.contacts, mu, solver, t)
        return cls(system, start, active, task, stack, bonds, rows, memory, fixed, h)

    @property
    def blocks(self) -> Blocks:
        """Rows and laws."""
        return self.system.contacts.blocks

    @property
    def none(self) -> Array:
        """No impulses, (nc + nt,)."""
        return np.zeros(self.blocks.nc + self.blocks.nt)

    @property
    def busy(self) -> bool:
        """Whether there are contacts to solve for."""
        return bool(self.rows.size)

    def solve(
        self, end: Instant, S: Solves, rates: Array, z: Array, c: Array, W: Array | None = None
    ) -> tuple[Array, Array, int]:
        """Return the impulses by the laws and those of bonds, (nc + nt,) each, and the iterations taken.

        Parameters
        ----------
        end : Instant
            Where the directions are those of the impulses.
        S : Solves
            Velocities per impulse.
        rates : (nc + nt,) array
            Rates of all rows at the end, with the impulses z + c.
        z, c : (nc + nt,) arrays
        W : (n, n) array, optional
            The Delassus matrix of ``rows``, where it is known.
        """
        if self.blocks.normals_only:
            P, count = self._normals(end, S, rates, z, W)
            return P, c, count
        rows, own = self.rows, slice(self.stack.rows.size)
        W = self._delassus(end, S) if W is None else W
        u = rates[rows] - W @ (z + c)[rows]
        bonded = self.bonds.rows.size > 0
        if bonded:
            at = np.argsort(rows)[np.searchsorted(np.sort(rows), self.bonds.rows)]
            W, u = self.bonds.seen(W, u, at)
        new, pull, count = self.none, self.none, 0
        if self.active.size:
            before = np.concatenate([end.velocity_before(self.start), end.H.T @ self.start.v + self.start.H_t])
            guess = z if z.any() else np.concatenate([self.memory.contacts[0], self.memory.rows[0]])
            a = self.stack.rows
            new[a], count = self.task.impact(W[own, own], u[own], before[a], self.stack, guess[a])
        if bonded:
            pull[self.bonds.rows] = self.bonds.impulses((u + W @ new[rows])[at])
        return new, pull, count

    def _delassus(self, end: Instant, S: Solves) -> Array:
        """Return the Delassus matrix of ``rows``."""
        rows = self.rows
        if isinstance(self.fixed, StepFixed):
            return self.fixed.W_rows[np.ix_(rows, rows)]
        J = directions(end)[:, rows]
        return delassus(S.solve, sparse.csc_array(J))

    def _normals(self, end: Instant, S: Solves, rates: Array, z: Array, W: Array | None) -> tuple[Array, int]:
        """Solve for contacts with normals only."""
        active, task, system = self.active, self.task, self.system
        b = rates + system.contacts.e * end.velocity_before(self.start)
        if isinstance(self.fixed, StepFixed):  # constant system: use the prepared data
            return solve_velocity(self.fixed, b, active, self.memory.contacts[0], task.solver, task.t)
        P, W = self.none, delassus(S.solve, end.G[:, active]) if W is None else W
        P[active], count = solve_contacts(W, b[active] - W @ z[active], active, system, task.solver, task.t)
        return P, count

    def works(self, U: Array, z: Array, c: Array, surfaces: Array) -> dict[str, Any]:
        """Return the impulses and works of a report, from the mean rates U and the impulses of laws and bonds.

        ``surfaces`` is the part of U that prescribed surfaces have.

        All are (nc + nt,); contacts that are nothing but normals have only normal works.
        """
        nc, blocks = self.blocks.nc, self.blocks
        work, all_ = U * z, z + c
        found = {"P": all_[:nc], "contact": work[:nc], "surface": -blocks.by_contact(surfaces * all_)}
        if blocks.normals_only:
            return found
        beside, tangent, none = work[nc:], blocks.tangent, np.zeros(nc)
        return found | {
            "mu": self.task.mu,
            "R": all_[nc:],
            "bonds": c,
            "sliding": blocks.by_contact(np.concatenate([none, np.where(tangent, beside, 0.0)])),
            "rolling": blocks.by_contact(np.concatenate([none, np.where(tangent, 0.0, beside)])),
            "cohesion": blocks.by_contact(U * c),
        }

    def remember(self, z: Array, U: Array, end: Instant) -> dict[str, Array]:
        """Return the arrays of ``Memory`` after the step: impulses by the laws, and the state of the laws.

        Parameters
        ----------
        z : (nc + nt,) array
        U : (nc + nt,) array
            Mean rates over the step.
        end : Instant
        """
        nc, blocks = self.blocks.nc, self.blocks
        found = {"contacts": z[None, :nc], "rows": z[None, nc:]}
        if blocks.normals_only:
            return found
        laws = laws_after(blocks, self.memory.laws, blocks.slip(self.start.U_T), self.h, end.g, self.h * U[nc:])
        return found | {"laws": laws}
