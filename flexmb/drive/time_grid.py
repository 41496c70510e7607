"""The time grid of a run: number and size of the steps."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError

MOST_STEPS = 2**53
"""Largest n for which n h is exact."""
INTERVALS = 500
"""Default number of intervals between samples if the step size is adaptive."""


def check_whole(where: str, key: str, value: int) -> None:
    """Raise InputError unless ``value`` is an integer."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputError("must be an integer", where=where, key=key, value=value)


def time_grid(
    start: float,
    end: float,
    step: float | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    interval: float | None = None,
) -> tuple[int, float]:
    """Return the number of steps and their size; with a ``tolerance`` those of the intervals between samples.

    Raises
    ------
    InputError
        When the step or interval does not divide the time span, or not just one of ``step``, ``steps`` and
        ``tolerance`` is given.
    """
    for key, value in (("start", start), ("end", end)):
        _check_number("time", key, value)
    if not (np.isfinite(end - start) and end > start):
        message = f"must be later than start = {start:g}: it is the time at the end of the run, not its duration"
        raise InputError(message, where="time", key="end", value=end)
    ways = {"tolerance": tolerance, "step": step, "steps": steps}
    given = [key for key, value in ways.items() if value is not None]
    if len(given) != 1:
        key = given[0] if given else "step"
        raise InputError("give one of step, steps and tolerance", where="time", key=key, value=ways[key])
    if tolerance is None:
        if interval is not None:
            message = "belongs to time.tolerance; with a constant step size the distance of samples is given by every"
            raise InputError(message, where="output", key="interval", value=interval)
        return _count_steps(start, end, step, steps)
    _check_number("time", "tolerance", tolerance)
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise InputError("must be a positive number", where="time", key="tolerance", value=tolerance)
    return _count_steps(start, end, interval, INTERVALS if interval is None else None, "output", "interval")


def _check_number(where: str, key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise InputError("must be a number", where=where, key=key, value=value)


def _count_steps(
    start: float, end: float, step: float | None, steps: int | None, where: str = "time", key: str = "step"
) -> tuple[int, float]:
    """Return the number of steps and their size, from one of the two; ``where`` and ``key`` are those of ``step``."""
    span = end - start
    if steps is not None:
        check_whole("time", "steps", steps)
        if not 1 <= steps <= MOST_STEPS:
            words = "must be at least 1" if steps < 1 else f"must be at most {MOST_STEPS}"
            raise InputError(words, where="time", key="steps", value=steps)
        return int(steps), span / steps
    assert step is not None
    _check_number(where, key, step)
    if not (np.isfinite(step) and step > 0.0):
        raise InputError("must be a positive number", where=where, key=key, value=step)
    if span < step * (1.0 - 1e-9):
        message = f"is longer than the time span {span:g}; use {span!r} (1 {key}) or less"
        raise InputError(message, where=where, key=key, value=step)
    if span / step > MOST_STEPS:
        message = f"is too small for the time span {span:g}: more than {MOST_STEPS} {key}s"
        raise InputError(message, where=where, key=key, value=step)
    n = round(span / step)
    if abs(n * step - span) > 1e-9 * span:
        below, above = int(span / step), int(span / step) + 1
        raise InputError(
            f"does not divide the time span {span:g} into whole {key}s ({span / step:.6g}); "
            f"use {span / below!r} ({below} {key}s) or {span / above!r} ({above} {key}s)",
            where=where,
            key=key,
            value=step,
        )
    return n, float(step)
