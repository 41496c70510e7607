"""Dense output for event location: positions inside a step, roots of event functions, and the restart after them.

Inside a step from (t_0, q_0, v_0) to (t_1, q_1, v_1) positions are q_0 (+) x(s), s = (t - t_0) / h, where the increment
x is the polynomial of Hermite: cubic from the velocities at both ends, quintic where accelerations are given, too. The
rate of x at the end is what turns the end by v_1 (``System.toward``). Local errors are h^4 and h^6 in the positions.

The state after an event is never taken from the polynomial: ``land`` repeats the step with the length that ends at the
event, so that the order of the scheme and its energy identity hold; ``restart`` forgets what was before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq

from flexmb.errors import NotConverged
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.scheme import Memory, Scheme
from flexmb.state import Array, State
from flexmb.system.protocol import Instant, System

POINTS = 8
"""Number of parts of a step in which the sign of an event function is checked, so that short flights are found."""


class DenseStep:
    """A step, extended to all times inside it.

    Parameters
    ----------
    system : System
    start, end : State
    dq : (nv,) array
        The increment of the step: ``end.q`` is ``system.advance(start.q, dq)``.
    a_start, a_end : (nv,) arrays, optional
        Accelerations at both ends, for the quintic; only where no frame turns by any angle.
    """

    def __init__(
        self,
        system: System,
        start: State,
        end: State,
        dq: Array,
        a_start: Array | None = None,
        a_end: Array | None = None,
    ) -> None:
        self.system, self.start, self.h = system, start, end.t - start.t
        h, rate_0, rate_1 = self.h, start.v, system.toward(dq, end.v)
        if a_start is None or a_end is None or system.frames:
            rows = [h * rate_0, 3.0 * dq - h * (2.0 * rate_0 + rate_1), h * (rate_0 + rate_1) - 2.0 * dq]
        else:
            bend = 0.5 * h * h * a_start
            left = dq - h * rate_0 - bend, h * (rate_1 - rate_0) - 2.0 * bend, h * h * (a_end - a_start)
            rows = [
                h * rate_0,
                bend,
                10.0 * left[0] - 4.0 * left[1] + 0.5 * left[2],
                -15.0 * left[0] + 7.0 * left[1] - left[2],
                6.0 * left[0] - 3.0 * left[1] + 0.5 * left[2],
            ]
        self._coefficients = np.stack(rows)

    def at(self, t: float) -> Instant:
        """Return the system at a time inside the step, with the velocities of the increment."""
        s, k = (t - self.start.t) / self.h, np.arange(1, len(self._coefficients) + 1)
        x, rate = s**k @ self._coefficients, (k * s ** (k - 1)) @ self._coefficients / self.h
        return self.system.instant(t, self.system.advance(self.start.q, x), rate)


def first_root(function: Callable[[float], float], t_0: float, t_1: float, points: int = POINTS) -> float | None:
    """Return the first time in (t_0, t_1] at which a function decreases to zero; None if it does not."""
    times = np.linspace(t_0, t_1, points + 1)
    before = function(t_0)
    for a, b in zip(times[:-1], times[1:], strict=True):
        value = function(b)
        if before > 0.0 and value <= 0.0:
            return float(b) if value == 0.0 else float(brentq(function, a, b, xtol=1e-15 * max(abs(a), abs(b), b - a)))
        before = value
    return None


def land(take: Callable[[float], tuple[float, float, Any]], length: float, close: float, most: int = 12) -> Any:
    """Repeat a step with the length that ends at an event: s <- s - g / (dg/ds).

    Parameters
    ----------
    take : callable
        s -> (g, rate of g, anything), from a step of length s.
    length : float
        Where to begin, s: a root of the dense output.
    close : float
        Largest |g| that counts as there.

    Returns
    -------
    Whatever ``take`` gave with the last length.

    Raises
    ------
    NotConverged
        When no step of positive length ends there.
    """
    g, rate, found = take(length)
    for _ in range(most):
        if abs(g) <= close:
            return found
        if rate == 0.0 or length <= g / rate:
            break
        length -= g / rate
        g, rate, found = take(length)
    raise NotConverged("no step ends at the event", time=length, step=-1, residual=abs(g))


def restart(scheme: Scheme, system: System, state: State, h: float, solver: ContactSolver) -> tuple[Any, Memory]:
    """Return the prepared data and memory of a scheme that continues from a state with steps of h, as at a start."""
    fixed = scheme.prepare(system, h)
    return fixed, scheme.start(system, state, h, fixed, solver)
