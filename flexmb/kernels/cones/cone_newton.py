"""Newton's method on Alart and Curnier's function, for W or for W raised towards an iterate before.

    U = W P + b + alpha D^-2 (P - P_k),     (A (W + alpha D^-2) + B) dP = -Phi

Only the closed contacts are in the linear system: an open one has dP = -P. Whole steps are best where W is regular or
the answer near; in the proximal method they are halved until Phi falls.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.cone_lu import lu_solve
from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_linear import linearize, step_lengths
from flexmb.kernels.cones.cone_project import LARGEST
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.state import Array, IntArray

HALVINGS = 8
"""Most halvings of a step."""
VAIN = 15
"""Steps without a smaller residual before the iteration is given up."""
POLISHES, ROUND_OFF, SLIGHT, MORE = 6, 1e-15, 1e-5, 30.0
"""Most steps of ``polish``, the residual that needs none, its alpha, and the factor on alpha where it did not help."""


@allocating
def velocities_near(W: Array, b: Array, D: Array, P: Array, alpha: float, anchor: Array, U: Array) -> None:
    """Fill U = W P + b + alpha D^-2 (P - anchor)."""
    for i in range(b.size):
        u = b[i]
        for j in range(b.size):
            u += W[i, j] * P[j]
        U[i] = u + alpha * (P[i] - anchor[i]) / (D[i] * D[i])


@allocating
def norm_of(Phi: Array, D: Array) -> float:
    """Return the norm of Phi, each row in units of its own impulse."""
    total = 0.0
    for i in range(Phi.size):
        total += (Phi[i] / D[i]) ** 2
    return float(np.sqrt(total))


@allocating
def direction(
    W: Array,
    D: Array,
    alpha: float,
    P: Array,
    Phi: Array,
    A: Array,
    B: Array,
    closed: IntArray,
    start: IntArray,
    dP: Array,
) -> bool:
    """Fill dP; False where the linear system is singular."""
    n = P.size
    rows = np.empty(n, np.int64)
    m = 0
    for i in range(closed.size):
        for r in range(start[i], start[i + 1]):
            dP[r] = -P[r]
            if closed[i] == 1:
                rows[m] = r
                m += 1
                dP[r] = 0.0
    J, x, line = np.empty((m, m)), np.empty(m), np.empty(n)
    at = 0
    for i in range(closed.size):
        if closed[i] == 0:
            continue
        first, count = start[i], start[i + 1] - start[i]
        for k in range(count):
            line[:] = 0.0
            for j in range(count):
                f = A[i, k, j]
                if f != 0.0:
                    for c in range(n):
                        line[c] += f * W[first + j, c]
            s = -Phi[first + k]
            for c in range(n):
                s -= line[c] * dP[c]
            for j in range(count):
                line[first + j] += A[i, k, j] * alpha / (D[first + j] * D[first + j]) + B[i, k, j]
            own = 1.0 / D[first + k]
            for q in range(m):
                J[at, q] = own * line[rows[q]] * D[rows[q]]
            x[at] = own * s
            at += 1
    if not lu_solve(J, m, x):
        return False
    for q in range(m):
        dP[rows[q]] = x[q] * D[rows[q]]
        if not np.isfinite(x[q]):
            return False
    return True


@allocating
def polish(
    W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array, residual: float
) -> tuple[int, float]:
    """Bring an answer to round-off by a few whole steps, kept as long as the residual falls.

    What a tolerance leaves in U would add up in the gaps of contacts that stick over thousands of steps. A little
    ``alpha`` keeps redundant contacts regular.

    Returns
    -------
    iterations : int
    residual : float
    """
    iterations, alpha = 0, SLIGHT
    x, anchor, U = P.copy(), P.copy(), np.empty(b.size)
    for _ in range(POLISHES):
        if residual <= ROUND_OFF:
            break
        anchor[:] = P
        x[:] = P
        iterations += newton(W, b, D, shape, start, law, x, alpha, anchor, 1, 1, 0.0)[0]
        velocities_near(W, b, D, x, 0.0, anchor, U)
        r = cone_worst(U, b, x, D, shape, start, law)[1]
        if r < residual:
            residual = r
            P[:] = x
        else:
            alpha *= MORE
    return iterations, residual


@allocating
def newton(
    W: Array,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    alpha: float,
    anchor: Array,
    halvings: int,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Solve the contact problem of ``W + alpha D^-2`` and ``b - alpha D^-2 anchor``.

    Parameters
    ----------
    W : (n, n) array
        Of ``U = W P + b``, here and in all dense methods that follow this one.
    b : (n,) array
    D : (n,) array
        ``cone_scales`` of W: what an impulse of each row is measured in.
    shape : (nb, 3) int array
        Rows that slide, turn and spin of each block, beside its normal.
    start : (nb + 1,) int array
        First row of each block, and the end.
    law : (nb, 3) array
        Radius of each disc of a block over its normal impulse: mu, roll and spin.
    P : (n,) array
        In: first guess. Out: the iterate with the smallest residual.
    alpha : float
        0 for the problem itself.
    anchor : (n,) array
    halvings : int
        Most halvings of a step; 1: whole steps.
    max_iter : int
        Most linear systems.
    tol : float
        Residual to stop at.

    Returns
    -------
    iterations : int
    residual : float
        Of the problem with ``alpha``, over the scale of that without.
    """
    n, nb = b.size, shape.shape[0]
    U, Phi, dP, trial, best = np.empty(n), np.empty(n), np.empty(n), np.empty(n), P.copy()
    A, B = np.zeros((nb, LARGEST, LARGEST)), np.zeros((nb, LARGEST, LARGEST))
    closed, W_ii = np.empty(nb, np.int64), np.empty(n)
    for i in range(n):
        W_ii[i] = W[i, i] + alpha / (D[i] * D[i])
    r = step_lengths(W_ii, shape, start)
    velocities_near(W, b, D, P, alpha, anchor, U)
    least = cone_worst(U, b, P, D, shape, start, law)[1]
    iterations, vain = 0, 0
    while least > tol and iterations < max_iter and vain < VAIN:
        linearize(U, P, r, shape, start, law, Phi, A, B, closed)
        size = norm_of(Phi, D)
        iterations += 1
        if not direction(W, D, alpha, P, Phi, A, B, closed, start, dP):
            break
        share = 1.0
        for _ in range(halvings):
            for i in range(n):
                trial[i] = P[i] + share * dP[i]
            velocities_near(W, b, D, trial, alpha, anchor, U)
            if halvings == 1:
                break
            linearize(U, trial, r, shape, start, law, Phi, A, B, closed)
            if norm_of(Phi, D) < (1.0 - 1e-4 * share) * size:
                break
            share *= 0.5
        for i in range(n):
            P[i] = trial[i]
        residual = cone_worst(U, b, P, D, shape, start, law)[1]
        vain += 1
        if residual < least:
            least, vain = residual, 0
            for i in range(n):
                best[i] = P[i]
        if not residual < np.inf:
            break
    for i in range(n):
        P[i] = best[i]
    return iterations, least
