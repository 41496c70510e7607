"""``lemke``: Lemke's pivoting on the polyhedral cone, exact in the plane; in space a pyramid, then Newton's steps.

With the directions d_j of the tangent plane, ``P_T = sum_j d_j beta_j``, and lambda the speed of sliding:

    0 <= U_N                  perp  P_N    >= 0
    0 <= lambda + d_j . U_T   perp  beta_j >= 0
    0 <= mu P_N - sum_j beta_j perp lambda >= 0
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.cones import PROXIMAL_SYSTEMS
from flexmb.kernels.lcp_lemke import most_pivots, solve_lemke
from flexmb.nonsmooth.methods import proximal_newton
from flexmb.nonsmooth.problem import ContactProblem, dense
from flexmb.state import Array

FACETS = 8
"""Sides of the pyramid in space; what they leave out is mended by Newton's steps."""


def directions(rows: int, facets: int) -> Array:
    """Return unit vectors of a disc, (rows, m): both of a line, or the corners of a polygon in a plane."""
    if rows == 1:
        return np.array([[1.0, -1.0]])
    if facets < 3:
        raise InputError("a pyramid needs at least 3", where="lemke", key="facets", value=facets)
    angle = 2.0 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angle), np.sin(angle)])


def pyramid_problem(problem: ContactProblem, facets: int = FACETS) -> tuple[Array, Array, Array]:
    """Return the complementarity problem of a contact problem with cones replaced by pyramids.

    Returns
    -------
    M : (m, m) array
    q : (m,) array
        ``w = M z + q, 0 <= w perp z >= 0``.
    E : (n, m) array
        P = E z.
    """
    columns: list[tuple[int, int, Array]] = []  # first row, rows, directions
    radii: list[tuple[int, float, range]] = []  # column of the normal, radius, columns of the disc
    at = 0
    for i in range(problem.nc):
        normal, row = at, int(problem.start[i])
        columns.append((row, 1, np.ones((1, 1))))
        at, row = at + 1, row + 1
        for d in range(3):
            rows = int(problem.shape[i, d])
            if rows:
                sides = directions(rows, facets)
                columns.append((row, rows, sides))
                radii.append((normal, float(problem.law[i, d]), range(at, at + sides.shape[1])))
                at, row = at + sides.shape[1], row + rows
    m = at + len(radii)
    E, M, q = np.zeros((problem.n, m)), np.zeros((m, m)), np.zeros(m)
    at = 0
    for row, rows, sides in columns:
        E[row : row + rows, at : at + sides.shape[1]] = sides
        at += sides.shape[1]
    M[:at, :at] = E[:, :at].T @ dense(problem) @ E[:, :at]
    q[:at] = E[:, :at].T @ problem.b
    for k, (normal, radius, disc) in enumerate(radii):
        M[at + k, normal] = radius
        for j in disc:
            M[at + k, j], M[j, at + k] = -1.0, 1.0
    return M, q, E


def solve(problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Return the impulses, and the number of pivots (and of Newton's systems in space); no warm start."""
    M, q, E = pyramid_problem(problem)
    z = np.zeros(q.size)
    k, _ = solve_lemke(M, q, z, max_iterations or most_pivots(q.size))
    P = E @ z
    if (problem.shape == 2).any():
        P, more = proximal_newton.solve(problem, P, tolerance, PROXIMAL_SYSTEMS)
        k += more
    return P, int(k)
