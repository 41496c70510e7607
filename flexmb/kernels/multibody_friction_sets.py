"""Many contacts with friction inside a Newton iteration: what ``multibody_friction`` does for few, at sparse cost.

An impulse moves only the parts it acts on (``multibody_contact_sets``), so the matrix of the problem is never formed.
The sum of all responses to the impulses is kept as one vector over the unknowns; a block reads its rates from it by the
few entries of its directions, is solved alone, exactly, with the others held, and adds what it has changed. Such sweeps
(nonsmooth Gauss and Seidel), up and down, are repeated until the residual of ``cone_residual`` is ``good_enough``;
where they do not get there, full matrices are tried, and what very many contacts leave is noted. Solvers asked for by
name that do not sweep have the full matrix. With GGL the velocity
of a contact counts where it closes without impulses or is pressed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.cone_project import LARGEST
from flexmb.kernels.cone_residual import cone_scales, cone_worst
from flexmb.kernels.cone_single import solve_single
from flexmb.kernels.cones import AUTO, NSGS
from flexmb.kernels.evaluate import add_direction, copy
from flexmb.kernels.friction_blocks import (
    NORMAL,
    POSITION,
    TANGENT,
    block_laws,
    blocks_of,
    given,
    good_enough,
    is_loaded,
    keep_impulses,
    load,
    predict_beside,
)
from flexmb.kernels.jit import allocating, inner
from flexmb.kernels.ledger import T_ITERATIONS
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import (
    ALPHA,
    BY_DQ,
    BY_IMPULSE,
    BY_W,
    CANDIDATE,
    CHANGE,
    CONE_METHOD,
    D1,
    DQ,
    FAILED,
    LAM_W,
    LEFT,
    LU_,
    RESPONSE,
    ROUGHEST,
    ROUND,
    S1,
    X_,
    H,
    W,
)
from flexmb.kernels.multibody_contact_sets import product
from flexmb.kernels.multibody_friction import solve_levels, solve_some
from flexmb.kernels.multibody_scales import correction_size
from flexmb.kernels.sparse_lu import lu_solve_rows
from flexmb.kernels.stages import stage
from flexmb.state import Array, IntArray

SWEEPS = 500
"""Most sweeps where no limit is given."""
DENSE = 600
"""Rows up to which a problem that sweeps do not solve is given to the solvers of full matrices."""
ROUGH = 1e-3
"""Residual of larger ones that ends a run; what is below is noted."""
LOOK = 8
"""Sweeps after which the residual is looked at again."""


class Rows(NamedTuple):
    """Directions and responses of the unknowns of a problem, as lists of entries."""

    g_ptr: IntArray
    g_dof: IntArray
    g: Array
    x_ptr: IntArray
    x_dof: IntArray
    x: Array  # (3, .) of w to an impulse, of v~ to dq and to w
    q: Array  # what a unit of the unknown changes in positions (GGL)
    v: Array  # and in velocities
    alone: Array  # what it changes in its own row besides: of joints with friction, whose normals push nothing


@allocating
def _directions(at: int, place: IntArray) -> tuple[IntArray, IntArray, Array]:
    """Return the force directions of rows: where those of each begin, unknowns and numbers."""
    mk, rows, nj = part(at, "system.markers"), part(at, "system.rows"), part(at, "system.joints")
    J, grad, ptr = part(at, "point.markers.J"), part(at, "point.rows.grad"), np.zeros(place.size + 1, np.int64)
    for i in range(place.size):
        ptr[i + 1] = ptr[i]
        for s in range(rows.ptr[nj + place[i]], rows.ptr[nj + place[i] + 1]):
            ptr[i + 1] += mk.ptr[rows.marker[s] + 1] - mk.ptr[rows.marker[s]]
    dof, value, k = np.zeros(ptr[-1], np.int64), np.zeros(ptr[-1]), 0
    for i in range(place.size):
        for s in range(rows.ptr[nj + place[i]], rows.ptr[nj + place[i] + 1]):
            for d in range(mk.ptr[rows.marker[s]], mk.ptr[rows.marker[s] + 1]):
                dof[k] = mk.dof[d]
                for c in range(6):
                    value[k] += J[d, c] * grad[s, c]
                k += 1
    return ptr, dof, value


@inner
def _respond(at: int, c: int, r: int, place: int, dof: IntArray, x: Array) -> int:
    """Write the responses to a unit impulse of row r of contact c from ``place`` on; return where they end."""
    sets, sym, mats, work = part(at, "sets"), part(at, "sym"), part(at, "mats"), part(at, "trial.big")[LU_]
    X, Y_q, Y_v = sets.dense[BY_IMPULSE], sets.dense[BY_DQ], sets.dense[BY_W]
    nv, alpha = part(at, "trial.vec").shape[1], part(at, "numbers.family") == ALPHA
    add_direction(at, r, 1.0, X)
    for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
        p = sets.parts[k]
        rows = sets.row[sets.row_ptr[p] : sets.row_ptr[p + 1]]
        lu_solve_rows(sym, mats.J if alpha else mats.S, X, work, rows)
        if alpha:
            product(sym, mats.D, rows, nv, X, Y_q)
            product(sym, mats.C, rows, nv, X, Y_v)
            lu_solve_rows(sym, mats.S, Y_q, work, rows)
            lu_solve_rows(sym, mats.S, Y_v, work, rows)
        for i in range(rows.size):
            u = sym.perm[rows[i]]
            dof[place] = u
            for d in range(3):
                x[d, place] = sets.dense[d, u]
                sets.dense[d, u] = 0.0
            place += 1
    return place


@allocating
def _rows(at: int, place: IntArray, kind: IntArray) -> Rows:
    """Return directions and responses of all unknowns of a problem."""
    sets, step, numbers = part(at, "sets"), part(at, "step"), part(at, "numbers")
    nj, h, d1 = part(at, "system.joints"), step[H], step[D1]
    alpha, ggl = numbers.family == ALPHA, numbers.contact_ggl == 1
    g_ptr, g_dof, g = _directions(at, place)
    ptr, c = np.zeros(place.size + 1, np.int64), 0
    for i in range(place.size):
        c = place[i] if kind[i] != TANGENT else c
        ptr[i + 1] = ptr[i] + sets.ptr[c + 1] - sets.ptr[c]
    dof, x = np.zeros(ptr[-1], np.int64), np.zeros((3, ptr[-1]))
    q, v = np.zeros(ptr[-1] if ggl else 0), np.zeros(ptr[-1])
    for i in range(place.size):
        c = place[i] if kind[i] != TANGENT else c
        _respond(at, c, nj + place[i], ptr[i], dof, x)
        half = 0.5 * h if kind[i] == TANGENT or not ggl else 0.0
        for k in range(ptr[i], ptr[i + 1]):
            X, Y_q, Y_v = x[BY_IMPULSE, k], x[BY_DQ, k], x[BY_W, k]
            if not alpha:
                v[k] = X
            elif kind[i] == POSITION:
                q[k], v[k] = h * (X + d1 * Y_q), h * Y_q
            else:
                v[k] = X + half * Y_q + Y_v
                if ggl:
                    q[k] = half * (X + d1 * Y_q) + d1 * Y_v
    rows = Rows(g_ptr, g_dof, g, ptr, dof, x, q, v, np.zeros(place.size))
    for i in range(place.size):
        if kind[i] != TANGENT and is_loaded(at, place[i]):
            rows.alone[i] = 1.0
    return rows


@inner
def _add(rows: Rows, i: int, z: float, moved: Array) -> None:
    """Add what z of unknown i does to ``moved`` (2, n): positions and velocities."""
    for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
        moved[1, rows.x_dof[k]] += z * rows.v[k]
    if rows.q.size > 0:
        for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
            moved[0, rows.x_dof[k]] += z * rows.q[k]


@inner
def _rate(rows: Rows, kind: IntArray, i: int, h: float, moved: Array, z: float) -> float:
    """Return what impulses change in the row of unknown i, z being its own: a rate, or a gap over h."""
    total, level = 0.0, 0 if kind[i] == POSITION else 1
    for k in range(rows.g_ptr[i], rows.g_ptr[i + 1]):
        total += rows.g[k] * moved[level, rows.g_dof[k]]
    return total / h + rows.alone[i] * z if level == 0 else total + rows.alone[i] * z


@inner
def _all_rates(rows: Rows, kind: IntArray, h: float, P: Array, b: Array, moved: Array, U: Array) -> None:
    """Write what all impulses move, from the start, and U = W P + b."""
    moved[:] = 0.0
    for i in range(P.size):
        if P[i] != 0.0:
            _add(rows, i, P[i], moved)
    for i in range(P.size):
        U[i] = b[i] + _rate(rows, kind, i, h, moved, P[i])


@allocating
def _own_blocks(rows: Rows, kind: IntArray, start: IntArray, h: float, n: int) -> Array:
    """Return the blocks on the diagonal of the problem, (nb, 6, 6), filled up with zeros."""
    out, moved = np.zeros((start.size - 1, LARGEST, LARGEST)), np.zeros((2, n))
    for block in range(start.size - 1):
        for j in range(start[block], start[block + 1]):
            _add(rows, j, 1.0, moved)
            for i in range(start[block], start[block + 1]):
                own = 1.0 if i == j else 0.0
                out[block, i - start[block], j - start[block]] = _rate(rows, kind, i, h, moved, own)
            for k in range(rows.x_ptr[j], rows.x_ptr[j + 1]):
                moved[0, rows.x_dof[k]] = 0.0
                moved[1, rows.x_dof[k]] = 0.0
    return out


@inner
def _counts(block: int, ggl: bool, b: Array, P: Array, start: IntArray) -> bool:
    """Tell whether a block counts: with GGL, impulses only where the contact closes or its position is pressed."""
    if not ggl or block % 2 == 0:
        return True
    r = start[block - 1]
    return bool(b[r] <= 0.0 or P[r] > 0.0)


@allocating
def _judge(
    U: Array, b: Array, P: Array, D: Array, shape: IntArray, start: IntArray, law: Array, ggl: bool
) -> tuple[int, float]:
    """Return the worst block and the residual, without blocks that do not count."""
    if not ggl:
        return cone_worst(U, b, P, D, shape, start, law)
    rates, free = U.copy(), b.copy()
    for block in range(start.size - 1):
        if not _counts(block, ggl, b, P, start):
            for r in range(start[block], start[block + 1]):
                rates[r], free[r] = 0.0, 0.0
    return cone_worst(rates, free, P, D, shape, start, law)


@allocating
def _sweep(
    at: int, rows: Rows, own: Array, kind: IntArray, shape: IntArray, start: IntArray, law: Array, b: Array, P: Array
) -> tuple[int, float]:
    """Sweep over the blocks until the residual is small enough; return the worst block, or -1, and the residual."""
    settings, terms, h = part(at, "settings"), part(at, "motion.terms"), part(at, "step")[H]
    ggl, n = part(at, "numbers.contact_ggl") == 1, part(at, "sets.dense").shape[1]
    moved, U, W_ii = np.zeros((2, n)), np.zeros(P.size), np.zeros(P.size)
    u, x, most = np.zeros(LARGEST), np.zeros(LARGEST), settings.max_iter if settings.max_iter > 0 else SWEEPS
    for block in range(start.size - 1):
        for i in range(start[block], start[block + 1]):
            W_ii[i] = own[block, i - start[block], i - start[block]]
    D, tol = cone_scales(W_ii, shape, start), good_enough(settings.tol, P.size)
    _all_rates(rows, kind, h, P, b, moved, U)
    worst, residual = _judge(U, b, P, D, shape, start, law, ggl)
    used = 0
    while residual > tol and residual < np.inf and used < most:
        for turn in range(start.size - 1):
            block = turn if used % 2 == 0 else start.size - 2 - turn
            first, count = start[block], start[block + 1] - start[block]
            for k in range(count):
                i = first + k
                u[k] = b[i] + _rate(rows, kind, i, h, moved, P[i])
                for j in range(count):
                    u[k] -= own[block, k, j] * P[first + j]
            x[:] = 0.0
            if _counts(block, ggl, b, P, start):
                solve_single(own[block], u, count, shape, law, block, x)
            for k in range(count):
                if x[k] != P[first + k]:
                    _add(rows, first + k, x[k] - P[first + k], moved)
                    P[first + k] = x[k]
        used += 1
        if used % LOOK == 0 or used == most:
            _all_rates(rows, kind, h, P, b, moved, U)
            worst, residual = _judge(U, b, P, D, shape, start, law, ggl)
    terms[T_ITERATIONS] += used
    if residual > tol and P.size <= DENSE:
        return _solve_full(at, rows, kind, shape, start, law, b, P)
    numbers = part(at, "motion.numbers")
    if tol < residual <= ROUGH:
        numbers[ROUGHEST] = max(numbers[ROUGHEST], residual)
    return (-1 if residual <= max(tol, ROUGH) else worst), residual


@allocating
def _solve_full(
    at: int, rows: Rows, kind: IntArray, shape: IntArray, start: IntArray, law: Array, b: Array, P: Array
) -> tuple[int, float]:
    """Solve the problem by its whole matrix; return the worst block, or -1, and the residual."""
    n, h = P.size, part(at, "step")[H]
    A, moved = np.zeros((n, n)), np.zeros((2, part(at, "sets.dense").shape[1]))
    for j in range(n):
        _add(rows, j, 1.0, moved)
        for i in range(n):
            A[i, j] = _rate(rows, kind, i, h, moved, 1.0 if i == j else 0.0)
        for k in range(rows.x_ptr[j], rows.x_ptr[j + 1]):
            moved[0, rows.x_dof[k]] = 0.0
            moved[1, rows.x_dof[k]] = 0.0
    if part(at, "numbers.contact_ggl") == 1:
        return solve_levels(at, A, b, shape, start, law, P)
    return solve_some(at, A, b, shape, start, law, P, np.ones(shape.shape[0], np.int64))


@inner
def _apply(at: int, rows: Rows, kind: IntArray, P: Array, now: Array, old: Array) -> float:
    """Put the impulses into dq, w and v~, as ``multibody_contact.apply_impulses`` does; return the change.

    ``now`` are the unknowns before, ``old`` (2, nv) w and dq before.
    """
    trial, h, d1 = part(at, "trial"), part(at, "step")[H], part(at, "step")[D1]
    vec, x, nv, ggl = trial.vec, trial.big[X_], trial.vec.shape[1], part(at, "numbers.contact_ggl") == 1
    alpha = part(at, "numbers.family") == ALPHA
    for i in range(P.size):
        d, half = P[i] - now[i], 0.5 * h if kind[i] == TANGENT or not ggl else 0.0
        if P[i] == 0.0 and d == 0.0:
            continue
        to_q, to_w = (h, 0.0) if kind[i] == POSITION else (half, 1.0)
        for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
            u, X = rows.x_dof[k], rows.x[BY_IMPULSE, k]
            if not alpha:
                x[u] += d * X
                continue
            x[u] += d * (to_q * rows.x[BY_DQ, k] + to_w * rows.x[BY_W, k])
            if u < nv:
                vec[W, u] += to_w * P[i] * X
                vec[DQ, u] += to_q * P[i] * X
            else:
                trial.joint[LAM_W, u - nv] += to_w * P[i] * X
    if not alpha:
        return 0.0
    was = vec[S1]
    for i in range(nv):
        was[i] = max(abs(vec[W, i] - old[0, i]), abs(vec[DQ, i] - old[1, i]) / d1)
    return correction_size(at, was)


@stage
def friction_sets_stage(at: int, flag: int) -> int:
    """Solve for the impulses of the candidates and bring them into the correction, as ``contact_stage`` does."""
    trial, report, response = part(at, "trial"), part(at, "trial.report"), part(at, "motion.contact")[RESPONSE]
    report[FAILED], report[LEFT], report[CHANGE] = -1.0, 0.0, 0.0
    predict_beside(at)
    candidates = np.flatnonzero(trial.contact[CANDIDATE] > 0.0)
    place, kind, shape, start = blocks_of(at, candidates, part(at, "numbers.contact_ggl") == 1)
    law, rows = block_laws(at, candidates, shape.shape[0]), _rows(at, place, kind)
    b, now, P = given(at, place, kind)
    n, h = part(at, "sets.dense").shape[1], part(at, "step")[H]
    own, moved, free = _own_blocks(rows, kind, start, h, n), np.zeros((2, n)), np.zeros(b.size)
    report[ROUND] += 1.0
    _all_rates(rows, kind, h, now, np.zeros(b.size), moved, free)
    for i in range(b.size):
        b[i] -= free[i]
        if kind[i] == NORMAL:
            response[place[i]] = _diagonal(own, start, i)
            if rows.alone[i] > 0.0:
                b[i] = -load(at, place[i])
    method = int(part(at, "step")[CONE_METHOD])
    if method in (AUTO, NSGS):
        worst, residual = _sweep(at, rows, own, kind, shape, start, law, b, P)
    else:
        worst, residual = _solve_full(at, rows, kind, shape, start, law, b, P)
    report[LEFT] = residual
    if worst >= 0:
        report[FAILED] = float(place[start[worst]])
        return 0
    keep_impulses(at, place, kind, P)
    old = np.zeros((2, trial.vec.shape[1]))
    copy(trial.vec[W], old[0])
    copy(trial.vec[DQ], old[1])
    trial.vec[W, :] = 0.0
    trial.vec[DQ, :] = 0.0
    trial.joint[LAM_W, :] = 0.0
    report[CHANGE] = _apply(at, rows, kind, P, now, old)
    return 0


@inner
def _diagonal(own: Array, start: IntArray, i: int) -> float:
    """Return the diagonal entry of row i."""
    block = np.searchsorted(start, i, side="right") - 1
    return float(own[block, i - start[block], i - start[block]])
