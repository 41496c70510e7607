"""Many contacts inside a Newton iteration: what ``multibody_contact`` does for few, at sparse cost.

An impulse moves only the bodies it acts on and what joints or forces tie to them: the *part* of the bordered matrices
that no entry joins to the rest. Responses are kept over these parts, and the matrix of the problem has an entry only
for contacts that share one. Contacts that are no candidates cost nothing.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.algebra.sparse_lu import Symbolic, lu_solve_rows
from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.index_sets.sparse_sets import IN, OUT, guess, multiply, solve_sets
from flexmb.kernels.multibody import multibody as mb
from flexmb.kernels.multibody.evaluate import add_direction, along_direction, copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody_scales import correction_size
from flexmb.kernels.multibody_contacts.multibody_contact import rate_before
from flexmb.kernels.small_motion.arrays import Delassus
from flexmb.kernels.small_motion.contact_step import solve_ggl, solve_velocity
from flexmb.kernels.small_motion.ledger import T_ITERATIONS
from flexmb.state import Array, IntArray

SETS = 100
"""Index sets before single changes."""

DENSE = 3000
"""Rows up to which a problem that its sets do not solve is given to the solvers of full matrices."""


@inner
def product(sym: Symbolic, val: Array, rows: IntArray, nv: int, x: Array, out: Array) -> None:
    """Write -A x over the unknowns among some rows."""
    for k in range(rows.size):
        i = rows[k]
        row, total = sym.perm[i], 0.0
        if row < nv:
            for p in range(sym.ptr[i], sym.ptr[i + 1]):
                j = sym.perm[sym.col[p]]
                if j < nv:
                    total -= val[p] * x[j]
        out[row] = total


@inner
def respond_in_part(at: int, rows: IntArray) -> None:
    """Solve for the responses of a part, its rows in the order of elimination, to the impulse in ``dense``."""
    sets, sym, mats, work = part(at, "sets"), part(at, "sym"), part(at, "mats"), part(at, "trial.big")[mb.LU_]
    X, Y_q, Y_v = sets.dense[mb.BY_IMPULSE], sets.dense[mb.BY_DQ], sets.dense[mb.BY_W]
    nv, split = part(at, "trial.vec").shape[1], part(at, "numbers.form") == mb.SPLIT
    lu_solve_rows(sym, mats.J if split else mats.S, X, work, rows)
    if split:
        product(sym, mats.D, rows, nv, X, Y_q)
        product(sym, mats.C, rows, nv, X, Y_v)
        lu_solve_rows(sym, mats.S, Y_q, work, rows)
        lu_solve_rows(sym, mats.S, Y_v, work, rows)


@inner
def _respond(at: int, c: int) -> None:
    """Write the responses to a unit impulse of contact c to ``dense``, and keep them."""
    sets, perm, split = part(at, "sets"), part(at, "sym.perm"), part(at, "numbers.form") == mb.SPLIT
    add_direction(at, part(at, "system.joints") + c, 1.0, sets.dense[mb.BY_IMPULSE])
    place = sets.ptr[c]
    for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
        p = sets.parts[k]
        rows = sets.row[sets.row_ptr[p] : sets.row_ptr[p + 1]]
        respond_in_part(at, rows)
        for i in range(rows.size):
            for d in range(3 if split else 1):
                sets.response[d, place] = sets.dense[d, perm[rows[i]]]
            place += 1


@inner
def _clear(at: int, c: int) -> None:
    """Make ``dense`` zero again after contact c."""
    sets, perm = part(at, "sets"), part(at, "sym.perm")
    for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
        p = sets.parts[k]
        for i in range(sets.row_ptr[p], sets.row_ptr[p + 1]):
            for d in range(3):
                sets.dense[d, perm[sets.row[i]]] = 0.0


@inner
def _column(at: int, c: int) -> None:
    """Write the column of contact c of the problem from the responses in ``dense``."""
    sets, s, step, numbers = part(at, "sets"), part(at, "sets.problem"), part(at, "step"), part(at, "numbers")
    nj, candidate, mirror = part(at, "system.joints"), part(at, "trial.contact")[mb.CANDIDATE], s.order.mirror
    h, d1 = step[mb.H], step[mb.D1]
    for p in range(s.near_ptr[c], s.near_ptr[c + 1]):
        i = s.near[p]
        if candidate[i] == 0.0:
            continue
        x = along_direction(at, nj + i, sets.dense[mb.BY_IMPULSE])
        if numbers.form != mb.SPLIT:
            s.W[mirror[s.pos[p]]] = x
            continue
        y_q, y_v = along_direction(at, nj + i, sets.dense[mb.BY_DQ]), along_direction(at, nj + i, sets.dense[mb.BY_W])
        if s.levels == 1:
            s.W[mirror[s.pos[p]]] = x + 0.5 * h * y_q + y_v
        else:  # unknowns nu / h and Lam, positions over h; mirrored: entry (a, b) of (c, i) is (b, a) of (i, c)
            s.W[mirror[s.pos[4 * p]]] = x + d1 * y_q
            s.W[mirror[s.pos[4 * p + 1]]] = h * y_q
            s.W[mirror[s.pos[4 * p + 2]]] = d1 * y_v / h
            s.W[mirror[s.pos[4 * p + 3]]] = x + y_v


@inner
def _pose(at: int) -> None:
    """Write rows and first set of the problem: W, b without impulses, and who was pressed."""
    sets, s, con, motion = part(at, "sets"), part(at, "sets.problem"), part(at, "trial.contact"), part(at, "motion")
    h, e, nj, n = part(at, "step")[mb.H], part(at, "e"), part(at, "system.joints"), s.levels
    ahead, fixed = part(at, "numbers.form") == mb.CENTRED, part(at, "step")[mb.FIXED] > 0.0
    first = part(at, "trial.report")[mb.ROUND] == 0.0
    for c in range(con.shape[1]):
        on = con[mb.CANDIDATE, c] > 0.0
        for k in range(n):
            s.may[n * c + k] = 1 if on else 0
            s.z[n * c + k] = 0.0
            s.b[n * c + k] = 0.0
        if on:
            _respond(at, c)
            _column(at, c)
            _clear(at, c)
            s.z[n * c + n - 1] = con[mb.LAM_C, c]
            s.b[n * c + n - 1] = con[mb.B_V, c] + (0.0 if ahead else e[c] * rate_before(at, nj + c))
            if n == 2:
                s.z[2 * c] = con[mb.NU, c] / h
                s.b[2 * c] = con[mb.G_FREE, c] / h
    if not fixed:  # take out what the present impulses do: what is left is the motion without them
        for r in range(s.z.size):
            s.z[r] = -s.z[r]
        multiply(s)
        for r in range(s.z.size):
            if s.may[r] == 1:
                s.b[r] = s.w[r]
            s.z[r] = -s.z[r]
    for c in range(con.shape[1]):
        pressed = con[mb.CANDIDATE, c] > 0.0 and motion.contact[mb.IMPULSE, c] > 0.0
        for k in range(n):
            warm = pressed if first else s.z[n * c + k] > 0.0
            own = s.W[s.order.diag[s.order.inverse[n * c + k]]]
            s.state[n * c + k] = IN if s.may[n * c + k] == 1 and warm and own > 0.0 else OUT
        sets.free[c] = h * s.b[2 * c] if n == 2 else 0.0
        if con[mb.CANDIDATE, c] > 0.0:
            motion.contact[mb.RESPONSE, c] = s.W[s.order.diag[s.order.inverse[n * c + n - 1]]]


@allocating
def _solve_full(at: int) -> tuple[int, float]:
    """Solve the problem by the solvers of full matrices; return the contact that failed or -1, and the residual."""
    s, con, settings, h = (
        part(at, "sets.problem"),
        part(at, "trial.contact"),
        part(at, "settings"),
        part(at, "step")[mb.H],
    )
    who = np.flatnonzero(con[mb.CANDIDATE] > 0.0)
    n, place, k = who.size, np.full(con.shape[1], -1), s.levels
    place[who] = np.arange(n)
    full = np.zeros((k * n, k * n))
    for i in range(n):
        for p in range(s.near_ptr[who[i]], s.near_ptr[who[i] + 1]):
            j = place[s.near[p]]
            if j >= 0:
                for a in range(k):
                    for d in range(k):
                        full[k * i + a, k * j + d] = s.W[s.pos[k * k * p + k * a + d]]
    nu, Lam, b, terms = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(part(at, "motion.terms").size)
    for i in range(n):
        b[i] = s.b[k * who[i] + k - 1]
    if k == 1:
        failed, residual = solve_velocity(settings, full, b, np.ones(n), Lam, terms)
    else:
        parts = Delassus(
            np.ascontiguousarray(full[::2, ::2]), h * np.ascontiguousarray(full[::2, 1::2]),
            np.ascontiguousarray(full[1::2, ::2]) / h, np.ascontiguousarray(full[1::2, 1::2]),
        )  # fmt: skip
        failed, residual = solve_ggl(settings, h, parts, part(at, "sets.free")[who], b, nu, Lam, terms)
    part(at, "motion.terms")[T_ITERATIONS] += terms[T_ITERATIONS]
    for i in range(n):
        s.z[k * who[i] + k - 1] = Lam[i]
        if k == 2:
            s.z[2 * who[i]] = nu[i] / h
    return (who[failed] if failed >= 0 else -1), residual


@allocating
def solve_many(at: int) -> tuple[int, float]:
    """Solve for the impulses of the candidates on the linearized step; write NU and LAM_C.

    Returns
    -------
    failed : int
        The contact with the largest residual when that exceeds the tolerance, else -1.
    residual : float
    """
    s, sets, con, settings = part(at, "sets.problem"), part(at, "sets"), part(at, "trial.contact"), part(at, "settings")
    _pose(at)
    warm = False
    for r in range(s.state.size):
        warm = warm or s.state[r] == IN
    if not warm:
        guess(s, sets.free)
    part(at, "trial.report")[mb.ROUND] += 1.0
    used, row, residual = solve_sets(s, sets.free, settings.max_iter if settings.max_iter > 0 else SETS)
    part(at, "motion.terms")[T_ITERATIONS] += used
    failed = -1 if residual <= settings.tol else row // s.levels
    if failed >= 0:
        rows = 0
        for r in range(s.may.size):
            rows += s.may[r]
        if rows <= DENSE:
            failed, residual = _solve_full(at)
    h, n = part(at, "step")[mb.H], s.levels
    for c in range(con.shape[1]):
        con[mb.LAM_C, c] = s.z[n * c + n - 1]
        con[mb.NU, c] = h * s.z[2 * c] if n == 2 else 0.0
    return failed, residual


@inner
def _apply(at: int, old: Array) -> float:
    """Put the impulses into dq, w and v~, as ``multibody_contact.apply_impulses`` does."""
    trial, ggl, h, d1 = (
        part(at, "trial"),
        part(at, "numbers.contact_ggl") == 1,
        part(at, "step")[mb.H],
        part(at, "step")[mb.D1],
    )
    sets, perm, nv, split = (
        part(at, "sets"),
        part(at, "sym.perm"),
        trial.vec.shape[1],
        part(at, "numbers.form") == mb.SPLIT,
    )
    vec, con, x, was, was_q = trial.vec, trial.contact, trial.big[mb.X_], trial.vec[mb.S1], trial.vec[mb.S2]
    copy(vec[mb.W], was)
    copy(vec[mb.DQ], was_q)
    vec[mb.W, :] = 0.0
    vec[mb.DQ, :] = 0.0
    trial.joint[mb.LAM_W, :] = 0.0
    for c in range(con.shape[1]):
        Lam, nu = con[mb.LAM_C, c], con[mb.NU, c] if ggl else 0.5 * h * con[mb.LAM_C, c]
        d_w = Lam - old[1, c]
        d_q = nu - (old[0, c] if ggl else 0.5 * h * old[1, c])
        if con[mb.CANDIDATE, c] == 0.0 or (Lam == 0.0 and nu == 0.0 and d_w == 0.0 and d_q == 0.0):
            continue
        place = sets.ptr[c]
        for k in range(sets.part_ptr[c], sets.part_ptr[c + 1]):
            p = sets.parts[k]
            for r in range(sets.row_ptr[p], sets.row_ptr[p + 1]):
                i, X = perm[sets.row[r]], sets.response[mb.BY_IMPULSE, place]
                if not split:
                    x[i] += d_w * X
                else:
                    x[i] += d_q * sets.response[mb.BY_DQ, place] + d_w * sets.response[mb.BY_W, place]
                    if i < nv:
                        vec[mb.W, i] += Lam * X
                        vec[mb.DQ, i] += nu * X
                    else:
                        trial.joint[mb.LAM_W, i - nv] += Lam * X
                place += 1
    if not split:
        return 0.0
    for i in range(nv):
        was[i] = max(abs(vec[mb.W, i] - was[i]), abs(vec[mb.DQ, i] - was_q[i]) / d1)
    return correction_size(at, was)


@stage
def contact_sets_stage(at: int, flag: int) -> int:
    """Solve for the impulses of the candidates and bring them into the correction, as ``contact_stage`` does."""
    trial, report, con = part(at, "trial"), part(at, "trial.report"), part(at, "trial.contact")
    report[mb.FAILED], report[mb.LEFT], report[mb.CHANGE] = -1.0, 0.0, 0.0
    old = np.zeros((2, con.shape[1]))
    if not part(at, "step")[mb.FIXED] > 0.0:
        copy(trial.contact[mb.NU], old[0])
        copy(trial.contact[mb.LAM_C], old[1])
    failed, left = solve_many(at)
    report[mb.FAILED], report[mb.LEFT] = float(failed), left
    if failed < 0:
        report[mb.CHANGE] = _apply(at, old)
    return 0
