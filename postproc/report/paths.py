"""Paths of many samples, such as orbits: with as few points as look the same, or their last part."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array, IntArray

MOST = 4000
"""Maximum number of points of a path on a page."""
OFF = 2e-3
"""Tolerance of a path, relative to its width or height: less than a pixel."""
LONGEST = 64
"""Maximum number of samples replaced by one straight segment; a power of two."""


def shown_path(x: Array, y: Array) -> tuple[int, IntArray]:
    """Return the first sample of the part that is drawn, and the samples to draw, ascending.

    All of the path is drawn where that can be done with few points; of a longer one, such as of hundreds of turns, the
    last part: chords through thinned samples would be another path.

    Parameters
    ----------
    x, y : (n,) arrays
    """
    first, n = 0, len(x)
    while n - first > MOST:
        keep = first + _corners(x[first:], y[first:])
        if len(keep) <= MOST:
            return first, keep
        first = min(n - MOST, n - int(0.9 * (n - first) * MOST / len(keep)))
    return first, np.arange(first, n)


def _corners(x: Array, y: Array) -> IntArray:
    """Return the samples between which straight lines deviate by at most ``OFF``."""
    z = _scaled(x) + 1j * _scaled(y)
    whole = (len(z) - 1) // LONGEST * LONGEST
    starts = np.arange(0, whole, LONGEST)
    keep = [starts, np.arange(whole, len(z))]
    length = LONGEST
    while length > 1 and starts.size:
        inner = z[starts[:, None] + np.arange(1, length)]
        bent = ~(_distance(inner, z[starts], z[starts + length]).max(axis=1) <= OFF)  # also if it is not a number
        length //= 2
        keep.append(starts[bent] + length)
        starts = np.concatenate([starts[bent], starts[bent] + length])
    return np.unique(np.concatenate(keep))


def _distance(points: Array, a: Array, b: Array) -> Array:
    """Return the distances of points, (m, k), from the straight segments between a and b, (m,)."""
    way = (b - a)[:, None]
    length = np.abs(way) ** 2
    part = np.real((points - a[:, None]) * np.conj(way)) / np.where(length > 0.0, length, 1.0)
    return np.asarray(np.abs(points - a[:, None] - np.clip(part, 0.0, 1.0) * way))


def _scaled(x: Array) -> Array:
    size = float(np.nanmax(x) - np.nanmin(x)) if np.isfinite(x).any() else 0.0
    return np.asarray(x / size) if np.isfinite(size) and size > 0.0 else np.zeros_like(x)
