"""What friction did in a step: works of the rows beside the normals, impulses added up, states of the laws."""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.compilation.stages import stage
from flexmb.kernels.laws.friction_law import falling_share, state_after
from flexmb.kernels.laws.friction_record import FALLING, R_T, RATE_T, ROLLING, SLIDING, STATUS, SURFACE
from flexmb.kernels.laws.friction_status import SLIP, friction_status
from flexmb.kernels.multibody.evaluate import along_direction, row_rate
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import (
    GAP_T,
    LAM_C,
    LAM_T,
    MU,
    RESPONSE_T,
    S2,
    SPLIT,
    STATE,
    H,
)
from flexmb.kernels.multibody_contacts.friction_blocks import slip_speed


@inner
def _works(at: int, jump: bool) -> float:
    """Write the works on the mean velocity, in S2, of a step or a jump; return that of prescribed surfaces.

    The latter join those of the normals, which stand there already.
    """
    motion, laws, numbers = part(at, "motion"), part(at, "laws"), part(at, "numbers")
    impulse, x, g_t = part(at, "trial.beside")[LAM_T], part(at, "trial.vec")[S2], part(at, "point.rows.g_t")
    first, weight = part(at, "system.joints") + part(at, "system.contacts"), 0.5
    if numbers.form != SPLIT and not jump:
        weight = numbers.vartheta
    drive = 0.0
    for c in range(laws.shape.shape[0]):
        motion.laws[SLIDING, c], motion.laws[ROLLING, c] = 0.0, 0.0
        for k in range(laws.start[c], laws.start[c + 1]):
            if impulse[k] != 0.0:
                r = first + k
                given = weight * g_t[r] + (1.0 - weight) * motion.rows[GAP_T, r]
                kind = SLIDING if k < laws.start[c] + laws.shape[c, 0] else ROLLING
                motion.laws[kind, c] += (along_direction(at, r, x) + given) * impulse[k]
                motion.laws[SURFACE, c] -= given * impulse[k]
                drive -= given * impulse[k]
    return drive


@inner
def _carry(at: int) -> None:
    """Keep the impulses, add them up for fields, and move the states of the laws on."""
    motion, laws, contact = part(at, "motion"), part(at, "laws"), part(at, "trial.contact")
    impulse, rows, grad = part(at, "trial.beside")[LAM_T], part(at, "system.rows"), part(at, "point.rows.grad")
    first, h = part(at, "system.joints") + part(at, "system.contacts"), part(at, "step")[H]
    for c in range(laws.shape.shape[0]):
        con, square = motion.contact, 0.0
        for k in range(laws.start[c], laws.start[c + 1]):
            motion.beside[R_T, k] = impulse[k]
            motion.beside[RATE_T, k] = row_rate(at, first + k)
            if k < laws.start[c] + laws.shape[c, 0]:
                square += impulse[k] * impulse[k]
            for d in range(3):
                motion.since_field[3 * c + d] += impulse[k] * grad[rows.ptr[first + k] + 1, d]
        size = math.sqrt(square)
        motion.laws[STATUS, c] = friction_status(contact[LAM_C, c], size, con[MU, c], laws.shape[c, 0])
        speed, motion.laws[FALLING, c] = slip_speed(at, c), 0.0
        if motion.laws[STATUS, c] == SLIP:
            motion.laws[FALLING, c] = falling_share(
                laws.friction[c], speed, con[STATE, c], h, con[RESPONSE_T, c], contact[LAM_C, c]
            )
        con[STATE, c] = state_after(laws.friction[c], speed, con[STATE, c], h)


@stage
def works_beside_stage(at: int, flag: int) -> int:
    """Flag 0: write the works, and that of moving surfaces to ``answer``. Flag 1: keep the impulses of the step.

    Flag 2 is 0 for a jump of velocities (``multibody_corner``).
    """
    if flag != 1:
        part(at, "answer")[0] = _works(at, flag == 2)
    else:
        _carry(at)
    return 0
