"""Common parts of the figures of a run: requested signals and time interval, and curves that coincide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, largest
from flexmb.postproc.named_curves import Curves, split_name

PAIRS = {"position": "velocity", "displacement": "velocity", "angle": "angle_rate", "rotation": "angular_velocity"}
"""Pairs of quantities of which the second is the rate of the first."""
SAME = 1e-9
"""Difference of two curves, relative to their size, up to which they coincide in a figure."""
MOST_SIGNALS = 6
"""Default number of signals in a figure."""
READABLE = 20.0
"""Range of a panel over that of a curve above which the curve is too flat to be read and gets a panel of its own."""


def shown_signals(curves: Curves, asked: Sequence[str]) -> list[str]:
    """Return the signals to draw: the requested ones, or the first that vary."""
    if asked:
        return curves.expand(asked)
    names = curves.moving(curves.signals)
    if not names:
        raise InputError(f"no recorded signal varies; recorded: {', '.join(curves.names) or 'none'}")
    return names[:MOST_SIGNALS]


def rate_pair(curves: Curves, x: str | None, y: str | None) -> tuple[str, str]:
    """Return two signals: the requested ones, or the first varying one that is recorded with its rate.

    Of a vector the component with the largest range is taken.
    """
    if x is not None and y is not None:
        return curves.expand([x])[0], curves.expand([y])[0]
    for name in _largest_first(curves, curves.expand([x]) if x is not None else curves.moving(curves.signals)):
        head, word, tag = split_name(name)
        rate = f"{head}.{PAIRS[word]}{tag}" if word in PAIRS else ""
        if y is not None:
            return name, curves.expand([y])[0]
        if rate in curves:
            return name, rate
    message = "no signal is recorded together with its rate (position and velocity of one node); name two with --x, --y"
    raise InputError(f"{message}; recorded: {', '.join(curves.signals) or 'none'}")


def _largest_first(curves: Curves, names: Sequence[str]) -> list[str]:
    """Return names with the components of each vector in the order of their ranges, vectors in their own order."""
    vectors: dict[tuple[str, str], list[str]] = {}
    for name in names:
        vectors.setdefault(split_name(name)[:2], []).append(name)
    return [name for own in vectors.values() for name in sorted(own, key=lambda name: -np.ptp(_ends(curves[name])))]


def readable_panels(curves: Curves, names: Sequence[str]) -> list[list[str]]:
    """Return the names of each panel, in which no curve is flat beside the offset or the size of another."""
    panels: list[tuple[list[str], float, float, float]] = []
    for name in names:
        low, high = _ends(curves[name])
        own = high - low
        for k, (others, least, most, smallest) in enumerate(panels):
            joint = min(low, least), max(high, most)
            if joint[1] - joint[0] <= READABLE * min(own, smallest):
                panels[k] = ([*others, name], *joint, min(own, smallest))
                break
        else:
            panels.append(([name], low, high, own))
    return [own for own, *_ in panels]


def _ends(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest finite number, zeros if there is none."""
    return -largest(-values), largest(values)


def coinciding(curves: Sequence[tuple[str, Array]]) -> list[list[str]]:
    """Return the labels of the curves, those of coinciding curves combined, in the order of their first curve."""
    out: list[tuple[list[str], Array]] = []
    scale = max((float(np.nanmax(np.abs(y))) for _, y in curves if y.size and np.isfinite(y).any()), default=0.0)
    for label, y in curves:
        for names, first in out:
            if first.shape == y.shape and np.allclose(first, y, rtol=0.0, atol=SAME * scale, equal_nan=True):
                names.append(label)
                break
        else:
            out.append(([label], y))
    return [names for names, _ in out]


def within(time: Array, start: float | None, end: float | None) -> Array:
    """Return which samples are within a time interval, (n,) bool; InputError if fewer than two are."""
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    inside = (time >= low) & (time <= high)
    if np.count_nonzero(inside) < 2:
        message = f"fewer than two samples lie between {low:g} and {high:g} s"
        raise InputError(f"{message}; the run goes from {time[0]:g} to {time[-1]:g} s", key="from")
    return np.asarray(inside)
