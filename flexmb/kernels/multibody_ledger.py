"""What a step of a multibody system did, term by term, and its acceptance.

All products are taken in space (A0, A1 turn the rotational parts; the increment of a rotation is the same vector in
both axes). With v the mean of v_n and v_{n+1}, X_gamma = gamma X_{n+1} + (1 - gamma) X_n, classes c of forces with
their filtered values P_c, and p_{n+1} - p_n = h P_gamma + G_c Lam_c + G_J Lam_w:

    dT = v . (p_{n+1} - p_n) + (v_{n+1} . p_n - v_n . p_{n+1})/2
    dE = dq . P_ext,gamma                                        external
         + dq . P_drive,gamma + sum lam_gamma d(phi) - g_t . Lam  drive (of spins; joints and planes that are moved)
         + dq . P_cross,gamma                                     cross (circulatory forces)
         + dq . P_damp,gamma                                      damping
         + (G_c^T v + g_t) . Lam_c                                contact; of rows beside the normals: friction
         + (h/2 w - dq_c) . P_gamma                               projection (of contacts, GGL)
         + dV + dq . P_cons,gamma                                 numerical: the quadrature of the potential,
         + (h (v_n + v~)/2 - dq + dq_c) . P_gamma                            the position formula and GGL of joints,
         + (v_{n+1} . p_n - v_n . p_{n+1})/2 + dq . P_inertia,gamma          the inertia,
         + what joints do beyond their drive                                 and the curvature of the joints

All terms come from forces and motions, not from the difference of energies: what is left over (`residual`) is the
power of what Newton's loop left of the momentum equation. For Moreau-Jean replace P_gamma by F_theta (F_vartheta for
damping and inertia) and v by dq / h; for Schatzman-Paoli see ``multibody_schatzman``.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels import time_functions
from flexmb.kernels.evaluate import along_direction, copy, momentum, row_rate, to_axes, to_space
from flexmb.kernels.jit import inner, kernel
from flexmb.kernels.ledger import (
    T_CROSS,
    T_DAMPING,
    T_DRIVE,
    T_EXTERNAL,
    T_NUMERICAL,
    T_PROJECTION,
)
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import (
    ACC,
    ALPHA,
    B_,
    C1,
    DQ,
    G_FREE,
    GAP,
    GAP_T,
    IMPULSE,
    INCREMENT,
    KINETIC,
    LAM,
    LAM_C,
    LAM_HAT,
    LAM_J,
    LAM_SINCE,
    LAM_W,
    LOWEST,
    MOMENTUM,
    POTENTIAL,
    RATE,
    S0,
    S1,
    S2,
    S3,
    SINCE,
    T_END,
    T_P,
    T_V,
    VT,
    WORK,
    X_,
    H,
    SchemeNumbers,
    V,
    W,
)
from flexmb.kernels.multibody_guard import not_closed, out_of_nothing
from flexmb.kernels.stages import BESIDE_WORKS, call, stage
from flexmb.kernels.tables import CLASSES, CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA, JOINT, LOADED
from flexmb.state import Array


@inner
def _mean_velocity(at: int) -> None:
    """Write, in space: v_n to S0, v_{n+1} to S1, the velocity that impulses work on to S2, the increment to S3."""
    vec, motion, unknowns, A = (
        part(at, "trial.vec"),
        part(at, "motion"),
        part(at, "system.unknowns"),
        part(at, "point.A"),
    )
    alpha, h = part(at, "numbers.family") == ALPHA, part(at, "step")[H]
    copy(motion.vec[V], vec[S0])
    to_space(unknowns, motion.A, vec[S0])
    copy(vec[T_V], vec[S1])
    to_space(unknowns, A, vec[S1])
    copy(vec[INCREMENT], vec[S3])
    to_space(unknowns, A, vec[S3])
    for i in range(vec.shape[1]):
        vec[S2, i] = 0.5 * (vec[S0, i] + vec[S1, i]) if alpha else vec[S3, i] / h


@inner
def _filter(numbers: SchemeNumbers, F1: float, F0: float, P0: float) -> float:
    """Return the filtered value at the end of the step."""
    am, af = numbers.alpha_m, numbers.alpha_f
    return ((1.0 - af) * F1 + af * F0 - am * P0) / (1.0 - am)


@inner
def _weigh_forces(at: int, works: Array, total: Array) -> None:
    """Write the works of the force classes to ``works`` and their mean sum to ``total``."""
    vec, motion, numbers = part(at, "trial.vec"), part(at, "motion"), part(at, "numbers")
    F1, s = part(at, "point.F"), part(at, "trial.big")[X_]
    n = vec.shape[1]
    for i in range(n):
        total[i] = 0.0
    for c in range(CLASSES):
        works[c] = 0.0
        weight = numbers.vartheta if c in (DAMPING, INERTIA) else numbers.theta
        copy(F1[c], s)
        to_space(part(at, "system.unknowns"), part(at, "point.A"), s)
        for i in range(n):
            F0, P0, F = motion.F[c, i], motion.P[c, i], s[i]
            if numbers.family == ALPHA:
                mean = numbers.gamma * _filter(numbers, F, F0, P0) + (1.0 - numbers.gamma) * P0
            else:  # joints act by impulses there
                mean = 0.0 if c == JOINT else weight * F + (1.0 - weight) * F0
            works[c] += vec[S3, i] * mean
            total[i] += mean


@inner
def _carry_forces(at: int) -> None:
    """Carry the forces and their filtered values on."""
    motion, numbers, F1, s = part(at, "motion"), part(at, "numbers"), part(at, "point.F"), part(at, "trial.big")[X_]
    for c in range(CLASSES):
        copy(F1[c], s)
        to_space(part(at, "system.unknowns"), part(at, "point.A"), s)
        for i in range(F1.shape[1]):
            F = s[i]
            P = _filter(numbers, F, motion.F[c, i], motion.P[c, i]) if numbers.family == ALPHA else F
            motion.F[c, i], motion.P[c, i] = F, P


@inner
def _joint_drives(at: int) -> float:
    """Return the work of the joints' drives."""
    rows, functions, numbers, step = (
        part(at, "system.rows"), part(at, "system.functions"), part(at, "numbers"), part(at, "step"),
    )  # fmt: skip
    joint, motion, g_t = part(at, "trial.joint"), part(at, "motion"), part(at, "point.rows.g_t")
    drive = 0.0
    for r in range(joint.shape[1]):
        moved, f = 0.0, rows.function[r]
        if f >= 0:
            before = time_functions.value(functions, f, step[T_END] - step[H])
            moved = rows.cf[r] * (time_functions.value(functions, f, step[T_END]) - before)
        if numbers.family == ALPHA:
            lam, before_hat = joint[LAM_J, r] / step[C1], motion.joint[LAM_HAT, r]
            hat = _filter(numbers, lam, motion.joint[LAM, r], before_hat)
            drive += moved * (numbers.gamma * hat + (1.0 - numbers.gamma) * before_hat)
            drive -= 0.5 * (motion.rows[GAP_T, r] + g_t[r]) * joint[LAM_W, r]
        else:
            drive += moved * joint[LAM_J, r] / step[H]
    return drive


@inner
def _carry_multipliers(at: int) -> None:
    """Carry the joints' multipliers on, and add up their impulses (Moreau-Jean: all of them, alpha: of impacts)."""
    joint, carried, numbers, step = (
        part(at, "trial.joint"),
        part(at, "motion.joint"),
        part(at, "numbers"),
        part(at, "step"),
    )
    for r in range(joint.shape[1]):
        if numbers.family == ALPHA:
            lam = joint[LAM_J, r] / step[C1]
            hat = _filter(numbers, lam, carried[LAM, r], carried[LAM_HAT, r])
            carried[LAM, r], carried[LAM_HAT, r] = lam, hat
            carried[LAM_SINCE, r] += joint[LAM_W, r]
        else:
            carried[LAM, r] = carried[LAM_HAT, r] = joint[LAM_J, r] / step[H]
            carried[LAM_SINCE, r] += joint[LAM_J, r]


@inner
def _joint_impulses(at: int) -> float:
    """Return the work of the joints' impulses on the mean velocity (S2, already in the end axes)."""
    joint, x, F, h = part(at, "trial.joint"), part(at, "trial.vec")[S2], part(at, "point.F"), part(at, "step")[H]
    work = 0.0
    if part(at, "numbers.family") != ALPHA:
        for i in range(x.size):
            work += h * F[JOINT, i] * x[i]
        return work
    for r in range(joint.shape[1]):
        if joint[LAM_W, r] != 0.0:
            work += joint[LAM_W, r] * along_direction(at, r, x)
    return work


@inner
def _contacts(at: int) -> float:
    """Write the works of the contacts; return that of moving planes."""
    contact, motion, numbers = part(at, "trial.contact"), part(at, "motion"), part(at, "numbers")
    values, x, nj = part(at, "point.rows"), part(at, "trial.vec")[S2], part(at, "system.joints")
    drive = 0.0
    for i in range(contact.shape[1]):
        r, Lam = nj + i, contact[LAM_C, i]
        motion.contact[WORK, i] = 0.0
        if Lam == 0.0:
            continue
        weight = 0.5 if numbers.family == ALPHA else numbers.vartheta
        g_t = weight * values.g_t[r] + (1.0 - weight) * motion.rows[GAP_T, r]
        motion.contact[WORK, i] = (along_direction(at, r, x) + g_t) * Lam
        drive -= g_t * Lam
    if motion.beside.shape[1] > 0:
        call(part(at, "stages")[BESIDE_WORKS], at, 0)
        drive += part(at, "answer")[0]
    return drive


@inner
def carry_impulses(at: int) -> None:
    """Keep the impulses of the contacts, and add them up for samples and fields."""
    contact, motion, nj = part(at, "trial.contact"), part(at, "motion"), part(at, "system.joints")
    rows, grad = part(at, "system.rows"), part(at, "point.rows.grad")
    for i in range(contact.shape[1]):
        Lam = contact[LAM_C, i]
        motion.contact[IMPULSE, i] = Lam
        motion.contact[SINCE, i] += Lam
        for k in range(3):  # what fields show: the impulse on the second marker, in space
            motion.since_field[3 * i + k] += Lam * grad[rows.ptr[nj + i] + 1, k]
    if motion.beside.shape[1] > 0:
        call(part(at, "stages")[BESIDE_WORKS], at, 1)


@kernel
def carry_state(at: int) -> None:
    """Make the end of the step the state of the motion: rows, angles, axes, potential (momentum in T_P, in space)."""
    motion, trial, point = part(at, "motion"), part(at, "trial"), part(at, "point")
    copy(trial.q, motion.q)
    copy(trial.vec[T_V], motion.vec[V])
    copy(trial.vec[T_P], motion.vec[MOMENTUM])
    for r in range(motion.rows.shape[1]):
        motion.rows[GAP, r] = point.rows.g[r]
        motion.rows[GAP_T, r] = point.rows.g_t[r]
        motion.rows[RATE, r] = row_rate(at, r)
    copy(point.angles.theta, motion.turn)
    for f in range(motion.A.shape[0]):
        for i in range(3):
            copy(point.A[f, i], motion.A[f, i])
    motion.numbers[POTENTIAL] = point.potential[0]
    motion.numbers[LOWEST] = min(motion.numbers[LOWEST], point.potential[0])


@inner
def gaps_to_book(at: int) -> None:
    """Write the gaps at the end of the step into G_FREE, made anew by the next step; friction of joints has none."""
    gaps, kind, nj = part(at, "trial.contact")[G_FREE], part(at, "system.rows.kind"), part(at, "system.joints")
    for i in range(gaps.size):
        gaps[i] = np.inf if kind[nj + i] == LOADED else part(at, "motion.rows")[GAP, nj + i]


@inner
def _position_terms(at: int, total: Array) -> tuple[float, float]:
    """Return the works of P_gamma on h (v_n + v~)/2 - dq~ - dq_J and on (h/2) w - dq_c; S1 is used up."""
    vec, unknowns, A, h = part(at, "trial.vec"), part(at, "system.unknowns"), part(at, "point.A"), part(at, "step")[H]
    jump = vec[S1]
    for i in range(jump.size):
        jump[i] = 0.5 * h * vec[W, i] - vec[DQ, i]
    to_space(unknowns, A, jump)
    projection = 0.0
    for i in range(jump.size):
        projection += jump[i] * total[i]
    for i in range(jump.size):
        jump[i] = 0.5 * h * vec[VT, i] - vec[INCREMENT, i] + vec[DQ, i]
    to_space(unknowns, A, jump)
    position = 0.0
    for i in range(jump.size):
        position += (jump[i] + 0.5 * h * vec[S0, i]) * total[i]
    return position, projection


@inner
def _carry_acceleration(at: int) -> None:
    """Carry the accelerations on: those of v~ for the alpha family, mean ones for Moreau-Jean."""
    vec, motion, numbers, h = part(at, "trial.vec"), part(at, "motion"), part(at, "numbers"), part(at, "step")[H]
    for i in range(vec.shape[1]):
        if numbers.family == ALPHA:
            rest = vec[VT, i] - motion.vec[V, i] - h * (1.0 - numbers.gamma) * motion.vec[ACC, i]
            motion.vec[ACC, i] = rest / (h * numbers.gamma)
        else:
            motion.vec[ACC, i] = (vec[T_V, i] - motion.vec[V, i]) / h


@stage
def account_stage(at: int, flag: int) -> int:
    """Write the terms of the step, and make its end the state of the motion.

    Return 1 and leave the motion as it was when the scheme has added energy out of nothing, 2 when the balance stays
    open.
    """
    vec, motion, unknowns = part(at, "trial.vec"), part(at, "motion"), part(at, "system.unknowns")
    total, works, alpha = part(at, "trial.big")[B_], part(at, "scratch"), part(at, "numbers.family") == ALPHA
    potential = part(at, "point.potential")[0]
    _mean_velocity(at)
    momentum(at, part(at, "trial.q"), vec[T_V], vec[T_P])  # before ``works``, which shares the scratch
    to_space(unknowns, part(at, "point.A"), vec[T_P])
    _weigh_forces(at, works, total)
    p0, p1 = motion.vec[MOMENTUM], vec[T_P]
    numerical = potential - motion.numbers[POTENTIAL] + works[CONSERVATIVE] + works[INERTIA] + works[JOINT]
    external, damping, cross, spins, kinetic = works[EXTERNAL], works[DAMPING], works[CROSS], works[DRIVE], 0.0
    for i in range(vec.shape[1]):
        numerical += 0.5 * (vec[S1, i] * p0[i] - vec[S0, i] * p1[i])
        kinetic += 0.5 * vec[S1, i] * p1[i]
        if not alpha:
            numerical += (0.5 * (vec[S0, i] + vec[S1, i]) - vec[S2, i]) * (p1[i] - p0[i])
    projection = 0.0
    if alpha:
        position, projection = _position_terms(at, total)
        numerical += position
    to_axes(unknowns, part(at, "point.A"), vec[S2])
    drive = _joint_drives(at)
    numerical += _joint_impulses(at) - drive
    drive += spins + _contacts(at)
    terms = motion.terms
    terms[T_EXTERNAL], terms[T_DAMPING], terms[T_DRIVE] = external, damping, drive
    terms[T_NUMERICAL], terms[T_PROJECTION], terms[T_CROSS] = numerical, projection, cross
    if out_of_nothing(at, numerical, motion.numbers[KINETIC], motion.numbers[POTENTIAL], potential):
        return 1
    if not_closed(at, kinetic, potential, vec[S2]):
        return 2
    _carry_forces(at)
    _carry_multipliers(at)
    carry_impulses(at)
    _carry_acceleration(at)
    motion.numbers[KINETIC] = kinetic
    carry_state(at)
    return 0
