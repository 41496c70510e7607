"""Samples of a motion: its state at a step, or between the last two."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import PLACE, asked, call
from flexmb.kernels.geometry.rotation import axes_of, log_so3, tangent, tangent_inverse
from flexmb.kernels.geometry.tables import Unknowns
from flexmb.kernels.laws.friction_record import take_friction
from flexmb.kernels.multibody.evaluate import advance, copy, row_rate
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    GAP,
    KINETIC,
    LAM,
    LAM_BEFORE,
    LAM_SINCE,
    POTENTIAL,
    RATE,
    S0,
    SINCE,
    T_END,
    T_P,
    T_V,
    TIME,
    TIME_BEFORE,
    V_BEFORE,
    Motion,
    Samples,
    V,
)
from flexmb.kernels.small_motion.ledger import (
    COHESION,
    CONTACT,
    CROSS,
    DAMPING,
    DRIVE,
    EXTERNAL,
    FRICTION,
    NUMERICAL,
    ROLLING,
    START,
    balance,
)
from flexmb.state import Array


@inner
def interpolate(unknowns: Unknowns, t: float, motion: Motion, q: Array, v: Array, s: Array, A: Array) -> float:
    """Write position and velocity at t within the last step to q and v: cubic Hermite in the increment of the step.

    Returns the fraction of the step; ``s`` (nv,) is scratch, ``A`` (4, 3, 3) too.
    """
    nums, n = motion.numbers, motion.q.size // 2
    h = nums[TIME] - nums[TIME_BEFORE]
    x = (t - nums[TIME_BEFORE]) / h if h > 0.0 else 1.0
    b1, b2, b3 = x * (1.0 - x) * (1.0 - x), x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)
    c1, c2, c3 = (1.0 - x) * (1.0 - 3.0 * x), 6.0 * x * (1.0 - x), x * (3.0 * x - 2.0)
    v0, v1 = motion.vec[V_BEFORE], motion.vec[V]
    for k in range(unknowns.plain_q.size):
        i, j = unknowns.plain_v[k], unknowns.plain_q[k]
        d = (motion.q[j] - motion.q_before[j]) + (motion.q[n + j] - motion.q_before[n + j])
        s[i] = b1 * h * v0[i] + b2 * d + b3 * h * v1[i]
        v[i] = c1 * v0[i] + c2 * (d / h if h > 0.0 else 0.0) + c3 * v1[i]
    for f in range(unknowns.frame_v.size):
        i, j = unknowns.frame_v[f] + 3, unknowns.frame_q[f] + 3
        axes_of(motion.q_before, j, A[0])
        axes_of(motion.q, j, A[1])
        for a in range(3):
            for b in range(3):
                A[2, a, b] = A[0, 0, a] * A[1, 0, b] + A[0, 1, a] * A[1, 1, b] + A[0, 2, a] * A[1, 2, b]
        d, end = A[3, 0], A[3, 1]
        log_so3(A[2], d)
        tangent_inverse(d, A[2])
        for a in range(3):
            end[a] = A[2, a, 0] * v1[i] + A[2, a, 1] * v1[i + 1] + A[2, a, 2] * v1[i + 2]
        for a in range(3):
            s[i + a] = b1 * h * v0[i + a] + b2 * d[a] + b3 * h * end[a]
            A[3, 2, a] = c1 * v0[i + a] + c2 * (d[a] / h if h > 0.0 else 0.0) + c3 * end[a]
        tangent(s[i : i + 3], A[2])
        for a in range(3):
            v[i + a] = A[2, a, 0] * A[3, 2, 0] + A[2, a, 1] * A[3, 2, 1] + A[2, a, 2] * A[3, 2, 2]
    advance(unknowns, motion.q_before, s, q)
    return x


@inner
def take_impulses(motion: Motion, out: Samples, k: int) -> None:
    """Write the impulses since the previous sample as those of sample k, and reset them."""
    copy(motion.contact[SINCE], out.impulse[k])
    copy(motion.joint[LAM_SINCE], out.joint_impulse[k])
    motion.contact[SINCE, :] = 0.0
    take_friction(motion.beside, motion.laws, out.beside[k], out.laws[k])
    motion.joint[LAM_SINCE, :] = 0.0


@inner
def take_sample(at: int, k: int) -> None:
    """Write the state of the motion as sample k."""
    motion, out = part(at, "motion"), part(at, "out")
    copy(motion.q[: out.q.shape[1]], out.q[k])
    copy(motion.vec[V], out.v[k])
    copy(motion.joint[LAM], out.lam[k])
    copy(motion.rows[GAP], out.g[k])
    copy(motion.rows[RATE], out.rate[k])
    copy(motion.turn, out.theta[k])
    take_impulses(motion, out, k)
    balance(motion.ledger[0], motion.numbers[KINETIC], motion.numbers[POTENTIAL], out.energy[k])


@asked
def between_stage(at: int, k: int, t: float, field: float, q_at: int, v_at: int, p_at: int) -> int:
    """Write the state at t, inside the last step, as sample k; with ``field`` > 0 to the trial's q and field k."""
    if field > 0.0:
        q, v = part(at, "trial.q"), part(at, "out.field_v")[k]
        interpolate(
            part(at, "system.unknowns"), t, part(at, "motion"), q, v, part(at, "trial.vec")[S0], np.zeros((4, 3, 3))
        )
    else:
        take_sample_at(at, t, k)
    return 0


@allocating
def take_sample_at(at: int, t: float, k: int) -> None:
    """Write the state at t, inside the last step, as sample k."""
    motion, vec, rows, out = part(at, "motion"), part(at, "trial.vec"), part(at, "point.rows"), part(at, "out")
    q, v, p, row = part(at, "trial.q"), vec[T_V], vec[T_P], out.energy[k]
    x = interpolate(part(at, "system.unknowns"), t, motion, q, v, vec[S0], np.zeros((4, 3, 3)))
    copy(motion.turn, part(at, "point.angles.turn"))
    part(at, "step")[T_END] = t
    call(part(at, "stages")[PLACE], at, 0)
    copy(q[: out.q.shape[1]], out.q[k])
    copy(v, out.v[k])
    for r in range(rows.g.size):
        out.g[k, r] = rows.g[r]
        out.rate[k, r] = row_rate(at, r)
    for r in range(out.lam.shape[1]):
        out.lam[k, r] = (1.0 - x) * motion.joint[LAM_BEFORE, r] + x * motion.joint[LAM, r]
    copy(part(at, "point.angles.theta"), out.theta[k])
    take_impulses(motion, out, k)
    row[0] = 0.0
    for i in range(p.size):
        row[0] += 0.5 * p[i] * v[i]
    row[1] = part(at, "point.potential")[0]
    ledger_now, before = motion.ledger[0], motion.ledger[1]
    row[2] = (1.0 - x) * before[EXTERNAL] + x * ledger_now[EXTERNAL]
    row[3] = (1.0 - x) * before[DAMPING] + x * ledger_now[DAMPING]
    row[4] = (1.0 - x) * before[CONTACT] + x * ledger_now[CONTACT]
    row[6] = motion.numbers[KINETIC] + motion.numbers[POTENTIAL] - ledger_now[START]
    row[6] -= ledger_now[EXTERNAL] + ledger_now[DAMPING] + ledger_now[CONTACT] + ledger_now[NUMERICAL]
    row[6] -= ledger_now[FRICTION]
    row[7] = (1.0 - x) * before[DRIVE] + x * ledger_now[DRIVE]
    row[8] = (1.0 - x) * before[CROSS] + x * ledger_now[CROSS]
    row[9] = (1.0 - x) * before[FRICTION] + x * ledger_now[FRICTION]
    row[10] = (1.0 - x) * before[ROLLING] + x * ledger_now[ROLLING]
    row[11] = (1.0 - x) * before[COHESION] + x * ledger_now[COHESION]
    # what interpolation misses of the energy is numerical too
    row[5] = row[0] + row[1] - ledger_now[START] - row[2] - row[3] - row[4] - row[6] - row[9]
