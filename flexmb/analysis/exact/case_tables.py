"""Data of a case for exact solutions: the tables of case.toml, and the contacting plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.state import Array

Tables = Mapping[str, Any]
BODY_KEYS = {
    "bar": "length elements grading order mass points section material area young density position direction velocity",
    "particle": "mass position velocity axes",
}
"""Keys of bodies that the solutions account for, or that affect only mesh or names."""
CONTACT_KEYS = ("node", "point", "normal", "restitution")


@dataclass(frozen=True)
class Approach:
    """A body that moves along the normal of a plane.

    Parameters
    ----------
    name, contact : str
        Of the body and the contact.
    body : Tables
        The body's table.
    start : (3,) array
        Initial position of the point that touches, m.
    normal : (3,) array
        Unit normal of the plane.
    gap, velocity : float
        Initial distance, m, and velocity along the normal, m/s.
    weight : float
        Acceleration towards the plane, m/s^2.
    restitution : float
    end : float
        When the run ends, s.
    """

    name: str
    contact: str
    body: Tables
    start: Array
    normal: Array
    gap: float
    velocity: float
    weight: float
    restitution: float
    end: float


def approach(case: Tables, kind: str, loads: bool = False) -> Approach:
    """Return the initial approach of the body of ``[exact]`` to its plane; InputError for other problems.

    Parameters
    ----------
    case : mapping
    kind : str
        Of the body.
    loads : bool
        Whether the solution handles loads; otherwise there must be none.
    """
    claim = case["exact"]
    _require_alone(case, loads)
    body = _named(case, "bodies", claim["body"])
    contact = _named(case, "contacts", claim["contact"])
    require(body.get("kind") == kind, f"body '{claim['body']}' is not a {kind}")
    require(plane_at_rest(contact), f"contact '{claim['contact']}' is not that of one node with a fixed plane")
    require(float(case.get("time", {}).get("start", 0.0)) == 0.0, "the run does not start at t = 0")
    require(not body.get("supports"), f"body '{claim['body']}' has supports")
    require(not _damped(body.get("damping")), f"body '{claim['body']}' has damping")
    require_keys(body, (*BODY_KEYS[kind].split(), "damping"), f"body '{claim['body']}'")
    normal = unit(contact["normal"])
    position, velocity = vector(body.get("position", (0, 0, 0))), vector(body.get("velocity", (0, 0, 0)))
    start = position
    if str(contact["node"]) == f"{claim['body']}.last" and kind == "bar":
        start = position + float(body["length"]) * unit(body.get("direction", (1, 0, 0)))
    gravity = vector(case.get("gravity", {}).get("acceleration", (0, 0, 0)))
    for what, value in (("velocity", velocity), ("gravity", gravity)):
        require(parallel(value, normal), f"the {what} is not along the normal of the plane")
    gap = float(normal @ (start - vector(contact.get("point", (0, 0, 0)))))
    require(gap >= -1e-12 * float(np.abs(start).max()), "it starts behind the plane")
    return Approach(
        name=claim["body"],
        contact=claim["contact"],
        body=body,
        start=start,
        normal=normal,
        gap=max(gap, 0.0),
        velocity=float(normal @ velocity),
        weight=-float(normal @ gravity),
        restitution=float(contact.get("restitution", 0.0)),
        end=float(case["time"]["end"]),
    )


def plane_at_rest(contact: Tables) -> bool:
    """Return whether a contact is that of one node with a fixed plane, without other keys."""
    known, newton = ("kind", *CONTACT_KEYS), ("impact", "newton")
    others = [key for key, value in contact.items() if value and key not in known and (key, value) != newton]
    return contact.get("kind") == "node-plane" and "node" in contact and not others


def require(fulfilled: bool, words: str) -> None:
    """Raise unless the case is the problem for which the solution was derived."""
    if not fulfilled:
        raise InputError(f"the exact solution does not hold for this run: {words}")


def require_keys(table: Tables, known: Sequence[str], what: str) -> None:
    """Raise if a table has a key that the solution does not handle."""
    for key, value in table.items():
        require(key in ("kind", *known) or not value, f"{what} has '{key}', which the solution does not support")


def vector(values: Any) -> Array:
    """Return three numbers as an array."""
    return np.asarray(values, dtype=np.float64)


def unit(values: Any) -> Array:
    """Return the unit vector along ``values``."""
    values = vector(values)
    return np.asarray(values / np.linalg.norm(values))


def parallel(values: Array, normal: Array) -> bool:
    """Return whether a vector is zero or along the normal, to round-off."""
    return bool(np.abs(np.cross(values, normal)).max() <= 1e-12 * np.abs(values).max())


def _require_alone(case: Tables, loads: bool) -> None:
    """Raise if the case has anything but the body of ``[exact]`` and contacts."""
    claim = case["exact"]
    others = [name for name in case.get("bodies", {}) if name != claim["body"]]
    require(not others, f"there is another body, '{', '.join(others)}'")
    require(not case.get("joints"), "there are joints")
    require(loads or not case.get("loads"), "there are loads")
    require(not any(case.get("initial", {}).values()), "[initial] changes the start")


def _damped(damping: Any) -> bool:
    return any(damping.values() if isinstance(damping, Mapping) else damping or ())


def _named(case: Tables, group: str, name: str) -> Tables:
    tables = case.get(group, {})
    require(name in tables, f"there is no {group}.{name}")
    return dict(tables[name])
