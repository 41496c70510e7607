"""Rotors, bearings and clearances of a case as run, rebuilt from its tables for pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.assembly.kinematics import NodeTable
from flexmb.assembly.node_ref import NodeRef
from flexmb.errors import InputError
from flexmb.parts.bearing_law import BearingLaw
from flexmb.parts.bodies import KINDS
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.rotor import Rotor
from flexmb.parts.loads.bearing import Bearing
from flexmb.shipped_data import shipped_mesh
from flexmb.state import Array

Node = tuple[str, int]
"""A body and the number of one of its nodes."""


@dataclass(frozen=True)
class RunBearing:
    """A bearing of a rotor to the ground, or between bodies.

    Parameters
    ----------
    label : str
        ``rotor.node(4)``, or ``loads.NAME``.
    rotor : str
        Rotor whose speed the law depends on.
    law : BearingLaw
    axes : (3, 2) array
        Its y and z.
    node : Node
    to : Node or None
        None: the ground.
    """

    label: str
    rotor: str
    law: BearingLaw
    axes: Array
    node: Node
    to: Node | None


class RunParts:
    """The rotors of a case.

    Parameters
    ----------
    tables : mapping
        Of a case file with all its defaults, as in a result folder.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.tables = tables
        self._parts: dict[str, BodyParts] = {}

    @cached_property
    def rotors(self) -> dict[str, Rotor]:
        """The rotors by name."""
        bodies = self.tables.get("bodies", {})
        return {name: Rotor(name, **_keys(t)) for name, t in bodies.items() if t.get("kind") == Rotor.kind}

    def frame(self, rotor: str) -> Array:
        """Return the columns d, y, z of a rotor, (3, 3)."""
        return np.column_stack(self.rotors[rotor].frame())

    def nodes(self, ref: object) -> list[Node]:
        """Return the nodes of a reference."""
        found = NodeRef.parse(ref)
        parts = self._body(found.body)
        table = NodeTable(0, len(parts.points), parts.named, parts.single)
        try:
            return [(found.body, int(k)) for k in table.index(found.node)]
        except KeyError:
            message = f"body '{found.body}' has no such node; it has {table.choices()}"
            raise InputError(message, key="node", value=str(ref)) from None

    def groups(self, body: str) -> dict[str, list[int]]:
        """Return the groups of the mesh of a body, with the numbers of their nodes."""
        return {name: np.asarray(nodes).tolist() for name, nodes in self._body(body).groups.items()}

    def given_speed(self, rotor: str, time: Array) -> Array | None:
        """Return the speed of a rotor at times as prescribed by the case, rad/s; None for free spin."""
        parts = self._body(rotor).spin
        return None if parts is None or parts.spin.angle is None else parts.spin.angle.rate(time)

    def bearings(self) -> list[RunBearing]:
        """Return all bearings: those of the rotors, then those between bodies."""
        out = []
        for name, rotor in self.rotors.items():
            for node, bearing in rotor.bearing_list:
                axes, label = self.frame(name)[:, 1:], f"{name}.node({node})"
                out.append(RunBearing(label, name, bearing.law(), axes, (name, node), None))
        for name, table in self.tables.get("loads", {}).items():
            if table.get("kind") == Bearing.kind:
                load = Bearing(name, **_keys(table))
                to = None if str(load.to) == "ground" else self.nodes(load.to)[0]
                whose, axes = load.rotor_name(list(self.tables["bodies"])), np.column_stack(load.axes())
                out.append(RunBearing(load.where, whose, load.law(), axes, self.nodes(load.node)[0], to))
        return out

    def clearances(self) -> dict[str, tuple[list[Node], Mapping[str, Any]]]:
        """Return the nodes in circular clearances and the tables of these, by name."""
        contacts = self.tables.get("contacts", {})
        out: dict[str, tuple[list[Node], Mapping[str, Any]]] = {}
        for name, table in contacts.items():
            if table.get("kind") == "clearance":
                given = table["node"]
                refs = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
                out[name] = [node for ref in refs for node in self._small(ref)], table
        return out

    def _small(self, ref: object) -> list[Node]:
        """Return the nodes of a reference; none for bodies in large motion."""
        try:
            return self.nodes(ref)
        except InputError:
            return []

    def _body(self, name: str) -> BodyParts:
        if name not in self._parts:
            table = self.tables.get("bodies", {}).get(name)
            if table is None:
                raise InputError(f"there is no body '{name}' in this result")
            body = KINDS[table["kind"]](name=name, **_keys(table))
            if not hasattr(body, "parts"):
                raise InputError(f"body '{name}' ({table['kind']}) has no nodes of small displacement")
            self._parts[name] = body.parts()
        return self._parts[name]


def _keys(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a part; a shipped mesh, which a case as run gives by its name, by its path."""
    keys = {key: value for key, value in table.items() if key != "kind"}
    if isinstance(keys.get("mesh"), str):
        keys["mesh"] = str(shipped_mesh(keys["mesh"]) or keys["mesh"])
    return keys
