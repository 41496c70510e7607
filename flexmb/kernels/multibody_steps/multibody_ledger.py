"""The terms of the energy identity of a step that all schemes share.

All products are taken in space (A0, A1 turn the rotational parts; the increment of a rotation is the same vector in
both axes). A scheme's stage ACCOUNT (``stages.SchemeStages``) begins with ``look_back``, adds up its terms, lets
``refused`` judge them and ends with ``carry_end``. All terms come from forces and motions, not from the difference of
energies: what is left over (``residual``) is the power of what Newton's loop left of the momentum equation.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.compilation.stages import BESIDE_WORKS, call
from flexmb.kernels.geometry import time_functions
from flexmb.kernels.geometry.tables import CROSS, DAMPING, DRIVE, EXTERNAL, LOADED
from flexmb.kernels.laws.friction_record import SURFACE
from flexmb.kernels.multibody.evaluate import along_direction, copy, momentum, row_rate, to_space
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    G_FREE,
    GAP,
    GAP_T,
    IMPULSE,
    INCREMENT,
    KINETIC,
    LAM_C,
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
    WORK,
    H,
    V,
)
from flexmb.kernels.multibody_steps.multibody_guard import not_closed, out_of_nothing
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
def look_back(at: int) -> None:
    """Write, in space: v_n to S0, v_{n+1} to S1, the increment of positions to S3, the momentum at the end to T_P.

    The scratch of the machine is used.
    """
    vec, motion, unknowns, A = (
        part(at, "trial.vec"),
        part(at, "motion"),
        part(at, "system.unknowns"),
        part(at, "point.A"),
    )
    copy(motion.vec[V], vec[S0])
    to_space(unknowns, motion.A, vec[S0])
    copy(vec[T_V], vec[S1])
    to_space(unknowns, A, vec[S1])
    copy(vec[INCREMENT], vec[S3])
    to_space(unknowns, A, vec[S3])
    momentum(at, part(at, "trial.q"), vec[T_V], vec[T_P])
    to_space(unknowns, A, vec[T_P])


@inner
def force_in_space(at: int, c: int, s: Array) -> None:
    """Write the forces of class c at the end of the step to s, in space."""
    copy(part(at, "point.F")[c], s)
    to_space(part(at, "system.unknowns"), part(at, "point.A"), s)


@inner
def driven(at: int, r: int) -> float:
    """Return the prescribed change of row r of a joint in the step."""
    rows, functions, step = part(at, "system.rows"), part(at, "system.functions"), part(at, "step")
    f = rows.function[r]
    if f < 0:
        return 0.0
    before = time_functions.value(functions, f, step[T_END] - step[H])
    return float(rows.cf[r] * (time_functions.value(functions, f, step[T_END]) - before))


@inner
def works_of_contacts(at: int, weight: float) -> float:
    """Write the works of the contacts on the velocity S2 (in the end axes); return that of moving planes.

    ``weight`` is that of the end in the velocity of the planes.
    """
    contact, motion = part(at, "trial.contact"), part(at, "motion")
    values, x, nj = part(at, "point.rows"), part(at, "trial.vec")[S2], part(at, "system.joints")
    drive = 0.0
    for i in range(contact.shape[1]):
        r, Lam = nj + i, contact[LAM_C, i]
        motion.contact[WORK, i] = 0.0
        if i < motion.laws.shape[1]:
            motion.laws[SURFACE, i] = 0.0
        if Lam == 0.0:
            continue
        g_t = weight * values.g_t[r] + (1.0 - weight) * motion.rows[GAP_T, r]
        motion.contact[WORK, i] = (along_direction(at, r, x) + g_t) * Lam
        drive -= g_t * Lam
        if i < motion.laws.shape[1]:
            motion.laws[SURFACE, i] = -g_t * Lam
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
    """Write the gaps at the end of the step into G_FREE, recomputed by the next step; friction of joints has none."""
    gaps, kind, nj = part(at, "trial.contact")[G_FREE], part(at, "system.rows.kind"), part(at, "system.joints")
    for i in range(gaps.size):
        gaps[i] = np.inf if kind[nj + i] == LOADED else part(at, "motion.rows")[GAP, nj + i]


@inner
def keep_works(at: int, works: Array) -> None:
    """Write the works of the classes of forces to the terms of the step: ``works`` may share the scratch."""
    terms = part(at, "motion.terms")
    terms[T_EXTERNAL], terms[T_DAMPING], terms[T_CROSS] = works[EXTERNAL], works[DAMPING], works[CROSS]
    terms[T_SPIN] = works[DRIVE]


@inner
def refused(at: int, drive: float, numerical: float, projection: float, kinetic: float) -> int:
    """Complete the terms of the step; return 1 when its scheme has made energy out of nothing, 2 when it stays open.

    ``kinetic`` is the energy at the end; the works of forces are among the terms (``keep_works``).
    """
    motion, potential, terms = part(at, "motion"), part(at, "point.potential")[0], part(at, "motion.terms")
    terms[T_DRIVE] = drive
    terms[T_NUMERICAL], terms[T_PROJECTION] = numerical, projection
    if out_of_nothing(at, numerical, motion.numbers[KINETIC], motion.numbers[POTENTIAL], potential):
        return 1
    return 2 if not_closed(at, kinetic, potential, part(at, "trial.vec")[S2]) else 0


@inner
def carry_end(at: int, kinetic: float) -> None:
    """Make the end of the step the state of the motion, except for filtered quantities."""
    carry_impulses(at)
    part(at, "motion.numbers")[KINETIC] = kinetic
    carry_state(at)
