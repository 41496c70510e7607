"""Bodies and loads of small displacement assembled over one vector of unknowns; what holds them, and what does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.assembly.kinematics import Kinematics, NodeTable
from flexmb.fem.line_sections import joined, unknown
from flexmb.linalg.sparse_blocks import block_diagonal, side_by_side
from flexmb.linalg.strain import Strain, from_columns, stack
from flexmb.parts.bodies.body import Body, BodyParts
from flexmb.parts.loads.bearing import Bearing
from flexmb.parts.loads.terms import LoadPart, LoadTerms
from flexmb.state import Array
from flexmb.system.layout import Layout


@dataclass(frozen=True)
class SmallMotion:
    """Bodies and loads of small displacement over one vector of unknowns.

    Parameters
    ----------
    bodies : mapping of str to BodyParts
    nodes : Kinematics
    terms : mapping of str to LoadTerms
        What the loads add; their springs and dampers are in the matrices.
    springs : _Springs
    M, C, K : (nv, nv) sparse arrays
        Symmetric.
    """

    bodies: dict[str, BodyParts]
    nodes: Kinematics
    terms: dict[str, LoadTerms]
    springs: _Springs
    M: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array

    @property
    def layout(self) -> Layout:
        """Positions of the unknowns in space."""
        return _layout(self.bodies, self.nodes)

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        return tuple(name for b in self.bodies.values() for name in b.dof_names)

    @property
    def start(self) -> Array:
        """Displacements at the start, (nv,), bodies' own ones."""
        return np.concatenate([b.start for b in self.bodies.values()])

    @property
    def strain(self) -> Strain:
        """Return the deformation modes of all bodies and springs."""
        return _strain(self.bodies, self.springs, self.nodes.nv)


def small_motion(parts: Mapping[str, Body], loads: Mapping[str, LoadPart]) -> SmallMotion:
    """Return bodies and loads assembled for small displacements."""
    bodies = {name: body.parts() for name, body in parts.items()}
    nodes = _kinematics(bodies)
    axes = {name: b.spin.axis[:, 0] for name, b in bodies.items() if b.spin is not None}
    for load in loads.values():
        if isinstance(load, Bearing):
            load.check_direction(axes)
    terms = {name: load.terms(nodes) for name, load in loads.items()}
    springs = _Springs(nodes.nv, list(terms.values()))
    M, C, K = (block_diagonal([getattr(b, matrix) for b in bodies.values()]) for matrix in "MCK")
    return SmallMotion(bodies, nodes, terms, springs, tidy(M), tidy(C + springs.C), tidy(K + springs.K))


class _Springs:
    """Springs and dampers of all loads: K += k B B^T, C += c B B^T, and what their preload adds."""

    def __init__(self, nv: int, terms: list[LoadTerms]) -> None:
        B = _columns(nv, [term.column for term in terms])
        k, c, stretch = (
            np.concatenate([np.empty(0), *(np.broadcast_to(getattr(t, key), t.column.shape[1]) for t in terms)])
            for key in ("stiffness", "damping", "stretch")
        )
        stiff, viscous = np.flatnonzero(k), np.flatnonzero(c)
        tables = [term.column for term in terms if term.rotating is not None and term.rotating.holds]
        D, self.G, k, stretch = B[:, viscous], B[:, stiff], k[stiff], stretch[stiff]
        self.K = sparse.csr_array((self.G * k) @ self.G.T)
        self.strain = from_columns(self.G, k)
        self.C = sparse.csr_array((D * c[viscous]) @ D.T)
        self.F0: Array = -np.asarray(self.G @ (k * stretch))
        self.V0 = 0.5 * float(np.sum(k * stretch**2))
        self.held = _columns(nv, [self.G, *tables])  # what a spring or a bearing over the speed resists


def _strain(bodies: dict[str, BodyParts], springs: _Springs, nv: int) -> Strain:
    """Return the deformation modes of all bodies and springs."""
    parts, first = [], 0
    for b in bodies.values():
        if b.strain.D.size:
            parts.append(b.strain.placed(first + np.arange(b.nv), nv))
        first += b.nv
    return stack([*parts, springs.strain], nv)


def _columns(nv: int, columns: list[sparse.csc_array]) -> sparse.csc_array:
    """Return columns side by side, (nv, k), k = 0 allowed."""
    return side_by_side(nv, [sparse.csc_array(column) for column in columns])


def tidy(A: sparse.csr_array) -> sparse.csr_array:
    """Return A without stored zeros, indices sorted."""
    A = sparse.csr_array(A)
    A.sum_duplicates()
    A.eliminate_zeros()
    A.sort_indices()
    return A


def _kinematics(bodies: dict[str, BodyParts]) -> Kinematics:
    tables, first = {}, 0
    for name, b in bodies.items():
        tables[name] = NodeTable(first, b.nodes, b.named, b.single, b.groups)
        first += len(b.points)
    return Kinematics(
        points=np.concatenate([b.points for b in bodies.values()]),
        displacement=tidy(block_diagonal([b.displacement for b in bodies.values()])),
        rotation=tidy(block_diagonal([b.rotation for b in bodies.values()])),
        bodies=tables,
    )


def _layout(bodies: dict[str, BodyParts], nodes: Kinematics) -> Layout:
    firsts = [table.first for table in nodes.bodies.values()]
    parts = list(bodies.values())
    vertices = np.concatenate([b.vertices + first for first, b in zip(firsts, parts, strict=True)])
    return Layout(
        points=nodes.points,
        cells=np.concatenate([b.cells + first for first, b in zip(firsts, parts, strict=True)]),
        vertices=vertices,
        body_of_point=np.repeat(np.arange(len(parts)), [len(b.points) for b in parts]).astype(np.int64),
        bodies=tuple(bodies),
        displacement=nodes.displacement,
        rotation=nodes.rotation,
        radius_of_cell=np.concatenate([np.full(len(b.cells), b.radius) for b in parts]),
        sections=joined([unknown(len(b.cells), b.radius) if b.sections is None else b.sections for b in parts]),
    )


def loose_body(bodies: dict[str, BodyParts], G: sparse.csc_array) -> str:
    """Return a body that can move without elastic energy, "" when there is none.

    Exact where a pivot of K would not be (fine meshes are as ill-conditioned as singular ones): a strain-free motion
    of the bodies that moves no support and stretches no spring is looked for.
    """
    sizes = [b.rigid_free.shape[1] for b in bodies.values()]
    if not any(sizes):
        return ""
    held = sparse.block_diag([sparse.coo_array(b.rigid_held) for b in bodies.values()]).toarray()
    free = sparse.block_diag([sparse.coo_array(b.rigid_free) for b in bodies.values()], format="csr")
    # zero rows make sure that there are as many singular values as motions
    conditions = np.vstack([held, (G.T @ free).toarray(), np.zeros((sum(sizes), sum(sizes)))])
    _, values, right = np.linalg.svd(conditions, full_matrices=False)
    if values[-1] > max(1e-9 * values[0], 1e-11):  # a rotor's own strains are round-off here, not zero
        return ""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return list(bodies)[int(owner[int(np.argmax(np.abs(right[-1])))])]
