"""Newton's method on a smooth function that goes over into Alart and Curnier's, where kinks stop the others.

    p(x) = (x + sqrt(x^2 + 4 eps^2)) / 2                      for  [x]_+
    R y / m,  m = (R + t + sqrt((R - t)^2 + eps^2)) / 2       for the projection of y, t = |y|, on the disc of radius R

eps falls from the size of the problem to round-off. How fast it falls decides where the path ends, so a few are tried.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_linear import step_lengths
from flexmb.kernels.cones.cone_newton import direction, norm_of, velocities_near
from flexmb.kernels.cones.cone_project import DISCS, LARGEST
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.state import Array, IntArray

SHRINK = (0.5, 0.05, 0.2, 0.8, 0.35, 0.1, 0.65, 0.02)
"""Factors by which eps falls; one path each."""
STEPS, SYSTEMS = 15, 200
"""Most linear systems for one eps, and on one path."""
ALPHA, SMALLEST, STALLED = 1e-11, 1e-17, 1e-4
"""What W is raised by (over D^2), the last eps, and the share of a step that counts as none."""


@allocating
def smooth_function(
    U: Array,
    P: Array,
    r: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    eps: float,
    Phi: Array,
    A: Array,
    B: Array,
) -> None:
    """Fill the smooth Phi and the blocks of its slopes in U and P, as ``cone_linear.linearize`` does.

    Parameters
    ----------
    U, P, r, D : (n,) arrays
    shape : (nb, 3) int array
    start : (nb + 1,) int array
    law : (nb, 3) array
    eps : float
        In units of D.
    Phi : (n,) array
        Out.
    A, B : (nb, 7, 7) arrays
        Out, on the rows of each block.
    """
    for i in range(shape.shape[0]):
        first, rows = start[i], start[i + 1] - start[i]
        for k in range(rows):
            for j in range(rows):
                A[i, k, j], B[i, k, j] = 0.0, 0.0
        e = eps * D[first]
        x = P[first] - r[first] * U[first]
        s = np.sqrt(x * x + 4.0 * e * e)
        p = 0.5 * (x + s) if x > 0.0 else 2.0 * e * e / (s - x)
        dp = p / s
        Phi[first] = P[first] - p
        A[i, 0, 0], B[i, 0, 0] = dp * r[first], 1.0 - dp
        at = 1
        for d in range(DISCS):
            n = shape[i, d]
            if n > 0:
                e = eps * D[first + at]
                _smooth_disc(U, P, r, first, at, n, law[i, d], p, dp, e, Phi, A[i], B[i])
            at += n


@allocating
def _smooth_disc(
    U: Array,
    P: Array,
    r: Array,
    first: int,
    at: int,
    n: int,
    mu: float,
    p: float,
    dp: float,
    eps: float,
    Phi: Array,
    A: Array,
    B: Array,
) -> None:
    """Fill the rows of one disc."""
    t = eps * eps
    for k in range(n):
        row = first + at + k
        Phi[row] = P[row] - r[row] * U[row]  # y, which is projected
        t += Phi[row] ** 2
    t = np.sqrt(t)
    R = mu * p
    s = np.sqrt((R - t) ** 2 + eps * eps)
    m = 0.5 * (R + t + s)
    q = R / m
    q_R = (m - 0.5 * R * (1.0 + (R - t) / s)) / (m * m)
    q_t = -0.5 * R * (1.0 - (R - t) / s) / (m * m)
    for k in range(n):
        y = Phi[first + at + k]
        A[at + k, 0] = y * q_R * mu * dp * r[first]
        B[at + k, 0] = -y * q_R * mu * dp
        for j in range(n):
            slope = y * q_t * Phi[first + at + j] / t + (q if k == j else 0.0)
            A[at + k, at + j] = slope * r[first + at + j]
            B[at + k, at + j] = (1.0 if k == j else 0.0) - slope
    for k in range(n):
        row = first + at + k
        Phi[row] = P[row] - q * Phi[row]


@allocating
def solve_smooth(
    W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array, tol: float
) -> tuple[int, float]:
    """Follow paths of the smooth function until one ends at the residual asked for.

    Arguments are those of ``cone_viscous.solve_viscous``. Returns the number of linear systems, and the residual.
    """
    n = b.size
    U = np.empty(n)
    velocities_near(W, b, D, P, 0.0, P, U)
    least = cone_worst(U, b, P, D, shape, start, law)[1]
    size = 0.0
    for i in range(n):
        size = max(size, D[i] * abs(b[i]))
    x = np.empty(n)
    iterations = 0
    for shrink in SHRINK:
        if least <= tol:
            break
        x[:] = 0.0
        k, r = _path(W, b, D, shape, start, law, x, size, shrink, tol)
        iterations += k
        if r < least:
            least = r
            P[:] = x
    return iterations, least


@allocating
def _path(
    W: Array,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    size: float,
    shrink: float,
    tol: float,
) -> tuple[int, float]:
    """Follow one path from P; P gets its best point."""
    n, nb = b.size, shape.shape[0]
    U, Phi, dP, trial, best, zero = np.empty(n), np.empty(n), np.empty(n), np.empty(n), P.copy(), np.zeros(n)
    true = np.empty(n)
    A, B = np.zeros((nb, LARGEST, LARGEST)), np.zeros((nb, LARGEST, LARGEST))
    closed, W_ii = np.ones(nb, np.int64), np.empty(n)
    for i in range(n):
        W_ii[i] = W[i, i] + ALPHA / (D[i] * D[i])
    r = step_lengths(W_ii, shape, start)
    eps, least, iterations = size, np.inf, 0
    velocities_near(W, b, D, P, ALPHA, zero, U)
    while least > tol and iterations < SYSTEMS and eps > SMALLEST * size:
        for _ in range(STEPS):
            smooth_function(U, P, r, D, shape, start, law, eps, Phi, A, B)
            before = norm_of(Phi, D)
            if before <= 0.1 * eps:
                break
            iterations += 1
            if not direction(W, D, ALPHA, P, Phi, A, B, closed, start, dP):
                P[:] = best
                return iterations, least
            share = 1.0
            while share > STALLED:
                for i in range(n):
                    trial[i] = P[i] + share * dP[i]
                velocities_near(W, b, D, trial, ALPHA, zero, U)
                smooth_function(U, trial, r, D, shape, start, law, eps, Phi, A, B)
                if norm_of(Phi, D) < (1.0 - 1e-4 * share) * before:
                    break
                share *= 0.5
            P[:] = trial
            if share <= STALLED:
                break
        velocities_near(W, b, D, P, 0.0, zero, true)  # large impulses are judged without what W was raised by
        residual = cone_worst(true, b, P, D, shape, start, law)[1]
        if residual < least:
            least = residual
            best[:] = P
        if not residual < np.inf:
            break
        eps *= shrink
    P[:] = best
    return iterations, least
