"""Sections, materials and axes of the lines of a mesh, by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.checks.values import from_table, nearest, unit
from flexmb.errors import InputError
from flexmb.fem.line_sections import LineSections, side_axis
from flexmb.fem.material import Material
from flexmb.fem.network_mesh import NetworkMesh
from flexmb.fem.section import Section
from flexmb.state import Array, IntArray

PARALLEL = 1e-6
"""Sine of the angle between an orientation and a line below which they count as parallel."""
ROUND = 1e-9
"""Difference of the second moments of a section, relative to their size, below which its orientation does not
matter."""
SMOOTH = 0.7
"""Cosine of the angle between neighboring lines above which they belong to one curve."""


@dataclass(frozen=True)
class Group:
    """Properties of the lines of a group; missing ones are those of the body.

    Parameters
    ----------
    section : Section or table, optional
    material : Material or table, optional
    orientation : (3,) array_like, optional
        Local y of its lines.
    """

    section: Section | Mapping[str, Any] | None = None
    material: Material | Mapping[str, Any] | None = None
    orientation: Sequence[float] | Array | None = None


@dataclass(frozen=True)
class Members:
    """Section and material of every line.

    Parameters
    ----------
    kinds : tuple of pairs (Section, Material)
    of_line : (m,) int array
        Which of them a line has.
    orientation : list of vectors or None
        Of every line, as given.
    """

    kinds: tuple[tuple[Section, Material], ...]
    of_line: IntArray
    orientation: list[Any]

    def numbers(self, name: str) -> Array:
        """Return a property of the sections, or of the materials, for every line, (m,); nan if not given."""
        values = [
            getattr(material, name) if name in ("young", "density", "G") else getattr(section.values(), name)
            for section, material in self.kinds
        ]
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)[self.of_line]

    def outlines(self) -> tuple[IntArray, Array]:
        """Return the outlines of the lines, (m,) and (m, 2), see ``LineSections``."""
        found = [section.outline() for section, _ in self.kinds]
        kind = np.array([f[0] for f in found], dtype=np.int64)[self.of_line]
        return kind, np.array([f[1:] for f in found], dtype=np.float64)[self.of_line]


def read_members(
    mesh: NetworkMesh, own: tuple[Section | None, Material | None, object], groups: object, where: str, file: str
) -> Members:
    """Return section and material of every line; ``own`` is section, material and orientation of the body itself."""
    if not isinstance(groups, Mapping):
        message = "must be a table of groups, such as { column = { section = .. } }"
        raise InputError(message, where=where, key="groups", value=groups)
    kinds: list[tuple[Section | None, Material | None]] = [own[:2]]
    of_line = np.zeros(len(mesh.lines), dtype=np.int64)
    orientation: list[Any] = [own[2]] * len(mesh.lines)
    for name, table in groups.items():
        at = f"{where}.groups.{name}"
        if name not in mesh.lines_of:
            known = list(mesh.lines_of)
            message = f"'{file}' has no such group of lines{nearest(name, known)}; it has {', '.join(known) or 'none'}"
            raise InputError(message, where=f"{where}.groups", key=str(name))
        group = table if isinstance(table, Group) else _group(table, at)
        lines = mesh.lines_of[name]
        if (twice := lines[of_line[lines] > 0]).size:
            other = list(groups)[int(of_line[twice[0]]) - 1]
            message = f"{mesh.line_name(int(twice[0]))} is in group '{other}', too, which has properties as well"
            raise InputError(message, where=at)
        section = _one(Section, group.section, own[0], f"{at}.section")
        material = _one(Material, group.material, own[1], f"{at}.material")
        kinds.append((section, material))
        of_line[lines] = len(kinds) - 1
        if group.orientation is not None:
            for k in lines.tolist():
                orientation[k] = group.orientation
    return Members(_complete(kinds, of_line, mesh, where), of_line, orientation)


def _group(table: object, where: str) -> Group:
    if not isinstance(table, Mapping):
        raise InputError("must be a table with section, material or orientation", where=where, value=table)
    return from_table(Group, table, where)


def _one(cls: Any, given: Any, own: Any, where: str) -> Any:
    if given is None or isinstance(given, cls):
        return own if given is None else given
    if isinstance(given, Mapping):
        return from_table(cls, given, where)
    raise InputError(f"must be a table or a {cls.__name__}", where=where, value=given)


def _complete(
    kinds: list[tuple[Section | None, Material | None]], of_line: IntArray, mesh: NetworkMesh, where: str
) -> tuple[tuple[Section, Material], ...]:
    out: list[Any] = []
    for i, kind in enumerate(kinds):
        used = np.flatnonzero(of_line == i)
        for what, key in zip(kind, ("section", "material"), strict=True):
            if what is None and used.size:
                message = f"is missing for {mesh.line_name(int(used[0]))}: give it to the body or to its group"
                raise InputError(message, where=where, key=key)
        out.append(kind)
    full = next(kind for i, kind in enumerate(out) if (of_line == i).any())
    # a body whose lines all belong to groups needs no section of its own
    return tuple(kind if None not in kind else full for kind in out)


def line_axes(mesh: NetworkMesh, members: Members, where: str, *, matters: bool) -> Array:
    """Return d, y, z of every line as columns, (m, 3, 3).

    y is the orientation made perpendicular to d. Without one z is the normal of the mesh's plane, so that sections
    do not flip along a curve; in space only round sections do not need one.

    Parameters
    ----------
    mesh : NetworkMesh
    members : Members
    where : str
        For errors.
    matters : bool
        Whether forces depend on it (beams in space).
    """
    d, n = mesh.along, mesh.normal
    y = np.empty_like(d)
    Iy, Iz = members.numbers("Iy"), members.numbers("Iz")
    for k, given in enumerate(members.orientation):
        if given is not None:
            side = unit(given, "orientation", where)
            y[k] = side - (side @ d[k]) * d[k]
            if np.linalg.norm(y[k]) < PARALLEL:
                message = f"is parallel to {mesh.line_name(k)}; give its group an orientation of its own"
                raise InputError(message, where=where, key="orientation", value=given)
        elif n is not None:
            y[k] = np.cross(n, d[k])
        else:
            y[k] = side_axis(d[k])
            if matters and abs(Iy[k] - Iz[k]) > ROUND * abs(Iz[k]) and not mesh.straight:
                message = f"is needed: the mesh is not plane, and the section of {mesh.line_name(k)} is not round"
                raise InputError(message, where=where, key="orientation")
        y[k] /= np.linalg.norm(y[k])
    if matters:
        _check_turning(mesh, members, y, where)
    return np.stack([d, y, np.cross(d, y)], axis=2)


def _check_turning(mesh: NetworkMesh, members: Members, y: Array, where: str) -> None:
    """Raise if an orientation flips a section between neighbours on a curve."""
    ends: dict[int, list[int]] = {}
    for k, pair in enumerate(mesh.lines.tolist()):
        for node in pair:
            ends.setdefault(node, []).append(k)
    for own in (own for own in ends.values() if len(own) == 2):
        a, b = own
        if members.orientation[a] is None or mesh.along[a] @ mesh.along[b] < SMOOTH:
            continue
        if y[a] @ y[b] < 0.0:
            message = (
                f"flips the section between {mesh.line_name(a)} and {mesh.line_name(b)}; give one to which the curve "
                f"is never parallel, such as the normal of its plane"
            )
            raise InputError(message, where=where, key="orientation", value=members.orientation[a])


def member_sections(stiffness: Array, length: Array, axes: Array, members: Members) -> LineSections:
    """Return the sections of the lines, see ``LineSections``."""
    outline, size = members.outlines()
    return LineSections(
        stiffness=np.nan_to_num(stiffness),
        length=length,
        axes=axes,
        outline=outline,
        size=size,
        other=np.zeros(len(length), dtype=np.int64),
    )
