"""A step of a system whose M, C and K never change, while the directions of its contacts do (a rotor in a clearance).

All but the contacts is linear: one solve leads to FREE, the v~ without impulses, whatever the contacts will do. With
the responses X, Y_q, Y_v to unit impulses (``multibody_contact``; of w, and of v~ to dq and to w),

    v~ = FREE + Y_q nu + Y_v Lam,   w = X Lam,   dq = X nu         (SPLIT; v~ = FREE + X P of the others)

and only the rows have to be evaluated again while their normals turn. The factors of S belong to a size of the step,
those of M to the system; they are kept as long as these stay. In the end everything is evaluated once: what the solve
leaves of the equations must be round-off.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import ASSEMBLE, CONTACT, IMPULSES, call, stage
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    CHANGE,
    CONTACT_FAILED,
    CONVERGED,
    DIVERGED,
    FAILED,
    FREE,
    LEFT,
    NOT_A_NUMBER,
    S1,
    SINGULAR,
    SPLIT,
    T_END,
    TAKEN,
    VT,
    WEAK,
    X_,
    Y_,
    H,
)
from flexmb.kernels.multibody.multibody_place import place_rows, place_trial
from flexmb.kernels.multibody.multibody_scales import correction_size, grow_speeds, is_round_off, measure_speeds
from flexmb.kernels.multibody_steps.multibody_newton import finite, smooth_correction
from flexmb.kernels.multibody_steps.multibody_step import JOINT_TOLERANCE, begin_step, deepest, update


@inner
def _settled(at: int, size: float, least: float) -> bool:
    """Tell whether corrections of a size, whose entries are in S1, are what is left: within the tolerance or round-off.

    ``least`` is the smallest one before.
    """
    tolerance = part(at, "numbers.tolerance")
    return bool(
        size <= tolerance or (size > 0.5 * least and is_round_off(at, part(at, "trial.vec")[S1], 10.0 * tolerance))
    )


@inner
def _close(at: int, placed: bool) -> int:
    """Let the contacts act on the motion that is free of them; return how that ends.

    ``placed`` says whether the rows are those of the trial.
    """
    trial, numbers, stages = part(at, "trial"), part(at, "numbers"), part(at, "stages")
    vec, report, least = trial.vec, trial.report, np.inf
    for _ in range(numbers.max_iterations):
        if not placed:
            place_rows(at)
        placed = False
        if call(stages[CONTACT], at, 0) == 0:
            for i in range(vec.shape[1]):
                vec[VT, i] = vec[FREE, i]
            grow_speeds(at)
            return CONVERGED
        if numbers.form == SPLIT:
            bad = call(stages[ASSEMBLE], at, 1)
            if bad >= 0:
                report[FAILED], report[LEFT] = float(bad), 0.0
                return SINGULAR
        call(stages[IMPULSES], at, 1)
        if report[FAILED] >= 0.0:
            return CONTACT_FAILED
        report[TAKEN] += 1.0
        size = max(update(at, trial.big[Y_]), report[CHANGE])
        report[LEFT] = size
        if not (finite(vec[VT]) and np.isfinite(size)):
            return NOT_A_NUMBER
        if _settled(at, size, least):
            return CONVERGED
        least = min(size, least)
    return DIVERGED


@stage
def fixed_step_stage(at: int, flag: int) -> int:
    """Find the end of the step of the size and to the time that are in ``step``; return how that ends.

    ``trial.report`` gets the unknown or contact that failed or -1, what is left, and the number of iterations.
    """
    trial, step, numbers, report = part(at, "trial"), part(at, "step"), part(at, "numbers"), part(at, "trial.report")
    vec, x, least, extra = trial.vec, trial.big[X_], np.inf, 0
    begin_step(at, step[H], step[T_END], numbers.joint_level)
    report[TAKEN] = 0.0
    for k in range(numbers.max_iterations):
        place_trial(at)
        if k == 0:
            measure_speeds(at)
        bad = call(part(at, "stages")[ASSEMBLE], at, 0)
        if bad >= 0:
            report[FAILED], report[LEFT] = float(bad), trial.big[WEAK, bad]
            return SINGULAR
        smooth_correction(at)
        for i in range(vec.shape[1]):
            vec[S1, i] = abs(x[i])
        report[CHANGE] = 0.0
        size = correction_size(at, x)
        report[FAILED], report[LEFT] = -1.0, size
        if k > 0 and _settled(at, size, least):
            deep = 0.1 * deepest(at)
            if deep <= JOINT_TOLERANCE or (extra >= 3 and deep <= 10.0 * JOINT_TOLERANCE):
                return CONVERGED
            extra += 1
            if extra > 6:
                report[LEFT] = deep
                return DIVERGED
        least = min(size, least)
        report[TAKEN] += 1.0
        for i in range(vec.shape[1]):
            vec[FREE, i] = (vec[VT, i] if k == 0 else vec[FREE, i]) + x[i]
            if k == 0:
                vec[VT, i] = vec[FREE, i]
        status = CONVERGED
        if trial.contact.shape[1] > 0:
            status = _close(at, k > 0)
        else:
            for i in range(vec.shape[1]):
                vec[VT, i] = vec[FREE, i]
        if status != CONVERGED:
            return status
        if not finite(vec[VT]):
            return NOT_A_NUMBER
    return DIVERGED
