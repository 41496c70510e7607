"""Whether a contact is open, sticks or slips, by the impulses of a step: one rule for all engines."""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import kernel
from flexmb.state import Array, IntArray

OPEN, STICK, SLIP = 0, 1, 2
"""Status of a contact, as recorded."""

ON_THE_CONE = 1e-8
"""Relative distance from its bound below which a tangential impulse means slip."""


@kernel
def friction_status(P_N: float, P_T: float, mu: float, slides: int) -> int:
    """Return the status of a contact with normal impulse P_N, size P_T of the tangential one, and coefficient mu.

    One without tangents (``slides`` = 0) has nothing that could slip: when it is closed it counts as one that sticks.
    """
    if P_N <= 0.0:
        return OPEN
    if slides == 0 or mu * P_N * (1.0 - ON_THE_CONE) > P_T:
        return STICK
    return SLIP


@kernel
def write_status(P: Array, R: Array, start: IntArray, slides: IntArray, mu: Array, status: Array) -> None:
    """Write the status of all contacts.

    Parameters
    ----------
    P : (nc,) array
        Normal impulses of the step, N s, without those of bonds.
    R : (nt,) array
        Impulses of the rows beside the normals; those of contact i stand from ``start[i]`` on, ``slides[i]`` of them
        are tangential.
    start, slides : (nc + 1,), (nc,) int arrays
        See ``system.contact_blocks.Blocks``.
    mu : (nc,) array
        Coefficient of friction in the step.
    status : (nc,) array
        Out.
    """
    for i in range(P.size):
        square = 0.0
        for j in range(start[i], start[i] + slides[i]):
            square += R[j] * R[j]
        status[i] = friction_status(P[i], math.sqrt(square), mu[i], slides[i])
