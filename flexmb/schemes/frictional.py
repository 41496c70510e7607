"""Contacts of one step over the protocol: which are active, their impulses by their laws, their works and states.

Shared by the interpreted schemes. ``StepContacts.begin`` looks at the start of a step; ``solve`` finds the impulses for
a state at its end; ``works`` and ``laws_after`` say what they did. Impulses and rates are vectors over the normals and
then the rows beside them, (nc + nt,); the impulses z have two parts:

    z = z_law + c,    c = -h beta^2 (C_N g, C_T u_T) in the middle of the step (cohesion),    z_law in the cones

For contacts that are nothing but normals everything is as without friction, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.kernels.friction_law import friction_coefficient, state_after
from flexmb.kernels.law_codes import BETA, STATES, THETA, U_1
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.contact_stack import ContactTask, Stack
from flexmb.schemes.scheme import Memory, StepFixed, solve_contacts, solve_velocity
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import Instant, Solves, System


def directions(at: Instant) -> sparse.csc_array:
    """Return the force directions of all rows of contacts: normals, then the rows beside them, (nv, nc + nt)."""
    return at.G if not at.H.shape[1] else sparse.csc_array(sparse.hstack([at.G, at.H], format="csc"))


def surface_rates(at: Instant) -> Array:
    """Return what prescribed motions add to the rates of all rows, (nc + nt,)."""
    return np.concatenate([at.g_t, at.H_t])


def no_laws(system: System) -> dict[str, Array]:
    """Return the arrays of ``Memory`` for the rows beside the normals and the state of the laws, at the start."""
    blocks = system.contacts.blocks
    laws = np.zeros((0 if blocks.normals_only else STATES, blocks.nc))
    if not blocks.normals_only:
        laws[THETA], laws[BETA] = blocks.friction[:, 6], blocks.cohesion[:, 4]
    return {"rows": np.zeros((1, blocks.nt)), "laws": laws}


def coefficients(blocks: Blocks, slip: Array, laws: Array) -> Array:
    """Return mu of each contact in a step, (nc,), from slip speeds (nc,) at its start and the state of the laws."""
    if not blocks.friction[:, 1].any():
        return blocks.friction[:, 0].copy()
    numbers = zip(blocks.friction, slip, laws[THETA], strict=True)
    return np.array([friction_coefficient(row, float(V), float(state)) for row, V, state in numbers])


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
    bond : (nc + nt,) array
        Impulses of cohesion.
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
    bond: Array
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
        ahead: float,
    ) -> StepContacts:
        """Return the contacts of a step from ``start`` to time t; its middle is ``ahead`` of ``start``, s."""
        blocks = system.contacts.blocks
        if blocks.normals_only:
            mu = bond = np.zeros(blocks.nc)
        else:
            mu = coefficients(blocks, blocks.slip(start.U_T), memory.laws)
            bond = bonds(blocks, start, memory.laws, h, ahead)
        task = ContactTask(system.contacts, mu, solver, t)
        return cls(system, start, active, task, Stack.of(blocks, active), bond, memory, fixed, h)

    @property
    def blocks(self) -> Blocks:
        """Rows and laws."""
        return self.system.contacts.blocks

    @property
    def none(self) -> Array:
        """No impulses, (nc + nt,)."""
        return np.zeros(self.bond.size)

    def solve(self, end: Instant, S: Solves, rates: Array, z: Array, W: Array | None = None) -> tuple[Array, int]:
        """Return the impulses by the laws, (nc + nt,), and the iterations taken.

        Parameters
        ----------
        end : Instant
            Where the directions are those of the impulses.
        S : Solves
            Velocities per impulse.
        rates : (nc + nt,) array
            Rates of all rows at the end, with the impulses z.
        z : (nc + nt,) array
        W : (n, n) array, optional
            The Delassus matrix of the rows of ``stack``, where it is known.
        """
        if self.blocks.normals_only:
            return self._normals(end, S, rates, z, W)
        rows = self.stack.rows
        W = self._delassus(end, S) if W is None else W
        before = np.concatenate([end.velocity_before(self.start), end.H.T @ self.start.v + self.start.H_t])[rows]
        guess = z if z.any() else np.concatenate([self.memory.contacts[0], self.memory.rows[0]])
        out = self.none
        out[rows], count = self.task.impact(W, rates[rows] - W @ z[rows], before, self.stack, guess[rows])
        return out, count

    def _delassus(self, end: Instant, S: Solves) -> Array:
        """Return the Delassus matrix of the active rows."""
        rows = self.stack.rows
        if isinstance(self.fixed, StepFixed):
            return self.fixed.W_rows[np.ix_(rows, rows)]
        J = directions(end)[:, rows]
        return delassus(S.solve, sparse.csc_array(J))

    def _normals(self, end: Instant, S: Solves, rates: Array, z: Array, W: Array | None) -> tuple[Array, int]:
        """Solve for contacts that are nothing but normals."""
        active, task, system = self.active, self.task, self.system
        b = rates + system.contacts.e * end.velocity_before(self.start)
        if isinstance(self.fixed, StepFixed):  # nothing changes: what was prepared holds
            return solve_velocity(self.fixed, b, active, self.memory.contacts[0], task.solver, task.t)
        P, W = self.none, delassus(S.solve, end.G[:, active]) if W is None else W
        P[active], count = solve_contacts(W, b[active] - W @ z[active], active, system, task.solver, task.t)
        return P, count

    def works(self, U: Array, z: Array) -> dict[str, Any]:
        """Return the impulses and works of a report, from the mean rates U and the impulses z by the laws.

        Both are (nc + nt,); contacts that are nothing but normals have only normal works.
        """
        nc, blocks = self.blocks.nc, self.blocks
        work, all_ = U * z, z + self.bond
        found = {"P": all_[:nc], "contact": work[:nc]}
        if blocks.normals_only:
            return found
        bonds_work = U * self.bond
        beside, tangent = work[nc:], blocks.tangent
        return found | {
            "R": all_[nc:],
            "sliding": _by_contact(blocks, np.where(tangent, beside, 0.0)),
            "rolling": _by_contact(blocks, np.where(tangent, 0.0, beside)),
            "cohesion": bonds_work[:nc] + _by_contact(blocks, bonds_work[nc:]),
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


def _by_contact(blocks: Blocks, x: Array) -> Array:
    """Return the sums over the rows of each contact, (nc,)."""
    return np.asarray(np.bincount(blocks.owner, weights=x, minlength=blocks.nc), dtype=np.float64)


def bonds(blocks: Blocks, start: Instant, laws: Array, h: float, ahead: float) -> Array:
    """Return the impulses of cohesion in a step, (nc + nt,): -h beta^2 (C_N g, C_T u_T) in its middle.

    In the middle the step is that of Stormer and Verlet for the bond, so a bond that holds neither gains nor loses
    energy.
    """
    c = np.zeros(blocks.nc + blocks.nt)
    if not blocks.cohesion.any():
        return c
    held = h * laws[BETA] ** 2
    c[: blocks.nc] = -held * blocks.cohesion[:, 0] * np.maximum(start.g + ahead * start.U, 0.0)
    owner, tangent = blocks.owner, blocks.tangent
    moved = tangent_displacements(blocks, laws) + 0.5 * h * start.U_T
    c[blocks.nc :] = np.where(tangent, -held[owner] * blocks.cohesion[owner, 1] * moved, 0.0)
    return c


def tangent_displacements(blocks: Blocks, laws: Array) -> Array:
    """Return the displacements along the tangents since the start, (nt,); 0 for axes."""
    place = np.minimum(np.arange(blocks.nt) - blocks.start[:-1][blocks.owner], 1)
    return np.where(blocks.tangent, laws[U_1 + place, blocks.owner], 0.0)


def laws_after(blocks: Blocks, laws: Array, slip: Array, h: float, g: Array, du: Array) -> Array:
    """Return the state of the laws after a step, (4, nc).

    Parameters
    ----------
    blocks : Blocks
    laws : (4, nc) array
        At its start.
    slip : (nc,) array
        Slip speeds at its start.
    h : float
    g : (nc,) array
        Gaps at its end.
    du : (nt,) array
        What the rows beside the normals have moved by.
    """
    new = laws.copy()
    for i in np.flatnonzero(blocks.friction[:, 1]):
        new[THETA, i] = state_after(blocks.friction[i], float(slip[i]), float(laws[THETA, i]), h)
    if not blocks.cohesion.any():
        return new
    place = np.minimum(np.arange(blocks.nt) - blocks.start[:-1][blocks.owner], 1)
    np.add.at(new, (U_1 + place, blocks.owner), np.where(blocks.tangent, du, 0.0))
    C_N, C_T, w, viscosity, _ = blocks.cohesion.T
    Y = C_N * np.maximum(g, 0.0) ** 2 + C_T * (new[U_1] ** 2 + new[U_1 + 1] ** 2)
    beta, up, down = laws[BETA], viscosity * laws[BETA] + h * w, viscosity + h * Y
    new[BETA] = np.where(up < beta * down, up / np.where(down > 0.0, down, 1.0), beta)
    return new
