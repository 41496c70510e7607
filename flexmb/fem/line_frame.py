"""Local axes of bodies along a line."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.fem.checks import unit
from flexmb.fem.line_sections import side_axis
from flexmb.state import Array


def line_frame(d: Array, orientation: object, where: str) -> tuple[Array, Array, Array]:
    """Return d, a unit vector, with y, the orientation (if None, ``side_axis``) made perpendicular to d, and d x y."""
    y = side_axis(d) if orientation is None else unit(orientation, "orientation", where)
    y = y - (y @ d) * d
    if np.linalg.norm(y) < 1e-9:
        message = f"must not be parallel to direction = {tuple(d.tolist())}"
        raise InputError(message, where=where, key="orientation", value=orientation)
    y = y / np.linalg.norm(y)
    return d, y, np.cross(d, y)
