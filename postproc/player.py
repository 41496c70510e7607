"""The displayed time: stepping, playing, pausing, faster and slower."""

from __future__ import annotations

from flexmb.postproc.arrays import Array
from flexmb.postproc.instant import nearest

SECONDS = 10.0
"""Default duration of the playback of a whole run, s."""
FASTEST = 1024.0


class Player:
    """A clock over the times of the kept states.

    Parameters
    ----------
    times : (k,) array
        Ascending, s.
    t : float
        Where to begin, s.
    speed : float, optional
        Seconds of the result per second of the viewer; by default a run plays ``SECONDS``.
    """

    def __init__(self, times: Array, t: float, speed: float | None = None) -> None:
        self.times, self.t, self.playing = times, float(t), False
        self.first, self.last = float(times[0]), float(times[-1])
        self.normal = self.speed = default_speed(times) if speed is None else speed

    @property
    def factor(self) -> float:
        """Playback speed relative to the initial one."""
        return self.speed / self.normal

    def go(self, t: float) -> float:
        """Go to a time, or to the nearest one available."""
        self.t = min(max(float(t), self.first), self.last)
        return self.t

    def step(self, by: int) -> float:
        """Go forward or back by a number of states."""
        k = nearest(self.times, self.t) + by
        return self.go(float(self.times[min(max(k, 0), len(self.times) - 1)]))

    def tick(self, seconds: float) -> float:
        """Advance by an interval of viewer time; at its end a run restarts."""
        t = self.t + self.speed * seconds
        return self.go(self.first if self.t >= self.last else t)

    def flip(self) -> bool:
        """Play or pause; return whether it is playing."""
        self.playing = not self.playing
        return self.playing

    def faster(self, factor: float) -> None:
        """Multiply the playback speed by ``factor``, within a factor ``FASTEST`` of the initial speed."""
        self.speed = min(max(self.speed * factor, self.normal / FASTEST), self.normal * FASTEST)


def default_speed(times: Array) -> float:
    """Return the speed at which a run plays ``SECONDS``."""
    length = float(times[-1] - times[0])
    return length / SECONDS if length > 0.0 else 1.0


def pace(speed: float) -> str:
    """Return a speed as text: seconds of the result per second of the viewer."""
    return f"{speed:.3g} s/s"
