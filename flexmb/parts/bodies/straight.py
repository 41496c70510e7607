"""Common base of bodies along a straight line: nodes and their names, supports, and the data for the assembly."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import Glyph
from flexmb.assembly.kinematics import NodeTable
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_point_name, finite, vector
from flexmb.errors import InputError
from flexmb.fem.line_sections import LineSections, line_frame
from flexmb.fem.mesh import LineMesh
from flexmb.linalg.strain import Strain
from flexmb.parts.bodies.body import (
    OFF_AXIS,
    RESERVED,
    BodyParts,
    Dof,
    NamedBody,
    initial_velocity,
    node_maps,
    rigid_motions,
)
from flexmb.parts.bodies.linear_body import add_linear_body
from flexmb.parts.bodies.supports import held_dofs, support_marks
from flexmb.state import Array, IntArray

POINT_SNAP = 1e-6
"""Distance, relative to the length of the body, up to which a named point is assigned to a node."""


@dataclass(frozen=True, kw_only=True)
class LineNodes(NamedBody):
    """A body with named nodes along a straight line."""

    @property
    @abstractmethod
    def _nodes(self) -> NodeTable:
        """The nodes and their names."""

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
        """Reference to all nodes of the body."""
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


class StraightBody(LineNodes):
    """A straight flexible body of small displacements; the keys are those of the bodies made from it."""

    velocity: Sequence[float] | Array
    supports: Sequence[Any]
    points: Mapping[str, Any]
    _line: LineMesh
    """Vertices along the axis, position of the first and direction."""
    _x: Array
    """Positions of all nodes along the axis, (n,), m."""

    def dofs(self) -> list[Dof]:
        """Return the unknowns of a node."""
        raise self._incomplete

    def parts(self) -> BodyParts:
        """Return matrices and maps over the free unknowns."""
        raise self._incomplete

    def line_sections(self) -> LineSections:
        """Return the cross-sections between neighbouring nodes."""
        raise self._incomplete

    def add_to(self, builder: Builder) -> None:
        """Add the body to a multibody system; its displacements remain small."""
        add_linear_body(builder, self.name, self.parts())

    def marks(self) -> list[Glyph]:
        """Return the supports, to be drawn."""
        return support_marks(self.supports, self._nodes, self.dofs(), self.name, self._line.direction)

    def _frame(self, orientation: object) -> tuple[Array, Array, Array]:
        """Return the local axes d, y, z; y is the orientation made perpendicular to d."""
        return line_frame(self._line.direction, orientation, self.where)

    @property
    def _nodes(self) -> NodeTable:
        return self._line_nodes

    @property
    def _node_groups(self) -> Mapping[str, IntArray]:
        """Nodes with a name in the mesh file."""
        return {}

    @cached_property
    def _line_nodes(self) -> NodeTable:
        x = self._x
        off_middle = np.abs(x - 0.5 * x[-1])
        # of two nodes equally near up to round-off, the lower
        mid = int(np.flatnonzero(off_middle <= off_middle.min() + 1e-12 * x[-1])[0])
        groups = self._node_groups
        single = {name: int(nodes[0]) for name, nodes in groups.items() if nodes.size == 1}
        named = {"first": 0, "mid": mid, "last": x.size - 1, **single}
        table = NodeTable(0, x.size, dict(named), groups=groups)
        where = f"{self.where}.points"
        if not isinstance(self.points, Mapping):
            message = 'must be a table of names, such as { tip = 1.0, probe = "node(6)" }'
            raise InputError(message, where=where, value=self.points)
        for name, value in self.points.items():
            check_point_name(name, where, RESERVED)
            named[name] = _point(value, table, x, where, name)
        return NodeTable(0, x.size, named, groups=groups)

    def _check_velocity(self) -> None:
        held = self._held()
        v = self._velocity().reshape(held.shape)
        blocked = held & (np.abs(v) > OFF_AXIS * np.abs(self.velocity).max())
        if blocked.any():
            i, j = (int(k) for k in np.argwhere(blocked)[0])
            message = f"a support fixes the {self.dofs()[j].name} motion of node({i})"
            raise InputError(message, where=self.where, key="velocity", value=tuple(self.velocity))

    def _velocity(self) -> Array:
        v = vector(self.velocity, "velocity", self.where)
        return initial_velocity(self.dofs(), self._x.size, v, self.where, self._moves)

    @property
    def total_mass(self) -> float:
        """Mass of the body, kg."""
        raise self._incomplete

    @property
    def _center(self) -> float:
        """Centre of mass, along the axis from the first node, m."""
        raise self._incomplete

    @property
    def _radius(self) -> float:
        """Drawn radius, m."""
        raise self._incomplete

    @property
    def _moves(self) -> str:
        """Description of its possible motion."""
        raise self._incomplete

    @property
    def _incomplete(self) -> TypeError:
        return TypeError(f"{type(self).__name__} is not a body of its own")

    def _held(self) -> np.ndarray:
        """Return which unknowns of the nodes are fixed, (n, len(dofs)) bool."""
        return held_dofs(self.supports, self._nodes, self.dofs(), self.name)

    def _reduce(
        self, M: sparse.csr_array, C: sparse.csr_array, K: sparse.csr_array, strain: Strain, gravity: Array
    ) -> BodyParts:
        """Return the parts over the free unknowns; matrices and gravity (rows) are given over all unknowns."""
        dofs, n = self.dofs(), self._x.size
        held = self._held().ravel()
        if held.all():
            raise InputError("this body has no free unknown", where=self.where, key="supports")
        free = np.flatnonzero(~held)
        where = np.where(held, -1, np.cumsum(~held) - 1)
        points = self._line.origin + self._x[:, None] * self._line.direction
        displacement, rotation = node_maps(dofs, n)
        rigid = rigid_motions(dofs, points)
        shift = sparse.csr_array(sparse.kron(np.ones((1, n)), sparse.eye_array(3))) @ displacement
        M_free, C_free, K_free = (sparse.csr_array(A[free][:, free]) if held.any() else A for A in (M, C, K))
        return BodyParts(
            M=M_free,
            C=C_free,
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
            center=self._line.origin + self._center * self._line.direction,
            radius=self._radius,
            dof_names=_dof_names(self.name, dofs, free),
            named=self._nodes.named,
            rigid_free=rigid[free],
            rigid_held=rigid[held],
            sections=self.line_sections(),
            groups=self._nodes.groups,
        )


def spatial_dofs(d: Array, y: Array, z: Array) -> list[Dof]:
    """Return the six unknowns of a node in a frame: theta_z = dv/dx, theta_y = -dw/dx."""
    return [
        Dof("u", "axial", d),
        Dof("v", "transverse_y", y),
        Dof("w", "transverse_z", z),
        Dof("phi", "torsion", d, turns=True),
        Dof("theta_y", "rotation_y", y, turns=True),
        Dof("theta_z", "rotation_z", z, turns=True),
    ]


def _point(value: object, table: NodeTable, x: Array, where: str, key: str) -> int:
    """Return the node of a named point."""
    if isinstance(value, str):
        node = table.one(value)
        if node is None:
            message = f"names no node; allowed: a distance along the axis, or {table.choices().removesuffix(', all')}"
            raise InputError(message, where=where, key=key, value=value)
        return node
    distance = finite(value, key, where)
    near = int(np.argmin(np.abs(x - distance)))
    if abs(x[near] - distance) > POINT_SNAP * x[-1]:
        message = f"there is no node at this distance along the axis; the nearest is node({near}) at {x[near]:.9g} m"
        raise InputError(message, where=where, key=key, value=value)
    return near


def _dof_names(body: str, dofs: Sequence[Dof], free: np.ndarray) -> tuple[str, ...]:
    letters = [dof.letter for dof in dofs]
    nodes, which = np.divmod(free, len(dofs))
    return tuple(f"{body}.node({i}).{letters[j]}" for i, j in zip(nodes.tolist(), which.tolist(), strict=True))
