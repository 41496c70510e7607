"""Which contacts are closed, and which of their discs slip: index sets with friction in the bordered matrix.

A disc (``cones.cone_project``) that sticks has its rows in the set, U_d = 0. One that slips has z_d = law_d z_N d,
d a unit vector: the normal's column becomes G_N + law_d H d, and its own rows leave the set; in space the row across d
stays, giving way by sigma = |U_d| / |z_d| as Coulomb's law asks (the slope of Alart and Curnier's function). Rows and
columns of a disc that slips are turned to d and across it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.algebra.bordered import Border
from flexmb.kernels.algebra.envelope import SIGNED
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.cones.cone_problem import Cones
from flexmb.kernels.cones.cone_project import DISCS
from flexmb.state import Array, IntArray, IntArray2

HYSTERESIS = 64 * 2.220446049250313e-16
"""Round-off, relative, by which a contact may be on the wrong side."""


class Faces(NamedTuple):
    """Arrays of the iteration over index sets with friction.

    Parameters
    ----------
    row_val, col_val
        Values of rows and columns of all multipliers before discs are turned; rows of one block have one pattern.
    scale : (m,) array
        Those of the judge, ``kernels.cones.cone_residual.cone_scales``.
    own : (m,) array
        Compliance of each row in the conditions of Alart and Curnier: that of the normal, the largest one of a disc.
    closed : (nb,) int array
        Blocks in the set.
    slips : (nb, 3) int array
        Which of their discs slip.
    along : (m,) array
        Unit vector d of each disc that slips.
    across : (m,) array
        sigma of the row across d, on the second row of its disc; infinite where no row stays.
    member : (m,) int array
        Rows in the set, marked as ``envelope.SIGNED``.
    b, w, r, dz, best, start : (m,) arrays
        Right-hand sides as solved for (turned, and with the pull of the proximal term), rates, corrections, the best
        answer, and that towards which the proximal term pulls.
    z_0, w_0 : (m,) arrays
        Impulses and rates before a step of a proximal problem.
    soft : (m,) array
        Compliance of the proximal term of each row.
    """

    row_val: Array
    col_val: Array
    scale: Array
    own: Array
    closed: IntArray
    slips: IntArray2
    along: Array
    across: Array
    member: IntArray
    b: Array
    w: Array
    r: Array
    dz: Array
    best: Array
    start: Array
    z_0: Array
    w_0: Array
    soft: Array


@inner
def _put(B: Border, m: int, e: int, row: float, col: float) -> bool:
    """Write entry e of multiplier m; return whether it is another than before."""
    at = B.row_ptr[m] + e
    other = B.row_val[at] != row or B.col_val[at] != col
    B.row_val[at] = row
    B.col_val[at] = col
    return other


@inner
def _write_disc(B: Border, F: Faces, at: int, rows: int, slips: bool) -> bool:
    """Write the rows and columns of a disc of a closed block and say which are in the set."""
    changed = False
    if not slips or rows == 1:
        for k in range(at, at + rows):
            F.member[k] = 0 if slips else SIGNED
            for e in range(B.row_ptr[k + 1] - B.row_ptr[k]):
                p = B.row_ptr[k] + e
                changed = _put(B, k, e, F.row_val[p], F.col_val[p]) or changed
            if B.soft[k] != F.soft[k]:
                B.soft[k] = F.soft[k]
                changed = True
        return changed
    c, s = F.along[at], F.along[at + 1]
    F.member[at] = 0
    F.member[at + 1] = SIGNED if F.across[at + 1] < np.inf else 0
    for e in range(B.row_ptr[at + 1] - B.row_ptr[at]):
        p, q = B.row_ptr[at] + e, B.row_ptr[at + 1] + e
        x, y, u, v = F.row_val[p], F.row_val[q], F.col_val[p], F.col_val[q]
        changed = _put(B, at, e, c * x + s * y, c * u + s * v) or changed
        changed = _put(B, at + 1, e, c * y - s * x, c * v - s * u) or changed
    soft = F.soft[at + 1] + (F.across[at + 1] if F.member[at + 1] > 0 else 0.0)
    if B.soft[at + 1] != soft:
        B.soft[at + 1] = soft
        changed = True
    return changed


@inner
def write_faces(B: Border, c: Cones, F: Faces) -> bool:
    """Write rows and columns of the set, and its members; return whether any value is another than before."""
    changed = False
    for i in range(F.closed.size):
        first = c.first[i]
        F.member[first] = SIGNED if F.closed[i] > 0 else 0
        at = first + 1
        if F.closed[i] == 0:
            for d in range(DISCS):
                if c.shape[i, d] > 0:
                    _write_disc(B, F, at, c.shape[i, d], False)  # no member, so the factors do not hold it
                at += c.shape[i, d]
            for k in range(first, c.first[i + 1]):
                F.member[k] = 0
            continue
        for d in range(DISCS):
            if c.shape[i, d] > 0:
                changed = _write_disc(B, F, at, c.shape[i, d], F.slips[i, d] > 0) or changed
            at += c.shape[i, d]
        if B.soft[first] != F.soft[first]:
            B.soft[first] = F.soft[first]
            changed = True
        for e in range(B.row_ptr[first + 1] - B.row_ptr[first]):
            p = B.row_ptr[first] + e
            col = F.col_val[p]
            at = first + 1
            for d in range(DISCS):
                for k in range(at, at + c.shape[i, d]):
                    if F.slips[i, d] > 0:
                        col += c.law[i, d] * F.along[k] * F.col_val[B.row_ptr[k] + e]
                at += c.shape[i, d]
            changed = _put(B, first, e, F.row_val[p], col) or changed
    return changed


@inner
def turn_in(c: Cones, F: Faces, x: Array) -> None:
    """Turn the rows of discs in space that slip, to d and across it."""
    for i in range(F.closed.size):
        at = c.first[i] + 1
        for d in range(DISCS):
            if c.shape[i, d] == 2 and F.closed[i] > 0 and F.slips[i, d] > 0:
                co, si, u, v = F.along[at], F.along[at + 1], x[at], x[at + 1]
                x[at], x[at + 1] = co * u + si * v, co * v - si * u
            at += c.shape[i, d]


@inner
def turn_out(c: Cones, F: Faces, x: Array, impulses: bool) -> None:
    """Turn them back; of impulses, the discs that slip also get their share of the normal."""
    for i in range(F.closed.size):
        at = c.first[i] + 1
        for d in range(DISCS):
            rows = c.shape[i, d]
            if rows > 0 and F.closed[i] > 0 and F.slips[i, d] > 0:
                if impulses:
                    x[at] = c.law[i, d] * x[c.first[i]] * (F.along[at] if rows == 1 else 1.0)
                if rows == 2:
                    co, si, u, v = F.along[at], F.along[at + 1], x[at], x[at + 1]
                    x[at], x[at + 1] = co * u - si * v, co * v + si * u
            at += rows


@inner
def _choose_disc(F: Faces, at: int, rows: int, law: float, x: float, z: Array, slips: int, noise: float) -> int:
    """Choose whether a disc slips, and where to; return 1 if it slips. ``x`` is P_N - U_N / W_NN, ``w`` has U."""
    own = F.own[at]
    y_0 = z[at] - F.w[at] / own
    y_1 = z[at + 1] - F.w[at + 1] / own if rows == 2 else 0.0
    size, radius = np.hypot(y_0, y_1), law * max(x, 0.0)
    margin = noise / own + HYSTERESIS * (size + radius)
    goes = size > radius + (-margin if slips > 0 else margin)
    if law == 0.0:
        goes = True
    if not goes:
        return 0
    if not size > 0.0:
        y_0, y_1, size = 1.0, 0.0, 1.0
    F.along[at] = y_0 / size
    if rows == 2:
        F.along[at + 1] = y_1 / size
        F.across[at + 1] = own * max(size - radius, 0.0) / radius if radius > 0.0 else np.inf
    return 1


@inner
def choose_faces(c: Cones, F: Faces, z: Array, low: int, high: int, noise: float) -> int:
    """Choose the faces of the blocks ``low`` .. ``high - 1`` anew from impulses and rates (``w``).

    Returns how many blocks are closed that were open, or the other way round, or have discs that slip now and did not,
    or the other way round, or slip the other way in the plane.
    """
    changes = 0
    for i in range(low, high):
        first = c.first[i]
        x = z[first] - F.w[first] / F.own[first]
        tol = noise / F.own[first] + HYSTERESIS * (abs(z[first]) + abs(c.b[first]) / F.own[first])
        closed = 1 if c.asked[i] > 0 and x > (-tol if F.closed[i] > 0 else tol) else 0
        changed = closed != F.closed[i]
        at = first + 1
        for d in range(DISCS):
            rows = c.shape[i, d]
            if rows > 0 and closed > 0:
                before, way = F.slips[i, d] if F.closed[i] > 0 else -1, F.along[at]
                F.slips[i, d] = _choose_disc(F, at, rows, c.law[i, d], x, z, before, noise)
                changed = changed or F.slips[i, d] != before
                if rows == 1 and F.slips[i, d] > 0 and c.law[i, d] > 0.0:
                    changed = changed or F.along[at] != way
            at += rows
        F.closed[i] = closed
        changes += 1 if changed else 0
    return changes
