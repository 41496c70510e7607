"""Compiled twin of ``schemes.alpha_family.Alpha.step``."""

from __future__ import annotations

from flexmb.kernels.arrays import (
    GGL,
    NAIVE_POSITION,
    AlphaChoice,
    ContactRows,
    Live,
    Loads,
    Scratch,
    SolverSettings,
    Structure,
    Tables,
)
from flexmb.kernels.banded import band_matvec, band_product, dot, ldu_solve, skew_form
from flexmb.kernels.contact_ask import add_side_impulses, side_free, side_works, solve_levels, solve_rows
from flexmb.kernels.jit import spliced
from flexmb.kernels.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_ITERATIONS, T_NUMERICAL, T_PROJECTION
from flexmb.kernels.rows import add_row, combine, elastic, forecast_closes, gap_offset, restoring, row_dot, solve_step
from flexmb.state import Array

A, P_, F, Z, VHAT = 0, 1, 2, 3, 4
"""Rows of ``Live.vectors``; rows 1 and 2 of ``Live.contacts`` are lam and lam^ (naive scheme)."""


@spliced
def step_alpha(
    ch: AlphaChoice,
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
    h = ch.h
    am, af, beta, gamma = ch.alpha_m, ch.alpha_f, ch.beta, ch.gamma
    r = (1.0 - af) / (1.0 - am)
    a_n, p_n, f_n = x.vectors[A], x.vectors[P_], x.vectors[F]
    n = x.q.size
    q, v, a = w.x0, w.x1, w.x2
    for i in range(n):
        q[i] = x.q[i] + h * x.v[i] + h * h * (0.5 - beta) * a_n[i]
        v[i] = x.v[i] + h * (1.0 - gamma) * a_n[i]
    _force(st, lod, tab, row + 1, q, v, a, w.x3)
    c_f, c_p = af / (1.0 - am), am / (1.0 - am)
    for i in range(n):
        a[i] = r * a[i] + c_f * f_n[i] - c_p * p_n[i]
    solve_step(st, a, w.x3, w.x4)
    for i in range(n):
        q[i] += h * h * beta * a[i]
        v[i] += h * gamma * a[i]

    nu, lam = w.c2, w.c3
    failed, residual = _impulses(ch, jd, con, tab, row, x, w, q, v, nu, lam)
    if failed >= 0:
        return failed, residual
    _apply(ch, st, con, r, x, nu, lam, q, v, a, w)

    f = w.x3
    _force(st, lod, tab, row + 1, q, v, f, w.x4)
    if ch.level >= NAIVE_POSITION:
        for i in range(lam.size):
            if lam[i] != 0.0:
                add_row(con.G, i, lam[i], f)
    _finish(ch, st, con, lod, tab, row, x, w, q, v, a, f, nu, lam)
    return -1, residual


@spliced
def _force(st: Structure, lod: Loads, tab: Tables, row: int, q: Array, v: Array, f: Array, work: Array) -> None:
    """Write F - (K + cross) q - (C + gyro) v at the time of ``row`` into ``f``."""
    restoring(st, q, f)
    for i in range(q.size):
        f[i] = st.F0[i] - f[i]
    if st.resists:
        band_product(st.resist, st.resist_up, v, work)
        for i in range(q.size):
            f[i] -= work[i]
    for j in range(lod.drive.size):
        add_row(lod.rows, j, tab.phi[row, j], f)


@spliced
def _impulses(
    ch: AlphaChoice,
    jd: SolverSettings,
    con: ContactRows,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
    q: Array,
    v: Array,
    nu: Array,
    lam: Array,
) -> tuple[int, float]:
    """Fill ``x.P`` (Lam), ``nu`` and ``lam`` from the motion (q, v) without impulses."""
    h, level = ch.h, ch.level
    g_free, b, active = w.c0, w.c1, w.c4
    nc = nu.size
    for i in range(nc):
        nu[i] = 0.0
        g_free[i] = con.g0[i] + row_dot(con.G, i, q) + gap_offset(con, i, tab.s[row + 1])
        b[i] = row_dot(con.G, i, v) + gap_offset(con, i, tab.ds[row + 1]) + con.e[i] * x.U[i]
    side_free(con, tab, row + 1, v, 0.0, v)
    if level == GGL:
        for i in range(nc):
            lam[i] = 0.0
        for i in range(nc):
            if g_free[i] <= 0.0 or con.side.address[0] != 0:
                return solve_levels(jd, h, con, g_free, b, nu, x.P, x.terms)
        for i in range(nc):
            x.P[i] = 0.0
        x.terms[T_ITERATIONS] = 0.0
        return -1, 0.0
    if level == NAIVE_POSITION:
        for i in range(nc):
            active[i] = 1.0
            b[i] = g_free[i] / h
    else:
        for i in range(nc):
            active[i] = 1.0 if forecast_closes(con, i, x, 0.5 * h, h) else 0.0
    # for the naive scheme on positions, W_v_Lam holds h beta r G^T S^-1 G: rows in velocity units, unknown lam
    failed, residual = solve_rows(jd, con, b, active, x.P, x.terms)
    for i in range(nc):
        lam[i] = x.P[i] if level >= NAIVE_POSITION else 0.0
        if level >= NAIVE_POSITION:
            x.P[i] = 0.0
    return failed, residual


@spliced
def _apply(
    ch: AlphaChoice,
    st: Structure,
    con: ContactRows,
    r: float,
    x: Live,
    nu: Array,
    lam: Array,
    q: Array,
    v: Array,
    a: Array,
    s: Scratch,
) -> None:
    """Add what the impulses do to q, v and a."""
    h, beta, gamma, Lam = ch.h, ch.beta, ch.gamma, x.P
    n = q.size
    da = s.x5
    if lam.any():
        combine(con.G, lam, da)
        solve_step(st, da, s.x3, s.x4)
        for i in range(n):
            da[i] *= r
            q[i] += h * h * beta * da[i]
            v[i] += h * gamma * da[i]
            a[i] += da[i]
        return
    if not (Lam.any() or nu.any()):
        return
    w, dq = s.x3, s.x4
    combine(con.G, Lam, w)
    add_side_impulses(con, 1.0, w)
    ldu_solve(st.S_M, w)
    if ch.level == GGL:
        combine(con.G, nu, dq)
        add_side_impulses(con, 0.5 * h, dq)  # a contact that sticks would creep without it
        ldu_solve(st.S_M, dq)
    else:
        for i in range(n):
            dq[i] = 0.5 * h * w[i]
    for i in range(n):
        q[i] += dq[i]
        v[i] += w[i]
    if con.side.address[0] != 0:
        for i in range(n):
            s.x6[i] = dq[i]
    if st.resists:
        band_product(st.resist, st.resist_up, w, da)
        restoring(st, dq, w)
        for i in range(n):
            da[i] += w[i]
    else:
        restoring(st, dq, da)
    solve_step(st, da, s.x3, s.x4)
    for i in range(n):
        da[i] *= -r
        q[i] += h * h * beta * da[i]
        v[i] += h * gamma * da[i]
        a[i] += da[i]
    if con.side.address[0] != 0:  # one sum of small terms: rounded one by one, they would let a contact creep
        for i in range(n):
            q[i] = x.q[i] + (h * x.v[i] + h * h * ((0.5 - beta) * x.vectors[A, i] + beta * a[i]) + s.x6[i])


@spliced
def _finish(
    ch: AlphaChoice,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
    q: Array,
    v: Array,
    a: Array,
    f: Array,
    nu: Array,
    lam: Array,
) -> None:
    """Report the works of the step and move the memory on."""
    h = ch.h
    am, af, beta, gamma = ch.alpha_m, ch.alpha_f, ch.beta, ch.gamma
    r, kappa = (1.0 - af) / (1.0 - am), af - am
    n = q.size
    a_n, p_n, f_n, z_n = x.vectors[A], x.vectors[P_], x.vectors[F], x.vectors[Z]
    _contact_works(ch, con, tab, row, x, v, a, a_n, nu, lam, q)

    dq, K_dq, work = w.x4, w.x5, w.x6
    numerical = 0.0
    skew = h * h * (beta - 0.5 * gamma)
    # few arrays per loop: past eight possible overlaps the compiler gives up on vector instructions
    c_f, c_p = af / (1.0 - am), am / (1.0 - am)
    for i in range(n):
        p_1 = r * f[i] + c_f * f_n[i] - c_p * p_n[i]
        work[i] = gamma * p_1 + (1.0 - gamma) * p_n[i]
        p_n[i] = p_1
    for i in range(n):
        f_n[i] = f[i]
    for i in range(n):
        K_dq[i] = a[i] - a_n[i]
    for i in range(n):
        a_n[i] = a[i]
    for i in range(n):
        dq[i] = q[i] - x.q[i]
    if skew != 0.0:
        numerical -= skew * dot(K_dq, work)
    if gamma != 0.5 or kappa != 0.0:
        elastic(st, dq, K_dq)
        numerical -= (gamma - 0.5) * dot(dq, K_dq)
    if kappa != 0.0:
        c_z = kappa / (1.0 - am)
        for i in range(n):
            z_1 = c_z * dq[i] - c_p * z_n[i]
            work[i] = gamma * z_1 + (1.0 - gamma) * z_n[i]
            z_n[i] = z_1
        numerical += dot(K_dq, work)
    x.terms[T_NUMERICAL] = numerical
    x.terms[T_CROSS] = 0.0
    if st.crossed:  # q^ = q - z, z_gamma being in work
        for i in range(n):
            K_dq[i] = gamma * q[i] + (1.0 - gamma) * x.q[i]
            if kappa != 0.0:
                K_dq[i] -= work[i]
        x.terms[T_CROSS] = -skew_form(dq, st.cross, K_dq, f)
    _applied_works(ch, st, lod, tab, row, x, v, dq, work, K_dq)
    for i in range(n):
        x.q[i] = q[i]
    for i in range(n):
        x.v[i] = v[i]


@spliced
def _applied_works(
    ch: AlphaChoice,
    st: Structure,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    v: Array,
    dq: Array,
    work: Array,
    C_v: Array,
) -> None:
    """Report the works of loads, damping and spin, and move their filters on; ``work``, ``C_v`` are overwritten."""
    am, af, gamma = ch.alpha_m, ch.alpha_f, ch.gamma
    vhat = x.vectors[VHAT]
    external, drive = 0.0, 0.0
    for j in range(lod.drive.size):
        before = x.loads[0, j]
        after = ((1.0 - af) * tab.phi[row + 1, j] + af * tab.phi[row, j] - am * before) / (1.0 - am)
        done = (gamma * after + (1.0 - gamma) * before) * row_dot(lod.rows, j, dq)
        if lod.drive[j]:
            drive += done
        else:
            external += done
        x.loads[0, j] = after
    damping = 0.0
    if st.resists:
        r, c_f, c_p = (1.0 - af) / (1.0 - am), af / (1.0 - am), am / (1.0 - am)
        for i in range(v.size):
            after = r * v[i] + c_f * x.v[i] - c_p * vhat[i]
            work[i] = gamma * after + (1.0 - gamma) * vhat[i]
            vhat[i] = after
    if st.damped:
        band_matvec(st.C, work, C_v)
        damping = -dot(dq, C_v)
    if st.gyroscopic:
        x.terms[T_NUMERICAL] -= skew_form(dq, st.gyro, work, C_v)
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE] += drive
    x.terms[T_DAMPING] = damping


@spliced
def _contact_works(
    ch: AlphaChoice,
    con: ContactRows,
    tab: Tables,
    row: int,
    x: Live,
    v: Array,
    a: Array,
    a_n: Array,
    nu: Array,
    lam: Array,
    q: Array,
) -> None:
    """Fill ``x.work`` and the drive's and the projection's terms."""
    h = ch.h
    am, af, gamma = ch.alpha_m, ch.alpha_f, ch.gamma
    drive = 0.0
    projection = 0.0
    for i in range(nu.size):
        x.work[i] = 0.0
        if ch.level >= NAIVE_POSITION:
            lam_n, hat_n = x.contacts[1, i], x.contacts[2, i]
            hat = ((1.0 - af) * lam[i] + af * lam_n - am * hat_n) / (1.0 - am)
            x.contacts[1, i] = lam[i]
            x.contacts[2, i] = hat
            lam_g = gamma * hat + (1.0 - gamma) * hat_n
            if lam_g != 0.0:
                moved = gap_offset(con, i, tab.s[row + 1]) - gap_offset(con, i, tab.s[row])
                x.work[i] = (row_dot(con.G, i, q) - row_dot(con.G, i, x.q) + moved) * lam_g
                drive -= moved * lam_g
            x.P[i] = h * lam[i]
        elif x.P[i] != 0.0 or nu[i] != 0.0:
            g_t = 0.5 * (gap_offset(con, i, tab.ds[row + 1]) + gap_offset(con, i, tab.ds[row]))
            U = 0.5 * (row_dot(con.G, i, v) + row_dot(con.G, i, x.v)) + g_t
            x.work[i] = U * x.P[i]
            drive -= g_t * x.P[i]
            if ch.level == GGL:
                a_g = gamma * row_dot(con.G, i, a) + (1.0 - gamma) * row_dot(con.G, i, a_n)
                projection -= (nu[i] - 0.5 * h * x.P[i]) * a_g
    x.terms[T_DRIVE] = drive + side_works(con, tab, row, 0.5, v)
    x.terms[T_PROJECTION] = projection
