"""Positions of glyphs in a state: disks, bearings, supports, joints, springs, rings."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from flexmb.assembly.glyphs import BALL as BALL
from flexmb.assembly.glyphs import BEAD as BEAD
from flexmb.assembly.glyphs import BEARING as BEARING
from flexmb.assembly.glyphs import BLOCK as BLOCK
from flexmb.assembly.glyphs import CLAMP as CLAMP
from flexmb.assembly.glyphs import CROSS as CROSS
from flexmb.assembly.glyphs import DAMPER as DAMPER
from flexmb.assembly.glyphs import DISK as DISK
from flexmb.assembly.glyphs import EDGE as EDGE
from flexmb.assembly.glyphs import HINGE as HINGE
from flexmb.assembly.glyphs import MOMENT as MOMENT
from flexmb.assembly.glyphs import NOWHERE as NOWHERE
from flexmb.assembly.glyphs import ON_GROUND as ON_GROUND
from flexmb.assembly.glyphs import PIN as PIN
from flexmb.assembly.glyphs import RAIL as RAIL
from flexmb.assembly.glyphs import RING as RING
from flexmb.assembly.glyphs import ROD as ROD
from flexmb.assembly.glyphs import SHEET as SHEET
from flexmb.assembly.glyphs import SLEEVE as SLEEVE
from flexmb.assembly.glyphs import SPRING as SPRING
from flexmb.assembly.glyphs import SPRING_DAMPER as SPRING_DAMPER
from flexmb.assembly.glyphs import TORSION as TORSION
from flexmb.assembly.glyphs import WELD as WELD
from flexmb.assembly.glyphs import Glyphs
from flexmb.linalg.quaternions import from_vector, turned
from flexmb.state import Array
from flexmb.system.layout import Layout


def with_first_glyphs(layout: Layout, n: int) -> Layout:
    """Return a layout with the first n of its marks."""
    return replace(layout, marks=Glyphs(*(getattr(layout.marks, own.name)[:n] for own in fields(Glyphs))))


def glyph_ends(layout: Layout, displacement: Array | None = None, rotation: Array | None = None) -> Array:
    """Return the positions of both ends of all glyphs, (m, 2, 3), m; the origin for an end without position.

    Parameters
    ----------
    layout : Layout
    displacement, rotation : (n, 3) arrays, optional
        Of all points in a state, m and rad; without them the positions at rest.
    """
    marks = layout.marks
    point, on_body = np.maximum(marks.point, 0), (marks.point >= 0)[..., None]
    offset = marks.offset if rotation is None else turned(from_vector(rotation[point]), marks.offset)
    place = layout.points if displacement is None else layout.points + displacement
    return np.where(on_body, place[point] + offset, marks.offset)


def glyph_axes(layout: Layout, rotation: Array | None = None) -> Array:
    """Return the axes of all marks, rotated with their first ends, (m, 3), unit vectors in space."""
    return turned_with_glyphs(layout, layout.marks.axis, rotation)


def turned_with_glyphs(layout: Layout, vectors: Array, rotation: Array | None = None) -> Array:
    """Return a vector for each mark, (m, 3), given in space at the start, rotated with the first end of the mark."""
    marks = layout.marks
    if rotation is None:
        return np.asarray(vectors)
    point = np.maximum(marks.point[:, 0], 0)
    return np.where(marks.point[:, :1] >= 0, turned(from_vector(rotation[point]), vectors), vectors)
