"""Hausdorff distance between filled-in graphs of functions with jumps (Moreau 1978; Acary 2019, eqs 58-61).

The filled-in graph of f is its graph with the gaps at jumps closed by vertical lines:

    gr*(f) = {(t, x): x in [f(t-), f(t+)]},      d((t, x), (s, y)) = max(|t - s|, |x - y|)
    e(A, B) = sup over A of the distance to B,   h*(A, B) = max(e(A, B), e(B, A))

It is the suitable measure if jumps occur at slightly different times: the sup norm of v does not converge there.

The graph B is connected and monotonic in t, so its part over a window [t - eps, t + eps] takes all values between its
least and its largest one: (t, x) is within eps of B exactly when

    min of B over the window - eps <= x <= max of B over the window + eps.

Both sides are piecewise linear in t between *events*, the times at which an end of the window passes a vertex of B, or
t passes a vertex of A. Whether all of A is within eps is thus decided exactly with n log n operations; eps itself is
found by bisection to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array, IntArray


def graph_distance(t_a: Array, a: Array, t_b: Array, b: Array) -> float:
    """Return h* of two functions given by their vertices, linear in between; a jump is two vertices at one time.

    Parameters
    ----------
    t_a, a, t_b, b : (n,), (n,), (m,), (m,) arrays
        Times, not decreasing, and values. The units of t and of the values are weighed alike (eq 59): scale them first
        when they should not be.
    """
    return _excess(t_b, b, t_a, a, _excess(t_a, a, t_b, b, 0.0))


def excess(t_a: Array, a: Array, t_b: Array, b: Array) -> float:
    """Return e(A, B), the largest distance of a point of A from B."""
    return _excess(t_a, a, t_b, b, 0.0)


def _excess(t_a: Array, a: Array, t_b: Array, b: Array, low: float) -> float:
    """Return the larger of e(A, B) and ``low``.

    A point that is within eps of B stays so for every larger eps: whatever is found to be near enough is never looked
    at again, and only the few farthest pieces of A take part in the whole bisection.
    """
    t_a, a = _checked(t_a, a, "a")
    t_b, b = _checked(t_b, b, "b")
    high = max(float(np.ptp(np.concatenate([a, b]))), float(np.ptp(np.concatenate([t_a, t_b]))))
    sides = ((_Windows(t_b, b), a), (_Windows(t_b, -b), -a))
    for windows, values in sides:
        low = _least(partial(windows.far_vertices, t_a, values), low, high)
    for windows, values in sides:
        low = _least(partial(windows.far_spans, t_a, values), low, high)
    return low


def _least(far: Callable[[float, Any], Any], low: float, high: float) -> float:
    """Return the least eps >= low at which nothing is far, to the last bit.

    Parameters
    ----------
    far : callable
        Returns what of ``some`` (None: of all) is farther than eps.
    low, high : float
        At ``high`` nothing is.
    """
    some = far(low, None)
    while len(some):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        rest = far(middle, some)
        low, high, some = (middle, high, rest) if len(rest) else (low, middle, some)
    return low


def _checked(t: Array, x: Array, name: str) -> tuple[Array, Array]:
    t, x = np.asarray(t, dtype=np.float64), np.asarray(x, dtype=np.float64)
    if t.ndim != 1 or t.shape != x.shape or t.size == 0:
        raise InputError(f"needs times and values of equal length, got {t.shape} and {x.shape}", where=name)
    if not (np.isfinite(t).all() and np.isfinite(x).all()):
        raise InputError("times and values must be finite", where=name)
    if (np.diff(t) < 0.0).any():
        k = int(np.argmax(np.diff(t) < 0.0))
        raise InputError("times must not decrease", where=name, key=f"t[{k + 1}]", value=t[k + 1])
    return t, x


class _Windows:
    """Largest values of a graph over windows."""

    def __init__(self, t: Array, x: Array) -> None:
        self.t, self.x = t, x
        self.tables = [x]  # tables[k][i] = max of x[i : i + 2^k]
        while 2 ** len(self.tables) <= x.size:
            last, half = self.tables[-1], 2 ** (len(self.tables) - 1)
            self.tables.append(np.maximum(last[:-half], last[half:]))

    def far_vertices(self, t: Array, a: Array, eps: float, some: IntArray | None) -> IntArray:
        """Return which vertices of A lie above the largest values over their windows by more than eps.

        Both ends of all vertical lines of A are among its vertices.
        """
        some = np.arange(t.size) if some is None else some
        t, a = t[some], a[some]
        first = np.searchsorted(self.t, t - eps, side="left")
        last = np.searchsorted(self.t, t + eps, side="right")
        highest = np.maximum(self._between(first, last), self._ends(t - eps, t + eps))
        return np.asarray(some[~(a - highest <= eps)])

    def _ends(self, left: Array, right: Array) -> Array:
        """Return the larger of the values at the ends of the windows; -inf if both lie outside the graph."""
        value = np.full(left.shape, -np.inf)
        for at in (left, right):
            inside = (at >= self.t[0]) & (at <= self.t[-1])
            value[inside] = np.maximum(value[inside], np.interp(at[inside], self.t, self.x))
        return value

    def far_spans(self, t: Array, a: Array, eps: float, some: Array | None) -> Array:
        """Return the spans of time, (k, 2) ascending, in which A is too high; between events it is a - max(l1, c, l2).

        l1 and l2 are the values at the ends of the window, c is the largest one inside it.
        """
        some = np.array([[t[0], t[-1]]]) if some is None else some
        start, end = some[0, 0], some[-1, 1]
        marks = [_inside(t, start, end), _inside(self.t, start + eps, end + eps) - eps]
        marks += [_inside(self.t, start - eps, end - eps) + eps, some.ravel()]
        events = np.unique(np.concatenate(marks))
        events = events[(events >= start) & (events <= end)]
        s0, s1 = events[:-1], events[1:]
        owner = np.searchsorted(some[:, 0], s0, side="right") - 1
        wide = (s1 - s0 > 0.0) & (s1 <= some[owner, 1])
        s0, s1 = s0[wide], s1[wide]
        if s0.size == 0:
            return np.empty((0, 2))
        middle = 0.5 * (s0 + s1)
        line = _line(t, a, middle, s0, s1)
        on_a = np.isfinite(
            line[0]
        )  # the middle of two neighbouring floats may be the time of a vertical line at the end
        s0, s1, middle, line = s0[on_a], s1[on_a], middle[on_a], line[:, on_a]
        left, right = (
            _line(self.t, self.x, middle - eps, s0 - eps, s1 - eps),
            _line(self.t, self.x, middle + eps, s0 + eps, s1 + eps),
        )
        first = np.searchsorted(self.t, middle - eps, side="left")
        last = np.searchsorted(self.t, middle + eps, side="right")
        inside = self._between(first, last)
        gaps = [line - left, line - right, line - np.stack([inside, inside])]
        # the smallest of the three gaps, linear each, is largest at an end or where two of them cross
        worst = np.maximum(*np.minimum.reduce(gaps))
        for i, j in ((0, 1), (0, 2), (1, 2)):
            with np.errstate(invalid="ignore", divide="ignore"):
                d0, d1 = gaps[i][0] - gaps[j][0], gaps[i][1] - gaps[j][1]
                at = d0 / (d0 - d1)
                crosses = (at > 0.0) & (at < 1.0)
                met = np.minimum.reduce([(1.0 - at) * g[0] + at * g[1] for g in gaps])
            # a window without vertex or beyond the graph has a gap of +inf on both sides, which is never the smallest
            met = np.where(np.isnan(met), -np.inf, met)
            worst = np.where(crosses, np.maximum(worst, met), worst)
        return np.asarray(np.stack([s0, s1], axis=1)[~(worst <= eps)])

    def _between(self, first: IntArray, last: IntArray) -> Array:
        """Return the largest of x[first:last], -inf where there is none."""
        out = np.full(first.shape, -np.inf)
        some = last > first
        i, n = first[some], last[some] - first[some]
        level = np.frexp(n.astype(np.float64))[1] - 1
        found = np.empty(i.shape)
        for k in np.unique(level):
            mine, table = level == k, self.tables[k]
            found[mine] = np.maximum(table[i[mine]], table[i[mine] + n[mine] - 2**k])
        out[some] = found
        return out


def _inside(t: Array, start: float, end: float) -> Array:
    """Return the times from start to end of an ascending list."""
    return t[np.searchsorted(t, start, side="left") : np.searchsorted(t, end, side="right")]


def _line(t: Array, x: Array, inside: Array, s0: Array, s1: Array) -> Array:
    """Return the values at s0 and s1 of the line of the graph that ``inside`` lies on, (2, k); -inf off the graph."""
    k = np.clip(np.searchsorted(t, inside, side="right") - 1, 0, max(t.size - 2, 0))
    if t.size == 1:
        return np.full((2, inside.size), -np.inf)
    span = t[k + 1] - t[k]
    off = (inside < t[0]) | (inside > t[-1]) | (span <= 0.0)
    slope = np.divide(x[k + 1] - x[k], span, out=np.zeros_like(span), where=span > 0.0)
    values = np.stack([x[k] + slope * (s - t[k]) for s in (s0, s1)])
    return np.where(off, -np.inf, values)
