"""The contact problem of a step with many contacts, as the arrays of ``kernels.index_sets.many_contacts``.

No matrix over pairs of contacts is formed. The response of a contact to its own impulse is computed from the entries of
an inverse near its diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.index_sets.contact_problem import ITERATIONS, RESIDUAL, TOLERANCE, WORST, Sets
from flexmb.kernels.index_sets.contact_response import ONE, TWO, Response
from flexmb.kernels.index_sets.many_contacts import ContactRoom, ManyContacts
from flexmb.kernels.small_motion.arrays import ManyRows
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.linalg.strain import stack
from flexmb.nonsmooth.bordered_problem import Envelope, bordered, factored, own_response, row_lengths
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem

Flags = NDArray[np.bool_]
FEW = 30
"""Number of contacts up to which a dense matrix is faster."""


class Level(Enum):
    """The rows of each contact.

    ONE: those of one matrix S; VELOCITY: the alpha family's of velocities, its impulses moving positions by h/2;
    BOTH: the alpha family's of positions (all contacts) and then of velocities (all contacts), with GGL.
    """

    ONE = 0
    VELOCITY = 1
    BOTH = 2


@dataclass(frozen=True)
class StepNumbers:
    """The scalars of a step's contact problem (``kernels.index_sets.contact_response``).

    ``c_C`` and ``c_K`` are the factors in S = M + c_C (C + Y) + c_K (K + N); ``scale`` belongs to the level ONE, and
    (h, r, beta, gamma) to the others; ``refine`` says that solutions with S are corrected once.
    """

    level: Level
    c_C: float
    c_K: float
    refine: bool
    scale: float = 1.0
    h: float = 1.0
    r: float = 1.0
    beta: float = 0.0
    gamma: float = 0.0


@dataclass(frozen=True)
class Answer:
    """Multipliers (zero for rows not requested), index sets used, residual, and its row."""

    z: Array
    iterations: int
    residual: float
    row: int


class ManyContactsProblem:
    """The contacts of a constant system under a scheme; solves one step's problem at a time.

    The factors of the last index set are kept, so a resting structure costs solves only. ``own`` (m,) are the entries
    W_ii, m = nc, or 2 nc with rows of both levels.
    """

    def __init__(self, system: LinearSystem, numbers: StepNumbers) -> None:
        self.order = contact_order(system)
        B = _border(system, self.order, numbers)
        A = factored(B)
        B.own[:] = own_response(B, A)
        response = response_of(system, self.order, numbers, A)
        self.room = ContactRoom(ManyContacts(B, response, _sets(B.own.size, system.contacts.nc)))

    @property
    def own(self) -> Array:
        """W_ii of all rows."""
        return self.room.many.border.own

    def rows(self, tolerance: float) -> ManyRows:
        """Return the arrays by which compiled steps call this solver; ``tolerance``: largest accepted residual."""
        s = self.room.many.sets
        s.setting[TOLERANCE] = tolerance
        return ManyRows(self.room.address, s.b, s.z, s.answer, s.asked, s.closed)

    @property
    def factorizations(self) -> int:
        """Number of sets factored so far."""
        return int(self.room.many.border.factored[0])

    def solve(self, b: Array, asked: Flags, guess: Array, closed: Flags | None, tolerance: float) -> Answer:
        """Solve 0 <= W z + b perp z >= 0 on the requested rows.

        Parameters
        ----------
        b, guess : (m,) arrays
        asked : (m,) bool array
            With rows of both levels, those of velocities are found by the solver.
        closed : (nc,) bool array, optional
            With rows of both levels: contacts that are closed without impulses.
        tolerance : float
        """
        s = self.room.many.sets
        s.setting[TOLERANCE] = tolerance
        s.b[:], s.z[:], s.asked[:] = b, guess, asked
        if closed is not None:
            s.closed[:] = closed
        self.room.solve()
        return Answer(s.z.copy(), int(s.answer[ITERATIONS]), float(s.answer[RESIDUAL]), int(s.answer[WORST]))


def contact_order(system: LinearSystem) -> BandOrder:
    """Return an order in which the matrices of a step and the contacts' rows are narrow."""
    G = abs(sparse.csr_array(system.contacts.G))
    return band_order(*system.patterns, sparse.csr_array(G @ G.T))


def pays(system: LinearSystem) -> bool:
    """Return whether the contacts are many, and their bordered matrix narrow enough to be faster than a dense one."""
    nc = system.contacts.nc
    if nc <= FEW:
        return False
    perm = contact_order(system).perm
    G = sparse.csr_array(system.contacts.G.T)[:, perm]
    S = sparse.csr_array(abs(system.M) + abs(system.C) + abs(system.K) + abs(system.gyro) + abs(system.cross))
    return bool(6.0 * float((row_lengths(S[perm][:, perm], G, G).astype(float) ** 2).sum()) <= float(nc) ** 3)


def _sets(m: int, nc: int) -> Sets:
    b, z, w, r, dz, slack, dw, best = (np.zeros(m) for _ in range(8))
    asked, active, wrong, closed = (np.zeros(k, dtype=np.int64) for k in (m, m, m, nc))
    return Sets(np.zeros(1), np.zeros(3), b, z, w, r, dz, slack, dw, best, asked, active, wrong, closed)


def _border(system: LinearSystem, order: BandOrder, a: StepNumbers) -> Border:
    """Return the bordered matrix: of S, or of both levels with the unknowns of a degree of freedom side by side."""
    G = sparse.csr_array(system.contacts.G.T)[:, order.perm]
    A = step_equations(system, order, a)
    if a.level is Level.ONE:
        return bordered(A, a.scale * G, G)
    of_q, of_v = sparse.kron(G, [[1.0, 0.0]], format="csr"), sparse.kron(G, [[0.0, 1.0]], format="csr")
    if a.level is Level.VELOCITY:
        return bordered(A, of_v, 0.5 * of_q + of_v)
    both = sparse.csr_array(sparse.vstack([of_q, of_v]))
    return bordered(A, both, both)


def step_equations(system: LinearSystem, order: BandOrder, a: StepNumbers) -> sparse.csr_array:
    """Return the matrix of a step's equations, unknowns in band order; those of a degree of freedom side by side."""
    K, C = system.K + system.cross, system.C + system.gyro
    if a.level is Level.ONE:
        S = sparse.csr_array(system.M + a.c_C * C + a.c_K * K)
        return sparse.csr_array(S[order.perm][:, order.perm])
    # x_q / h and x_v, the changes of q and v:  M x_q + h^2 beta r f = G nu,  M x_v + h gamma r f = G Lam,
    # f = (K + N) x_q + (C + Y) x_v;  without GGL nu is (h/2) Lam
    h, r, beta, gamma = a.h, a.r, a.beta, a.gamma
    blocks = [
        [system.M + h * h * beta * r * K, h * beta * r * C],
        [h * h * gamma * r * K, system.M + h * gamma * r * C],
    ]
    n = order.perm.size
    beside = np.stack([order.perm, n + order.perm], axis=1).ravel()
    return sparse.csr_array(sparse.csr_array(sparse.block_array(blocks))[beside][:, beside])


def response_of(system: LinearSystem, order: BandOrder, a: StepNumbers, A: Envelope) -> Response:
    """Return the matrices of a step in band order."""
    n = system.nv
    strain = stack([], n) if system.strain is None else system.strain.placed(order.inverse, n)
    form = ONE if a.level is Level.ONE else TWO
    corrections = 0 if not a.refine else 1 if form == ONE else 2
    return Response(
        kind=np.array([form, corrections, int(system.damped or system.gyro.nnz)], dtype=np.int64),
        number=np.array([a.c_C, a.c_K, a.h * a.beta * a.r, a.h * a.gamma * a.r, a.h]),
        first=A.first,
        start=A.start,
        lower=A.lower,
        upper=A.upper,
        dinv=A.dinv,
        M=order.rows(system.M),
        K=order.rows(system.K if system.strain is None else sparse.csr_array(system.K.shape)),
        resist=order.rows(system.C + system.gyro),
        cross=order.rows(system.cross),
        mode_ptr=strain.ptr.astype(np.int64),
        mode_i=np.where(strain.i < 0, n, strain.i).astype(np.int64),
        mode_j=np.where(strain.j < 0, n, strain.j).astype(np.int64),
        mode_c=strain.c.astype(np.float64),
        mode_D=np.array(strain.D, dtype=np.float64),
        work=np.zeros((4, n + 1)),
        x=np.zeros(A.first.size),
        given=np.zeros(A.first.size),
        rest=np.zeros(A.first.size),
    )
