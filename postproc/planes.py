"""The planes of node-plane contacts, found in the result: where they stand at any time, moving ones too.

The gap says where: a node at x with the gap g has its plane at n.x - g along the normal n. So a prescribed motion
need not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.postproc.open_folder import Opened
from flexmb.result import Result


@dataclass(frozen=True)
class ContactPlane:
    """A plane that nodes may touch.

    Parameters
    ----------
    name : str
        Name of the contact.
    normal : (3,) array
        Unit vector to the allowed side.
    points : (m,) int array
        Numbers of the points that may touch it.
    time : (n+1,) array
        Times of the samples, s.
    gap : (n+1,) array
        Gap of ``points[0]``, m.
    """

    name: str
    normal: Array
    points: Any
    time: Array
    gap: Array

    def offset(self, t: float, reference: Array, displacement: Array, scale: float) -> float:
        """Return n.x of the points x of the plane at time t, m.

        Parameters
        ----------
        t : float
            Time, s.
        reference, displacement : (n, 3) arrays
            Of all points.
        scale : float
            Displacements are drawn ``scale`` times as large; the way to the plane is drawn longer alike, so that
            bodies touch it in the picture when they do in truth.
        """
        i = self.points[0]
        gap = float(np.interp(t, self.time, self.gap))
        return float(self.normal @ reference[i] + scale * (self.normal @ displacement[i] - gap))


def contact_planes(opened: Opened) -> tuple[list[ContactPlane], list[str]]:
    """Return the planes of a result, and notes about contacts whose plane is not known."""
    result, tables = opened.result, opened.case.get("contacts", {})
    columns = _columns_by_name(result, list(tables))
    planes, notes = [], []
    force = result.fields.maps.impulse.tocsc()
    for name, own in columns.items():
        entries = [slice(force.indptr[j], force.indptr[j + 1]) for j in own]
        touched = [np.unique(force.indices[part][force.data[part] != 0.0] // 3) for part in entries]
        if any(len(t) != 1 for t in touched):
            continue  # node-node: two bodies, no plane
        points = np.array([t[0] for t in touched])
        direction = np.zeros(3)
        direction[force.indices[entries[0]] - 3 * points[0]] = force.data[entries[0]]
        normal = _normal(tables.get(name), direction)
        if normal is None:
            notes.append(f"the plane of contact '{name}' is not drawn: without case.toml its normal is not known")
            continue
        gaps = result.contacts[name].gap.reshape(len(result.time), -1)
        first = int(np.argmin(gaps[0]))
        points[[0, first]] = points[[first, 0]]
        planes.append(ContactPlane(name, normal, points, result.time, gaps[:, first]))
    if len(result.contacts) > len(columns):
        notes.append("contact planes are not drawn: without case.toml the order of the contacts is not known")
    return planes, notes


def _columns_by_name(result: Result, order: list[str]) -> dict[str, range]:
    """Return which contact impulses belong to which name. HDF5 sorts names, so the order is that of case.toml."""
    contacts = result.contacts
    if set(order) != set(contacts):
        order = list(contacts) if len(contacts) == 1 else []
    out, first = {}, 0
    for name in order:
        size = int(np.prod(contacts[name].gap.shape[1:], dtype=np.int64))
        out[name] = range(first, first + size)
        first += size
    return out


def _normal(table: dict[str, Any] | None, direction: Array) -> Array | None:
    """Return the unit normal from case.toml; without it, the direction of the force if the node can move freely."""
    if table is not None and "normal" in table:
        normal = np.asarray(table["normal"], dtype=float)
        return np.asarray(normal / np.linalg.norm(normal))
    # a node of a bar only moves along the bar: then the force on it shows but a part of the normal
    return direction if abs(float(np.linalg.norm(direction)) - 1.0) < 1e-9 else None
