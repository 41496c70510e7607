"""Times at which functions of loads, drives and moved surfaces have kinks, where steps end and restart.

Corners of ramps and tables, both ends of a spin-up, times of a table of speeds: there higher derivatives jump.
"""

from __future__ import annotations

import numpy as np

from flexmb.drive.drive_corners import corners_of
from flexmb.kernels.geometry.tables import SPEED_TABLE, SPIN_UP, Functions
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem


def kink_times(system: LinearSystem | MultibodySystem, start: float, end: float, h: float) -> Array:
    """Return the times in (start, end) at which a function of time has a kink, increasing."""
    found = [np.empty(0)]
    if isinstance(system, MultibodySystem):
        functions = system.tables.functions
        found += [_kinks(functions, k, h) for k in range(functions.kind.size)]
    else:
        used = [load.phi for load in system.loads] + list(system.contacts.motions)
        for function in used:
            code = getattr(function, "code", None)
            if code is None:  # a user-defined function without known kinks
                continue
            kind, data = code()
            one = Functions(np.array([kind]), np.array([0, data.size]), np.asarray(data, dtype=np.float64))
            found.append(_kinks(one, 0, h))
    times = np.unique(np.concatenate(found))
    near = 1e-9 * h
    times = times[(times > start + near) & (times < end - near)]
    return times[np.diff(times, prepend=-np.inf) > near]


def _kinks(functions: Functions, k: int, h: float) -> Array:
    data = functions.data[functions.ptr[k] : functions.ptr[k + 1]]
    if functions.kind[k] == SPIN_UP:
        return np.array([0.0, data[1]])
    if functions.kind[k] == SPEED_TABLE:
        return np.asarray(data[: data.size // 3])
    return corners_of(functions, k, h)
