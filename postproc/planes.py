"""The planes of node-plane contacts, determined from the result, also moving ones, at any time.

The position of a fixed plane is in case.toml. Otherwise it follows from the gap: a node at x with the gap g has its
plane at n.x - g along the normal n (or a radius further), so a prescribed motion need not be known. Planes fixed to a
body are not drawn, but the body is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from flexmb.postproc.arrays import Array
from flexmb.postproc.contact_status import of_joint
from flexmb.postproc.open_folder import Opened
from flexmb.record.io.glyph_ends import RING
from flexmb.record.result import Result
from flexmb.system.layout import Layout


@dataclass(frozen=True)
class ContactPlane:
    """A plane that nodes may touch.

    Parameters
    ----------
    name : str
        Name of the contact.
    normal : (3,) array
        Unit vector to the admissible side.
    points : (m,) int array
        Numbers of the points that may touch it.
    time : (n+1,) array
        Times of the samples, s.
    gap : (n+1,) array
        Gap of ``points[0]``, m.
    radius : float
        Of the spheres around the points, m; contacts of points have none.
    rest : float or None
        n.x of the points x of a fixed plane, if known, m.
    closest : tuple of float and int
        Time of the smallest gap, s, and the number of that point.
    """

    name: str
    normal: Array
    points: Any
    time: Array
    gap: Array
    radius: float = 0.0
    rest: float | None = None
    closest: tuple[float, int] = (0.0, -1)

    def offset(self, t: float, reference: Array, displacement: Array, scale: float) -> float:
        """Return n.x of the points x of the plane at time t, m.

        Parameters
        ----------
        t : float
            Time, s.
        reference, displacement : (n, 3) arrays
            Of all points.
        scale : float
            Displacements are drawn ``scale`` times as large; the distance to the plane is scaled likewise, so that
            bodies touch it in the picture when they do in the model.
        """
        if self.rest is not None and scale == 1.0:
            return self.rest
        i = self.points[0]
        gap = float(np.interp(t, self.time, self.gap))
        return float(self.normal @ reference[i] + scale * (self.normal @ displacement[i] - gap) - self.radius)


def contact_planes(opened: Opened) -> tuple[list[ContactPlane], list[str]]:
    """Return the planes of a result, and notes on contacts with unknown planes."""
    result, tables = opened.result, opened.case.get("contacts", {})
    columns = _columns_by_name(result, _order(result, tables))
    planes, notes = [], []
    marks = result.layout.marks
    round_ = {own.decode() for kind, own in zip(marks.kind, marks.name, strict=True) if kind.decode() == RING}
    touching = _Touching(result, sum(len(own) for own in columns.values()))
    for name, own in columns.items():
        if name in round_ or of_joint(result, name) or tables.get(name, {}).get("kind", "node-plane") != "node-plane":
            continue
        touched = [touching.points(j) for j in own]
        if any(len(t) != 1 for t in touched):
            continue  # between two bodies: no plane, or one fixed to a body
        points = np.array([t[0] for t in touched])
        table = tables.get(name, {})
        normal = _normal(table, touching.direction(own))
        if normal is None:
            notes.append(f"the plane of contact '{name}' is not drawn: without case.toml its normal is unknown")
            continue
        gaps = result.contacts[name].gap.reshape(len(result.time), -1)
        first = int(np.argmin(gaps[0]))
        when, which = np.unravel_index(int(np.nanargmin(gaps)), gaps.shape) if np.isfinite(gaps).any() else (0, first)
        closest = float(result.time[when]), int(points[which])
        points[[0, first]] = points[[first, 0]]
        # a point of a body in large motion may not be drawn, so gaps do not determine its planes
        known = _at_rest(table) and ("point" in table or result.layout.carriers is not None)
        rest = float(normal @ np.asarray(table.get("point", np.zeros(3)), dtype=float)) if known else None
        radius = float(table.get("radius", 0.0))
        planes.append(ContactPlane(name, normal, points, result.time, gaps[:, first], radius, rest, closest))
    if len(result.contacts) > len(columns):
        notes.append("contact planes are not drawn: without case.toml the order of the contacts is unknown")
    return planes, notes


class _Touching:
    """The points on which contacts act and the directions, from the map of impulses.

    Parameters
    ----------
    result : Result
    count : int
        Number of contacts. In small motion each has one column of the map (those of rows beside normals come after
        all of them); in large motion three, its vector in space.
    """

    def __init__(self, result: Result, count: int) -> None:
        self.map = result.fields.maps.impulse.tocsc()
        self.wide = self.map.shape[1] // max(count, 1) if "/layout/laws/slides" not in result.tree else 1
        self.wide = 3 if result.layout.carriers is not None else self.wide
        self.result = result

    def _entries(self, j: int) -> slice:
        return slice(self.map.indptr[self.wide * j], self.map.indptr[self.wide * (j + 1)])

    def points(self, j: int) -> Any:
        """Return the points on which contact j acts, sorted."""
        entries = self._entries(j)
        return np.unique(self.map.indices[entries][self.map.data[entries] != 0.0] // 3)

    def direction(self, own: range) -> Array:
        """Return the direction of the force on the first point; zero if unknown."""
        if self.wide == 1:
            entries, out = self._entries(own[0]), np.zeros(3)
            out[self.map.indices[entries] % 3] = self.map.data[entries]
            return out
        if "/layout/laws/slides" in self.result.tree:
            return np.zeros(3)  # impulses with friction are not along the normal
        vectors = np.asarray(self.result.fields.impulse[()]).sum(axis=0).reshape(-1, 3)[list(own)].sum(axis=0)
        size = float(np.linalg.norm(vectors))
        return np.asarray(vectors / size) if size > 0.0 else np.zeros(3)


def points_under(planes: Iterable[ContactPlane], layout: Layout) -> dict[str, Any]:
    """Return the numbers of the points under which each plane should extend, by its name."""
    out, of_surfaces = {}, np.unique(layout.body_of_point[layout.triangles])
    for plane in planes:
        touching = np.intersect1d(layout.body_of_point[plane.points], of_surfaces)
        solids = np.isin(layout.body_of_point, touching)
        out[plane.name] = np.union1d(plane.points, np.flatnonzero(solids))
    return out


def contact_radii(opened: Opened) -> dict[str, float]:
    """Return the largest contact radius of points of each body, m, by the name of the body."""
    out: dict[str, float] = {}
    for table in opened.case.get("contacts", {}).values():
        for ref, radius in [*_balls(table), *_spheres(table, opened.case.get("bodies", {}))]:
            if isinstance(radius, int | float) and radius > 0.0:
                body = str(ref).partition(".")[0]
                named = [name for name in opened.case.get("bodies", {}) if fnmatchcase(name, body)]
                out |= {name: max(out.get(name, 0.0), float(radius)) for name in named or [body]}
    return out


def _spheres(table: dict[str, Any], bodies: Iterable[str]) -> list[tuple[object, object]]:
    """Return the bodies of a contact between spheres with the radii it defines."""
    given, radius = table.get("bodies", []), table.get("radius")
    if isinstance(radius, list):
        return list(zip(given, radius, strict=False)) if isinstance(given, list) else []
    words = [given] if isinstance(given, str) else given
    return [(name, radius) for name in bodies if any(fnmatchcase(name, str(word)) for word in words)]


def _balls(table: dict[str, Any]) -> list[tuple[object, object]]:
    """Return the places named by a contact with the radii it defines."""
    common = table.get("radius")
    nodes, chain = table.get("nodes", []), list(table.get("chain", []))
    out = [(table[key], table.get(f"radius_{key}", common)) for key in ("node", "a", "b") if key in table]
    out += [(ref, common) for ref in ([nodes] if isinstance(nodes, str) else nodes)]
    return out + list(zip(chain, common if isinstance(common, list) else [common] * len(chain), strict=False))


def _order(result: Result, tables: dict[str, Any]) -> list[str]:
    """Return the names of the contacts in the order of their impulses; for older results by case.toml."""
    stored = "/layout/contacts"
    return [name.decode() for name in result.tree[stored][()]] if stored in result.tree else list(tables)


def _columns_by_name(result: Result, order: list[str]) -> dict[str, range]:
    """Return the contact impulses that belong to each name; none if the order does not include all contacts."""
    contacts = result.contacts
    if set(order) != set(contacts):
        order = list(contacts) if len(contacts) == 1 else []
    out, first = {}, 0
    for name in order:
        size = int(np.prod(contacts[name].gap.shape[1:], dtype=np.int64))
        out[name] = range(first, first + size)
        first += size
    return out


def _normal(table: dict[str, Any], direction: Array) -> Array | None:
    """Return the unit normal from case.toml; else the direction of the force, if the node can move freely."""
    if "normal" in table:
        normal = np.asarray(table["normal"], dtype=float)
        return np.asarray(normal / np.linalg.norm(normal))
    # a node of a bar only moves along the bar, so the force on it is only a component along the normal
    return direction if abs(float(np.linalg.norm(direction)) - 1.0) < 1e-9 else None


def _at_rest(table: dict[str, Any]) -> bool:
    return "normal" in table and "motion" not in table and table.get("body", "ground") == "ground"


def tangents(normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors that span the plane normal to ``normal``, along the axes if possible."""
    axis = np.eye(3)[int(np.argmin(np.abs(normal)))]
    a = axis - (axis @ normal) * normal
    a /= np.linalg.norm(a)
    return a, np.cross(normal, a)
