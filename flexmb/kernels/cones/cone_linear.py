"""Alart and Curnier's function of a contact problem and its slopes, block by block.

    Phi_N = P_N - [P_N - r_N U_N]_+,     Phi_d = P_d - proj_{|.| <= law_d [P_N - r_N U_N]_+}(P_d - r_d U_d)

with ``r_N = 1 / W_NN`` and ``r_d = 1 / max diag W_dd``. Phi = 0 is the contact problem. Its slope in P is
``A W + B`` with A and B made of blocks of the size of a contact (Alart and Curnier, 1991).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_project import DISCS, disc_norm
from flexmb.state import Array, IntArray


@allocating
def step_lengths(W_ii: Array, shape: IntArray, start: IntArray) -> Array:
    """Return r of each row: one over W_NN, or over the largest diagonal entry of its disc, (n,)."""
    out = np.ones(W_ii.size)
    for i in range(shape.shape[0]):
        first = start[i]
        if W_ii[first] > 0.0:
            out[first] = 1.0 / W_ii[first]
        at = first + 1
        for d in range(DISCS):
            top = 0.0
            for k in range(shape[i, d]):
                top = max(top, W_ii[at + k])
            for k in range(shape[i, d]):
                out[at + k] = 1.0 / top if top > 0.0 else out[first]
            at += shape[i, d]
    return out


@allocating
def linearize(
    U: Array,
    P: Array,
    r: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    Phi: Array,
    A: Array,
    B: Array,
    closed: IntArray,
) -> None:
    """Fill Phi and the blocks A of its slope in U, and B of that in P.

    Parameters
    ----------
    U, P, r : (n,) arrays
    shape : (nb, 3) int array
    start : (nb + 1,) int array
    law : (nb, 3) array
    Phi : (n,) array
        Out.
    A, B : (nb, 7, 7) arrays
        Out, on the rows of each block.
    closed : (nb,) int array
        Out: 0 where P_N - r_N U_N <= 0: there Phi = P, A = 0 and B = 1.
    """
    for i in range(shape.shape[0]):
        first, rows = start[i], start[i + 1] - start[i]
        for k in range(rows):
            for j in range(rows):
                A[i, k, j] = 0.0
                B[i, k, j] = 0.0
        x = P[first] - r[first] * U[first]
        closed[i] = 1 if x > 0.0 else 0
        if closed[i] == 0:
            for k in range(rows):
                Phi[first + k] = P[first + k]
                B[i, k, k] = 1.0
            continue
        Phi[first] = r[first] * U[first]
        A[i, 0, 0] = r[first]
        at = 1
        for d in range(DISCS):
            n = shape[i, d]
            if n > 0:
                _disc(U, P, r, first, at, n, law[i, d], x, Phi, A[i], B[i])
            at += n


@allocating
def _disc(
    U: Array, P: Array, r: Array, first: int, at: int, n: int, mu: float, x: float, Phi: Array, A: Array, B: Array
) -> None:
    """Fill the rows of one disc of a closed contact."""
    for k in range(n):
        row = first + at + k
        Phi[row] = P[row] - r[row] * U[row]  # the point that is projected
    t = disc_norm(Phi, first + at, n)
    radius = mu * x
    if t <= radius:
        for k in range(n):
            row = first + at + k
            Phi[row] = r[row] * U[row]
            A[at + k, at + k] = r[row]
        return
    for k in range(n):
        e = Phi[first + at + k] / t
        A[at + k, 0] = mu * r[first] * e
        B[at + k, 0] = -mu * e
        for j in range(n):
            turn = radius / t * ((1.0 if k == j else 0.0) - e * Phi[first + at + j] / t)
            A[at + k, at + j] = r[first + at + j] * turn
            B[at + k, at + j] = (1.0 if k == j else 0.0) - turn
    for k in range(n):
        row = first + at + k
        Phi[row] = P[row] - radius * Phi[row] / t
