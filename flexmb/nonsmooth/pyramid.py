"""Coulomb's law with a pyramid in place of the cone: a linear complementarity problem (Potra et al. 2006, eqs 64-66).

With the directions d_1 .. d_m of a contact as columns of D, m of them spread evenly over its tangential plane and two,
+ and -, on a line, its impulses are P = (P_N, D beta) with

    0 <= U_N  perp  P_N >= 0,    0 <= D^T U_T + lam 1  perp  beta >= 0,    0 <= mu P_N - 1^T beta  perp  lam >= 0

where U = W P + b. Rolling and spinning have separate pyramids. The m facets are inside the circle: friction in the
worst direction is lower by 1 - cos(pi / m) (8: 7.6 %, 32: 0.5 %), and results depend on the directions of the tangents;
on a line, as in planar contacts, the law is exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.nonsmooth.problem import ContactProblem, residual
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.state import Array, IntArray

SETS = 8
"""Maximum number of index sets from an initial guess."""


def facet_directions(rows: int, facets: int) -> Array:
    """Return the directions of a pyramid over 1 or 2 rows as columns, (rows, 2) or (rows, facets)."""
    if rows == 1:
        return np.array([[1.0, -1.0]])
    angle = 2.0 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angle), np.sin(angle)])


class Pyramids:
    """The blocks of a contact problem with pyramids, and the data of their complementarity problem.

    Parameters
    ----------
    shape : (nb, 3) int array
        Rows of sliding, rolling and spinning of each block, behind its normal.
    law : (nb, 3) array
        Their coefficients: mu, and the lengths of rolling and spinning, m.
    facets : int
        Facets of a pyramid over two rows.
    """

    def __init__(self, shape: IntArray, law: Array, facets: int) -> None:
        sizes = 1 + shape.sum(axis=1)
        self.facets = facets
        self.normal: IntArray = (np.cumsum(sizes) - sizes).astype(np.int64)
        groups = [
            (i, int(self.normal[i] + 1 + shape[i, :k].sum()), int(shape[i, k]), float(law[i, k]))
            for i in range(len(shape))
            for k in range(3)
            if shape[i, k] and law[i, k] > 0.0  # without friction there is no tangential impulse to compute
        ]
        made = [(row, facet_directions(count, facets)) for _, row, count, _ in groups]
        nb, edges = len(shape), sum(d.shape[1] for _, d in made)
        n = int(sizes.sum())
        # P = B (P_N, beta); rows of E assign edges to pyramids
        self.B, self.E, self.mu = np.zeros((n, nb + edges)), np.zeros((edges, len(groups))), np.zeros((len(groups), nb))
        self.B[self.normal, np.arange(nb)] = 1.0
        at = 0
        for j, ((i, _, _, mu), (row, d)) in enumerate(zip(groups, made, strict=True)):
            self.B[row : row + d.shape[0], nb + at : nb + at + d.shape[1]] = d
            self.E[at : at + d.shape[1], j] = 1.0
            self.mu[j, i] = mu
            at += d.shape[1]

    def solve(
        self, W: Array, b: Array, solver: ContactSolver, given: Array | None = None, guess: Array | None = None
    ) -> tuple[Array, int]:
        """Return the impulses P (n,) and the number of iterations.

        With friction, index sets are tried from the guess on, then Lemke's method, then index sets from its solution.

        Parameters
        ----------
        W : (n, n) array
        b : (n,) array
            Rates without impulses.
        solver : ContactSolver
            For problems without friction; its tolerance for all.
        given : (nb,) array, optional
            Given normal impulses in addition to the unknown ones: those of a decompression.
        guess : (n,) array, optional
            Impulses of a similar problem.

        Raises
        ------
        ContactNotConverged
        """
        first = np.zeros(b.size)
        if given is not None:
            first[self.normal] = given
        if not b.size:
            return first, 0
        size = float(np.diag(W).max())
        size = 1.0 / size if size > 0.0 else 1.0  # impulses as velocities: all rows have one unit
        problem = self._problem(size * W, b + W @ first, np.zeros(self.mu.shape[1]) if given is None else given / size)
        if not self.E.size:
            found = solver.solve(problem)
            z, count = found.z, found.iterations
        else:
            start = np.zeros(problem.n) if guess is None else self._coordinates(guess / size, W @ guess + b)
            z, count = self._frictional(problem, start, solver)
        return first + size * (self.B @ z[: self.B.shape[1]]), count

    def _problem(self, W: Array, b: Array, given: Array) -> ContactProblem:
        """Return the complementarity problem in (P_N, beta, lam), with impulses as velocities."""
        edges, n = self.B.shape[1], self.B.shape[1] + self.E.shape[1]
        nb = self.normal.size
        A = np.zeros((n, n))
        A[:edges, :edges] = self.B.T @ W @ self.B
        A[nb:edges, edges:] = self.E
        A[edges:, :nb], A[edges:, nb:edges] = self.mu, -self.E.T
        return ContactProblem(W=A, b=np.concatenate([self.B.T @ b, self.mu @ given]))

    def _coordinates(self, P: Array, U: Array) -> Array:
        """Return (P_N, beta, lam) of impulses P and rates U: beta on the adjacent edges, lam the slip speeds."""
        nb, edges = self.normal.size, self.B.shape[1]
        z = np.zeros(edges + self.E.shape[1])
        z[:nb] = np.maximum(P[self.normal], 0.0)
        for j in range(self.E.shape[1]):
            columns = nb + np.flatnonzero(self.E[:, j])
            D = self.B[:, columns]
            near = columns[np.argsort(-(D.T @ P), kind="stable")[:2]]
            z[near] = np.maximum(
                np.linalg.lstsq(self.B[:, near], P - self.B[:, :nb] @ P[self.normal], rcond=None)[0], 0.0
            )
            z[edges + j] = max(0.0, -float((D.T @ U).min()))
        return z

    def _frictional(self, problem: ContactProblem, start: Array, solver: ContactSolver) -> tuple[Array, int]:
        """Return z and the number of iterations."""
        z, sets = index_sets(problem, start, solver.tolerance)
        if residual(problem, z) <= solver.tolerance:
            return z, sets
        try:
            found = replace(solver, name="lemke", max_iterations=0).solve(problem)
        except ContactNotConverged as failure:
            z, more = index_sets(problem, failure.solution.z, solver.tolerance)
            if residual(problem, z) <= solver.tolerance:
                return z, sets + more + failure.solution.iterations
            what = f"Lemke's method on the complementarity problem of potra (friction pyramids, facets = {self.facets})"
            raise ContactNotConverged(problem, failure.solution, solver.tolerance, what) from failure
        return found.z, sets + found.iterations


def index_sets(problem: ContactProblem, z: Array, tolerance: float) -> tuple[Array, int]:
    """Return z of the index sets {z > w}, each from the previous one by least-norm corrections, and their number.

    Redundant contacts leave the equations of a set singular: the least-norm correction remains near the nonnegative
    iterate.
    """
    A, b = problem.W, problem.b
    for k in range(SETS):
        inside = z > A @ z + b
        z = np.where(inside, z, 0.0)
        if inside.any():
            here = A[np.ix_(inside, inside)]
            for _ in range(2):  # the second one reduces the residual to round-off
                z[inside] -= np.linalg.lstsq(here, (A @ z + b)[inside], rcond=1e-12)[0]
        if residual(problem, z) <= tolerance:
            z = np.maximum(z, 0.0)
            if residual(problem, z) <= tolerance:
                return z, k + 1
    return np.maximum(z, 0.0), SETS
