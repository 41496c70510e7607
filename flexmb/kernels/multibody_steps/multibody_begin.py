"""The start of a motion: accelerations, multipliers, forces and energies of the initial state."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import kernel
from flexmb.kernels.multibody.evaluate import copy, forces_in_space, momentum, to_space
from flexmb.kernels.multibody.machine import part
from flexmb.kernels.multibody.multibody import KINETIC, T_P, T_V, V
from flexmb.kernels.multibody_steps.multibody_ledger import carry_state
from flexmb.kernels.multibody_steps.multibody_step import start_motion


@kernel
def begin_motion(at: int, t: float) -> int:
    """Fill the motion from its position and velocity; return -1 or the row with a bad pivot."""
    bad = start_motion(at, t)
    if bad >= 0:
        return bad
    motion, vec = part(at, "motion"), part(at, "trial.vec")
    unknowns, A = part(at, "system.unknowns"), part(at, "point.A")
    p, v = vec[T_P], motion.vec[V]
    forces_in_space(unknowns, part(at, "point.F"), A, motion.F)
    for c in range(motion.F.shape[0]):
        copy(motion.F[c], motion.P[c])
    copy(motion.q, part(at, "trial.q"))
    copy(v, vec[T_V])
    momentum(at, motion.q, v, p)
    kinetic = 0.0
    for i in range(p.size):
        kinetic += 0.5 * p[i] * v[i]
    motion.numbers[KINETIC] = kinetic
    to_space(unknowns, A, p)
    carry_state(at)
    return -1
