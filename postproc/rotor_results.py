"""What pictures of rotors take from a result folder: axes, displacements across them, speeds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened

MOST_NODES = 4
"""More nodes than this are not drawn unless they are named."""


class Whirl(NamedTuple):
    """A recorded node of a rotor: its name, times (n,), displacements along y and z (n, 2), m."""

    name: str
    time: Array
    yz: Array

    @property
    def body(self) -> str:
        """The rotor."""
        return self.name.partition(".")[0]


def rotors(opened: Opened) -> list[str]:
    """Return the names of the rotors."""
    bodies = opened.case.get("bodies", {})
    found = [name for name in opened.result.layout.bodies if bodies.get(name, {}).get("kind") == "rotor"]
    if not found:
        raise InputError("there is no rotor in this result (its case.toml names none)")
    return found


def points_of(opened: Opened, body: str) -> Array:
    """Return where the nodes of a body stand at rest, (n, 3), m."""
    layout = opened.result.layout
    return np.asarray(layout.points[layout.body_of_point == layout.bodies.index(body)])


def across(opened: Opened, body: str) -> Array:
    """Return the directions y and z of a rotor as columns, (3, 2); as ``StraightBody`` chooses them."""
    table = opened.case["bodies"][body]
    d = np.asarray(table.get("direction", (1.0, 0.0, 0.0)), dtype=np.float64)
    d = d / np.linalg.norm(d)
    y = np.asarray(table.get("orientation") or np.cross([0.0, 0.0, 1.0], d), dtype=np.float64)
    y = np.array([0.0, 1.0, 0.0]) if np.linalg.norm(y) < 1e-9 else y
    y = y - (y @ d) * d
    y = y / np.linalg.norm(y)
    return np.column_stack([y, np.cross(d, y)])


def recorded(opened: Opened, names: Sequence[str] | None = None) -> list[Whirl]:
    """Return recorded nodes of rotors: those named (``rotor.mid``), or the first few, those in a clearance first."""
    known = _places(opened)
    if not known:
        raise InputError("no displacement of a rotor's node was recorded; list it under [output] signals")
    rubbing = [str(t.get("node")) for t in opened.case.get("contacts", {}).values() if t.get("kind") == "clearance"]
    chosen = list(names) if names else sorted(known, key=lambda name: (name not in rubbing, _natural(name)))
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
    if f"{place}.position" in signals and place.partition(".")[0] == rotor:  # at rest it stands on the axis
        return np.asarray((signals[f"{place}.position"] - points_of(opened, rotor)[0]) @ across(opened, rotor))
    return None


def _places(opened: Opened) -> list[str]:
    """Return the nodes of rotors whose displacement or position was recorded."""
    found = []
    for name in opened.result.signals:
        place, _, quantity = name.rpartition(".")
        if quantity in ("displacement", "position") and place.partition(".")[0] in rotors(opened):
            found.append(place)
    return list(dict.fromkeys(found))


def _natural(name: str) -> list[str | int]:
    """Return a key that puts node(2) before node(12)."""
    return [int(word) if word.isdecimal() else word for word in re.split(r"(\d+)", name)]


def speed_of(opened: Opened, body: str, time: Array) -> Array | None:
    """Return the speed of a rotor at times, rad/s: as recorded, or as the case gives it; None when neither is there."""
    recorded_speed = f"{body}.spin_speed"
    if recorded_speed in opened.result.signals:
        return np.interp(time, opened.result.time, np.ravel(opened.result.signals[recorded_speed]))
    spin: dict[str, Any] = opened.case["bodies"][body].get("spin", {})
    if spin.get("kind") == "constant":
        return np.full(time.shape, float(spin["speed"]))
    if spin.get("kind") == "ramp":
        start = float(spin.get("start", 0.0))
        ends = [start, start + float(spin["duration"])]
        return np.interp(time, ends, [float(spin.get("from", 0.0)), float(spin["to"])])
    return np.interp(time, spin["time"], spin["speed"]) if spin.get("kind") == "table" else None


def within(time: Array, start: float | None, end: float | None) -> Array:
    """Return which samples lie in a stretch of time."""
    inside = (time >= (-np.inf if start is None else start)) & (time <= (np.inf if end is None else end))
    if inside.sum() < 16:
        ends = f"{time[0]:.6g} s to {time[-1]:.6g} s"
        raise InputError(f"fewer than 16 samples lie between these times; the result goes from {ends}", key="from")
    return np.asarray(inside)
