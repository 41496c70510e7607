"""Moreau-Jean's step, compiled for constant systems; its definition is ``schemes.moreau_jean.MoreauJean.step``."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.kernels.algebra.banded import dot
from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.laws.friction_record import SURFACE
from flexmb.kernels.small_motion.arrays import part
from flexmb.kernels.small_motion.contact_ask import add_side_impulses, side_free, side_works, solve_rows
from flexmb.kernels.small_motion.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_NUMERICAL, T_SPIN
from flexmb.kernels.small_motion.march import step_of
from flexmb.kernels.small_motion.products import elastic, form, resisting, restoring, solve_step
from flexmb.kernels.small_motion.rows import add_row, combine, forecast_closes, gap_offset, row_dot
from flexmb.kernels.small_motion.sparse_wishes import ADD_CROSS, TIMES_C, TIMES_M
from flexmb.schemes.compiled.formulas import increment, mean
from flexmb.state import Array


class MoreauJeanStep(NamedTuple):
    """The parameters of a step."""

    h: float
    theta: float
    vartheta: float
    gamma: float


_parameters: Any = arrays_at(MoreauJeanStep)


@step_of(MoreauJeanStep)
def step_moreau_jean(at: int, row: int) -> int:
    """Advance ``Run.live`` by a step; return -1, or the contact that failed."""
    ch, F0 = _parameters(part(at, "parameters")), part(at, "structure.F0")
    lod, tab, x, w = part(at, "loads"), part(at, "tables"), part(at, "live"), part(at, "scratch")
    h, th, vt = ch.h, ch.theta, ch.vartheta
    q, v = x.q, x.v
    n = q.size
    dv = w.x0
    for i in range(n):
        w.x1[i] = q[i] + h * th * v[i]
    restoring(at, w.x1, dv)
    for i in range(n):
        dv[i] = h * (F0[i] - dv[i])
    if part(at, "structure.resists"):
        resisting(at, v, w.x1)
        for i in range(n):
            dv[i] -= h * w.x1[i]
    for j in range(lod.drive.size):
        add_row(lod.rows, j, h * mean(th, tab.phi[row + 1, j], tab.phi[row, j]), dv)
    solve_step(at, dv, w.x1, w.x2)

    failed = _impulses(ch, at, row, dv)
    if failed >= 0:
        return failed
    if x.P.any():
        combine(part(at, "contacts.G"), x.P, w.x1)
        add_side_impulses(at, 1.0, w.x1)
        solve_step(at, w.x1, w.x2, w.x3)
        for i in range(n):
            dv[i] += w.x1[i]
    dq = w.x2
    for i in range(n):
        dq[i] = increment(h, vt, v[i], dv[i])
        q[i] += dq[i]
        v[i] += dv[i]
    _works(ch, at, row, dv, dq)
    return -1


@inner
def _impulses(ch: MoreauJeanStep, at: int, row: int, dv: Array) -> int:
    """Fill the impulses P; contacts whose forecast closes are active."""
    G, e, tab, x = part(at, "contacts.G"), part(at, "contacts.e"), part(at, "tables"), part(at, "live")
    b, active = part(at, "scratch.b"), part(at, "scratch.active")
    for i in range(x.P.size):
        active[i] = 1.0 if forecast_closes(at, i, ch.gamma * ch.h) else 0.0
        if active[i] > 0.0:
            U_free = row_dot(G, i, x.v) + row_dot(G, i, dv) + gap_offset(at, i, tab.ds[row + 1])
            b[i] = U_free + e[i] * x.U[i]
    side_free(at, row + 1, x.v, 1.0, dv)
    return solve_rows(at)


@inner
def _works(ch: MoreauJeanStep, at: int, row: int, dv: Array, dq: Array) -> None:
    """Report the works of the step: the energy identity of the definition, term by term."""
    lod, tab, x, w = part(at, "loads"), part(at, "tables"), part(at, "live"), part(at, "scratch")
    h, th, vt = ch.h, ch.theta, ch.vartheta
    external, spin = 0.0, 0.0
    for j in range(lod.drive.size):
        work = mean(th, tab.phi[row + 1, j], tab.phi[row, j]) * row_dot(lod.rows, j, dq)
        if lod.drive[j]:
            spin += work
        else:
            external += work
    drive = spin
    for i in range(x.P.size):
        x.work[i], given = 0.0, 0.0
        if x.P[i] != 0.0:
            g_t1 = gap_offset(at, i, tab.ds[row + 1])
            U = mean(vt, row_dot(part(at, "contacts.G"), i, x.v) + g_t1, x.U[i])
            x.work[i] = U * x.P[i]
            given = mean(vt, g_t1, gap_offset(at, i, tab.ds[row])) * x.P[i]
            drive -= given
        if x.laws.shape[1] > 0:
            x.laws[SURFACE, i] = -given
    drive += side_works(at, row, vt, x.v)
    numerical = 0.0
    if vt != 0.5:
        numerical += (0.5 - vt) * form(at, TIMES_M, dv, dv, w.x1)
    if th != 0.5:
        elastic(at, dq, w.x1)
        numerical += (0.5 - th) * dot(dq, w.x1)
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE], x.terms[T_SPIN] = drive, spin
    x.terms[T_DAMPING] = -form(at, TIMES_C, dq, dq, w.x1) / h if part(at, "structure.damped") else 0.0
    x.terms[T_NUMERICAL] = numerical
    # x.q is at the end of the step; dq^T N dq is zero
    x.terms[T_CROSS] = -form(at, ADD_CROSS, dq, x.q, w.x1) if part(at, "structure.crossed") else 0.0
