"""Many contacts with friction inside a Newton iteration: what ``multibody_friction`` does for few, at sparse cost.

The matrix of the problem is never formed (``friction_responses``). Accelerated sweeps over the contacts
(``friction_sweeps``) and full problems of small groups of them (``friction_patches``) take turns until the residual of
``cone_residual`` is ``good_enough``. Problems of up to ``DENSE`` rows that this does not solve have the full matrix,
as have solvers asked for by name that do not sweep; larger ones go on with sparse factors (``drive.sparse_cones``).
``nsgs`` by name sweeps plainly. What is not solved to the tolerance is never taken: the step fails.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import call, stage
from flexmb.kernels.cones.cone_residual import cone_scales
from flexmb.kernels.cones.cones import AUTO, NSGS
from flexmb.kernels.multibody import multibody as mb
from flexmb.kernels.multibody.evaluate import copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody_scales import correction_size
from flexmb.kernels.multibody_contacts.friction_blocks import (
    FEW_ROWS,
    NORMAL,
    POSITION,
    SOME_ROWS,
    TANGENT,
    block_laws,
    blocks_of,
    given,
    good_enough,
    keep_impulses,
    keep_tangent_response,
    load,
    predict_beside,
)
from flexmb.kernels.multibody_contacts.friction_patches import solve_patch, sweep_and_patch
from flexmb.kernels.multibody_contacts.friction_responses import Rows, all_rates, own_blocks_of, responses_of
from flexmb.kernels.multibody_contacts.friction_sweeps import Pile, sweep_plainly
from flexmb.kernels.small_motion.ledger import T_ITERATIONS, T_RESIDUAL
from flexmb.state import Array, IntArray

SWEEPS, LOOK = 2000, 8
"""Most plain sweeps where no limit is given, and sweeps after which the residual is looked at again."""
DENSE = 600
"""Rows up to which a problem that sweeps do not solve has the full matrix; that of few rows has it at once."""
LIMIT, REACHED, TAKEN, ROWS, HEAD = 0, 1, 2, 3, 4
"""Places in the array of ``_solve_sparsely``: tolerance, residual, iterations, number of rows; then impulses."""
FURTHER = 1e-2
"""Part of the tolerance that the first problem of a step of not too many rows is solved to, if it can be."""


@allocating
def _pile(at: int, candidates: IntArray, place: IntArray, kind: IntArray, shape: IntArray, start: IntArray) -> Pile:
    """Return the problem of the candidates; b is still to be given."""
    n, h, ggl = part(at, "sets.dense").shape[1], part(at, "step")[mb.H], part(at, "numbers.contact_ggl") == 1
    law, rows = block_laws(at, candidates, shape.shape[0]), responses_of(at, place, kind)
    own, W_ii = own_blocks_of(rows, kind, start, h, n), np.zeros(place.size)
    for block in range(start.size - 1):
        for i in range(start[block], start[block + 1]):
            W_ii[i] = own[block, i - start[block], i - start[block]]
    return Pile(rows, own, kind, shape, start, law, np.zeros(place.size), cone_scales(W_ii, shape, start), h, ggl, n)


@allocating
def _give(at: int, p: Pile, place: IntArray) -> tuple[Array, Array]:
    """Write b, the motion without impulses; return the impulses of now, and those that solvers begin with."""
    response, nothing = part(at, "motion.contact")[mb.RESPONSE], np.zeros(place.size)
    b, now, P = given(at, place, p.kind)
    free, moved, held = np.zeros(b.size), np.zeros((2, p.unknowns)), np.zeros(3)
    all_rates(p.rows, p.kind, p.h, now, nothing, moved, free)
    for block in range(p.start.size - 1):
        i = p.start[block]
        for r in range(i, p.start[block + 1]):
            p.b[r] = b[r] - free[r]
        if p.kind[i] == NORMAL:
            response[place[i]] = p.own[block, 0, 0]
            keep_tangent_response(at, place[i], 0, np.diag(p.own[block]))
            if p.rows.alone[i] > 0.0:
                p.b[i] = -(load(at, place[i], held) + free[i] - now[i])
    return now, P


@allocating
def pile_of(at: int) -> tuple[Pile, IntArray, IntArray, Array, Array]:
    """Return the problem of the candidates, these, the places of its rows, impulses of now and those to begin with."""
    candidates = np.flatnonzero(part(at, "trial.contact")[mb.CANDIDATE] > 0.0)
    place, kind, shape, start = blocks_of(at, candidates, part(at, "numbers.contact_ggl") == 1)
    p = _pile(at, candidates, place, kind, shape, start)
    now, P = _give(at, p, place)
    return p, candidates, place, now, P


@allocating
def _solve_sparsely(at: int, tol: float, P: Array, residual: float) -> tuple[int, float]:
    """Let the engine go on with sparse factors (``drive.sparse_cones``), if it has put them in the last rare place.

    P, the residual and the tolerance go there in one array. Returns the iterations and the residual.
    """
    rare, sent = part(at, "rare"), np.empty(HEAD + P.size)
    if rare[rare.size - 1] == 0:
        return 0, residual
    sent[LIMIT], sent[REACHED], sent[TAKEN], sent[ROWS] = tol, residual, 0.0, float(P.size)
    for i in range(P.size):
        sent[HEAD + i] = P[i]
    call(rare[rare.size - 1], at, sent.ctypes.data)
    for i in range(P.size):
        P[i] = sent[HEAD + i]
    return int(sent[TAKEN]), sent[REACHED]


@allocating
def _solve(at: int, p: Pile, candidates: IntArray, P: Array) -> tuple[int, float]:
    """Solve the problem by the method asked for; return the worst block, or -1, and the residual."""
    settings, terms, method = part(at, "settings"), part(at, "motion.terms"), int(part(at, "step")[mb.CONE_METHOD])
    tol, used, worst, residual = good_enough(settings.tol, P.size), 0, 0, np.inf
    if method == AUTO and P.size > FEW_ROWS:
        # what is left of rates adds up where contacts stick: once in a step the sweeps go on
        goal = FURTHER * tol if P.size <= SOME_ROWS and part(at, "trial.report")[mb.ROUND] <= 1.0 else tol
        used, worst, residual = sweep_and_patch(at, p, candidates, P, settings.max_iter, goal)
    elif method == NSGS:
        most = settings.max_iter if settings.max_iter > 0 else SWEEPS
        used, worst, residual = sweep_plainly(p, P, most, tol, LOOK)
    if method == AUTO and not residual <= tol and P.size > DENSE:
        more, residual = _solve_sparsely(at, tol, P, residual)
        used += more
    terms[T_ITERATIONS] += used
    if method not in (AUTO, NSGS) or (method == AUTO and not residual <= tol and P.size <= DENSE):
        return solve_patch(at, p, np.arange(p.start.size - 1), P)
    return (-1 if residual <= tol else worst), residual


@inner
def _apply(at: int, rows: Rows, kind: IntArray, P: Array, now: Array, old: Array) -> float:
    """Put the impulses into dq, w and v~, as ``multibody_contact.apply_impulses`` does; return the change.

    ``now`` are the unknowns before, ``old`` (2, nv) w and dq before.
    """
    trial, h, d1 = part(at, "trial"), part(at, "step")[mb.H], part(at, "step")[mb.D1]
    vec, x, nv, ggl = trial.vec, trial.big[mb.X_], trial.vec.shape[1], part(at, "numbers.contact_ggl") == 1
    split = part(at, "numbers.form") == mb.SPLIT
    for i in range(P.size):
        d, half = P[i] - now[i], 0.5 * h if kind[i] == TANGENT or not ggl else 0.0
        if P[i] == 0.0 and d == 0.0:
            continue
        to_q, to_w = (h, 0.0) if kind[i] == POSITION else (half, 1.0)
        for k in range(rows.x_ptr[i], rows.x_ptr[i + 1]):
            u, X = rows.x_dof[k], rows.x[mb.BY_IMPULSE, k]
            if not split:
                x[u] += d * X
                continue
            x[u] += d * (to_q * rows.x[mb.BY_DQ, k] + to_w * rows.x[mb.BY_W, k])
            if u < nv:
                vec[mb.W, u] += to_w * P[i] * X
                vec[mb.DQ, u] += to_q * P[i] * X
            else:
                trial.joint[mb.LAM_W, u - nv] += to_w * P[i] * X
    if not split:
        return 0.0
    was = vec[mb.S1]
    for i in range(nv):
        was[i] = max(abs(vec[mb.W, i] - old[0, i]), abs(vec[mb.DQ, i] - old[1, i]) / d1)
    return correction_size(at, was)


@stage
def friction_sets_stage(at: int, flag: int) -> int:
    """Solve for the impulses of the candidates and bring them into the correction, as ``contact_stage`` does."""
    trial, report = part(at, "trial"), part(at, "trial.report")
    report[mb.FAILED], report[mb.LEFT], report[mb.CHANGE] = -1.0, 0.0, 0.0
    predict_beside(at)
    p, candidates, place, now, P = pile_of(at)
    report[mb.ROUND] += 1.0
    worst, residual = _solve(at, p, candidates, P)
    report[mb.LEFT] = residual
    keep_impulses(at, place, p.kind, P)
    if worst >= 0:
        report[mb.FAILED] = float(place[p.start[worst]])
        return 0
    part(at, "motion.terms")[T_RESIDUAL] = residual
    old = np.zeros((2, trial.vec.shape[1]))
    copy(trial.vec[mb.W], old[0])
    copy(trial.vec[mb.DQ], old[1])
    trial.vec[mb.W, :] = 0.0
    trial.vec[mb.DQ, :] = 0.0
    trial.joint[mb.LAM_W, :] = 0.0
    report[mb.CHANGE] = _apply(at, p.rows, p.kind, P, now, old)
    return 0
