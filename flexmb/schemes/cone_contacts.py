"""Contacts with rows beside their normals, as the arrays of the compiled steps of small motion (``side_rows``).

Few contacts have a dense matrix over all rows, many the bordered matrices of ``schemes.sparse_cones``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.kernels.compilation.arrays_at import Room
from flexmb.kernels.compilation.stages import Stage
from flexmb.kernels.cones.cone_dense import DenseCones, solve_dense
from flexmb.kernels.cones.cone_hard import hard_cones
from flexmb.kernels.cones.cone_problem import ITERATIONS, RESIDUAL, Cones
from flexmb.kernels.index_sets.cone_many import SparseCones, solve_sparse
from flexmb.kernels.small_motion.arrays import SideAddress
from flexmb.kernels.small_motion.side_rows import Sides, side_step
from flexmb.linalg.bands import BandOrder
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.problem import ContactProblem, ContactSolution
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.schemes.alpha_contacts import AlphaFixed
from flexmb.schemes.frictional import no_laws
from flexmb.schemes.many_contacts import Level, StepNumbers
from flexmb.schemes.scheme import PreparedContacts
from flexmb.schemes.sparse_cones import sparse_cones, sparse_pays, stacked
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem


@dataclass(frozen=True)
class Carried:
    """Arrays of the compiled loop that the stage reads and writes: P (nc,), beside, laws (``friction_record``)."""

    P: Array
    beside: Array
    laws: Array


class ConeContacts:
    """The rows beside the normals of a constant system with a scheme; holds the arrays of its stages."""

    def __init__(
        self, fixed: PreparedContacts, order: BandOrder, solver: ContactSolver, h: float, carried: Carried
    ) -> None:
        system = fixed.system
        self.cones = cone_problem(system, fixed.numbers, h, solver)
        self._fixed = fixed
        if solver.name == "auto" and sparse_pays(system):
            sparse_room = Room(sparse_cones(system, fixed.numbers, self.cones))
            self._solver, own = sparse_room, sparse_room.arrays.border.own
            reached = _reached(solve_sparse, self._solver)
        else:
            W = dense_matrix(fixed, self.cones.first)
            self._solver, own = Room(DenseCones(self.cones, W)), W.diagonal()
            reached = _reached(solve_dense, self._solver)
        self._sides = Room(_sides(system, order, self.cones, reached, carried, own))
        self.address = SideAddress(_reached(side_step, self._sides), self.cones.answer)

    @property
    def solver(self) -> DenseCones | SparseCones:
        """The arrays of the solver: with a matrix over all rows, or with index sets for many of them."""
        return self._solver.arrays  # type: ignore[no-any-return]

    def failure(self, solver: ContactSolver) -> ContactNotConverged:
        """Return the error for the problem of the last step, on the blocks that took part."""
        c = self.cones
        blocks = np.flatnonzero(c.asked)
        rows = np.concatenate([np.arange(c.first[i], c.first[i + 1]) for i in blocks])
        W = self.solver.W if isinstance(self.solver, DenseCones) else dense_matrix(self._fixed, c.first)
        W = W[np.ix_(rows, rows)]
        mu, roll, spin = c.law[blocks].T
        problem = ContactProblem(W, c.b[rows], mu=mu, roll=roll, spin=spin, shape=c.shape[blocks])
        z = c.z[rows]
        residual, count = float(c.answer[RESIDUAL]), int(c.answer[ITERATIONS])
        return ContactNotConverged(
            problem, ContactSolution(z, W @ z + c.b[rows], residual, count, solver.name), solver.tolerance
        )

    @property
    def states(self) -> Array:
        """States of the laws, (STATES, nc)."""
        return np.asarray(self._sides.arrays.states)


def _reached(stage: Stage, room: Room) -> IntArray:
    """Return the addresses of a stage and of its arrays; the stage is compiled at its first call."""
    address = np.array([0, room.at], dtype=np.int64)
    address[0] = stage.door(address, 0)
    return address


def cone_problem(system: LinearSystem, numbers: StepNumbers, h: float, solver: ContactSolver) -> Cones:
    """Return the problem without the numbers of a step."""
    blocks, both = system.contacts.blocks, numbers.level is Level.BOTH
    nc = blocks.nc
    shape = np.stack([blocks.slides, blocks.turns, blocks.spins], axis=1).astype(np.int64)
    law = np.stack([blocks.friction[:, 0], blocks.roll, blocks.spin], axis=1)
    if both:
        shape, law = np.concatenate([np.zeros_like(shape), shape]), np.concatenate([np.zeros_like(law), law])
    first = np.concatenate([[0], np.cumsum(1 + shape.sum(axis=1))]).astype(np.int64)
    m = int(first[-1])
    return Cones(
        setting=np.array([solver.tolerance, h]),
        choice=np.array([solver.cone_method, solver.max_iterations, hard_cones()], dtype=np.int64),
        answer=np.zeros(4),
        first=first,
        shape=np.ascontiguousarray(shape),
        law=np.ascontiguousarray(law, dtype=np.float64),
        b=np.zeros(m),
        z=np.zeros(m),
        asked=np.zeros(first.size - 1, dtype=np.int64),
        closed=np.zeros(nc, dtype=np.int64),
    )


def _sides(
    system: LinearSystem, order: BandOrder, cones: Cones, solver: IntArray, carried: Carried, own: Array
) -> Sides:
    con, blocks = system.contacts, system.contacts.blocks
    H = sparse.csr_array(con.H.T)
    return Sides(
        size=np.array([system.nv, len(con.motions)], dtype=np.int64),
        ptr=H.indptr.astype(np.int64),
        idx=np.asarray(order.inverse[H.indices], dtype=np.int64),
        val=H.data.astype(np.float64),
        start=blocks.start,
        slides=blocks.slides.astype(np.int64),
        slide_of=con.slide_of.astype(np.int64),
        slide_coef=con.slide_coef.astype(np.float64),
        drift=con.drift.astype(np.float64),
        e_T=blocks.e_T.astype(np.float64),
        friction=np.ascontiguousarray(blocks.friction, dtype=np.float64),
        states=no_laws(system)["laws"],
        mu=np.zeros(con.nc),
        response=tangent_response(cones, blocks.nc, own),
        P=carried.P,
        beside=carried.beside,
        laws=carried.laws,
        free=np.zeros(blocks.nt),
        cones=cones,
        solver=solver,
    )


def tangent_response(cones: Cones, nc: int, own: Array) -> Array:
    """Return the mean of W_ii over the tangents of each contact, (nc,); ``own`` (m,) are those of all rows."""
    first, slides = cones.first[-nc - 1 : -1] + 1, cones.shape[-nc:, 0] if nc else np.zeros(0, dtype=np.int64)
    return np.array([own[a : a + n].mean() if n else 0.0 for a, n in zip(first, slides, strict=True)])


def dense_matrix(fixed: PreparedContacts, first: IntArray) -> Array:
    """Return W over all rows of the problem, in its order.

    With GGL, unit impulses are nu / h (dq = h M^-1 G), Lam of a normal (w = M^-1 G) and of a row beside it
    (w = M^-1 H and dq = (h/2) M^-1 H); rows of positions are gaps over h.
    """
    system, D = fixed.system, stacked(fixed.system)
    if not isinstance(fixed, AlphaFixed):
        return np.ascontiguousarray(delassus(fixed.S.solve, D))  # type: ignore[attr-defined]
    nc, h = system.contacts.nc, fixed.h
    if fixed.level != "ggl":
        half = np.full(D.shape[1], 0.5)
        return np.ascontiguousarray(D.T @ _moved(fixed, D, h * half, 0.0 * half + 1.0)[1])
    G = system.contacts.G
    columns = sparse.csc_array(sparse.hstack([G, D]))
    to_dq, to_w = np.full(columns.shape[1], 0.5 * h), np.ones(columns.shape[1])
    to_dq[:nc], to_w[:nc] = h, 0.0
    to_dq[first[nc:-1]] = 0.0
    q, v = _moved(fixed, columns, to_dq, to_w)
    return np.ascontiguousarray(np.vstack([G.T @ q / h, D.T @ v]))


def _moved(fixed: AlphaFixed, columns: Any, to_dq: Array, to_w: Array) -> tuple[Array, Array]:
    """Return the changes of q and v for impulses with dq = to_dq M^-1 column and w = to_w M^-1 column."""
    c, h, system = fixed.c, fixed.h, fixed.system
    X = fixed.M.solve(np.asarray(columns.toarray(), dtype=np.float64))
    dq, w = X * to_dq, X * to_w
    da = -c.r * fixed.S.solve(system.restoring(dq) + system.resisting(w))
    return dq + h * h * c.beta * da, w + h * c.gamma * da
