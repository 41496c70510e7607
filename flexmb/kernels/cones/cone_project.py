"""Cones of contacts: ``K = {|P_T| <= mu P_N, |m_T| <= roll P_N, |m_N| <= spin P_N}``, block after block.

A block is a normal row and up to three *discs* of rows: ``shape`` holds how many rows slide, turn and spin, ``law`` the
radius of each disc over P_N. A disc without rows, or one whose radius is zero, is a case of the same formulas.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating
from flexmb.state import Array, IntArray

DISCS = 3
"""Discs of a block: sliding, rolling, spinning."""
LARGEST = 7
"""Most rows of a block: a normal, three that slide (two on a surface), two that turn and one that spins."""


@allocating
def block_starts(shape: IntArray) -> IntArray:
    """Return the first row of each block, and the end, (nb + 1,)."""
    nb = shape.shape[0]
    start = np.zeros(nb + 1, np.int64)
    for i in range(nb):
        start[i + 1] = start[i] + 1 + shape[i, 0] + shape[i, 1] + shape[i, 2]
    return start


@allocating
def disc_norm(x: Array, first: int, rows: int) -> float:
    """Return the Euclidean norm of up to three rows (none: 0)."""
    if rows == 0:
        return 0.0
    if rows == 1:
        return abs(x[first])
    across = float(np.hypot(x[first], x[first + 1]))
    return across if rows == 2 else float(np.hypot(across, x[first + 2]))


@allocating
def project_block(x: Array, first: int, shape: IntArray, law: Array, i: int) -> None:
    """Replace the rows of block i, from ``first`` on, by the nearest point of its cone.

    With ``t_d`` the norms of the discs, the normal entry n' of the nearest point is the root of

        n' - n = sum_d law_d max(t_d - law_d n', 0),

    whose right side falls and is convex: Newton's iteration from n rises to the root in at most four steps.

    Parameters
    ----------
    x : (n,) array
        Changed in place.
    first : int
    shape : (nb, 3) int array
    law : (nb, 3) array
    i : int
    """
    n = x[first]
    top = n
    for _ in range(DISCS + 1):
        above, below = n, 1.0
        at = first + 1
        for d in range(DISCS):
            t = disc_norm(x, at, shape[i, d])
            at += shape[i, d]
            if t > law[i, d] * top:
                above += law[i, d] * t
                below += law[i, d] * law[i, d]
        new = above / below
        if new <= top:
            break
        top = new
    top = max(top, 0.0)
    x[first] = top
    at = first + 1
    for d in range(DISCS):
        t = disc_norm(x, at, shape[i, d])
        radius = law[i, d] * top
        for k in range(shape[i, d]):
            if t > radius:
                x[at + k] *= radius / t
        at += shape[i, d]


@allocating
def project_cones(x: Array, shape: IntArray, start: IntArray, law: Array) -> None:
    """Replace every block by the nearest point of its cone."""
    for i in range(shape.shape[0]):
        project_block(x, start[i], shape, law, i)


@allocating
def normal_rise(U: Array, shape: IntArray, start: IntArray, law: Array, rise: Array) -> None:
    """Fill what De Saxce's change of variable adds to U: ``sum_d law_d |U_d|`` on the normals, zero elsewhere."""
    for i in range(shape.shape[0]):
        total = 0.0
        at = start[i] + 1
        for d in range(DISCS):
            total += law[i, d] * disc_norm(U, at, shape[i, d])
            at += shape[i, d]
        for r in range(start[i], start[i + 1]):
            rise[r] = 0.0
        rise[start[i]] = total
