"""Drawn thickness of lines and particles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexmb.record.io.frames import Layout

THIN, THICK, BALL = 0.011, 0.08, 0.035
"""Smallest and largest radius of a section, radius of a particle, relative to the size of the picture."""


@dataclass(frozen=True)
class Thickness:
    """Radii for drawing.

    Parameters
    ----------
    layout : Layout
    size : float
        Diagonal of the bounding box, m.
    contact_radii : mapping of str to float
        Radii of particles defined by contacts, m, by the name of the body.
    """

    layout: Layout
    size: float
    contact_radii: Mapping[str, float] = field(default_factory=dict)

    @property
    def enlarged(self) -> float:
        """Magnification of the sections (below 1: reduction).

        One factor for all bodies, so that thick ones look thicker than thin ones. It is 1 as long as the thinnest
        is at least ``THIN`` and the thickest at most ``THICK`` of the size of the picture.
        """
        radius = self.layout.radius_of_cell
        radius = radius[radius > 0.0]
        if not radius.size:
            return 1.0
        return float(min(max(1.0, THIN * self.size / radius.min()), THICK * self.size / radius.max()))

    def radius(self, body: int) -> float:
        """Return the drawn radius of lines or particles of a body, m; zero for a body with surfaces only."""
        layout = self.layout
        of_cell = layout.body_of_point[layout.cells[:, 0]] == body
        if of_cell.any():
            return max(float(layout.radius_of_cell[of_cell].max()) * self.enlarged, 0.2 * THIN * self.size)
        of_vertex = layout.body_of_point[layout.vertices] == body
        if not of_vertex.any():
            return 0.0
        own = layout.radius_of_vertex[of_vertex] if layout.radius_of_vertex.size else np.zeros(1)
        true = float(own.max()) or self.contact_radii.get(layout.bodies[body], 0.0)
        return max(true, 0.2 * THIN * self.size) if true else BALL * self.size
