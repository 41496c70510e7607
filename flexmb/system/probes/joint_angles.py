"""Angles of joints: that of marker B about the z axis of marker A (see ``geometry.tables.Angles``), for many states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.linalg.quaternions import turned
from flexmb.state import Array
from flexmb.system.layout import Carriers, carriers_of
from flexmb.system.probes.moving import MovingSystem, place_of


def angle_of(number: int, system: MovingSystem) -> Callable[[Array, Array, Array], Array]:
    """Return the function (q, v, theta) -> angle, (k,), rad; theta (k, na) when the steps have followed the angles."""
    carriers, axes = _ends(number, system)

    def angle(q: Array, v: Array, theta: Array) -> Array:
        if theta.shape[1]:
            return theta[:, number]
        x, y, other = _directions(carriers, axes, q)
        return np.unwrap(np.arctan2(_dot(y, other), _dot(x, other)))

    return angle


def angle_rate_of(number: int, system: MovingSystem) -> Callable[[Array, Array, Array], Array]:
    """Return the function (q, v, theta) -> rate of the angle, (k,), rad/s."""
    carriers, axes = _ends(number, system)

    def rate(q: Array, v: Array, theta: Array) -> Array:
        x, y, other = _directions(carriers, axes, q)
        omega = carriers.angular_velocities(q, v)
        c, s = _dot(x, other), _dot(y, other)
        w = c[:, None] * np.cross(other, y) - s[:, None] * np.cross(other, x)
        return np.asarray(_dot(w, omega[:, 1] - omega[:, 0]) / (c * c + s * s))

    return rate


def _ends(number: int, system: MovingSystem) -> tuple[Carriers, Array]:
    """Return the carriers of the two markers and their axes on them, (2, 3, 3)."""
    angles, markers = system.tables.angles, system.tables.markers
    ends = [int(angles.A[number]), int(angles.B[number])]
    return carriers_of([place_of(markers, m) for m in ends], system.q0, system.nv), markers.R0[ends]


def _directions(carriers: Carriers, axes: Array, q: Array) -> tuple[Array, Array, Array]:
    """Return the x and y axes of A and the x axis of B in space, each (k, 3)."""
    p = carriers.orientations(q)
    return turned(p[:, 0], axes[0, :, 0]), turned(p[:, 0], axes[0, :, 1]), turned(p[:, 1], axes[1, :, 0])


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))
