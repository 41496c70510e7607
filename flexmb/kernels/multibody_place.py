"""Where a trial of a step stands, and what is evaluated there."""

from __future__ import annotations

from flexmb.kernels.evaluate import advance, copy
from flexmb.kernels.jit import inner
from flexmb.kernels.machine import part
from flexmb.kernels.multibody import (
    D0,
    D1,
    DQ,
    DQ_JOINT,
    HALF,
    INCREMENT,
    SCHATZMAN,
    T_END,
    T_V,
    TIME,
    VT,
    H,
    W,
)
from flexmb.kernels.stages import PLACE, call
from flexmb.kernels.tables import CLASSES


@inner
def place_trial(at: int) -> None:
    """Move the trial to its end position and velocity and evaluate the system there, residuals included."""
    if part(at, "numbers.family") == SCHATZMAN:
        _place_ahead(at)
        return
    _move(at)
    call(part(at, "stages")[PLACE], at, 1)


@inner
def place_rows(at: int) -> None:
    """Move the trial and evaluate the rows there, but no forces."""
    vec, q, unknowns = part(at, "trial.vec"), part(at, "trial.q"), part(at, "system.unknowns")
    if part(at, "numbers.family") == SCHATZMAN:
        for i in range(vec.shape[1]):
            vec[T_V, i] = 0.5 * (part(at, "motion.vec")[HALF, i] + vec[VT, i])
            vec[INCREMENT, i] = part(at, "step")[H] * vec[VT, i]
        advance(unknowns, part(at, "motion.q"), vec[D0], q)
        advance(unknowns, q, vec[INCREMENT], q)
    else:
        _move(at)
    call(part(at, "stages")[PLACE], at, 4)


@inner
def _move(at: int) -> None:
    """Move the trial to its end position and velocity."""
    vec, step = part(at, "trial.vec"), part(at, "step")
    for i in range(vec.shape[1]):
        vec[INCREMENT, i] = vec[D0, i] + step[D1] * vec[VT, i] + vec[DQ, i] + vec[DQ_JOINT, i]
        vec[T_V, i] = vec[VT, i] + vec[W, i]
    advance(part(at, "system.unknowns"), part(at, "motion.q"), vec[INCREMENT], part(at, "trial.q"))


@inner
def _place_ahead(at: int) -> None:
    """Place a trial of Schatzman-Paoli's scheme (``multibody_schatzman``): u_{k+1} is in VT, v_k goes to T_V.

    Forces are those of the positions k - 1, k and k + 1 at the velocity v_k, weighted. The last evaluation is that at
    k + 1, with which gaps, directions and tangents go.
    """
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
