"""Detection of steps that failed because the damping of a part is too stiff, not because of a contact or joint.

A jump of velocities that strains a part (an impulsive start, an impact) causes accelerations a = M^-1 F_d of its
damping. Within a step the alpha family moves positions by h^2 (1/2 - beta/gamma) a more than the velocities do; where
the damping stops the motion much faster than a step lasts, this is many times the displacement in the step.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import splu

from flexmb.kernels.geometry.tables import DAMPING
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem


def thrown_off(beta: float, gamma: float) -> float:
    """Return the position error of the alpha family for stiff damping, relative to h^2 a."""
    return abs(0.5 - beta / gamma)


def stiff_damping(system: MultibodySystem, t: float, q: Array, v: Array, F: Array, h: float, off: float) -> str:
    """Return the message for damping that shifts positions by more than the displacement in one step; else empty.

    Parameters
    ----------
    system : MultibodySystem
    t, q, v : float, arrays
        The state that the step began from.
    F : (classes, nv) array
        Forces of that state, along the axes of the unknowns.
    h : float
        Step, s.
    off : float
        See ``thrown_off``.
    """
    M = system.tangents(t, q, v)[0].tocsc()
    speed = float(v @ (M @ v))
    if not (np.isfinite(F[DAMPING]).all() and np.isfinite(speed) and speed > 0.0 and off > 0.0):
        return ""
    try:
        power = splu(M).solve(F[DAMPING]) * F[DAMPING]
    except RuntimeError:  # a singular mass matrix: the failure has another cause
        return ""
    rate = float(np.sqrt(max(0.0, power.sum()) / speed))
    if not rate * h * off > 1.0:
        return ""
    part = system.dof_names[int(np.argmax(power))].partition(".")[0]
    return (
        f"the damping of '{part}' (beta) is too stiff for the step: it would stop this motion in {1.0 / rate:.3g} s, "
        f"time.step is {h:g}, and a jump of its velocities causes position errors of {rate * h * off:.3g} times the "
        f"displacement in a step; start without strain rates, or use a smaller damping.beta, time.step below "
        f"{1.0 / (rate * off):.3g}, or moreau-jean"
    )
