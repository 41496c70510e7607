"""The energy identity of Runge-Kutta steps: works by class of force with the weights b, and the defect terms m_ij.

For a mass matrix that is constant along the axes of the bodies, V_i = v + h sum a_ij V'_j, v_1 = v + h sum b_i V'_i and
M V'_i = F_i - p'_i + D_i lam_i (joints and closed contacts),

    dT = h sum b_i V_i . (F_i + D_i lam_i) - (h^2/2) sum m_ij V'_i . M V'_j,    m_ij = b_i a_ij + b_j a_ji - b_i b_j

    external, drive, damping, cross   h sum b_i V_i . F_i of their class; drives of rows: -h sum b_i g_t . lam_i
    sliding                           -mu s U_T lam_N, the same way
    numerical                         dV + h sum b_i V_i . (F_conservative + F_inertia)_i
                                      + h sum b_i U_i . lam_i  -  (h^2/2) sum m_ij V'_i . M V'_j

U_i is the violation of the rows at velocity level at a stage: zero for half-explicit methods. No term is computed as
the remainder of the others, except if the mass matrix depends on the positions (floating beams): there `numerical` is
the remainder.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.kernels.geometry.tables import CONSERVATIVE, CROSS, DAMPING, DRIVE, EXTERNAL, INERTIA
from flexmb.smooth.phase import Phase
from flexmb.smooth.phase_instant import PhaseInstant
from flexmb.smooth.smooth_step import SmoothWorks
from flexmb.state import Array


def defect_matrix(A: Array, b: Array) -> Array:
    """Return m_ij = b_i a_ij + b_j a_ji - b_i b_j."""
    weighted = b[:, None] * A
    return np.asarray(weighted + weighted.T - np.outer(b, b))


def runge_kutta_works(
    phase: Phase,
    ends: tuple[PhaseInstant, PhaseInstant],
    h: float,
    table: tuple[Array, Array],
    stages: Sequence[PhaseInstant],
    rates: Array,
    lam: Array,
) -> SmoothWorks:
    """Return the works of a step.

    Parameters
    ----------
    phase : Phase
    ends : (PhaseInstant, PhaseInstant)
        Start and end.
    h : float
    table : ((s, s) array, (s,) array)
        A and b.
    stages : sequence of PhaseInstant
        The phase at each stage, velocities V_i.
    rates : (s, nv) array
        V'_i.
    lam : (s, nr) array
        Forces of the rows at the stages.
    """
    A, b = table
    used = [i for i in range(b.size) if b[i] != 0.0]
    work = sum((h * b[i] * (stages[i].F @ stages[i].v) for i in used), start=np.zeros(stages[0].F.shape[0]))
    drive = violated = 0.0
    sliding, surface = np.zeros((2, phase.system.contacts.nc))
    for i in used if phase.nr else ():
        at, force = stages[i], h * b[i] * lam[i]
        drive -= float(at.pushed @ force)
        surface -= phase.by_contact(at.pushed * force)
        violated += float(at.rates @ force)
        if phase.sliding.size:
            slip = at.here.U_T[phase.slide_columns]
            sliding[phase.closed[phase.sliding]] -= phase.drag * slip * force[phase.nj + phase.sliding]
    given = float(work[EXTERNAL]), float(work[DRIVE]) + drive, float(work[DAMPING]), float(work[CROSS])
    start, end = ends
    if phase.constant_mass:
        momenta = phase.mass.product(start.here, rates)
        own = end.potential - start.potential + float(work[CONSERVATIVE] + work[INERTIA]) + violated
        own -= 0.5 * h * h * float(np.sum(defect_matrix(A, b) * (rates @ momenta.T)))
    else:
        change = end.kinetic + end.potential - start.kinetic - start.potential
        own = change - sum(given) - float(sliding.sum())
    return SmoothWorks(*given, own, sliding, surface, float(work[DRIVE]))
