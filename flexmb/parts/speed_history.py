"""``SpeedHistory``: an angle given by its speed, which is linear between given times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.checks.values import finite
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import SPEED_SLACK, SPEED_TABLE
from flexmb.parts.time_function_base import Code
from flexmb.parts.time_functions import covered, increasing, just_after, number_list
from flexmb.state import Array


class SpeedRange(NamedTuple):
    """Speeds that a table covers, rad/s; ``what`` names it."""

    low: float
    high: float
    what: str

    def check(self, lowest: float, highest: float, where: str) -> None:
        """Raise if the table does not cover these speeds."""
        slack = SPEED_SLACK * (self.high - self.low)
        if lowest < self.low - slack or highest > self.high + slack:
            turns = f"{lowest:g}" if lowest == highest else f"{lowest:g} to {highest:g}"
            message = f"rotates at {turns} rad/s, but {self.what} covers {self.low:g} to {self.high:g} rad/s; extend it"
            raise InputError(message, where=where)


class SpeedHistory:
    """Angle whose speed is linear between the points (``time``, ``speed``) and constant before and after them.

    Its ``value`` is the angle, which is ``phase`` at t = 0, ``rate`` the speed, ``second`` the acceleration
    (right-sided at the points).

    Parameters
    ----------
    time : (k,) array_like
        Increasing, s, k >= 1.
    speed : (k,) array_like
        rad/s.
    phase : float
        rad.
    everywhere : bool
        Whether a run may go beyond the times.
    tables : sequence of SpeedRange
        Tables over the speed that must cover the speeds of a run.
    """

    def __init__(
        self,
        *,
        time: Sequence[float] | Array,
        speed: Sequence[float] | Array,
        phase: float = 0.0,
        everywhere: bool = True,
        tables: Sequence[SpeedRange] = (),
    ) -> None:
        self.time = number_list(time, "time")
        self.speed = number_list(speed, "speed")
        self.phase = finite(phase, "phase", "function")
        self.everywhere = everywhere
        self.tables = tuple(tables)
        if self.time.size < (1 if everywhere else 2):
            words = "one time" if everywhere else "two times"
            raise InputError(f"needs at least {words}", where="function", key="time", value=time)
        if self.speed.size != self.time.size:
            message = f"has {self.speed.size} entries where time has {self.time.size}"
            raise InputError(message, where="function", key="speed")
        increasing(self.time, "time", "function")
        steps = 0.5 * (self.speed[1:] + self.speed[:-1]) * np.diff(self.time)
        self.angles = np.concatenate([[0.0], np.cumsum(steps)])
        self.angles = self.angles + (self.phase - float(self.value(0.0)))

    @property
    def constant(self) -> bool:
        """Whether the speed never changes."""
        return bool(np.all(self.speed == self.speed[0]))

    def check_span(self, start: float, end: float, where: str = "") -> None:
        """Raise if the times do not cover [start, end] (and must), or a table not the speeds there."""
        if not self.everywhere:
            covered(self.time, start, end, "extend it", where)
        for table in self.tables:
            table.check(*self.speeds(start, end), where)

    def speeds(self, start: float, end: float) -> tuple[float, float]:
        """Return the lowest and the highest speed on [start, end]."""
        inside = self.time[(self.time > start) & (self.time < end)]
        found = self.rate(np.concatenate([[start], inside, [end]]))
        return float(found.min()), float(found.max())

    def value(self, t: Array | float) -> Array:
        """Return the angle at ``t``."""
        t = np.asarray(t, dtype=np.float64)
        k = np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, self.time.size - 1)
        s = t - self.time[k]
        # speed is the mean of those at the two ends of the time since a point
        return np.asarray(self.angles[k] + 0.5 * (self.speed[k] + self.rate(t)) * s)

    def rate(self, t: Array | float) -> Array:
        """Return the speed at ``t``."""
        return np.asarray(np.interp(t, self.time, self.speed), dtype=np.float64)

    def second(self, t: Array | float) -> Array:
        """Return the acceleration of the line that begins at or contains ``t``; zero before and after the points."""
        slopes = np.concatenate([[0.0], np.diff(self.speed) / np.diff(self.time), [0.0]])
        after = just_after(t, self.time[0], self.time[-1])
        return np.asarray(slopes[np.searchsorted(self.time, after, side="right")], dtype=np.float64)

    def code(self) -> Code:
        """Return kind and numbers: times, speeds and angles."""
        return SPEED_TABLE, np.concatenate([self.time, self.speed, self.angles])

    def __repr__(self) -> str:
        return f"SpeedHistory({self.time.size} points, {self.speed.min():g} to {self.speed.max():g} rad/s)"
