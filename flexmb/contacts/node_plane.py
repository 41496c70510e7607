"""Contact of nodes with a plane, fixed or moving as prescribed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
from scipy import sparse

from flexmb.contacts.rows import ContactRows, Motion, check_restitution, movable
from flexmb.errors import InputError
from flexmb.fem.checks import check_name, unit, vector
from flexmb.fem.kinematics import Kinematics
from flexmb.fem.node_ref import NodeRef
from flexmb.loads.time_functions import time_function
from flexmb.state import Array, IntArray

Ref = NodeRef | str


@dataclass(frozen=True, kw_only=True)
class NodePlane:
    """Nodes stay on the allowed side of a plane: g = n.(x - p) - (n.d) s(t) >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    node : NodeRef or str, optional
        One node; or
    nodes : NodeRef, str or sequence of them, optional
        several, e.g. ``"rod.all"``. Of several, nodes that cannot move along the normal (supported, or of a bar
        perpendicular to it) are an error if they start inside. Otherwise they are left out if the plane stays
        where it is; if it moves they are watched, and the run fails when the plane reaches one.
    point : (3,) array_like
        p, a point of the plane, m.
    normal : (3,) array_like
        n, points to the allowed side; any length.
    restitution : float
        Newton's coefficient, 0 to 1.
    motion : time function, table or number, optional
        s(t), displacement of the plane, m; must be continuous.
    motion_direction : (3,) array_like, optional
        d, direction of s; by default the normal.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "node-plane"

    name: str = field(kw_only=False)
    node: Ref | None = None
    nodes: Ref | Sequence[Ref] | None = None
    point: Sequence[float] | Array = (0.0, 0.0, 0.0)
    normal: Sequence[float] | Array
    restitution: float = 0.0
    motion: Motion | Mapping[str, Any] | float | None = None
    motion_direction: Sequence[float] | Array | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        if (self.node is None) == (self.nodes is None):
            raise InputError("needs either node or nodes", where=self.where, key="node", value=self.node)
        vector(self.point, "point", self.where)
        unit(self.normal, "normal", self.where)
        check_restitution(self.restitution, self.where)
        for key, ref in self._refs():
            NodeRef.parse(ref, self.where, key)
        self._motion  # noqa: B018  (checks its keys)
        if self.motion_direction is not None:
            unit(self.motion_direction, "motion_direction", self.where)
            if self.motion is None:
                message = "has no meaning without motion"
                raise InputError(message, where=self.where, key="motion_direction", value=self.motion_direction)

    @property
    def where(self) -> str:
        """Where this contact stands in a case file."""
        return f"contacts.{self.name}"

    @cached_property
    def _motion(self) -> Motion | None:
        """The motion as a function, whatever way it was given."""
        given = self.motion
        if given is None or (callable(getattr(given, "value", None)) and callable(getattr(given, "rate", None))):
            return cast("Motion | None", given)
        return time_function(given, f"{self.where}.motion")

    def _refs(self) -> list[tuple[str, object]]:
        if self.node is not None:
            return [("node", self.node)]
        if isinstance(self.nodes, Sequence) and not isinstance(self.nodes, str):
            if not self.nodes:
                raise InputError("must name at least one node", where=self.where, key="nodes", value=self.nodes)
            return [("nodes", ref) for ref in self.nodes]
        return [("nodes", self.nodes)]

    def _points(self, nodes: Kinematics) -> IntArray:
        found = np.concatenate([nodes.resolve(ref, self.where, key) for key, ref in self._refs()])
        if self.node is not None and found.size != 1:
            message = f"means {found.size} nodes; several go under the key nodes"
            raise InputError(message, where=self.where, key="node", value=str(self.node))
        values, counts = np.unique(found, return_counts=True)
        if counts.max() > 1:
            twice = nodes.labels([int(values[counts.argmax()])])[0]
            raise InputError(f"node {twice} is named twice", where=self.where, key="nodes")
        return found

    def rows(self, nodes: Kinematics, t0: float) -> ContactRows:
        """Return one row per node; ``t0`` is the time the run starts at."""
        n, p = unit(self.normal, "normal", self.where), vector(self.point, "point", self.where)
        motion, coef = self._motion, 0.0
        if motion is not None:
            d = n if self.motion_direction is None else unit(self.motion_direction, "motion_direction", self.where)
            coef = -float(n @ d)
        points = self._points(nodes)
        g0 = (nodes.points[points] - p) @ n
        G = nodes.columns(points, n)
        moves = movable(G)
        if not moves.all():
            start = g0 + (coef * float(motion.value(t0)) if motion is not None else 0.0)
            self._refuse(nodes, points, moves, start)
            if abs(coef) <= 1e-15:  # no motion, or none along the normal: the gap of such a node never changes
                points, g0, G = points[moves], g0[moves], sparse.csc_array(G[:, np.flatnonzero(moves)])
            else:  # exactly zero: a direction of round-off size would let a huge impulse "move" the node
                G = sparse.csc_array(G @ sparse.diags_array(moves.astype(np.float64)))
                G.eliminate_zeros()
        single = self.node is not None
        labels = [self.name] if single else [f"{self.name}[{label}]" for label in nodes.labels(points)]
        return ContactRows(labels, points, g0, G, float(self.restitution), motion, coef)

    def _refuse(self, nodes: Kinematics, points: IntArray, moves: np.ndarray, start: Array) -> None:
        """Raise unless the nodes that cannot move along the normal start on the allowed side, beside others."""
        stuck = np.flatnonzero(~moves)
        scale = max(1e-300, float(np.abs(nodes.points).max()))
        inside = stuck[start[stuck] < -1e-12 * scale]
        if self.node is not None or stuck.size == points.size:
            label = nodes.labels([int(points[stuck[0]])])[0]
            message = f"node {label} cannot move along the normal (supported, or a bar perpendicular to it)"
            raise InputError(message, where=self.where, key="node" if self.node is not None else "nodes")
        if inside.size:
            i = int(inside[0])
            label = nodes.labels([int(points[i])])[0]
            message = f"node {label} is {-start[i]:.6g} m inside and cannot move along the normal"
            raise InputError(message, where=self.where, key="nodes")
