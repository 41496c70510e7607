"""Unit quaternions (w, x, y, z) that turn body components into components in space."""

from __future__ import annotations

import numpy as np


def product(p, q):
    """Return the quaternion product p q."""
    a, b, c, d = p
    e, f, g, h = q
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )


def rate(p, omega):
    """Return p' for an angular velocity in body axes; the last term draws |p| back to 1."""
    return 0.5 * product(p, (0.0, *omega)) + (1.0 - p @ p) * p


def matrix(p):
    """Return A (3, 3) with v_space = A v_body; p need not be normalized."""
    w, x, y, z = p / np.linalg.norm(p)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def cross(a, b):
    """Return a x b of two vectors (3,); numpy's is slow on single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
