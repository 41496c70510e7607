"""Bars and beams of small displacement on lines of any shape: nodes, hinges, unknowns and matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.assembly.glyphs import Glyph
from flexmb.assembly.kinematics import NodeTable
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, check_point_name, finite, numbers
from flexmb.errors import InputError
from flexmb.fem.line_sections import LineSections, beam_stiffness
from flexmb.fem.network_elements import Network
from flexmb.fem.network_mesh import NetworkMesh
from flexmb.parts.bodies.body import OFF_AXIS, RESERVED, BodyParts, Dof, initial_velocity, rigid_motions
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.members import Members, member_sections
from flexmb.parts.bodies.supports import find_nodes, held_dofs, support_marks
from flexmb.state import Array, IntArray

POINT_SNAP = 1e-6
"""Distance, relative to the size of the body, up to which a named point is assigned to a node."""
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}


@dataclass(frozen=True)
class LineNetwork:
    """The lines of one body.

    Parameters
    ----------
    name : str
        Of the body.
    mesh : NetworkMesh
    members : Members
    axes : (m, 3, 3) array
        d, y, z of the lines.
    dofs : sequence of Dof
        Unknowns of a node.
    points_key : mapping
        The key ``points`` of the body.
    hinges : sequence of str
        Nodes or groups of nodes where lines are pinned to each other.
    file : str
        Name of the mesh file.
    """

    name: str
    mesh: NetworkMesh
    members: Members
    axes: Array
    dofs: Sequence[Dof]
    points_key: Mapping[str, Any]
    hinges: Sequence[str]
    file: str

    @property
    def where(self) -> str:
        """Table of the body."""
        return f"bodies.{self.name}"

    @cached_property
    def table(self) -> NodeTable:
        """Nodes and their names."""
        return network_nodes(self.mesh, self.points_key, self.where, self.file)

    @cached_property
    def hinged(self) -> IntArray:
        """Nodes at which every line has its own rotation, ascending."""
        return hinge_nodes(self.hinges, self.table, self.name)

    @cached_property
    def copies(self) -> tuple[IntArray, IntArray]:
        """Ends of the lines among all points, (m, 2), and the node each point is, (n + copies,).

        A hinge consists of as many points as lines; the first is the node itself.
        """
        return hinge_points(self.mesh, self.hinged)

    @cached_property
    def unknowns(self) -> tuple[IntArray, IntArray, int]:
        """Unknowns of the displacements and rotations of all points, (k, p) and (k, r), and their number."""
        p, r, n = self._moving, self._turning, len(self.mesh.points)
        _, node = self.copies
        per_node = p + r
        moves = per_node * node[:, None] + np.arange(p)
        turns = np.empty((node.size, r), dtype=np.int64)
        turns[:n] = per_node * np.arange(n)[:, None] + p + np.arange(r)
        extra = node.size - n
        turns[n:] = per_node * n + np.arange(extra * r).reshape(extra, r)
        return moves, turns, per_node * n + extra * r

    @property
    def _moving(self) -> int:
        return sum(not dof.turns for dof in self.dofs)

    @property
    def _turning(self) -> int:
        return sum(dof.turns for dof in self.dofs)

    @cached_property
    def elements(self) -> Network:
        """The elements over the unknowns."""
        moves, turns, size = self.unknowns
        cells, _ = self.copies
        shift, turn = ([dof.vector for dof in self.dofs if dof.turns == turning] for turning in (False, True))
        return Network(
            length=self.mesh.length,
            axes=self.axes,
            shift=np.array(shift).reshape(-1, 3),
            turn=np.array(turn).reshape(-1, 3),
            moves=moves[cells],
            turns=turns[cells],
            size=size,
        )

    @property
    def total_mass(self) -> float:
        """Mass of the body, kg."""
        return float(np.sum(self.mass_per_length * self.mesh.length))

    @property
    def center(self) -> Array:
        """Centre of mass, (3,), m."""
        middles = self.mesh.points[self.mesh.lines].mean(axis=1)
        return np.asarray((self.mass_per_length * self.mesh.length) @ middles / self.total_mass)

    @property
    def mass_per_length(self) -> Array:
        """Of the lines, (m,), kg/m."""
        return self.members.numbers("density") * self.members.numbers("A")

    def sections(self) -> LineSections:
        """Return the sections of the lines."""
        EA, GJ, EIy, EIz = self._stiffness()
        length = self.mesh.length
        return member_sections(beam_stiffness(EA, GJ, EIy, EIz, length), length, self.axes, self.members)

    def _stiffness(self) -> tuple[Array, Array, Array, Array]:
        """Return EA, GJ, EI_y, EI_z of the lines; zero for deformations that their unknowns exclude."""
        get = self.members.numbers
        nothing = np.zeros(len(self.mesh.lines))
        E = get("young")
        if self._turning == 0:
            return E * get("A"), nothing, nothing, nothing
        if self._turning == 1:
            return E * get("A"), nothing, nothing, E * get("Iz")
        return E * get("A"), get("G") * get("J"), E * get("Iy"), E * get("Iz")

    def held(self, supports: Sequence[Any]) -> np.ndarray:
        """Return which unknowns are fixed, (size,) bool; fixing the rotation of a hinge fixes that of all its lines."""
        by_node = held_dofs(supports, self.table, self.dofs, self.name)
        moves, turns, size = self.unknowns
        _, node = self.copies
        out = np.zeros(size, dtype=np.bool_)
        out[moves] = by_node[node][:, [not dof.turns for dof in self.dofs]]
        out[turns] = by_node[node][:, [dof.turns for dof in self.dofs]]
        return out

    def marks(self, supports: Sequence[Any]) -> list[Glyph]:
        """Return the supports, to be drawn along the first line that ends there."""
        out = []
        for glyph in support_marks(supports, self.table, self.dofs, self.name, AXES["x"]):
            assert isinstance(glyph.a.ref, NodeRef)
            node = int(self.table.index(glyph.a.ref.node)[0])
            line, end = (int(k) for k in np.argwhere(self.mesh.lines == node)[0])
            out.append(Glyph(glyph.kind, glyph.name, glyph.a, glyph.b, self.mesh.along[line] * (1.0 - 2.0 * end)))
        return out

    def velocity(self, velocity: Array, held: np.ndarray, moves: str) -> Array:
        """Return the velocities of all unknowns for a translation; raise if a support fixes them."""
        at_node = initial_velocity(self.dofs, 1, velocity, self.where, moves)
        own, _, size = self.unknowns
        v = np.zeros(size)
        v[own] = at_node[[not dof.turns for dof in self.dofs]]
        blocked = np.flatnonzero(held & (np.abs(v) > OFF_AXIS * np.abs(velocity).max()))
        if blocked.size:
            message = f"a support fixes {self.dof_names()[int(blocked[0])]}"
            raise InputError(message, where=self.where, key="velocity", value=tuple(velocity.tolist()))
        return v

    def dof_names(self) -> list[str]:
        """Return the names of all unknowns."""
        moves, turns, size = self.unknowns
        _, node = self.copies
        names = [""] * size
        seen = np.zeros(len(self.mesh.points), dtype=np.int64)
        letters = [[dof.letter for dof in self.dofs if dof.turns == turning] for turning in (False, True)]
        for i, at in enumerate(node.tolist()):
            copy = f"({seen[at]})" if seen[at] else ""
            seen[at] += 1
            for k, letter in zip(moves[i].tolist(), letters[0], strict=True):
                names[k] = f"{self.name}.node({at}).{letter}"
            for k, letter in zip(turns[i].tolist(), letters[1], strict=True):
                names[k] = f"{self.name}.node({at}).{letter}{copy}"
        return names

    def parts(self, supports: Sequence[Any], velocity: Array, damping: Any, mass: str, moving: str) -> BodyParts:
        """Return matrices and maps over the free unknowns; the arguments are the keys of the body."""
        held = self.held(supports)
        if held.all():
            raise InputError("this body has no free unknown", where=self.where, key="supports")
        free = np.flatnonzero(~held)
        elements, rho_A = self.elements, self.mass_per_length
        strain = elements.strain(*self._stiffness())
        K = strain.matrix()
        rho_Ip = np.nan_to_num(self.members.numbers("density") * self.members.numbers("Ip"))
        M = elements.mass(rho_A, rho_Ip, lumped=mass == "lumped")
        C = Damping.read(damping, f"{self.where}.damping").matrix(M, K)
        displacement, rotation = self._maps()
        _, node = self.copies
        points = self.mesh.points[node]
        rigid = self._rigid(points)
        shift = self._translations()
        where = np.where(held, -1, np.cumsum(~held) - 1)
        names = self.dof_names()
        return BodyParts(
            M=sparse.csr_array(M[free][:, free]),
            C=sparse.csr_array(C[free][:, free]),
            K=sparse.csr_array(K[free][:, free]),
            strain=strain.placed(where, free.size),
            points=points,
            cells=self.copies[0],
            displacement=sparse.csr_array(displacement[:, free]),
            rotation=sparse.csr_array(rotation[:, free]),
            v0=self.velocity(velocity, held, moving)[free],
            gravity=elements.gravity(rho_A)[free],
            momentum=np.asarray((shift.T @ M)[:, free]),
            mass=self.total_mass,
            center=self.center,
            radius=float(np.max([section.values().radius for section, _ in self.members.kinds])),
            dof_names=tuple(names[k] for k in free.tolist()),
            named=self.table.named,
            rigid_free=rigid[free],
            rigid_held=rigid[held],
            sections=self.sections(),
            groups=self.table.groups,
            count=self.table.count,
        )

    def _maps(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the unknowns -> displacements and rotations of all points, (3 k, size) each."""
        moves, turns, size = self.unknowns
        maps = []
        for unknowns, turning in ((moves, False), (turns, True)):
            vectors = np.array([dof.vector for dof in self.dofs if dof.turns == turning]).reshape(-1, 3)
            k, p = unknowns.shape
            rows = 3 * np.arange(k)[:, None, None] + np.arange(3)
            rows = np.broadcast_to(rows, (k, p, 3)).ravel()
            columns = np.broadcast_to(unknowns[:, :, None], (k, p, 3)).ravel()
            values = np.broadcast_to(vectors, (k, p, 3)).ravel()
            on = values != 0.0
            maps.append(sparse.csr_array((values[on], (rows[on], columns[on])), shape=(3 * k, size)))
        return maps[0], maps[1]

    def _rigid(self, points: Array) -> Array:
        """Return the rigid motions over all unknowns, (size, k)."""
        moves, turns, size = self.unknowns
        found = rigid_motions(self.dofs, points).reshape(len(points), len(self.dofs), -1)
        out = np.zeros((size, found.shape[2]))
        out[moves] = found[:, [not dof.turns for dof in self.dofs]]
        out[turns] = found[:, [dof.turns for dof in self.dofs]]
        return np.asarray(np.linalg.qr(out)[0])

    def _translations(self) -> Array:
        """Return the three unit translations over all unknowns, (size, 3)."""
        moves, _, size = self.unknowns
        out = np.zeros((size, 3))
        out[moves] = np.array([dof.vector for dof in self.dofs if not dof.turns])
        return out


def network_nodes(mesh: NetworkMesh, points: object, where: str, file: str) -> NodeTable:
    """Return the nodes of a mesh and their names: ends, groups of the file, the key ``points``."""
    named: dict[str, int] = {}
    if mesh.open_chain:
        along = np.concatenate([[0.0], np.cumsum(mesh.length[_chain_order(mesh)])])
        named = {"first": 0, "mid": int(np.argmin(np.abs(along - 0.5 * along[-1]))), "last": len(mesh.points) - 1}
    groups: dict[str, IntArray] = {}
    check_group_names(mesh, where, file)
    for name, nodes in mesh.nodes_of.items():
        groups[name] = nodes
        if nodes.size == 1:
            named[name] = int(nodes[0])
    if not isinstance(points, Mapping):
        message = 'must be a table of names, such as { tip = [1.0, 0.0, 0.0], probe = "node(6)" }'
        raise InputError(message, where=f"{where}.points", value=points)
    table = NodeTable(0, len(mesh.points), dict(named), groups=groups)
    for name, value in points.items():
        check_point_name(name, f"{where}.points", RESERVED)
        if name in groups:
            message = f"is the name of a group of '{file}' already"
            raise InputError(message, where=f"{where}.points", key=name, value=value)
        named[name] = _point(value, table, mesh, f"{where}.points", name)
    return NodeTable(0, len(mesh.points), named, groups=groups)


def check_group_names(mesh: NetworkMesh, where: str, file: str) -> None:
    """Raise if a group of the file has a name that is not allowed for nodes."""
    for name in mesh.nodes_of:
        try:
            check_name(name, where, RESERVED)
        except InputError as err:
            raise InputError(f"group '{name}' of '{file}': {err.message}", where=where, key="mesh") from None


def _chain_order(mesh: NetworkMesh) -> IntArray:
    return np.argsort(mesh.lines.min(axis=1), kind="stable")


def _point(value: object, table: NodeTable, mesh: NetworkMesh, where: str, key: str) -> int:
    """Return the node of a name, a position or, along a chain, a distance."""
    if isinstance(value, str):
        node = table.one(value)
        if node is None:
            message = f"names no single node; allowed: a position [x, y, z], or {table.choices().removesuffix(', all')}"
            raise InputError(message, where=where, key=key, value=value)
        return node
    size = float(np.ptp(mesh.points, axis=0).max())
    if isinstance(value, Sequence | np.ndarray):
        off = np.linalg.norm(mesh.points - numbers(value, key, where, "three numbers", ((3,),)), axis=1)
    elif mesh.open_chain:
        along = np.concatenate([[0.0], np.cumsum(mesh.length[_chain_order(mesh)])])
        off = np.abs(along - finite(value, key, where))
    else:
        message = "the lines are not a single chain, so a distance along them is not unique; give [x, y, z]"
        raise InputError(message, where=where, key=key, value=value)
    near = int(np.argmin(off))
    if off[near] > POINT_SNAP * size:
        at = ", ".join(f"{x:.9g}" for x in mesh.points[near])
        message = f"there is no node; the nearest is node({near}) at ({at}), {off[near]:.6g} m away"
        raise InputError(message, where=where, key=key, value=value)
    return near


def hinge_nodes(hinges: object, table: NodeTable, name: str) -> IntArray:
    """Return the nodes of the key ``hinges`` of a body, ascending."""
    if isinstance(hinges, str) or not isinstance(hinges, Sequence):
        message = 'must be a list of nodes or groups, such as ["crown", "node(4)"]'
        raise InputError(message, where=f"bodies.{name}", key="hinges", value=hinges)
    found = [find_nodes(ref, table, name, f"bodies.{name}.hinges[{k}]") for k, ref in enumerate(hinges)]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))


def hinge_points(mesh: NetworkMesh, hinged: IntArray) -> tuple[IntArray, IntArray]:
    """Return the ends of the lines among all points, (m, 2), and the node of each: hinges have a point per line."""
    cells, node = mesh.lines.copy(), list(range(len(mesh.points)))
    for i in hinged.tolist():
        for line, end in np.argwhere(mesh.lines == i)[1:].tolist():
            cells[line, end] = len(node)
            node.append(i)
    return cells, np.array(node, dtype=np.int64)


def network_dofs(mesh: NetworkMesh, kind: str, bending: str, where: str) -> list[Dof]:
    """Return the unknowns of a node: along and about the axes of space, or in the plane of a planar frame."""
    moving = [Dof(axis, axis, e) for axis, e in AXES.items()]
    if kind == "bar":
        return moving
    if bending == "spatial":
        return [*moving, *(Dof(f"theta_{axis}", f"rotation_{axis}", e, turns=True) for axis, e in AXES.items())]
    n = mesh.normal
    if n is None:
        message = 'the nodes of the mesh do not lie in a plane, so it bends in space: give bending = "spatial"'
        raise InputError(message, where=where, key="bending", value=bending)
    flat = [dof for dof in moving if abs(dof.vector @ n) < 1e-9]
    if len(flat) < 2:
        first = flat[0].vector if flat else np.cross(n, AXES["z"]) / np.linalg.norm(np.cross(n, AXES["z"]))
        one = flat[0] if flat else Dof("a", "level", first)
        flat = [one, Dof("b", "slope", np.cross(n, first))]
    return [*flat, Dof("theta", "rotation", n, turns=True)]
