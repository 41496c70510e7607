"""What bars and beams share: a straight line of nodes, its section and material, its supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy import sparse

from flexmb.checks.memory import Size, check_memory
from flexmb.checks.values import check_name, choice, from_table, positive, unit, vector, whole
from flexmb.errors import InputError
from flexmb.fem.bar import node_positions
from flexmb.fem.material import Material
from flexmb.fem.mesh import LineMesh, read_line_mesh, spaced
from flexmb.fem.section import Section
from flexmb.linalg.strain import Strain
from flexmb.parts.bodies.body import RESERVED_BODIES, BodyParts
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.straight import LineNodes, StraightBody
from flexmb.state import Array

T = TypeVar("T", Section, Material)

ACROSS = 1e-9
"""Part of gravity, over all of it, that rounded directions leave of it along or across a body."""
BYTES_SMALL, BYTES_LARGE = 1400, 2700
"""Memory for every unknown in models of small and of large motion, measured with 20,000 to 200,000 elements."""


@dataclass(frozen=True, kw_only=True)
class LineKeys(LineNodes):
    """A bar or a beam, of small or of large motion.

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
    mesh: str | Path | None = None
    section: Section | Mapping[str, Any] | None = None
    material: Material | Mapping[str, Any] | None = None
    young: float | None = None
    density: float | None = None
    position: Sequence[float] | Array | None = None
    direction: Sequence[float] | Array | None = None
    velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)
    damping: Damping | Mapping[str, Any] | Sequence[float] | None = None
    points: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LineBody(LineKeys, StraightBody):
    """A straight flexible body of small displacements; keys as ``LineKeys``, and those below.

    Parameters
    ----------
    area : float, optional
        Of the cross-section, m^2.
    mass : "consistent" or "lumped"
        Kind of mass matrix.
    supports : sequence of Support or tables
        See ``Support``.
    """

    kind: ClassVar[str]
    large_motion: ClassVar[bool] = False

    area: float | None = None
    mass: str = "consistent"
    supports: Sequence[Any] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        choice(self.mass, "mass", self.where, ("consistent", "lumped"))
        vector(self.velocity, "velocity", self.where)
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
        check_memory([self._memory(elements, large=False)])
        x = spaced(length, elements, positive(self.grading, "grading", self.where))
        if np.diff(x).min() < 1e-12 * length:
            message = "so steep that the shortest element is below 1e-12 of the length"
            raise InputError(message, where=self.where, key="grading", value=self.grading)
        return LineMesh(
            x,
            np.zeros(3) if position is None else position,
            np.array([1.0, 0.0, 0.0]) if direction is None else direction,
        )

    def memory(self, large: bool) -> Size:
        """Return what the body takes in a model of small or large motion."""
        return self._memory(self._line.x.size - 1, large)

    def _memory(self, elements: int, large: bool) -> Size:
        unknowns = elements * self._order * self._unknowns
        return Size(self.where, elements, unknowns * (BYTES_LARGE if large else BYTES_SMALL))

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
