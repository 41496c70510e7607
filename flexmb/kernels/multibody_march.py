"""The compiled time loop of multibody systems: steps of one size (cut where they fail), or steps chosen by their error.

Schatzman-Paoli's steps are not cut: the position ahead of the last one belongs to a step of the same size.

Adaptive steps (Haddouni 2015, 2.2.7.1): the position formula of the alpha family misses the Taylor series by

    l = h^2 (beta + (alpha_m - alpha_f)/2 - 1/6) (a_{n+1} - a_n),

a_n standing for the acceleration at t_n + (alpha_m - alpha_f) h. (Eq 2.125 written with the filtered accelerations; its
printed 1/h must read h.) l is O(h^3), so the next step is 0.9 h (tolerance / |l|)^(1/3). When h changes, the filtered
forces move with it, P <- F + (h'/h)(P - F), or the order would drop to one.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.evaluate import advance, copy, row_rate, to_space
from flexmb.kernels.jit import allocating, inner, kernel
from flexmb.kernels.ledger import (
    COLUMNS,
    CONTACT,
    CROSS,
    DAMPING,
    DRIVE,
    EXTERNAL,
    NUMERICAL,
    START,
    T_NUMERICAL,
    balance,
    book_step,
)
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import (
    ACC,
    CONVERGED,
    GAINED,
    GAP,
    IMPULSE,
    INCREMENT,
    ITERATIONS,
    KINETIC,
    LAM,
    LAM_BEFORE,
    LAM_C,
    LAM_HAT,
    LAM_SINCE,
    LAST_STEP,
    LEFT_TABLE,
    NEXT_STEP,
    NOT_PROJECTED,
    POTENTIAL,
    RATE,
    RESPONSE,
    S0,
    SCHATZMAN,
    SINCE,
    STEPS,
    T_END,
    T_P,
    T_V,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    V_BEFORE,
    VT,
    WORK,
    Motion,
    Samples,
    V,
)
from flexmb.kernels.multibody_ledger import carry_state
from flexmb.kernels.multibody_step import project, solve_step
from flexmb.kernels.rotation import axes_of, log_so3, tangent, tangent_inverse
from flexmb.kernels.spin import outside
from flexmb.kernels.stages import ACCOUNT, PLACE, call
from flexmb.kernels.tables import CLASSES, JOINT, Unknowns
from flexmb.state import Array, IntArray

CUTS = 12
"""How often a step that fails is halved."""

MOST_TURN = 1.0
"""Turn in one adaptive step, rad: interpolation and the angles of joints need less than half a turn."""


@inner
def rescale(at: int, h: float) -> None:
    """Move the filtered forces to the time they stand for when the step size changes to h."""
    motion = part(at, "motion")
    ratio = h / motion.numbers[LAST_STEP]
    if abs(ratio - 1.0) > 1e-9:
        for c in range(CLASSES):
            for i in range(motion.F.shape[1]):
                motion.P[c, i] = motion.F[c, i] + ratio * (motion.P[c, i] - motion.F[c, i])
        for r in range(motion.joint.shape[1]):
            lam = motion.joint[LAM, r]
            motion.joint[LAM_HAT, r] = lam + ratio * (motion.joint[LAM_HAT, r] - lam)
    motion.numbers[LAST_STEP] = h


@inner
def local_error(at: int, h: float) -> float:
    """Return the largest local error of a position over 1 + |q| (alpha family)."""
    unknowns, numbers, motion = part(at, "system.unknowns"), part(at, "numbers"), part(at, "motion")
    vec = part(at, "trial.vec")
    s, gamma = vec[S0], numbers.gamma
    factor = numbers.beta + 0.5 * (numbers.alpha_m - numbers.alpha_f) - 1.0 / 6.0
    for i in range(s.size):
        a = motion.vec[ACC, i]
        a1 = (vec[VT, i] - motion.vec[V, i] - h * (1.0 - gamma) * a) / (h * gamma)
        s[i] = abs(h * h * factor * (a1 - a))
    worst = 0.0
    for k in range(unknowns.plain_q.size):
        i = unknowns.plain_v[k]
        worst = max(worst, s[i] / (1.0 + abs(motion.q[unknowns.plain_q[k]])))
        s[i] = 0.0
    for i in range(s.size):
        worst = max(worst, s[i])
    return worst


@inner
def largest_turn(at: int, h: float) -> float:
    """Return by how much frames, or the angles of joints, turn at most in the step, rad."""
    first, increment, rate = (
        part(at, "system.unknowns.frame_v"), part(at, "trial.vec")[INCREMENT], part(at, "point.angles.rate"),
    )  # fmt: skip
    square, turn = 0.0, 0.0
    for f in range(first.size):
        i = first[f] + 3
        square = max(square, increment[i] ** 2 + increment[i + 1] ** 2 + increment[i + 2] ** 2)
    for k in range(rate.size):
        turn = max(turn, abs(h * rate[k]))
    return max(turn, math.sqrt(square))


@inner
def _remember(at: int) -> None:
    """Keep the state at the start of a step, for interpolation."""
    motion = part(at, "motion")
    copy(motion.q, motion.q_before)
    copy(motion.vec[V], motion.vec[V_BEFORE])
    copy(motion.joint[LAM], motion.joint[LAM_BEFORE])
    copy(motion.ledger[0], motion.ledger[1])
    motion.numbers[TIME_BEFORE] = motion.numbers[TIME]


@inner
def _project(at: int) -> int:
    """Bring the accepted position back onto the joints; what that changes in energy is numerical."""
    motion, trial = part(at, "motion"), part(at, "trial")
    before = motion.numbers[POTENTIAL] + motion.numbers[KINETIC]
    bad = project(at)
    if bad >= 0:
        return bad
    p, v = trial.vec[T_P], trial.vec[T_V]
    call(part(at, "stages")[PLACE], at, 0)
    kinetic = 0.0
    for i in range(p.size):
        kinetic += 0.5 * p[i] * v[i]
    to_space(part(at, "system.unknowns"), part(at, "point.A"), p)
    carry_state(at)
    motion.numbers[KINETIC] = kinetic
    motion.ledger[0, NUMERICAL] += motion.numbers[POTENTIAL] + kinetic - before
    F = part(at, "point.F")
    for c in range(JOINT):
        copy(F[c], motion.F[c])
        to_space(part(at, "system.unknowns"), part(at, "point.A"), motion.F[c])
    return -1


@inner
def take_step(at: int, h: float) -> tuple[int, int, float, float]:
    """Try one step of size h; return (status, where, residual, error over the tolerance) - above 1 it was refused."""
    motion, numbers, contact = part(at, "motion"), part(at, "numbers"), part(at, "trial.contact")
    nums, turn = motion.numbers, part(at, "point.angles.turn")
    t = nums[TIME] + h
    motion.terms[:] = 0.0
    copy(motion.turn, turn)
    status, where, left, iterations = solve_step(at, h, t)
    nums[ITERATIONS] += iterations
    if status != CONVERGED:
        return status, where, left, 0.0
    error = 0.0
    if numbers.error > 0.0:
        error = max(local_error(at, h) / numbers.error, (largest_turn(at, h) / MOST_TURN) ** 3)
        closes = False
        for i in range(contact.shape[1]):
            closes = closes or (contact[LAM_C, i] > 0.0 and motion.contact[IMPULSE, i] == 0.0)
        if error > 1.0 and not closes:  # no smaller step makes a jump smaller
            return status, -1, left, error
    _remember(at)
    if call(part(at, "stages")[ACCOUNT], at, 0) != 0:
        return GAINED, -1, motion.terms[T_NUMERICAL], 0.0
    nums[TIME] = t
    table = outside(part(at, "system.rotors"), motion.vec[V])
    if table >= 0:  # the books end with the step before
        return LEFT_TABLE, table, np.nan, 0.0
    nums[STEPS] += 1.0
    gaps = motion.rows[GAP, part(at, "system.joints") :]
    con = motion.contact
    book_step(motion.ledger[0], motion.terms, con[IMPULSE], con[WORK], con[RESPONSE], gaps, t)
    if numbers.projection == 1:
        bad = _project(at)
        if bad >= 0:
            return NOT_PROJECTED, bad, np.nan, 0.0
    return status, -1, left, min(error, 1.0)


@allocating
def reach(at: int, target: float, end: float, h: float) -> tuple[int, int, float]:
    """Go to the time ``target`` in steps of h, or smaller ones where a step fails; adaptive steps go past it.

    They do not go past ``end``, where functions of time may end.
    """
    nums, ledger, adaptive = part(at, "motion.numbers"), part(at, "motion.ledger"), part(at, "numbers.error") > 0.0
    size, cuts, most = nums[NEXT_STEP], 0, 0 if part(at, "numbers.family") == SCHATZMAN else CUTS
    row = np.zeros(COLUMNS)
    while target - nums[TIME] > 1e-9 * h:
        left = (end if adaptive else target) - nums[TIME]
        use = left if left <= size * (1.0 + 1e-9) else size
        if adaptive and size < left < 2.0 * size:  # rather two equal steps than a sliver at the end
            use = 0.5 * left
        if not adaptive and abs(use - size) <= 1e-9 * size:
            use = size
        rescale(at, use)
        status, where, residual, error = take_step(at, use)
        if status in (NOT_PROJECTED, LEFT_TABLE):
            return status, where, residual
        if status != CONVERGED:
            cuts += 1
            if cuts > most:
                return status, where, residual
            size = 0.5 * use
            nums[NEXT_STEP] = size
            continue
        if adaptive:
            size = use * min(2.0, max(0.2, 0.9 * max(error, 1e-6) ** (-1.0 / 3.0)))
            if error <= 1.0:
                balance(ledger[0], nums[KINETIC], nums[POTENTIAL], row)
                cuts = 0
            elif size < 1e-13 * max(abs(nums[TIME]), h):
                return TOO_SMALL, -1, error
        else:  # after a cut the step grows again, but not at once: filtered forces move with it
            size = min(h, 2.0 * max(use, size))
        nums[NEXT_STEP] = size
    if not adaptive:
        nums[TIME] = target
    return CONVERGED, -1, 0.0


@inner
def interpolate(unknowns: Unknowns, t: float, motion: Motion, q: Array, v: Array, s: Array, A: Array) -> float:
    """Write position and velocity at t within the last step to q and v: cubic Hermite in the increment of the step.

    Returns the fraction of the step; ``s`` (nv,) is scratch, ``A`` (4, 3, 3) too.
    """
    nums = motion.numbers
    h = nums[TIME] - nums[TIME_BEFORE]
    x = (t - nums[TIME_BEFORE]) / h if h > 0.0 else 1.0
    b1, b2, b3 = x * (1.0 - x) * (1.0 - x), x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)
    c1, c2, c3 = (1.0 - x) * (1.0 - 3.0 * x), 6.0 * x * (1.0 - x), x * (3.0 * x - 2.0)
    v0, v1 = motion.vec[V_BEFORE], motion.vec[V]
    for k in range(unknowns.plain_q.size):
        i, j = unknowns.plain_v[k], unknowns.plain_q[k]
        d = motion.q[j] - motion.q_before[j]
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
    """Write the impulses since the sample before as those of sample k, and begin anew."""
    copy(motion.contact[SINCE], out.impulse[k])
    copy(motion.joint[LAM_SINCE], out.joint_impulse[k])
    motion.contact[SINCE, :] = 0.0
    motion.joint[LAM_SINCE, :] = 0.0


@kernel
def take_sample(at: int, out: Samples, k: int) -> None:
    """Write the state of the motion as sample k."""
    motion = part(at, "motion")
    copy(motion.q, out.q[k])
    copy(motion.vec[V], out.v[k])
    copy(motion.joint[LAM], out.lam[k])
    copy(motion.rows[GAP], out.g[k])
    copy(motion.rows[RATE], out.rate[k])
    copy(motion.turn, out.theta[k])
    take_impulses(motion, out, k)
    balance(motion.ledger[0], motion.numbers[KINETIC], motion.numbers[POTENTIAL], out.energy[k])


@allocating
def take_sample_at(at: int, t: float, out: Samples, k: int) -> None:
    """Write the state at t, inside the last step, as sample k."""
    motion, vec, rows = part(at, "motion"), part(at, "trial.vec"), part(at, "point.rows")
    q, v, p, row = part(at, "trial.q"), vec[T_V], vec[T_P], out.energy[k]
    x = interpolate(part(at, "system.unknowns"), t, motion, q, v, vec[S0], np.zeros((4, 3, 3)))
    copy(motion.turn, part(at, "point.angles.turn"))
    part(at, "step")[T_END] = t
    call(part(at, "stages")[PLACE], at, 0)
    copy(q, out.q[k])
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
    books, before = motion.ledger[0], motion.ledger[1]
    row[2] = (1.0 - x) * before[EXTERNAL] + x * books[EXTERNAL]
    row[3] = (1.0 - x) * before[DAMPING] + x * books[DAMPING]
    row[4] = (1.0 - x) * before[CONTACT] + x * books[CONTACT]
    row[6] = motion.numbers[KINETIC] + motion.numbers[POTENTIAL] - books[START]
    row[6] -= books[EXTERNAL] + books[DAMPING] + books[CONTACT] + books[NUMERICAL]
    row[7] = (1.0 - x) * before[DRIVE] + x * books[DRIVE]
    row[8] = (1.0 - x) * before[CROSS] + x * books[CROSS]
    # what interpolation misses of the energy is numerical too
    row[5] = row[0] + row[1] - books[START] - row[2] - row[3] - row[4] - row[6]


@allocating
def march_multibody(
    at: int,
    out: Samples,
    t0: float,
    h: float,
    n0: int,
    n1: int,
    end: float,
    sample_steps: IntArray,
    field_steps: IntArray,
) -> tuple[int, int, int, int, int, float]:
    """Go from grid point n0 to n1; return (reached, samples, fields, status, where, residual)."""
    motion, adaptive = part(at, "motion"), part(at, "numbers.error") > 0.0
    samples, fields = 0, 0
    for n in range(n0 + 1, n1 + 1):
        t = t0 + n * h
        status, where, residual = reach(at, t, end, h)
        if status != CONVERGED:
            return n - 1, samples, fields, status, where, residual
        if samples < sample_steps.size and sample_steps[samples] == n:
            if adaptive:
                take_sample_at(at, t, out, samples)
            else:
                take_sample(at, out, samples)
            samples += 1
        if fields < field_steps.size and field_steps[fields] == n:
            q, v = out.field_q[fields], out.field_v[fields]
            if adaptive:
                interpolate(
                    part(at, "system.unknowns"), t, motion, q, v, part(at, "trial.vec")[S0], np.zeros((4, 3, 3))
                )
            else:
                copy(motion.q, q)
                copy(motion.vec[V], v)
            copy(motion.since_field, out.field_impulse[fields])
            motion.since_field[:] = 0.0
            fields += 1
    return n1, samples, fields, CONVERGED, -1, 0.0
