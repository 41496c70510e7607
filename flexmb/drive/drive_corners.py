"""Times at which the speed of a driven joint jumps: corners of ramps and tables."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.geometry.tables import RAMP, TABLE, Functions
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem

NO_JUMP = 1e-9
"""Change of slope, relative to the largest slope, that is round-off of the table."""

SMOOTH = 0.01
"""Change of slope, over the largest slope, up to which a table finer than the steps is taken for a smooth curve."""


def corner_times(system: MultibodySystem, start: float, end: float, h: float) -> Array:
    """Return the times in (start, end] at which the speed of a driven joint jumps, increasing.

    Parameters
    ----------
    system : MultibodySystem
    start, end : float
        Of the run, s; at the start the slope after it counts.
    h : float
        Size of the steps (or of the intervals between samples), s. Small corners closer together than that are left to
        the steps: a curve that was tabulated finely is smooth.
    """
    rows, functions = system.tables.rows, system.tables.functions
    found = [np.empty(0)]
    for k in np.unique(rows.function[: system.nj][rows.cf[: system.nj] != 0.0]):
        if k >= 0:
            found.append(corners_of(functions, int(k), h))
    times = np.unique(np.concatenate(found))
    same = max(1e-9 * h, 8.0 * np.finfo(float).eps * max(abs(start), abs(end)))
    times = times[(times > start + same) & (times <= end + same)]
    kept: list[float] = []
    for t in times:  # coinciding corners of several drives are one
        if kept and t - kept[-1] <= same:
            kept[-1] = float(t)
        else:
            kept.append(float(t))
    return np.array(kept, dtype=np.float64)


def points_of(functions: Functions, k: int) -> tuple[Array, Array, bool]:
    """Return times and values between which function k is linear, and whether its slope goes on outside them."""
    kind, data = functions.kind[k], functions.data[functions.ptr[k] : functions.ptr[k + 1]]
    if kind == RAMP:
        return data[:2], data[2:], False
    n = (data.size - 1) // 2 if kind == TABLE else 0
    return data[1 : n + 1], data[n + 1 : 2 * n + 1], bool(n and data[0] == 1.0)


def corners_of(functions: Functions, k: int, h: float) -> Array:
    """Return the times of the corners of function k."""
    time, values, goes_on = points_of(functions, k)
    if not time.size:
        return time
    slopes = np.diff(values) / np.diff(time)
    outside = slopes[[0, -1]] if goes_on else np.zeros(2)
    jumps = np.abs(np.diff(np.concatenate([outside[:1], slopes, outside[1:]])))
    largest = float(np.abs(slopes).max())
    real = jumps > NO_JUMP * largest
    time, jumps = time[real], jumps[real]
    apart = np.diff(time, prepend=-np.inf, append=np.inf)
    fine = np.minimum(apart[:-1], apart[1:]) < h * (1.0 - 1e-9)
    return np.asarray(time[~(fine & (jumps <= SMOOTH * largest))])
