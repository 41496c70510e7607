"""Landing: the step is repeated with the length at which it ends at the event, instead of using its dense output.

So the order of the integrator and its energy identity are preserved at the event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flexmb.smooth.smooth_step import SmoothStep

ROUNDS = 30
"""Maximum number of trial steps."""
NEWTON = 4
"""Number of Newton iterations with the given rate."""


@dataclass(frozen=True)
class Landing:
    """State of a landing: the step, its length, the event function there, the number of steps tried."""

    step: SmoothStep
    s: float
    value: float
    tries: int


def land(
    take: Callable[[float], SmoothStep],
    value: Callable[[SmoothStep], float],
    slope: Callable[[SmoothStep], float] | None,
    length: float,
    longest: float,
    close: float,
    first_slope: float,
) -> Landing:
    """Repeat a step until its end is at the event: Newton's method or secants, within a bracket.

    Parameters
    ----------
    take : callable
        Length -> step.
    value : callable
        Step -> event function at its end, which falls through zero.
    slope : callable or None
        Step -> its rate there; without it secants are taken, the first one with ``first_slope``. Secants follow in any
        case: steps of different lengths filter fast modes differently, and their ends are not on one motion.
    length, longest : float
        Where to begin, and the longest step that makes sense, s.
    close : float
        Largest value that counts as there.
    """
    low, high, s = 0.0, float("inf"), length
    before: tuple[float, float] | None = None
    best: Landing | None = None
    for tries in range(1, ROUNDS + 1):
        step = take(s)
        f = value(step)
        if best is None or abs(f) < abs(best.value):
            best = Landing(step, s, f, tries)
        if abs(f) <= close:
            break
        if f > 0.0:
            low = max(low, s)
        else:
            high = min(high, s)
        if slope is not None and tries <= NEWTON:
            rate = slope(step)
        elif before is not None and s != before[0]:
            rate = (f - before[1]) / (s - before[0])
        else:
            rate = first_slope
        before = (s, f)
        new = s - f / rate if rate else -1.0
        top = min(high, longest)
        if not low < new < top:
            new = 0.5 * (low + top)
        if new == s or abs(new - s) <= 1e-16 * longest:
            break
        s = new
    assert best is not None
    return Landing(best.step, best.s, best.value, tries)
