"""Functions of time in a system, and those among them that users wrote in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from flexmb.parts.called_function import Called, Sampled
from flexmb.system.linear_system import LinearSystem, Probe
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.probes import MultibodyProbe


def functions_of(system: LinearSystem | MultibodySystem) -> Sequence[tuple[str, object]]:
    """Return the functions of time of a system and their locations in a case file."""
    if isinstance(system, MultibodySystem):
        return system.functions
    contacts = system.contacts
    found: list[tuple[str, object]] = [(f"loads.{load.name}.function", load.phi) for load in system.loads]
    for m, motion in enumerate(contacts.motions):
        row = int(np.flatnonzero(contacts.motion_of == m)[0])
        group = contacts.names[int(np.searchsorted(contacts.start, row, side="right")) - 1]
        found.append((f"contacts.{group}.motion", motion))
    return found


def user_functions(system: object) -> list[dict[str, Any]]:
    """Return, for a summary, where functions of users act, their names, and whether they are compiled."""
    if not isinstance(system, LinearSystem | MultibodySystem):
        return []
    found = [(where, f) for where, f in functions_of(system) if isinstance(f, Called)]
    return [{"where": where, "name": f.name, "compiled": f.compiled} for where, f in found]


def sampled_functions(system: LinearSystem | MultibodySystem) -> list[tuple[Sampled, slice, slice]]:
    """Return the functions of a node's motion, with the columns of its position and velocity among the signals."""
    columns: dict[str, slice] = {}
    first, probes = 0, cast("Sequence[Probe | MultibodyProbe]", system.probes)
    for probe in probes:
        columns[probe.name], first = slice(first, first + probe.size), first + probe.size
    found = [f for _, f in functions_of(system) if isinstance(f, Sampled)]
    return [(f, columns[f"{f.node}.position"], columns[f"{f.node}.velocity"]) for f in found]
