"""Rigid body that moves in the x-y plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker
from flexmb.checks.values import check_name, finite, positive, within_a_turn
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import PLANAR
from flexmb.parts.bodies.body import RESERVED_BODIES
from flexmb.parts.bodies.named_points import CENTER, RigidBody, in_plane, read_points
from flexmb.parts.bodies.rigid_picture import Surface, body_surface, rigid_picture
from flexmb.parts.bodies.shapes import read_shapes
from flexmb.state import Array

Vector = Sequence[float] | Array


@dataclass(frozen=True, kw_only=True)
class RigidPlanar(RigidBody):
    """Rigid body in the x-y plane; its unknowns are x, y of the center of mass and the rotation theta about z.

    Vectors have two or three components; z is constant, for drawing.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    mass : float
        kg.
    inertia : float
        About the z axis through the center of mass, kg m^2.
    center : (2,) or (3,) array_like
        Center of mass from the reference point in body axes, m.
    position : (2,) or (3,) array_like
        Of the reference point at the start, m.
    angle : float
        Initial angle between the x axes of the body and of space, rad.
    velocity : (2,) or (3,) array_like
        Of the reference point at the start, m/s; zero along z.
    angular_velocity : float
        At the start, rad/s.
    points : mapping of str to (2,) or (3,) array_like
        Named points in body axes from the reference point, m. The name ``center`` is reserved for the center of mass.
    shape : table or list of tables, optional
        For drawing, see ``flexmb.parts.bodies.shapes``; in body axes from the reference point.
    mesh : path, optional
        Surface mesh for drawing, in any format of meshio; in body axes from the reference point.
    """

    kind: ClassVar[str] = "rigid-planar"
    large_motion: ClassVar[bool] = True

    mass: float
    inertia: float
    center: Vector = (0.0, 0.0)
    position: Vector = (0.0, 0.0)
    angle: float = 0.0
    velocity: Vector = (0.0, 0.0)
    angular_velocity: float = 0.0
    points: Mapping[str, Vector] = field(default_factory=dict)
    shape: Any = None
    mesh: str | Path | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        positive(self.mass, "mass", self.where)
        positive(self.inertia, "inertia", self.where)
        in_plane(self.center, "center", self.where)
        in_plane(self.position, "position", self.where)
        within_a_turn(self.angle, "angle", self.where)
        finite(self.angular_velocity, "angular_velocity", self.where)
        if in_plane(self.velocity, "velocity", self.where)[2] != 0.0:
            message = "a planar body cannot move along z"
            raise InputError(message, where=self.where, key="velocity", value=self.velocity)
        self._points, self._surface  # noqa: B018  (each checks its keys)

    @cached_property
    def _points(self) -> dict[str, Array]:
        return read_points(self.points, self.where, planar=True)

    @cached_property
    def _surface(self) -> Surface:
        return body_surface(read_shapes(self.shape, self.where), self.mesh, self.where)

    def add_to(self, builder: Builder) -> None:
        """Add x, y, theta of the centre of mass, inertia and weight, and the places of the body."""
        gravity = builder.gravity
        if gravity[2] != 0.0:
            message = f"gravity has a component along z ({gravity[2]:.6g} m/s^2) which has no effect on a planar body"
            raise InputError(message, where=self.where)
        m, position = float(self.mass), in_plane(self.position, "position", self.where)
        c, s = np.cos(self.angle), np.sin(self.angle)
        A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        # s = 0 is below the centre of mass, in the plane z = 0; heights are in s
        origin = in_plane(self.center, "center", self.where) * [1.0, 1.0, 0.0] - [0.0, 0.0, position[2]]
        x = position + A @ origin
        velocity = in_plane(self.velocity, "velocity", self.where) + np.cross(
            [0.0, 0.0, self.angular_velocity], A @ origin
        )
        q, v = [x[0], x[1], self.angle], [velocity[0], velocity[1], self.angular_velocity]
        names = [f"{self.name}.{dof}" for dof in ("x", "y", "theta")]
        iq, iv = builder.add_plain(np.array(q), np.array(v), names, angles=[2])
        dof, qdof = iv + np.arange(3, dtype=np.int64), iq + np.arange(3, dtype=np.int64)
        builder.add_matrix("M", dof, np.diag([m, m, float(self.inertia)]))
        builder.add_force(dof[:2], m * gravity[:2])

        def place(point: Array, label: str) -> Marker:
            local = point - origin
            return Marker(PLANAR, x + A @ local, A, local, iq, iv, dof, qdof, np.zeros((3, 6)), True, label)

        center = place(in_plane(self.center, "center", self.where), f"{self.name}.{CENTER}")
        named = {name: place(point, f"{self.name}.{name}") for name, point in self._points.items()}
        builder.add_body(
            BodyInfo(
                name=self.name,
                nodes=[place(np.zeros(3), self.name)],
                named=named | {CENTER: center},
                single=True,
                mass=m,
                unknowns=dof,
                picture=rigid_picture(self._surface, PLANAR, iq, iv, origin, self._points.values()),
                momentum_rows=np.array([[iv, iv + 1, -1]], dtype=np.int64),
                rigid=True,
                attach=center,
            )
        )
