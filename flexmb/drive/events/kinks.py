"""Times at which functions of loads, drives and moved surfaces have kinks, where steps end and restart.

Corners of ramps and tables, both ends of a spin-up, times of a table of speeds: there higher derivatives jump.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.drive.drive_corners import corners_of, points_of
from flexmb.kernels.geometry.tables import SPEED_TABLE, SPIN_UP, Functions
from flexmb.kernels.geometry.time_functions import NUDGE
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem


def kink_times(system: LinearSystem | MultibodySystem, start: float, end: float, h: float) -> Array:
    """Return kinks of functions of time: their times, where steps end before them, and from when on they are passed.

    (3, n). Until the second time the slope of a motion is still that before the kink, from the third on it is already
    that after it, which is ``NUDGE`` of all times of the function before the kink. Of the functions of loads only
    values count, which are continuous. Kinks of motions at the end count, too: the velocity jumps there.
    """
    found = [np.empty((3, 0))]
    near = 1e-9 * h
    for functions, k, moves in _functions(system):
        times = _kinks(functions, k, h)
        latest = np.abs([*times, *points_of(functions, k)[0]]).max(initial=0.0) if moves else 0.0
        early = times - 4.0 * NUDGE * np.maximum(np.maximum(np.abs(times), latest), h)
        passed = times - NUDGE * latest
        inside = (passed > start) & (early < end) if moves else (times > start + near) & (times < end - near)
        found.append(np.stack([times, early, passed])[:, inside])
    return _merged(np.concatenate(found, axis=1))


def _merged(kinks: Array) -> Array:
    """Return kinks in order of time; those within round-off of each other are one."""
    out: list[list[float]] = []
    for kink, early, passed in sorted(kinks.T.tolist()):
        if out and early <= out[-1][0]:
            last = out[-1]
            out[-1] = [kink, min(early, last[1]), max(passed, last[2])]
        else:
            out.append([kink, early, passed])
    return np.array(out).reshape(-1, 3).T


def _functions(system: LinearSystem | MultibodySystem) -> Iterator[tuple[Functions, int, bool]]:
    """Yield the functions of time, each as one of a table, and whether it moves something, so that its slope counts.

    Users' functions have no known kinks.
    """
    if isinstance(system, MultibodySystem):
        functions, moving = system.tables.functions, set(system.tables.rows.function.tolist())
        yield from ((functions, k, k in moving) for k in range(functions.kind.size))
        return
    loads, motions = [load.phi for load in system.loads], list(system.contacts.motions)
    for i, function in enumerate(loads + motions):
        code = getattr(function, "code", None)
        if code is not None:
            kind, data = code()
            one = Functions(np.array([kind]), np.array([0, data.size]), np.asarray(data, dtype=np.float64))
            yield one, 0, i >= len(loads)


def _kinks(functions: Functions, k: int, h: float) -> Array:
    """Return the times of the kinks of function k."""
    data = functions.data[functions.ptr[k] : functions.ptr[k + 1]]
    if functions.kind[k] == SPIN_UP:
        return np.array([0.0, data[1]])
    if functions.kind[k] == SPEED_TABLE:
        return np.asarray(data[: data.size // 3])
    return corners_of(functions, k, h)
