"""Contributions of the shaft to a rotor."""

from __future__ import annotations

import numpy as np

from flexmb.fem.shaft import ShaftElements, shaft_bending, shaft_line
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.rotor_assembly import RotorAssembly
from flexmb.state import Array


def add_shaft(
    rotor: RotorAssembly,
    elements: ShaftElements,
    frame: tuple[Array, Array, Array],
    rotary_inertia: bool,
    damping: Damping,
    internal: float,
) -> None:
    """Add bending, axial deformation and torsion of the shaft and its damping to an empty rotor assembly.

    Parameters
    ----------
    rotor : RotorAssembly
    elements : ShaftElements
    frame : three (3,) arrays
        d, y, z.
    rotary_inertia : bool
        Whether the sections have rotary inertia and gyroscopic moments.
    damping : Damping
        C = alpha M + beta K, not rotating.
    internal : float
        Ratio of damping to stiffness of the material, s, rotating with the shaft.
    """
    field, rotary = shaft_bending(elements)
    for plane, axis in zip(rotor.planes(), frame[1:], strict=True):
        rotor.add_strain(field.strain.placed(plane.dof, rotor.size, plane.sign), (plane.dof, field.K, plane.sign))
        rotor.add("M", plane.dof, field.M, plane.sign)
        if rotary_inertia:
            rotor.add("M", plane.dof, rotary, plane.sign)
        rotor.gravity[plane.dof] += np.outer(plane.sign * field.load, axis)
    if rotary_inertia:
        rotor.add_rotating("gyro", 2.0 * rotary)
    rotor.add_internal_damping(internal * field.K)
    for letter, stiffness, mass in (("u", elements.EA, elements.rho_A), ("phi", elements.GJ, 2.0 * elements.rho_I)):
        if rotor.has(letter):
            line, dof = shaft_line(elements, stiffness, mass), rotor.along((letter,))
            rotor.add_strain(line.strain.placed(dof, rotor.size), (dof, line.K, None))
            rotor.add("M", dof, line.M)
            rotor.add("C", dof, internal * line.K)
            if letter == "u":
                rotor.gravity[dof] += np.outer(line.load, frame[0])
    masses = elements.rho_A * elements.h
    rotor.mass += float(masses.sum())
    rotor.mass_moment += float(masses @ (0.5 * (rotor.x[1:] + rotor.x[:-1])))
    rotor.inertia += float(np.sum(2.0 * elements.rho_I * elements.h))
    everything = np.arange(rotor.size, dtype=np.int64)
    rotor.add("C", everything, damping.matrix(rotor.matrix("M"), rotor.matrix("K")))
