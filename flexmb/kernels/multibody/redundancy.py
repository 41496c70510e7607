"""Redundant joints during the motion: multiplier directions without forces, and constraint errors along them.

The rows of redundant joints depend on each other: there are combinations n of them with G n = 0 (``Motion.null``, one
per row, orthonormal). What the rows violate along such an n no motion can mend, and a multiplier along it moves
nothing. With data of finite precision G n is not quite zero, so neither is n . g, and Newton's method would answer to
that misfit with ever larger multipliers. So both are left out: residuals are taken without their part along n, and
multipliers too, which makes them those of least norm.

The directions turn with the mechanism. With the factors of a bordered matrix, regularized by eps,

    [ S    -G  ] [ x ]   [ -G n ]
    [ G^T  eps ] [ z ] = [   0  ]        gives        z = (W + eps)^-1 W n,   W = G^T S^-1 G,

and n - z is one step of inverse iteration: what is not redundant of n goes down by eps over its response. n . z is the
response of n over itself and eps: above one half, the rows of n hold a motion and count as all others do (a mechanism
that has left a singular position). At a singular position more rows come to depend on each other: eps is switched on,
and directions begin at the rows whose pivots have become small.
"""

from __future__ import annotations

import math

from flexmb.kernels.algebra.sparse_lu import lu_solve
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import REDUNDANT_STAGE, call
from flexmb.kernels.multibody.evaluate import add_direction
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import EPS, EPS_NEAR, INDEX2, LEVEL, LU_, N_
from flexmb.kernels.multibody.row_scale import row_size
from flexmb.state import Array

REGULARIZED = 1e-9
"""eps over the mean response of the rows of joints."""

MISFIT = 1e-5
"""How far redundant joints may contradict each other, over what ``row_scale`` compares their rows with; more is no
rounding of data."""

UNKNOWN = 0.1
"""Square of the part of a row outside the known directions with which it may begin a new one."""

NEW = -1.0
"""Mark of a direction that has just begun, at a row."""

HOLDS = 1.0 - 1e-6
"""Response of a direction, over itself and eps, above which it is forgotten."""

DEPENDENT, WEAK_ENOUGH = 1e-8, 1e-6
"""Ratios of a pivot below which eps is switched on, and below which a row begins a direction."""

NEARLY_DEPENDENT = 1e-3
"""Ratio of a pivot (``sparse_lu.lu_factor``) below which a row of joints nearly depends on others."""


@inner
def follow(at: int, mass: int) -> None:
    """Update the redundant directions for the trial, and determine whether each is redundant there.

    By the factors of the step matrix, or of the ``mass`` matrix (1). While nothing is redundant, there are none.
    """
    if part(at, "step")[EPS] == 0.0:
        _forget(at)
    else:
        call(part(at, "rare")[REDUNDANT_STAGE], at, mass)


@inner
def turn_directions(at: int, factors: Array, weak: Array) -> None:
    """Update as ``follow``, if rows are redundant.

    Rows that have become weak (``lu_factor``) without a direction that says so give new ones; directions whose rows
    hold a motion as all others do are forgotten.
    """
    null, nj = part(at, "motion.null"), part(at, "system.joints")
    begin = _begin_directions(at, weak)
    for k in range(null.shape[0]):
        for _ in range(2 if null[k, nj] == NEW and begin else 1):
            _follow_one(at, factors, k)


@inner
def _forget(at: int) -> None:
    """Forget all directions: nothing is redundant."""
    null = part(at, "motion.null")
    for k in range(null.shape[0]):
        null[k, :] = 0.0


@inner
def _length(n: Array, nj: int) -> float:
    """Return the square length of a direction."""
    total = 0.0
    for r in range(nj):
        total += n[r] * n[r]
    return total


@inner
def _begin_directions(at: int, weak: Array) -> bool:
    """Begin directions at weak rows that the known ones do not explain; return whether there are any."""
    null, nj = part(at, "motion.null"), part(at, "system.joints")
    x, nv, begun = part(at, "trial.big")[N_], weak.size - nj, False
    count, known = 0, 0
    for r in range(nj):
        count += weak[nv + r] < WEAK_ENOUGH
    for k in range(null.shape[0]):
        known += _length(null[k], nj) > 0.0
    for r in range(nj):
        if known >= count or not weak[nv + r] < WEAK_ENOUGH:
            continue
        for k in range(null.shape[0]):
            if _length(null[k], nj) > 0.0:
                continue
            x[:] = 0.0
            x[nv + r] = 1.0
            left = 1.0
            for j in range(null.shape[0]):
                left -= null[j, r] * null[j, r]
            if left > UNKNOWN:
                _orthonormal(null, k, x[nv:])
                null[k, nj] = NEW
                known, begun = known + 1, True
            break
    return begun


@inner
def _follow_one(at: int, factors: Array, k: int) -> None:
    """Take one step of inverse iteration with direction k."""
    trial, sym, g = part(at, "trial"), part(at, "sym"), part(at, "point.rows.g")
    nv, nj, b, n = trial.vec.shape[1], trial.joint.shape[1], trial.big[N_], part(at, "motion.null")[k]
    if _length(n, nj) == 0.0:
        return
    b[:] = 0.0
    for r in range(nj):
        if n[r] != 0.0:
            add_direction(at, r, -n[r], b)
    lu_solve(sym, factors, b, trial.big[LU_])
    held, off, size = 0.0, 0.0, 0.0
    for r in range(nj):
        held += n[r] * b[nv + r]
        off += n[r] * g[r]
        size += (n[r] * row_size(at, r)) ** 2
        b[nv + r] = n[r] - b[nv + r]
    if held > HOLDS and n[nj] != NEW:
        n[:] = 0.0
        return
    _orthonormal(part(at, "motion.null"), k, b[nv:])
    # where positions are not held, they drift, and what they have along n says nothing
    fits = part(at, "step")[LEVEL] == INDEX2 or abs(off) <= MISFIT * math.sqrt(size)
    n[nj] = 1.0 if held <= 0.5 and fits else 0.0


@inner
def _orthonormal(null: Array, k: int, x: Array) -> None:
    """Make x, without its part along the other directions, direction k; leave that as it is if nothing is left."""
    nj = x.size
    for _ in range(2):  # once leaves what round-off of a long x is
        for j in range(null.shape[0]):
            if j == k:
                continue
            part_along = 0.0
            for r in range(nj):
                part_along += null[j, r] * x[r]
            for r in range(nj):
                x[r] -= part_along * null[j, r]
        size = 0.0
        for r in range(nj):
            size += x[r] * x[r]
        if not size > 1e-40:
            return
        for r in range(nj):
            x[r] /= size**0.5
    for r in range(nj):
        null[k, r] = x[r] if abs(x[r]) > 1e-20 else 0.0  # numbers that shrink for ever become very slow


@inner
def leave_out(at: int, x: Array) -> None:
    """Take the part along the redundant directions out of x (nj,): residuals or multipliers of the rows of joints."""
    null = part(at, "motion.null")
    for k in range(null.shape[0]):
        n = null[k]
        if n[x.size] == 0.0:
            continue
        part_along = 0.0
        for r in range(x.size):
            part_along += n[r] * x[r]
        for r in range(x.size):
            x[r] -= part_along * n[r]


@inner
def regularize(at: int, weak: Array) -> bool:
    """Switch eps on for the rest of the step if a row depends on others; return whether the matrix changes by it."""
    step, nj = part(at, "step"), part(at, "system.joints")
    least = 1.0
    for r in range(nj):
        least = min(least, weak[weak.size - nj + r])
    if step[EPS] != 0.0 or step[EPS_NEAR] == 0.0 or not least < DEPENDENT:
        return False
    step[EPS] = step[EPS_NEAR]
    return True


@kernel
def nearly_dependent(at: int, weak: Array, below: float) -> int:
    """Return a row of joints that nearly depends on others where redundancy does not explain it, or -1.

    ``weak`` (n,) is that of ``lu_factor``, ``below`` the ratio that is weak. Each redundant direction explains one weak
    pivot, the smallest ones.
    """
    null, nj = part(at, "motion.null"), part(at, "system.joints")
    nv, known, count, where, largest = weak.size - nj, 0, 0, -1, 0.0
    for k in range(null.shape[0]):
        known += null[k, nj] == 1.0
    for r in range(nj):
        ratio = weak[nv + r]
        if ratio < below:
            count += 1
            if ratio >= largest:
                where, largest = r, ratio
    return where if count > known else -1


@inner
def latest_row(at: int) -> int:
    """Return the row that the direction begun last is mostly about, 0 when there is none."""
    null, nj = part(at, "motion.null"), part(at, "system.joints")
    where = 0
    for k in range(null.shape[0]):
        if null[k, nj] == 1.0:
            most = 0.0
            for r in range(nj):
                if abs(null[k, r]) > most:
                    where, most = r, abs(null[k, r])
    return where
