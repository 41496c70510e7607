"""Positions as sums of two numbers, so that motion far from the origin loses no digits.

A place is r + low, r the nearest number and low the rest, some 1e-16 of r. The distance of two places is the distance
of the r, exact where they are near to each other, and the difference of the rests: its round-off goes with the
distance and not with where the two are.
"""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.geometry.tables import MarkerState
from flexmb.kernels.geometry.vectors import Vector


@inner
def split_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b rounded, and what the rounding leaves out, exactly."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


@inner
def apart(state: MarkerState, A: int, B: int) -> Vector:
    """Return the vector from the place of marker A to that of marker B."""
    r, low = state.r, state.low
    return (
        (r[B, 0] - r[A, 0]) + (low[B, 0] - low[A, 0]),
        (r[B, 1] - r[A, 1]) + (low[B, 1] - low[A, 1]),
        (r[B, 2] - r[A, 2]) + (low[B, 2] - low[A, 2]),
    )
