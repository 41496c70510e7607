"""Mass, center and inertia of rigid bodies: given or computed from shapes, checked, moved to the center of mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.checks.values import numbers
from flexmb.errors import InputError
from flexmb.parts.bodies.shapes import Shape
from flexmb.state import Array

ROUND_OFF = 1e-9
"""Tolerance, relative to the largest moment of inertia, of symmetry and of the triangle inequality."""


class MassProperties(NamedTuple):
    """``mass``, kg; ``center`` from the reference point, (3,), m; ``inertia`` about it, (3, 3), kg m^2; body axes."""

    mass: float
    center: Array
    inertia: Array


def shifted(mass: float, arm: Array) -> Array:
    """Return the contribution of a point mass at ``arm`` to the inertia about the origin, (3, 3), kg m^2."""
    return np.asarray(mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def read_inertia(value: object, where: str) -> Array:
    """Return a symmetric inertia tensor, (3, 3), from its diagonal, six numbers or all nine."""
    words = "[Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three rows of three numbers"
    given = numbers(value, "inertia", where, words, ((3,), (6,), (3, 3)))
    if given.shape == (3,):
        return np.diag(given)
    if given.shape == (6,):
        xx, yy, zz, xy, xz, yz = given
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.abs(given - given.T).max() > ROUND_OFF * np.abs(given).max():
        raise InputError("must be symmetric", where=where, key="inertia", value=value)
    return 0.5 * (given + given.T)


def check_inertia(J: Array, where: str, value: object, about: str = "") -> None:
    """Raise InputError unless J, about the center of mass, is a physical inertia tensor."""
    moments = np.linalg.eigvalsh(J)
    words = f"principal moments{about} {moments[0]:.6g}, {moments[1]:.6g}, {moments[2]:.6g} kg m^2"
    if not moments[0] > 1e-14 * abs(moments[2]):
        message = f"{words}: all must be positive (a point without inertia is a body of kind particle)"
        raise InputError(message, where=where, key="inertia", value=value)
    if moments[0] + moments[1] < (1.0 - ROUND_OFF) * moments[2]:
        message = f"{words}: no body has a moment larger than the sum of the other two"
        raise InputError(message, where=where, key="inertia", value=value)


def about_center(mass: float, center: Array, inertia: Array, about: str, where: str, value: object) -> MassProperties:
    """Return the properties of a body whose inertia is given about its ``"center"`` or ``"reference"`` point."""
    J = inertia - shifted(mass, center) if about == "reference" else inertia
    check_inertia(J, where, value, " about the center of mass" if about == "reference" else "")
    return MassProperties(mass, center, J)


def of_shapes(shapes: Sequence[Shape], density: float) -> MassProperties:
    """Return the properties of solids of one density; overlapping volume counts twice."""
    masses = density * np.array([shape.volume() for shape in shapes])
    centers = np.array([np.asarray(shape.center, dtype=np.float64) for shape in shapes])
    mass = float(masses.sum())
    center = masses @ centers / mass
    J = sum((density * shape.moments() for shape in shapes), np.zeros((3, 3)))
    for m, c in zip(masses, centers - center, strict=True):
        J = J + shifted(float(m), c)
    return MassProperties(mass, center, J)
