"""What bodies can be coloured by."""

from __future__ import annotations

AT_POINTS, ON_LINES = ("displacement", "velocity"), ("axial_force", "bending_moment", "energy_density")
"""The fields to colour by; ``.x`` ``.y`` ``.z`` picks a component of a vector."""
ON_SOLIDS = ("velocity",)
"""Fields that bodies with surfaces are coloured by, too; else each has a colour of its own."""
VECTORS = ("displacement", "velocity", "bending_moment")
FIELDS = tuple(
    name + part for name in (*AT_POINTS, *ON_LINES) for part in ("", ".x", ".y", ".z") if name in VECTORS or not part
)
