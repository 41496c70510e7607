"""The interface of bodies: matrices over the free unknowns, and the maps from them to the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from flexmb.assembly.node_ref import NodeRef
from flexmb.errors import InputError
from flexmb.fem.line_sections import LineSections
from flexmb.linalg.strain import Strain
from flexmb.parts.bodies.spin_parts import SpinParts
from flexmb.parts.part import Part
from flexmb.state import Array, IntArray

QUANTITIES = ("position", "displacement", "velocity", "rotation", "angular_velocity")
"""Signals of a node."""

BODY_QUANTITIES = ("momentum", "center_of_mass")
"""Signals of a body."""

RESERVED_BODIES = ("analysis", "contacts", "energy", "ground", "joints", "summary", "time")
"""Reserved names: signals begin with them or they have another meaning."""

RESERVED = ("first", "last", "mid", "all", "node", *QUANTITIES, *BODY_QUANTITIES)
OFF_AXIS = 1e-9
"""Fraction of a velocity allowed in directions a body cannot move along (round-off)."""


@dataclass(frozen=True, kw_only=True)
class NamedBody(Part):
    """A body; its name alone means its first node or its reference point."""

    role: ClassVar[str] = "bodies"

    @property
    def first(self) -> NodeRef:
        """Reference to the first node, of a rigid body to the reference point."""
        return NodeRef(self.name, "first")


class Dof(NamedTuple):
    """One unknown per node: the ``letter`` used in names of unknowns, the ``name`` used in supports, the unit
    ``vector`` it moves along or turns about, and whether it is a rotation (``turns``).
    """  # noqa: D205

    letter: str
    name: str
    vector: Array
    turns: bool = False


@dataclass(frozen=True)
class BodyParts:
    """A body as needed for the assembly; nv free unknowns, n nodes.

    Parameters
    ----------
    M, C, K : (nv, nv) sparse arrays
    strain : Strain
        K again, as deformation modes.
    points : (n, 3) array
        Reference positions, m.
    cells : (m, 2) int array
        Lines between nodes; a particle has none.
    displacement, rotation : (3 n, nv) sparse arrays
        q -> displacement and small rotation vector of node i in rows 3 i .. 3 i + 2.
    v0 : (nv,) array
        Initial velocity.
    gravity : (nv, 3) array
        acceleration -> consistent body force (int rho A N dx, moments of Hermite shapes included), kg.
    momentum : (3, nv) array
        v -> linear momentum, consistent with M (so it changes by forces only), kg.
    mass : float
        kg.
    center : (3,) array
        Centre of mass in the reference position, m.
    radius : float
        Drawn radius, m.
    dof_names : tuple of str
        ``rod.node(3).u``.
    named : mapping of str to int
        Named nodes.
    rigid_free, rigid_held : (nv, k) and (number of supported unknowns, k) arrays
        The motions without elastic energy, on the free and on the supported unknowns.
    spin : SpinParts, optional
        Effects of spin, for rotors.
    sections : LineSections, optional
        Sections of the cells.
    groups : mapping of str to int array
        Names of several nodes at once.
    count : int
        Number of nodes with names, -1 for all points; the rest are copies at hinges.
    q0 : (nv,) array, optional
        Initial displacement; zero when not given.
    single : bool
        Whether the body is one point (a particle).
    """

    M: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array
    strain: Strain
    points: Array
    cells: IntArray
    displacement: sparse.csr_array
    rotation: sparse.csr_array
    v0: Array
    gravity: Array
    momentum: Array
    mass: float
    center: Array
    radius: float
    dof_names: tuple[str, ...]
    named: Mapping[str, int]
    rigid_free: Array
    rigid_held: Array
    spin: SpinParts | None = None
    sections: LineSections | None = None
    groups: Mapping[str, IntArray] = field(default_factory=dict)
    count: int = -1
    q0: Array | None = None
    single: bool = False

    @property
    def start(self) -> Array:
        """Initial displacement, (nv,)."""
        return np.zeros(self.nv) if self.q0 is None else self.q0

    @property
    def vertices(self) -> IntArray:
        """Points that are on no line."""
        return np.setdiff1d(np.arange(len(self.points), dtype=np.int64), self.cells)

    @property
    def nodes(self) -> int:
        """Number of nodes with names."""
        return len(self.points) if self.count < 0 else self.count

    @property
    def nv(self) -> int:
        """Number of free unknowns."""
        return int(self.v0.size)


class Body(Protocol):
    """A named part with mass. ``role`` is evaluated by ``Model.add``."""

    @property
    def name(self) -> str:
        """The body's name."""
        ...

    @property
    def role(self) -> str:
        """Return the role "bodies"."""
        ...

    @property
    def first(self) -> NodeRef:
        """Reference to the first node."""
        ...

    def parts(self) -> BodyParts:
        """Return matrices and maps."""
        ...


def node_maps(dofs: Sequence[Dof], nodes: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return displacement and rotation maps, both (3 nodes, len(dofs) nodes)."""
    maps = []
    for turns in (False, True):
        block = np.column_stack([dof.vector if dof.turns == turns else np.zeros(3) for dof in dofs])
        maps.append(sparse.csr_array(sparse.kron(sparse.eye_array(nodes), sparse.coo_array(block), format="csr")))
    return maps[0], maps[1]


def rigid_motions(dofs: Sequence[Dof], points: Array) -> Array:
    """Return the rigid motions of the nodes that the unknowns can represent, (len(dofs) n, k).

    Three translations and three small rotations about the middle of the points, scaled to unit size.
    """
    arm = points - points.mean(axis=0)
    size = float(np.max(np.linalg.norm(arm, axis=1))) or 1.0
    columns = []
    for axis in np.eye(3):
        moved = np.broadcast_to(axis, points.shape)
        turned = np.cross(axis, arm) / size
        still = np.zeros_like(points)
        for shift, turn in ((moved, still), (turned, np.broadcast_to(axis / size, points.shape))):
            columns.append(np.column_stack([(turn if d.turns else shift) @ d.vector for d in dofs]).ravel())
    found = np.column_stack(columns)
    # a direction without an unknown leaves a column that is zero or repeats others
    left, values, _ = np.linalg.svd(found, full_matrices=False)
    return np.asarray(left[:, values > 1e-9 * values[0]])


def initial_velocity(dofs: Sequence[Dof], nodes: int, velocity: Array, where: str, what: str) -> Array:
    """Return the velocities of all unknowns for a uniform translation, (len(dofs) nodes,)."""
    components = np.array([0.0 if dof.turns else float(dof.vector @ velocity) for dof in dofs])
    inside = sum((c * dof.vector for c, dof in zip(components, dofs, strict=True)), np.zeros(3))
    off = velocity - inside
    if np.abs(off).max() > OFF_AXIS * np.abs(velocity).max():  # unlike a norm, it does not overflow
        message = f"velocity not {what}: the part ({off[0]:.6g}, {off[1]:.6g}, {off[2]:.6g}) m/s deviates from it"
        raise InputError(message, where=where, key="velocity", value=tuple(velocity.tolist()))
    return np.tile(components, nodes)
