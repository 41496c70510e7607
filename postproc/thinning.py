"""Fewer points for a curve on a picture, with every peak kept."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array


def thinned(t: Array, y: Array, most: int = 4000) -> tuple[Array, Array]:
    """Return at most about ``most`` points of the curve y(t); the lowest and highest of every stretch are kept.

    Parameters
    ----------
    t, y : (n,) arrays
    most : int
        Curves with no more points than this come back as they are.
    """
    n = len(t)
    if n <= most:
        return t, y
    edges = np.linspace(0, n, max(2, most // 2) + 1).astype(np.int64)[:-1]
    bounds = np.concatenate([edges, [n]])
    lows = [a + int(np.argmin(y[a:b])) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    highs = [a + int(np.argmax(y[a:b])) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    keep = np.unique(np.concatenate([[0], lows, highs, [n - 1]]))
    return t[keep], y[keep]
