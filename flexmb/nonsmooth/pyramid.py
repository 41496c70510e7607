"""Coulomb's law with a pyramid in place of the cone: a linear complementarity problem (Potra et al. 2006, eqs 64-66).

With the directions d_1 .. d_m of a contact as columns of D, m of them spread evenly over its tangential plane and two,
+ and -, on a line, its impulses are P = (P_N, D beta) with

    0 <= U_N  perp  P_N >= 0,    0 <= D^T U_T + lam 1  perp  beta >= 0,    0 <= mu P_N - 1^T beta  perp  lam >= 0

where U = W P + b. Rolling and spinning have pyramids of their own. m facets stand inside the circle: friction in the
worst direction is lower by 1 - cos(pi / m) (8: 7.6 %, 32: 0.5 %), and results turn with the tangents; on a line, as in
planar contacts, the law is exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import Array, IntArray


def facet_directions(rows: int, facets: int) -> Array:
    """Return the directions of a pyramid over 1 or 2 rows as columns, (rows, 2) or (rows, facets)."""
    if rows == 1:
        return np.array([[1.0, -1.0]])
    angle = 2.0 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angle), np.sin(angle)])


class Pyramids:
    """The blocks of a contact problem with pyramids: what their complementarity problem is made of.

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
        self.normal: IntArray = (np.cumsum(sizes) - sizes).astype(np.int64)
        groups = [
            (i, int(self.normal[i] + 1 + shape[i, :k].sum()), int(shape[i, k]), float(law[i, k]))
            for i in range(len(shape))
            for k in range(3)
            if shape[i, k] and law[i, k] > 0.0  # without friction there is no impulse to ask for
        ]
        made = [(row, facet_directions(count, facets)) for _, row, count, _ in groups]
        nb, edges = len(shape), sum(d.shape[1] for _, d in made)
        n = int(sizes.sum())
        # P = B (P_N, beta); rows of E say which pyramid an edge belongs to
        self.B, self.E, self.mu = np.zeros((n, nb + edges)), np.zeros((edges, len(groups))), np.zeros((len(groups), nb))
        self.B[self.normal, np.arange(nb)] = 1.0
        at = 0
        for j, ((i, _, _, mu), (row, d)) in enumerate(zip(groups, made, strict=True)):
            self.B[row : row + d.shape[0], nb + at : nb + at + d.shape[1]] = d
            self.E[at : at + d.shape[1], j] = 1.0
            self.mu[j, i] = mu
            at += d.shape[1]

    def solve(self, W: Array, b: Array, solver: ContactSolver, given: Array | None = None) -> tuple[Array, int]:
        """Return the impulses P (n,) and the iterations taken.

        Parameters
        ----------
        W : (n, n) array
        b : (n,) array
            Rates without impulses.
        solver : ContactSolver
            Where there is friction the problem is not monotone, and Lemke's method is the first to try.
        given : (nb,) array, optional
            Normal impulses that act in any case, beside those that are asked for: those of a decompression.

        Raises
        ------
        ContactNotConverged
        """
        nb, edges = self.normal.size, self.E.shape[0]
        first = np.zeros(b.size)
        if given is not None:
            first[self.normal] = given
        if not b.size:
            return first, 0
        size = float(np.diag(W).max())
        size = 1.0 / size if size > 0.0 else 1.0  # impulses as velocities: all rows have one unit
        lam = self.E.shape[1]
        A = np.zeros((nb + edges + lam, nb + edges + lam))
        A[: nb + edges, : nb + edges] = size * (self.B.T @ W @ self.B)
        A[nb : nb + edges, nb + edges :] = self.E
        A[nb + edges :, :nb], A[nb + edges :, nb : nb + edges] = self.mu, -self.E.T
        bound = np.zeros(lam) if given is None else self.mu @ given / size
        rest = np.concatenate([self.B.T @ (b + W @ first), bound])
        how = solver if not edges else replace(solver, name="lemke", max_iterations=0)
        found = how.solve(ContactProblem(W=A, b=rest))
        return first + size * (self.B @ found.z[: nb + edges]), found.iterations
