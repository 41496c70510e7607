"""Symbols of joints, their sizes, and the lengths of rails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.postproc import glyph_shapes as shapes
from flexmb.postproc.arrays import Array
from flexmb.postproc.glyph_shapes import Shape
from flexmb.record.io.frames import Layout
from flexmb.record.io.glyph_ends import (
    BALL,
    BEAD,
    BLOCK,
    CROSS,
    HINGE,
    RAIL,
    SHEET,
    SLEEVE,
    WELD,
    glyph_axes,
    glyph_ends,
)

AT_MOVER = (BLOCK, SLEEVE, BEAD, SHEET)
"""Glyphs that rotate with their base (first end) but are located at their second end."""
SIZES = {
    BALL: (1.0, 1.0),
    BEAD: (1.0, 1.0),
    WELD: (0.9, 0.9),
    BLOCK: (1.0, 1.0),
    SLEEVE: (3.2, 1.15),
    CROSS: (4.4, 0.42),
    SHEET: (0.3, 3.0),
    HINGE: (2.4, 1.0),
    RAIL: (6.0, 0.4),
}
"""Lengths of T and of Y and Z, over the radius of a joint; minimum T of hinges and rails."""
BEYOND = 1.15
"""Overhang of a hinge beyond the connected bodies."""
LONGER = 3.0
"""Upper limit of the overhang, relative to the thinner of the two bodies."""


def joint_shapes(kind: str, on_ground: bool, sides: int) -> list[tuple[str, Shape]]:
    """Return the shapes of a joint with their colours and opacity; none for other kinds."""
    along, below = [shapes.pedestal(0.8)], [shapes.cone(sides // 2)]
    foot, cone = ([("supports", shape) for shape in own if on_ground] for own in (along, below))
    return {
        HINGE: [("joints", shapes.disk(sides)), *foot],
        BALL: [("joints", shapes.ball(sides)), *cone],
        BEAD: [("joints", shapes.ball(sides))],
        WELD: [("joints", shapes.plate(-1.0, 1.0, 1.0)), *cone],
        CROSS: [("joints", shapes.disk(sides // 2))],
        SHEET: [("rings", shapes.plate(-0.5, 0.5, 1.0))],
        RAIL: [("links", shapes.disk(sides // 2))],
        BLOCK: [("joints", shapes.plate(-1.8, 1.8, 1.0))],
        SLEEVE: [("joints", shapes.ring(sides, 0.55, 1.0))],
    }.get(kind, [])


def travel(layout: Layout, states: Sequence[tuple[Array, Array | None]]) -> Array:
    """Return the range of movers along the axes of their bases, least and most, (m, 2), m.

    Parameters
    ----------
    layout : Layout
    states : sequence of (displacement, rotation)
        Of all points in some states; the initial state is included.
    """
    along = []
    for moved in [(None, None), *states]:
        ends, axes = glyph_ends(layout, *moved), glyph_axes(layout, moved[1])
        along.append(np.sum((ends[:, 1] - ends[:, 0]) * axes, axis=1))
    return np.column_stack([np.min(along, axis=0), np.max(along, axis=0)])


def hinge_length(layout: Layout, point: Any, ends: Array, axis: Array, thick: float) -> float:
    """Return the length of a hinge that penetrates both of the connected bodies, m.

    Parameters
    ----------
    layout : Layout
    point : (2,) int array
        The points at its ends, negative for the ground.
    ends : (2, 3) array
        Positions of the ends, m.
    axis : (3,) array
        Unit vector.
    thick : float
        Radius of lines, m.
    """
    reach = []
    for i, place in zip(point.tolist(), ends, strict=True):
        if i >= 0:
            own = layout.body_of_point == layout.body_of_point[i]
            solid = np.intersect1d(np.flatnonzero(own), layout.triangles)
            reach.append(float(np.abs((layout.points[solid] - place) @ axis).max()) if len(solid) else thick)
    return 2.0 * BEYOND * min(max(reach), LONGER * min(reach)) if reach else 0.0
