"""Lemke's pivoting on pyramids: exact where discs are lines; for planes, pyramids that close in on the answer.

With unit vectors d_j of a disc, ``P_d = sum_j d_j beta_j``, and lambda the speed of sliding:

    0 <= U_N                           perp  P_N    >= 0
    0 <= lambda + d_j . U_d            perp  beta_j >= 0
    0 <= law_d P_N - sum_j beta_j      perp  lambda >= 0

Eight directions of a plane stand at 0, w, 2 w, pi/2 + w to both sides of the impulse found before, and opposite to it;
w falls from pi/4, where the pyramid is regular. What a corner of angle w leaves of the disc's edge goes as w^2.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_newton import newton
from flexmb.kernels.cones.cone_project import DISCS
from flexmb.kernels.cones.cone_residual import cone_worst, scaled_law
from flexmb.kernels.lcp.lcp_lemke import most_pivots, solve_lemke
from flexmb.state import Array, IntArray

FACETS, CORNERS = 8, 14
"""Directions of a plane, and of space: the axes and the diagonals."""
ROUNDS, CLOSER = 10, 0.3
"""Pyramids that are tried, and the factor from one to the next."""
SYSTEMS, SLIGHT = 20, 1e-11
"""Linear systems of Newton's method from a pyramid's answer, and what W is raised by in them (over D^2)."""


@allocating
def _directions(rows: int, angle: float, w: float, E: Array, first: int, at: int) -> int:
    """Write the directions of a disc into the columns of E from ``at`` on; return how many there are."""
    if rows == 1:
        E[first, at], E[first, at + 1] = 1.0, -1.0
        return 2
    if rows == 3:
        for k in range(3):
            E[first + k, at + 2 * k], E[first + k, at + 2 * k + 1] = 1.0, -1.0
            for j in range(8):
                E[first + k, at + 6 + j] = (1.0 if (j >> k) & 1 else -1.0) / np.sqrt(3.0)
        return CORNERS
    for k in range(FACETS):
        step = float((k + 1) // 2)
        turn = np.pi if k == FACETS - 1 else (step * w if step < 3.0 else 0.5 * np.pi + w)
        turn = angle + (turn if k % 2 == 1 else -turn)
        E[first, at + k], E[first + 1, at + k] = np.cos(turn), np.sin(turn)
    return FACETS


@allocating
def pyramid_problem(
    W: Array, b: Array, shape: IntArray, start: IntArray, law: Array, angle: Array, w: float
) -> tuple[Array, Array, Array]:
    """Return the complementarity problem of a contact problem with its discs replaced by polygons.

    Parameters
    ----------
    W : (n, n) array
    b : (n,) array
    shape : (nb, 3) int array
    start : (nb + 1,) int array
    law : (nb, 3) array
    angle : (nb, 3) array
        Direction in which each polygon is finest.
    w : float
        Its finest angle; pi/4 for regular polygons.

    Returns
    -------
    M : (m, m) array
    q : (m,) array
        ``w = M z + q, 0 <= w perp z >= 0``.
    E : (n, m) array
        P = E z.
    """
    n, nb = b.size, shape.shape[0]
    sides, discs = nb, 0
    for i in range(nb):
        for d in range(DISCS):
            if shape[i, d] > 0:
                sides += 2 if shape[i, d] == 1 else (FACETS if shape[i, d] == 2 else CORNERS)
                discs += 1
    m = sides + discs
    E, M, q = np.zeros((n, m)), np.zeros((m, m)), np.zeros(m)
    at, disc = 0, 0
    for i in range(nb):
        normal, row = at, start[i] + 1
        E[start[i], at] = 1.0
        at += 1
        for d in range(DISCS):
            if shape[i, d] > 0:
                k = _directions(shape[i, d], angle[i, d], w, E, row, at)
                M[sides + disc, normal] = law[i, d]
                for j in range(at, at + k):
                    M[sides + disc, j], M[j, sides + disc] = -1.0, 1.0
                at += k
                disc += 1
            row += shape[i, d]
    WE = np.zeros((n, sides))
    for i in range(n):
        for k in range(n):
            for j in range(sides):
                WE[i, j] += W[i, k] * E[k, j]
    for i in range(sides):
        for k in range(n):
            if E[k, i] != 0.0:
                q[i] += E[k, i] * b[k]
                for j in range(sides):
                    M[i, j] += E[k, i] * WE[k, j]
    return M, q, E


@allocating
def _turn(P: Array, shape: IntArray, start: IntArray, angle: Array) -> None:
    """Turn the polygons to the impulses of their discs."""
    for i in range(shape.shape[0]):
        at = start[i] + 1
        for d in range(DISCS):
            if shape[i, d] == 2 and (P[at] != 0.0 or P[at + 1] != 0.0):
                angle[i, d] = np.arctan2(P[at + 1], P[at])
            at += shape[i, d]


@allocating
def solve_pyramids(
    W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array, max_iter: int, tol: float
) -> tuple[int, float]:
    """Solve by pyramids and Newton's method from their answers.

    Parameters
    ----------
    W, b, D, shape, start, law, tol
        As in ``cone_newton.newton``.
    P : (n,) array
        In and out: the best answer known.
    max_iter : int
        Most pivots of one pyramid; 0 chooses.

    Returns
    -------
    iterations : int
        Pivots and linear systems.
    residual : float
    """
    n, nb = b.size, shape.shape[0]
    own = scaled_law(D, shape, start, law)
    V, c, angle = np.empty((n, n)), np.empty(n), np.zeros((nb, DISCS))
    lines = True
    for i in range(n):
        c[i] = D[i] * b[i]
        for j in range(n):
            V[i, j] = D[i] * W[i, j] * D[j]
    for i in range(nb):
        lines = lines and shape[i, 0] < 2 and shape[i, 1] < 2
    least, iterations, w = _judge(W, b, D, shape, start, law, P), 0, 0.25 * np.pi
    x, anchor = np.empty(n), np.empty(n)
    for _ in range(1 if lines else ROUNDS):
        if least <= tol:
            break
        M, q, E = pyramid_problem(V, c, shape, start, own, angle, w)
        z = np.zeros(q.size)
        k, _ = solve_lemke(M, q, z, max_iter if max_iter > 0 else most_pivots(q.size))
        iterations += k
        for i in range(n):
            x[i] = 0.0
            for j in range(q.size):
                x[i] += E[i, j] * z[j]
        _turn(x, shape, start, angle)
        for i in range(n):
            x[i] *= D[i]
            anchor[i] = x[i]
        r = _judge(W, b, D, shape, start, law, x)
        if r > tol:
            iterations += newton(W, b, D, shape, start, law, x, SLIGHT, anchor, 1, SYSTEMS, 0.1 * tol)[0]
            r = _judge(W, b, D, shape, start, law, x)
        if r < least:
            least = r
            P[:] = x
        w *= CLOSER
    return iterations, least


@allocating
def _judge(W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array) -> float:
    """Return the residual of P."""
    U = np.empty(b.size)
    for i in range(b.size):
        u = b[i]
        for j in range(b.size):
            u += W[i, j] * P[j]
        U[i] = u
    return cone_worst(U, b, P, D, shape, start, law)[1]
