"""The alpha family in large motion, compiled: what its steps begin with, and what they did.

In the words of ``kernels.multibody.multibody``, with forces F, filtered P (``schemes.alpha_family`` calls them F^) and
r = (1 - alpha_f) / (1 - alpha_m),

    c = p_n + h (1 - gamma) P_n + h gamma (alpha_f F_n - alpha_m P_n)/(1 - alpha_m),     c1 = h gamma r
    d0 = h (1 - beta/gamma) v_n + h^2 (1/2 - beta/gamma) a_n,                            d1 = h beta/gamma
    P_{n+1} = r F_{n+1} + (alpha_f F_n - alpha_m P_n)/(1 - alpha_m)

and the terms of the energy identity are those of the definition.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import SchemeStages, stage
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, DRIVE, INERTIA, JOINT
from flexmb.kernels.multibody.evaluate import along_direction, to_axes, to_space
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACC,
    B_,
    C1,
    C1_RATE,
    C_SPACE,
    D0,
    D1,
    D1_ELASTIC,
    DQ,
    GAP_T,
    INCREMENT,
    LAM,
    LAM_HAT,
    LAM_J,
    LAM_SINCE,
    LAM_W,
    MOMENTUM,
    POTENTIAL,
    S0,
    S1,
    S2,
    S3,
    T_P,
    VT,
    X_,
    H,
    SchemeNumbers,
    V,
    W,
)
from flexmb.kernels.multibody_steps import multibody_ledger as ledger
from flexmb.schemes.compiled.formulas import filtered, mean
from flexmb.state import Array


@stage
def begin_stage(at: int, flag: int) -> int:
    """Write c1 and d1 of a step (flag 0); also c, d0 and the first guess (flag 1)."""
    numbers, step, motion, vec = part(at, "numbers"), part(at, "step"), part(at, "motion"), part(at, "trial.vec")
    h, am, af, gamma = step[H], numbers.alpha_m, numbers.alpha_f, numbers.gamma
    r = (1.0 - af) / (1.0 - am)
    step[C1], step[D1] = h * gamma * r, h * numbers.beta / gamma
    step[C1_RATE], step[D1_ELASTIC] = step[C1], step[D1]
    if flag == 0:
        return 0
    ratio, joint = numbers.beta / gamma, part(at, "trial.joint")
    for i in range(vec.shape[1]):
        carried, before = 0.0, 0.0
        for c in range(CLASSES):
            carried += (af * motion.F[c, i] - am * motion.P[c, i]) / (1.0 - am)
            before += motion.P[c, i]
        v, a = motion.vec[V, i], motion.vec[ACC, i]
        vec[C_SPACE, i] = motion.vec[MOMENTUM, i] + h * (1.0 - gamma) * before + h * gamma * carried
        vec[D0, i] = h * (1.0 - ratio) * v + h * h * (0.5 - ratio) * a
        vec[VT, i] = v + h * a
    for k in range(joint.shape[1]):
        joint[LAM_J, k] = step[C1] * motion.joint[LAM, k]
    return 0


@inner
def _filtered(numbers: SchemeNumbers, x_1: float, x: float, x_hat: float) -> float:
    return filtered(numbers.alpha_m, numbers.alpha_f, x_1, x, x_hat)


@inner
def _weigh_forces(at: int, works: Array, total: Array) -> None:
    """Write the works of the classes of forces to ``works`` and the sum of P_gamma to ``total``."""
    vec, motion, numbers, s = part(at, "trial.vec"), part(at, "motion"), part(at, "numbers"), part(at, "trial.big")[X_]
    for i in range(vec.shape[1]):
        total[i] = 0.0
    for c in range(CLASSES):
        works[c] = 0.0
        ledger.force_in_space(at, c, s)
        for i in range(vec.shape[1]):
            P = motion.P[c, i]
            P_gamma = mean(numbers.gamma, _filtered(numbers, s[i], motion.F[c, i], P), P)
            works[c] += vec[S3, i] * P_gamma
            total[i] += P_gamma


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
def _joint_drives(at: int) -> float:
    """Return the work of the joints' drives."""
    numbers, motion, joint = part(at, "numbers"), part(at, "motion"), part(at, "trial.joint")
    g_t, c1, drive = part(at, "point.rows.g_t"), part(at, "step")[C1], 0.0
    for r in range(joint.shape[1]):
        before = motion.joint[LAM_HAT, r]
        hat = _filtered(numbers, joint[LAM_J, r] / c1, motion.joint[LAM, r], before)
        drive += ledger.driven(at, r) * mean(numbers.gamma, hat, before)
        drive -= 0.5 * (motion.rows[GAP_T, r] + g_t[r]) * joint[LAM_W, r]
    return drive


@inner
def _joint_impulses(at: int) -> float:
    """Return the work of the joints' impulses in impacts on the mean velocity (S2, in the end axes)."""
    joint, x, work = part(at, "trial.joint"), part(at, "trial.vec")[S2], 0.0
    for r in range(joint.shape[1]):
        if joint[LAM_W, r] != 0.0:
            work += joint[LAM_W, r] * along_direction(at, r, x)
    return work


@inner
def _carry_filters(at: int) -> None:
    """Carry forces, multipliers and accelerations on, and their filtered values; add up impulses of joints."""
    vec, motion, numbers, h = part(at, "trial.vec"), part(at, "motion"), part(at, "numbers"), part(at, "step")[H]
    joint, carried, s = part(at, "trial.joint"), motion.joint, part(at, "trial.big")[X_]
    for c in range(CLASSES):
        ledger.force_in_space(at, c, s)
        for i in range(vec.shape[1]):
            motion.P[c, i] = _filtered(numbers, s[i], motion.F[c, i], motion.P[c, i])
            motion.F[c, i] = s[i]
    for r in range(joint.shape[1]):
        lam = joint[LAM_J, r] / part(at, "step")[C1]
        hat = _filtered(numbers, lam, carried[LAM, r], carried[LAM_HAT, r])
        carried[LAM, r], carried[LAM_HAT, r] = lam, hat
        carried[LAM_SINCE, r] += joint[LAM_W, r]
    for i in range(vec.shape[1]):
        rest = vec[VT, i] - motion.vec[V, i] - h * (1.0 - numbers.gamma) * motion.vec[ACC, i]
        motion.vec[ACC, i] = rest / (h * numbers.gamma)


@stage
def account_stage(at: int, flag: int) -> int:
    """Write the terms of the step, and make its end the state of the motion (``stages.SchemeStages``)."""
    vec, motion, unknowns = part(at, "trial.vec"), part(at, "motion"), part(at, "system.unknowns")
    total, works, potential = part(at, "trial.big")[B_], part(at, "scratch"), part(at, "point.potential")[0]
    ledger.look_back(at)
    for i in range(vec.shape[1]):
        vec[S2, i] = 0.5 * (vec[S0, i] + vec[S1, i])
    _weigh_forces(at, works, total)
    ledger.keep_works(at, works)
    p0, p1, spins, kinetic = motion.vec[MOMENTUM], vec[T_P], works[DRIVE], 0.0
    numerical = potential - motion.numbers[POTENTIAL] + works[CONSERVATIVE] + works[INERTIA] + works[JOINT]
    for i in range(vec.shape[1]):
        numerical += 0.5 * (vec[S1, i] * p0[i] - vec[S0, i] * p1[i])
        kinetic += 0.5 * vec[S1, i] * p1[i]
    position, projection = _position_terms(at, total)
    numerical += position
    to_axes(unknowns, part(at, "point.A"), vec[S2])
    drive = _joint_drives(at)
    numerical += _joint_impulses(at) - drive
    drive += spins + ledger.works_of_contacts(at, 0.5)
    answer = ledger.refused(at, drive, numerical, projection, kinetic)
    if answer == 0:
        _carry_filters(at)
        ledger.carry_end(at, kinetic)
    return answer


STAGES = SchemeStages(begin_stage, account_stage)
