"""Systems whose matrices never change, though directions of contacts do: rotors of constant speed in a clearance."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.geometry.tables import NODE, SPEED_TABLE, Functions, System
from flexmb.kernels.multibody.spin import ANGLE
from flexmb.state import IntArray

MOST_UNITS = 64
"""Number of unknowns with contacts up to which their responses are stored; above, they are computed when needed."""


def constant_matrices(system: System) -> bool:
    """Return whether M, C and K never change and forces are linear in q and v.

    This holds for bodies of small displacement, planar bodies and particles without joints: rotors of given, constant
    speed, and forces on nodes in directions fixed in space.
    """
    turning = system.unknowns.frame_q.size + system.floating.modes.size
    laws = system.springs.A.size + system.torsions.angle.size + system.beams.A.size + system.joints
    pushes = system.pushes
    pushed = np.all(system.markers.kind[pushes.marker] == NODE) and not np.any(pushes.follower)
    steady = all(_at_constant_speed(system.functions, int(f)) for f in system.rotors.who[:, ANGLE])
    return bool(turning + laws == 0 and pushed and not np.any(pushes.torque) and steady)


def _at_constant_speed(functions: Functions, f: int) -> bool:
    """Return whether an angle has a constant speed; a free one (-1) does not."""
    if f < 0 or functions.kind[f] != SPEED_TABLE:
        return False
    _, speeds, _ = functions.data[functions.ptr[f] : functions.ptr[f + 1]].reshape(3, -1)
    return bool(np.all(speeds == speeds[0]))


def contact_unknowns(system: System) -> IntArray:
    """Return the unknowns with contacts, none if they are too many to store their responses."""
    slots = system.rows.marker[system.rows.ptr[system.joints] :]
    markers = np.unique(slots)
    parts = [system.markers.dof[system.markers.ptr[m] : system.markers.ptr[m + 1]] for m in markers]
    found = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
    return found if found.size <= MOST_UNITS else np.zeros(0, dtype=np.int64)
