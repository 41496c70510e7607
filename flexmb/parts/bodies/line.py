"""Common base of bars and beams: a straight line of nodes, its section and material, its supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy import sparse

from flexmb.assembly.glyphs import Glyph
from flexmb.assembly.kinematics import NodeTable
from flexmb.checks.memory import Size, check_memory
from flexmb.checks.values import check_name, choice, from_table, positive, unit, vector, whole
from flexmb.errors import InputError
from flexmb.fem.bar import node_positions
from flexmb.fem.material import Material
from flexmb.fem.mesh import LineMesh, spaced
from flexmb.fem.network_mesh import NetworkMesh
from flexmb.fem.section import Section
from flexmb.linalg.strain import Strain
from flexmb.parts.bodies.body import RESERVED_BODIES, BodyParts, Dof
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.line_mesh_keys import (
    at_stations,
    check_line_keys,
    placed_mesh,
    read_mesh,
    straight_mesh,
)
from flexmb.parts.bodies.line_network import LineNetwork, check_group_names, network_dofs
from flexmb.parts.bodies.members import line_axes, read_members
from flexmb.parts.bodies.straight import LineNodes, StraightBody
from flexmb.state import Array, IntArray

T = TypeVar("T", Section, Material)

ACROSS = 1e-9
"""Fraction of gravity along or across a body that is attributed to rounded directions."""
BYTES_SMALL, BYTES_LARGE = 1400, 2700
"""Memory per unknown in models of small and large motion, measured with 20,000 to 200,000 elements."""


@dataclass(frozen=True, kw_only=True)
class LineKeys(LineNodes):
    """A bar or beam, of small or large motion.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    length : float
        m; with ``elements`` and ``grading``, or a ``mesh`` instead.
    elements : int
        Number of elements.
    grading : float
        Length of the last element over that of the first (geometric; 1: uniform).
    stations : sequence of float
        Distances from the first node, m, at which nodes are placed; the others keep their spacing between them.
    mesh : path, optional
        Line mesh, in any format of meshio. ``position`` and ``direction`` then default to those of the file.
    section : Section or table
        Cross-section; or ``area`` (and ``inertia`` for a planar beam) directly.
    material : Material or table
        Material; or ``young`` and ``density`` directly.
    young : float, optional
        Young's modulus, Pa.
    density : float, optional
        kg/m^3.
    position : (3,) array_like
        Of the first node, m (default: the origin).
    direction : (3,) array_like
        From the first node to the last (default: x); any length.
    velocity : (3,) array_like
        Initial velocity of all nodes, m/s.
    damping : Damping, table or pair (alpha, beta), optional
        Rayleigh damping.
    points : mapping
        Names for nodes: a number is the distance from the first node along the axis, m (a node must be there), a
        text one of ``"first"``, ``"last"``, ``"mid"``, ``"node(3)"``.
    """

    length: float | None = None
    elements: int | None = None
    grading: float = 1.0
    stations: Sequence[float] = ()
    mesh: str | Path | None = None
    section: Section | Mapping[str, Any] | None = None
    material: Material | Mapping[str, Any] | None = None
    young: float | None = None
    density: float | None = None
    position: Sequence[float] | Array | None = None
    direction: Sequence[float] | Array | None = None
    velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)
    damping: Damping | Mapping[str, Any] | Sequence[float] | None = None
    points: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LineBody(LineKeys, StraightBody):
    """A bar or beam of small displacements: the parameters of ``LineKeys``, and those below.

    Parameters
    ----------
    area : float, optional
        Of the cross-section, m^2.
    mass : "consistent" or "lumped"
        Kind of mass matrix.
    supports : sequence of Support or tables
        See ``Support``.
    groups : mapping of str to Group or tables
        Section, material and orientation of groups of lines of the mesh, where they are not those of the body.
    hinges : sequence of str
        Nodes, or groups of nodes, where the lines of a mesh are pinned to each other.
    """

    kind: ClassVar[str]
    large_motion: ClassVar[bool] = False

    area: float | None = None
    mass: str = "consistent"
    supports: Sequence[Any] = ()
    groups: Mapping[str, Any] = field(default_factory=dict)
    hinges: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        choice(self.mass, "mass", self.where, ("consistent", "lumped"))
        vector(self.velocity, "velocity", self.where)
        check_line_keys(self)
        if self._network is not None:
            self._check_network(self._network)
            return
        self._section, self._material, self._line, self._nodes  # noqa: B018  (each checks its keys)
        self._check_velocity()
        Damping.read(self.damping, f"{self.where}.damping")

    @cached_property
    def _section(self) -> Section:
        flat = {k: getattr(self, k) for k in ("area", "inertia") if getattr(self, k, None) is not None}
        return _one_of(Section, self.section, flat, "section", self.where)

    @cached_property
    def _material(self) -> Material:
        flat = {k: getattr(self, k) for k in ("young", "density") if getattr(self, k) is not None}
        return _one_of(Material, self.material, flat, "material", self.where)

    @cached_property
    def _line(self) -> LineMesh:  # type: ignore[override]
        """Vertices along the axis, position of the first and direction, from all keys."""
        position = None if self.position is None else vector(self.position, "position", self.where)
        direction = None if self.direction is None else unit(self.direction, "direction", self.where)
        if self._mesh is not None:
            line = straight_mesh(self._mesh, self.where, str(self.mesh))
            if direction is not None and direction @ line.direction < 0.0:
                line = line.reversed()
            return LineMesh(
                line.x,
                line.origin if position is None else position,
                line.direction if direction is None else direction,
            )
        for key in ("length", "elements"):
            if getattr(self, key) is None:
                raise InputError("is missing (give length and elements, or mesh)", where=self.where, key=key)
        length = positive(self.length, "length", self.where)
        elements = whole(self.elements, "elements", self.where, least=1)
        check_memory([self._memory(elements, large=False)])
        x = spaced(length, elements, positive(self.grading, "grading", self.where))
        x = at_stations(x, self.stations, self.where)
        if np.diff(x).min() < 1e-12 * length:
            message = "so steep that the shortest element is below 1e-12 of the length"
            raise InputError(message, where=self.where, key="grading", value=self.grading)
        return LineMesh(
            x,
            np.zeros(3) if position is None else position,
            np.array([1.0, 0.0, 0.0]) if direction is None else direction,
        )

    def memory(self, large: bool) -> Size:
        """Return the memory requirement of the body in a model of small or large motion."""
        lines = self._line.x.size - 1 if self._network is None else len(self._network.mesh.lines)
        return self._memory(lines, large)

    def _memory(self, elements: int, large: bool) -> Size:
        unknowns = elements * self._order * self._unknowns
        return Size(self.where, elements, unknowns * (BYTES_LARGE if large else BYTES_SMALL))

    @cached_property
    def _mesh(self) -> NetworkMesh | None:
        return None if self.mesh is None else read_mesh(self.mesh, self.where)

    @property
    def _node_groups(self) -> Mapping[str, IntArray]:
        if self._mesh is None:
            return {}
        check_group_names(self._mesh, self.where, str(self.mesh))
        # the chain may be numbered from its other end here
        turned = float((self._mesh.points[-1] - self._mesh.points[0]) @ self._line.direction) < 0.0
        last = len(self._mesh.points) - 1
        return {
            name: self._order * np.sort(last - nodes if turned and self.direction is not None else nodes)
            for name, nodes in self._mesh.nodes_of.items()
        }

    @cached_property
    def _network(self) -> LineNetwork | None:
        """The lines of a mesh that is not a straight chain, or whose groups differ; None for one straight line."""
        mesh = self._mesh
        # a chain of bars that is not straight would be a mechanism
        straight = mesh is None or mesh.straight or (mesh.open_chain and self.kind == "bar")
        if mesh is None or (straight and not self.groups and not self.hinges):
            return None
        if straight:
            straight_mesh(mesh, self.where, str(self.mesh))
        mesh = placed_mesh(mesh, self.position, self.direction, self.where)
        file = Path(str(self.mesh)).name
        section, material = (self._own(key) for key in ("section", "material"))
        orientation = getattr(self, "orientation", None)
        members = read_members(mesh, (section, material, orientation), self.groups, self.where, file)
        bending = str(getattr(self, "bending", "planar"))
        planar = self.kind == "beam" and bending == "planar" and mesh.normal is not None
        if planar:  # a planar frame bends in its plane, for any orientation
            members = replace(members, orientation=[None] * len(mesh.lines))
        dofs = [] if straight else network_dofs(mesh, self.kind, bending, self.where)
        axes = line_axes(mesh, members, self.where, matters=self.kind == "beam" and not planar)
        if straight:
            dofs = self._straight_dofs((axes[0, :, 0], axes[0, :, 1], axes[0, :, 2]))
        return LineNetwork(self.name, mesh, members, axes, dofs, self.points, self.hinges, file)

    def _own(self, key: str) -> Any:
        """Return section or material of the body itself, None if its groups define them all."""
        flat = ("area", "inertia") if key == "section" else ("young", "density")
        given = [k for k in (key, *flat) if getattr(self, k, None) is not None]
        return None if not given and self.groups else getattr(self, f"_{key}")

    def _straight_dofs(self, frame: tuple[Array, Array, Array]) -> list[Dof]:
        """Return the unknowns of a node of a straight body with the axes d, y, z."""
        raise self._incomplete

    def _check_network(self, network: LineNetwork) -> None:
        """Check the keys of the body that refer to a mesh."""
        network.hinged  # noqa: B018  (checks it)
        self._parts_of(network)

    def _parts_of(self, network: LineNetwork) -> BodyParts:
        velocity = vector(self.velocity, "velocity", self.where)
        return network.parts(self.supports, velocity, self.damping, self.mass, self._moves)

    @property
    def _nodes(self) -> NodeTable:
        if self._network is not None:
            return self._network.table
        return self._line_nodes

    def marks(self) -> list[Glyph]:
        """Return the supports, to be drawn."""
        return super().marks() if self._network is None else self._network.marks(self.supports)

    @property
    def _order(self) -> int:
        return 1

    @property
    def _unknowns(self) -> int:
        """Number of unknowns of a node."""
        return 1

    @cached_property
    def _x(self) -> Array:  # type: ignore[override]
        """Positions of all nodes along the axis, (n,), m."""
        return node_positions(self._line.x, self._order)

    @property
    def _center(self) -> float:
        return 0.5 * float(self._x[-1])

    @property
    def _radius(self) -> float:
        return self._section.values().radius

    @property
    def _moves(self) -> str:
        return "along the bar's axis" if self.kind == "bar" else "in the beam's plane"

    def _damped(self, M: sparse.csr_array, K: sparse.csr_array, strain: Strain, gravity: Array) -> BodyParts:
        """Return the parts over the free unknowns, with Rayleigh damping."""
        C = Damping.read(self.damping, f"{self.where}.damping").matrix(M, K)
        return self._reduce(M, C, K, strain, gravity)

    @property
    def total_mass(self) -> float:
        """Mass of the body, kg."""
        if self._network is not None:
            return self._network.total_mass
        return self._material.density * self._section.values().A * float(self._x[-1])

    @property
    def mass_per_length(self) -> float | Array:
        """Of the body, or of each of its lines, (m,), kg/m."""
        if self._network is not None:
            return self._network.mass_per_length
        return self._material.density * self._section.values().A


def _one_of(cls: type[T], given: T | Mapping[str, Any] | None, flat: dict[str, Any], key: str, where: str) -> T:
    """Return ``cls`` from the given object or table, or from the flat keys."""
    if given is None:
        if not flat:
            raise InputError("is missing", where=where, key=key)
        return from_table(cls, flat, where)
    if flat:
        name, value = next(iter(flat.items()))
        raise InputError(f"is given in {key} as well; give only one of them", where=where, key=name, value=value)
    if isinstance(given, cls):
        return given
    if isinstance(given, Mapping):
        return from_table(cls, given, f"{where}.{key}")
    raise InputError(f"must be a table or a {cls.__name__}", where=where, key=key, value=given)
