"""The judge of every solver of contact problems with friction: the natural map, scaled so that no unit decides.

    U = W P + b,     K* ∋ U^ = (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P ∈ K
    error = max_i |P - proj_K(P - rho_i U^)|
    residual = max(error / max_i max(|P|, rho_i |b|),  x^2),
    x = max(error / max_i rho_i |b|,  sum_i |U^ . P| / (sum_i |b| |P| + max_i |b| max_i |P|))

``rho_i`` is the inverse of the mean diagonal entry of W over the normal and the rows that slide. Moments are measured
in the unit of impulses: rows that turn or spin are divided by the length ``sqrt(W_slide / W_turn)`` of these means.

The share x is what an answer leaves of b, by size and by work. Without it any problem without solution would have
answers of small residual: impulses that grow without end change nothing about U, but the scale grows with them. There
x is of the order of one; of a solution found to a residual r it is r times the growth ``|P| / (rho |b|)``.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.cones.cone_project import DISCS, LARGEST, disc_norm, project_block
from flexmb.state import Array, IntArray

ENDLESS = 1e12
"""Impulses that make rates of this times b lose b in the round-off of W P: the residual is infinite."""


@allocating
def _inverse_root(W_ii: Array, first: int, rows: int) -> float:
    """Return one over the root of the mean diagonal entry of some rows; 0 where there is none to speak of."""
    total = 0.0
    for k in range(rows):
        total += W_ii[first + k]
    return float(np.sqrt(rows / total)) if total > 0.0 else 0.0


@allocating
def cone_scales(W_ii: Array, shape: IntArray, start: IntArray) -> Array:
    """Return the numbers D of all rows with which D W D has mean diagonal entries 1, the same within normal and slide.

    Parameters
    ----------
    W_ii : (n,) array
        Diagonal of W.
    shape : (nb, 3) int array
    start : (nb + 1,) int array

    Returns
    -------
    D : (n,) array
        The root of rho for the normal and the rows that slide.
    """
    D = np.ones(W_ii.size)
    for i in range(shape.shape[0]):
        rows = 1 + shape[i, 0]
        first = start[i]
        own = _inverse_root(W_ii, first, rows)
        own = own if own > 0.0 else 1.0
        for k in range(rows):
            D[first + k] = own
        at = first + rows
        for d in range(1, DISCS):
            turn = _inverse_root(W_ii, at, shape[i, d])
            for k in range(shape[i, d]):
                D[at + k] = turn if turn > 0.0 else own
            at += shape[i, d]
    return D


@allocating
def scaled_law(D: Array, shape: IntArray, start: IntArray, law: Array) -> Array:
    """Return the radii of the discs between rows that are divided by D, (nb, 3)."""
    out = law.copy()
    for i in range(shape.shape[0]):
        at = start[i] + 1
        for d in range(DISCS):
            if shape[i, d] > 0:
                out[i, d] *= D[start[i]] / D[at]
            at += shape[i, d]
    return out


@inner
def _works(
    U: Array, b: Array, P: Array, D: Array, shape: IntArray, law: Array, i: int, first: int
) -> tuple[float, float, float, float]:
    """Return |U^ . P| and |b| |P| of a block, and its largest |b| and |P|, in the units of its normal."""
    rise, along, offered, at = 0.0, 0.0, abs(b[first] * P[first]), first + 1
    largest_b, largest_P = abs(b[first]), abs(P[first])
    for d in range(DISCS):
        rise += law[i, d] * disc_norm(U, at, shape[i, d])
        size_b, size_P = disc_norm(b, at, shape[i, d]), disc_norm(P, at, shape[i, d])
        offered += size_b * size_P
        if shape[i, d] > 0:
            arm = D[at] / D[first]
            largest_b, largest_P = max(largest_b, arm * size_b), max(largest_P, size_P / arm)
        for k in range(at, at + shape[i, d]):
            along += U[k] * P[k]
        at += shape[i, d]
    return abs((U[first] + rise) * P[first] + along), offered, largest_b, largest_P


@allocating
def _work_left(
    U: Array, b: Array, P: Array, D: Array, shape: IntArray, start: IntArray, law: Array
) -> tuple[int, float]:
    """Return the block whose impulse works most on U^, and the share of the work on b that all of them leave.

    The share is infinite where impulses are ``ENDLESS``.
    """
    block, most, left, offered, largest_b, largest_P, largest_rate = -1, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(shape.shape[0]):
        of_U, of_b, size_b, size_P = _works(U, b, P, D, shape, law, i, start[i])
        left, offered = left + of_U, offered + of_b
        largest_b, largest_P = max(largest_b, size_b), max(largest_P, size_P)
        largest_rate = max(largest_rate, size_P / D[start[i]] ** 2)
        if of_U > most:
            block, most = i, of_U
    if largest_rate > ENDLESS * largest_b:
        return block, np.inf
    return block, left / (offered + largest_b * largest_P)


@allocating
def cone_worst(
    U: Array, b: Array, P: Array, D: Array, shape: IntArray, start: IntArray, law: Array
) -> tuple[int, float]:
    """Return the block that violates its law most, and the residual.

    Parameters
    ----------
    U : (n,) array
        W P + b.
    b, P : (n,) arrays
    D : (n,) array
        ``cone_scales`` of W.
    shape : (nb, 3) int array
    start : (nb + 1,) int array
    law : (nb, 3) array
        Radii as they are in K, not scaled.

    Returns
    -------
    block : int
        -1 for none.
    residual : float
        Dimensionless; infinite when anything is not finite, 0 when b and P are zero.
    """
    block, worst, given, answered = -1, -1.0, 0.0, 0.0
    own = scaled_law(D, shape, start, law)
    x = np.empty(LARGEST)
    for i in range(shape.shape[0]):
        first, rows = start[i], start[i + 1] - start[i]
        D_N = D[first]
        rise = 0.0
        at = first + 1
        for d in range(DISCS):
            rise += law[i, d] * disc_norm(U, at, shape[i, d])
            at += shape[i, d]
        for k in range(rows):
            r = first + k
            if not (np.isfinite(U[r]) and np.isfinite(P[r])):
                return i, np.inf
            x[k] = P[r] / D[r] - D[r] * (U[r] + (rise if k == 0 else 0.0))
            given = max(given, D_N * D[r] * abs(b[r]))
            answered = max(answered, D_N / D[r] * abs(P[r]))
        project_block(x, 0, shape, own, i)
        wrong = 0.0
        for k in range(rows):
            wrong += (P[first + k] / D[first + k] - x[k]) ** 2
        wrong = D_N * np.sqrt(wrong)
        if wrong > worst:
            block, worst = i, wrong
    scale = max(given, answered)
    if given == 0.0 or answered == 0.0:
        return block, (worst / scale if scale > 0.0 else 0.0)
    working, left = _work_left(U, b, P, D, shape, start, law)
    residual, share = worst / scale, max(worst / given, left)
    if share * share <= residual:
        return block, residual
    return (working if left > worst / given else block), share * share
