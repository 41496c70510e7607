"""Geometrically exact beams on lines of any shape: frames at the nodes, axes of each element, ball joints.

The frames of all nodes start along the axes of space. An element refers to them by markers that start along its own
axes d, y, z at both of its ends: so it is straight and without strain at the start for any neighbours, and curvature of
the mesh is represented by the angles between elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker, Picture, on_frame
from flexmb.fem.beam import assemble_elements
from flexmb.fem.line_sections import ROUND
from flexmb.kernels.geometry.tables import ALONG, FRAME
from flexmb.parts.bodies.beam_properties import BeamProperties
from flexmb.parts.bodies.line_network import LineNetwork
from flexmb.parts.bodies.members import member_sections
from flexmb.state import Array, IntArray

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


class RigidMotion(NamedTuple):
    """Motion of a body at the start: ``velocity`` of the point ``about`` (None: the first node) and ``spin``."""

    velocity: Array
    spin: Array
    about: Array | None

    def at(self, points: Array) -> Array:
        """Return the velocities of points, (n, 3), the first of which is the first node."""
        arm = points - (points[0] if self.about is None else self.about)
        return np.asarray(self.velocity + np.cross(self.spin, arm))


def add_exact_network(
    builder: Builder,
    name: str,
    network: LineNetwork,
    properties: Sequence[BeamProperties],
    beta: float,
    mass: str,
    motion: RigidMotion,
    *,
    round_lines: bool,
) -> None:
    """Add frames, inertia, weight, elements and hinges to a multibody system; ``properties`` are those of the lines.

    ``round_lines``: draw them by the radius of their properties, not by their sections.
    """
    cells, node = network.copies
    points = network.mesh.points[node]
    places = []
    for point, v, at in zip(points, motion.at(points), node.tolist(), strict=True):
        label = f"{name}.node({at})"
        iq, frame_v = builder.add_frame(point, UNTURNED, v, motion.spin, label)
        places.append(on_frame(iq, frame_v, point, np.eye(3), np.zeros(3), label))
    iv = np.array([place.iv for place in places], dtype=np.int64)
    rows = iv[:, None] + np.arange(3)
    _add_inertia(builder, network, properties, rows, mass)
    for k, (a, b) in enumerate(cells.tolist()):
        A, B = (builder.marker(places[end], network.axes[k]) for end in (a, b))
        builder.add_beam(
            A,
            B,
            length=float(network.mesh.length[k]),
            D=properties[k].D,
            gamma0=np.array([1.0, 0.0, 0.0]),
            kappa0=np.zeros(3),
            beta=beta,
        )
    _add_hinges(builder, name, places, node)
    count = network.table.count
    builder.add_body(
        BodyInfo(
            name=name,
            nodes=places[:count],
            named={word: places[i] for word, i in network.table.named.items()},
            single=False,
            mass=float(np.sum([p.rho_A for p in properties] * network.mesh.length)),
            unknowns=(iv[:, None] + np.arange(6)).ravel(),
            picture=_picture(places, cells, network, properties, round_lines),
            momentum_rows=rows,
            groups={word: [places[i] for i in own.tolist()] for word, own in network.table.groups.items()},
        )
    )


def _add_inertia(
    builder: Builder, network: LineNetwork, properties: Sequence[BeamProperties], rows: IntArray, mass: str
) -> None:
    cells, _ = network.copies
    n, line_mass = len(rows), np.array([p.rho_A for p in properties]) * network.mesh.length
    share = np.bincount(cells.ravel(), np.repeat(0.5 * line_mass, 2), minlength=n)
    unit = np.array([[0.5, 0.0], [0.0, 0.5]]) if mass == "lumped" else np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    M = assemble_elements(line_mass[:, None, None] * unit, cells, n)
    builder.add_matrix("M", rows.ravel(), sparse.kron(M, sparse.eye_array(3)))
    inertia = np.zeros((n, 3, 3))
    halves = network.elements.rotary(np.array([p.rotary for p in properties]))
    for end in (0, 1):
        np.add.at(inertia, cells[:, end], halves)
    builder.add_matrix("M", (rows + 3).ravel(), sparse.block_diag(list(inertia)))
    # the positions are absolute, so the potential is -m a . x without a constant
    builder.add_force(rows.ravel(), np.outer(share, builder.gravity).ravel())


def _add_hinges(builder: Builder, name: str, places: Sequence[Marker], node: IntArray) -> None:
    """Constrain the points of every hinge to each other along the axes of space."""
    for i in range(len(node)):
        at = int(node[i])
        if i == at:
            continue
        A, B = builder.marker(places[at]), builder.marker(places[i])
        group = builder.begin_joint(f"{name}-node-{at}-{i}")
        group.points.append((B, A))
        for label, e in zip("xyz", np.eye(3), strict=True):
            builder.add_row(group, ALONG, (A, B, 0), label, a=e)


def _picture(
    places: Sequence[Marker],
    cells: IntArray,
    network: LineNetwork,
    properties: Sequence[BeamProperties],
    by_radius: bool,
) -> Picture:
    n = len(places)
    stiffness = np.array([p.D for p in properties])
    sections = member_sections(stiffness, network.mesh.length, network.axes, network.members)
    if by_radius:
        radius = np.array([[p.radius, 0.0] for p in properties])
        sections = replace(sections, outline=np.full(len(cells), ROUND, dtype=np.int64), size=radius)
    return Picture(
        kind=np.full(n, FRAME, dtype=np.int64),
        iq=np.array([place.iq for place in places], dtype=np.int64),
        iv=np.array([place.iv for place in places], dtype=np.int64),
        local=np.zeros((n, 3)),
        lines=cells,
        radius=max(p.radius for p in properties),
        sections=sections,
    )
