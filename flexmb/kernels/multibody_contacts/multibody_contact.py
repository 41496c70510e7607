"""Contacts inside a Newton iteration: responses to unit impulses, the complementarity problem, and what it changes."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import Symbolic, lu_solve
from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.geometry.tables import CLEARANCE, CURVE
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, copy, row_rate
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACTIVE,
    B_V,
    BY_DQ,
    BY_IMPULSE,
    BY_W,
    CANDIDATE,
    CENTRED,
    CHANGE,
    D1,
    DQ,
    FAILED,
    FASTEST,
    FIXED,
    FREE,
    G_FREE,
    GAP,
    GAP_T,
    IMPULSE,
    LAM_C,
    LAM_W,
    LEFT,
    LENGTH,
    LU_,
    N_,
    NU,
    RATE,
    RESPONSE,
    ROUND,
    S1,
    S2,
    SPLIT,
    UNITS,
    VT,
    X_,
    Y_,
    H,
    V,
    W,
)
from flexmb.kernels.multibody.multibody_scales import correction_size
from flexmb.kernels.small_motion.arrays import Delassus
from flexmb.kernels.small_motion.contact_step import solve_ggl, solve_velocity
from flexmb.state import Array, IntArray

RESTING = 1e-12
"""Gap, over the size of the system, up to which a contact with friction counts as closed."""


@inner
def pattern_product(sym: Symbolic, val: Array, x: Array, nv: int, factor: float, out: Array) -> None:
    """Add ``factor`` A x to out for the part over the unknowns of a matrix kept in the pattern."""
    for i in range(sym.perm.size):
        row = sym.perm[i]
        if row >= nv:
            continue
        total = 0.0
        for k in range(sym.ptr[i], sym.ptr[i + 1]):
            j = sym.perm[sym.col[k]]
            if j < nv:
                total += val[k] * x[j]
        out[row] += factor * total


@inner
def forecast(at: int) -> None:
    """Mark the contacts that close within the step when nothing changes: g + forecast h U <= 0, but for round-off.

    A contact with friction that is lost for a step slips by that: it is given more.
    """
    motion, contact, c = part(at, "motion"), part(at, "trial.contact"), part(at, "system.rows.c")
    beside, length = part(at, "laws.start"), part(at, "trial.scale")[LENGTH]
    h, ahead, nj = part(at, "step")[H], part(at, "numbers.forecast"), part(at, "system.joints")
    for i in range(contact.shape[1]):
        r = nj + i
        g, U = motion.rows[GAP, r], motion.rows[RATE, r]
        noise = 1e-14 * abs(c[r]) + 1e-13 * h * motion.contact[RESPONSE, i] * motion.contact[IMPULSE, i]
        if beside[i + 1] > beside[i]:
            noise += RESTING * length
        contact[ACTIVE, i] = 1.0 if g + ahead * h * U <= noise else 0.0


@inner
def predicted(at: int, y: Array) -> None:
    """Write gaps and rates after the smooth correction (x of v~, y of dq), with the impulses as they are.

    CENTRED: the gap ahead and e times that behind, and their sum over h, which has the unit of a velocity.
    """
    contact, x = part(at, "trial.contact"), part(at, "trial.big")[X_]
    g, d1, nj = part(at, "point.rows.g"), part(at, "step")[D1], part(at, "system.joints")
    ahead, behind, e = part(at, "numbers.form") == CENTRED, part(at, "motion.rows")[GAP], part(at, "e")
    for i in range(contact.shape[1]):
        r = nj + i
        a = along_direction(at, r, x)
        if ahead:
            contact[G_FREE, i] = g[r] + d1 * a + e[i] * behind[r]
            contact[B_V, i] = contact[G_FREE, i] / d1
        else:
            contact[G_FREE, i] = g[r] + d1 * a + along_direction(at, r, y)
            contact[B_V, i] = row_rate(at, r) + a


@inner
def predicted_free(at: int) -> None:
    """Write gaps and rates without any impulse, where these change nothing else (``multibody_fixed``).

    The rows are linear around the trial; big[X_] gets the way from its v~ back to FREE. Contacts that the trial leaves
    closed are candidates from now on.
    """
    trial, vec, contact = part(at, "trial"), part(at, "trial.vec"), part(at, "trial.contact")
    x, y, nj = trial.big[X_], trial.big[N_], part(at, "system.joints")
    g, numbers, behind, e = part(at, "point.rows.g"), part(at, "numbers"), part(at, "motion.rows")[GAP], part(at, "e")
    for i in range(vec.shape[1]):
        x[i] = vec[FREE, i] - vec[VT, i]
        y[i] = -vec[DQ, i]
    predicted(at, y)
    for c in range(contact.shape[1]):
        if numbers.form == SPLIT:
            contact[B_V, c] -= along_direction(at, nj + c, vec[W])
        gap = g[nj + c] + (e[c] * behind[nj + c] if numbers.form == CENTRED else 0.0)
        if gap <= 0.0:
            contact[CANDIDATE, c] = 1.0


@inner
def choose_candidates(at: int) -> int:
    """Mark the contacts that may act: predicted closed (positions) or forecast to close, or pressed; count them.

    One that was pressed in the step before may well close again. Where candidates cost little (``ContactSets``), all
    that the fastest bodies can reach are some: an impact goes on through a pile within one problem.
    """
    con, numbers, before = part(at, "trial.contact"), part(at, "numbers"), part(at, "motion.contact")[IMPULSE]
    by_position, reach = numbers.contact_ggl == 1 or numbers.form == CENTRED, 0.0
    if part(at, "sets.part_ptr").size > 1:
        reach = 2.0 * part(at, "step")[H] * part(at, "trial.scale")[FASTEST]
    count = 0
    for i in range(con.shape[1]):
        if by_position:
            near = con[G_FREE, i] <= reach or con[NU, i] > 0.0 or con[LAM_C, i] > 0.0
            near = near or con[CANDIDATE, i] > 0.0 or before[i] > 0.0
        else:
            near = con[ACTIVE, i] > 0.0
        con[CANDIDATE, i] = 1.0 if near else 0.0
        count += near
    return count


@inner
def respond_to(at: int, X: Array, Y_q: Array, Y_v: Array) -> None:
    """Turn an impulse X over the unknowns into the response of w to it, and write those of v~."""
    sym, mats, work, nv = part(at, "sym"), part(at, "mats"), part(at, "trial.big")[LU_], part(at, "trial.vec").shape[1]
    if part(at, "numbers.form") != SPLIT:
        lu_solve(sym, mats.S, X, work)
        return
    lu_solve(sym, mats.J, X, work)
    Y_q[:] = 0.0
    Y_v[:] = 0.0
    pattern_product(sym, mats.D, X, nv, -1.0, Y_q)
    pattern_product(sym, mats.C, X, nv, -1.0, Y_v)
    lu_solve(sym, mats.S, Y_q, work)
    lu_solve(sym, mats.S, Y_v, work)


@inner
def respond(at: int) -> None:
    """Write the responses of w and v~ to unit impulses of the candidate contacts."""
    trial, nj, kept = part(at, "trial"), part(at, "system.joints"), part(at, "trial.unit").shape[1] > 0
    if kept:
        respond_to_units(at)
    for i in range(trial.contact.shape[1]):
        if trial.contact[CANDIDATE, i] == 0.0:
            continue
        X, Y_q, Y_v = trial.response[BY_IMPULSE, i], trial.response[BY_DQ, i], trial.response[BY_W, i]
        X[:] = 0.0
        if kept:
            Y_q[:] = 0.0
            Y_v[:] = 0.0
            combine_units(at, nj + i, X, Y_q, Y_v)
        else:
            add_direction(at, nj + i, 1.0, X)
            respond_to(at, X, Y_q, Y_v)


@inner
def respond_to_units(at: int) -> None:
    """Write the responses to unit impulses on single unknowns, if they are not there for this size of the step."""
    unit, unknowns, step = part(at, "trial.unit"), part(at, "scatter.unit_v"), part(at, "step")
    if step[UNITS] == step[H]:
        return
    for k in range(unknowns.size):
        X = unit[BY_IMPULSE, k]
        X[:] = 0.0
        X[unknowns[k]] = 1.0
        respond_to(at, X, unit[BY_DQ, k], unit[BY_W, k])
    step[UNITS] = step[H]


@inner
def combine_units(at: int, r: int, X: Array, Y_q: Array, Y_v: Array) -> None:
    """Add the responses to a unit impulse of row r, from those to unit impulses on its unknowns."""
    mk, rows, unit_of = part(at, "system.markers"), part(at, "system.rows"), part(at, "scatter.unit_of")
    J, grad, unit = part(at, "point.markers.J"), part(at, "point.rows.grad"), part(at, "trial.unit")
    split = part(at, "numbers.form") == SPLIT
    for s in range(rows.ptr[r], rows.ptr[r + 1]):
        m = rows.marker[s]
        for d in range(mk.ptr[m], mk.ptr[m + 1]):
            along, k = 0.0, unit_of[mk.dof[d]]
            for c in range(6):
                along += J[d, c] * grad[s, c]
            if along == 0.0:
                continue
            for i in range(X.size):
                X[i] += along * unit[BY_IMPULSE, k, i]
            if split:
                for i in range(X.size):
                    Y_q[i] += along * unit[BY_DQ, k, i]
                    Y_v[i] += along * unit[BY_W, k, i]


@inner
def _column(at: int, candidates: IntArray, x: Array, j: int, out: Array) -> None:
    """Write G^T x for all candidates into column j."""
    nj = part(at, "system.joints")
    for i in range(candidates.size):
        out[i, j] = along_direction(at, nj + candidates[i], x)


@allocating
def _delassus(at: int, candidates: IntArray) -> Delassus:
    """Return the responses of the gaps and their rates to the impulses of the candidates."""
    trial, numbers, step = part(at, "trial"), part(at, "numbers"), part(at, "step")
    n, nv, d1 = candidates.size, trial.vec.shape[1], step[D1]
    q_nu, q_Lam, v_nu, v_Lam = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    q, v = trial.vec[S1], trial.vec[S2]
    for j in range(n):
        X = trial.response[BY_IMPULSE, candidates[j]]
        Y_q, Y_v = trial.response[BY_DQ, candidates[j]], trial.response[BY_W, candidates[j]]
        if numbers.form != SPLIT:
            _column(at, candidates, X, j, v_Lam)
            continue
        if numbers.contact_ggl == 1:
            for i in range(nv):
                q[i], v[i] = X[i] + d1 * Y_q[i], Y_q[i]
            _column(at, candidates, q, j, q_nu)
            _column(at, candidates, v, j, v_nu)
            for i in range(nv):
                q[i], v[i] = d1 * Y_v[i], X[i] + Y_v[i]
            _column(at, candidates, q, j, q_Lam)
        else:
            for i in range(nv):
                v[i] = X[i] + 0.5 * step[H] * Y_q[i] + Y_v[i]
        _column(at, candidates, v, j, v_Lam)
    return Delassus(q_nu, q_Lam, v_nu, v_Lam)


@inner
def rate_before(at: int, r: int) -> float:
    """Return the rate of the gap before the step, which restitution reverses.

    The normals of clearances and curves turn quickly: there the velocity before the step is taken along the normal at
    its end, so that an impact is a reflection and no contact gains energy.
    """
    motion = part(at, "motion")
    if part(at, "system.rows.kind")[r] in (CLEARANCE, CURVE):
        return along_direction(at, r, motion.vec[V]) + motion.rows[GAP_T, r]
    return motion.rows[RATE, r]


@allocating
def solve_contacts(at: int) -> tuple[int, float]:
    """Solve for the impulses of the candidates on the linearized step; write NU and LAM_C.

    The solvers begin with the contacts that are pressed now, the first time in a step with those of the step before.

    Returns
    -------
    failed : int
        The contact with the largest residual when that exceeds the tolerance, else -1.
    residual : float
    """
    con, motion, e = part(at, "trial.contact"), part(at, "motion"), part(at, "e")
    settings, nj, ahead = part(at, "settings"), part(at, "system.joints"), part(at, "numbers.form") == CENTRED
    candidates = np.flatnonzero(con[CANDIDATE] > 0.0)
    n, first, fixed = candidates.size, part(at, "trial.report")[ROUND] == 0.0, part(at, "step")[FIXED] > 0.0
    W_c = _delassus(at, candidates)
    nu, Lam, g, b = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        c = candidates[i]
        nu[i], Lam[i] = con[NU, c], con[LAM_C, c]
        g[i] = con[G_FREE, c]
        b[i] = con[B_V, c] + (0.0 if ahead else e[c] * rate_before(at, nj + c))
        motion.contact[RESPONSE, c] = W_c.W_v_Lam[i, i]
    for i in range(0 if fixed else n):  # take out what the present impulses do: what is left is the motion without them
        for j in range(n):
            g[i] -= W_c.W_q_nu[i, j] * nu[j] + W_c.W_q_Lam[i, j] * Lam[j]
            b[i] -= W_c.W_v_nu[i, j] * nu[j] + W_c.W_v_Lam[i, j] * Lam[j]
    terms = np.zeros(motion.terms.size)
    for i in range(n if first else 0):
        Lam[i] = motion.contact[IMPULSE, candidates[i]]
    part(at, "trial.report")[ROUND] += 1.0
    if part(at, "numbers.contact_ggl") == 1:
        failed, residual = solve_ggl(settings, part(at, "step")[H], W_c, g, b, nu, Lam, terms)
    else:
        failed, residual = solve_velocity(settings, W_c.W_v_Lam, b, np.ones(n), Lam, terms)
    for i in range(terms.size):
        motion.terms[i] += terms[i]
    for i in range(n):
        con[NU, candidates[i]], con[LAM_C, candidates[i]] = nu[i], Lam[i]
    return (candidates[failed] if failed >= 0 else -1), residual


@inner
def apply_impulses(at: int, old: Array) -> float:
    """Put the impulses into dq, w and v~; ``old`` (2, nc) are those before. Return the change of w and dq / d1.

    That is the largest over the speeds of its kind (``correction_size``).
    w and dq are made anew from all impulses, v~ and the joints' multipliers change by what the impulses changed.
    """
    trial, ggl, h = part(at, "trial"), part(at, "numbers.contact_ggl") == 1, part(at, "step")[H]
    d1 = part(at, "step")[D1]
    nv, nj = trial.vec.shape[1], trial.joint.shape[1]
    vec, con, x, was, was_q = trial.vec, trial.contact, trial.big[X_], trial.vec[S1], trial.vec[S2]
    if part(at, "numbers.form") != SPLIT:
        for c in range(con.shape[1]):
            d = con[LAM_C, c] - old[1, c]
            if con[CANDIDATE, c] > 0.0 and d != 0.0:
                for i in range(nv + nj):
                    x[i] += d * trial.response[BY_IMPULSE, c, i]
        return 0.0
    copy(vec[W], was)
    copy(vec[DQ], was_q)
    vec[W, :] = 0.0
    vec[DQ, :] = 0.0
    trial.joint[LAM_W, :] = 0.0
    for c in range(con.shape[1]):
        if con[CANDIDATE, c] == 0.0:
            continue
        nu, Lam = con[NU, c], con[LAM_C, c]
        d_q = (nu - old[0, c]) if ggl else 0.5 * h * (Lam - old[1, c])
        d_w = Lam - old[1, c]
        X = trial.response[BY_IMPULSE, c]
        for i in range(nv):
            vec[W, i] += Lam * X[i]
            vec[DQ, i] += (nu if ggl else 0.5 * h * Lam) * X[i]
        for r in range(nj):
            trial.joint[LAM_W, r] += Lam * X[nv + r]
        for i in range(nv + nj):
            x[i] += d_q * trial.response[BY_DQ, c, i] + d_w * trial.response[BY_W, c, i]
    for i in range(nv):
        was[i] = max(abs(vec[W, i] - was[i]), abs(vec[DQ, i] - was_q[i]) / d1)
    return correction_size(at, was)


@stage
def contact_stage(at: int, flag: int) -> int:
    """Bring the contacts into the correction of an iteration; return how many may act.

    Flag 0 asks for the candidates only, 1 solves for their impulses. ``trial.report`` gets the contact that failed or
    -1, the residual, and the largest change of a velocity.
    """
    trial, report = part(at, "trial"), part(at, "trial.report")
    con = trial.contact
    report[FAILED], report[LEFT], report[CHANGE] = -1.0, 0.0, 0.0
    fixed = part(at, "step")[FIXED] > 0.0
    if flag == 0:
        if fixed:
            predicted_free(at)
        else:
            predicted(at, trial.big[Y_])
        return choose_candidates(at)
    old = np.zeros((2, con.shape[1]))
    if not fixed:
        copy(con[NU], old[0])
        copy(con[LAM_C], old[1])
    respond(at)
    failed, left = solve_contacts(at)
    report[FAILED], report[LEFT] = float(failed), left
    if failed < 0:
        report[CHANGE] = apply_impulses(at, old)
    return 0
