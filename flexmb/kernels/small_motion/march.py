"""The compiled time loop: steps, ledger and samples without returning to Python.

A step is a stage ``step(at, row) -> failed`` that advances ``Run.live``: failed is -1, or the contact whose problem was
not solved. The parameters of a scheme are a named tuple, whose type tells which step belongs to it (``step_of``); the
loop is the same for all, and calls the step by its address.
"""

from __future__ import annotations

from collections.abc import Callable

from flexmb.kernels.algebra.banded import dot
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import Stage, call
from flexmb.kernels.laws.friction_record import R_T, add_up_friction, take_friction
from flexmb.kernels.small_motion.arrays import RESIDUAL, part
from flexmb.kernels.small_motion.contact_ask import side_rates
from flexmb.kernels.small_motion.ledger import add_to_ledger, balance
from flexmb.kernels.small_motion.products import kinetic, potential
from flexmb.kernels.small_motion.rows import contact_kinematics, row_dot

STEPS: dict[type, Stage] = {}
"""The compiled step of each type of parameters."""


def step_of(parameters: type) -> Callable[[Callable[[int, int], int]], Stage]:
    """Make a function the step of a type of parameters; both stand in the same module."""

    def register(step: Callable[[int, int], int]) -> Stage:
        STEPS[parameters] = Stage(step, counts=False)
        return STEPS[parameters]

    return register


@inner
def take_sample(at: int, k: int) -> bool:
    """Fill row k of the samples from the current state; return whether its energy is a finite number."""
    prb, x, out, w = part(at, "probes"), part(at, "live"), part(at, "out"), part(at, "scratch.x0")
    for i in range(prb.offset.size):
        y = x.v if prb.of_v[i] else x.q
        out.probes[k, i] = prb.offset[i] + row_dot(prb.rows, i, y)
    for i in range(x.g.size):
        out.gap[k, i] = x.g[i]
        out.velocity[k, i] = x.U[i]
        out.impulse[k, i] = x.since_sample[i]
        x.since_sample[i] = 0.0
    take_friction(x.beside, x.laws, out.beside[k], out.laws[k])
    T = kinetic(at, x.v, w)
    V = potential(at, x.q, w)
    if not abs(T + V) < 1.0e308:
        return False
    balance(x.ledger, T, V, out.energy[k])
    return True


@inner
def take_field(at: int, k: int) -> None:
    """Fill row k of the fields from the current state."""
    x, out = part(at, "live"), part(at, "out")
    for i in range(x.q.size):
        out.field_q[k, i] = x.q[i]
        out.field_v[k, i] = x.v[i]
    for i in range(x.since_field.size):
        out.field_impulse[k, i] = x.since_field[i]
        x.since_field[i] = 0.0


@inner
def _book(at: int, t: float) -> None:
    """Add up what a step that ended at ``t`` did."""
    x = part(at, "live")
    for i in range(x.P.size):
        x.since_sample[i] += x.P[i]
        x.since_field[i] += x.P[i]
    for j in range(x.beside.shape[1]):
        x.since_field[x.P.size + j] += x.beside[R_T, j]
    add_up_friction(x.beside, x.laws, x.work)
    add_to_ledger(x.ledger, x.terms, x.P, x.work, x.laws, part(at, "contacts.response"), x.g, t)


@kernel
def march(
    at: int, t0: float, n0: int, n1: int, last: int, every: int, fields_every: int, begin: bool
) -> tuple[int, int, int, int, float]:
    """Take the steps n0 + 1 .. n1 of the run at an address; with ``begin`` set, sample the state at n0 first.

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
    h, step, v, answer = part(at, "h"), part(at, "step"), part(at, "live.v"), part(at, "answer")
    samples, fields = 0, 0
    contact_kinematics(at, 1)
    side_rates(at, 1)
    if begin:
        take_sample(at, 0)
        take_field(at, 0)
        samples, fields = 1, 1
    for n in range(n0, n1):
        row = n - n0 + 1
        answer[RESIDUAL] = 0.0
        failed = call(step, at, row)
        if failed >= 0:
            return n, samples, fields, failed, answer[RESIDUAL]
        if n % 16 == 15 and not dot(v, v) < 1.0e308:
            return n, samples, fields, -2, answer[RESIDUAL]
        contact_kinematics(at, row + 1)
        side_rates(at, row + 1)
        _book(at, t0 + (n + 1) * h)
        if (n + 1) % every == 0 or n + 1 == last:
            if not take_sample(at, samples):
                return n, samples, fields, -2, answer[RESIDUAL]
            samples += 1
        if (n + 1) % fields_every == 0 or n + 1 == last:
            take_field(at, fields)
            fields += 1
    return n1, samples, fields, -1, 0.0
