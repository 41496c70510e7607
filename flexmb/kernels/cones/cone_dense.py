"""Few contacts with friction: the sub-problem of the blocks that take part, by its dense matrix and ``solve_cones``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.jit import allocating
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.cones.cone_newton import newton, polish
from flexmb.kernels.cones.cone_problem import HARD, ITERATIONS, LIMIT, METHOD, RESIDUAL, TOLERANCE, WORST, Cones
from flexmb.kernels.cones.cone_project import block_starts
from flexmb.kernels.cones.cone_residual import cone_scales
from flexmb.kernels.cones.cones import AUTO, solve_cones_by
from flexmb.state import Array, Array2, IntArray

FIRST = 8
"""Most linear systems of Newton's method from the impulses of the step before; other methods follow."""


class DenseCones(NamedTuple):
    """The problem, and the matrix W over all its rows."""

    cones: Cones
    W: Array2


_arrays: Any = arrays_at(DenseCones)


@allocating
def _go_on(W: Array, b: Array, shape: IntArray, law: Array, z: Array, tol: float) -> tuple[int, float]:
    """Try Newton's method from the impulses of the step before, to round-off; ``z`` stays as it is where it fails."""
    start, W_ii, x = block_starts(shape), np.empty(b.size), z.copy()
    for k in range(b.size):
        W_ii[k] = W[k, k]
    D = cone_scales(W_ii, shape, start)
    tried, residual = newton(W, b, D, shape, start, law, x, 0.0, x, 1, FIRST, tol)
    if residual <= tol:
        more, residual = polish(W, b, D, shape, start, law, x, residual)
        tried += more
        z[:] = x
    return tried, residual


@allocating
def _solve_blocks(c: Cones, W: Array, chosen: IntArray) -> None:
    """Solve on the blocks with ``chosen`` > 0, from the guess in ``z``; ``z`` is zero elsewhere."""
    nb = chosen.size
    blocks, rows, pressed = 0, 0, False
    for i in range(nb):
        if chosen[i] > 0:
            blocks += 1
            rows += c.first[i + 1] - c.first[i]
            pressed = pressed or not c.b[c.first[i]] >= 0.0
    if not pressed:
        c.z[:] = 0.0
        c.answer[RESIDUAL] = 0.0
        return
    shape, law, which = np.empty((blocks, 3), np.int64), np.empty((blocks, 3)), np.empty(blocks, np.int64)
    row, b, z, W_a = np.empty(rows, np.int64), np.empty(rows), np.empty(rows), np.empty((rows, rows))
    blocks, rows = 0, 0
    for i in range(nb):
        if chosen[i] > 0:
            which[blocks] = i
            for d in range(3):
                shape[blocks, d] = c.shape[i, d]
                law[blocks, d] = c.law[i, d]
            blocks += 1
            for k in range(c.first[i], c.first[i + 1]):
                row[rows] = k
                rows += 1
    warm = False
    for k in range(rows):
        b[k], z[k] = c.b[row[k]], c.z[row[k]]
        warm = warm or z[k] != 0.0
        for j in range(rows):
            W_a[k, j] = W[row[k], row[j]]
    tried, residual, worst = 0, np.inf, 0
    if warm and blocks > 1 and c.choice[METHOD] == AUTO:
        tried, residual = _go_on(W_a, b, shape, law, z, c.setting[TOLERANCE])
    if not residual <= c.setting[TOLERANCE]:
        iterations, residual, worst = solve_cones_by(
            W_a, b, shape, law, z, c.choice[METHOD], c.choice[LIMIT], c.setting[TOLERANCE], c.choice[HARD]
        )
        tried += iterations
    for k in range(c.z.size):
        c.z[k] = 0.0
    for k in range(rows):
        c.z[row[k]] = z[k]
    c.answer[ITERATIONS] += tried
    c.answer[RESIDUAL] = residual
    c.answer[WORST] = which[worst] if worst >= 0 else 0


@allocating
def _levels(c: Cones, W: Array) -> None:
    """Solve both levels on a growing working set, as ``contact_step.solve_ggl`` does; ``asked`` becomes that set."""
    nc, chosen = c.closed.size, c.asked
    none = True
    for i in range(nc):
        chosen[i] = chosen[nc + i] = c.closed[i]
        none = none and c.closed[i] == 0
    if none:
        c.z[:] = 0.0
        return
    rounds = 0
    while True:
        _solve_blocks(c, W, chosen)
        if not c.answer[RESIDUAL] <= c.setting[TOLERANCE]:
            return
        changed = False
        for i in range(nc):
            if chosen[i] == 0:
                gap = c.b[i]
                for k in range(c.z.size):
                    gap += W[i, k] * c.z[k]
                if gap < 0.0:
                    chosen[i] = 1
                    changed = True
        for i in range(nc):
            wanted = 1 if c.closed[i] > 0 or c.z[i] > 0.0 or (rounds >= nc and chosen[nc + i] > 0) else 0
            if wanted != chosen[nc + i]:
                chosen[nc + i] = wanted
                changed = True
        rounds += 1
        if not changed:
            return


@stage
def solve_dense(at: int, flag: int) -> int:
    """Solve the problem at an address."""
    d = _arrays(at)
    d.cones.answer[ITERATIONS], d.cones.answer[RESIDUAL], d.cones.answer[WORST] = 0.0, 0.0, 0.0
    if d.cones.closed.size < d.cones.asked.size:
        _levels(d.cones, d.W)
    else:
        _solve_blocks(d.cones, d.W, d.cones.asked)
    return 0
