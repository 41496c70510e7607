"""The compiled time loop: steps, ledger and samples without returning to Python."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from flexmb.kernels.arrays import (
    AlphaChoice,
    ContactRows,
    Live,
    Loads,
    MoreauChoice,
    Probes,
    Samples,
    SchatzmanChoice,
    Scratch,
    SolverSettings,
    Structure,
    Tables,
)
from flexmb.kernels.banded import dot
from flexmb.kernels.contact_ask import side_rates
from flexmb.kernels.friction_record import R_T, add_up_friction, take_friction
from flexmb.kernels.jit import inner, kernel
from flexmb.kernels.ledger import add_to_ledger, balance
from flexmb.kernels.numba_inside import LOOSE
from flexmb.kernels.rows import contact_kinematics, kinetic, potential, row_dot
from flexmb.kernels.step_alpha import step_alpha
from flexmb.kernels.step_moreau import step_moreau
from flexmb.kernels.step_schatzman import step_schatzman

STEPS = {MoreauChoice: step_moreau, SchatzmanChoice: step_schatzman, AlphaChoice: step_alpha}
"""Which step a choice of parameters asks for."""

OPTIONS: Any = {**LOOSE, "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True}
"""How ``take_step`` is compiled: as an inner kernel."""

Choice = MoreauChoice | SchatzmanChoice | AlphaChoice


def take_step(
    ch: Choice,
    jd: SolverSettings,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    tab: Tables,
    row: int,
    x: Live,
    w: Scratch,
) -> tuple[int, float]:
    """Advance ``x`` by the step that belongs to the type of ``ch``."""
    step: Any = STEPS[type(ch)]
    failed, residual = step(ch, jd, st, con, lod, tab, row, x, w)
    return failed, residual


@overload(take_step, jit_options=OPTIONS)
def _take_step(ch, jd, st, con, lod, tab, row, x, w):  # type: ignore[no-untyped-def]
    """Choose the step while compiling, so that a run compiles only the scheme it uses."""
    step: Any = STEPS[ch.instance_class]

    def call(ch, jd, st, con, lod, tab, row, x, w):  # type: ignore[no-untyped-def]
        return step(ch, jd, st, con, lod, tab, row, x, w)

    return call


@inner
def take_sample(st: Structure, con: ContactRows, prb: Probes, x: Live, w: Scratch, out: Samples, k: int) -> bool:
    """Fill row k of the samples from the current state; return whether its energy is a finite number."""
    for i in range(prb.offset.size):
        y = x.v if prb.of_v[i] else x.q
        out.probes[k, i] = prb.offset[i] + row_dot(prb.rows, i, y)
    for i in range(x.g.size):
        out.gap[k, i] = x.g[i]
        out.velocity[k, i] = x.U[i]
        out.impulse[k, i] = x.since_sample[i]
        x.since_sample[i] = 0.0
    take_friction(x.beside, x.laws, out.beside[k], out.laws[k])
    T = kinetic(st, x.v, w.x0)
    V = potential(st, x.q, w.x0)
    if not abs(T + V) < 1.0e308:
        return False
    balance(x.ledger, T, V, out.energy[k])
    return True


@inner
def take_field(x: Live, out: Samples, k: int) -> None:
    """Fill row k of the fields from the current state."""
    for i in range(x.q.size):
        out.field_q[k, i] = x.q[i]
        out.field_v[k, i] = x.v[i]
    for i in range(x.since_field.size):
        out.field_impulse[k, i] = x.since_field[i]
        x.since_field[i] = 0.0


@kernel
def march(
    ch: Choice,
    jd: SolverSettings,
    st: Structure,
    con: ContactRows,
    lod: Loads,
    prb: Probes,
    tab: Tables,
    x: Live,
    w: Scratch,
    out: Samples,
    t0: float,
    n0: int,
    n1: int,
    last: int,
    every: int,
    fields_every: int,
    begin: bool,
) -> tuple[int, int, int, int, float]:
    """Take the steps n0 + 1 .. n1; with ``begin`` set, sample the state at n0 first.

    Returns
    -------
    n : int
        The last step that succeeded.
    samples, fields : int
        Rows filled.
    failed : int
        -1, or the contact whose problem was not solved, or -2 when the motion is not finite (looked at in each sample
        and every 16 steps).
    residual : float
    """
    samples, fields = 0, 0
    contact_kinematics(con, tab, 1, x.q, x.v, x.g, x.U)
    side_rates(con, tab, 1, x.v)
    if begin:
        take_sample(st, con, prb, x, w, out, 0)
        take_field(x, out, 0)
        samples, fields = 1, 1
    for n in range(n0, n1):
        row = n - n0 + 1
        failed, residual = take_step(ch, jd, st, con, lod, tab, row, x, w)
        if failed >= 0:
            return n, samples, fields, failed, residual
        if n % 16 == 15 and not dot(x.v, x.v) < 1.0e308:
            return n, samples, fields, -2, residual
        contact_kinematics(con, tab, row + 1, x.q, x.v, x.g, x.U)
        side_rates(con, tab, row + 1, x.v)
        for i in range(x.P.size):
            x.since_sample[i] += x.P[i]
            x.since_field[i] += x.P[i]
        for j in range(x.beside.shape[1]):
            x.since_field[x.P.size + j] += x.beside[R_T, j]
        add_up_friction(x.beside, x.laws, x.work)
        add_to_ledger(x.ledger, x.terms, x.P, x.work, x.laws, con.response, x.g, t0 + (n + 1) * ch.h)
        if (n + 1) % every == 0 or n + 1 == last:
            if not take_sample(st, con, prb, x, w, out, samples):
                return n, samples, fields, -2, residual
            samples += 1
        if (n + 1) % fields_every == 0 or n + 1 == last:
            take_field(x, out, fields)
            fields += 1
    return n1, samples, fields, -1, 0.0
