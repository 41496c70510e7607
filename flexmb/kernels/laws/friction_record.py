"""Records of friction: rows beside the normals, and the works and status of each contact.

``beside`` (BESIDE_ROWS, nt) and ``laws`` (LAW_ROWS, nc) stand in ``Live`` (small motion) and ``Motion`` (large). A step
writes R_T, SLIDING, ROLLING, COHESION, STATUS and FALLING, and RATE_T at its end; the loop adds up. Systems without
friction have arrays without columns, and pay for nothing.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation.jit import kernel
from flexmb.state import Array

R_T, SINCE_T, RATE_T = 0, 1, 2
BESIDE_ROWS = 3
"""Rows of ``beside``: impulses of the last step, those since the sample before, and rates U_T at its end."""

SLIDING, ROLLING, COHESION, SURFACE, STATUS = 0, 1, 2, 3, 4
WORK_SUM, FRICTION_SUM, ROLLING_SUM, COHESION_SUM, SURFACE_SUM = 5, 6, 7, 8, 9
FALLING = 10
LAW_ROWS = 11
"""Rows of ``laws``: works of the last step, J (of the tangential impulses; of rolling and spinning; of cohesion; of the
impulses of all rows on the motion of a prescribed surface), the status of the contact in it, and the works since the
start, J: of the normal impulses and of all others, of rolling and cohesion as parts of the latter, of surfaces.
FALLING is ``W_TT P_N |mu'|`` of the last step where the contact slipped and its coefficient falls with the slip speed,
else 0: the law has one answer only below 1 (``friction_law.falling_steepness``)."""

TANGENTIAL, SLIP_RATE = 0, 1
BESIDE_COLUMNS = 2
"""Middle index of ``Samples.beside`` (k, 2, nt): impulses since the sample before, and rates at the sample."""

STATUS_AT, WORK_AT, FRICTION_AT, ROLLING_AT, COHESION_AT, SURFACE_AT = 0, 1, 2, 3, 4, 5
LAW_COLUMNS = 6
"""Middle index of ``Samples.laws`` (k, 6, nc): status in the step that ended at the sample, and the works since the
start."""

WORKS = {
    WORK_AT: WORK_SUM,
    FRICTION_AT: FRICTION_SUM,
    ROLLING_AT: ROLLING_SUM,
    COHESION_AT: COHESION_SUM,
    SURFACE_AT: SURFACE_SUM,
}
"""Works since the start: their place in a sample, and the row of ``laws``."""

NO_LAWS = np.zeros((LAW_ROWS, 0))
"""``laws`` of contacts that are nothing but normals."""


def friction_rows(nc: int, nt: int, normals_only: bool) -> tuple[Array, Array]:
    """Return the initial arrays ``beside`` and ``laws``."""
    return np.zeros((BESIDE_ROWS, nt)), np.zeros((LAW_ROWS, 0 if normals_only else nc))


@kernel
def add_up_friction(beside: Array, laws: Array, work: Array) -> None:
    """Accumulate the results of a step; ``work`` (nc,) are the works of its normal impulses."""
    for j in range(beside.shape[1]):
        beside[SINCE_T, j] += beside[R_T, j]
    for i in range(laws.shape[1]):
        laws[WORK_SUM, i] += work[i]
        laws[FRICTION_SUM, i] += laws[SLIDING, i] + laws[ROLLING, i] + laws[COHESION, i]
        laws[ROLLING_SUM, i] += laws[ROLLING, i]
        laws[COHESION_SUM, i] += laws[COHESION, i]
        laws[SURFACE_SUM, i] += laws[SURFACE, i]


@kernel
def take_friction(beside: Array, laws: Array, out_beside: Array, out_laws: Array) -> None:
    """Write one sample, (2, nt) and (6, nc), and reset the accumulated impulses."""
    for j in range(beside.shape[1]):
        out_beside[TANGENTIAL, j] = beside[SINCE_T, j]
        out_beside[SLIP_RATE, j] = beside[RATE_T, j]
        beside[SINCE_T, j] = 0.0
    for i in range(laws.shape[1]):
        out_laws[STATUS_AT, i] = laws[STATUS, i]
        out_laws[WORK_AT, i] = laws[WORK_SUM, i]
        out_laws[FRICTION_AT, i] = laws[FRICTION_SUM, i]
        out_laws[ROLLING_AT, i] = laws[ROLLING_SUM, i]
        out_laws[COHESION_AT, i] = laws[COHESION_SUM, i]
        out_laws[SURFACE_AT, i] = laws[SURFACE_SUM, i]
