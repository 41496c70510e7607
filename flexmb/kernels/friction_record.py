"""What is carried and sampled of friction: rows beside the normals, and the works and status of each contact.

``beside`` (BESIDE_ROWS, nt) and ``laws`` (LAW_ROWS, nc) stand in ``Live`` (small motion) and ``Motion`` (large). A step
writes R_T, SLIDING, ROLLING, COHESION and STATUS, and RATE_T at its end; the loop adds up. Systems without friction
have arrays without columns, and pay for nothing.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.jit import kernel
from flexmb.state import Array

R_T, SINCE_T, RATE_T = 0, 1, 2
BESIDE_ROWS = 3
"""Rows of ``beside``: impulses of the last step, those since the sample before, and rates U_T at its end."""

SLIDING, ROLLING, COHESION, STATUS, WORK_SUM, FRICTION_SUM = 0, 1, 2, 3, 4, 5
LAW_ROWS = 6
"""Rows of ``laws``: works of the last step, J (of the tangential impulses; of rolling and spinning; of cohesion), the
status of the contact in it, and the works of the normal impulses and of all others since the start, J."""

TANGENTIAL, SLIP_RATE = 0, 1
BESIDE_COLUMNS = 2
"""Middle index of ``Samples.beside`` (k, 2, nt): impulses since the sample before, and rates at the sample."""

STATUS_AT, WORK_AT, FRICTION_AT = 0, 1, 2
LAW_COLUMNS = 3
"""Middle index of ``Samples.laws`` (k, 3, nc): status in the step that ended at the sample, and the works since the
start."""

NO_LAWS = np.zeros((LAW_ROWS, 0))
"""``laws`` of contacts that are nothing but normals."""


def friction_rows(nc: int, nt: int, normals_only: bool) -> tuple[Array, Array]:
    """Return ``beside`` and ``laws`` before the first step."""
    return np.zeros((BESIDE_ROWS, nt)), np.zeros((LAW_ROWS, 0 if normals_only else nc))


@kernel
def add_up_friction(beside: Array, laws: Array, work: Array) -> None:
    """Add up what a step did; ``work`` (nc,) are the works of its normal impulses."""
    for j in range(beside.shape[1]):
        beside[SINCE_T, j] += beside[R_T, j]
    for i in range(laws.shape[1]):
        laws[WORK_SUM, i] += work[i]
        laws[FRICTION_SUM, i] += laws[SLIDING, i] + laws[ROLLING, i] + laws[COHESION, i]


@kernel
def take_friction(beside: Array, laws: Array, out_beside: Array, out_laws: Array) -> None:
    """Write one sample, (2, nt) and (3, nc), and begin the impulses anew."""
    for j in range(beside.shape[1]):
        out_beside[TANGENTIAL, j] = beside[SINCE_T, j]
        out_beside[SLIP_RATE, j] = beside[RATE_T, j]
        beside[SINCE_T, j] = 0.0
    for i in range(laws.shape[1]):
        out_laws[STATUS_AT, i] = laws[STATUS, i]
        out_laws[WORK_AT, i] = laws[WORK_SUM, i]
        out_laws[FRICTION_AT, i] = laws[FRICTION_SUM, i]
