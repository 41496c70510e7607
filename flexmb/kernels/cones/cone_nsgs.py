"""Nonsmooth Gauss-Seidel: one contact at a time, exactly, over and over; with over-relaxation it is PSOR."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.cones.cone_project import LARGEST, project_block
from flexmb.kernels.cones.cone_residual import cone_worst
from flexmb.kernels.cones.cone_rows import SparseRows, own_blocks, row_product, velocities
from flexmb.kernels.cones.cone_single import solve_single
from flexmb.state import Array, IntArray


@allocating
def solve_nsgs(
    W: SparseRows,
    b: Array,
    D: Array,
    shape: IntArray,
    start: IntArray,
    law: Array,
    P: Array,
    omega: float,
    max_iter: int,
    tol: float,
) -> tuple[int, float]:
    """Sweep over the blocks in their order, each solved exactly with the others held.

    Parameters
    ----------
    W : SparseRows
    b, D, shape, start, law
        The rest of the problem, as in ``cone_newton.newton``.
    P : (n,) array
        In: warm start. Out: the last iterate, in K.
    omega : float
        Share of each change that is made: 1 for Gauss-Seidel; above 1 the result is brought back to the cone.
    max_iter : int
        Most sweeps.
    tol : float
        Residual to stop at; looked at after each of the first eight sweeps, then after every eighth.

    Returns
    -------
    iterations : int
    residual : float
    """
    nb = shape.shape[0]
    own, U = own_blocks(W, start), np.empty(b.size)
    u, x = np.empty(LARGEST), np.empty(LARGEST)
    velocities(W, P, b, U)
    residual = cone_worst(U, b, P, D, shape, start, law)[1]
    iterations = 0
    while residual > tol and residual < np.inf and iterations < max_iter:
        for i in range(nb):
            first, rows = start[i], start[i + 1] - start[i]
            for k in range(rows):
                u[k] = row_product(W, P, b, first + k)
            for k in range(rows):
                for j in range(rows):
                    u[k] -= own[i, k, j] * P[first + j]
            solve_single(own[i], u, rows, shape, law, i, x)
            for k in range(rows):
                P[first + k] = x[k] if omega == 1.0 else P[first + k] + omega * (x[k] - P[first + k])
            if omega > 1.0:
                project_block(P, first, shape, law, i)
        iterations += 1
        if iterations <= 8 or iterations % 8 == 0 or iterations == max_iter:
            velocities(W, P, b, U)
            residual = cone_worst(U, b, P, D, shape, start, law)[1]
    return iterations, residual
