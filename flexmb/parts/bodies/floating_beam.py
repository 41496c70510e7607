"""Floating beam: large motion of a beam whose deformation, seen from its own frame, stays small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from flexmb.assembly.bending import Bending
from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo
from flexmb.assembly.node_ref import parse_local
from flexmb.checks.values import located, positive, vector, whole
from flexmb.errors import InputError
from flexmb.fem.beam_points import beam_points
from flexmb.fem.craig_bampton import FlexibleModes, craig_bampton
from flexmb.fem.floating_integrals import FloatingIntegrals, floating_integrals
from flexmb.kernels.geometry.rotation import quaternion_of
from flexmb.parts.bodies.beam import Beam
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.floating_markers import floating_picture, floating_places
from flexmb.parts.bodies.large_beam import LargeBeam
from flexmb.parts.bodies.line import LineKeys
from flexmb.state import Array, IntArray

BEAM_KEYS = (*(key.name for key in fields(LineKeys) if key.name != "name"), "orientation")
"""Keys with the meaning they have for ``Beam``."""


@dataclass(frozen=True, kw_only=True)
class FloatingBeam(LargeBeam):
    """Beam in a floating frame of reference: any rigid-body motion, with small bending, stretching and torsion.

    The frame has the axes of ``Beam`` (d, y, z) and its origin at the center of mass of the undeformed beam.
    The deformation in it is a sum of ``modes`` normal modes and the static modes of the interface nodes, without
    rigid-body motions (Craig-Bampton); the modes carry neither momentum nor, to first order, angular momentum.
    Unknowns: the frame and one number per mode. Parameters as for ``Beam`` (``length`` ... ``points``), and those
    below.

    Strains are linear in the modes, so that tension does not stiffen bending: use an exact beam for rotation near the
    lowest frequency, or for deflections above a tenth of the length.

    Parameters
    ----------
    velocity : (3,) array_like
        Initial velocity of the frame's origin, m/s.
    angular_velocity : (3,) array_like
        Initial angular velocity in space, rad/s.
    modes : int
        Number of normal modes with fixed interface.
    interface : sequence of str
        Nodes with joints, loads and contacts: ``"first"``, ``"mid"``, ``"last"``, ``"node(3)"`` or a point.
        Each adds six static modes. Without any: modes of the free beam.
    max_frequency : float, optional
        Modes above it, Hz, are omitted; they require small time steps and contribute little.
    """

    kind: ClassVar[str] = "floating-beam"
    bytes_per_element: ClassVar[int] = 40_000

    modes: int = 6
    interface: Sequence[str] = ("first", "last")
    max_frequency: float | None = None

    def __post_init__(self) -> None:
        if self._beam._network is not None:  # checks its keys as well
            message = "a floating beam is one straight line; lines of another shape are beams or exact beams"
            raise InputError(message, where=self.where, key="mesh", value=str(self.mesh))
        vector(self.angular_velocity, "angular_velocity", self.where)
        whole(self.modes, "modes", self.where, least=0)
        if self.max_frequency is not None:
            positive(self.max_frequency, "max_frequency", self.where)
        self._interface_nodes()

    def flexible_modes(self) -> FlexibleModes:
        """Return the modes over the unknowns of a free spatial ``Beam``."""
        parts = self._beam.parts()
        unknowns = (6 * self._interface_nodes()[:, None] + np.arange(6)).ravel()
        with located(self.where):
            return craig_bampton(parts.M, parts.K, unknowns, self.modes, parts.rigid_free, self.max_frequency)

    def integrals(self, modes: FlexibleModes) -> FloatingIntegrals:
        """Return the inertia of the beam in its frame."""
        beam = self._beam
        values, density = beam._section.values(), beam._material.density
        assert values.Ip is not None
        field_points = beam_points(beam._line.x)
        s = np.zeros((field_points.x.size, 3))
        s[:, 0] = field_points.x - 0.5 * beam._x[-1]
        return floating_integrals(
            s,
            density * values.A * field_points.weight,
            (field_points.displacement @ modes.shapes).reshape(s.shape[0], 3, modes.omega.size),
            density * values.Ip * field_points.weight,
            field_points.torsion @ modes.shapes,
        )

    def add_to(self, builder: Builder) -> None:
        """Add frame, modes and nodes to a model of large motion."""
        beam, modes = self._beam, self.flexible_modes()
        m, A, center = modes.omega.size, np.column_stack(beam.frame()), beam.parts().center
        omega = A.T @ vector(self.angular_velocity, "angular_velocity", self.where)
        velocity = vector(self.velocity, "velocity", self.where)
        frame_q, frame_v = builder.add_frame(center, quaternion_of(A), velocity, omega, self.name)
        names = [f"{self.name}.mode({k + 1})" for k in range(m)]
        mode_q, mode_v = builder.add_plain(np.zeros(m), np.zeros(m), names)
        start = (frame_q, frame_v, mode_q, mode_v)
        damping = Damping.read(self.damping, f"{self.where}.damping")
        builder.add_floating(
            **dict(zip(("frame_q", "frame_v", "mode_q", "mode_v"), start, strict=True)),
            modes=m,
            **self.integrals(modes)._asdict(),
            K=np.diag(modes.omega**2),
            C=np.diag(damping.alpha + damping.beta * modes.omega**2),
        )
        n = beam._x.size
        local = np.zeros((n, 3))
        local[:, 0] = beam._x - 0.5 * beam._x[-1]
        D = _node_shapes(modes, n)
        builder.bends.append(Bending.of(self.name, mode_q, local[:, 0], D))
        labels = [f"{self.name}.node({i})" for i in range(n)]
        places = floating_places(start, center, A, local, D, labels, np.zeros(m))
        lines = np.column_stack([np.arange(n - 1), np.arange(1, n)]).astype(np.int64)
        sections = replace(
            beam.line_sections(), axes=np.tile(np.eye(3), (n - 1, 1, 1))
        )  # the frame has the beam's axes
        builder.add_body(
            BodyInfo(
                name=self.name,
                nodes=places,
                named={name: places[i] for name, i in beam._nodes.named.items()},
                single=False,
                mass=beam.total_mass,
                unknowns=np.concatenate([frame_v + np.arange(6), mode_v + np.arange(m)]).astype(np.int64),
                picture=floating_picture(start, local, D, lines, beam._section.values().radius, sections),
                momentum_rows=frame_v + np.arange(3, dtype=np.int64)[None, :],
            )
        )

    @cached_property
    def _beam(self) -> Beam:
        """The beam of small displacements that gives matrices and nodes."""
        return Beam(self.name, bending="spatial", **{key: getattr(self, key) for key in BEAM_KEYS})

    def _interface_nodes(self) -> IntArray:
        """Return the nodes of the interface, each once."""
        table = self._beam._nodes
        if isinstance(self.interface, str) or not isinstance(self.interface, Sequence):
            message = 'must be a list of nodes, such as ["first", "last"]'
            raise InputError(message, where=self.where, key="interface", value=self.interface)
        nodes: set[int] = set()
        for text in self.interface:
            local = parse_local(text) if isinstance(text, str) else None
            try:
                nodes.update(table.index("" if local is None else local).tolist())
            except KeyError:
                message = f"names no node; it has {table.choices()}"
                raise InputError(message, where=self.where, key="interface", value=text) from None
        return np.array(sorted(nodes), dtype=np.int64)


def _node_shapes(modes: FlexibleModes, n: int) -> Array:
    """Return displacement and rotation of the nodes per mode along the axes of the beam, (n, m, 6)."""
    return np.ascontiguousarray(modes.shapes.reshape(n, 6, modes.omega.size).transpose(0, 2, 1))
