"""Data of rotors for pictures: axes, transverse displacements, speeds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from flexmb.analysis.rotors.run_parts import Node
from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened

MOST_NODES = 4
"""Maximum number of nodes that are drawn by default."""


class Whirl(NamedTuple):
    """A recorded node of a rotor: its name, times (n,), displacements along y and z (n, 2), m."""

    name: str
    time: Array
    yz: Array

    @property
    def body(self) -> str:
        """Name of the rotor."""
        return self.name.partition(".")[0]


def rotors(opened: Opened) -> list[str]:
    """Return the names of the rotors."""
    bodies = opened.case.get("bodies", {})
    found = [name for name in opened.result.layout.bodies if bodies.get(name, {}).get("kind") == "rotor"]
    if not found:
        raise InputError("there is no rotor in this result (its case.toml names none)")
    return found


def points_of(opened: Opened, body: str) -> Array:
    """Return the positions of the nodes of a body at rest, (n, 3), m."""
    layout = opened.result.layout
    return np.asarray(layout.points[layout.body_of_point == layout.bodies.index(body)])


def across(opened: Opened, body: str) -> Array:
    """Return the directions y and z of a rotor as columns, (3, 2)."""
    return np.asarray(opened.rotors.frame(body)[:, 1:])


def places(opened: Opened) -> dict[Node, str]:
    """Return the names of the nodes whose displacement or position was recorded, by body and number."""
    out: dict[Node, str] = {}
    for name in opened.result.signals:
        place, _, quantity = name.rpartition(".")
        if quantity in ("displacement", "position") and place.partition(".")[0] in opened.case.get("bodies", {}):
            try:
                (node,) = opened.rotors.nodes(place)
            except (InputError, ValueError):  # of a body in large motion
                continue
            out.setdefault(node, place)
    return out


def recorded(opened: Opened, names: Sequence[str] | None = None) -> list[Whirl]:
    """Return recorded nodes of rotors: the named ones (``rotor.mid``), or the first few, those in a clearance first."""
    found = places(opened)
    known = [place for node, place in found.items() if node[0] in rotors(opened)]
    if not known:
        raise InputError("no displacement of a rotor's node was recorded; list it under [output] signals")
    inside = {node for nodes, _ in opened.rotors.clearances().values() for node in nodes}
    rubbing = [place for node, place in found.items() if node in inside]
    if names:
        chosen = [_as_recorded(opened, name, found) for name in names]
    else:
        usual = [name for name in known if _asked_for(opened, name)] or known
        chosen = sorted(usual, key=lambda name: (name not in rubbing, _natural(name)))
    out = []
    for name in chosen if names else chosen[:MOST_NODES]:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise InputError(f"the displacement of '{name}' was not recorded; {hint}recorded: {', '.join(known)}")
        yz = moved(opened, name, name.partition(".")[0])
        assert yz is not None
        out.append(Whirl(name, opened.result.time, yz))
    return out


def moved(opened: Opened, place: str, rotor: str) -> Array | None:
    """Return the recorded displacements of a node or particle along y and z of a rotor, (n, 2); None without any."""
    signals = opened.result.signals
    if f"{place}.displacement" in signals:
        return np.asarray(signals[f"{place}.displacement"] @ across(opened, rotor))
    if f"{place}.position" in signals and place.partition(".")[0] == rotor:  # at rest it is on the axis
        return np.asarray((signals[f"{place}.position"] - points_of(opened, rotor)[0]) @ across(opened, rotor))
    return None


def _asked_for(opened: Opened, place: str) -> bool:
    """Return whether a node was to be recorded, or is one of the default nodes: others are those of bearings."""
    asked = opened.case.get("output", {}).get("signals")
    if asked:
        return f"{place}.displacement" in asked or f"{place}.position" in asked
    return f"{place}.position" in opened.result.signals


def _as_recorded(opened: Opened, name: str, found: Mapping[Node, str]) -> str:
    """Return the recorded name of a node that may have other names; the given one if it was not recorded."""
    try:
        return found.get(opened.rotors.nodes(name)[0], name)
    except InputError:
        return name


def _natural(name: str) -> list[str | int]:
    """Return a sort key that places node(2) before node(12)."""
    return [int(word) if word.isdecimal() else word for word in re.split(r"(\d+)", name)]


def speed_of(opened: Opened, body: str, time: Array) -> Array | None:
    """Return the speed of a rotor at times, rad/s: as recorded, or from the case; None without either."""
    recorded_speed = f"{body}.spin_speed"
    if recorded_speed in opened.result.signals:
        return np.interp(time, opened.result.time, np.ravel(opened.result.signals[recorded_speed]))
    return opened.rotors.given_speed(body, time)


def within(time: Array, start: float | None, end: float | None) -> Array:
    """Return which samples are within a time interval."""
    inside = (time >= (-np.inf if start is None else start)) & (time <= (np.inf if end is None else end))
    if inside.sum() < 16:
        ends = f"{time[0]:.6g} s to {time[-1]:.6g} s"
        raise InputError(f"fewer than 16 samples lie between these times; the result goes from {ends}", key="from")
    return np.asarray(inside)
