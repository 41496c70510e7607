"""Corners of drives: a prescribed velocity that jumps is an impact on the joints.

Steps end at the corners; up to there the speed before the jump holds. At a corner velocities jump by w,

    M w = G_J Lam_w + G_c Lam_c,     G_J^T (v + w) + g_t(t+) = 0,
    0 <= G_c^T (v + w) + g_t(t+) + e U-   perp   Lam_c >= 0     of closed contacts,

and the motion begins anew with accelerations and multipliers that fit (``start_motion``), so that nothing of the jump
rings on. Filtered forces and accelerations keep their distance from the unfiltered ones, (alpha_m - alpha_f) h times
their rate: with none at every corner of a table, the order would drop to one. With the mean v + w/2 of both velocities
the kinetic energy changes by

    dT = - (g_t(t-) + g_t(t+))/2 . (Lam_w, Lam_c)                      drive
         + (G_c^T (v + w/2) + (g_t(t-) + g_t(t+))/2) . Lam_c           contact
         + (G_J^T v + g_t(t-))/2 . Lam_w                               numerical: what joints held in positions violate
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import lu_solve
from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import ASSEMBLE, BESIDE_WORKS, FRICTION_CORNER_STAGE, PLACE, asked, call
from flexmb.kernels.laws.friction_record import COHESION, SURFACE, add_up_friction
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, copy, forces_in_space, row_rate, to_space
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACC,
    CANDIDATE,
    CONTACT_FAILED,
    CONVERGED,
    EARLY,
    FAILED,
    G_FREE,
    GAP,
    GAP_T,
    IMPULSE,
    KINETIC,
    LAM,
    LAM_C,
    LAM_HAT,
    LAM_SINCE,
    LAM_T,
    LAM_W,
    LEFT,
    LENGTH,
    LU_,
    NOT_A_NUMBER,
    RESPONSE,
    ROUND,
    S2,
    SINGULAR,
    SPLIT,
    STATE,
    T_END,
    T_P,
    T_V,
    TIME,
    WEAK_MASS,
    WORK,
    X_,
    V,
    W,
)
from flexmb.kernels.multibody.multibody_scales import measure_length
from flexmb.kernels.multibody.redundancy import leave_out
from flexmb.kernels.multibody_contacts.multibody_contact import rate_before
from flexmb.kernels.multibody_steps.multibody_ledger import carry_impulses, carry_state, gaps_to_book
from flexmb.kernels.multibody_steps.multibody_newton import finite
from flexmb.kernels.multibody_steps.multibody_step import start_motion
from flexmb.kernels.small_motion.contact_step import solve_velocity
from flexmb.kernels.small_motion.ledger import T_DRIVE, T_NUMERICAL, add_to_ledger
from flexmb.state import Array, Array2, IntArray

CLOSED = 1e-10
"""Gap, over the size of the system, of a contact that a jump of a joint is felt in at once."""


@inner
def _jump_of_joints(at: int) -> None:
    """Write the jump W of the velocities, and the impulses LAM_W, that the joints alone ask for."""
    trial, sym, mats = part(at, "trial"), part(at, "sym"), part(at, "mats")
    nv, x, w = trial.vec.shape[1], trial.big[X_], trial.vec[W]
    w[:] = 0.0
    trial.joint[LAM_W, :] = 0.0
    for _ in range(2):  # once would do but for round-off and the regularization of redundant joints
        x[:] = 0.0
        for r in range(trial.joint.shape[1]):
            x[nv + r] = -row_rate(at, r) - along_direction(at, r, w)
        leave_out(at, x[nv:])
        lu_solve(sym, mats.J, x, trial.big[LU_])
        leave_out(at, x[nv:])
        for i in range(nv):
            w[i] += x[i]
        for r in range(trial.joint.shape[1]):
            trial.joint[LAM_W, r] += x[nv + r]


@allocating
def _closed(at: int) -> IntArray:
    """Return the contacts that are closed: without a gap, or pressed in the step before."""
    motion, length, nj = part(at, "motion"), part(at, "trial.scale")[LENGTH], part(at, "system.joints")
    gaps = motion.rows[GAP, nj : nj + part(at, "e").size]
    return np.flatnonzero((gaps <= CLOSED * length) | (motion.contact[IMPULSE] > 0.0))


@allocating
def _jump_of_contacts(at: int) -> tuple[int, float]:
    """Add to W, LAM_W and LAM_C what closed contacts answer; return the contact that failed or -1, and the residual."""
    trial, motion, sym, mats = part(at, "trial"), part(at, "motion"), part(at, "sym"), part(at, "mats")
    nv, nj, w, e = trial.vec.shape[1], trial.joint.shape[1], trial.vec[W], part(at, "e")
    trial.contact[LAM_C, :] = 0.0
    trial.beside[LAM_T, :] = 0.0
    motion.laws[:COHESION, :] = 0.0
    closed = _closed(at)
    n = closed.size
    if n == 0:
        return -1, 0.0
    if trial.beside.shape[1] > 0:
        trial.contact[CANDIDATE, :] = 0.0
        trial.contact[CANDIDATE][closed] = 1.0
        call(part(at, "rare")[FRICTION_CORNER_STAGE], at, 0)
        leave_out(at, trial.joint[LAM_W])
        return int(trial.report[FAILED]), trial.report[LEFT]
    responses, b, Lam, of_contact = np.zeros((n, n)), np.zeros(n), np.zeros(n), np.zeros((n, nv + nj))
    for j in range(n):
        X = of_contact[j]
        add_direction(at, nj + closed[j], 1.0, X)
        lu_solve(sym, mats.J, X, trial.big[LU_])
        for i in range(n):
            responses[i, j] = along_direction(at, nj + closed[i], X)
    for i in range(n):
        r = nj + closed[i]
        b[i] = row_rate(at, r) + along_direction(at, r, w) + e[closed[i]] * rate_before(at, r)
    failed, residual = solve_velocity(part(at, "settings"), responses, b, np.ones(n), Lam, motion.terms)
    if failed >= 0:
        return closed[failed], residual
    for j in range(n):
        c, X = closed[j], of_contact[j]
        trial.contact[LAM_C, c] = Lam[j]
        motion.contact[RESPONSE, c] = responses[j, j]
        for i in range(nv):
            w[i] += Lam[j] * X[i]
        for r in range(nj):
            trial.joint[LAM_W, r] += Lam[j] * X[nv + r]
    leave_out(at, trial.joint[LAM_W])
    return -1, residual


@inner
def _account(at: int) -> None:
    """Write the terms of the jump, and keep its impulses."""
    trial, motion, g_t = part(at, "trial"), part(at, "motion"), part(at, "point.rows.g_t")
    mean, nj, terms = trial.vec[S2], trial.joint.shape[1], motion.terms
    for i in range(mean.size):
        mean[i] = motion.vec[V, i] + 0.5 * trial.vec[W, i]
    for r in range(nj + part(at, "e").size):
        Lam = trial.joint[LAM_W, r] if r < nj else trial.contact[LAM_C, r - nj]
        prescribed = -0.5 * (motion.rows[GAP_T, r] + g_t[r])
        rest = (along_direction(at, r, mean) - prescribed) * Lam
        terms[T_DRIVE] += prescribed * Lam
        if r < nj:
            terms[T_NUMERICAL] += rest
            motion.joint[LAM_SINCE, r] += Lam
        else:
            motion.contact[WORK, r - nj] = rest
            if r - nj < motion.laws.shape[1]:
                motion.laws[SURFACE, r - nj] = prescribed * Lam
    if trial.beside.shape[1] > 0:
        call(part(at, "stages")[BESIDE_WORKS], at, 2)
        terms[T_DRIVE] += part(at, "answer")[0]
    carry_impulses(at)


@allocating
def _distances(at: int, t: float, keep: bool) -> tuple[Array, Array2, Array]:
    """Return how far filtered accelerations, forces and multipliers are from what they filter, before the jump.

    Zeros unless they are to be kept.
    """
    motion = part(at, "motion")
    acc, forces, lam = motion.vec[ACC].copy(), motion.P - motion.F, motion.joint[LAM_HAT] - motion.joint[LAM]
    if keep and start_motion(at, t) < 0:
        return acc - motion.vec[ACC], forces, lam
    return np.zeros_like(acc), np.zeros_like(forces), np.zeros_like(lam)


@inner
def _begin_anew(at: int, t: float) -> int:
    """Write accelerations, multipliers and forces that fit the velocity; return -1 or the row with a bad pivot."""
    motion, point = part(at, "motion"), part(at, "point")
    bad = start_motion(at, t)
    if bad >= 0:
        return bad
    forces_in_space(part(at, "system.unknowns"), point.F, point.A, motion.F)
    for c in range(motion.F.shape[0]):
        copy(motion.F[c], motion.P[c])
    return -1


@asked
def corner_stage(at: int, keep: int, t: float, c: float, q_at: int, v_at: int, p_at: int) -> int:
    """Do what ``pass_corner`` says; return the status, and the rest in ``answer``."""
    status, where, residual = pass_corner(at, t, keep != 0)
    part(at, "answer")[0], part(at, "answer")[1] = float(where), residual
    return status


@allocating
def pass_corner(at: int, t: float, keep: bool) -> tuple[int, int, float]:
    """Let the velocities jump to what the drives say after t, where the motion is; return (status, where, residual).

    Where no drive jumps, the motion is brought onto the velocities of its joints and begins anew. ``keep`` says whether
    the filters of a scheme keep what they know of the rates of forces.
    """
    trial, motion, step, stages = part(at, "trial"), part(at, "motion"), part(at, "step"), part(at, "stages")
    vec, p = trial.vec, trial.vec[T_P]
    copy(motion.turn, part(at, "point.angles.turn"))
    acc, forces, lam = _distances(at, t, keep and part(at, "numbers.form") == SPLIT)
    step[EARLY], step[T_END] = 0.0, t
    motion.numbers[TIME] = t
    motion.terms[:] = 0.0
    measure_length(at)
    copy(motion.q, trial.q)
    copy(motion.vec[V], vec[T_V])
    call(stages[PLACE], at, 0)
    bad = call(stages[ASSEMBLE], at, 2)
    if bad >= 0:
        return SINGULAR, bad, trial.big[WEAK_MASS, bad]
    _jump_of_joints(at)
    failed, residual = _jump_of_contacts(at)
    if failed >= 0:
        trial.report[ROUND] = 0.0  # the problem was none of a step
        return CONTACT_FAILED, failed, residual
    if not finite(vec[W]):
        return NOT_A_NUMBER, -1, np.nan
    state = motion.contact[STATE].copy()
    _account(at)
    copy(state, motion.contact[STATE])  # a jump takes no time
    for i in range(p.size):
        vec[T_V, i] += vec[W, i]
    call(stages[PLACE], at, 0)
    kinetic = 0.0
    for i in range(p.size):
        kinetic += 0.5 * p[i] * vec[T_V, i]
    to_space(part(at, "system.unknowns"), part(at, "point.A"), p)
    carry_state(at)
    motion.numbers[KINETIC] = kinetic
    gaps_to_book(at)
    con, gaps = motion.contact, part(at, "trial.contact")[G_FREE]
    add_to_ledger(motion.ledger[0], motion.terms, con[IMPULSE], con[WORK], motion.laws, con[RESPONSE], gaps, t)
    add_up_friction(motion.beside, motion.laws, con[WORK])
    bad = _begin_anew(at, t)
    if bad >= 0:
        return SINGULAR, bad, trial.big[WEAK_MASS, bad]
    for i in range(acc.size):
        motion.vec[ACC, i] += acc[i]
        for k in range(forces.shape[0]):
            motion.P[k, i] += forces[k, i]
    for r in range(lam.size):
        motion.joint[LAM_HAT, r] += lam[r]
    return CONVERGED, -1, 0.0
