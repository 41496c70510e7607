"""Directions at a circular clearance: n points outwards across the axis a, s = a x n along the circle.

(n, s, a) are the directions of the normal and the two tangential forces of a CLEARANCE row (``tables.Rows``). In the
middle of the circle n and s are zero: there the gap is open whatever the place does next.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.kernels.geometry.vectors import Vector, cross, dot, plus, put, taken
from flexmb.state import Array


@inner
def across(x: Vector, a: Vector) -> Vector:
    """Return the part of x across the unit vector a."""
    return plus(x, -dot(a, x), a)


@inner
def outwards(d: Vector) -> tuple[Vector, float]:
    """Return the direction n and the length of d; the direction is zero where the length is."""
    length = math.sqrt(dot(d, d))
    if length == 0.0:
        return (0.0, 0.0, 0.0), 0.0
    return (d[0] / length, d[1] / length, d[2] / length), length


@kernel
def directions(d: Array, a: Array, out: Array) -> None:
    """Write n, s and a of m places to ``out`` (m, 3, 3).

    Parameters
    ----------
    d : (m, 3) array
        From the middle of the circle to the place, in space.
    a : (m, 3) array
        Unit vectors along the axes.
    """
    for i in range(d.shape[0]):
        axis = taken(a, i, 0)
        n, _ = outwards(across(taken(d, i, 0), axis))
        put(n, out[i], 0, 0)
        put(cross(axis, n), out[i], 1, 0)
        put(axis, out[i], 2, 0)
