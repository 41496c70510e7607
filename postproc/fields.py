"""Fields by which bodies can be coloured."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.record.io.frames import Layout

AT_POINTS, ON_LINES = ("displacement", "velocity"), ("axial_force", "bending_moment", "energy_density")
"""Fields for coloring; ``.x`` ``.y`` ``.z`` selects a component of a vector."""
ON_SOLIDS = ("velocity",)
"""Fields that color bodies with surfaces as well; otherwise each body has its own color."""
VECTORS = ("displacement", "velocity", "bending_moment")
FIELDS = tuple(
    name + part for name in (*AT_POINTS, *ON_LINES) for part in ("", ".x", ".y", ".z") if name in VECTORS or not part
)


def signed(field: str) -> bool:
    """Return whether a field has a sign: axial forces, and components of vectors."""
    return field == "axial_force" or "." in field


def usual_field(layouts: Iterable[Layout]) -> str:
    """Return the default field: the axial force of bars, else displacement."""
    stiffness = [
        np.zeros((0, 6)) if layout.sections is None else np.nan_to_num(layout.sections.stiffness) for layout in layouts
    ]
    bars = all(len(own) and own[:, 0].any() and not own[:, 1:].any() for own in stiffness)
    return "axial_force" if stiffness and bars else "displacement"
