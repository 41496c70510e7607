"""Dense output: the increment x(s) inside a step, s = (t - t_0) / h, from the values and rates at its ends.

With accelerations at both ends x is the quintic of Hermite, of local errors h^6 in the positions and h^5 in the
velocities; without them the cubic. Rotations are those of q_0 (+) x: the rate of x at the end is T^-1(x) v, its second
derivative T^-1(x) a + (d/dt T^-1(x)) v (``second_rate``).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from flexmb.smooth.smooth_step import SmoothStep
from flexmb.state import Array
from flexmb.system.protocol import System

TURN = 1e-4
"""Angle for the difference quotient of T^-1 v, rad."""


class Inside(Protocol):
    """Interpolant of a step."""

    def at(self, s: float) -> tuple[Array, Array]:
        """Return the increment from the start of the step at s in [0, 1], and its rate, (nv,) each."""
        ...


class Hermite:
    """The polynomial of Hermite for an increment of length h.

    Parameters
    ----------
    h : float
    dq : (nv,) array
        The increment.
    rates : (2, nv) array
        Its rates at both ends.
    bends : (2, nv) array, optional
        Its second derivatives at both ends.
    """

    def __init__(self, h: float, dq: Array, rates: Array, bends: Array | None = None) -> None:
        rate_0, rate_1 = h * rates[0], h * rates[1]
        if bends is None:
            rows = [rate_0, 3.0 * dq - 2.0 * rate_0 - rate_1, rate_0 + rate_1 - 2.0 * dq]
        else:
            bend = 0.5 * h * h * bends[0]
            left = dq - rate_0 - bend, rate_1 - rate_0 - 2.0 * bend, h * h * (bends[1] - bends[0])
            rows = [
                rate_0,
                bend,
                10.0 * left[0] - 4.0 * left[1] + 0.5 * left[2],
                -15.0 * left[0] + 7.0 * left[1] - left[2],
                6.0 * left[0] - 3.0 * left[1] + 0.5 * left[2],
            ]
        self.h, self._rows = h, np.stack(rows)
        self._powers = np.arange(1, len(rows) + 1)

    def at(self, s: float) -> tuple[Array, Array]:
        """Return the increment at s, and its rate."""
        k = self._powers
        return np.asarray(s**k @ self._rows), np.asarray((k * s ** (k - 1)) @ self._rows / self.h)


def second_rate(system: System, x: Array, v: Array, a: Array) -> Array:
    """Return the second derivative of an increment x whose end moves with v and a, (nv,)."""
    out = system.toward(x, a)
    if not system.frames:
        return out
    rate = system.toward(x, v)
    size = float(np.abs(rate).max(initial=0.0))
    if size == 0.0:
        return out
    d = TURN / size  # T^-1 is even to high order: the central difference is accurate to round-off
    along = [system.toward(x + k * d * rate, v) for k in (-2, -1, 1, 2)]
    return np.asarray(out + (along[0] - 8.0 * along[1] + 8.0 * along[2] - along[3]) / (12.0 * d))


def velocity_of(system: System, x: Array, rate: Array) -> Array:
    """Return the velocities of the end of an increment x that changes with a rate: T(x) rate, (nv,)."""
    if not system.frames:
        return rate
    v = rate
    for _ in range(60):  # T^-1 is near the identity: the remainder decreases with the angle
        rest = rate - system.toward(x, v)
        v = v + rest
        if np.abs(rest).max() <= 1e-15 * np.abs(rate).max():
            break
    return np.asarray(v)


def inside_of(system: System, step: SmoothStep) -> Inside:
    """Return the dense output of a step: the integrator's own, or the quintic of Hermite."""
    if step.inside is not None:
        return step.inside
    start, end = step.start, step.end
    rates = np.stack([start.v, system.toward(step.dq, end.v)])
    bends = np.stack([start.a, second_rate(system, step.dq, end.v, end.a)])
    return Hermite(step.h, step.dq, rates, bends)
