"""Bearings and seals of a rotor, to the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.checks.values import nonnegative
from flexmb.errors import InputError
from flexmb.parts.bearing_law import BearingLaw, bearing_law
from flexmb.parts.bodies.rotor_assembly import RotorAssembly
from flexmb.parts.bodies.spin_parts import SpeedTable
from flexmb.state import Array

MOTIONS = ("v", "w", "theta_y", "theta_z")
"""Displacements that a bearing resists, in the order of its matrices; 2 x 2 matrices have the first two."""


@dataclass(frozen=True, kw_only=True)
class RotorBearing:
    """Bearing or seal between a node and the ground.

    Parameters
    ----------
    node : int or str
        Number of the node, or its name.
    stiffness : float or array_like
        A number (N/m, the same along y and z), a 2 x 2 matrix over (v, w) or a 4 x 4 matrix over
        (v, w, theta_y, theta_z); with ``speed`` also a list of these, one per speed.
    damping : float or array_like
        The same, N s/m.
    speed : (ns,) array_like, optional
        Increasing speeds of the rotor, rad/s, between which stiffness and damping are linear.
    axial : float
        Stiffness along the axis, N/m; requires ``unknowns = "all"``.
    axial_damping : float
        N s/m.
    """

    node: int | str
    stiffness: float | Sequence[Any] | Array = 0.0
    damping: float | Sequence[Any] | Array = 0.0
    speed: Sequence[float] | Array | None = None
    axial: float = 0.0
    axial_damping: float = 0.0

    def __post_init__(self) -> None:
        nonnegative(self.axial, "axial", "bearing")
        nonnegative(self.axial_damping, "axial_damping", "bearing")
        self.law()

    def law(self) -> BearingLaw:
        """Return stiffness and damping as matrices."""
        return bearing_law(self.stiffness, self.damping, self.speed, "bearing")

    def add_to(self, rotor: RotorAssembly, node: int, label: str) -> None:
        """Add the bearing to a node: symmetric parts to K and C, the rest to the skew matrices, or a table."""
        law = self.law()
        dof = rotor.at(node, MOTIONS[: law.size])
        if law.speed is not None:
            rotor.tables.append(SpeedTable(label, dof, law.speed, law.K, law.C))
        else:
            K, C = law.K[0], law.C[0]
            rotor.add_springs(dof, 0.5 * (K + K.T))
            rotor.add("C", dof, 0.5 * (C + C.T))
            rotor.add("cross", dof, 0.5 * (K - K.T))
            rotor.add("skew_damping", dof, 0.5 * (C - C.T))
        if self.axial or self.axial_damping:
            if not rotor.has("u"):
                key = "axial" if self.axial else "axial_damping"
                message = 'the rotor has no axial unknowns; give it unknowns = "all"'
                raise InputError(message, where="bearing", key=key, value=getattr(self, key))
            axial = rotor.at(node, ("u",))
            rotor.add_springs(axial, np.array([[float(self.axial)]]))
            rotor.add("C", axial, np.array([[float(self.axial_damping)]]))
