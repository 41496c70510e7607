"""Disks and unbalances of a rotor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.checks.values import finite, nonnegative, positive, within_a_turn
from flexmb.errors import InputError
from flexmb.parts.bodies.rotor_assembly import RotorAssembly
from flexmb.parts.bodies.spin_parts import Excitation

STEEL = 7850.0
"""Density from which the drawn size of disks is computed if none is given, kg/m^3."""


@dataclass(frozen=True, kw_only=True)
class Disk:
    """Rigid disk on a node.

    Parameters
    ----------
    node : int or str
        Number of the node, or its name.
    mass : float
        kg.
    inertia : float
        About a diameter, kg m^2.
    polar_inertia : float
        About the axis, kg m^2; at most twice ``inertia``.
    eccentricity : float
        Distance of its center of mass from the axis, m.
    phase : float
        Angle of its center of mass from y towards z when the spin angle is zero, rad.
    tilt : float
        Angle between its own axis and that of the shaft, rad; small.
    tilt_phase : float
        Direction of the tilt, from y towards z, rad.
    radius, width : float, optional
        For drawing, m; see ``drawn_size``.
    """

    node: int | str
    mass: float
    inertia: float = 0.0
    polar_inertia: float = 0.0
    eccentricity: float = 0.0
    phase: float = 0.0
    tilt: float = 0.0
    tilt_phase: float = 0.0
    radius: float | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        for key in ("mass", "inertia", "polar_inertia"):
            nonnegative(getattr(self, key), key, "disk")
        finite(self.eccentricity, "eccentricity", "disk")
        for key in ("phase", "tilt", "tilt_phase"):
            within_a_turn(getattr(self, key), key, "disk")
        for key in ("radius", "width"):
            if getattr(self, key) is not None:
                positive(getattr(self, key), key, "disk")
        check_inertia(self.inertia, self.polar_inertia, "disk")

    @property
    def drawn_size(self) -> tuple[float, float]:
        """Radius and width it is drawn with, m.

        A radius that is not given is that of a homogeneous disk of the same mass and polar inertia, m r^2 / 2; without
        one, of a thin disk of the same inertia about a diameter, m r^2 / 4; without any, of steel four times as wide as
        thick. A width that is not given is that of steel.
        """
        if self.radius is not None:
            r = float(self.radius)
        elif self.mass * self.polar_inertia > 0.0:
            r = float(np.sqrt(2.0 * self.polar_inertia / self.mass))
        elif self.mass * self.inertia > 0.0:
            r = float(np.sqrt(4.0 * self.inertia / self.mass))
        else:
            r = float(np.cbrt(2.0 * self.mass / (np.pi * STEEL)))
        steel = self.mass / (STEEL * np.pi * r**2) if r > 0.0 else 0.0
        return r, float(steel if self.width is None else self.width)

    def add_to(self, rotor: RotorAssembly, node: int, label: str) -> None:
        """Add the disk to a node."""
        rotor.add_mass(node, self.mass, self.inertia, self.polar_inertia, self.eccentricity)
        if self.mass * self.eccentricity:
            rotor.excitations.append(unbalance(rotor, node, label, self.mass * self.eccentricity, self.phase))
        amplitude = (self.inertia - self.polar_inertia) * self.tilt
        if amplitude:
            a, b = rotor.at(node, ("theta_z", "theta_y"))
            tilted = Excitation(label, int(a), int(b), 1.0, -1.0, amplitude, float(self.tilt_phase), weighs=False)
            rotor.excitations.append(tilted)


def check_inertia(inertia: float, polar: float, where: str) -> None:
    """Raise for impossible moments of inertia: the one about the axis is at most the sum of the others."""
    if polar > 2.0 * inertia * (1.0 + 1e-9):
        message = f"the polar inertia cannot exceed twice the diametral one (inertia = {inertia!r})"
        raise InputError(message, where=where, key="polar_inertia", value=polar)


@dataclass(frozen=True, kw_only=True)
class Unbalance:
    """Unbalance, given as mass times distance from the axis.

    Parameters
    ----------
    node : int or str
        Number of the node, or its name.
    magnitude : float
        Mass times distance, kg m.
    phase : float
        Its angle from y towards z when the spin angle is zero, rad.
    """

    node: int | str
    magnitude: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        finite(self.magnitude, "magnitude", "unbalance")
        within_a_turn(self.phase, "phase", "unbalance")

    def add_to(self, rotor: RotorAssembly, node: int, label: str) -> None:
        """Add the unbalance to a node."""
        if self.magnitude:
            rotor.excitations.append(unbalance(rotor, node, label, self.magnitude, self.phase))


def unbalance(rotor: RotorAssembly, node: int, label: str, magnitude: float, phase: float) -> Excitation:
    """Return the rotating force of a mass off the axis."""
    a, b = rotor.at(node, ("v", "w"))
    return Excitation(label, int(a), int(b), 1.0, 1.0, float(magnitude), float(phase), weighs=True)
