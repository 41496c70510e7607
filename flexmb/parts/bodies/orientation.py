"""Initial orientation of a body, given in one of several forms."""

from __future__ import annotations

import numpy as np

from flexmb.checks.values import numbers, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.rotation import axes_of, quaternion_of, turn
from flexmb.state import Array

NEAR = 1e-6
"""Tolerance of input for unit lengths and right angles; the remainder is removed."""


def check_orientation(quaternion: object, rotation: object, axes: object, where: str) -> None:
    """Raise unless at most one of the three is given and it is valid."""
    given = {"quaternion": quaternion, "rotation": rotation, "axes": axes}
    keys = [key for key, value in given.items() if value is not None]
    if len(keys) > 1:
        message = f"give one of quaternion, rotation, axes; {keys[0]} is given too"
        raise InputError(message, where=where, key=keys[1], value=given[keys[1]])
    if quaternion is not None:
        _unit_quaternion(quaternion, where)
    elif rotation is not None:
        r = vector(rotation, "rotation", where)
        size = max(1.0, float(np.abs(r).max()))  # squares of large numbers would overflow
        turned = float(np.linalg.norm(r / size)) * size / (2.0 * np.pi)
        if not turned <= 1.0 + 1e-9:
            message = f"its length is the angle in rad, here {turned:.6g} revolutions; one degree is 0.0174532925 rad"
            raise InputError(message, where=where, key="rotation", value=rotation)
    elif axes is not None:
        _axes(axes, where)


def start_quaternion(quaternion: object, rotation: object, axes: object, where: str) -> Array:
    """Return the unit quaternion, (4,), of a checked orientation."""
    p = np.array([1.0, 0.0, 0.0, 0.0])
    if quaternion is not None:
        return _unit_quaternion(quaternion, where)
    if rotation is not None:
        r, out = vector(rotation, "rotation", where), np.empty(4)
        turn(p, 0, float(r[0]), float(r[1]), float(r[2]), out)
        return np.asarray(out / np.linalg.norm(out))
    return p if axes is None else quaternion_of(_axes(axes, where))


def axes_of_quaternion(p: Array) -> Array:
    """Return the axes, (3, 3) columns, of a unit quaternion."""
    A = np.empty((3, 3))
    axes_of(p, 0, A)
    return A


def _unit_quaternion(value: object, where: str) -> Array:
    p = numbers(value, "quaternion", where, "four numbers", ((4,),))
    norm = float(np.linalg.norm(p / (size := max(1.0, float(np.abs(p).max())))) * size)
    if not abs(norm - 1.0) <= NEAR:
        message = f"must have length 1, but it is {norm:.9g}"
        raise InputError(message, where=where, key="quaternion", value=value)
    return np.asarray(p / norm)


def _axes(value: object, where: str) -> Array:
    """Return the matrix whose first two columns are the axes given."""
    x, y = numbers(value, "axes", where, "the body's x and y axes in space, [[x, y, z], [x, y, z]]", ((2, 3),))
    for name, e in zip("xy", (x, y), strict=True):
        size = max(1.0, float(np.abs(e).max()))
        norm = float(np.linalg.norm(e / size) * size)
        if not abs(norm - 1.0) <= NEAR:
            message = f"the {name} axis must have length 1, but it is {norm:.9g}"
            raise InputError(message, where=where, key="axes", value=value)
    if abs(x @ y) > NEAR:
        message = f"the axes must be perpendicular, but the cosine of the angle between them is {x @ y:.6g}"
        raise InputError(message, where=where, key="axes", value=value)
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
