"""Selection of the kept state to show."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.record.io.representative_time import telling_state
from flexmb.record.io.representative_time import telling_time as when_it_happens
from flexmb.record.result import Result


def telling_time(result: Result) -> float:
    """Return the middle of the contact with the largest impulse, s; the end of the run without contact."""
    return when_it_happens(result.tree)


def nearest(times: Array, t: float) -> int:
    """Return the index of the time nearest to t; of two equally near the earlier.

    Parameters
    ----------
    times : (k,) array
        Ascending, s.
    t : float
    """
    k = int(np.searchsorted(times, t))
    return max(k - 1, 0) if k == len(times) or (k > 0 and t - times[k - 1] <= times[k] - t) else k


def nearest_state(result: Result, time: float | None) -> int:
    """Return the number of the kept state nearest to a time; by default that of ``telling_time``."""
    if time is None:
        return telling_state(result.tree)
    times = result.fields.times
    _require_inside(time, times)
    return nearest(times, time)


def _require_inside(time: float, times: Any) -> None:
    first, last = float(times[0]), float(times[-1])
    room = 1e-9 * max(abs(first), abs(last))
    if not first - room <= time <= last + room:
        message = f"the result goes from {first:.6g} s to {last:.6g} s"
        raise InputError(message, key="time", value=time)
