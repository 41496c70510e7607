"""Compiled twin of ``schemes.moreau_jean.MoreauJean.step``."""

from __future__ import annotations

from flexmb.kernels.arrays import ContactRows, Live, Loads, MoreauChoice, Scratch, SolverSettings, Structure, Tables
from flexmb.kernels.banded import band_product, band_quad, dot, skew_form
from flexmb.kernels.contact_ask import add_side_impulses, side_free, side_works, solve_rows
from flexmb.kernels.jit import spliced
from flexmb.kernels.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_NUMERICAL
from flexmb.kernels.rows import add_row, combine, elastic, forecast_closes, gap_offset, restoring, row_dot, solve_step
from flexmb.state import Array


@spliced
def step_moreau(
    ch: MoreauChoice,
    jd: SolverSettings,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
) -> tuple[int, float]:
    """Advance ``x`` by a step; return (-1, residual), or the contact that failed and its residual."""
    h, th, vt = ch.h, ch.theta, ch.vartheta
    q, v = x.q, x.v
    n = q.size
    dv = w.x0
    for i in range(n):
        w.x1[i] = q[i] + h * th * v[i]
    restoring(st, w.x1, dv)
    for i in range(n):
        dv[i] = h * (st.F0[i] - dv[i])
    if st.resists:
        band_product(st.resist, st.resist_up, v, w.x1)
        for i in range(n):
            dv[i] -= h * w.x1[i]
    for j in range(lod.drive.size):
        add_row(lod.rows, j, h * (th * tab.phi[row + 1, j] + (1.0 - th) * tab.phi[row, j]), dv)
    solve_step(st, dv, w.x1, w.x2)

    failed, residual = _impulses(ch, jd, con, tab, row, x, w, dv)
    if failed >= 0:
        return failed, residual
    if x.P.any():
        combine(con.G, x.P, w.x1)
        add_side_impulses(con, 1.0, w.x1)
        solve_step(st, w.x1, w.x2, w.x3)
        for i in range(n):
            dv[i] += w.x1[i]
    dq = w.x2
    for i in range(n):
        dq[i] = h * (v[i] + vt * dv[i])
        q[i] += dq[i]
        v[i] += dv[i]
    _works(ch, st, con, lod, tab, row, x, w, dv, dq)
    return -1, residual


@spliced
def _impulses(
    ch: MoreauChoice, jd: SolverSettings, con: ContactRows, tab: Tables, row: int, x: Live, w: Scratch, dv: Array
) -> tuple[int, float]:
    """Fill ``x.P``; contacts whose forecast closes are active."""
    nc = x.P.size
    b, active = w.c0, w.c1
    for i in range(nc):
        active[i] = 1.0 if forecast_closes(con, i, x, ch.gamma * ch.h, ch.h) else 0.0
        if active[i] > 0.0:
            U_free = row_dot(con.G, i, x.v) + row_dot(con.G, i, dv) + gap_offset(con, i, tab.ds[row + 1])
            b[i] = U_free + con.e[i] * x.U[i]
    side_free(con, tab, row + 1, x.v, 1.0, dv)
    return solve_rows(jd, con, b, active, x.P, x.terms)


@spliced
def _works(
    ch: MoreauChoice,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
    dv: Array,
    dq: Array,
) -> None:
    h, th, vt = ch.h, ch.theta, ch.vartheta
    external, drive = 0.0, 0.0
    for j in range(lod.drive.size):
        work = (th * tab.phi[row + 1, j] + (1.0 - th) * tab.phi[row, j]) * row_dot(lod.rows, j, dq)
        if lod.drive[j]:
            drive += work
        else:
            external += work
    for i in range(x.P.size):
        x.work[i] = 0.0
        if x.P[i] != 0.0:
            g_t1 = gap_offset(con, i, tab.ds[row + 1])
            U = vt * (row_dot(con.G, i, x.v) + g_t1) + (1.0 - vt) * x.U[i]
            x.work[i] = U * x.P[i]
            drive -= (vt * g_t1 + (1.0 - vt) * gap_offset(con, i, tab.ds[row])) * x.P[i]
    drive += side_works(con, tab, row, vt, x.v)
    numerical = 0.0
    if vt != 0.5:
        numerical += (0.5 - vt) * band_quad(st.M, dv, w.x1)
    if th != 0.5:
        elastic(st, dq, w.x1)
        numerical += (0.5 - th) * dot(dq, w.x1)
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE] = drive
    x.terms[T_DAMPING] = -band_quad(st.C, dq, w.x1) / h if st.damped else 0.0
    x.terms[T_NUMERICAL] = numerical
    # x.q is at the end of the step; dq^T N dq is zero
    x.terms[T_CROSS] = -skew_form(dq, st.cross, x.q, w.x1) if st.crossed else 0.0
