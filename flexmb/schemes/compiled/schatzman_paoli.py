"""Schatzman-Paoli's step, compiled for constant systems; its definition is ``schemes.schatzman_paoli``."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.kernels.algebra.banded import dot
from flexmb.kernels.compilation.arrays_at import arrays_at
from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.small_motion.arrays import Tables, part
from flexmb.kernels.small_motion.contact_ask import solve_rows
from flexmb.kernels.small_motion.ledger import T_CROSS, T_DAMPING, T_DRIVE, T_EXTERNAL, T_NUMERICAL, T_SPIN
from flexmb.kernels.small_motion.march import step_of
from flexmb.kernels.small_motion.products import elastic, form, kinetic, potential, resisting, restoring, solve_step
from flexmb.kernels.small_motion.rows import add_row, combine, gap_offset, row_dot
from flexmb.kernels.small_motion.sparse_wishes import ADD_CROSS, TIMES_C
from flexmb.state import Array

AHEAD, DRIVE = 0, 1
"""Places in ``Live.scalars``: E' - E, and the drive's work of an impulse at the start that waits for the first step.

``Live.vectors`` are q_{k+1} and u_{k+1}; ``Live.contacts`` the impulse and the work that wait.
"""


class SchatzmanPaoliStep(NamedTuple):
    """The size of a step, and the weights of q_{k-1}, q_k, q_{k+1}."""

    h: float
    w0: float
    w1: float
    w2: float


_parameters: Any = arrays_at(SchatzmanPaoliStep)


@step_of(SchatzmanPaoliStep)
def step_schatzman_paoli(at: int, row: int) -> int:
    """Advance ``Run.live`` by a step; return -1, or the contact that failed."""
    ch, F0 = _parameters(part(at, "parameters")), part(at, "structure.F0")
    lod, tab, x, w = part(at, "loads"), part(at, "tables"), part(at, "live"), part(at, "scratch")
    h, w0, w2 = ch.h, ch.w0, ch.w2
    q, u = x.vectors[0], x.vectors[1]
    n = q.size
    du = w.x0
    for i in range(n):
        w.x1[i] = q[i] + (w2 - w0) * h * u[i]
    restoring(at, w.x1, du)
    for i in range(n):
        du[i] = h * (F0[i] - du[i])
    if part(at, "structure.resists"):
        resisting(at, u, w.x1)
        for i in range(n):
            du[i] -= h * w.x1[i]
    for j in range(lod.drive.size):
        add_row(lod.rows, j, h * _amplitude(ch, tab, row, j), du)
    solve_step(at, du, w.x1, w.x2)

    failed = _impulses(ch, at, row, du)
    if failed >= 0:
        return failed
    if x.P.any():
        combine(part(at, "contacts.G"), x.P, w.x1)
        solve_step(at, w.x1, w.x2, w.x3)
        for i in range(n):
            du[i] += w.x1[i]
    u_1 = w.x1
    for i in range(n):
        u_1[i] = u[i] + du[i]
        x.q[i] = q[i]
        x.v[i] = 0.5 * (u[i] + u_1[i])
    _works(ch, at, row, u_1)
    for i in range(n):
        q[i] += h * u_1[i]
        u[i] = u_1[i]
    return -1


@inner
def _amplitude(ch: SchatzmanPaoliStep, tab: Tables, row: int, j: int) -> float:
    """Weighted load amplitude of the equation centred at the end of the step."""
    return float(ch.w0 * tab.phi[row, j] + ch.w1 * tab.phi[row + 1, j] + ch.w2 * tab.phi[row + 2, j])


@inner
def _impulses(ch: SchatzmanPaoliStep, at: int, row: int, du: Array) -> int:
    """Fill the impulses P: all contacts take part, on g_{k+1} + e g_{k-1} over h."""
    G, g0, e = part(at, "contacts.G"), part(at, "contacts.g0"), part(at, "contacts.e")
    tab, x, h = part(at, "tables"), part(at, "live"), ch.h
    b, active = part(at, "scratch.b"), part(at, "scratch.active")
    for i in range(x.P.size):
        Gq, Gu = row_dot(G, i, x.vectors[0]), row_dot(G, i, x.vectors[1])
        ahead = g0[i] + (Gq + h * (Gu + row_dot(G, i, du))) + gap_offset(at, i, tab.s[row + 2])
        behind = g0[i] + (Gq - h * Gu) + gap_offset(at, i, tab.s[row])
        b[i] = (ahead + e[i] * behind) / h
        active[i] = 1.0
    return solve_rows(at)


@inner
def _works(ch: SchatzmanPaoliStep, at: int, row: int, u_1: Array) -> None:
    """Report the works of the step: the energy identity of the definition, term by term."""
    G, lod, tab = part(at, "contacts.G"), part(at, "loads"), part(at, "tables")
    x, w = part(at, "live"), part(at, "scratch")
    h = ch.h
    n = x.q.size
    external, spin, drive = 0.0, 0.0, x.scalars[DRIVE]
    x.scalars[DRIVE] = 0.0
    for j in range(lod.drive.size):
        work = h * _amplitude(ch, tab, row, j) * row_dot(lod.rows, j, x.v)
        if lod.drive[j]:
            spin += work
        else:
            external += work
    for i in range(x.P.size):
        x.work[i] = x.contacts[1, i]
        if x.P[i] != 0.0:
            g_t = gap_offset(at, i, tab.ds[row + 1])
            x.work[i] += (row_dot(G, i, x.v) + g_t) * x.P[i]
            drive -= g_t * x.P[i]
        x.P[i] += x.contacts[0, i]
        x.contacts[0, i] = 0.0
        x.contacts[1, i] = 0.0
    u = x.vectors[1]
    for i in range(n):
        q = x.q[i]
        w.x2[i] = (ch.w2 - 0.25) * (q + h * u_1[i]) + (ch.w1 - 0.5) * q + (ch.w0 - 0.25) * (q - h * u[i])
    elastic(at, w.x2, w.x3)
    numerical = -h * dot(x.v, w.x3)
    cross = 0.0
    if part(at, "structure.crossed"):
        for i in range(n):
            w.x2[i] = x.q[i] + h * (ch.w2 * u_1[i] - ch.w0 * u[i])
        cross = -h * form(at, ADD_CROSS, x.v, w.x2, w.x3)
    for i in range(n):
        w.x2[i] = x.q[i] + 0.5 * h * u_1[i]
    half = kinetic(at, u_1, w.x3) + potential(at, w.x2, w.x3)
    ahead = half - kinetic(at, x.v, w.x3) - potential(at, x.q, w.x3)
    x.terms[T_CROSS] = cross
    x.terms[T_EXTERNAL] = external
    x.terms[T_DRIVE], x.terms[T_SPIN] = drive + spin, spin
    x.terms[T_DAMPING] = -h * form(at, TIMES_C, x.v, x.v, w.x3) if part(at, "structure.damped") else 0.0
    x.terms[T_NUMERICAL] = numerical - (ahead - x.scalars[AHEAD])
    x.scalars[AHEAD] = ahead
