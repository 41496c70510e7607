"""Beam: Euler-Bernoulli bending in a plane or in space, with stretching and (in space) torsion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.checks.values import choice
from flexmb.errors import InputError
from flexmb.fem.bar import FieldMatrices, axial_field
from flexmb.fem.beam import Placed, bending_field, join
from flexmb.fem.line_sections import LineSections, beam_stiffness, uniform
from flexmb.parts.bodies.body import BodyParts, Dof
from flexmb.parts.bodies.line import ACROSS, LineBody
from flexmb.parts.bodies.straight import spatial_dofs
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class Beam(LineBody):
    """Euler-Bernoulli beam of small displacements. Parameters of ``LineKeys``, ``LineBody``, and below.

    Local axes: the axis d, y = ``orientation`` made perpendicular to d, z = d x y. Unknowns of a node in these axes:
    planar (u, w, theta): axial, along y, rotation about z, theta = dw/dx; spatial (u, v, w, phi, theta_y, theta_z):
    displacements along d, y, z and rotations about them, theta_z = dv/dx, theta_y = -dw/dx. With ``mass = "lumped"``
    the rotational inertia of a node in bending is m h^2/78 from each element beside it (see ``bending_field``).

    Parameters
    ----------
    bending : "planar" or "spatial"
        The stiffness of planar bending follows from ``inertia_z`` of the section.
    orientation : (3,) array_like, optional
        Local y; not parallel to ``direction``. Default: global z x d, or global y when d is along z. Required
        for a planar beam if gravity acts out of the default plane.
    inertia : float, optional
        Second moment of area when ``area`` is given directly, m^4.
    """

    kind: ClassVar[str] = "beam"

    bending: str = "planar"
    orientation: Sequence[float] | Array | None = None
    inertia: float | None = None

    def __post_init__(self) -> None:
        choice(self.bending, "bending", self.where, ("planar", "spatial"))
        super().__post_init__()
        sections = [self._section] if self._network is None else [kind for kind, _ in self._network.members.kinds]
        for values in (section.values() for section in sections):
            needed = {"inertia_z (or inertia)": values.Iz}
            if self.bending == "spatial":
                needed |= {"inertia_y (or inertia)": values.Iy, "torsion": values.J}
            missing = [key for key, value in needed.items() if value is None]
            if missing:
                message = f"a {self.bending} beam also needs {', '.join(missing)}, or a shape"
                raise InputError(message, where=self.where, key="section")

    def frame(self) -> tuple[Array, Array, Array]:
        """Return the local axes d, y, z."""
        if self._network is not None:
            d, y, z = self._network.axes[0].T
            return d, y, z
        return self._frame(self.orientation)

    def gravity_note(self, a: Array) -> str:
        """Return a note if gravity is not in the bending plane; raise InputError if the plane is the default one."""
        d, _, z = self.frame()
        across, size = float(a @ z), float(np.linalg.norm(a))
        if self.bending != "planar" or abs(across) <= ACROSS * size:
            return ""
        lost = f"gravity acts normal to the plane in which it bends, by {abs(across):.6g} of {size:.6g} m/s^2"
        if self._network is not None and self._network.mesh.normal is not None:
            return f"{self.where}: {lost} of the mesh, and that part has no effect"
        if self.orientation is not None:
            return f"{self.where}: {lost}, as its orientation says, and that part has no effect"
        up = -(a - (a @ d) * d)
        up /= np.abs(up).max()
        value = ", ".join(f"{x:.6g}" for x in np.where(np.abs(up) > ACROSS, up, 0.0))
        message = (
            f"{lost}, and that part would have no effect; orientation = [{value}] makes it bend along gravity, "
            'bending = "spatial" any way'
        )
        raise InputError(message, where=self.where, key="orientation")

    def dofs(self) -> list[Dof]:
        """Return the unknowns of a node."""
        if self._network is not None:
            return list(self._network.dofs)
        return self._straight_dofs(self.frame())

    def _straight_dofs(self, frame: tuple[Array, Array, Array]) -> list[Dof]:
        d, y, z = frame
        if self.bending == "planar":
            return [Dof("u", "axial", d), Dof("w", "transverse", y), Dof("theta", "rotation", z, turns=True)]
        return spatial_dofs(d, y, z)

    @property
    def _unknowns(self) -> int:
        return 3 if self.bending == "planar" else 6

    def line_sections(self) -> LineSections:
        """Return the sections of the elements."""
        if self._network is not None:
            return self._network.sections()
        values, material, length = self._section.values(), self._material, np.diff(self._x)
        assert values.Iz is not None
        GJ = EI_y = 0.0
        if self.bending == "spatial":
            assert values.J is not None
            assert values.Iy is not None
            GJ, EI_y = material.G * values.J, material.young * values.Iy
        stiffness = beam_stiffness(material.young * values.A, GJ, EI_y, material.young * values.Iz, length)
        return uniform(stiffness, length, np.column_stack(self.frame()), self._section.outline())

    def parts(self) -> BodyParts:
        """Return matrices and maps over the free unknowns."""
        if self._network is not None:
            return self._parts_of(self._network)
        dofs = self.dofs()
        fields, size = self._fields(), len(dofs) * self._x.size
        M, K, strain = join([placed for placed, _ in fields], size)
        gravity = np.zeros((size, 3))
        for placed, vector in fields:
            if vector is not None:
                gravity[placed.dof] += np.outer(placed.mass * placed.sign * placed.field.load, vector)
        return self._damped(M, K, strain, gravity)

    def _fields(self) -> list[tuple[Placed, Array | None]]:
        """Return the uncoupled fields and the direction of displacement of each (torsion: None)."""
        d, y, z = self.frame()
        values, material, lumped = self._section.values(), self._material, self.mass == "lumped"
        E, rho, rho_A = material.young, material.density, material.density * values.A
        axial = axial_field(self._line.x, lumped=lumped)
        bend = bending_field(self._line.x, lumped=lumped)
        assert values.Iz is not None
        if self.bending == "planar":
            return [
                (self._placed(axial, E * values.A, rho_A, (0,)), d),
                (self._placed(bend, E * values.Iz, rho_A, (1, 2)), y),
            ]
        assert values.Iy is not None
        assert values.J is not None
        assert values.Ip is not None
        return [
            (self._placed(axial, E * values.A, rho_A, (0,)), d),
            (self._placed(bend, E * values.Iz, rho_A, (1, 5)), y),
            (self._placed(bend, E * values.Iy, rho_A, (2, 4), slope_sign=-1.0), z),
            (self._placed(axial, material.G * values.J, rho * values.Ip, (3,)), None),
        ]

    def _placed(
        self, field: FieldMatrices, stiffness: float, mass: float, where: tuple[int, ...], slope_sign: float = 1.0
    ) -> Placed:
        """Return a field whose unknowns are the unknowns ``where`` of each node (value, then slope)."""
        n, per_node = self._x.size, 3 if self.bending == "planar" else 6
        dof = (per_node * np.arange(n)[:, None] + np.array(where)).ravel()
        sign = np.tile([1.0, slope_sign][: len(where)], n)
        return Placed(field, stiffness, mass, dof, sign)
