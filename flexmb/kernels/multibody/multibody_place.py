"""The position of a trial of a step, and the evaluation of the system there."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import AHEAD_STAGE, PLACE, call
from flexmb.kernels.multibody.evaluate import advance
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    CENTRED,
    D0,
    D1,
    DQ,
    DQ_JOINT,
    INCREMENT,
    T_V,
    VT,
    W,
)


@inner
def place_trial(at: int) -> None:
    """Move the trial to its end position and velocity and evaluate the system there, residuals included."""
    if part(at, "numbers.form") == CENTRED:
        call(part(at, "rare")[AHEAD_STAGE], at, 0)
        return
    _move(at)
    call(part(at, "stages")[PLACE], at, 1)


@inner
def place_rows(at: int) -> None:
    """Move the trial and evaluate the rows there, but no forces."""
    if part(at, "numbers.form") == CENTRED:
        call(part(at, "rare")[AHEAD_STAGE], at, 1)
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
