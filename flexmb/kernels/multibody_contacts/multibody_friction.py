"""Contacts with friction inside a Newton iteration: what ``multibody_contact`` does for normals, for whole blocks.

A block of the problem has the normal of a contact and its rows beside it (``rows_beside``); with GGL there is also one
of a single row for each gap, the position nu. Unknowns are nu / h, and impulses P = (Lam_N, R). With the responses X of
w, Y_q and Y_v of v~ (to dq and to w) to a unit impulse of a row, P changes

    WHOLE                  velocities by X
    SPLIT                  velocities by X + Y_v + (h/2) Y_q                          dq = (h/2) w
    SPLIT, GGL             Lam_N:  velocities by X + Y_v,              positions by d1 Y_v
                           R:      velocities by X + Y_v + (h/2) Y_q,  positions by (h/2) (X + d1 Y_q) + d1 Y_v
                           nu:     velocities by Y_q,                  positions by X + d1 Y_q

so that friction moves places by (h/2) w with GGL too: without it a contact that sticks would creep. Velocities count
along all rows of a block, positions along normals. Both levels are one problem. Solvers begin with the answers of the
step before: tangents turn no more than normals do, so impulses keep their components.

The friction of a joint is a block whose normal pushes nothing: P_N is the size of the impulse Lambda that the rows of
the joint hold in the step (``load``). That depends on all impulses, the friction among them, by their responses B:

    P_N = n . (Lambda_0 + B P),     n = Lambda / |Lambda| of the Newton iteration before,

one row of the problem, a P_N - a n . B P - a n . Lambda_0 = U_N. So friction that raises its own load is solved for,
not waited for; only the direction of the load is brought up to date from iteration to iteration.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import CONES_STAGE, HARD_CONES_STAGE, stage
from flexmb.kernels.cones.cone_stage import send_cones
from flexmb.kernels.cones.cones import AUTO, NSGS
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    BY_DQ,
    BY_IMPULSE,
    BY_W,
    CANDIDATE,
    CHANGE,
    CONE_METHOD,
    D1,
    DQ,
    FAILED,
    FIXED,
    LAM_C,
    LAM_T,
    LAM_W,
    LEFT,
    NU,
    RESPONSE,
    ROUND,
    S1,
    S2,
    SPLIT,
    X_,
    H,
    W,
)
from flexmb.kernels.multibody.multibody_scales import correction_size
from flexmb.kernels.multibody_contacts.friction_blocks import (
    FEW_ROWS,
    NORMAL,
    POSITION,
    TANGENT,
    block_laws,
    blocks_of,
    given,
    good_enough,
    is_loaded,
    keep_impulses,
    keep_tangent_response,
    load,
    load_response,
    predict_beside,
)
from flexmb.kernels.multibody_contacts.multibody_contact import combine_units, respond_to, respond_to_units
from flexmb.kernels.small_motion.ledger import T_ITERATIONS, T_RESIDUAL
from flexmb.state import Array, IntArray

SWEEPS, DIGITS = 50, 1e-15
"""Sweeps, and the residual they may end at, before the tolerance counts."""


@inner
def _respond_row(at: int, r: int, place: int) -> None:
    """Write the responses to a unit impulse of row r."""
    response = part(at, "trial.response")
    X, Y_q, Y_v = response[BY_IMPULSE, place], response[BY_DQ, place], response[BY_W, place]
    X[:] = 0.0
    if part(at, "trial.unit").shape[1] > 0:
        Y_q[:] = 0.0
        Y_v[:] = 0.0
        combine_units(at, r, X, Y_q, Y_v)
    else:
        add_direction(at, r, 1.0, X)
        respond_to(at, X, Y_q, Y_v)


@inner
def _respond(at: int) -> None:
    """Write the responses to unit impulses of all rows of the candidates."""
    trial, laws, nj = part(at, "trial"), part(at, "laws"), part(at, "system.joints")
    nc = trial.contact.shape[1]
    if trial.unit.shape[1] > 0:
        respond_to_units(at)
    for c in range(nc):
        if trial.contact[CANDIDATE, c] > 0.0:
            _respond_row(at, nj + c, c)
            for k in range(laws.start[c], laws.start[c + 1]):
                _respond_row(at, nj + nc + k, nc + k)


@allocating
def responses_between(at: int, place: IntArray, kind: IntArray) -> Array:
    """Return the matrix of the problem: rates of its rows, and gaps over h, per unit of its unknowns."""
    trial, step, nj = part(at, "trial"), part(at, "step"), part(at, "system.joints")
    n, nv, h, d1, split = place.size, trial.vec.shape[1], step[H], step[D1], part(at, "numbers.form") == SPLIT
    ggl = part(at, "numbers.contact_ggl") == 1
    A, q, v = np.zeros((n, n)), trial.vec[S1], trial.vec[S2]
    for j in range(n):
        X, Y_q, Y_v = (
            trial.response[BY_IMPULSE, place[j]], trial.response[BY_DQ, place[j]], trial.response[BY_W, place[j]],
        )  # fmt: skip
        half = 0.5 * h if kind[j] == TANGENT or not ggl else 0.0  # how far an impulse moves places, by w
        for i in range(nv):
            if not split:
                v[i] = X[i]
            elif kind[j] == POSITION:
                q[i], v[i] = h * (X[i] + d1 * Y_q[i]), h * Y_q[i]
            else:
                q[i], v[i] = half * (X[i] + d1 * Y_q[i]) + d1 * Y_v[i], X[i] + half * Y_q[i] + Y_v[i]
        for i in range(n):
            r = nj + place[i]
            A[i, j] = along_direction(at, r, q) / h if kind[i] == POSITION else along_direction(at, r, v)
    _stand_alone(at, place, kind, A)
    return A


@inner
def _stand_alone(at: int, place: IntArray, kind: IntArray, A: Array) -> None:
    """Give the normals of joints with friction, which push nothing, a number of the size of the others."""
    for i in range(place.size):
        if kind[i] != TANGENT and is_loaded(at, place[i]):
            A[i, i] = A[i + 1, i + 1] if kind[i] == NORMAL and A[i + 1, i + 1] > 0.0 else 1.0


@allocating
def _give_loads(at: int, place: IntArray, kind: IntArray, A: Array, b: Array, now: Array, P: Array) -> None:
    """Write the rows of the normals of joints with friction, so that P_N is the load, and begin with that of now.

    Where a drive holds the joint, its rates answer to friction by round-off only: the residual, which measures them by
    A, would not see the load. So A of the normal is at least the rate that is there over the load.
    """
    response, nj, nv = part(at, "trial.response"), part(at, "system.joints"), part(at, "trial.vec").shape[1]
    held = np.zeros(3)
    for i in range(place.size):
        if kind[i] != NORMAL or not is_loaded(at, place[i]):
            continue
        first = part(at, "system.rows.angle")[nj + place[i]]
        size, rate, k = load(at, place[i], held), 0.0, i + 1
        while k < place.size and kind[k] == TANGENT:
            rate = max(rate, abs(b[k]))
            k += 1
        if size > 0.0:
            A[i, i] = max(A[i, i], rate / size)
        free = size
        for j in range(place.size):
            along = 0.0
            for k in range(first[1] if size > 0.0 and not (kind[j] != TANGENT and is_loaded(at, place[j])) else 0):
                r, p = nv + first[0] + k, place[j]
                along += (
                    held[k]
                    / size
                    * load_response(
                        at, kind[j], response[BY_IMPULSE, p, r], response[BY_DQ, p, r], response[BY_W, p, r]
                    )
                )
            free -= along * now[j]
            if j != i:
                A[i, j] = -A[i, i] * along
        b[i], P[i] = -A[i, i] * free, size


@allocating
def solve_some(
    at: int, A: Array, b: Array, shape: IntArray, start: IntArray, law: Array, P: Array, on: IntArray
) -> tuple[int, float]:
    """Solve the problem of the blocks that are on, the others have no impulses; return the worst block, the residual.

    The worst block is -1 where the residual is small enough. A method asked for by name is tried alone.
    """
    settings, rare, terms, n, nb = part(at, "settings"), part(at, "rare"), part(at, "motion.terms"), 0, 0
    rows, which = np.zeros(b.size, np.int64), np.zeros(on.size, np.int64)
    for i in range(on.size):
        for r in range(start[i], start[i + 1]):
            if on[i] == 1:
                rows[n] = r
                n += 1
            else:
                P[r] = 0.0
        if on[i] == 1:
            which[nb] = i
            nb += 1
    if n == 0:
        return -1, 0.0
    A_on, b_on, P_on = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    shape_on, law_on = np.zeros((nb, 3), np.int64), np.zeros((nb, 3))
    for i in range(n):
        b_on[i], P_on[i] = b[rows[i]], P[rows[i]]
        for j in range(n):
            A_on[i, j] = A[rows[i], rows[j]]
    for i in range(nb):
        for d in range(3):
            shape_on[i, d], law_on[i, d] = shape[which[i], d], law[which[i], d]
    used, residual, worst, tol = 0, np.inf, 0, good_enough(settings.tol, n)
    method, hard = int(part(at, "step")[CONE_METHOD]), rare[HARD_CONES_STAGE]
    if (
        nb > 1 and method == AUTO
    ):  # to the last digits where sweeps get there: what is left of rates adds up where contacts stick
        # of more rows only once in a step: its iterations end when impulses that are good enough stay as they are
        least = DIGITS if n <= FEW_ROWS or part(at, "trial.report")[ROUND] <= 1.0 else tol
        used, residual, worst = send_cones(
            rare[CONES_STAGE], hard, A_on, b_on, shape_on, law_on, P_on, NSGS, SWEEPS, least
        )
    if not residual <= tol:
        more, residual, worst = send_cones(
            rare[CONES_STAGE], hard, A_on, b_on, shape_on, law_on, P_on, method, settings.max_iter, tol
        )
        used += more
    terms[T_ITERATIONS] += used
    for i in range(n):
        P[rows[i]] = P_on[i]
    return (-1 if residual <= tol else which[max(worst, 0)]), residual


@allocating
def solve_levels(
    at: int, A: Array, b: Array, free: Array, shape: IntArray, start: IntArray, law: Array, P: Array
) -> tuple[int, float]:
    """Solve both levels on a growing set of contacts, as ``contact_step.solve_ggl`` does; return as ``solve_some``.

    ``free`` are gaps and rates without any impulses: b, but where impulses of other contacts are held.
    """
    nc = shape.shape[0] // 2
    on, rounds = np.zeros(2 * nc, np.int64), 0
    for i in range(nc):
        if b[start[2 * i]] <= 0.0:
            on[2 * i] = 1
        if free[start[2 * i]] <= 0.0:
            on[2 * i + 1] = 1
    while True:
        worst, residual = solve_some(at, A, b, shape, start, law, P, on)
        if worst >= 0:
            return worst, residual
        changed = False
        for i in range(nc):
            r = start[2 * i]
            gap = b[r]
            for j in range(P.size):
                gap += A[r, j] * P[j]
            closed = free[r] <= 0.0 or P[r] > 0.0 or (rounds >= nc and on[2 * i + 1] == 1)
            if on[2 * i] == 0 and gap < 0.0:
                on[2 * i], changed = 1, True
            if closed != (on[2 * i + 1] == 1):
                on[2 * i + 1], changed = (1 if closed else 0), True
        rounds += 1
        if not changed:
            return -1, residual


@allocating
def solve_blocks(at: int) -> tuple[int, float]:
    """Solve for the impulses of the candidates on the linearized step; write NU, LAM_C and LAM_T.

    Returns
    -------
    failed : int
        The contact with the largest residual when that exceeds the tolerance, else -1.
    residual : float
    """
    trial, ggl, response = part(at, "trial"), part(at, "numbers.contact_ggl") == 1, part(at, "motion.contact")[RESPONSE]
    candidates = np.flatnonzero(trial.contact[CANDIDATE] > 0.0)
    place, kind, shape, start = blocks_of(at, candidates, ggl)
    law = block_laws(at, candidates, shape.shape[0])
    b, now, P = given(at, place, kind)
    A, b = between(at, place, kind, b, now, P)  # what is left is the motion without the present impulses
    own = np.diag(A)
    for i in range(b.size):
        if kind[i] == NORMAL:
            response[place[i]] = own[i]
            keep_tangent_response(at, place[i], i, own)
    trial.report[ROUND] += 1.0
    if ggl:
        worst, residual = solve_levels(at, A, b, b, shape, start, law, P)
    else:
        worst, residual = solve_some(at, A, b, shape, start, law, P, np.ones(shape.shape[0], np.int64))
    keep_impulses(at, place, kind, P)
    return (candidates[worst // (2 if ggl else 1)] if worst >= 0 else -1), residual


@allocating
def between(at: int, place: IntArray, kind: IntArray, b: Array, now: Array, P: Array) -> tuple[Array, Array]:
    """Return the matrix of the problem, and b without the impulses of now; P begins with the loads of joints."""
    A, free = responses_between(at, place, kind), b.copy()
    for i in range(b.size):
        for j in range(b.size):
            free[i] -= A[i, j] * now[j]
    _give_loads(at, place, kind, A, free, now, P)
    return A, free


@inner
def _add_row(at: int, place: int, d_q: float, d_w: float, moved: float, given: float) -> None:
    """Add an impulse: its change by ``d_w``, and by ``d_q`` of what it moves, to v~; all of it to w and dq."""
    trial = part(at, "trial")
    nv, vec, x, X = trial.vec.shape[1], trial.vec, trial.big[X_], trial.response[BY_IMPULSE, place]
    if part(at, "numbers.form") != SPLIT:
        for i in range(X.size):
            x[i] += d_w * X[i]
        return
    Y_q, Y_v = trial.response[BY_DQ, place], trial.response[BY_W, place]
    for i in range(nv):
        vec[W, i] += given * X[i]
        vec[DQ, i] += moved * X[i]
    for r in range(X.size - nv):
        trial.joint[LAM_W, r] += given * X[nv + r]
    for i in range(X.size):
        x[i] += d_q * Y_q[i] + d_w * Y_v[i]


@inner
def _apply(at: int, old: Array, old_T: Array) -> float:
    """Put the impulses into dq, w and v~, as ``multibody_contact.apply_impulses`` does; return the change."""
    trial, laws, h, d1 = part(at, "trial"), part(at, "laws"), part(at, "step")[H], part(at, "step")[D1]
    vec, con, ggl = trial.vec, trial.contact, part(at, "numbers.contact_ggl") == 1
    was, was_q, nc = vec[S1], vec[S2], con.shape[1]
    copy(vec[W], was)
    copy(vec[DQ], was_q)
    vec[W, :] = 0.0
    vec[DQ, :] = 0.0
    trial.joint[LAM_W, :] = 0.0
    for c in range(nc):
        if con[CANDIDATE, c] == 0.0:
            continue
        d_w = con[LAM_C, c] - old[1, c]
        d_q = con[NU, c] - old[0, c] if ggl else 0.5 * h * d_w
        _add_row(at, c, d_q, d_w, con[NU, c] if ggl else 0.5 * h * con[LAM_C, c], con[LAM_C, c])
        for k in range(laws.start[c], laws.start[c + 1]):
            R = trial.beside[LAM_T, k]
            _add_row(at, nc + k, 0.5 * h * (R - old_T[k]), R - old_T[k], 0.5 * h * R, R)
    if part(at, "numbers.form") != SPLIT:
        return 0.0
    for i in range(vec.shape[1]):
        was[i] = max(abs(vec[W, i] - was[i]), abs(vec[DQ, i] - was_q[i]) / d1)
    return correction_size(at, was)


@stage
def friction_stage(at: int, flag: int) -> int:
    """Solve for the impulses of the candidates and bring them into the correction, as ``contact_stage`` does."""
    trial, report, con = part(at, "trial"), part(at, "trial.report"), part(at, "trial.contact")
    report[FAILED], report[LEFT], report[CHANGE] = -1.0, 0.0, 0.0
    old, old_T = np.zeros((2, con.shape[1])), np.zeros(trial.beside.shape[1])
    if not part(at, "step")[FIXED] > 0.0:
        copy(con[NU], old[0])
        copy(con[LAM_C], old[1])
        copy(trial.beside[LAM_T], old_T)
    predict_beside(at)
    _respond(at)
    failed, left = solve_blocks(at)
    report[FAILED], report[LEFT] = float(failed), left
    if failed < 0:
        part(at, "motion.terms")[T_RESIDUAL] = left
        report[CHANGE] = _apply(at, old, old_T)
    return 0
