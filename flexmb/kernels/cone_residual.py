"""The judge of every solver of contact problems with friction: the natural map, scaled so that no unit decides.

    U = W P + b,     K* ∋ U^ = (U_N + mu |U_T| + roll |omega_T| + spin |omega_N|, U_T, omega_T, omega_N)  perp  P ∈ K
    residual = max_i |P - proj_K(P - rho_i U^)| / max_i max(|P|, rho_i |b|)

``rho_i`` is the inverse of the mean diagonal entry of W over the normal and the rows that slide. Moments are measured
in the unit of impulses: rows that turn or spin are divided by the length ``sqrt(W_slide / W_turn)`` of these means.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.cone_project import DISCS, LARGEST, disc_norm, project_block
from flexmb.kernels.jit import allocating
from flexmb.state import Array, IntArray

RUNAWAY, ENDLESS = 1e8, 1e13
"""Impulses count at most the first times ``rho |b|``: impulses that grow do not solve a problem without solution; above
the second, b is lost in the round-off of W P, and the residual is infinite."""


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
    scale = max(given, min(answered, RUNAWAY * given)) if given > 0.0 else answered
    if scale == 0.0:
        return block, 0.0
    if given > 0.0 and answered > ENDLESS * given:
        return block, np.inf
    return block, worst / scale
