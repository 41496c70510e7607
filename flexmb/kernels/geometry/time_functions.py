"""Functions of time, their first and second derivatives; the numbers of each kind as ``parts.time_functions`` gives.

    CONSTANT    value
    RAMP        start_time, end_time, start_value, end_value
    HARMONIC    offset, amplitude, omega, phase
    TABLE       goes_on (1: the end lines go on outside; 0: the end values hold), times, values
    SPIN_UP     rate, duration
    POLYNOMIAL  c0, c1, c2, ...
    SPEED_TABLE times, speeds, angles: the angle at a speed that is linear between the times, constant outside them
    CALLED      addresses of a user's function and its two derivatives (``called.py``)

Derivatives are right-sided; at corners a time within round-off before one counts as after it. ``rate`` with ``early``
> 0 is that of a step which ends at a corner: the slope that long before.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.called import number_at
from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.tables import CONSTANT, HARMONIC, POLYNOMIAL, RAMP, SPEED_TABLE, SPIN_UP, TABLE, Functions
from flexmb.state import Array

CALLED = 7
"""The kind of a user's function, beside those of ``tables``."""
NUDGE = 1e-12
"""Distance before a corner, over the times of the function, that counts as after it: n h may miss its last bit."""


@kernel
def value(functions: Functions, k: int, t: float) -> float:
    """Return function k at t."""
    kind, data, i, j = functions.kind[k], functions.data, functions.ptr[k], functions.ptr[k + 1]
    if kind == CONSTANT:
        return data[i]
    if kind == RAMP:
        return _ramp(data, i, t)
    if kind == HARMONIC:
        return data[i] + data[i + 1] * math.sin(data[i + 2] * t + data[i + 3])
    if kind == TABLE:
        return _table(data, i, j, t)
    if kind == SPIN_UP:
        return _spin_up(data[i], data[i + 1], t, 0)
    if kind == POLYNOMIAL:
        return _polynomial(data, i, j, t, 0)
    if kind == SPEED_TABLE:
        return _speed_table(data, i, (j - i) // 3, t, 0)
    if kind == CALLED:
        return number_at(int(data[i]), t)
    return math.nan


@kernel
def rate(functions: Functions, k: int, t: float, early: float = 0.0) -> float:
    """Return the right-sided derivative of function k at t; of lines the slope at t - early, if that is not zero."""
    kind, data, i, j = functions.kind[k], functions.data, functions.ptr[k], functions.ptr[k + 1]
    if kind == CONSTANT:
        return 0.0
    if kind == RAMP:
        near = t - early if early > 0.0 else t + NUDGE * max(abs(data[i]), abs(data[i + 1]))
        on = data[i] <= near < data[i + 1]
        return (data[i + 3] - data[i + 2]) / (data[i + 1] - data[i]) if on else 0.0
    if kind == HARMONIC:
        return data[i + 1] * data[i + 2] * math.cos(data[i + 2] * t + data[i + 3])
    if kind == TABLE:
        return _table_slope(data, i, j, t, early)
    if kind == SPIN_UP:
        return _spin_up(data[i], data[i + 1], t, 1)
    if kind == POLYNOMIAL:
        return _polynomial(data, i, j, t, 1)
    if kind == SPEED_TABLE:
        return _speed_table(data, i, (j - i) // 3, t, 1)
    if kind == CALLED:
        return number_at(int(data[i + 1]), t)
    return math.nan


@kernel
def second(functions: Functions, k: int, t: float) -> float:
    """Return the right-sided second derivative of function k at t."""
    kind, data, i, j = functions.kind[k], functions.data, functions.ptr[k], functions.ptr[k + 1]
    if kind in (CONSTANT, RAMP, TABLE):
        return 0.0
    if kind == HARMONIC:
        return -data[i + 1] * data[i + 2] * data[i + 2] * math.sin(data[i + 2] * t + data[i + 3])
    if kind == SPIN_UP:
        return _spin_up(data[i], data[i + 1], t, 2)
    if kind == POLYNOMIAL:
        return _polynomial(data, i, j, t, 2)
    if kind == SPEED_TABLE:
        return _speed_table(data, i, (j - i) // 3, t, 2)
    if kind == CALLED:
        return number_at(int(data[i + 2]), t)
    return math.nan


@inner
def _ramp(data: Array, i: int, t: float) -> float:
    start, end = data[i], data[i + 1]
    if t <= start:
        return data[i + 2]
    if t >= end:
        return data[i + 3]
    return (data[i + 3] - data[i + 2]) / (end - start) * (t - start) + data[i + 2]


@inner
def up_to(data: Array, first: int, n: int, t: float) -> int:
    """Return how many of the increasing numbers data[first:first + n] are at most t."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if data[first + middle] <= t:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _table(data: Array, i: int, j: int, t: float) -> float:
    n = (j - i - 1) // 2
    first = i + 1
    t0, t1 = data[first], data[first + n - 1]
    if t < t0 or t > t1:
        end = first if t < t0 else first + n - 1
        out = data[end + n]
        return out + _table_slope(data, i, j, t, 0.0) * (t - data[end]) if data[i] == 1.0 else out
    k = min(up_to(data, first, n, t), n - 1) - 1 + first
    slope = (data[k + 1 + n] - data[k + n]) / (data[k + 1] - data[k])
    # the last time is hit exactly, as every other one is
    return data[k + 1 + n] if t == t1 else slope * (t - data[k]) + data[k + n]


@inner
def _table_slope(data: Array, i: int, j: int, t: float, early: float) -> float:
    n = (j - i - 1) // 2
    first = i + 1
    near = t - early if early > 0.0 else t + NUDGE * max(abs(data[first]), abs(data[first + n - 1]))
    k = up_to(data, first, n, near)
    if k in (0, n):
        if data[i] == 0.0:
            return 0.0
        k = 1 if k == 0 else n - 1
    k += first - 1
    return (data[k + 1 + n] - data[k + n]) / (data[k + 1] - data[k])


@inner
def _spin_up(speed: float, duration: float, t: float, order: int) -> float:
    """Return the angle that starts from rest and turns at ``speed`` after ``duration`` (order 0), or a derivative."""
    if t <= 0.0:
        return 0.0
    if t >= duration:
        if order == 0:
            return speed * (t - 0.5 * duration)
        return speed if order == 1 else 0.0
    w = 2.0 * math.pi / duration
    if order == 0:
        half = math.sin(0.5 * w * t)
        return speed / duration * (0.5 * t * t - 2.0 * half * half / (w * w))
    if order == 1:
        return speed / duration * (t - math.sin(w * t) / w)
    return speed / duration * (1.0 - math.cos(w * t))


@inner
def _polynomial(data: Array, i: int, j: int, t: float, order: int) -> float:
    """Return a derivative of sum_n c_n t^n by Horner's rule."""
    total = 0.0
    for n in range(j - i - 1, order - 1, -1):
        factor = 1.0 if order == 0 else (float(n) if order == 1 else float(n * (n - 1)))
        total = total * t + factor * data[i + n]
    return total


@inner
def _speed_table(data: Array, i: int, n: int, t: float, order: int) -> float:
    """Return the angle (order 0), the speed or its right-sided slope."""
    k = up_to(data, i, n, t + NUDGE * max(abs(data[i]), abs(data[i + n - 1])) if order == 2 else t)
    slope = 0.0
    if 0 < k < n:
        slope = (data[i + n + k] - data[i + n + k - 1]) / (data[i + k] - data[i + k - 1])
    if order == 2:
        return slope
    k = i + max(k - 1, 0)
    since = t - data[k]
    if order == 1:
        return data[k + n] + slope * since
    return data[k + 2 * n] + (data[k + n] + 0.5 * slope * since) * since
