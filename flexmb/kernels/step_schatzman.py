"""Compiled twin of ``schemes.schatzman_paoli.SchatzmanPaoli.step``."""

from __future__ import annotations

from flexmb.kernels.arrays import ContactRows, Live, Loads, SchatzmanChoice, Scratch, SolverSettings, Structure, Tables
from flexmb.kernels.banded import band_product, band_quad, dot, skew_form
from flexmb.kernels.contact_ask import solve_rows
from flexmb.kernels.jit import spliced
from flexmb.kernels.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_NUMERICAL
from flexmb.kernels.rows import (
    add_row,
    combine,
    elastic,
    gap_offset,
    kinetic,
    potential,
    restoring,
    row_dot,
    solve_step,
)
from flexmb.state import Array

AHEAD, DRIVE = 0, 1
"""Places in ``Live.scalars``: E' - E, and the drive's work of an impulse at the start that waits for the first step.

``Live.vectors`` are q_{k+1} and u_{k+1}; ``Live.contacts`` the impulse and the work that wait.
"""


@spliced
def step_schatzman(
    ch: SchatzmanChoice,
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
    h, w0, w2 = ch.h, ch.w0, ch.w2
    q, u = x.vectors[0], x.vectors[1]
    n = q.size
    du = w.x0
    for i in range(n):
        w.x1[i] = q[i] + (w2 - w0) * h * u[i]
    restoring(st, w.x1, du)
    for i in range(n):
        du[i] = h * (st.F0[i] - du[i])
    if st.resists:
        band_product(st.resist, st.resist_up, u, w.x1)
        for i in range(n):
            du[i] -= h * w.x1[i]
    for j in range(lod.drive.size):
        add_row(lod.rows, j, h * _amplitude(ch, tab, row, j), du)
    solve_step(st, du, w.x1, w.x2)

    failed, residual = _impulses(ch, jd, con, tab, row, x, w, du)
    if failed >= 0:
        return failed, residual
    if x.P.any():
        combine(con.G, x.P, w.x1)
        solve_step(st, w.x1, w.x2, w.x3)
        for i in range(n):
            du[i] += w.x1[i]
    u_1 = w.x1
    for i in range(n):
        u_1[i] = u[i] + du[i]
        x.q[i] = q[i]
        x.v[i] = 0.5 * (u[i] + u_1[i])
    _works(ch, st, con, lod, tab, row, x, w, u_1)
    for i in range(n):
        q[i] += h * u_1[i]
        u[i] = u_1[i]
    return -1, residual


@spliced
def _amplitude(ch: SchatzmanChoice, tab: Tables, row: int, j: int) -> float:
    """Weighted load amplitude of the equation centred at the end of the step."""
    return ch.w0 * tab.phi[row, j] + ch.w1 * tab.phi[row + 1, j] + ch.w2 * tab.phi[row + 2, j]


@spliced
def _impulses(
    ch: SchatzmanChoice, jd: SolverSettings, con: ContactRows, tab: Tables, row: int, x: Live, w: Scratch, du: Array
) -> tuple[int, float]:
    """Fill ``x.P``: all contacts take part, on g_{k+1} + e g_{k-1} over h."""
    h = ch.h
    b, active = w.c0, w.c1
    for i in range(x.P.size):
        Gq, Gu = row_dot(con.G, i, x.vectors[0]), row_dot(con.G, i, x.vectors[1])
        ahead = con.g0[i] + (Gq + h * (Gu + row_dot(con.G, i, du))) + gap_offset(con, i, tab.s[row + 2])
        behind = con.g0[i] + (Gq - h * Gu) + gap_offset(con, i, tab.s[row])
        b[i] = (ahead + con.e[i] * behind) / h
        active[i] = 1.0
    return solve_rows(jd, con, b, active, x.P, x.terms)


@spliced
def _works(
    ch: SchatzmanChoice,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
    u_1: Array,
) -> None:
    h = ch.h
    n = x.q.size
    external, drive = 0.0, x.scalars[DRIVE]
    x.scalars[DRIVE] = 0.0
    for j in range(lod.drive.size):
        work = h * _amplitude(ch, tab, row, j) * row_dot(lod.rows, j, x.v)
        if lod.drive[j]:
            drive += work
        else:
            external += work
    for i in range(x.P.size):
        x.work[i] = x.contacts[1, i]
        if x.P[i] != 0.0:
            g_t = gap_offset(con, i, tab.ds[row + 1])
            x.work[i] += (row_dot(con.G, i, x.v) + g_t) * x.P[i]
            drive -= g_t * x.P[i]
        x.P[i] += x.contacts[0, i]
        x.contacts[0, i] = 0.0
        x.contacts[1, i] = 0.0
    u = x.vectors[1]
    for i in range(n):
        q = x.q[i]
        w.x2[i] = (ch.w2 - 0.25) * (q + h * u_1[i]) + (ch.w1 - 0.5) * q + (ch.w0 - 0.25) * (q - h * u[i])
    elastic(st, w.x2, w.x3)
    numerical = -h * dot(x.v, w.x3)
    cross = 0.0
    if st.crossed:
        for i in range(n):
            w.x2[i] = x.q[i] + h * (ch.w2 * u_1[i] - ch.w0 * u[i])
        cross = -h * skew_form(x.v, st.cross, w.x2, w.x3)
    for i in range(n):
        w.x2[i] = x.q[i] + 0.5 * h * u_1[i]
    half = kinetic(st, u_1, w.x3) + potential(st, w.x2, w.x3)
    ahead = half - kinetic(st, x.v, w.x3) - potential(st, x.q, w.x3)
    x.terms[T_CROSS] = cross
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE] = drive
    x.terms[T_DAMPING] = -h * band_quad(st.C, x.v, w.x3) if st.damped else 0.0
    x.terms[T_NUMERICAL] = numerical - (ahead - x.scalars[AHEAD])
    x.scalars[AHEAD] = ahead
