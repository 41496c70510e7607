"""The compiled time loop of multibody systems: steps of one size (cut where they fail), or steps chosen by their error.

Steps of the form CENTRED are not cut: the position ahead of the last one belongs to a step of the same size.

Adaptive steps (Haddouni 2015, 2.2.7.1): the position formula of a scheme of the form SPLIT misses the Taylor series by
l = h^2 (a_{n+1} - a_n) times a number of the scheme. l is O(h^3), so the next step is 0.9 h (tolerance / |l|)^(1/3).
When h changes, the filtered forces move with it, P <- F + (h'/h)(P - F), or the order would drop to one.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation.jit import allocating, inner, kernel
from flexmb.kernels.compilation.stages import ACCOUNT, BETWEEN_STAGE, CORNER_STAGE, PLACE, ask, call
from flexmb.kernels.geometry.tables import CLASSES, JOINT
from flexmb.kernels.laws.friction_record import add_up_friction
from flexmb.kernels.multibody.evaluate import copy, to_space
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACC,
    CENTRED,
    CONVERGED,
    CORNERS,
    EARLY,
    G_FREE,
    GAINED,
    IMPULSE,
    INCREMENT,
    ITERATIONS,
    KINETIC,
    LAM,
    LAM_BEFORE,
    LAM_C,
    LAM_HAT,
    LAST_STEP,
    LEFT,
    LEFT_TABLE,
    LENGTH,
    NEXT_STEP,
    NOT_CLOSED,
    NOT_PROJECTED,
    PASSED,
    POTENTIAL,
    RESPONSE,
    S0,
    SPLIT,
    STEPS,
    T_P,
    T_V,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    V_BEFORE,
    VT,
    WORK,
    V,
)
from flexmb.kernels.multibody.multibody_scales import largest
from flexmb.kernels.multibody.spin import outside
from flexmb.kernels.multibody_steps.multibody_ledger import carry_state, gaps_to_book
from flexmb.kernels.multibody_steps.multibody_samples import take_sample
from flexmb.kernels.multibody_steps.multibody_step import project, solve_step
from flexmb.kernels.multibody_steps.singular_position import note_passed, stay
from flexmb.kernels.small_motion.ledger import (
    COLUMNS,
    NUMERICAL,
    T_NUMERICAL,
    add_to_ledger,
    balance,
)
from flexmb.state import Array, IntArray

CUTS = 12
"""Largest number of halvings of a step that fails."""

SAME = 1e-9
"""Times that are the same, over the size of a step."""

SLIVER = 0.1
"""The rest of a step after a corner, over the step, that is followed by a new start: the multipliers of a short step
are mostly round-off, which the filter of a longer one would carry on."""

MOST_TURN = 1.0
"""Turn in one adaptive step, rad: interpolation and the angles of joints need less than half a turn."""


@inner
def rescale(at: int, h: float) -> None:
    """Shift the filtered forces to their new time when the step size changes to h."""
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
    """Return the largest local error (SPLIT): of a place over the size of the system, of a rotation in rad."""
    unknowns, numbers, motion = part(at, "system.unknowns"), part(at, "numbers"), part(at, "motion")
    vec = part(at, "trial.vec")
    s, gamma, factor = vec[S0], numbers.gamma, numbers.error_weight
    for i in range(s.size):
        a = motion.vec[ACC, i]
        a1 = (vec[VT, i] - motion.vec[V, i] - h * (1.0 - gamma) * a) / (h * gamma)
        s[i] = unknowns.unit[i] * abs(h * h * factor * (a1 - a))
    places, turns = largest(unknowns, s)
    return max(places / part(at, "trial.scale")[LENGTH], turns)


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
    """Project the accepted position onto the joints; the change of energy is numerical.

    At a singular position, where that cannot be done, the position stays as it is and the next step tries again.
    """
    motion, trial = part(at, "motion"), part(at, "trial")
    before = motion.numbers[POTENTIAL] + motion.numbers[KINETIC]
    copy(trial.q, trial.q_half)
    bad = project(at)
    if bad >= 0:
        return -1 if stay(at) else bad
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
    refused = call(part(at, "stages")[ACCOUNT], at, 0)
    if refused == 1:
        return GAINED, -1, motion.terms[T_NUMERICAL], 0.0
    if refused == 2:
        return NOT_CLOSED, -1, part(at, "trial.report")[LEFT], 0.0
    nums[TIME] = t
    table = outside(part(at, "system.rotors"), motion.vec[V])
    if table >= 0:  # the ledger end with the step before
        return LEFT_TABLE, table, np.nan, 0.0
    nums[STEPS] += 1.0
    gaps_to_book(at)
    con, gaps = motion.contact, part(at, "trial.contact")[G_FREE]
    add_to_ledger(motion.ledger[0], motion.terms, con[IMPULSE], con[WORK], motion.laws, con[RESPONSE], gaps, t)
    add_up_friction(motion.beside, motion.laws, con[WORK])
    if numbers.projection == 1:
        bad = _project(at)
        if bad >= 0:
            return NOT_PROJECTED, bad, np.nan, 0.0
    if part(at, "trial.report")[PASSED] >= 0.0:
        note_passed(at)
    return status, -1, left, min(error, 1.0)


@inner
def same_time(t: float, h: float) -> float:
    """Return the tolerance for equal times near t: a fraction of a step, or the round-off of t."""
    return max(SAME * h, 8.0 * 2.2e-16 * abs(t)) if np.isfinite(t) else SAME * h


@inner
def _choose(at: int, size: float, left: float, corner: float, h: float) -> tuple[float, bool]:
    """Return the next step for the requested ``size`` and the remaining time, and whether it ends at a corner."""
    adaptive, ahead = part(at, "numbers.error") > 0.0, corner - part(at, "motion.numbers")[TIME]
    limited = ahead <= left + same_time(corner, h)
    if limited:
        left = ahead
    near = max(SAME * size, same_time(part(at, "motion.numbers")[TIME], h))
    use = left if left <= size + near else size
    if adaptive and size < left < 2.0 * size:  # rather two equal steps than a sliver at the end
        use = 0.5 * left
    if not adaptive and not limited and abs(use - size) <= near:
        use = size
    return use, limited and use == left


@inner
def _pass_corner(at: int, t: float, keep: bool) -> tuple[int, int, float]:
    """Do what ``multibody_corner.pass_corner`` says, by a rare stage."""
    answer, rest = part(at, "answer"), part(at, "motion.terms")
    status = ask(part(at, "rare")[CORNER_STAGE], at, 1 if keep else 0, t, 0.0, rest, rest, rest)
    return status, int(answer[0]), answer[1]


@allocating
def reach(at: int, target: float, end: float, h: float, corners: Array) -> tuple[int, int, float]:
    """Go to the time ``target`` in steps of h, or smaller ones where a step fails; adaptive steps go past it.

    They do not go past ``end``, where functions of time may end. All steps end at the corners of drives; what happens
    there waits until the samples before it are taken.
    """
    nums, ledger, adaptive = part(at, "motion.numbers"), part(at, "motion.ledger"), part(at, "numbers.error") > 0.0
    size, cuts, most = nums[NEXT_STEP], 0, 0 if part(at, "numbers.form") == CENTRED else CUTS
    row, passed = np.zeros(COLUMNS), False
    while True:
        k = int(nums[CORNERS])
        corner = corners[k] if k < corners.size else np.inf
        same = same_time(target, h)
        if corner - nums[TIME] <= same and corner - target <= same:
            status, where, residual = _pass_corner(at, corner, adaptive or nums[LAST_STEP] >= SLIVER * h)
            if status != CONVERGED:
                return status, where, residual
            nums[CORNERS] += 1.0
            passed = True
            _remember(at)
            continue
        if not target - nums[TIME] > same:
            break
        use, ends = _choose(at, size, (end if adaptive else target) - nums[TIME], corner, h)
        part(at, "step")[EARLY] = 2.0 * same if ends else 0.0
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
            # a filter would carry the round-off of a sliver into the next step
            if passed and not ends and use < SLIVER * h and part(at, "numbers.form") == SPLIT:
                status, where, residual = _pass_corner(at, nums[TIME], False)
                if status != CONVERGED:
                    return status, where, residual
            passed = False
            size = min(h, 2.0 * max(use, size))
        nums[NEXT_STEP] = size
    if not adaptive:
        nums[TIME] = target
    return CONVERGED, -1, 0.0


@kernel
def march_multibody(
    at: int,
    t0: float,
    h: float,
    n0: int,
    n1: int,
    end: float,
    corners: Array,
    sample_steps: IntArray,
    field_steps: IntArray,
    begin: bool,
) -> tuple[int, int, int, int, int, float]:
    """Go from grid point n0 to n1; return (reached, samples, fields, status, where, residual).

    With ``begin`` set, the state at n0 is the first sample.
    """
    motion, adaptive, out, rare = part(at, "motion"), part(at, "numbers.error") > 0.0, part(at, "out"), part(at, "rare")
    samples, fields = 0, 0
    if begin:
        take_sample(at, 0)
        samples, fields = 1, 1
    for n in range(n0 + 1, n1 + 1):
        t = t0 + n * h
        status, where, residual = reach(at, t, end, h, corners)
        if status != CONVERGED:
            return n - 1, samples, fields, status, where, residual
        if samples < sample_steps.size and sample_steps[samples] == n:
            if adaptive:
                ask(rare[BETWEEN_STAGE], at, samples, t, 0.0, corners, corners, corners)
            else:
                take_sample(at, samples)
            samples += 1
        if fields < field_steps.size and field_steps[fields] == n:
            q, v = part(at, "trial.q"), out.field_v[fields]
            if adaptive:
                ask(rare[BETWEEN_STAGE], at, fields, t, 1.0, corners, corners, corners)
            else:
                copy(motion.q, q)
                copy(motion.vec[V], v)
            copy(q[: out.field_q.shape[1]], out.field_q[fields])
            copy(motion.since_field, out.field_impulse[fields])
            motion.since_field[:] = 0.0
            fields += 1
    return n1, samples, fields, CONVERGED, -1, 0.0
