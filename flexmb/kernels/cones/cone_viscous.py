"""Contact problems by the ratios of slip to impulse: what is left for problems that are singular and ill-conditioned.

A disc that slips with ``U_d = -s P_d`` is a dashpot. With all s given, the closed contacts follow from one linear
system, however small a slip is beside the others:

    (W + s + alpha) P = alpha P_before - b    on the rows of closed contacts

Wanted are the s with ``F = log(|P_d| / (law_d P_N)) = 0``, or s = 0 with F < 0. Newton's method finds log s: slips of
1e-9 of the largest one, over whose kink methods in P step again and again, are no further away than others.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.cone_lu import lu_solve
from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_newton import velocities_near
from flexmb.kernels.cones.cone_project import DISCS, disc_norm, project_cones
from flexmb.kernels.cones.cone_residual import cone_worst, scaled_law
from flexmb.state import Array, IntArray

RATIOS = (1e-9, 1e-3, 1.0, 1e3, 1e-6)
"""s at the start, over D^-2; one path each."""
PATHS, ROWS, RANGE = 60, 40, (-10.0, 2.0)
"""Paths of problems with so many rows, fewer with more; and the decades from which s of each disc is drawn on those
that have no number above."""
STEPS, SETS, PLAIN, EVERY = 120, 8, 8, 7
"""Most values of s on a path, index sets for one of them, and steps without Newton's method: the first ones, and then
every so many, against cycles."""
ALPHA, LOW, HIGH = 1e-12, -37.0, 32.0
"""The pull to the impulses before (over D^2), and bounds of log s."""
FARTHEST, BEYOND = 3.0, 30.0
"""Longest step in log s, and the largest F that counts."""


@allocating
def drawn(before: float) -> float:
    """Return the number after another one in a fixed sequence that looks like chance, in [0, 1)."""
    x = 16807.0 * (before * 2147483647.0 + 1.0)
    return float((x % 2147483647.0) / 2147483647.0)


@allocating
def tries_of(n: int) -> int:
    """Return how many starts are worth their time on n rows: all up to ``ROWS``, then in inverse proportion to n^3."""
    return max(len(RATIOS), PATHS if n <= ROWS else int(PATHS * (ROWS / n) ** 3))


@allocating
def _solve_many(A: Array, m: int, X: Array) -> bool:
    """Replace the m rows of X by A^-1 X (Gauss and Jordan with pivots); False where A is singular."""
    for p in range(m):
        top = p
        for i in range(p + 1, m):
            if abs(A[i, p]) > abs(A[top, p]):
                top = i
        if not abs(A[top, p]) > 0.0:
            return False
        if top != p:
            for j in range(m):
                A[p, j], A[top, j] = A[top, j], A[p, j]
            for j in range(X.shape[1]):
                X[p, j], X[top, j] = X[top, j], X[p, j]
        for i in range(m):
            f = A[i, p] / A[p, p]
            if i != p and f != 0.0:
                for j in range(p, m):
                    A[i, j] -= f * A[p, j]
                for j in range(X.shape[1]):
                    X[i, j] -= f * X[p, j]
    for i in range(m):
        for j in range(X.shape[1]):
            X[i, j] /= A[i, i]
    return True


@allocating
def _respond(
    V: Array, c: Array, s: Array, disc: IntArray, start: IntArray, closed: IntArray, x: Array, dx: Array
) -> bool:
    """Fill the impulses x of given s, x the ones before, and their slopes in log s, dx (n, discs); find ``closed``.

    Everything in units of D; ``disc`` is the disc of each row, -1 for normals.
    """
    n, nb, discs = c.size, start.size - 1, dx.shape[1]
    pull = x.copy()
    row = np.empty(n, np.int64)
    for _ in range(SETS):
        m = 0
        for i in range(nb):
            if closed[i] == 1:
                for r in range(start[i], start[i + 1]):
                    row[m] = r
                    m += 1
        A, y = np.empty((m, m)), np.empty(m)
        for p in range(m):
            for q in range(m):
                A[p, q] = V[row[p], row[q]]
            A[p, p] += ALPHA + (s[disc[row[p]]] if disc[row[p]] >= 0 else 0.0)
            y[p] = ALPHA * pull[row[p]] - c[row[p]]
        B = A.copy()
        if not lu_solve(B, m, y):
            return False
        x[:] = 0.0
        for p in range(m):
            x[row[p]] = y[p]
        changed = False
        for i in range(nb):
            first = start[i]
            u = c[first]
            for j in range(n):
                u += V[first, j] * x[j]
            if closed[i] == 1 and x[first] < 0.0:
                closed[i], changed = 0, True
            elif closed[i] == 0 and u < 0.0:
                closed[i], changed = 1, True
        if not changed:
            break
    X = np.zeros((m, discs))
    for p in range(m):
        k = disc[row[p]]
        if k >= 0:
            X[p, k] = -s[k] * x[row[p]]
    if not _solve_many(A, m, X):
        return False
    dx[:] = 0.0
    for p in range(m):
        for k in range(discs):
            dx[row[p], k] = X[p, k]
    return True


@allocating
def _next_ratios(
    x: Array, dx: Array, first: IntArray, normal: IntArray, size: IntArray, radius: Array, step: int, s: Array
) -> None:
    """Move log s of the discs of closed contacts by a step of Newton's method, or towards smaller |F|."""
    discs = s.size
    F, use, own = np.empty(discs), np.empty(discs, np.int64), np.empty(discs)
    m = 0
    for k in range(discs):
        own[k] = np.log(s[k])
        t, R = disc_norm(x, first[k], size[k]), radius[k] * x[normal[k]]
        if R <= 0.0:  # open, or without friction: it gives way
            F[k] = BEYOND
        elif t <= 0.0:
            F[k] = -BEYOND
        else:
            F[k] = min(max(np.log(t / R), -BEYOND), BEYOND)
        bound = (own[k] <= LOW and F[k] < 0.0) or (own[k] >= HIGH and F[k] > 0.0)
        if R > 0.0 and t > 0.0 and not bound:
            use[m] = k
            m += 1
    move = np.minimum(np.maximum(F, -2.0), 2.0)
    if step > PLAIN and step % EVERY > 0 and m > 0:
        J, y = np.empty((m, m)), np.empty(m)
        for p in range(m):
            k = use[p]
            t, N = disc_norm(x, first[k], size[k]), x[normal[k]]
            y[p] = -F[k]
            for q in range(m):
                slope = -dx[normal[k], use[q]] / N
                for r in range(first[k], first[k] + size[k]):
                    slope += x[r] * dx[r, use[q]] / (t * t)
                J[p, q] = slope
        if lu_solve(J, m, y):
            for p in range(m):
                if np.isfinite(y[p]):
                    move[use[p]] = min(max(y[p], -FARTHEST), FARTHEST)
    for k in range(discs):
        if x[normal[k]] > 0.0 or radius[k] == 0.0:
            s[k] = np.exp(min(max(own[k] + move[k], LOW), HIGH))


@allocating
def solve_viscous(
    W: Array, b: Array, D: Array, shape: IntArray, start: IntArray, law: Array, P: Array, tol: float
) -> tuple[int, float]:
    """Follow paths of ratios from a few starts until one ends at the residual asked for.

    Parameters
    ----------
    W, b, D, shape, start, law, tol
        As in ``cone_newton.newton``.
    P : (n,) array
        In and out: the best answer known.

    Returns
    -------
    iterations : int
        Values of s, each with its linear systems.
    residual : float
    """
    n, nb = b.size, shape.shape[0]
    V, c, own = np.empty((n, n)), np.empty(n), scaled_law(D, shape, start, law)
    disc, first, normal = np.full(n, -1), np.empty(3 * nb, np.int64), np.empty(3 * nb, np.int64)
    size, radius = np.empty(3 * nb, np.int64), np.empty(3 * nb)
    for i in range(n):
        c[i] = D[i] * b[i]
        for j in range(n):
            V[i, j] = D[i] * W[i, j] * D[j]
    m = 0
    for i in range(nb):
        at = start[i] + 1
        for d in range(DISCS):
            if shape[i, d] > 0:
                first[m], normal[m], size[m], radius[m] = at, start[i], shape[i, d], own[i, d]
                disc[at : at + shape[i, d]] = m
                m += 1
            at += shape[i, d]
    chance = 0.5
    U, x, y, dx = np.empty(n), np.empty(n), np.empty(n), np.empty((n, m))
    velocities_near(W, b, D, P, 0.0, P, U)
    least, iterations = cone_worst(U, b, P, D, shape, start, law)[1], 0
    for path in range(tries_of(n)):
        s, closed = np.empty(m), np.ones(nb, np.int64)
        for k in range(m):
            if path < len(RATIOS):
                s[k] = RATIOS[path]
            else:
                chance = drawn(chance)
                s[k] = 10.0 ** (RANGE[0] + (RANGE[1] - RANGE[0]) * chance)
        x[:] = 0.0
        for step in range(STEPS):
            if least <= tol:
                return iterations, least
            iterations += 1
            if not _respond(V, c, s, disc, start, closed, x, dx):
                break
            for k in range(2):
                for i in range(n):
                    y[i] = D[i] * x[i]
                if k == 1:
                    project_cones(y, shape, start, law)
                velocities_near(W, b, D, y, 0.0, y, U)
                r = cone_worst(U, b, y, D, shape, start, law)[1]
                if r < least:
                    least = r
                    P[:] = y
            _next_ratios(x, dx, first[:m], normal[:m], size[:m], radius[:m], step, s)
    return iterations, least
