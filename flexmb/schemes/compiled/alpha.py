"""The step of the alpha family, compiled for constant systems; its definition is ``schemes.alpha_family``."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.kernels.algebra.banded import dot
from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.laws.friction_record import SURFACE
from flexmb.kernels.small_motion.arrays import part
from flexmb.kernels.small_motion.contact_ask import add_side_impulses, side_free, side_works, solve_levels, solve_rows
from flexmb.kernels.small_motion.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_ITERATIONS,
    T_NUMERICAL,
    T_PROJECTION,
    T_SPIN,
)
from flexmb.kernels.small_motion.march import step_of
from flexmb.kernels.small_motion.products import algebra, elastic, form, resisting, restoring, solve_step
from flexmb.kernels.small_motion.rows import add_row, combine, forecast_closes, gap_offset, row_dot
from flexmb.kernels.small_motion.sparse_wishes import ADD_CROSS, ADD_GYRO, SOLVE_MASS, TIMES_C
from flexmb.schemes.compiled.formulas import filtered, mean
from flexmb.state import Array

GGL, VELOCITY, NAIVE_POSITION, NAIVE_VELOCITY = 0, 1, 2, 3
LEVELS = {"ggl": GGL, "velocity": VELOCITY, "naive-position": NAIVE_POSITION, "naive-velocity": NAIVE_VELOCITY}
"""How contacts enter a step (``AlphaFamilyStep.level``), by the names in ``Alpha.contact_level``."""

A, P_, F, Z, VHAT = 0, 1, 2, 3, 4
"""Rows of ``Live.vectors``; rows 1 and 2 of ``Live.contacts`` are lam and lam^ (naive scheme)."""


class AlphaFamilyStep(NamedTuple):
    """The parameters of a step of the alpha family."""

    h: float
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    level: int


_parameters: Any = arrays_at(AlphaFamilyStep)


@step_of(AlphaFamilyStep)
def step_alpha(at: int, row: int) -> int:
    """Advance ``Run.live`` by a step; return -1, or the contact that failed."""
    ch, x, w = _parameters(part(at, "parameters")), part(at, "live"), part(at, "scratch")
    h = ch.h
    am, af, beta, gamma = ch.alpha_m, ch.alpha_f, ch.beta, ch.gamma
    r = (1.0 - af) / (1.0 - am)
    a_n, p_n, f_n = x.vectors[A], x.vectors[P_], x.vectors[F]
    n = x.q.size
    q, v, a = w.x0, w.x1, w.x2
    for i in range(n):
        q[i] = x.q[i] + h * x.v[i] + h * h * (0.5 - beta) * a_n[i]
        v[i] = x.v[i] + h * (1.0 - gamma) * a_n[i]
    _force(at, row + 1, q, v, a, w.x3)
    c_f, c_p = af / (1.0 - am), am / (1.0 - am)
    for i in range(n):
        a[i] = r * a[i] + c_f * f_n[i] - c_p * p_n[i]
    solve_step(at, a, w.x3, w.x4)
    for i in range(n):
        q[i] += h * h * beta * a[i]
        v[i] += h * gamma * a[i]

    nu, lam = w.nu, w.lam
    failed = _impulses(ch, at, row, q, v)
    if failed >= 0:
        return failed
    _apply(ch, at, r, nu, lam, q, v, a)

    f = w.x3
    _force(at, row + 1, q, v, f, w.x4)
    if ch.level >= NAIVE_POSITION:
        G = part(at, "contacts.G")
        for i in range(lam.size):
            if lam[i] != 0.0:
                add_row(G, i, lam[i], f)
    _finish(ch, at, row, q, v, a, f, nu, lam)
    return -1


@inner
def _force(at: int, row: int, q: Array, v: Array, f: Array, work: Array) -> None:
    """Write F - (K + cross) q - (C + gyro) v at the time of ``row`` into ``f``."""
    restoring(at, q, f)
    F0 = part(at, "structure.F0")
    for i in range(q.size):
        f[i] = F0[i] - f[i]
    if part(at, "structure.resists"):
        resisting(at, v, work)
        for i in range(q.size):
            f[i] -= work[i]
    rows, phi = part(at, "loads.rows"), part(at, "tables.phi")
    for j in range(phi.shape[1]):
        add_row(rows, j, phi[row, j], f)


@inner
def _impulses(ch: AlphaFamilyStep, at: int, row: int, q: Array, v: Array) -> int:
    """Fill ``x.P`` (Lam), ``nu`` and ``lam`` from the motion (q, v) without impulses."""
    tab, x, w = part(at, "tables"), part(at, "live"), part(at, "scratch")
    G, g0, e = part(at, "contacts.G"), part(at, "contacts.g0"), part(at, "contacts.e")
    h, level = ch.h, ch.level
    nc = w.nu.size
    for i in range(nc):
        w.nu[i] = 0.0
        w.lam[i] = 0.0
        w.g_free[i] = g0[i] + row_dot(G, i, q) + gap_offset(at, i, tab.s[row + 1])
        w.b[i] = row_dot(G, i, v) + gap_offset(at, i, tab.ds[row + 1]) + e[i] * x.U[i]
    side_free(at, row + 1, v, 0.0, v)
    if level == GGL:
        for i in range(nc):
            if w.g_free[i] <= 0.0 or part(at, "contacts.side.address")[0] != 0:
                return solve_levels(at)
        for i in range(nc):
            x.P[i] = 0.0
        x.terms[T_ITERATIONS] = 0.0
        return -1
    if level == NAIVE_POSITION:
        for i in range(nc):
            w.active[i] = 1.0
            w.b[i] = w.g_free[i] / h
    else:
        for i in range(nc):
            w.active[i] = 1.0 if forecast_closes(at, i, 0.5 * h) else 0.0
    # for the naive scheme on positions, W_v_Lam holds h beta r G^T S^-1 G: rows in velocity units, unknown lam
    failed = solve_rows(at)
    if level >= NAIVE_POSITION:
        for i in range(nc):
            w.lam[i] = x.P[i]
            x.P[i] = 0.0
    return failed


@inner
def _apply(ch: AlphaFamilyStep, at: int, r: float, nu: Array, lam: Array, q: Array, v: Array, a: Array) -> None:
    """Add what the impulses do to q, v and a."""
    G, x, s = part(at, "contacts.G"), part(at, "live"), part(at, "scratch")
    beside = part(at, "contacts.side.address")[0] != 0
    h, beta, gamma, Lam = ch.h, ch.beta, ch.gamma, x.P
    n = q.size
    da = s.x5
    if lam.any():
        combine(G, lam, da)
        solve_step(at, da, s.x3, s.x4)
        for i in range(n):
            da[i] *= r
            q[i] += h * h * beta * da[i]
            v[i] += h * gamma * da[i]
            a[i] += da[i]
        return
    if not (Lam.any() or nu.any()):
        return
    w, dq = s.x3, s.x4
    combine(G, Lam, w)
    add_side_impulses(at, 1.0, w)
    algebra(at, SOLVE_MASS, w, w)
    if ch.level == GGL:
        combine(G, nu, dq)
        add_side_impulses(at, 0.5 * h, dq)  # a contact that sticks would creep without it
        algebra(at, SOLVE_MASS, dq, dq)
    else:
        for i in range(n):
            dq[i] = 0.5 * h * w[i]
    for i in range(n):
        q[i] += dq[i]
        v[i] += w[i]
    if beside:
        for i in range(n):
            s.x6[i] = dq[i]
    if part(at, "structure.resists"):
        resisting(at, w, da)
        restoring(at, dq, w)
        for i in range(n):
            da[i] += w[i]
    else:
        restoring(at, dq, da)
    solve_step(at, da, s.x3, s.x4)
    for i in range(n):
        da[i] *= -r
        q[i] += h * h * beta * da[i]
        v[i] += h * gamma * da[i]
        a[i] += da[i]
    if beside:  # one sum of small terms: rounded one by one, they would let a contact creep
        for i in range(n):
            q[i] = x.q[i] + (h * x.v[i] + h * h * ((0.5 - beta) * x.vectors[A, i] + beta * a[i]) + s.x6[i])


@inner
def _finish(
    ch: AlphaFamilyStep, at: int, row: int, q: Array, v: Array, a: Array, f: Array, nu: Array, lam: Array
) -> None:
    """Report the works of the step and move the memory on."""
    x, w = part(at, "live"), part(at, "scratch")
    h = ch.h
    am, af, beta, gamma = ch.alpha_m, ch.alpha_f, ch.beta, ch.gamma
    r, kappa = (1.0 - af) / (1.0 - am), af - am
    n = q.size
    a_n, p_n, f_n, z_n = x.vectors[A], x.vectors[P_], x.vectors[F], x.vectors[Z]
    _contact_works(ch, at, row, v, a, a_n, nu, lam, q)

    dq, K_dq, work = w.x4, w.x5, w.x6
    numerical = 0.0
    skew = h * h * (beta - 0.5 * gamma)
    # few arrays per loop: past eight possible overlaps the compiler gives up on vector instructions
    c_f, c_p = af / (1.0 - am), am / (1.0 - am)
    for i in range(n):
        p_1 = r * f[i] + c_f * f_n[i] - c_p * p_n[i]
        work[i] = mean(gamma, p_1, p_n[i])
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
        elastic(at, dq, K_dq)
        numerical -= (gamma - 0.5) * dot(dq, K_dq)
    if kappa != 0.0:
        c_z = kappa / (1.0 - am)
        for i in range(n):
            z_1 = c_z * dq[i] - c_p * z_n[i]
            work[i] = mean(gamma, z_1, z_n[i])
            z_n[i] = z_1
        numerical += dot(K_dq, work)
    x.terms[T_NUMERICAL] = numerical
    x.terms[T_CROSS] = 0.0
    if part(at, "structure.crossed"):  # q^ = q - z, z_gamma being in work
        for i in range(n):
            K_dq[i] = mean(gamma, q[i], x.q[i])
            if kappa != 0.0:
                K_dq[i] -= work[i]
        x.terms[T_CROSS] = -form(at, ADD_CROSS, dq, K_dq, f)
    _applied_works(ch, at, row, v, dq, work, K_dq)
    for i in range(n):
        x.q[i] = q[i]
    for i in range(n):
        x.v[i] = v[i]


@inner
def _applied_works(ch: AlphaFamilyStep, at: int, row: int, v: Array, dq: Array, work: Array, C_v: Array) -> None:
    """Report the works of loads, damping and spin, and move their filters on; ``work``, ``C_v`` are overwritten."""
    lod, tab, x = part(at, "loads"), part(at, "tables"), part(at, "live")
    am, af, gamma = ch.alpha_m, ch.alpha_f, ch.gamma
    vhat = x.vectors[VHAT]
    external, drive = 0.0, 0.0
    for j in range(lod.drive.size):
        before = x.loads[0, j]
        after = filtered(am, af, tab.phi[row + 1, j], tab.phi[row, j], before)
        done = mean(gamma, after, before) * row_dot(lod.rows, j, dq)
        if lod.drive[j]:
            drive += done
        else:
            external += done
        x.loads[0, j] = after
    damping = 0.0
    if part(at, "structure.resists"):
        r, c_f, c_p = (1.0 - af) / (1.0 - am), af / (1.0 - am), am / (1.0 - am)
        for i in range(v.size):
            after = r * v[i] + c_f * x.v[i] - c_p * vhat[i]
            work[i] = mean(gamma, after, vhat[i])
            vhat[i] = after
    if part(at, "structure.damped"):
        damping = -form(at, TIMES_C, dq, work, C_v)
    if part(at, "structure.gyroscopic"):
        x.terms[T_NUMERICAL] -= form(at, ADD_GYRO, dq, work, C_v)
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE] += drive
    x.terms[T_SPIN] = drive
    x.terms[T_DAMPING] = damping


@inner
def _contact_works(
    ch: AlphaFamilyStep, at: int, row: int, v: Array, a: Array, a_n: Array, nu: Array, lam: Array, q: Array
) -> None:
    """Fill ``x.work`` and the drive's and the projection's terms."""
    G, tab, x = part(at, "contacts.G"), part(at, "tables"), part(at, "live")
    h = ch.h
    am, af, gamma = ch.alpha_m, ch.alpha_f, ch.gamma
    drive = 0.0
    projection = 0.0
    for i in range(nu.size):
        x.work[i], given = 0.0, 0.0
        if ch.level >= NAIVE_POSITION:
            lam_n, hat_n = x.contacts[1, i], x.contacts[2, i]
            hat = filtered(am, af, lam[i], lam_n, hat_n)
            x.contacts[1, i] = lam[i]
            x.contacts[2, i] = hat
            lam_g = mean(gamma, hat, hat_n)
            if lam_g != 0.0:
                moved = gap_offset(at, i, tab.s[row + 1]) - gap_offset(at, i, tab.s[row])
                x.work[i] = (row_dot(G, i, q) - row_dot(G, i, x.q) + moved) * lam_g
                given = moved * lam_g
            x.P[i] = h * lam[i]
        elif x.P[i] != 0.0 or nu[i] != 0.0:
            g_t = 0.5 * (gap_offset(at, i, tab.ds[row + 1]) + gap_offset(at, i, tab.ds[row]))
            U = 0.5 * (row_dot(G, i, v) + row_dot(G, i, x.v)) + g_t
            x.work[i] = U * x.P[i]
            given = g_t * x.P[i]
            if ch.level == GGL:
                a_g = mean(gamma, row_dot(G, i, a), row_dot(G, i, a_n))
                projection -= (nu[i] - 0.5 * h * x.P[i]) * a_g
        drive -= given
        if x.laws.shape[1] > 0:
            x.laws[SURFACE, i] = -given
    x.terms[T_DRIVE] = drive + side_works(at, row, 0.5, v)
    x.terms[T_PROJECTION] = projection
