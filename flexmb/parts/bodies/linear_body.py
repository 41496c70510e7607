"""Bodies of small displacement (bars, beams, particles) in a multibody system."""

from __future__ import annotations

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker, Picture
from flexmb.kernels.geometry.tables import NODE
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.spin_body import add_spin
from flexmb.state import Array, IntArray

Entries = tuple[IntArray, IntArray, Array]
"""Rows, columns and values of a sparse matrix."""


def add_linear_body(builder: Builder, name: str, parts: BodyParts) -> None:
    """Add a body: its unknowns are displacements, zero at first."""
    maps = _entries(parts)
    iq, iv = builder.add_plain(np.zeros(parts.nv), parts.v0, parts.dof_names, angles=_angles(maps))
    unknowns = iv + np.arange(parts.nv, dtype=np.int64)
    for which, matrix in (("M", parts.M), ("C", parts.C), ("K", parts.K)):
        builder.add_matrix(which, unknowns, matrix)
    weight = parts.gravity @ builder.gravity
    builder.add_force(unknowns, weight, V0=-parts.mass * float(builder.gravity @ parts.center))
    nodes = _places(name, parts, maps, iq, iv)
    spin, momentum = None, parts.momentum
    if parts.spin is not None:
        spin = add_spin(builder, name, parts.spin, unknowns)
    if spin is not None and spin.iv >= 0:  # a free spin is an unknown of the body without displacement of mass
        unknowns, momentum = np.append(unknowns, spin.iv), np.column_stack([momentum, np.zeros(3)])
    builder.add_body(
        BodyInfo(
            name=name,
            nodes=nodes[: parts.nodes],
            named={word: nodes[i] for word, i in parts.named.items()},
            single=parts.single,
            mass=parts.mass,
            unknowns=unknowns,
            picture=_picture(parts, maps, iq, iv),
            momentum_map=momentum,
            center=parts.center if parts.mass else None,
            spin=spin,
            groups={word: [nodes[i] for i in own.tolist()] for word, own in parts.groups.items()},
        )
    )


def _angles(maps: Entries) -> IntArray:
    """Return the unknowns that rotate nodes without displacing any."""
    row, column, _ = maps
    return np.setdiff1d(column[row % 6 >= 3], column[row % 6 < 3])


def _places(name: str, parts: BodyParts, maps: Entries, iq: int, iv: int) -> list[Marker]:
    """Return the nodes; the unknowns of a node are those that move or rotate it."""
    row, column, value = maps
    order = np.lexsort((column, row // 6))
    row, column, value = row[order], column[order], value[order]
    ends = np.searchsorted(row // 6, np.arange(len(parts.points) + 1))
    places = []
    for i, point in enumerate(parts.points):
        its = slice(ends[i], ends[i + 1])
        unknowns, where = np.unique(column[its], return_inverse=True)
        D = np.zeros((unknowns.size, 6))
        D[where, row[its] % 6] = value[its]
        label = name if parts.single else f"{name}.node({i})"
        turns = bool(np.any(D[:, 3:]))
        places.append(Marker(NODE, point, np.eye(3), point, -1, -1, iv + unknowns, iq + unknowns, D, turns, label))
    return places


def _entries(parts: BodyParts) -> Entries:
    """Return the entries of q -> displacement (rows 6 i .. 6 i + 2) and rotation (6 i + 3 .. 6 i + 5) of node i."""
    found = []
    for first, matrix in ((0, parts.displacement), (3, parts.rotation)):
        on = matrix.data != 0.0
        node, axis = np.divmod(np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[on], 3)
        found.append((6 * node + first + axis, matrix.indices[on], matrix.data[on]))
    row, column, value = (np.concatenate(pieces) for pieces in zip(*found, strict=True))
    return row.astype(np.int64), column.astype(np.int64), np.asarray(value, dtype=np.float64)


def _picture(parts: BodyParts, maps: Entries, iq: int, iv: int) -> Picture:
    n = len(parts.points)
    row, column, value = maps
    nowhere = np.full(n, -1, dtype=np.int64)
    return Picture(
        kind=np.full(n, NODE, dtype=np.int64),
        iq=nowhere,
        iv=nowhere,
        local=parts.points,
        lines=parts.cells,
        vertices=parts.vertices,
        radius=parts.radius,
        row=row,
        vdof=iv + column,
        qdof=iq + column,
        value=value,
        sections=parts.sections,
    )
