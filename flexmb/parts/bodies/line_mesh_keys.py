"""Keys that define the nodes of a line body: a mesh file, or lengths, elements and stations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.checks.values import finite, vector
from flexmb.errors import InputError
from flexmb.fem.mesh import LineMesh, straight_line
from flexmb.fem.network_mesh import NetworkMesh, read_network
from flexmb.state import Array

SAME = 1e-9
"""Distance, relative to the length, below which two stations coincide."""


def read_mesh(path: object, where: str) -> NetworkMesh:
    """Return the lines of a mesh file."""
    if not isinstance(path, str | Path):
        raise InputError("must be the path of a mesh file", where=where, key="mesh", value=path)
    try:
        return read_network(path, where)
    except (OSError, ValueError) as err:  # an invalid path
        message = f"cannot be read: {getattr(err, 'strerror', None) or err}"
        raise InputError(message, where=where, key="mesh", value=str(path)) from err


def straight_mesh(mesh: NetworkMesh, where: str, file: str) -> LineMesh:
    """Return the straight chain of a mesh; raise if it is not one."""

    def wrong(message: str) -> InputError:
        return InputError(message, where=where, key="mesh", value=file)

    if not mesh.open_chain:
        raise wrong("the lines branch or form a closed loop: one open chain is needed")
    return straight_line(mesh.points, np.arange(len(mesh.points)), wrong, mesh.file_node)


def placed_mesh(mesh: NetworkMesh, position: object, direction: object, where: str) -> NetworkMesh:
    """Return a mesh moved so that its first node is at ``position``."""
    if direction is not None:
        message = "has no effect with a mesh of this shape: rotate the mesh itself"
        raise InputError(message, where=where, key="direction", value=direction)
    if position is None:
        return mesh
    return replace(mesh, points=mesh.points - mesh.points[0] + vector(position, "position", where))


def check_line_keys(body: Any) -> None:
    """Raise if keys of a body define its nodes twice."""
    if body.mesh is None:
        for key in ("groups", "hinges"):
            if getattr(body, key):
                raise InputError("is for lines of a mesh", where=body.where, key=key, value=getattr(body, key))
        return
    for key in ("length", "elements"):
        if getattr(body, key) is not None:
            message = "is defined by the mesh file; give either mesh or length and elements"
            raise InputError(message, where=body.where, key=key, value=getattr(body, key))
    for key, default in (("grading", body.grading == 1.0), ("stations", not np.size(body.stations))):
        if not default:
            message = "has no effect with a mesh file"
            raise InputError(message, where=body.where, key=key, value=getattr(body, key))


def at_stations(x: Array, stations: object, where: str) -> Array:
    """Return vertices x, (n,), moved so that there is one at each station; spacings in between are scaled."""
    if isinstance(stations, str) or not isinstance(stations, Sequence | np.ndarray):
        message = "must be a list of distances from the first node, m"
        raise InputError(message, where=where, key="stations", value=stations)
    if not len(stations):
        return x
    length, found = float(x[-1]), []
    for k, value in enumerate(stations):
        s = finite(value, f"stations[{k}]", where)
        if not 0.0 < s < length:
            message = f"must lie between the ends, 0 and {length:g} m, which are nodes anyway"
            raise InputError(message, where=where, key=f"stations[{k}]", value=value)
        found.append(s)
    order = np.sort(np.array(found))
    if np.any(np.diff(order) <= SAME * length):
        twice = float(order[int(np.argmin(np.diff(order)))])
        raise InputError(f"{twice:g} m is repeated", where=where, key="stations", value=list(stations))
    if order.size > x.size - 2:
        message = f"{order.size} of them need at least {order.size + 1} elements, and there are {x.size - 1}"
        raise InputError(message, where=where, key="stations", value=list(stations))
    near = _nearest_each(x, order)
    at = x.copy()
    # between stations the relative spacing of the vertices is kept: grading is scaled, not lost
    old = np.array([0, *near, x.size - 1])
    new = np.array([0.0, *order, length])
    for a, b, s, e in zip(old[:-1], old[1:], new[:-1], new[1:], strict=True):
        at[a : b + 1] = s + (x[a : b + 1] - x[a]) * ((e - s) / (x[b] - x[a]))
        at[b] = e
    return np.asarray(at)


def _nearest_each(x: Array, stations: Array) -> list[int]:
    """Return increasing numbers of inner vertices near the stations, one for each."""
    k, last = stations.size, x.size - 1
    near = [int(np.argmin(np.abs(x - s))) for s in stations]
    for i in range(k):  # leaving vertices for those before and after
        low = near[i - 1] + 1 if i else 1
        near[i] = min(max(near[i], low, 1 + i), last - (k - i))
    return near
