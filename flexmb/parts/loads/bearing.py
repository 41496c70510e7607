"""Bearing or seal between a rotor and another body, or the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import BEARING, End, Glyph
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.markers import Marker, ground
from flexmb.assembly.node_ref import NodeRef
from flexmb.assembly.rotors import bearing_table
from flexmb.checks.values import check_name, nearest, unit
from flexmb.errors import InputError
from flexmb.fem.line_sections import line_frame
from flexmb.kernels.geometry.tables import GROUND, NODE
from flexmb.parts.bearing_law import BearingLaw, bearing_law
from flexmb.parts.loads.terms import LoadTerms, RotatingTerms
from flexmb.parts.part import Part
from flexmb.parts.speed_history import SpeedHistory, SpeedRange
from flexmb.parts.speed_table import SpeedTable
from flexmb.state import Array, IntArray

OFF_AXIS = 1e-6
"""Sine of the angle between a bearing and its rotor that counts as zero."""


@dataclass(frozen=True, kw_only=True)
class Bearing(Part):
    """Bearing with force -K x - C x' on ``node``, x its motion relative to ``to``: (v, w) or (v, w, theta_y, theta_z).

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    node : NodeRef or str
        Node of the rotor.
    to : NodeRef or str
        Node of another body of small displacement (a particle, a beam, another rotor), or "ground".
    stiffness, damping : float or array_like
        A number, a 2 x 2 or a 4 x 4 matrix; with ``speed`` also a list of these. See ``RotorBearing``.
    speed : (ns,) array_like, optional
        Increasing speeds of a table, rad/s.
    rotor : str, optional
        The rotor that defines the speed; by default the body of ``node``.
    direction : (3,) array_like
        Axis of the bearing; must be that of its rotors.
    orientation : (3,) array_like, optional
        Local y of the bearing, as for rotors.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "bearing"

    node: NodeRef | str
    to: NodeRef | str = "ground"
    stiffness: float | Sequence[Any] | Array = 0.0
    damping: float | Sequence[Any] | Array = 0.0
    speed: Sequence[float] | Array | None = None
    rotor: str | None = None
    direction: Sequence[float] | Array = (1.0, 0.0, 0.0)
    orientation: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        NodeRef.parse(self.node, self.where)
        NodeRef.parse(self.to, self.where, "to")
        if self.rotor is not None and not isinstance(self.rotor, str):
            raise InputError("must be the name of a rotor", where=self.where, key="rotor", value=self.rotor)
        self.law()
        self.axes()

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return springs and dampers along the principal axes of the symmetric parts, and the remaining terms."""
        law, B = self.law(), self.motions(nodes)
        rotor = self.rotor_name(list(nodes.bodies))
        zero = sparse.csr_array((nodes.nv, nodes.nv))
        if law.speed is not None:
            unknowns = np.unique(B.indices).astype(np.int64)
            table = self._table(law, unknowns, B.toarray()[unknowns])
            return LoadTerms(B, rotating=RotatingTerms(rotor, self.where, zero, zero, table))
        (k, U), (c, V) = (np.linalg.eigh(0.5 * (A[0] + A[0].T)) for A in (law.K, law.C))
        rotating = None
        if _unsymmetric(law):
            skew_damping, cross = (sparse.csr_array(B @ (0.5 * (A[0] - A[0].T)) @ B.T) for A in (law.C, law.K))
            rotating = RotatingTerms(rotor, self.where, skew_damping, cross, None)
        columns = sparse.csc_array(sparse.hstack([sparse.csc_array(B @ U), sparse.csc_array(B @ V)], format="csc"))
        none = np.zeros(law.size)
        return LoadTerms(
            columns, stiffness=np.concatenate([k, none]), damping=np.concatenate([none, c]), rotating=rotating
        )

    def motions(self, nodes: Kinematics) -> sparse.csc_array:
        """Return B, (nv, m): the m resisted motions x are B^T q."""
        y, z = self.axes()
        at = nodes.one(self.node, self.where)
        other = None if str(self.to) == "ground" else nodes.one(self.to, self.where, "to")
        self._check_ends(at == other)
        pieces = []
        for turns, axis in ((False, y), (False, z), (True, y), (True, z))[: self.law().size]:
            along = nodes.moment_columns if turns else nodes.columns
            pieces.append(along([at], axis))
            if other is not None:
                pieces[-1] = sparse.csc_array(pieces[-1] - along([other], axis))
        return sparse.csc_array(sparse.hstack(pieces, format="csc"))

    def marks(self) -> list[Glyph]:
        """Return its symbol, to be drawn."""
        other = End() if str(self.to) == "ground" else End(self.to)
        return [Glyph(BEARING, self.name, End(self.node), other, unit(self.direction, "direction", self.where))]

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system."""
        law, (y, z) = self.law(), self.axes()
        self.check_direction({name: b.spin.axis for name, b in builder.bodies.items() if b.spin is not None})
        at = builder.place(self.node, self.where)
        other = ground(at.position) if str(self.to) == "ground" else builder.place(self.to, self.where, "to")
        self._check_ends(other.kind == NODE and np.array_equal(at.dof, other.dof))
        blocks = [sign * self._moved(place, key, y, z)[:, : law.size] for place, key, sign in _ends(at, other)]
        index, B = np.concatenate([at.dof, other.dof]), np.vstack(blocks)
        rotor = self.rotor_name(list(builder.bodies))
        if law.speed is None:
            K, C = (B @ A[0] @ B.T for A in (law.K, law.C))
            builder.add_matrix("K", index, 0.5 * (K + K.T))
            builder.add_matrix("C", index, 0.5 * (C + C.T))
            if _unsymmetric(law):
                self._spin_angle(builder, rotor)
                entry = np.column_stack([np.repeat(index, index.size), np.tile(index, index.size)])
                value = np.zeros((len(entry), 5))
                value[:, 2], value[:, 3] = (0.5 * (A - A.T).ravel() for A in (C, K))
                some = value.any(axis=1)
                builder.add_to_rotor(rotor, (entry[some], value[some]), ())
            return
        angle, start = self._spin_angle(builder, rotor)
        table = self._table(law, index, B)
        covers = SpeedRange(float(law.speed[0]), float(law.speed[-1]), "the table of the bearing")
        covers.check(start, start, self.where)
        if angle is not None:
            history = SpeedHistory(time=angle.time, speed=angle.speed, tables=[covers])
            builder.spans.append((self.where, history))
        K0 = table.at(start)[0]
        K0 = 0.5 * (K0 + K0.T)
        builder.add_matrix("K", index, K0)
        none = (np.zeros((0, 2), dtype=np.int64), np.zeros((0, 5)))
        builder.add_to_rotor(rotor, none, [bearing_table(self.where, index, table.speed, table.K, table.C, K0)])

    def check_direction(self, axes: Mapping[str, Array]) -> None:
        """Raise unless the rotors at its ends, whose axes are given by name, rotate about its own axis."""
        d = unit(self.direction, "direction", self.where)
        for end in (self.node, self.to):
            name = NodeRef.parse(end, self.where).body
            if name in axes and np.linalg.norm(np.cross(d, axes[name])) > OFF_AXIS:
                message = f"is not along the axis of '{name}', {tuple(np.round(axes[name], 9).tolist())}"
                raise InputError(message, where=self.where, key="direction", value=tuple(self.direction))

    def law(self) -> BearingLaw:
        """Return stiffness and damping as matrices."""
        return bearing_law(self.stiffness, self.damping, self.speed, self.where)

    def axes(self) -> tuple[Array, Array]:
        """Return the axes y and z."""
        d = unit(self.direction, "direction", self.where)
        _, y, z = line_frame(d, self.orientation, self.where)
        return y, z

    def _check_ends(self, same: bool) -> None:
        if same:
            raise InputError("both ends are the same node", where=self.where, key="to", value=str(self.to))

    def rotor_name(self, bodies: list[str]) -> str:
        """Return the body whose speed determines the law."""
        name = NodeRef.parse(self.node, self.where).body if self.rotor is None else self.rotor
        if name not in bodies:
            message = f"there is no body '{name}'{nearest(name, bodies)}; bodies: {', '.join(bodies)}"
            raise InputError(message, where=self.where, key="rotor", value=self.rotor)
        return name

    def _spin_angle(self, builder: Builder, rotor: str) -> tuple[SpeedHistory | None, float]:
        """Return the angle of the rotor (None if it is free) and its speed at the start."""
        spin = builder.bodies[rotor].spin
        if spin is None:
            raise no_rotor(rotor, [name for name, b in builder.bodies.items() if b.spin is not None], self.where)
        if not isinstance(spin.angle, SpeedHistory):
            return None, float(builder.v0[spin.iv])
        return spin.angle, float(spin.angle.rate(builder.t0))

    def _moved(self, place: Marker, key: str, y: Array, z: Array) -> Array:
        """Return the motion of a place per unknown along y and z and about them, (k, 4)."""
        if place.kind not in (NODE, GROUND):
            message = "must be a node of a body of small displacement (a particle, a beam, a rotor)"
            raise InputError(message, where=self.where, key=key, value=str(getattr(self, key)))
        axes = np.column_stack([y, z])
        return np.hstack([place.D[:, :3] @ axes, place.D[:, 3:] @ axes])

    def _table(self, law: BearingLaw, unknowns: IntArray, B: Array) -> SpeedTable:
        """Return the law over the unknowns that B (k, m) maps to its motions."""
        assert law.speed is not None
        return SpeedTable(self.where, unknowns, law.speed, B @ law.K @ B.T, B @ law.C @ B.T)


def no_rotor(name: str, rotors: Sequence[str], where: str) -> InputError:
    """Return the error that a body whose speed a bearing needs does not spin."""
    message = "a bearing whose matrices are not symmetric or depend on the speed needs a rotor"
    return InputError(f"{message}; rotors: {', '.join(rotors) or 'none'}", where=where, key="rotor", value=name)


def _ends(at: Marker, other: Marker) -> tuple[tuple[Marker, str, float], tuple[Marker, str, float]]:
    return (at, "node", 1.0), (other, "to", -1.0)


def _unsymmetric(law: BearingLaw) -> bool:
    return any(bool(np.any(A.transpose(0, 2, 1) != A)) for A in (law.K, law.C))
