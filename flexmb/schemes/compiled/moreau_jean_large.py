"""Moreau-Jean's scheme in large motion, compiled: what its steps begin with, and what they did.

In the words of ``kernels.multibody.multibody``,

    c = p_n + h (1 - theta) F_n,    c1 = h theta,    d0 = h (1 - vartheta) v_n,    d1 = h vartheta

with vartheta in place of theta for forces of velocities, of damping and inertia. The terms of the energy identity are
those of the definition, ``schemes.moreau_jean``.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import SchemeStages, stage
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, DAMPING, DRIVE, INERTIA, JOINT
from flexmb.kernels.multibody.evaluate import to_axes
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    ACC,
    C1,
    C1_RATE,
    C_SPACE,
    D0,
    D1,
    D1_ELASTIC,
    LAM,
    LAM_HAT,
    LAM_J,
    LAM_SINCE,
    MOMENTUM,
    POTENTIAL,
    S0,
    S1,
    S2,
    S3,
    T_P,
    T_V,
    VT,
    X_,
    H,
    V,
)
from flexmb.kernels.multibody_steps import multibody_ledger as ledger
from flexmb.schemes.compiled.formulas import mean
from flexmb.state import Array


@stage
def begin_stage(at: int, flag: int) -> int:
    """Write c1 and d1 of a step (flag 0); also c, d0 and the first guess (flag 1)."""
    numbers, step, motion, vec = part(at, "numbers"), part(at, "step"), part(at, "motion"), part(at, "trial.vec")
    h, theta, vartheta = step[H], numbers.theta, numbers.vartheta
    step[C1], step[D1] = h * theta, h * vartheta
    step[C1_RATE], step[D1_ELASTIC] = step[D1], step[D1]
    if flag == 0:
        return 0
    joint = part(at, "trial.joint")
    for i in range(vec.shape[1]):
        before = 0.0
        for c in range(CLASSES):
            if c != JOINT:
                before += motion.F[c, i]
        v, a = motion.vec[V, i], motion.vec[ACC, i]
        rates = motion.F[DAMPING, i] + motion.F[INERTIA, i]  # their weight is 1 - vartheta
        vec[C_SPACE, i] = motion.vec[MOMENTUM, i] + h * (1.0 - theta) * before
        vec[C_SPACE, i] += h * (theta - vartheta) * rates
        vec[D0, i] = h * (1.0 - vartheta) * v
        vec[VT, i] = v + h * a
    for k in range(joint.shape[1]):
        joint[LAM_J, k] = h * motion.joint[LAM, k]
    return 0


@inner
def _weigh_forces(at: int, works: Array) -> None:
    """Write the works of the classes of forces to ``works``; joints act by impulses."""
    vec, motion, numbers, s = part(at, "trial.vec"), part(at, "motion"), part(at, "numbers"), part(at, "trial.big")[X_]
    for c in range(CLASSES):
        works[c] = 0.0
        weight = numbers.vartheta if c in (DAMPING, INERTIA) else numbers.theta
        ledger.force_in_space(at, c, s)
        for i in range(vec.shape[1]):
            F = 0.0 if c == JOINT else mean(weight, s[i], motion.F[c, i])
            works[c] += vec[S3, i] * F


@inner
def _joint_works(at: int) -> tuple[float, float]:
    """Return the work of the joints' drives, and that of all their impulses on the velocity S2 (in the end axes)."""
    joint, x, F, h = part(at, "trial.joint"), part(at, "trial.vec")[S2], part(at, "point.F"), part(at, "step")[H]
    drive, work = 0.0, 0.0
    for r in range(joint.shape[1]):
        drive += ledger.driven(at, r) * joint[LAM_J, r] / h
    for i in range(x.size):
        work += h * F[JOINT, i] * x[i]
    return drive, work


@inner
def _carry_forces(at: int) -> None:
    """Carry forces, multipliers and mean accelerations on, and add up the impulses of the joints."""
    vec, motion, h, s = part(at, "trial.vec"), part(at, "motion"), part(at, "step")[H], part(at, "trial.big")[X_]
    joint, carried = part(at, "trial.joint"), motion.joint
    for c in range(CLASSES):
        ledger.force_in_space(at, c, s)
        for i in range(vec.shape[1]):
            motion.F[c, i], motion.P[c, i] = s[i], s[i]
    for r in range(joint.shape[1]):
        carried[LAM, r] = carried[LAM_HAT, r] = joint[LAM_J, r] / h
        carried[LAM_SINCE, r] += joint[LAM_J, r]
    for i in range(vec.shape[1]):
        motion.vec[ACC, i] = (vec[T_V, i] - motion.vec[V, i]) / h


@stage
def account_stage(at: int, flag: int) -> int:
    """Write the terms of the step, and make its end the state of the motion (``stages.SchemeStages``)."""
    vec, motion, h = part(at, "trial.vec"), part(at, "motion"), part(at, "step")[H]
    works, potential = part(at, "scratch"), part(at, "point.potential")[0]
    ledger.look_back(at)
    for i in range(vec.shape[1]):
        vec[S2, i] = vec[S3, i] / h
    _weigh_forces(at, works)
    ledger.keep_works(at, works)
    p0, p1, spins, kinetic = motion.vec[MOMENTUM], vec[T_P], works[DRIVE], 0.0
    numerical = potential - motion.numbers[POTENTIAL] + works[CONSERVATIVE] + works[INERTIA] + works[JOINT]
    for i in range(vec.shape[1]):
        numerical += 0.5 * (vec[S1, i] * p0[i] - vec[S0, i] * p1[i])
        kinetic += 0.5 * vec[S1, i] * p1[i]
        numerical += (0.5 * (vec[S0, i] + vec[S1, i]) - vec[S2, i]) * (p1[i] - p0[i])
    to_axes(part(at, "system.unknowns"), part(at, "point.A"), vec[S2])
    drive, joints = _joint_works(at)
    numerical += joints - drive
    drive += spins + ledger.works_of_contacts(at, part(at, "numbers.vartheta"))
    answer = ledger.refused(at, drive, numerical, 0.0, kinetic)
    if answer == 0:
        _carry_forces(at)
        ledger.carry_end(at, kinetic)
    return answer


STAGES = SchemeStages(begin_stage, account_stage)
