"""Cross-sections along lines: stiffness, orientation, and outline for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from flexmb.checks.values import unit
from flexmb.errors import InputError
from flexmb.state import Array, IntArray

Numbers = float | Array
ROUND, RECTANGLE = 0, 1
"""Outlines: ``size`` is outer and inner radius (0: solid), or height along y and width along z, m."""


@dataclass(frozen=True)
class LineSections:
    """The sections of m lines between two nodes, each with axes d (along the line), y and z.

    Parameters
    ----------
    stiffness : (m, 6) array
        EA, GA_y, GA_z, GJ, EI_y, EI_z: energy per length is half of stiffness times strain squared. In place of GA,
        elements with exact static shapes have a value that gives their exact energy (``beam_stiffness``). Zero for
        lines without resistance, nan if unknown.
    length : (m,) array
        Without strain, m.
    axes : (m, 3, 3) array
        d, y, z as columns, in the axes of the carrier of the nodes (space for nodes of small displacement).
    outline : (m,) int array
        ``ROUND`` or ``RECTANGLE``.
    size : (m, 2) array
        Of the outline, m.
    other : (m,) int array
        Other half of a quadratic element: 1 the next line, -1 the previous one; 0: the line is an element.
    """

    stiffness: Array
    length: Array
    axes: Array
    outline: IntArray
    size: Array
    other: IntArray

    def __len__(self) -> int:
        return len(self.length)


def uniform(stiffness: Array, length: Array, axes: Array, outline: tuple[int, float, float]) -> LineSections:
    """Return the sections of a straight body: ``stiffness`` is (6,) or (m, 6), ``length`` (m,), ``axes`` (3, 3)."""
    m = len(length)
    return LineSections(
        stiffness=np.array(np.broadcast_to(stiffness, (m, 6)), dtype=np.float64),
        length=np.asarray(length, dtype=np.float64),
        axes=np.array(np.broadcast_to(axes, (m, 3, 3)), dtype=np.float64),
        outline=np.full(m, outline[0], dtype=np.int64),
        size=np.tile(np.array(outline[1:], dtype=np.float64), (m, 1)),
        other=np.zeros(m, dtype=np.int64),
    )


def unknown(lines: int, radius: float) -> LineSections:
    """Return sections of unknown stiffness with a radius for pictures."""
    return uniform(np.full(6, np.nan), np.full(lines, np.nan), np.eye(3), (ROUND, radius, 0.0))


def side_axis(d: Array) -> Array:
    """Return the default y axis of a line along the unit vector d: z x d, or y if d is along z."""
    y = np.cross([0.0, 0.0, 1.0], d)
    size = float(np.linalg.norm(y))
    return np.array([0.0, 1.0, 0.0]) if size < 1e-9 else np.asarray(y / size)


def beam_stiffness(EA: Numbers, GJ: Numbers, EIy: Numbers, EIz: Numbers, length: Array, Phi: Numbers = 0.0) -> Array:
    """Return the stiffness of elements with exact static shapes, (m, 6); Phi is their shear number, 0 without shear.

    With the turns t at the ends and the deflections w, an element stores EI/2l ((t1 - t0)^2 + 3/(1 + Phi) (t0 + t1 -
    2 (w1 - w0)/l)^2); the second bracket is twice the angle between the middle section and the line between the nodes.
    """
    whole = np.ones(len(length))
    shear = 12.0 / ((1.0 + Phi) * length**2)
    return np.column_stack([EA * whole, EIz * shear, EIy * shear, GJ * whole, EIy * whole, EIz * whole])


def joined(parts: Sequence[LineSections]) -> LineSections:
    """Return the sections of all parts, one after the other."""
    return LineSections(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(LineSections)})


def line_frame(d: Array, orientation: object, where: str) -> tuple[Array, Array, Array]:
    """Return d, a unit vector, with y, the orientation (if None, ``side_axis``) made perpendicular to d, and d x y."""
    y = side_axis(d) if orientation is None else unit(orientation, "orientation", where)
    y = y - (y @ d) * d
    if np.linalg.norm(y) < 1e-9:
        message = f"must not be parallel to direction = {tuple(d.tolist())}"
        raise InputError(message, where=where, key="orientation", value=orientation)
    y = y / np.linalg.norm(y)
    return d, y, np.cross(d, y)
