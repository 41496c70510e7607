"""Bar: axial deformation, one unknown per node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from flexmb.errors import InputError
from flexmb.fem.bar import axial_field
from flexmb.fem.line_sections import LineSections, uniform
from flexmb.parts.bodies.body import BodyParts, Dof
from flexmb.parts.bodies.line import ACROSS, LineBody
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class Bar(LineBody):
    """Axial bar of small displacements; the unknown of a node is its displacement along ``direction``.

    Parameters of ``LineKeys`` and ``LineBody``, and

    Parameters
    ----------
    order : 1 or 2
        Linear or quadratic elements. Quadratic ones have a midside node; nodes are counted along the axis, midside
        nodes included.
    """

    kind: ClassVar[str] = "bar"

    order: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or self.order not in (1, 2):
            message = "must be 1 (linear) or 2 (quadratic elements)"
            raise InputError(message, where=self.where, key="order", value=self.order)
        if self.order == 2 and self._network is not None:
            message = "lines of a mesh that is not straight, or has groups, are linear elements: order = 1"
            raise InputError(message, where=self.where, key="order", value=self.order)
        super().__post_init__()

    @property
    def _order(self) -> int:
        return self.order

    @property
    def crossing_time(self) -> float:
        """Shortest time in which a wave crosses an element, s: l / c with c = sqrt(E / rho)."""
        if self._network is not None:
            members, length = self._network.members, self._network.mesh.length
            return float(np.min(length * np.sqrt(members.numbers("density") / members.numbers("young"))))
        speed = np.sqrt(self._material.young / self._material.density)
        return float(np.diff(self._line.x).min() / speed)

    def gravity_note(self, a: Array) -> str:
        """Return a note if gravity acts only normal to the bar."""
        if self._network is not None and len(self._network.dofs) == 3:
            return ""
        if abs(float(a @ self.dofs()[0].vector)) > ACROSS * float(np.linalg.norm(a)):
            return ""
        return f"{self.where}: gravity acts across the bar, which moves along its axis only, and has no effect on it"

    def dofs(self) -> list[Dof]:
        """Return the unknowns of a node: axial displacement u."""
        if self._network is not None:
            return list(self._network.dofs)
        return self._straight_dofs(self._frame(None))

    def _straight_dofs(self, frame: tuple[Array, Array, Array]) -> list[Dof]:
        return [Dof("u", "axial", frame[0])]

    def line_sections(self) -> LineSections:
        """Return the sections; two for a quadratic element, with the forces at their middles."""
        if self._network is not None:
            return self._network.sections()
        EA = self._material.young * self._section.values().A
        axes = np.column_stack(self._frame(None))
        stiffness, length = np.array([EA, 0.0, 0.0, 0.0, 0.0, 0.0]), np.diff(self._x)
        lines = uniform(stiffness, length, axes, self._section.outline())
        return lines if self.order == 1 else replace(lines, other=np.resize([1, -1], length.size))

    def parts(self) -> BodyParts:
        """Return matrices and maps over the free unknowns."""
        if self._network is not None:
            return self._parts_of(self._network)
        A, material = self._section.values().A, self._material
        field = axial_field(self._line.x, self.order, lumped=self.mass == "lumped")
        line_density = material.density * A
        gravity = line_density * np.outer(field.load, self._line.direction)
        EA = material.young * A
        return self._damped(line_density * field.M, EA * field.K, field.strain.scaled(EA), gravity)
