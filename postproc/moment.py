"""Which of the kept states to show."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.result import Result


def telling_time(result: Result) -> float:
    """Return the middle of the contact with the largest impulse, s; the end of the run when there is none.

    A contact is an unbroken row of samples in which impulses act anywhere; its middle is when half of its impulse
    has been given.
    """
    time = result.time
    total = np.zeros(len(time))
    for contact in result.contacts.values():
        total += np.abs(contact.impulse).reshape(len(time), -1).sum(axis=1)
    if not total.any():
        return float(time[-1])
    edges = np.diff(np.concatenate([[0], total > 0, [0]]).astype(np.int64))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    sums = np.concatenate([[0.0], np.cumsum(total)])
    k = int(np.argmax(sums[stops] - sums[starts]))
    given = np.cumsum(total[starts[k] : stops[k]])
    return float(time[starts[k] + int(np.searchsorted(given, 0.5 * given[-1]))])


def nearest_state(result: Result, time: float | None) -> int:
    """Return the number of the kept state nearest to a time (by default ``telling_time``)."""
    times = result.fields.times
    if time is None:
        time = telling_time(result)
    else:
        _require_inside(time, times)
    return int(np.argmin(np.abs(times - time)))


def _require_inside(time: float, times: Any) -> None:
    first, last = float(times[0]), float(times[-1])
    room = 1e-9 * max(abs(first), abs(last))
    if not first - room <= time <= last + room:
        message = f"the result goes from {first:.6g} s to {last:.6g} s"
        raise InputError(message, key="time", value=time)
