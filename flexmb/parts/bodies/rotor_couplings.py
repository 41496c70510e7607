"""Lumped couplings between the shafts of a rotor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.checks.values import nonnegative, positive, whole
from flexmb.errors import InputError
from flexmb.linalg.strain import Strain, regular, stack
from flexmb.parts.bodies.rotor_assembly import RotorAssembly
from flexmb.parts.bodies.rotor_disks import check_inertia


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """Coupling in place of the shaft between two neighboring nodes.

    With the distance l of the nodes, it resists the lateral offset v2 - v1 - l (theta_1 + theta_2)/2, the change of
    slope theta_2 - theta_1, stretching and twisting, so that rigid-body motion causes no force. It rotates with the
    shaft, and so does its damping.

    Parameters
    ----------
    nodes : (2,) ints
        Neighboring nodes, such as [3, 4].
    lateral, angular : float
        Stiffness, N/m and N m/rad.
    axial, torsional : float, optional
        Stiffness, N/m and N m/rad; required with ``unknowns = "all"``.
    lateral_damping, angular_damping, axial_damping, torsional_damping : float
        N s/m and N m s/rad.
    mass, inertia, polar_inertia : float
        Of the coupling, kg and kg m^2; half of each is lumped at either node.
    """

    nodes: Sequence[int]
    lateral: float
    angular: float
    axial: float | None = None
    torsional: float | None = None
    lateral_damping: float = 0.0
    angular_damping: float = 0.0
    axial_damping: float = 0.0
    torsional_damping: float = 0.0
    mass: float = 0.0
    inertia: float = 0.0
    polar_inertia: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.nodes, str) or not isinstance(self.nodes, Sequence) or len(self.nodes) != 2:
            message = "must be two neighboring nodes, such as [3, 4]"
            raise InputError(message, where="coupling", key="nodes", value=self.nodes)
        first, second = (whole(node, "nodes", "coupling", least=0) for node in self.nodes)
        if second != first + 1:
            message = f"must be two neighboring nodes, such as [{first}, {first + 1}]"
            raise InputError(message, where="coupling", key="nodes", value=list(self.nodes))
        for key in ("lateral", "angular", "axial", "torsional"):
            if getattr(self, key) is not None:
                positive(getattr(self, key), key, "coupling")
        for key in ("lateral_damping", "angular_damping", "axial_damping", "torsional_damping"):
            nonnegative(getattr(self, key), key, "coupling")
        for key in ("mass", "inertia", "polar_inertia"):
            nonnegative(getattr(self, key), key, "coupling")
        check_inertia(self.inertia, self.polar_inertia, "coupling")

    def add_to(self, rotor: RotorAssembly) -> None:
        """Add the coupling between its nodes."""
        nodes = [int(node) for node in self.nodes]
        length = float(rotor.x[nodes[1]] - rotor.x[nodes[0]])
        stiff = _plane_modes(length, self.lateral, self.angular)
        for plane in rotor.planes(nodes):
            rotor.add_strain(stiff.placed(plane.dof, rotor.size, plane.sign))
        rotor.add_internal_damping(_plane_modes(length, self.lateral_damping, self.angular_damping).matrix(), nodes)
        for letter, key in (("u", "axial"), ("phi", "torsional")):
            if rotor.has(letter):
                self._add_line(rotor, rotor.along((letter,), nodes), key)
        for node in nodes:
            rotor.add_mass(node, 0.5 * self.mass, 0.5 * self.inertia, 0.5 * self.polar_inertia)

    def _add_line(self, rotor: RotorAssembly, dof: np.ndarray, key: str) -> None:
        k = getattr(self, key)
        if k is None:
            raise InputError('is missing (unknowns = "all" needs it)', where="coupling", key=key)
        rotor.add_strain(_difference(1, 0, float(k), 2).placed(dof, rotor.size))
        c = float(getattr(self, f"{key}_damping"))
        rotor.add("C", dof, c * np.array([[1.0, -1.0], [-1.0, 1.0]]))


def _difference(i: int, j: int, k: float, size: int) -> Strain:
    return regular(np.array([[i]]), np.array([[j]]), np.ones((1, 1)), np.array([k]), size)


def _plane_modes(length: float, lateral: float, angular: float) -> Strain:
    """Return the modes over deflection and slope of both nodes, (w0, t0, w1, t1)."""
    i, j = np.array([[2, 1, 3]]), np.array([[0, -1, -1]])
    offset = regular(i, j, np.array([[1.0, -0.5 * length, -0.5 * length]]), np.array([float(lateral)]), 4)
    return stack([offset, _difference(3, 1, float(angular), 4)], 4)
