"""All nodes of a model and their dependence on the unknowns, the basis of loads and contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from flexmb.assembly.node_ref import NodeRef, no_such_body, parse_local
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class NodeTable:
    """The nodes of one body.

    Parameters
    ----------
    first : int
        Its first point among all points.
    count : int
        Number of its nodes.
    named : mapping of str to int
        ``first``, ``mid``, ``last`` and the user's points, as indices within the body.
    single : bool
        Whether the body is one point (a particle), referred to by the name of the body.
    groups : mapping of str to int array
        Names of several nodes at once.
    """

    first: int
    count: int
    named: Mapping[str, int]
    single: bool = False
    groups: Mapping[str, IntArray] = field(default_factory=dict)

    def index(self, node: int | str) -> IntArray:
        """Return the indices of ``node`` within the body; KeyError if there is none."""
        if node == "all":
            return np.arange(self.count, dtype=np.int64)
        if isinstance(node, str) and node in self.groups:
            return np.asarray(self.groups[node], dtype=np.int64)
        if isinstance(node, str):
            return np.array([self.named[node]], dtype=np.int64)
        if not 0 <= node < self.count:
            raise KeyError(node)
        return np.array([node], dtype=np.int64)

    def one(self, name: str) -> int | None:
        """Return the node within the body of a name; None if it means none or several."""
        local = parse_local(name)
        try:
            found = self.index("" if local is None else local)
        except KeyError:
            return None
        return int(found[0]) if found.size == 1 else None

    def choices(self) -> str:
        """Return a text that lists the nodes."""
        return ", ".join([f"node(0) ... node({self.count - 1})", *dict.fromkeys((*self.named, *self.groups)), "all"])


@dataclass(frozen=True)
class Kinematics:
    """Reference positions and linear maps of all nodes.

    Parameters
    ----------
    points : (n, 3) array
        Reference positions, m.
    displacement, rotation : (3 n, nv) sparse arrays
        q -> displacement and small rotation vector of point i in rows 3 i .. 3 i + 2.
    bodies : mapping of str to NodeTable
    """

    points: Array
    displacement: sparse.csr_array
    rotation: sparse.csr_array
    bodies: Mapping[str, NodeTable]

    @property
    def nv(self) -> int:
        """Number of unknowns."""
        return int(self.displacement.shape[1])

    def resolve(self, ref: object, where: str, key: str = "node") -> IntArray:
        """Return the points of a reference (``NodeRef`` or text), (k,)."""
        node_ref = NodeRef.parse(ref, where, key)
        table = self.bodies.get(node_ref.body)
        if table is None:
            points = {name: [*body.named, *body.groups] for name, body in self.bodies.items()}
            raise InputError(no_such_body(node_ref, points), where=where, key=key, value=str(ref))
        try:
            return table.first + table.index(node_ref.node)
        except KeyError:
            hint = nearest(node_ref.node, [*table.named, *table.groups]) if isinstance(node_ref.node, str) else ""
            message = f"body '{node_ref.body}' has no such node{hint}; it has {table.choices()}"
            raise InputError(message, where=where, key=key, value=str(ref)) from None

    def one(self, ref: object, where: str, key: str = "node") -> int:
        """Return the single point of a reference."""
        found = self.resolve(ref, where, key)
        if found.size != 1:
            message = f"denotes {found.size} nodes, but a single one is required"
            raise InputError(message, where=where, key=key, value=str(ref))
        return int(found[0])

    def labels(self, points: Sequence[int] | IntArray) -> list[str]:
        """Return readable names of points: ``rod.node(3)``, or the body's name for a particle."""
        names, tables, firsts = self._in_order
        owner = np.searchsorted(firsts, points, side="right") - 1
        return [
            names[b] if tables[b].single else f"{names[b]}.node({int(i) - tables[b].first})"
            for i, b in zip(points, owner, strict=True)
        ]

    @cached_property
    def _in_order(self) -> tuple[list[str], list[NodeTable], IntArray]:
        """Names, tables and first points of the bodies."""
        tables = list(self.bodies.values())
        return list(self.bodies), tables, np.array([table.first for table in tables], dtype=np.int64)

    def columns(self, points: Sequence[int] | IntArray, direction: Array) -> sparse.csc_array:
        """Return the generalized unit forces along ``direction`` at each of k points, (nv, k)."""
        return _pick(self.displacement, np.asarray(points, dtype=np.int64), direction)

    def moment_columns(self, points: Sequence[int] | IntArray, axis: Array) -> sparse.csc_array:
        """Return the generalized unit moments about ``axis`` at each of k points, (nv, k)."""
        return _pick(self.rotation, np.asarray(points, dtype=np.int64), axis)


def _pick(operator: sparse.csr_array, points: IntArray, vector: Array) -> sparse.csc_array:
    """Return the columns sum_k vector[k] (row 3 i + k of the operator), one for each point i."""
    nv, k = int(operator.shape[1]), points.size
    rows = (3 * points[:, None] + np.arange(3)).ravel()
    starts, counts = operator.indptr[rows], operator.indptr[rows + 1] - operator.indptr[rows]
    before = np.cumsum(counts) - counts
    entries = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
    column = np.repeat(np.repeat(np.arange(k), 3), counts)
    places, where = np.unique(column * nv + operator.indices[entries], return_inverse=True)
    values = np.bincount(where, weights=operator.data[entries] * np.repeat(np.tile(vector, k), counts))
    places, values = places[values != 0.0], values[values != 0.0]
    ptr = np.searchsorted(places, np.arange(k + 1) * nv)
    return sparse.csc_array((values, places % max(nv, 1), ptr), shape=(nv, k))
