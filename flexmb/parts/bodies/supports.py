"""Supports: fixed unknowns of a body, which are eliminated from the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.assembly.glyphs import CLAMP, PIN, End, Glyph
from flexmb.assembly.kinematics import NodeTable
from flexmb.assembly.node_ref import NodeRef, parse_local
from flexmb.checks.values import choice, from_table, nearest
from flexmb.errors import InputError
from flexmb.parts.bodies.body import Dof
from flexmb.state import Array

GLOBAL = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
KINDS = ("clamped", "pinned")


@dataclass(frozen=True)
class Support:
    """A support of a node.

    Parameters
    ----------
    node : str, int or NodeRef
        ``"first"``, ``"last"``, ``"mid"``, ``"node(3)"`` (or 3), a named point, or ``"all"``.
    kind : "clamped" or "pinned", optional
        ``clamped`` fixes all unknowns of the node, ``pinned`` its displacements.
    fix : sequence of str
        Single directions instead of ``kind``: the local ones of the body (``axial``, ``transverse``, ``rotation``, ...;
        spatial beams: ``transverse_y``, ``transverse_z``, ``torsion``, ``rotation_y``, ``rotation_z``; ``transverse``
        and ``rotation`` then mean both), or the global ``x``, ``y``, ``z`` if an unknown acts along that axis.
    """

    node: str | int | NodeRef
    kind: str | None = None
    fix: Sequence[str] = ()


def held_dofs(supports: Sequence[Any], table: NodeTable, dofs: Sequence[Dof], body: str) -> NDArray[np.bool_]:
    """Return which unknowns are fixed, (table.count, len(dofs)) bool."""
    held = np.zeros((table.count, len(dofs)), dtype=np.bool_)
    if isinstance(supports, str | Mapping | Support) or not isinstance(supports, Sequence):
        message = 'must be a list of { node = "first", kind = "clamped" } or { node = .., fix = ["x"] }'
        raise InputError(message, where=f"bodies.{body}", key="supports", value=supports)
    for number, data in enumerate(supports):
        where = f"bodies.{body}.supports[{number}]"
        support = _read(data, where)
        rows = find_nodes(support.node, table, body, where)
        held[np.ix_(rows, np.array(_directions(support, dofs, where)))] = True
    return held


def support_marks(
    supports: Sequence[Any], table: NodeTable, dofs: Sequence[Dof], body: str, direction: Array
) -> list[Glyph]:
    """Return the supports of single nodes, to be drawn; one that guides all nodes has no symbol."""
    out = []
    for number, data in enumerate(supports):
        where = f"bodies.{body}.supports[{number}]"
        support = _read(data, where)
        rows = find_nodes(support.node, table, body, where)
        kind = CLAMP if len(_directions(support, dofs, where)) == len(dofs) else PIN
        for node in rows.tolist() if len(rows) < table.count else []:
            out.append(Glyph(kind, body, End(NodeRef(body, node)), End(), direction))
    return out


def _read(data: object, where: str) -> Support:
    if isinstance(data, Support):
        return data
    if isinstance(data, Mapping):
        return from_table(Support, data, where)
    if isinstance(data, Sequence) and not isinstance(data, str) and len(data) == 2:
        node, how = data
        return Support(node, kind=how) if isinstance(how, str) and how in KINDS else Support(node, fix=how)
    message = 'must be { node = "first", kind = "clamped" } or { node = .., fix = [..] }'
    raise InputError(message, where=where, value=data)


def find_nodes(node: object, table: NodeTable, body: str, where: str) -> NDArray[np.int64]:
    """Return the nodes of a body for a number, a text or a reference."""
    local: int | str | None = None
    if isinstance(node, NodeRef):
        local = node.node if node.body == body else None
    elif isinstance(node, int) and not isinstance(node, bool):
        local = node
    elif isinstance(node, str):
        local = parse_local(node.removeprefix(f"{body}."))
    try:
        if local is None:
            raise KeyError(node)
        return table.index(local)
    except KeyError:
        message = f"body '{body}' has no such node; it has {table.choices()}"
        raise InputError(message, where=where, key="node", value=node) from None


def _directions(support: Support, dofs: Sequence[Dof], where: str) -> list[int]:
    names = _names(support.fix, where)
    if (support.kind is None) == (not names):
        raise InputError("needs either kind or fix", where=where)
    if support.kind is not None:
        clamped = choice(support.kind, "kind", where, KINDS) == "clamped"
        return [j for j, dof in enumerate(dofs) if clamped or not dof.turns]
    return sorted({j for name in names for j in _direction(name, dofs, where)})


def _names(fix: object, where: str) -> list[str]:
    """Return the directions given as one text or a list of texts."""
    if isinstance(fix, str):
        return [fix]
    if not isinstance(fix, Sequence) or not all(isinstance(name, str) for name in fix):
        raise InputError('must be a list of directions, such as ["x", "rotation"]', where=where, key="fix", value=fix)
    return list(fix)


def _direction(name: str, dofs: Sequence[Dof], where: str) -> list[int]:
    if name in GLOBAL:
        found = [j for j, d in enumerate(dofs) if not d.turns and abs(d.vector @ GLOBAL[name]) > 1.0 - 1e-9]
    else:
        found = [j for j, d in enumerate(dofs) if name in (d.name, d.name.partition("_")[0])]
    if not found:
        allowed = sorted({d.name for d in dofs} | {d.name.partition("_")[0] for d in dofs})
        along = [
            axis for axis, e in GLOBAL.items() if any(not d.turns and abs(d.vector @ e) > 1.0 - 1e-9 for d in dofs)
        ]
        reason = "no unknown of this body moves along this axis alone" if name in GLOBAL else "unknown direction"
        message = f"{reason}{nearest(name, allowed)}; allowed here: {', '.join(allowed + along)}"
        raise InputError(message, where=where, key="fix", value=name)
    return found
