"""Functions of time given as data: ``constant``, ``ramp``, ``harmonic``, ``table``, ``spin-up``, ``polynomial``.

``value``, ``rate`` and ``second`` take a time or an array of times, s, and return an array of the same shape (0-d for a
number). ``rate`` and ``second`` are right-sided derivatives. ``check_span`` raises when the function is not defined on
a whole run. ``code`` is the function as the compiled loops read it (``kernels.geometry.time_functions``). Functions
of Python and numba are in ``called_function``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.checks.values import choice, finite, from_table, positive
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import CONSTANT, HARMONIC, POLYNOMIAL, RAMP, SPIN_UP, TABLE
from flexmb.parts.called_function import Called
from flexmb.parts.time_function_base import Code, TimeFunction
from flexmb.state import Array

ROUND_OFF = 1e-9
"""Tolerance, relative to the length of a table, for times outside it (n h does not meet the end exactly)."""


@dataclass(frozen=True, init=False)
class Constant(TimeFunction):
    """The constant ``value``."""

    kind: ClassVar[str] = "constant"

    level: float

    def __init__(self, value: float = 1.0) -> None:
        object.__setattr__(self, "level", finite(value, "value", "function"))

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        return np.full(np.shape(t), self.level)

    def code(self) -> Code:
        """Return kind and numbers."""
        return CONSTANT, np.array([self.level])


@dataclass(frozen=True, kw_only=True)
class Ramp(TimeFunction):
    """Linear from ``start_value`` at ``start_time`` to ``end_value`` at ``end_time``; constant before and after."""

    kind: ClassVar[str] = "ramp"

    end_time: float
    start_time: float = 0.0
    start_value: float = 0.0
    end_value: float = 1.0

    def __post_init__(self) -> None:
        for key in ("start_time", "end_time", "start_value", "end_value"):
            finite(getattr(self, key), key, "function")
        if self.end_time <= self.start_time:
            message = f"must be later than start_time = {self.start_time!r}"
            raise InputError(message, where="function", key="end_time", value=self.end_time)

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        times, values = (self.start_time, self.end_time), (self.start_value, self.end_value)
        return np.asarray(np.interp(t, times, values), dtype=np.float64)

    def rate(self, t: Array | float) -> Array:
        """Return the slope on [start_time, end_time), zero elsewhere."""
        slope = (self.end_value - self.start_value) / (self.end_time - self.start_time)
        after = just_after(t, self.start_time, self.end_time)
        on = (after >= self.start_time) & (after < self.end_time)
        return np.asarray(np.where(on, slope, 0.0), dtype=np.float64)

    def code(self) -> Code:
        """Return kind and numbers."""
        return RAMP, np.array([self.start_time, self.end_time, self.start_value, self.end_value], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Harmonic(TimeFunction):
    """``offset + amplitude sin(omega t + phase)``; ``frequency`` in Hz or ``omega`` in rad/s, ``phase`` in rad."""

    kind: ClassVar[str] = "harmonic"

    amplitude: float = 1.0
    frequency: float | None = None
    omega: float | None = None
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for key in ("amplitude", "phase", "offset"):
            finite(getattr(self, key), key, "function")
        if (self.frequency is None) == (self.omega is None):
            message = "a harmonic needs either frequency (Hz) or omega (rad/s)"
            raise InputError(message, where="function", key="frequency", value=self.frequency)
        key = "frequency" if self.omega is None else "omega"
        finite(getattr(self, key), key, "function")

    @property
    def angular(self) -> float:
        """Angular frequency, rad/s."""
        return float(self.omega) if self.omega is not None else 2.0 * np.pi * float(self.frequency or 0.0)

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        return np.asarray(self.offset + self.amplitude * np.sin(self.angular * np.asarray(t) + self.phase))

    def rate(self, t: Array | float) -> Array:
        """Return the derivative at ``t``."""
        return np.asarray(self.amplitude * self.angular * np.cos(self.angular * np.asarray(t) + self.phase))

    def second(self, t: Array | float) -> Array:
        """Return the second derivative at ``t``."""
        return np.asarray(-self.amplitude * self.angular**2 * np.sin(self.angular * np.asarray(t) + self.phase))

    def code(self) -> Code:
        """Return kind and numbers."""
        return HARMONIC, np.array([self.offset, self.amplitude, self.angular, self.phase], dtype=np.float64)


class Table(TimeFunction):
    """Linear interpolation between the points (``time``, ``value``).

    Parameters
    ----------
    time : (k,) array_like
        Increasing, s, k >= 2.
    value : (k,) array_like
        Values at these times.
    outside : "error" or "hold"
        "error": a run must lie within the table (``check_span``; schemes that evaluate it a step beyond the ends of a
        run extrapolate the end lines). "hold": constant end values outside.
    """

    kind: ClassVar[str] = "table"

    def __init__(
        self, *, time: Sequence[float] | Array, value: Sequence[float] | Array, outside: str = "error"
    ) -> None:
        self.time = number_list(time, "time")
        self.values = number_list(value, "value")
        self.outside = choice(outside, "outside", "function", ("error", "hold"))
        if self.time.size < 2:
            raise InputError("a table needs at least two times", where="function", key="time", value=time)
        if self.values.size != self.time.size:
            message = f"has {self.values.size} entries where time has {self.time.size}"
            raise InputError(message, where="function", key="value")
        increasing(self.time, "time", "function")

    def check_span(self, start: float, end: float, where: str = "") -> None:
        """Raise if the table does not cover [start, end] (and ``outside`` is "error")."""
        if self.outside == "error":
            covered(self.time, start, end, 'extend it, or say outside = "hold"', where)

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        inside = np.clip(t, self.time[0], self.time[-1])
        value = np.interp(inside, self.time, self.values)
        if self.outside == "error":
            value = value + self.rate(t) * (np.asarray(t) - inside)
        return np.asarray(value, dtype=np.float64)

    def rate(self, t: Array | float) -> Array:
        """Return the slope of the line that begins at or contains ``t``; constant values have slope zero."""
        slopes = np.diff(self.values) / np.diff(self.time)
        ends = (slopes[0], slopes[-1]) if self.outside == "error" else (0.0, 0.0)
        padded = np.concatenate(([ends[0]], slopes, [ends[1]]))
        after = just_after(t, self.time[0], self.time[-1])
        return np.asarray(padded[np.searchsorted(self.time, after, side="right")], dtype=np.float64)

    def code(self) -> Code:
        """Return kind and numbers."""
        return TABLE, np.concatenate([[float(self.outside == "error")], self.time, self.values])

    def __repr__(self) -> str:
        return f"Table({self.time.size} points from {self.time[0]:g} to {self.time[-1]:g} s)"


@dataclass(frozen=True, init=False)
class SpinUp(TimeFunction):
    """Angle of a motor that starts from rest and reaches the speed ``rate`` smoothly at ``duration``.

    (rate/T) [t^2/2 + (T/2 pi)^2 (cos(2 pi t/T) - 1)] for 0 <= t <= T = duration, then rate (t - T/2); zero before.
    """

    kind: ClassVar[str] = "spin-up"

    speed: float
    duration: float

    def __init__(self, *, rate: float, duration: float) -> None:
        object.__setattr__(self, "speed", finite(rate, "rate", "function"))
        object.__setattr__(self, "duration", positive(duration, "duration", "function"))

    def _times(self, t: Array | float) -> tuple[Array, Array, float]:
        """Return the time since the start, the part of it during the spin-up, and 2 pi/T."""
        since = np.maximum(t, 0.0)
        return since, np.minimum(since, self.duration), 2.0 * np.pi / self.duration

    def value(self, t: Array | float) -> Array:
        """Return the angle at ``t``."""
        since, s, w = self._times(t)
        # 1 - cos as a square does not cancel at small times
        angle = self.speed / self.duration * (0.5 * s * s - 2.0 * np.sin(0.5 * w * s) ** 2 / w**2)
        return np.asarray(np.where(since < self.duration, angle, self.speed * (since - 0.5 * self.duration)))

    def rate(self, t: Array | float) -> Array:
        """Return the derivative at ``t``."""
        since, s, w = self._times(t)
        growing = self.speed / self.duration * (s - np.sin(w * s) / w)
        return np.asarray(np.where(since < self.duration, growing, self.speed))

    def second(self, t: Array | float) -> Array:
        """Return the second derivative at ``t``."""
        since, s, w = self._times(t)
        growing = self.speed / self.duration * (1.0 - np.cos(w * s))
        return np.asarray(np.where(since < self.duration, growing, 0.0))

    def code(self) -> Code:
        """Return kind and numbers."""
        return SPIN_UP, np.array([self.speed, self.duration])


class Polynomial(TimeFunction):
    """c0 + c1 t + c2 t^2 + ...

    Parameters
    ----------
    coefficients : (k,) array_like
        c0, c1, ..., k >= 1.
    """

    kind: ClassVar[str] = "polynomial"

    def __init__(self, *, coefficients: Sequence[float] | Array) -> None:
        self.coefficients = number_list(coefficients, "coefficients")
        if self.coefficients.size == 0:
            message = "a polynomial needs at least one number"
            raise InputError(message, where="function", key="coefficients", value=coefficients)

    def _derivative(self, t: Array | float, order: int) -> Array:
        c = np.polynomial.polynomial.polyder(self.coefficients, order)
        return np.asarray(np.polynomial.polynomial.polyval(np.asarray(t, dtype=np.float64), c), dtype=np.float64)

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        return self._derivative(t, 0)

    def rate(self, t: Array | float) -> Array:
        """Return the derivative at ``t``."""
        return self._derivative(t, 1)

    def second(self, t: Array | float) -> Array:
        """Return the second derivative at ``t``."""
        return self._derivative(t, 2)

    def code(self) -> Code:
        """Return kind and numbers."""
        return POLYNOMIAL, self.coefficients

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(f'{c:g}' for c in self.coefficients)})"


Function = Constant | Ramp | Harmonic | Table | SpinUp | Polynomial | Called
KINDS: dict[str, type[Constant] | type[Ramp] | type[Harmonic] | type[Table] | type[SpinUp] | type[Polynomial]] = {
    cls.kind: cls for cls in (Constant, Ramp, Harmonic, Table, SpinUp, Polynomial)
}
"""Kinds as case files name them."""


def time_function(data: object, where: str) -> Function:
    """Return a time function from user input: an object, a number (constant), or ``{ kind = "ramp", .. }``."""
    if isinstance(data, Constant | Ramp | Harmonic | Table | SpinUp | Polynomial | Called):
        return data
    if callable(data):
        return Called(data, where=where)
    if isinstance(data, int | float) and not isinstance(data, bool):
        return Constant(finite(data, "value", where))
    if not isinstance(data, Mapping):
        raise InputError(
            'must be a number, { kind = "ramp", ... } or, in Python, a function of time', where=where, value=data
        )
    rest: dict[str, Any] = {key: value for key, value in data.items() if key != "kind"}
    try:
        return from_table(KINDS[choice(data.get("kind"), "kind", where, tuple(KINDS))], rest, where)
    except InputError as err:
        if not err.key:  # an error of the whole table shows the input with its kind
            err.value = dict(data)
        raise


def just_after(t: Array | float, start: float, end: float) -> Array:
    """Return ``t`` shifted by round-off, so that n h a last bit before a corner gets the slope after it."""
    return np.asarray(t) + 1e-12 * max(abs(start), abs(end))


def increasing(values: Array, key: str, where: str) -> None:
    """Raise unless the numbers increase."""
    back = np.flatnonzero(np.diff(values) <= 0.0)
    if back.size:
        i = int(back[0]) + 1
        message = f"must increase, but entry {i} ({values[i]:g}) comes after {values[i - 1]:g}"
        raise InputError(message, where=where, key=key)


def covered(time: Array, start: float, end: float, remedy: str, where: str) -> None:
    """Raise if the times of a table do not cover [start, end]."""
    slack = ROUND_OFF * (time[-1] - time[0])
    if not (time[0] - slack <= start and end <= time[-1] + slack):
        message = (
            f"the table covers {time[0]:g} to {time[-1]:g} s, but it is needed from {start:g} to {end:g} s; {remedy}"
        )
        raise InputError(message, where=where or "function", key="time")


def number_list(data: object, key: str, where: str = "function") -> Array:
    """Return a list of finite numbers as a read-only array."""
    try:
        # texts that look like numbers would be converted
        texts = np.asarray(data).dtype.kind not in "iuf"
        numbers = np.empty((0, 0)) if texts else np.array(data, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
        raise InputError("must be a list of finite numbers", where=where, key=key)
    numbers.flags.writeable = False
    return numbers
