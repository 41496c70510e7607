"""The contact problem of a step as blocks, and its solution under Newton's or Poisson's law of impact.

Impulses and rates of all contacts stand in one vector: normals (nc), then the rows beside them (nt). ``Stack`` picks
the rows of some contacts and puts each contact's together, its normal first, as ``kernels.cones.cones`` takes them:

    U = W P + b,     K* contains (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P in K

Newton's law puts (e U_N-, e_T U_T-) into b. Poisson's law has two phases (Glocker and Pfeiffer 1995): compression, with
e = 0, gives P_c; decompression P_N = e (P_c - P_s)_N + x with 0 <= U_N+ perp x >= 0, and friction on its own normal
impulse. P_s is the impulse due to the forces of the step alone, from rest and without restitution: a resting contact
does not rebound because of its weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import NOT_FINITE, NotConverged
from flexmb.kernels.cones.cones import solve_cones
from flexmb.nonsmooth.problem import ContactProblem, ContactSolution
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import ContactNumbers

MOST_SETS = 30
"""Maximum number of sets of contacts in decompression that are tried."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Rows of some contacts as blocks.

    Parameters
    ----------
    contacts : (nb,) int array
        The contacts.
    rows : (n,) int array
        Where each row stands in (normals, rows beside them).
    first : (nb,) int array
        The row of each block's normal.
    shape : (nb, 3) int array
        Tangents, axes of rolling and of spinning of each block.
    """

    contacts: IntArray
    rows: IntArray
    first: IntArray
    shape: IntArray

    @classmethod
    def of(cls, blocks: Blocks, contacts: IntArray) -> Stack:
        """Return the blocks of some contacts."""
        sizes = 1 + blocks.sizes[contacts]
        first = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(contacts.size), sizes)
        place = np.arange(owner.size) - first[owner]
        chosen = contacts[owner]
        rows = np.where(place == 0, chosen, blocks.nc + blocks.start[chosen] + place - 1)
        shape = np.stack([blocks.slides[contacts], blocks.turns[contacts], blocks.spins[contacts]], axis=1)
        return cls(contacts, rows, first, np.ascontiguousarray(shape))

    def restitution(self, e: Array, e_T: Array) -> Array:
        """Return the factors of the rates before in b, (n,): e on normals, e_T on tangents, 0 on axes."""
        out = np.zeros(self.rows.size)
        out[self.first] = e[self.contacts]
        for k in (1, 2):
            there = self.shape[:, 0] >= k
            out[self.first[there] + k] = e_T[self.contacts[there]]
        return out


@dataclass(frozen=True, eq=False)
class ContactTask:
    """Common data of all contact problems of a step.

    Parameters
    ----------
    contacts : ContactNumbers
    mu : (nc,) array
        Coefficients of friction in this step.
    solver : ContactSolver
    t : float
        Time at the end of the step, s, for errors.
    """

    contacts: ContactNumbers
    mu: Array
    solver: ContactSolver
    t: float

    def solve(self, W: Array, b: Array, stack: Stack, guess: Array) -> tuple[Array, int]:
        """Return the impulses P of U = W P + b under the laws, (n,), and the iterations taken.

        Raises
        ------
        NotConverged
            Naming the contact with the largest residual; the problem comes along.
        """
        contacts, blocks, solver = self.contacts, self.contacts.blocks, self.solver
        if not np.isfinite(b).all():
            block = int(np.searchsorted(stack.first, np.flatnonzero(~np.isfinite(b))[0], side="right")) - 1
            raise NotConverged(NOT_FINITE, time=self.t, step=-1, contact=contacts.labels[stack.contacts[block]])
        c = stack.contacts
        law = np.where(stack.shape > 0, np.stack([self.mu[c], blocks.roll[c], blocks.spin[c]], axis=1), 0.0)
        P, method = np.ascontiguousarray(guess), solver.cone_method if solver.compiled else 0
        if solver.compiled:
            count, residual, _ = solve_cones(
                np.ascontiguousarray(W), b, stack.shape, law, P, method, solver.max_iterations, solver.tolerance
            )
            if residual <= solver.tolerance:
                return P, int(count)
        problem = ContactProblem(W=W, b=b, mu=law[:, 0], roll=law[:, 1], spin=law[:, 2], shape=stack.shape)
        try:
            if not solver.compiled:
                found = solver.solve(problem, guess)
                return found.z.copy(), found.iterations
            answer = ContactSolution(P, problem.w(P), float(residual), int(count), solver.name)
            raise ContactNotConverged(problem, answer, solver.tolerance)
        except ContactNotConverged as failure:
            failure.time = self.t
            failure.contact = contacts.labels[c[failure.block]] if contacts.labels else ""
            raise

    def impact(self, W: Array, b: Array, before: Array, stack: Stack, guess: Array) -> tuple[Array, int]:
        """Return the impulses of a step, with restitution by Newton's or Poisson's law.

        Parameters
        ----------
        W : (n, n) array
        b : (n,) array
            Rates at the end of the step without impulses, and without restitution.
        before : (n,) array
            Rates at its start.
        stack : Stack
        guess : (n,) array
            Impulses to start from.
        """
        contacts, blocks = self.contacts, self.contacts.blocks
        poisson = blocks.poisson[stack.contacts]
        e = np.where(blocks.poisson, 0.0, contacts.e)
        u, b = b, b + stack.restitution(e, blocks.e_T) * before
        P, count = self.solve(W, b, stack, guess)
        if not poisson.any() or not P.any():
            return P, count
        at_rest, more = self.solve(W, u - before, stack, P.copy())
        given = np.where(poisson, contacts.e[stack.contacts], 0.0) * np.maximum((P - at_rest)[stack.first], 0.0)
        count += more
        if not given.any():
            return P, count
        released, more = self._decompressed(W, W @ P + b, given, stack)
        return P + released, count + more

    def _decompressed(self, W: Array, b: Array, given: Array, stack: Stack) -> tuple[Array, int]:
        """Return the impulses of decompression: normals of at least ``given`` (nb,), more where they would close.

        A contact with just the given impulse has friction under a known normal force: its normal stands alone in W.
        """
        alone, count, scale = given > 0.0, 0, float(np.abs(b).max())
        for _ in range(MOST_SETS):
            W_1, b_1 = W.copy(), b.copy()
            fixed = stack.first[alone]
            b_1 += W[:, fixed] @ given[alone]
            W_1[fixed, :] = W_1[:, fixed] = 0.0
            W_1[fixed, fixed] = W[fixed, fixed]
            b_1[fixed] = -W[fixed, fixed] * given[alone]
            P, more = self.solve(W_1, b_1, stack, np.zeros(b.size))
            count += more
            U_N = (W @ P + b)[stack.first]
            closes = alone & (U_N + 1e-12 * scale < 0.0)
            pulls = ~alone & (P[stack.first] < given * (1.0 - 1e-12))
            if not (closes | pulls).any():
                return P, count
            alone = (alone & ~closes) | pulls
        label = self.contacts.labels[int(stack.contacts[int(np.argmax(closes | pulls))])]
        raise NotConverged("decompression was not solved", time=self.t, step=-1, contact=label)
