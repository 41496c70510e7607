"""Hausdorff distance between filled-in graphs of functions with jumps (Moreau 1978; Acary 2019, eqs 58-61).

The filled-in graph of f is its graph with the gaps at jumps closed by vertical lines:

    gr*(f) = {(t, x): x in [f(t-), f(t+)]},      d((t, x), (s, y)) = max(|t - s|, |x - y|)
    e(A, B) = sup over A of the distance to B,   h*(A, B) = max(e(A, B), e(B, A))

It is the right measure where jumps fall at slightly different times: the sup norm of v does not converge there.

The graph B is connected and goes on in t, so its part over a window [t - eps, t + eps] takes all values between its
least and its largest one: (t, x) is within eps of B exactly when

    min of B over the window - eps <= x <= max of B over the window + eps.

Both sides are piecewise linear in t between *events*, the times at which an end of the window passes a vertex of B, or
t passes a vertex of A. Whether all of A is within eps is thus decided exactly with n log n operations; eps itself is
found by bisection to the last bit.
"""

from __future__ import annotations

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
    """Return e(A, B): how far the point of A farthest from B is away from it."""
    return _excess(t_a, a, t_b, b, 0.0)


def _excess(t_a: Array, a: Array, t_b: Array, b: Array, low: float) -> float:
    """Return the larger of e(A, B) and ``low``."""
    t_a, a = _checked(t_a, a, "a")
    t_b, b = _checked(t_b, b, "b")
    upper, lower = _Windows(t_b, b), _Windows(t_b, -b)

    def within(eps: float) -> bool:
        return upper.cover(t_a, a, eps) and lower.cover(t_a, -a, eps)

    if within(low):
        return low
    high = max(float(np.ptp(np.concatenate([a, b]))), float(np.ptp(np.concatenate([t_a, t_b]))))
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        low, high = (low, middle) if within(middle) else (middle, high)


def _checked(t: Array, x: Array, name: str) -> tuple[Array, Array]:
    t, x = np.asarray(t, dtype=np.float64), np.asarray(x, dtype=np.float64)
    if t.ndim != 1 or t.shape != x.shape or t.size == 0:
        raise InputError(f"needs times and values of one length, got {t.shape} and {x.shape}", where=name)
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

    def cover(self, t: Array, a: Array, eps: float) -> bool:
        """Tell whether the graph A stays below the largest values of this one over the windows by eps at most."""
        return bool(self._vertices_covered(t, a, eps) and self._lines_covered(t, a, eps))

    def _vertices_covered(self, t: Array, a: Array, eps: float) -> bool:
        """Look at the vertices of A: both ends of all its vertical lines are among them."""
        first = np.searchsorted(self.t, t - eps, side="left")
        last = np.searchsorted(self.t, t + eps, side="right")
        highest = np.maximum(self._between(first, last), self._ends(t - eps, t + eps))
        return bool((a - highest <= eps).all())

    def _ends(self, left: Array, right: Array) -> Array:
        """Return the larger of the values at the ends of the windows; -inf where both lie outside the graph."""
        value = np.full(left.shape, -np.inf)
        for at in (left, right):
            inside = (at >= self.t[0]) & (at <= self.t[-1])
            value[inside] = np.maximum(value[inside], np.interp(at[inside], self.t, self.x))
        return value

    def _lines_covered(self, t: Array, a: Array, eps: float) -> bool:
        """Look between events: a - max(l1, c, l2) with l1, l2 at the ends of the window and c inside it."""
        events = np.unique(np.concatenate([t, self.t - eps, self.t + eps]))
        events = events[(events >= t[0]) & (events <= t[-1])]
        s0, s1 = events[:-1], events[1:]
        wide = s1 - s0 > 0.0
        s0, s1 = s0[wide], s1[wide]
        if s0.size == 0:
            return True
        middle = 0.5 * (s0 + s1)
        line = _line(t, a, middle, s0, s1)
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
            # a window without vertex or beyond the graph has a gap of +inf on both sides: it never is the smallest
            met = np.where(np.isnan(met), -np.inf, met)
            worst = np.where(crosses, np.maximum(worst, met), worst)
        return bool((worst <= eps).all())

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
