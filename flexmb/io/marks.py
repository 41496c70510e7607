"""Where the ends of what is drawn beside the bodies are in a state: disks, bearings, supports, springs, rings."""

from __future__ import annotations

import numpy as np

from flexmb.assembly.marks import BEARING as BEARING
from flexmb.assembly.marks import CLAMP as CLAMP
from flexmb.assembly.marks import DAMPER as DAMPER
from flexmb.assembly.marks import DISK as DISK
from flexmb.assembly.marks import NOWHERE as NOWHERE
from flexmb.assembly.marks import ON_GROUND as ON_GROUND
from flexmb.assembly.marks import PIN as PIN
from flexmb.assembly.marks import RING as RING
from flexmb.assembly.marks import SPRING as SPRING
from flexmb.assembly.marks import SPRING_DAMPER as SPRING_DAMPER
from flexmb.assembly.marks import TORSION as TORSION
from flexmb.layout import Layout
from flexmb.linalg.quaternions import from_vector, turned
from flexmb.state import Array


def mark_ends(layout: Layout, displacement: Array | None = None, rotation: Array | None = None) -> Array:
    """Return the places of both ends of all marks, (m, 2, 3), m; of an end that has no place the origin.

    Parameters
    ----------
    layout : Layout
    displacement, rotation : (n, 3) arrays, optional
        Of all points in a state, m and rad; without them the ends are where they are at rest.
    """
    marks = layout.marks
    point, on_body = np.maximum(marks.point, 0), (marks.point >= 0)[..., None]
    offset = marks.offset if rotation is None else turned(from_vector(rotation[point]), marks.offset)
    place = layout.points if displacement is None else layout.points + displacement
    return np.where(on_body, place[point] + offset, marks.offset)


def mark_axes(layout: Layout, rotation: Array | None = None) -> Array:
    """Return the axes of all marks as their first ends have turned them, (m, 3), unit vectors in space."""
    marks = layout.marks
    if rotation is None:
        return np.asarray(marks.axis)
    point = np.maximum(marks.point[:, 0], 0)
    return np.where(marks.point[:, :1] >= 0, turned(from_vector(rotation[point]), marks.axis), marks.axis)
