"""Shapes of rigid bodies: box, cylinder, sphere. They are drawn, and with a density they give mass and inertia."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from flexmb.checks.values import choice, from_table, numbers, positive, unit, vector
from flexmb.errors import InputError
from flexmb.state import Array, IntArray

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AROUND = 32
"""Number of sides of a drawn cylinder or sphere; a sphere has half as many rings from pole to pole."""
CROWD, AROUND_OF_CROWD = 100, 16
"""Number of bodies beyond which round shapes are drawn with fewer sides, and how many these are."""


class Shape(Protocol):
    """A solid in body axes, placed from the body's reference point."""

    @property
    def center(self) -> Sequence[float] | Array:
        """Its centre, (3,), m."""
        ...

    def volume(self) -> float:
        """Return the volume, m^3."""
        ...

    def moments(self) -> Array:
        """Return the inertia for unit density about its own centre, (3, 3), m^5."""
        ...

    def surface(self, around: int = AROUND) -> tuple[Array, IntArray]:
        """Return points about its own centre, (n, 3), and triangles, (m, 3), whose normals point outwards.

        Round shapes have ``around`` sides.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Box:
    """Box with its edges along the body's axes; ``size`` (3,) and ``center`` (3,), m."""

    kind: ClassVar[str] = "box"

    size: Sequence[float] | Array
    center: Sequence[float] | Array = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        vector(self.center, "center", "shape")
        words = "three positive numbers"
        if np.any(numbers(self.size, "size", "shape", words, ((3,),)) <= 0.0):
            raise InputError(f"must be {words}", where="shape", key="size", value=self.size)

    def volume(self) -> float:
        """Return the volume, m^3."""
        return math.prod(map(float, self.size))

    def moments(self) -> Array:
        """Return the inertia for unit density about the centre, (3, 3), m^5."""
        squares = np.asarray(self.size, dtype=np.float64) ** 2
        return np.diag(self.volume() / 12.0 * (squares.sum() - squares))

    def surface(self, around: int = AROUND) -> tuple[Array, IntArray]:
        """Return eight corners and twelve triangles."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        sides = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
        triangles = np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]])
        return 0.5 * signs * np.asarray(self.size, dtype=np.float64), triangles.astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """Cylinder; ``radius`` and ``length``, m, ``axis`` "x", "y", "z" or a direction (3,), ``center`` (3,), m."""

    kind: ClassVar[str] = "cylinder"

    radius: float
    length: float
    axis: str | Sequence[float] | Array = "x"
    center: Sequence[float] | Array = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        positive(self.radius, "radius", "shape")
        positive(self.length, "length", "shape")
        vector(self.center, "center", "shape")
        self._axis()

    def _axis(self) -> Array:
        if isinstance(self.axis, str):
            return np.array(AXES[choice(self.axis, "axis", "shape", tuple(AXES))])
        return unit(self.axis, "axis", "shape")

    def volume(self) -> float:
        """Return the volume, m^3."""
        return math.pi * self.radius**2 * self.length

    def moments(self) -> Array:
        """Return the inertia for unit density about the centre, (3, 3), m^5."""
        a, V = self._axis(), self.volume()
        along, across = V * self.radius**2 / 2.0, V * (3.0 * self.radius**2 + self.length**2) / 12.0
        return np.asarray(across * np.eye(3) + (along - across) * np.outer(a, a))

    def surface(self, around: int = AROUND) -> tuple[Array, IntArray]:
        """Return two rings of points and the middles of the ends, and triangles."""
        a = self._axis()
        e1 = np.cross(np.eye(3)[int(np.argmin(np.abs(a)))], a)
        e1 = e1 / np.linalg.norm(e1)
        ring = self.radius * _circle(around) @ np.array([e1, np.cross(a, e1)])
        half = 0.5 * self.length * a
        points = np.concatenate([ring - half, ring + half, [-half, half]])
        i = np.arange(around)
        j, up = (i + 1) % around, around
        low, high = np.full(around, 2 * around), np.full(around, 2 * around + 1)
        faces = [(i, j, j + up), (i, j + up, i + up), (low, j, i), (high, i + up, j + up)]
        return points, np.concatenate([np.column_stack(face) for face in faces]).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Sphere:
    """Sphere; ``radius`` and ``center`` (3,), m."""

    kind: ClassVar[str] = "sphere"

    radius: float
    center: Sequence[float] | Array = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        positive(self.radius, "radius", "shape")
        vector(self.center, "center", "shape")

    def volume(self) -> float:
        """Return the volume, m^3."""
        return 4.0 / 3.0 * math.pi * self.radius**3

    def moments(self) -> Array:
        """Return the inertia for unit density about the centre, (3, 3), m^5."""
        return np.asarray(0.4 * self.volume() * self.radius**2 * np.eye(3))

    def surface(self, around: int = AROUND) -> tuple[Array, IntArray]:
        """Return the two poles with rings of points between them, and triangles."""
        along = around // 2
        angle = np.pi * np.arange(1, along) / along
        ring = np.column_stack([_circle(around), np.zeros(around)])
        rings = [np.sin(a) * ring - [0.0, 0.0, np.cos(a)] for a in angle]
        points = np.concatenate([*rings, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
        i = np.arange(around)
        j, last = (i + 1) % around, (along - 2) * around
        low, high = np.full(around, len(points) - 2), np.full(around, len(points) - 1)
        faces = [(low, j, i), (high, i + last, j + last)]
        for k in range(0, last, around):
            faces += [(i + k, j + k, j + k + around), (i + k, j + k + around, i + k + around)]
        return self.radius * points, np.concatenate([np.column_stack(face) for face in faces]).astype(np.int64)


SHAPES: dict[str, type[Box] | type[Cylinder] | type[Sphere]] = {cls.kind: cls for cls in (Box, Cylinder, Sphere)}
"""Kinds as case files name them."""


def read_shapes(value: object, where: str) -> list[Shape]:
    """Return the shapes a user gives: none, one (an object or a table), or a list of them."""
    if value is None:
        return []
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            raise InputError("must have at least one shape", where=where, key="shape", value=value)
        return [_read(item, f"{where}.shape[{k}]") for k, item in enumerate(value)]
    return [_read(value, f"{where}.shape")]


def placed_surface(pieces: Sequence[tuple[Array, IntArray]]) -> tuple[Array, IntArray]:
    """Return the points and triangles of several surfaces as one."""
    first = np.cumsum([0, *(len(points) for points, _ in pieces)])
    points = np.concatenate([np.zeros((0, 3)), *(points for points, _ in pieces)])
    cells = [triangles + first[k] for k, (_, triangles) in enumerate(pieces)]
    return points, np.concatenate([np.zeros((0, 3), dtype=np.int64), *cells])


def _read(data: object, where: str) -> Shape:
    if isinstance(data, Box | Cylinder | Sphere):
        return data
    if not isinstance(data, Mapping):
        raise InputError('must be a table such as { kind = "box", size = [1, 1, 1] }', where=where, value=data)
    if data.get("kind") == "mesh":
        raise InputError("a surface mesh is given by the key mesh of the body", where=where, key="kind", value="mesh")
    rest: dict[str, Any] = {key: value for key, value in data.items() if key != "kind"}
    return from_table(SHAPES[choice(data.get("kind"), "kind", where, tuple(SHAPES))], rest, where)


def _circle(around: int) -> Array:
    angle = 2.0 * np.pi * np.arange(around) / around
    return np.column_stack([np.cos(angle), np.sin(angle)])
