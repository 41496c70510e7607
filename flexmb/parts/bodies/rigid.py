"""Rigid body in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, on_frame
from flexmb.checks.values import check_name, choice, positive, vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import FRAME
from flexmb.parts.bodies.body import RESERVED_BODIES
from flexmb.parts.bodies.mass_properties import MassProperties, about_center, check_inertia, of_shapes, read_inertia
from flexmb.parts.bodies.named_points import CENTER, RigidBody, read_points
from flexmb.parts.bodies.orientation import axes_of_quaternion, check_orientation, start_quaternion
from flexmb.parts.bodies.rigid_picture import Surface, body_surface, rigid_picture
from flexmb.parts.bodies.shapes import AROUND_OF_CROWD, CROWD, Shape, Sphere, read_shapes
from flexmb.state import Array

Vector = Sequence[float] | Array


@dataclass(frozen=True, kw_only=True)
class Rigid(RigidBody):
    """Rigid body in space.

    The reference point and the body axes are fixed to the body and can be chosen freely; the name of the body alone
    denotes the reference point.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    mass : float
        kg; with ``inertia``, or a ``density`` instead of both.
    inertia : array_like
        [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or the full tensor, (3, 3), in body axes, kg m^2. Ixy is the
        entry of the tensor: minus the integral of x y over the mass.
    inertia_about : "center" or "reference"
        Reference of ``inertia``: the center of mass or the reference point.
    center : (3,) array_like, optional
        Center of mass from the reference point in body axes, m (default: the reference point).
    density : float, optional
        kg/m^3: mass, center and inertia are those of the shapes as solids (overlapping volumes count twice).
    position : (3,) array_like
        Of the reference point in space, m.
    quaternion : (4,) array_like, optional
        Orientation: unit quaternion (p0, p1, p2, p3), p0 the cosine of half the angle; or
    rotation : (3,) array_like, optional
        rotation vector, rad; or
    axes : (2, 3) array_like, optional
        x and y axes of the body in space, perpendicular unit vectors. Default: the global axes.
    velocity : (3,) array_like
        Of the reference point in space, m/s.
    angular_velocity : (3,) array_like, optional
        In body axes, rad/s; or
    angular_velocity_space : (3,) array_like, optional
        in space.
    points : mapping of str to (3,) array_like
        Named points in body axes from the reference point, m. The name ``center`` is reserved for the center of mass.
    shape : table or list of tables, optional
        See ``flexmb.parts.bodies.shapes``; in body axes from the reference point.
    mesh : path, optional
        Surface mesh for drawing, in any format of meshio; in body axes from the reference point.
    """

    kind: ClassVar[str] = "rigid"
    large_motion: ClassVar[bool] = True

    mass: float | None = None
    inertia: Sequence[float] | Sequence[Sequence[float]] | Array | None = None
    inertia_about: str = "center"
    center: Vector | None = None
    density: float | None = None
    position: Vector = (0.0, 0.0, 0.0)
    quaternion: Vector | None = None
    rotation: Vector | None = None
    axes: Sequence[Sequence[float]] | Array | None = None
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector | None = None
    angular_velocity_space: Vector | None = None
    points: Mapping[str, Vector] = field(default_factory=dict)
    shape: Any = None
    mesh: str | Path | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        choice(self.inertia_about, "inertia_about", self.where, ("center", "reference"))
        vector(self.position, "position", self.where)
        vector(self.velocity, "velocity", self.where)
        for key in ("angular_velocity", "angular_velocity_space"):
            if getattr(self, key) is not None:
                vector(getattr(self, key), key, self.where)
        if self.angular_velocity is not None and self.angular_velocity_space is not None:
            message = "give angular_velocity (in body axes) or angular_velocity_space, not both"
            raise InputError(message, where=self.where, key="angular_velocity_space", value=self.angular_velocity_space)
        check_orientation(self.quaternion, self.rotation, self.axes, self.where)
        try:
            with np.errstate(all="raise", under="ignore"):
                self._points, self._surface, self.mass_properties  # noqa: B018  (each checks its keys)
        except ArithmeticError:
            raise InputError("holds numbers too large or too small to compute with", where=self.where) from None

    @cached_property
    def _points(self) -> dict[str, Array]:
        return read_points(self.points, self.where)

    @cached_property
    def _shapes(self) -> list[Shape]:
        return read_shapes(self.shape, self.where)

    @cached_property
    def _surface(self) -> Surface:
        return body_surface(self._shapes, self.mesh, self.where)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass from the reference point, and inertia about it in body axes."""
        if self.density is not None:
            return self._from_density()
        for key in ("mass", "inertia"):
            if getattr(self, key) is None:
                message = "is missing (give mass and inertia, or density and shape)"
                raise InputError(message, where=self.where, key=key)
        mass = positive(self.mass, "mass", self.where)
        center = np.zeros(3) if self.center is None else vector(self.center, "center", self.where)
        J = read_inertia(self.inertia, self.where)
        return about_center(mass, center, J, self.inertia_about, self.where, self.inertia)

    def _from_density(self) -> MassProperties:
        density = positive(self.density, "density", self.where)
        for key in ("mass", "inertia", "center"):
            if getattr(self, key) is not None:
                message = "follows from density and shape; give one or the other"
                raise InputError(message, where=self.where, key=key, value=getattr(self, key))
        if not self._shapes:
            raise InputError("needs a shape (box, cylinder or sphere)", where=self.where, key="density", value=density)
        found = of_shapes(self._shapes, density)
        check_inertia(found.inertia, self.where, None)
        return found

    def add_to(self, builder: Builder) -> None:
        """Add a frame at the centre of mass, its inertia and weight, and the places of the body."""
        m, c, J = self.mass_properties
        p = start_quaternion(self.quaternion, self.rotation, self.axes, self.where)
        A = axes_of_quaternion(p)
        omega = self._omega(A)
        x = np.asarray(self.position, dtype=np.float64) + A @ c
        velocity = np.asarray(self.velocity, dtype=np.float64) + A @ np.cross(omega, c)
        surface = self._surface
        if builder.expected > CROWD:
            surface = body_surface(self._shapes, self.mesh, self.where, AROUND_OF_CROWD)
        iq, iv = builder.add_frame(x, p, velocity, omega, self.name)
        unknowns = iv + np.arange(6, dtype=np.int64)
        builder.add_matrix("M", unknowns[:3], m * np.eye(3))
        builder.add_matrix("M", unknowns[3:], J)
        # q holds the absolute position, so the potential is -m a . x without a constant
        builder.add_force(unknowns[:3], m * builder.gravity)
        origin = on_frame(iq, iv, x, A, np.zeros(3), f"{self.name}.{CENTER}")
        named = {name: on_frame(iq, iv, x, A, s - c, f"{self.name}.{name}") for name, s in self._points.items()}
        builder.add_body(
            BodyInfo(
                name=self.name,
                nodes=[on_frame(iq, iv, x, A, -c, self.name)],
                named=named | {CENTER: origin},
                single=True,
                mass=m,
                unknowns=unknowns,
                picture=rigid_picture(surface, FRAME, iq, iv, c, self._points.values()),
                momentum_rows=unknowns[None, :3],
                rigid=True,
                attach=origin,
                ball=self._ball(A),
            )
        )

    def _ball(self, A: Array) -> tuple[float, Array] | None:
        """Return radius and centre in space, m, of a body whose shape is one sphere."""
        if len(self._shapes) != 1 or not isinstance(shape := self._shapes[0], Sphere):
            return None
        return float(shape.radius), np.asarray(self.position + A @ np.asarray(shape.center, dtype=np.float64))

    def _omega(self, A: Array) -> Array:
        """Return the angular velocity at the start in body axes, (3,), rad/s."""
        if self.angular_velocity_space is not None:
            return np.asarray(A.T @ vector(self.angular_velocity_space, "angular_velocity_space", self.where))
        return np.zeros(3) if self.angular_velocity is None else np.asarray(self.angular_velocity, dtype=np.float64)
