"""Large clouds of points by those of them that lie outermost, for the region that a picture must show."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.postproc.extent import DIRECTIONS

FEW = 20_000
"""Number of points up to which a cloud is kept as it is."""
SPREAD = 128
"""Number of directions, spread evenly over the sphere, in which points are outermost; beside axes and diagonals."""


def _spread(count: int) -> Array:
    """Return unit vectors on a spiral from pole to pole (Fibonacci's lattice), (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z])


_AXES = np.concatenate([DIRECTIONS, -DIRECTIONS])
_SPREAD = _spread(SPREAD)


def outermost(points: Array) -> Array:
    """Return the points, (n, 3), if they are few; else those that are outermost in one of many directions.

    Along the axes and diagonals the extent remains as it is, elsewhere within about 1 %.
    """
    if len(points) <= FEW:
        return points
    size = np.ptp(points, axis=0)  # directions are spread as if the points were as wide as high
    out = np.concatenate([_AXES, _SPREAD / np.where(size > 0.0, size, 1.0)])
    return np.asarray(points[np.unique([int(np.argmax(points @ one)) for one in out])])
