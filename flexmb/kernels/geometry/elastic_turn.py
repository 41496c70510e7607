"""The rotation vector of a node that turns with a flexible body, on numbers only (see ``rotation`` for the formulas).

A vector t of the unknowns turns axes by exp(t); its rate t' makes the angular velocity T(-t) t' in the axes before the
turn, here called ``spun``. All formulas hold with every vector turned into other axes, so they serve nodes of small
displacement (in space) and of floating bodies (turned into space by the frame) alike.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation.jit import kernel
from flexmb.kernels.geometry.rotation import SMALL, coefficients
from flexmb.kernels.geometry.vectors import Vector, cross, dot, plus


@kernel
def rotated(t: Vector, y: Vector) -> Vector:
    """Return the rotated vector exp(t) y."""
    a, b, _, _ = coefficients(dot(t, t))
    ty = cross(t, y)
    return plus(plus(y, a, ty), b, cross(t, ty))


@kernel
def spun(t: Vector, y: Vector) -> Vector:
    """Return T(-t) y, the spin of the rate y."""
    _, b, c, _ = coefficients(dot(t, t))
    ty = cross(t, y)
    return plus(plus(y, b, ty), c, cross(t, ty))


@kernel
def unspun(t: Vector, y: Vector) -> Vector:
    """Return T(-t)^-1 y, the rate of the spin y."""
    _, _, _, d = coefficients(dot(t, t))
    ty = cross(t, y)
    return plus(plus(y, -0.5, ty), d, cross(t, ty))


@kernel
def spun_change(t: Vector, z: Vector, y: Vector) -> Vector:
    """Return the derivative of T(-t) y along t' = z."""
    s2 = dot(t, t)
    a, b, c, _ = coefficients(s2)
    if s2 < SMALL:
        db = -1.0 / 24.0 + s2 * (1.0 / 360.0 - s2 * (1.0 / 13440.0 - s2 / 907200.0))
        dc = -1.0 / 120.0 + s2 * (1.0 / 2520.0 - s2 * (1.0 / 120960.0 - s2 / 9979200.0))
    else:
        db = (0.5 * a - b) / s2
        dc = 0.5 * (b - 3.0 * c) / s2
    double = 2.0 * dot(t, z)
    ty, zy = cross(t, y), cross(z, y)
    first = plus(cross(z, ty), 1.0, cross(t, zy))
    smooth = plus((b * zy[0], b * zy[1], b * zy[2]), c, first)
    return plus(plus(smooth, double * db, ty), double * dc, cross(t, ty))


@kernel
def turn_between(x0: Vector, y0: Vector, z0: Vector, x1: Vector, y1: Vector, z1: Vector) -> Vector:
    """Return the rotation vector, shorter than half a turn, that turns the axes x0, y0, z0 into x1, y1, z1."""
    # of the rotation sum_k a1_k a0_k^T: half its skew part is the axis times the sine, its trace gives the cosine
    skew = plus(plus(cross(x0, x1), 1.0, cross(y0, y1)), 1.0, cross(z0, z1))
    sine = 0.5 * math.sqrt(dot(skew, skew))
    cosine = 0.5 * (dot(x0, x1) + dot(y0, y1) + dot(z0, z1) - 1.0)
    k = 0.5 * (math.atan2(sine, cosine) / sine if sine > 1e-8 else 1.0)
    return k * skew[0], k * skew[1], k * skew[2]
