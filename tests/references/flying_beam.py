"""Flexible beam in free flight: Simo, Vu-Quoc (1986), J. Appl. Mech. 53, 855-863, the plane case.

The beam reaches from (6, 0) to (0, 8). For 2.5 s its lower end is pushed by 8 N along x and turned clockwise by
80 N m. EI = 500; with EI = 100 the same problem is known as the flying spaghetti.
"""

from __future__ import annotations

import numpy as np

from references.planar_beam import Beam, simulate

FORCE, MOMENT, RELEASE = 8.0, -80.0, 2.5
MASS, LENGTH = 10.0, 10.0


def trajectory(end, steps, EI=500.0, elements=3, order=4):
    """Return times, the lower end (n, 3) and the upper end (n, 3): x, y, angle; a step must end at 2.5 s."""
    beam = Beam(LENGTH, 1e4, 1e4, EI, 1.0, 10.0, elements=elements, order=order)
    q0 = beam.straight((6.0, 0.0), np.arctan2(8.0, -6.0))
    push = np.zeros(3 * beam.n)
    push[0], push[2] = FORCE, MOMENT
    early = round(RELEASE / end * steps)
    t, q, v = simulate(beam, q0, 0 * q0, RELEASE, early, load=push)
    if steps > early:
        later, after, _ = simulate(beam, q[-1], v[-1], end, steps - early, start=RELEASE)
        t, q = np.concatenate([t, later[1:]]), np.concatenate([q, after[1:]])
    return t, q[:, :3], q[:, -3:]


def center_of_mass(times):
    """Return the centre of mass (n, 2), in closed form."""
    t = np.asarray(times, dtype=float)
    a = FORCE / MASS
    x = np.where(t <= RELEASE, 0.5 * a * t**2, 0.5 * a * RELEASE**2 + a * RELEASE * (t - RELEASE))
    return np.column_stack([3.0 + x, np.full(t.shape, 4.0)])
