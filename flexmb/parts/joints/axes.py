"""Axes of joints: the unit vectors given by users, and the three axes built from one."""

from __future__ import annotations

import numpy as np

from flexmb.assembly.markers import Marker
from flexmb.checks.values import unit, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import GROUND, PLANAR
from flexmb.state import Array

NOT_UNIT = 1e-4
"""Tolerance of the length of an axis, which must be a unit vector."""

IN_PLANE = 1e-9


def unit_axis(value: object, key: str, where: str) -> Array:
    """Return an axis, (3,), that must have been given with unit length."""
    length = float(np.linalg.norm(vector(value, key, where)))
    if abs(length - 1.0) > NOT_UNIT:
        raise InputError(f"must be a unit vector, but its length is {length:.6g}", where=where, key=key, value=value)
    return unit(value, key, where)


def axes_along(z: Array) -> Array:
    """Return three right-handed axes as columns, the third along z; the unit matrix for z along the z axis."""
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    return np.array([x, y, z]).T.copy()


def in_plane(*places: Marker) -> bool:
    """Return whether places only move in the x-y plane, as planar bodies and the ground do."""
    return all(place.kind in (PLANAR, GROUND) for place in places)


def check_normal(z: Array, where: str, *places: Marker) -> None:
    """Raise unless an axis of rotation between planar bodies is their normal."""
    if in_plane(*places) and np.hypot(z[0], z[1]) > IN_PLANE:
        message = "planar bodies rotate about (0, 0, 1) or (0, 0, -1) only"
        raise InputError(message, where=where, key="axis", value=tuple(z.tolist()))


def check_across(z: Array, where: str, *places: Marker) -> None:
    """Raise unless a direction of sliding between planar bodies lies in their plane."""
    if in_plane(*places) and abs(z[2]) > IN_PLANE:
        raise InputError("planar bodies move in the x-y plane only", where=where, key="axis", value=tuple(z.tolist()))
