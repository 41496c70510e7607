"""Rotations: unit quaternions, matrices, rotation vectors and the tangent of the exponential.

``a~`` is the matrix of the cross product, a~ b = a x b. exp(theta) turns by |theta| about theta. With
A = A_n exp(theta) a change d(theta) turns A by the vector T(theta) d(theta) in its own axes (and by T(-theta) d(theta)
in the axes of A_n):

    T(theta) = 1 - b theta~ + c theta~^2,   b = (1 - cos|theta|)/|theta|^2,  c = (|theta| - sin|theta|)/|theta|^3
    T^-1(theta) = 1 + theta~/2 + d theta~^2,   d = (1 - (|theta|/2) cot(|theta|/2))/|theta|^2
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation.jit import inner, kernel
from flexmb.state import Array

SMALL = 1e-2
"""Squared angle, rad^2, below which series replace the formulas that cancel."""


@kernel
def axes_of(q: Array, i: int, A: Array) -> None:
    """Write the axes of the quaternion q[i:i + 4] as the columns of A.

    Divided by |p|^2 they are perpendicular unit vectors to round-off whatever the norm's own round-off has added up to;
    without it angular momentum would grow by 4 (|p| - 1) in every step.
    """
    a, b, c, d = q[i], q[i + 1], q[i + 2], q[i + 3]
    one = 1.0 / (a * a + b * b + c * c + d * d)
    A[0, 0] = (a * a + b * b - c * c - d * d) * one
    A[1, 1] = (a * a - b * b + c * c - d * d) * one
    A[2, 2] = (a * a - b * b - c * c + d * d) * one
    two = 2.0 * one
    A[0, 1], A[1, 0] = two * (b * c - a * d), two * (b * c + a * d)
    A[0, 2], A[2, 0] = two * (b * d + a * c), two * (b * d - a * c)
    A[1, 2], A[2, 1] = two * (c * d - a * b), two * (c * d + a * b)


@kernel
def turn(q: Array, i: int, tx: float, ty: float, tz: float, out: Array) -> None:
    """Write the quaternion q[i:i + 4] turned by the vector (tx, ty, tz) in its own axes to out[i:i + 4]."""
    s2 = tx * tx + ty * ty + tz * tz
    # half the vector over its sine: sin(|t|/2)/|t|
    if s2 < SMALL:
        k = 0.5 - s2 / 48.0 * (1.0 - s2 / 80.0 * (1.0 - s2 / 168.0))
        c0 = 1.0 - s2 / 8.0 * (1.0 - s2 / 48.0 * (1.0 - s2 / 120.0 * (1.0 - s2 / 224.0)))
    else:
        s = math.sqrt(s2)
        k = math.sin(0.5 * s) / s
        c0 = math.cos(0.5 * s)
    x, y, z = k * tx, k * ty, k * tz
    a, b, c, d = q[i], q[i + 1], q[i + 2], q[i + 3]
    out[i] = a * c0 - b * x - c * y - d * z
    out[i + 1] = a * x + b * c0 + c * z - d * y
    out[i + 2] = a * y - b * z + c * c0 + d * x
    out[i + 3] = a * z + b * y - c * x + d * c0


@kernel
def coefficients(s2: float) -> tuple[float, float, float, float]:
    """Return sin s / s, (1 - cos s)/s^2, (s - sin s)/s^3 and (1 - (s/2) cot(s/2))/s^2 of s = sqrt(s2)."""
    if s2 < SMALL:
        a = 1.0 - s2 / 6.0 * (1.0 - s2 / 20.0 * (1.0 - s2 / 42.0 * (1.0 - s2 / 72.0)))
        b = 0.5 * (1.0 - s2 / 12.0 * (1.0 - s2 / 30.0 * (1.0 - s2 / 56.0 * (1.0 - s2 / 90.0))))
        c = (1.0 - s2 / 20.0 * (1.0 - s2 / 42.0 * (1.0 - s2 / 72.0 * (1.0 - s2 / 110.0)))) / 6.0
        d = 1.0 / 12.0 + s2 * (1.0 / 720.0 + s2 * (1.0 / 30240.0 + s2 * (1.0 / 1209600.0 + s2 / 47900160.0)))
        return a, b, c, d
    s = math.sqrt(s2)
    h = 0.5 * s
    sine, half = math.sin(s), math.sin(h)
    return sine / s, 2.0 * half * half / s2, (s - sine) / (s2 * s), (1.0 - h * math.cos(h) / half) / s2


@inner
def _series(t: Array, one: float, first: float, second: float, out: Array) -> None:
    """Write one + first t~ + second t~^2 to out (3, 3)."""
    x, y, z = t[0], t[1], t[2]
    out[0, 0] = one - second * (y * y + z * z)
    out[1, 1] = one - second * (x * x + z * z)
    out[2, 2] = one - second * (x * x + y * y)
    out[0, 1], out[1, 0] = second * x * y - first * z, second * x * y + first * z
    out[0, 2], out[2, 0] = second * x * z + first * y, second * x * z - first * y
    out[1, 2], out[2, 1] = second * y * z - first * x, second * y * z + first * x


@kernel
def exp_so3(t: Array, R: Array) -> None:
    """Write exp(t) to R (3, 3)."""
    a, b, _, _ = coefficients(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    _series(t, 1.0, a, b, R)


@kernel
def tangent(t: Array, T: Array) -> None:
    """Write T(t) to T (3, 3)."""
    _, b, c, _ = coefficients(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    _series(t, 1.0, -b, c, T)


@kernel
def tangent_inverse(t: Array, T: Array) -> None:
    """Write T^-1(t) to T (3, 3)."""
    _, _, _, d = coefficients(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    _series(t, 1.0, 0.5, d, T)


@kernel
def log_so3(R: Array, t: Array) -> None:
    """Write the rotation vector of R, of length at most pi, to t (3,)."""
    x, y, z = 0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.99:
        k = angle / sine if sine > 1e-8 else 1.0 + sine * sine / 6.0
        t[0], t[1], t[2] = k * x, k * y, k * z
        return
    # near a half turn the skew part is small: the axis comes from the symmetric part
    i = 0
    if R[1, 1] > R[i, i]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k2 = (i + 1) % 3, (i + 2) % 3
    n_i = math.sqrt(max(0.0, (R[i, i] - cosine) / (1.0 - cosine)))
    n_j = 0.5 * (R[i, j] + R[j, i]) / ((1.0 - cosine) * n_i)
    n_k = 0.5 * (R[i, k2] + R[k2, i]) / ((1.0 - cosine) * n_i)
    skew = x if i == 0 else (y if i == 1 else z)
    sign = -1.0 if skew < 0.0 else 1.0
    t[i], t[j], t[k2] = sign * angle * n_i, sign * angle * n_j, sign * angle * n_k


def quaternion_of(R: Array) -> Array:
    """Return the unit quaternion of a rotation matrix, (4,), first number positive."""
    # the largest of the four squares is divided by, so nothing cancels
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = np.array([trace, 2 * R[0, 0] - trace, 2 * R[1, 1] - trace, 2 * R[2, 2] - trace]) + 1.0
    rows = np.array(
        [
            [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], squares[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], squares[2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], squares[3]],
        ]
    )
    p = rows[int(np.argmax(squares))]
    p = p / np.linalg.norm(p)
    return np.asarray(p if p[0] >= 0.0 else -p)
