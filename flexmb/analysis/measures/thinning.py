"""Fewer points for a curve, with every peak kept."""

from __future__ import annotations

import numpy as np

from flexmb.state import Array, IntArray


def thinned(t: Array, y: Array, most: int = 4000) -> tuple[Array, Array]:
    """Return at most about ``most`` points of the curve y(t); the lowest and highest of every stretch are kept.

    Parameters
    ----------
    t, y : (n,) arrays
    most : int
        Curves with no more points than this come back as they are.
    """
    keep = kept([y], most)
    return (t, y) if len(keep) == len(t) else (t[keep], y[keep])


def kept(columns: list[Array], most: int = 4000) -> IntArray:
    """Return the samples to keep, ascending, such that the extremes of all columns in every interval are included.

    Parameters
    ----------
    columns : list of (n,) arrays
        Curves that belong together: the edges of a stack, or the two coordinates of an orbit.
    most : int
        Approximate number to keep; up to this number all are kept.
    """
    n = len(columns[0])
    if n <= most:
        return np.arange(n)
    stretches = max(2, most // (2 * len(columns)))
    bounds = np.linspace(0, n, stretches + 1).astype(np.int64)
    chosen = [0, n - 1]
    for y in columns:
        good = np.isfinite(y)
        low, high = np.where(good, y, np.inf), np.where(good, y, -np.inf)  # numbers that are not finite are no extremes
        for a, b in zip(bounds[:-1], bounds[1:], strict=True):
            chosen += [a + int(np.argmin(low[a:b])), a + int(np.argmax(high[a:b]))]
    return np.unique(chosen)
