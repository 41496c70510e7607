"""What bars and beams share: a straight line of nodes, its section and material, its supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.bodies.base import (
    OFF_AXIS,
    RESERVED,
    RESERVED_BODIES,
    BodyParts,
    Dof,
    initial_velocity,
    node_maps,
    rigid_motions,
)
from flexmb.bodies.damping import Damping
from flexmb.bodies.linear_body import add_linear_body
from flexmb.bodies.supports import held_dofs
from flexmb.errors import InputError
from flexmb.fem.bar import node_positions
from flexmb.fem.checks import check_name, choice, finite, from_table, positive, unit, vector, whole
from flexmb.fem.kinematics import NodeTable
from flexmb.fem.material import Material
from flexmb.fem.mesh import LineMesh, read_line_mesh, spaced
from flexmb.fem.node_ref import NodeRef, parse_local
from flexmb.fem.section import Section
from flexmb.linalg.strain import Strain
from flexmb.state import Array

T = TypeVar("T", Section, Material)

MOST_ELEMENTS = 10_000_000
"""More would fill the memory long before the run begins."""
POINT_SNAP = 1e-6
"""How far, over the length of the body, a named point may lie from the node it means."""


@dataclass(frozen=True, kw_only=True)
class LineBody:
    """A straight flexible body of small displacements.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    length : float
        m; with ``elements`` and ``grading``, or a ``mesh`` in their place.
    elements : int
        Number of elements.
    grading : float
        Length of the last element over that of the first (geometric; 1: uniform).
    mesh : path, optional
        Line mesh, anything meshio reads. ``position`` and ``direction`` then default to those of the file.
    section : Section or table
        Cross-section; or ``area`` (and ``inertia`` for a planar beam) directly.
    material : Material or table
        Material; or ``young`` and ``density`` directly.
    position : (3,) array_like
        Of the first node, m (default: the origin).
    direction : (3,) array_like
        From the first node to the last (default: x); any length.
    velocity : (3,) array_like
        Initial velocity of all nodes, m/s.
    mass : "consistent" or "lumped"
        Kind of mass matrix.
    damping : Damping, table or pair (alpha, beta), optional
        Rayleigh damping.
    supports : sequence of Support or tables
        See ``Support``.
    points : mapping
        Names for nodes: a number is the distance from the first node along the axis, m (a node must be there), a
        text one of ``"first"``, ``"last"``, ``"mid"``, ``"node(3)"``.
    """

    role: ClassVar[str] = "bodies"
    kind: ClassVar[str]
    large_motion: ClassVar[bool] = False

    name: str = field(kw_only=False)
    length: float | None = None
    elements: int | None = None
    grading: float = 1.0
    mesh: str | Path | None = None
    section: Section | Mapping[str, Any] | None = None
    material: Material | Mapping[str, Any] | None = None
    area: float | None = None
    young: float | None = None
    density: float | None = None
    position: Sequence[float] | Array | None = None
    direction: Sequence[float] | Array | None = None
    velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)
    mass: str = "consistent"
    damping: Damping | Mapping[str, Any] | Sequence[float] | None = None
    supports: Sequence[Any] = ()
    points: Mapping[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        choice(self.mass, "mass", self.where, ("consistent", "lumped"))
        vector(self.velocity, "velocity", self.where)
        self._section, self._material, self._line, self._nodes  # noqa: B018  (each checks its keys)
        held = held_dofs(self.supports, self._nodes, self.dofs(), self.name)
        self._check_velocity(held)
        Damping.read(self.damping, f"{self.where}.damping")

    @property
    def where(self) -> str:
        """Where this body stands in a case file."""
        return f"bodies.{self.name}"

    @property
    def first(self) -> NodeRef:
        """Reference to the first node."""
        return NodeRef(self.name, "first")

    @property
    def mid(self) -> NodeRef:
        """Reference to the node nearest the middle (of two equally near, the lower)."""
        return NodeRef(self.name, "mid")

    @property
    def last(self) -> NodeRef:
        """Reference to the last node."""
        return NodeRef(self.name, "last")

    @property
    def all(self) -> NodeRef:
        """Reference to all nodes."""
        return NodeRef(self.name, "all")

    def node(self, index: int) -> NodeRef:
        """Return a reference to node ``index``, counted along the axis from 0."""
        table = self._nodes
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or not 0 <= index < table.count:
            message = f"no such node; it has {table.choices()}"
            raise InputError(message, where=self.where, key="node", value=index)
        return NodeRef(self.name, int(index))

    def point(self, name: str) -> NodeRef:
        """Return a reference to a named point."""
        if name not in self._nodes.named:
            raise InputError(f"no such point; it has {self._nodes.choices()}", where=self.where, key=name)
        return NodeRef(self.name, name)

    def dofs(self) -> list[Dof]:
        """Return the unknowns of a node."""
        raise TypeError(f"{type(self).__name__} is not a body of its own")

    def parts(self) -> BodyParts:
        """Return matrices and maps over the free unknowns."""
        raise TypeError(f"{type(self).__name__} is not a body of its own")

    def add_to(self, builder: Builder) -> None:
        """Add the body to a multibody system; its displacements stay small."""
        add_linear_body(builder, self.name, self.parts())

    @cached_property
    def _section(self) -> Section:
        flat = {k: getattr(self, k) for k in ("area", "inertia") if getattr(self, k, None) is not None}
        return _one_of(Section, self.section, flat, "section", self.where)

    @cached_property
    def _material(self) -> Material:
        flat = {k: getattr(self, k) for k in ("young", "density") if getattr(self, k) is not None}
        return _one_of(Material, self.material, flat, "material", self.where)

    @cached_property
    def _line(self) -> LineMesh:
        """Vertices along the axis, position of the first and direction, all keys considered."""
        position = None if self.position is None else vector(self.position, "position", self.where)
        direction = None if self.direction is None else unit(self.direction, "direction", self.where)
        if self.mesh is not None:
            for key in ("length", "elements"):
                if getattr(self, key) is not None:
                    message = "stands in the mesh file; give either mesh or length and elements"
                    raise InputError(message, where=self.where, key=key, value=getattr(self, key))
            if self.grading != 1.0:
                message = "has no meaning with a mesh file"
                raise InputError(message, where=self.where, key="grading", value=self.grading)
            line = self._read_mesh()
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
        if elements > MOST_ELEMENTS:
            raise InputError(f"must be at most {MOST_ELEMENTS}", where=self.where, key="elements", value=elements)
        x = spaced(length, elements, positive(self.grading, "grading", self.where))
        if np.diff(x).min() < 1e-12 * length:
            message = "so steep that the shortest element is below 1e-12 of the length"
            raise InputError(message, where=self.where, key="grading", value=self.grading)
        return LineMesh(
            x,
            np.zeros(3) if position is None else position,
            np.array([1.0, 0.0, 0.0]) if direction is None else direction,
        )

    def _read_mesh(self) -> LineMesh:
        """Return the line of the mesh file."""
        if not isinstance(self.mesh, str | Path):
            raise InputError("must be the path of a mesh file", where=self.where, key="mesh", value=self.mesh)
        try:
            return read_line_mesh(self.mesh, self.where)
        except (OSError, ValueError) as err:  # a path that no file can have
            message = f"cannot be read: {getattr(err, 'strerror', None) or err}"
            raise InputError(message, where=self.where, key="mesh", value=str(self.mesh)) from err

    @property
    def _order(self) -> int:
        return 1

    @cached_property
    def _x(self) -> Array:
        """Positions of all nodes along the axis, (n,), m."""
        return node_positions(self._line.x, self._order)

    @cached_property
    def _nodes(self) -> NodeTable:
        x = self._x
        off_middle = np.abs(x - 0.5 * x[-1])
        # of two nodes equally near up to round-off, the lower
        mid = int(np.flatnonzero(off_middle <= off_middle.min() + 1e-12 * x[-1])[0])
        named = {"first": 0, "mid": mid, "last": x.size - 1}
        table = NodeTable(0, x.size, dict(named))
        where = f"{self.where}.points"
        if not isinstance(self.points, Mapping):
            message = 'must be a table of names, such as { tip = 1.0, probe = "node(6)" }'
            raise InputError(message, where=where, value=self.points)
        for name, value in self.points.items():
            try:
                check_name(name, where, RESERVED)
            except InputError as err:
                raise InputError(err.message, where=where, key=str(name)) from None
            named[name] = _point(value, table, x, where, name)
        return NodeTable(0, x.size, named)

    def _check_velocity(self, held: np.ndarray) -> None:
        v = self._velocity().reshape(held.shape)
        blocked = held & (np.abs(v) > OFF_AXIS * np.abs(self.velocity).max())
        if blocked.any():
            i, j = (int(k) for k in np.argwhere(blocked)[0])
            message = f"a support holds the {self.dofs()[j].name} motion of node({i})"
            raise InputError(message, where=self.where, key="velocity", value=tuple(self.velocity))

    def _velocity(self) -> Array:
        what = "along the bar's axis" if self.kind == "bar" else "in the beam's plane"
        v = vector(self.velocity, "velocity", self.where)
        return initial_velocity(self.dofs(), self._x.size, v, self.where, what)

    def _reduce(self, M: sparse.csr_array, K: sparse.csr_array, strain: Strain, gravity: Array) -> BodyParts:
        """Return the parts over the free unknowns; M, K and gravity (rows) come over all unknowns."""
        dofs, n = self.dofs(), self._x.size
        held = held_dofs(self.supports, self._nodes, dofs, self.name).ravel()
        if held.all():
            raise InputError("nothing of this body is left to move", where=self.where, key="supports")
        free = np.flatnonzero(~held)
        where = np.where(held, -1, np.cumsum(~held) - 1)
        points = self._line.origin + self._x[:, None] * self._line.direction
        displacement, rotation = node_maps(dofs, n)
        rigid = rigid_motions(dofs, points)
        shift = sparse.csr_array(sparse.kron(np.ones((1, n)), sparse.eye_array(3))) @ displacement
        M_free, K_free = (sparse.csr_array(A[free][:, free]) if held.any() else A for A in (M, K))
        return BodyParts(
            M=M_free,
            C=Damping.read(self.damping, f"{self.where}.damping").matrix(M_free, K_free),
            K=K_free,
            strain=strain.placed(where, free.size),
            points=points,
            cells=np.column_stack([np.arange(n - 1), np.arange(1, n)]).astype(np.int64),
            displacement=sparse.csr_array(displacement[:, free]),
            rotation=sparse.csr_array(rotation[:, free]),
            v0=self._velocity()[free],
            gravity=gravity[free],
            momentum=(shift @ M[:, free]).toarray(),
            mass=self.total_mass,
            center=self._line.origin + 0.5 * self._x[-1] * self._line.direction,
            radius=self._section.values().radius,
            dof_names=_dof_names(self.name, dofs, free),
            named=self._nodes.named,
            rigid_free=rigid[free],
            rigid_held=rigid[held],
        )

    @property
    def total_mass(self) -> float:
        """Mass of the body, kg."""
        return self._material.density * self._section.values().A * float(self._x[-1])


def _one_of(cls: type[T], given: T | Mapping[str, Any] | None, flat: dict[str, Any], key: str, where: str) -> T:
    """Return ``cls`` from the object or table given, or from the flat keys."""
    if given is None:
        if not flat:
            raise InputError("is missing", where=where, key=key)
        return from_table(cls, flat, where)
    if flat:
        name, value = next(iter(flat.items()))
        raise InputError(f"stands in {key} already; give one of them", where=where, key=name, value=value)
    if isinstance(given, cls):
        return given
    if isinstance(given, Mapping):
        return from_table(cls, given, f"{where}.{key}")
    raise InputError(f"must be a table or a {cls.__name__}", where=where, key=key, value=given)


def _point(value: object, table: NodeTable, x: Array, where: str, key: str) -> int:
    """Return the node a named point means."""
    if isinstance(value, str):
        local = parse_local(value)
        try:
            found = table.index("" if local is None else local)
        except KeyError:
            found = np.empty(0, dtype=np.int64)
        if found.size != 1:
            message = f"names no node; allowed: a distance along the axis, or {table.choices().removesuffix(', all')}"
            raise InputError(message, where=where, key=key, value=value)
        return int(found[0])
    distance = finite(value, key, where)
    near = int(np.argmin(np.abs(x - distance)))
    if abs(x[near] - distance) > POINT_SNAP * x[-1]:
        message = f"no node stands at this distance along the axis; the nearest is node({near}) at {x[near]:.9g} m"
        raise InputError(message, where=where, key=key, value=value)
    return near


def _dof_names(body: str, dofs: Sequence[Dof], free: np.ndarray) -> tuple[str, ...]:
    letters = [dof.letter for dof in dofs]
    nodes, which = np.divmod(free, len(dofs))
    return tuple(f"{body}.node({i}).{letters[j]}" for i, j in zip(nodes.tolist(), which.tolist(), strict=True))
