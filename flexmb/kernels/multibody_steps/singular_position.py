"""Steps past singular positions, at which rows of joints become dependent: detection, treatment, and notes."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import ASSEMBLE, PLACE, call
from flexmb.kernels.multibody.evaluate import copy
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    G_MET,
    PASSED,
    PASSED_ROW,
    PASSED_STEPS,
    PASSED_TIME,
    S1,
    TIME,
    VT,
    WEAK,
    WEAK_MASS,
    H,
    V,
)
from flexmb.kernels.multibody.multibody_scales import correction_size
from flexmb.kernels.multibody.redundancy import NEARLY_DEPENDENT, nearly_dependent
from flexmb.kernels.multibody.row_scale import row_speed
from flexmb.kernels.multibody_steps.multibody_newton import keep_met

JUMP = 0.2
"""Change of velocities in a step past a singular position, over the speeds, that is no smooth motion any more."""

DRIFT = 0.01
"""What joints may violate, over the motion in a step, when positions are left as they are at a singular position."""


@inner
def singular_at(at: int) -> int:
    """Return a row of a joint that nearly depends on others at the trial, by the masses alone, or -1."""
    weak, nv = part(at, "trial.big"), part(at, "trial.vec").shape[1]
    if nearly_dependent(at, weak[WEAK], NEARLY_DEPENDENT) < 0:
        return -1
    bad = call(part(at, "stages")[ASSEMBLE], at, 3)
    if bad >= 0:
        return max(bad - nv, -1)
    return nearly_dependent(at, weak[WEAK_MASS], NEARLY_DEPENDENT)


@inner
def jumps(at: int) -> bool:
    """Return whether velocities change strongly in the step: a mechanism that locks and is driven on."""
    vec, v = part(at, "trial.vec"), part(at, "motion.vec")[V]
    for i in range(v.size):
        vec[S1, i] = vec[VT, i] - v[i]
    return correction_size(at, vec[S1]) > JUMP


@inner
def leaves_joints(at: int, h: float) -> bool:
    """Return whether the joints, at position level, have errors above a hundredth of the motion in a step."""
    met, inside = part(at, "trial.joint")[G_MET], True
    for r in range(met.size):
        inside = inside and abs(met[r]) <= DRIFT * h * row_speed(at, r)
    return not inside


@inner
def note_passed(at: int) -> None:
    """Count a step past a singular position; keep when the first one was, and a row of a joint there."""
    nums, row = part(at, "motion.numbers"), part(at, "trial.report")[PASSED]
    if nums[PASSED_STEPS] == 0.0:
        nums[PASSED_TIME], nums[PASSED_ROW] = nums[TIME], row
    nums[PASSED_STEPS] += 1.0


@inner
def stay(at: int) -> bool:
    """Leave the position that cannot be projected at a singular position as it was (``q_half``); return whether it may.

    The next step tries again.
    """
    trial = part(at, "trial")
    row = nearly_dependent(at, trial.big[WEAK_MASS], NEARLY_DEPENDENT)
    copy(trial.q_half, trial.q)
    call(part(at, "stages")[PLACE], at, 0)
    keep_met(at)
    if row < 0 or leaves_joints(at, part(at, "step")[H]):
        return False
    trial.report[PASSED] = row
    return True
