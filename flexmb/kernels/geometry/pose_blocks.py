"""Sums into derivatives by poses: rows h (k, 6) over slots, blocks K6 (npairs, 6, 6) over pairs of markers."""

from __future__ import annotations

from flexmb.kernels.compilation.jit import inner
from flexmb.kernels.geometry.vectors import Vector
from flexmb.state import Array


@inner
def add(h: Array, j: int, at: int, k: float, a: Vector) -> None:
    """Add k a to h[j, at:at + 3]."""
    for i in range(3):
        h[j, at + i] += k * a[i]


@inner
def add_cross(K6: Array, p: int, k: float, n: Vector, i: int, j: int) -> None:
    """Add k n~ to the 3 x 3 block of K6[p] that begins at (i, j)."""
    K6[p, i, j + 1] -= k * n[2]
    K6[p, i + 1, j] += k * n[2]
    K6[p, i, j + 2] += k * n[1]
    K6[p, i + 2, j] -= k * n[1]
    K6[p, i + 1, j + 2] -= k * n[0]
    K6[p, i + 2, j + 1] += k * n[0]


@inner
def add_outer(K6: Array, p: int, k: float, a: Vector, b: Vector, at: int) -> None:
    """Add k a b^T to the 3 x 3 block of K6[p] that begins at (at, at)."""
    for i in range(3):
        for j in range(3):
            K6[p, at + i, at + j] += k * a[i] * b[j]


@inner
def add_diagonal(K6: Array, p: int, k: float, at: int) -> None:
    """Add k 1 to the 3 x 3 block of K6[p] that begins at (at, at)."""
    for i in range(3):
        K6[p, at + i, at + i] += k
