"""Geometrically exact beam: large displacements and rotations, stretching, shear, torsion and bending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker, Picture, on_frame
from flexmb.checks.values import choice, vector
from flexmb.errors import InputError
from flexmb.fem.line_sections import ROUND, LineSections, uniform
from flexmb.kernels.geometry.rotation import quaternion_of
from flexmb.kernels.geometry.tables import FRAME
from flexmb.parts.bodies.beam import Beam
from flexmb.parts.bodies.beam_properties import (
    BeamInertia,
    BeamProperties,
    BeamStiffness,
    given_properties,
    section_properties,
)
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.exact_network import RigidMotion, add_exact_network
from flexmb.parts.bodies.large_beam import LargeBeam
from flexmb.state import Array, IntArray

NODE_KEYS = ("length", "elements", "grading", "stations", "mesh", "position", "direction", "orientation", "points")
SECTION_KEYS = ("section", "material", "young", "density")
"""Keys with the meaning they have for ``Beam``."""


@dataclass(frozen=True, kw_only=True)
class ExactBeam(LargeBeam):
    """Geometrically exact beam of large motion; every node has the rotation of its cross-section, like a rigid body.

    Two-node elements with the strains at their midpoint, of second order in the element length. Local axes d, y, z as
    for ``Beam``. It has no supports: constrain its nodes by joints.

    Parameters
    ----------
    length, elements, grading, stations, mesh, position, direction, orientation, points
        As for ``Beam``. A curved or branched mesh is free of strain in the shape of the file.
    groups, hinges
        As for ``Beam``; a hinge is a ball joint between the lines that meet there.
    section, material, young, density
        As for a spatial ``Beam``.
    shear_factor : float, optional
        k of the shear stiffness k G A; by default 5/6 for a rectangle, 6/7 for a circle and Cowper's value for a ring.
    stiffness, inertia : tables, optional
        Numbers instead of section and material: ``BeamStiffness`` and ``BeamInertia``.
    velocity : (3,) array_like
        Initial velocity of the point ``about``, m/s.
    angular_velocity : (3,) array_like
        Initial angular velocity of the entire beam in space, rad/s.
    about : (3,) array_like, optional
        Reference point of that motion, m; by default the first node.
    mass : "consistent" or "lumped"
        Mass matrix of the displacements; rotary inertia is lumped at the nodes, so that it is constant in their axes.
    damping : Damping, table or pair (alpha, beta), optional
        Only ``beta`` is used: strain-rate damping, beta times the stiffness.
    """

    kind: ClassVar[str] = "exact-beam"
    bytes_per_element: ClassVar[int] = 26_000

    shear_factor: float | None = None
    stiffness: BeamStiffness | Mapping[str, Any] | None = None
    inertia: BeamInertia | Mapping[str, Any] | None = None
    about: Sequence[float] | Array | None = None
    mass: str = "consistent"
    groups: Mapping[str, Any] = field(default_factory=dict)
    hinges: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._beam.frame()
        if self._beam._network is not None:
            self._member_properties  # noqa: B018  (checks sections and materials)
        self._properties, self._beta  # noqa: B018  (each checks its keys)
        choice(self.mass, "mass", self.where, ("consistent", "lumped"))
        for key in ("velocity", "angular_velocity", *(() if self.about is None else ("about",))):
            vector(getattr(self, key), key, self.where)

    @property
    def total_mass(self) -> float:
        """Mass of the body, kg."""
        if self._beam._network is not None:
            return float(np.sum([p.rho_A for p in self._member_properties] * self._beam._network.mesh.length))
        return self._properties.rho_A * float(self._beam._x[-1])

    def add_to(self, builder: Builder) -> None:
        """Add nodes, inertia, weight and elements to a multibody system."""
        if self._beam._network is not None:
            add_exact_network(
                builder, self.name, self._beam._network, self._member_properties, self._beta, self.mass,
                self._motion(), round_lines=self._by_numbers,
            )  # fmt: skip
            return
        places = self._add_nodes(builder)
        x, properties = self._beam._x, self._properties
        iv = np.array([place.iv for place in places], dtype=np.int64)
        steps = np.diff(x)
        share = np.zeros(x.size)
        share[:-1] += 0.5 * steps
        share[1:] += 0.5 * steps
        rows = iv[:, None] + np.arange(3)
        mass = sparse.diags_array(share) if self.mass == "lumped" else _consistent(steps)
        builder.add_matrix("M", rows.ravel(), sparse.kron(properties.rho_A * mass, sparse.eye_array(3)))
        builder.add_matrix("M", (rows + 3).ravel(), sparse.diags_array(np.outer(share, properties.rotary).ravel()))
        # the positions are absolute, so the potential is -m a . x without a constant
        builder.add_force(rows.ravel(), np.outer(properties.rho_A * share, builder.gravity).ravel())
        markers = [builder.marker(place) for place in places]
        for A, B, step in zip(markers, markers[1:], steps.tolist(), strict=False):
            builder.add_beam(
                A,
                B,
                length=step,
                D=properties.D,
                gamma0=np.array([1.0, 0.0, 0.0]),
                kappa0=np.zeros(3),
                beta=self._beta,
            )
        builder.add_body(
            BodyInfo(
                name=self.name,
                nodes=places,
                named={name: places[i] for name, i in self._beam._nodes.named.items()},
                single=False,
                mass=self.total_mass,
                unknowns=(iv[:, None] + np.arange(6)).ravel(),
                picture=_picture(places, properties.radius, self._sections()),
                momentum_rows=rows,
            )
        )

    def _sections(self) -> LineSections:
        """Return the sections of the elements; the nodes carry their axes."""
        outline = (ROUND, self._properties.radius, 0.0) if self._by_numbers else self._beam._section.outline()
        return uniform(self._properties.D, np.diff(self._beam._x), np.eye(3), outline)

    def _add_nodes(self, builder: Builder) -> list[Marker]:
        """Add a frame per node, all with the axes of the beam, in rigid motion."""
        line = self._beam._line
        points = line.origin + self._beam._x[:, None] * line.direction
        axes = np.column_stack(self._beam.frame())
        p = quaternion_of(axes)
        motion = self._motion()
        velocity, spin = motion.at(points), motion.spin
        places = []
        for i, (point, v) in enumerate(zip(points, velocity, strict=True)):
            label = f"{self.name}.node({i})"
            iq, frame_v = builder.add_frame(point, p, v, axes.T @ spin, label)
            places.append(on_frame(iq, frame_v, point, axes, np.zeros(3), label))
        return places

    def _motion(self) -> RigidMotion:
        """Return the motion at the start."""
        return RigidMotion(
            vector(self.velocity, "velocity", self.where),
            vector(self.angular_velocity, "angular_velocity", self.where),
            None if self.about is None else vector(self.about, "about", self.where),
        )

    @cached_property
    def _member_properties(self) -> list[BeamProperties]:
        """Stiffness and inertia of every line of a mesh."""
        network = self._beam._network
        assert network is not None
        if self._by_numbers:
            return [self._properties] * len(network.mesh.lines)
        kinds = [section_properties(s, m, self.shear_factor, self.where) for s, m in network.members.kinds]
        return [kinds[k] for k in network.members.of_line.tolist()]

    @cached_property
    def _beam(self) -> Beam:
        """A beam of small displacements with the same nodes, axes and, where they are given, section and material."""
        keys = {key: getattr(self, key) for key in (*NODE_KEYS, "groups", "hinges")}
        if self._by_numbers:
            # numbers along y and z may differ, so that the orientation matters: not a round section
            section = {"area": 1.0, "inertia_y": 1.0, "inertia_z": 2.0, "torsion": 1.0}
            return Beam(self.name, bending="spatial", section=section, young=1.0, density=1.0, **keys)
        return Beam(self.name, bending="spatial", **keys, **{key: getattr(self, key) for key in SECTION_KEYS})

    @property
    def _by_numbers(self) -> bool:
        """Whether stiffness and inertia are given as numbers; checks that nothing else is given then."""
        if self.stiffness is None and self.inertia is None:
            if self.section is None and not self.groups:
                message = "is missing (give section and material, or stiffness and inertia)"
                raise InputError(message, where=self.where, key="section")
            return False
        for key in (*SECTION_KEYS, "shear_factor"):
            if getattr(self, key) is not None:
                message = "give either section and material, or stiffness and inertia"
                raise InputError(message, where=self.where, key=key, value=getattr(self, key))
        return True

    @cached_property
    def _properties(self) -> BeamProperties:
        if self._by_numbers:
            return given_properties(self.stiffness, self.inertia, self.where)
        if self._beam._network is not None:
            return self._member_properties[0]
        return section_properties(self._beam._section, self._beam._material, self.shear_factor, self.where)

    @cached_property
    def _beta(self) -> float:
        damping = Damping.read(self.damping, f"{self.where}.damping")
        if damping.alpha != 0.0:
            message = "is not possible in large motion, where it would damp the whole motion; give beta only"
            raise InputError(message, where=f"{self.where}.damping", key="alpha", value=damping.alpha)
        return float(damping.beta)


def _consistent(steps: Array) -> sparse.csr_array:
    """Return the mass matrix of linear elements of unit mass per length, (n, n)."""
    n = steps.size
    first, last = np.arange(n), np.arange(1, n + 1)
    rows, cols = np.concatenate([first, last, first, last]), np.concatenate([first, last, last, first])
    values = np.concatenate([steps / 3.0, steps / 3.0, steps / 6.0, steps / 6.0])
    return sparse.csr_array(sparse.coo_array((values, (rows, cols)), shape=(n + 1, n + 1)))


def _picture(places: Sequence[Marker], radius: float, sections: LineSections) -> Picture:
    n = len(places)
    lines: IntArray = np.column_stack([np.arange(n - 1), np.arange(1, n)]).astype(np.int64)
    return Picture(
        kind=np.full(n, FRAME, dtype=np.int64),
        iq=np.array([place.iq for place in places], dtype=np.int64),
        iv=np.array([place.iv for place in places], dtype=np.int64),
        local=np.zeros((n, 3)),
        lines=lines,
        radius=radius,
        sections=sections,
    )
