"""The blocks of a contact problem with friction in large motion: their unknowns, what is given, and their laws.

A block has the normal of a contact and its rows beside it (``rows_beside``); with GGL there is one of a single row, the
position nu, before it. The unknowns are nu / h, and impulses P = (Lam_N, R).
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner, kernel
from flexmb.kernels.geometry.tables import LOADED
from flexmb.kernels.laws.friction_law import friction_coefficient
from flexmb.kernels.laws.friction_record import R_T
from flexmb.kernels.multibody.evaluate import along_direction, row_rate
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    B_T,
    B_V,
    C1,
    CANDIDATE,
    FIXED,
    G_FREE,
    GAP_T,
    IMPULSE,
    LAM,
    LAM_C,
    LAM_J,
    LAM_T,
    LAM_W,
    MU,
    NU,
    RATE,
    RESPONSE_T,
    ROUND,
    SPLIT,
    STATE,
    X_,
    H,
    V,
    W,
)
from flexmb.kernels.multibody_contacts.multibody_contact import rate_before
from flexmb.state import Array, IntArray

POSITION, NORMAL, TANGENT = 0, 1, 2
"""Kinds of unknowns: nu / h, Lam_N, R."""


FEW_ROWS, SOME_ROWS = 60, 300
"""Rows of a problem up to which its residual must be at most the solver's tolerance, and SOME."""
SOME, MANY = 1e-8, 1e-6
"""Residuals that are good enough for more rows than few, and for more than some: those of rigid bodies piled up depend
on each other in many ways, and no solver gets to the last digits in any time."""


@kernel
def good_enough(tol: float, rows: int) -> float:
    """Return the residual that is good enough for a problem of so many rows where ``tol`` is asked for."""
    if rows <= FEW_ROWS:
        return tol
    return max(tol, SOME if rows <= SOME_ROWS else MANY)


@inner
def slip_speed(at: int, c: int) -> float:
    """Return how fast contact c slips at the start of the step, m/s."""
    laws, rates = part(at, "laws"), part(at, "motion.rows")[RATE]
    first, square = part(at, "system.joints") + part(at, "system.contacts") + laws.start[c], 0.0
    for r in range(first, first + laws.shape[c, 0]):
        square += rates[r] * rates[r]
    return math.sqrt(square)


@inner
def tangent_before(at: int, c: int, place: int) -> float:
    """Return what restitution adds to the rate of a row beside the normal of contact c: e_T U_T- of tangents.

    The rate before the step is taken along the direction at its end.
    """
    motion, laws, r = part(at, "motion"), part(at, "laws"), part(at, "system.joints") + place
    if laws.e_T[c] == 0.0 or place - part(at, "system.contacts") >= laws.start[c] + laws.shape[c, 0]:
        return 0.0
    return laws.e_T[c] * (along_direction(at, r, motion.vec[V]) + motion.rows[GAP_T, r])


@inner
def predict_beside(at: int) -> None:
    """Write the rates of the rows beside candidates after the smooth correction, as ``predicted`` does for normals."""
    trial, laws, first = part(at, "trial"), part(at, "laws"), part(at, "system.joints") + part(at, "system.contacts")
    x, w = trial.big[X_], trial.vec[W]
    without = part(at, "step")[FIXED] > 0.0 and part(at, "numbers.form") == SPLIT
    for c in range(trial.contact.shape[1]):
        if trial.contact[CANDIDATE, c] > 0.0:
            for k in range(laws.start[c], laws.start[c + 1]):
                trial.beside[B_T, k] = row_rate(at, first + k) + along_direction(at, first + k, x)
                if without:
                    trial.beside[B_T, k] -= along_direction(at, first + k, w)


@allocating
def blocks_of(at: int, candidates: IntArray, ggl: bool) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the unknowns of all candidates: place among responses, kind, shapes of the blocks and their first rows.

    Each candidate has the block of its impulses, with GGL that of its position before it.
    """
    laws, nc = part(at, "laws"), part(at, "system.contacts")
    levels = 2 if ggl else 1
    n = levels * candidates.size
    for i in range(candidates.size):
        n += laws.start[candidates[i] + 1] - laws.start[candidates[i]]
    place, kind = np.zeros(n, np.int64), np.zeros(n, np.int64)
    shape, start = np.zeros((levels * candidates.size, 3), np.int64), np.zeros(levels * candidates.size + 1, np.int64)
    n = 0
    for i in range(candidates.size):
        c, block = candidates[i], levels * i
        if ggl:
            place[n], kind[n] = c, POSITION
            n += 1
            block += 1
            start[block] = n
        for d in range(3):
            shape[block, d] = laws.shape[c, d]
        place[n], kind[n] = c, NORMAL
        n += 1
        for k in range(laws.start[c], laws.start[c + 1]):
            place[n], kind[n] = nc + k, TANGENT
            n += 1
        start[block + 1] = n
    return place, kind, shape, start


@inner
def keep_tangent_response(at: int, c: int, n: int, own: Array) -> None:
    """Keep the mean of W_ii over the tangents of contact c, where row n of its normal is followed by them.

    ``own`` (m,) are the diagonal entries of the problem.
    """
    laws, slides = part(at, "laws"), part(at, "laws").shape[c, 0]
    total = 0.0
    for k in range(slides):
        total += own[n + 1 + k]
    part(at, "motion.contact")[RESPONSE_T, c] = total / slides if slides > 0 and laws.friction[c, 1] > 0.0 else 0.0


@inner
def is_loaded(at: int, c: int) -> bool:
    """Tell whether a contact is the friction of a joint, which has no normal of its own."""
    return bool(part(at, "system.rows.kind")[part(at, "system.joints") + c] == LOADED)


@allocating
def given(at: int, place: IntArray, kind: IntArray) -> tuple[Array, Array, Array]:
    """Return b with the present impulses, restitution included; these impulses, and those that solvers begin with."""
    trial, motion, e = part(at, "trial"), part(at, "motion"), part(at, "e")
    con, beside, h, nj = trial.contact, trial.beside, part(at, "step")[H], part(at, "system.joints")
    nc, n, c = con.shape[1], place.size, 0
    first, fixed = trial.report[ROUND] == 0.0, part(at, "step")[FIXED] > 0.0
    b, now, P = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        k = place[i] - nc
        if kind[i] == POSITION:
            c = place[i]
            b[i], now[i] = con[G_FREE, c] / h, con[NU, c] / h
            P[i] = motion.contact[IMPULSE, c] if first else now[i]
            if is_loaded(at, c):  # closed, and pressed by nothing
                b[i], now[i], P[i] = 0.0, 0.0, 0.0
        elif kind[i] == NORMAL:
            c = place[i]
            b[i], now[i] = con[B_V, c] + e[c] * rate_before(at, nj + c), con[LAM_C, c]
            P[i] = motion.contact[IMPULSE, c] if first else now[i]
        else:
            b[i], now[i] = beside[B_T, k], beside[LAM_T, k]
            b[i] += tangent_before(at, c, place[i])
            P[i] = motion.beside[R_T, k] if first else now[i]
        if fixed:  # there b is that without impulses
            now[i] = 0.0
    return b, now, P


@allocating
def block_laws(at: int, candidates: IntArray, count: int) -> Array:
    """Return mu, roll and spin of the blocks, (count, 3); mu of the step is kept with the motion."""
    laws, con, levels = part(at, "laws"), part(at, "motion.contact"), count // max(1, candidates.size)
    out = np.zeros((count, 3))
    for i in range(candidates.size):
        c = candidates[i]
        con[MU, c] = friction_coefficient(laws.friction[c], slip_speed(at, c), con[STATE, c])
        block = levels * i + levels - 1
        out[block, 0], out[block, 1], out[block, 2] = con[MU, c], laws.roll[c], laws.spin[c]
    return out


@inner
def load(at: int, c: int, held: Array) -> float:
    """Return the size of the impulse that the joint of a friction c holds in the step, by what is known of it.

    ``held`` (>= 3,) gets its components. The form SPLIT has forces at both ends of the step, and impulses of impacts.
    """
    trial, joint, step, nj = part(at, "trial"), part(at, "trial.joint"), part(at, "step"), part(at, "system.joints")
    x, first, before = trial.big[X_], part(at, "system.rows.angle")[nj + c], part(at, "motion.joint")[LAM]
    nv, square, split = trial.vec.shape[1], 0.0, part(at, "numbers.form") == SPLIT
    for k in range(first[1]):
        r = first[0] + k
        held[k] = joint[LAM_J, r] + x[nv + r]
        if split:
            held[k] = 0.5 * step[H] * (held[k] / step[C1] + before[r]) + joint[LAM_W, r]
        square += held[k] * held[k]
    return math.sqrt(square)


@inner
def load_response(at: int, kind: int, X: float, Y_q: float, Y_v: float) -> float:
    """Return what a unit of an unknown changes in an impulse of ``load``, from the responses of its multiplier."""
    step, ggl = part(at, "step"), part(at, "numbers.contact_ggl") == 1
    if part(at, "numbers.form") != SPLIT:
        return X
    share = 0.5 * step[H] / step[C1]
    if kind == POSITION:
        return share * step[H] * Y_q
    half = 0.5 * step[H] if kind == TANGENT or not ggl else 0.0
    return X + share * (half * Y_q + Y_v)


@inner
def keep_impulses(at: int, place: IntArray, kind: IntArray, P: Array) -> None:
    """Write NU, LAM_C and LAM_T from the unknowns of the problem."""
    trial, h = part(at, "trial"), part(at, "step")[H]
    con, nc = trial.contact, trial.contact.shape[1]
    con[NU, :] = 0.0
    con[LAM_C, :] = 0.0
    trial.beside[LAM_T, :] = 0.0
    for i in range(place.size):
        if kind[i] == POSITION:
            con[NU, place[i]] = h * P[i]
        elif kind[i] == NORMAL:
            con[LAM_C, place[i]] = P[i]
        else:
            trial.beside[LAM_T, place[i] - nc] = P[i]
