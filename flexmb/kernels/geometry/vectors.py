"""Vectors of three numbers as tuples, for kernels that must not allocate."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import kernel
from flexmb.state import Array

Vector = tuple[float, float, float]


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def combine(k: float, a: Vector, m: float, b: Vector) -> Vector:
    """Return k a + m b."""
    return k * a[0] + m * b[0], k * a[1] + m * b[1], k * a[2] + m * b[2]


@kernel
def scaled(d: Array, k: float, a: Vector) -> Vector:
    """Return k diag(d) a, d the first three numbers of an array."""
    return k * d[0] * a[0], k * d[1] * a[1], k * d[2] * a[2]


@kernel
def vector(x: Array) -> Vector:
    """Return the first three numbers of an array."""
    return x[0], x[1], x[2]


@kernel
def turned(R: Array, a: Vector) -> Vector:
    """Return the product R a."""
    return dot(vector(R[0]), a), dot(vector(R[1]), a), dot(vector(R[2]), a)


@kernel
def turned_back(R: Array, a: Vector) -> Vector:
    """Return the product R^T a."""
    return (
        R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2],
        R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2],
        R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2],
    )


@kernel
def plus(a: Vector, k: float, b: Vector) -> Vector:
    """Return a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@kernel
def taken(x: Array, i: int, k: int) -> Vector:
    """Return x[i, k:k + 3]."""
    return x[i, k], x[i, k + 1], x[i, k + 2]


@kernel
def put(a: Vector, x: Array, i: int, k: int) -> None:
    """Write a to x[i, k:k + 3]."""
    x[i, k], x[i, k + 1], x[i, k + 2] = a[0], a[1], a[2]


@kernel
def column(R: Array, m: int, k: int) -> Vector:
    """Return the axis R[m, :, k]."""
    return R[m, 0, k], R[m, 1, k], R[m, 2, k]


@kernel
def turning_dot(m: Vector, k: Vector, wa: Vector, wb: Vector) -> float:
    """Return the second time derivative of m . k, m turning with wa and k with wb, both constant."""
    m1, k1 = cross(wa, m), cross(wb, k)
    return dot(cross(wa, m1), k) + 2.0 * dot(m1, k1) + dot(m, cross(wb, k1))


@kernel
def times(k: float, a: Vector) -> Vector:
    """Return the scaled vector k a."""
    return k * a[0], k * a[1], k * a[2]
