"""Schatzman-Paoli's scheme in large motion, compiled, on systems whose unknowns are plain numbers.

Equations, start and energy identity are those of ``schemes.schatzman_paoli``. The state of the motion is (q_k, v_k);
u_{k+1} and p_{k+1/2} are one position ahead. What is left over of the identity is the power of what Newton's loop left
of the momentum equation.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import allocating, inner
from flexmb.kernels.compilation.stages import PLACE, SchemeStages, call, stage
from flexmb.kernels.geometry.constraint_rows import partial_rate
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.kernels.multibody.evaluate import advance, along_direction, copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    C1,
    C1_RATE,
    C_SPACE,
    CONVERGED,
    D0,
    D1,
    D1_ELASTIC,
    GAP,
    GAP_T,
    HALF,
    HALF_POTENTIAL,
    IMPULSE,
    INCREMENT,
    KINETIC,
    LAM_C,
    MOMENTUM,
    POTENTIAL,
    S0,
    S2,
    SINCE,
    STEPS,
    T_END,
    T_P,
    T_V,
    TIME,
    VT,
    WORK,
    H,
    V,
)
from flexmb.kernels.multibody_steps.multibody_guard import not_closed, out_of_nothing
from flexmb.kernels.multibody_steps.multibody_ledger import carry_state
from flexmb.kernels.multibody_steps.multibody_step import solve_step
from flexmb.kernels.small_motion.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_NUMERICAL,
    T_PROJECTION,
    T_SPIN,
)
from flexmb.state import Array


@inner
def _product(x: Array, y: Array) -> float:
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@inner
def _impulses(at: int, t: float, v: Array, waited: bool) -> tuple[float, float]:
    """Write impulses and works of the contacts, at t and on the velocity v, and add up what fields show.

    Returns the work of moving planes, and all that the impulses which waited since the start did; these join the first
    step.
    """
    contact, con, rows = part(at, "trial.contact"), part(at, "motion.contact"), part(at, "system.rows")
    nj, grad, field = part(at, "system.joints"), part(at, "point.rows.grad"), part(at, "motion.since_field")
    drive, before = 0.0, 0.0
    for i in range(contact.shape[1]):
        r, P, work = nj + i, contact[LAM_C, i], 0.0
        if P != 0.0:
            g_t = partial_rate(rows, part(at, "system.functions"), r, t)
            work = (along_direction(at, r, v) + g_t) * P
            drive -= g_t * P
            for k in range(3):  # on the second marker, in space
                field[3 * i + k] += P * grad[rows.ptr[r] + 1, k]
        if waited:
            moved = -part(at, "motion.rows")[GAP_T, r] * con[IMPULSE, i]
            before += con[WORK, i] + moved
            drive += moved
            work += con[WORK, i]
            P += con[IMPULSE, i]
        con[IMPULSE, i], con[WORK, i] = P, work
    return drive, before


@inner
def _go_half_ahead(at: int) -> float:
    """Return the potential half a step ahead; the momentum there is in T_P."""
    trial, step = part(at, "trial"), part(at, "step")
    copy(trial.q_half, trial.q)
    copy(trial.vec[VT], trial.vec[T_V])
    step[T_END] = part(at, "motion.numbers")[TIME] + 1.5 * step[H]
    call(part(at, "stages")[PLACE], at, 0)
    return float(part(at, "point.potential")[0])


@inner
def _keep_ahead(at: int, p: Array, potential: float) -> None:
    """Carry u_{k+1}, the momentum p and the potential half a step ahead on."""
    motion = part(at, "motion")
    copy(part(at, "trial.vec")[VT], motion.vec[HALF])
    copy(p, motion.vec[MOMENTUM])
    motion.numbers[HALF_POTENTIAL] = potential


@stage
def begin_stage(at: int, flag: int) -> int:
    """Write the numbers of a step (flag 0); also c, the way to the position ahead and the first guess (flag 1).

    The step matrix is M + (h/2) C + h^2 w2 K; N, which should have h/2, has it for w2 = 1/4.
    """
    step, motion, vec, h = part(at, "step"), part(at, "motion"), part(at, "trial.vec"), part(at, "step")[H]
    step[C1], step[D1] = 0.5 * h, h
    step[C1_RATE], step[D1_ELASTIC] = step[C1], 2.0 * h * part(at, "numbers.w2")
    if flag == 0:
        return 0
    for i in range(vec.shape[1]):
        vec[C_SPACE, i] = motion.vec[MOMENTUM, i]
        vec[D0, i] = h * motion.vec[HALF, i]
        vec[VT, i] = motion.vec[HALF, i]
    return 0


@inner
def _place_rows(at: int) -> None:
    """Move the trial to the position ahead and evaluate the rows there, but no forces."""
    vec, q, unknowns = part(at, "trial.vec"), part(at, "trial.q"), part(at, "system.unknowns")
    for i in range(vec.shape[1]):
        vec[T_V, i] = 0.5 * (part(at, "motion.vec")[HALF, i] + vec[VT, i])
        vec[INCREMENT, i] = part(at, "step")[H] * vec[VT, i]
    advance(unknowns, part(at, "motion.q"), vec[D0], q)
    advance(unknowns, q, vec[INCREMENT], q)


@stage
def place_stage(at: int, flag: int) -> int:
    """Place a trial: u_{k+1} is in VT, v_k goes to T_V. Flag 1: move it only.

    Forces are those of the positions k - 1, k and k + 1 at the velocity v_k, weighted. The last evaluation is that at
    k + 1, with which gaps, directions and tangents go.
    """
    if flag == 1:
        _place_rows(at)
        return 0
    vec, step, numbers, motion = part(at, "trial.vec"), part(at, "step"), part(at, "numbers"), part(at, "motion")
    trial, F, unknowns, h = part(at, "trial"), part(at, "point.F"), part(at, "system.unknowns"), step[H]
    for i in range(vec.shape[1]):
        vec[T_V, i] = 0.5 * (motion.vec[HALF, i] + vec[VT, i])
    trial.F[:] = 0.0
    copy(motion.q, trial.q)
    for k in range(3):
        weight = numbers.w0 if k == 0 else numbers.w2 if k == 2 else 1.0 - numbers.w0 - numbers.w2
        if k == 1:
            advance(unknowns, trial.q, vec[D0], trial.q)
        elif k == 2:
            for i in range(vec.shape[1]):
                vec[INCREMENT, i] = 0.5 * h * vec[VT, i]
            advance(unknowns, trial.q, vec[INCREMENT], trial.q_half)
            for i in range(vec.shape[1]):
                vec[INCREMENT, i] = h * vec[VT, i]
            advance(unknowns, trial.q, vec[INCREMENT], trial.q)
        if weight != 0.0 or k == 2:
            step[T_END] = motion.numbers[TIME] + k * h
            call(part(at, "stages")[PLACE], at, 2)
            for c in range(CLASSES):
                for i in range(vec.shape[1]):
                    trial.F[c, i] += weight * F[c, i]
    for c in range(CLASSES):
        copy(trial.F[c], F[c])
    call(part(at, "stages")[PLACE], at, 3)
    return 0


@stage
def account_stage(at: int, flag: int) -> int:
    """Write the terms of the step, and make t_k the state of the motion; see ``stages.SchemeStages``."""
    vec, motion, step, F = part(at, "trial.vec"), part(at, "motion"), part(at, "step"), part(at, "point.F")
    nums, terms, h, v, ahead = motion.numbers, motion.terms, part(at, "step")[H], vec[S2], vec[S0]
    u, u_1, p = motion.vec[HALF], vec[VT], motion.vec[MOMENTUM]
    t = nums[TIME] + h
    copy(vec[T_V], v)
    copy(vec[T_P], ahead)
    inertia, spring = h * _product(v, F[INERTIA]), h * _product(v, F[CONSERVATIVE])
    terms[T_EXTERNAL], terms[T_DAMPING] = h * _product(v, F[EXTERNAL]), h * _product(v, F[DAMPING])
    terms[T_CROSS], terms[T_PROJECTION] = h * _product(v, F[CROSS]), 0.0
    drive, before = _impulses(at, t, v, nums[STEPS] == 0.0)
    terms[T_SPIN] = h * _product(v, F[DRIVE])
    terms[T_DRIVE] = drive + terms[T_SPIN]
    T_0, T_1, V_0 = 0.5 * _product(u, p), 0.5 * _product(u_1, ahead), nums[HALF_POTENTIAL]
    turned = 0.5 * (_product(u_1, p) - _product(u, ahead))
    V_1 = _go_half_ahead(at)
    advance(part(at, "system.unknowns"), motion.q, vec[D0], part(at, "trial.q"))
    copy(v, vec[T_V])
    step[T_END] = t
    call(part(at, "stages")[PLACE], at, 0)
    kinetic, potential = 0.5 * _product(v, vec[T_P]), part(at, "point.potential")[0]
    gain = V_1 - V_0 + spring + inertia + turned
    off, off_before = T_1 + V_1 - kinetic - potential, T_0 + V_0 - nums[KINETIC] - nums[POTENTIAL]
    terms[T_NUMERICAL] = gain - (off - off_before) - before
    if out_of_nothing(at, gain, T_0, V_0, V_1):
        return 1
    if not_closed(at, kinetic, potential, v):
        return 2
    for i in range(motion.contact.shape[1]):
        motion.contact[SINCE, i] += motion.contact[IMPULSE, i]
    carry_state(at)
    nums[KINETIC] = kinetic
    _keep_ahead(at, ahead, V_1)
    return 0


@allocating
def start(at: int, h: float) -> tuple[int, int, float]:
    """Go half a step back and one ahead from the start, at which the motion is; return (status, where, residual)."""
    motion, trial, step, stages = part(at, "motion"), part(at, "trial"), part(at, "step"), part(at, "stages")
    vec, nums, unknowns = trial.vec, motion.numbers, part(at, "system.unknowns")
    t, u = nums[TIME], motion.vec[HALF]
    for i in range(u.size):
        u[i] = motion.vec[V, i] - 0.5 * h * u[i]
        vec[D0, i] = -0.5 * h * u[i]
    copy(motion.q, motion.q_before)
    nums[TIME] = t - h
    for k in range(2):
        advance(unknowns, motion.q, vec[D0], motion.q)
        copy(motion.q, trial.q)
        copy(u, vec[T_V])
        step[T_END] = t - 0.5 * (k + 1) * h
        call(stages[PLACE], at, 0)
        if k == 0:
            copy(vec[T_P], motion.vec[MOMENTUM])
    copy(part(at, "point.rows.g"), motion.rows[GAP])
    status, where, left, _ = solve_step(at, h, t)
    if status != CONVERGED:
        return status, where, left
    copy(vec[T_V], vec[S2])
    _impulses(at, t, vec[S2], False)
    potential = _go_half_ahead(at)
    copy(vec[T_P], vec[S0])
    copy(motion.q_before, trial.q)
    copy(motion.vec[V], vec[T_V])
    step[T_END] = nums[TIME] = t
    call(stages[PLACE], at, 0)
    carry_state(at)
    _keep_ahead(at, vec[S0], potential)
    return status, -1, 0.0


STAGES = SchemeStages(begin_stage, account_stage, place_stage, start)
