"""Shapes of disks, bearings, supports, joints, rings, springs and dampers, in local axes.

A point (t, y, z) of a shape is drawn at O + t T + y Y + z Z: the place O and the vectors T, Y, Z are those of a mark in
a state, and include its size. So all marks of a kind share one shape, which moves without being rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array

INNER, OUTER = 1.0, 1.16
"""Inner and outer radius of a ring, relative to the inner one."""
PER_TURN = 14
"""Number of points per turn of a coil."""


@dataclass(frozen=True)
class Shape:
    """Points with polygons over them, and lines through them.

    Parameters
    ----------
    points : (k, 3) array
        t, y, z.
    faces, lines : list of int arrays
        Numbers of points, one array for each polygon and each line.
    """

    points: Array
    faces: list[Any] = field(default_factory=list)
    lines: list[Any] = field(default_factory=list)


def joined(*shapes: Shape) -> Shape:
    """Return several shapes combined into one."""
    starts = np.cumsum([0, *(len(shape.points) for shape in shapes)])
    pairs = list(zip(shapes, starts, strict=False))
    return Shape(
        np.concatenate([shape.points for shape in shapes]),
        [face + start for shape, start in pairs for face in shape.faces],
        [line + start for shape, start in pairs for line in shape.lines],
    )


def disk(sides: int) -> Shape:
    """Return a disk of radius 1 and width 1."""
    circle, k = _circle(sides), np.arange(sides)
    rims = [np.column_stack([np.full(sides, t), circle]) for t in (-0.5, 0.5)]
    wall = [np.array([i, (i + 1) % sides, sides + (i + 1) % sides, sides + i]) for i in k]
    return Shape(np.concatenate(rims), [k[::-1], sides + k, *wall])


def ring(sides: int, inner: float = INNER, outer: float = OUTER) -> Shape:
    """Return a ring of width 1."""
    circle = _circle(sides)
    rims = [np.column_stack([np.full(sides, t), r * circle]) for t, r in _corners(inner, outer)]
    faces = []
    for a in range(4):
        b = (a + 1) % 4
        for i in range(sides):
            j = (i + 1) % sides
            faces.append(np.array([a * sides + i, a * sides + j, b * sides + j, b * sides + i]))
    return Shape(np.concatenate(rims), faces)


def _corners(inner: float, outer: float) -> list[tuple[float, float]]:
    return [(-0.5, inner), (-0.5, outer), (0.5, outer), (0.5, inner)]


def pedestal(top: float = 1.6) -> Shape:
    """Return the foot of a glyph on the ground, from y = -top downward."""
    profile = [(-top, -0.6), (-top, 0.6), (-top - 1.5, 1.5), (-top - 1.5, -1.5)]
    return _prism([(t, y, z) for t in (-0.5, 0.5) for y, z in profile], 4)


def cone(sides: int) -> Shape:
    """Return a cone below a point, with its top on the surface at y = -1."""
    circle, k = 1.15 * _circle(sides), np.arange(sides)
    base = np.column_stack([circle[:, 0], np.full(sides, -2.9), circle[:, 1]])
    sides_of = [np.array([i, (i + 1) % sides, sides]) for i in k]
    return Shape(np.vstack([base, [0.0, -1.0, 0.0]]), [k[::-1], *sides_of])


def ball(sides: int) -> Shape:
    """Return a ball of radius 1, with half as many rings as a circle has corners."""
    rings, k = sides // 2, np.arange(sides)
    angle = np.pi * np.arange(1, rings) / rings
    between = [np.column_stack([np.full(sides, -np.cos(a)), np.sin(a) * _circle(sides)]) for a in angle]
    points = np.vstack([*between, [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    low, high, last = len(points) - 2, len(points) - 1, (rings - 2) * sides
    caps = [np.array([low, (i + 1) % sides, i]) for i in k]
    caps += [np.array([high, last + i, last + (i + 1) % sides]) for i in k]
    belts = [
        first + np.array([i, (i + 1) % sides, sides + (i + 1) % sides, sides + i])
        for first in range(0, last, sides)
        for i in k
    ]
    return Shape(points, [*caps, *belts])


def rod() -> Shape:
    """Return a straight line from t = 0 to 1."""
    return Shape(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), lines=[np.array([0, 1])])


def strip() -> Shape:
    """Return a strip from t = 0 to 1, with z from -1 to 1."""
    corners = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    return Shape(corners, [np.arange(4)])


def plate(first: float, last: float, half: float = 2.0) -> Shape:
    """Return a square plate normal to t, between two coordinates along it."""
    square = [(-half, -half), (half, -half), (half, half), (-half, half)]
    return _prism([(t, y, z) for t in (first, last) for y, z in square], 4)


def coil(turns: int) -> Shape:
    """Return a coil of radius 1 from t = 0 to 1 with straight ends."""
    part = np.linspace(0.0, 1.0, turns * PER_TURN + 1)
    turn = 2.0 * np.pi * turns * part
    wound = np.column_stack([0.14 + 0.72 * part, np.cos(turn), np.sin(turn)])
    points = np.vstack([[0.0, 0.0, 0.0], [0.14, 0.0, 0.0], wound, [0.86, 0.0, 0.0], [1.0, 0.0, 0.0]])
    return Shape(points, lines=[np.arange(len(points))])


def dashpot(sides: int, radius: float = 0.55) -> Shape:
    """Return a cylinder with a piston, from t = 0 to 1."""
    circle = radius * _circle(sides)
    rims = [np.column_stack([np.full(sides, t), r * circle]) for t, r in ((0.32, 1.0), (0.68, 1.0), (0.5, 0.85))]
    points = np.vstack([*rims, [[0.0, 0.0, 0.0], [0.32, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]])
    round_ = [np.append(np.arange(k * sides, (k + 1) * sides), k * sides) for k in range(3)]
    along = [np.array([k * sides // 4, sides + k * sides // 4]) for k in range(4)]
    rod = 3 * sides
    return Shape(points, lines=[*round_, *along, np.array([rod, rod + 1]), np.array([rod + 2, rod + 3])])


def spiral(sides: int) -> Shape:
    """Return a flat spiral of radius 1 normal to t."""
    part = np.linspace(0.0, 1.0, 3 * sides)
    r, turn = 0.15 + 0.85 * part, 6.0 * np.pi * part
    return Shape(np.column_stack([np.zeros_like(r), r * np.cos(turn), r * np.sin(turn)]), lines=[np.arange(len(r))])


def _circle(sides: int) -> Array:
    angle = 2.0 * np.pi * np.arange(sides) / sides
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _prism(corners: list[tuple[float, float, float]], n: int) -> Shape:
    k = np.arange(n)
    walls = [np.array([i, (i + 1) % n, n + (i + 1) % n, n + i]) for i in k]
    return Shape(np.array(corners), [k[::-1], n + k, *walls])
